import json

import pytest

from gossamer.extractors.html.metadata.bylines import read_author
from gossamer.extractors.html.metadata.head import read_head
from gossamer.extractors.html.metadata.main_entity import describe
from gossamer.extractors.html.metadata.marked_items import MarkedItems
from gossamer.extractors.html.metadata.structured_data import nodes
from gossamer.extractors.html.tree import parse


def author(page: str, *, site: str = "Coast News") -> str:
    root = parse(page)
    assert root is not None
    data = describe(nodes(root), MarkedItems(root).read(root, ""), names=(), heads=(), addresses=())
    return read_author(root, read_head(root).metas, data, site=site)


def said(author_: object) -> str:
    return f'<script type="application/ld+json">{json.dumps({"@type": "Article", "author": author_})}</script>'


PERSON, DESK = {"@type": "Person", "name": "Ada L"}, {"@type": "Organization", "name": "The Desk"}
META = '<meta name="author" content="{}">'
NAMED = {
    "JSON-LD before meta": (said(PERSON) + META.format("Coast News"), "Ada L"),
    "several": (said([PERSON, {"name": "Bo M"}]), "Ada L, Bo M"),
    "a bare name": (said("Ada L"), "Ada L"),
    "meta before an organisation": (said(DESK) + META.format("Ada L"), "Ada L"),
    "an organisation where nobody else is": (said(DESK), "The Desk"),
    "the card for social media": (
        '<meta name="twitter:label1" content="Written by"><meta name="twitter:data1" content="Ada L">',
        "Ada L",
    ),
    "another card": (
        '<meta name="twitter:label1" content="Est. reading time"><meta name="twitter:data1" content="5 minutes">',
        "",
    ),
    "microdata": ('<span itemprop="author">Ada L</span>', "Ada L"),
    "microdata with a name of its own": ('<p itemprop=author>About <b itemprop=name content="Ada L"></b></p>', "Ada L"),
    "a member of a forum": (
        '<div itemprop=author><a href="/u/1">ada</a><br>4,701 <i>18 gold badges</i></div>',
        "ada",
    ),
    "a link relation": ('<a rel="author nofollow" href="/ada">Ada L</a>', "Ada L"),
    "a byline": ('<p class="article-byline">By Ada L | 4 March 2026</p>', "Ada L"),
    "a byline in German": ('<p class="author">Von: Ada L</p>', "Ada L"),
    "a name in camel case": ('<span class="Article__AuthorName">Ada L</span>', "Ada L"),
    "a long box": (
        '<div class="author-info"><a href="/ada">Ada L</a><p>Writes about lamps, oil and the sea since 1990.</p></div>',
        "Ada L",
    ),
    "a long box without a link": (
        '<div class="author"><b>Ada L</b> <i>writes about lamps and oil and all.</i></div>',
        "Ada L",
    ),
    "the site where nobody else is": (META.format("Coast News"), "Coast News"),
    "somebody before the site": (META.format("Coast News") + '<p class="author">Ada L</p>', "Ada L"),
    "an address": (META.format("https://social.example/ada"), ""),
    "a handle": (META.format("@coastnews"), ""),
    "markup that was written twice": (META.format("Jos&amp;eacute; M"), "José M"),
    "the name of a role": (META.format("admin"), ""),
    "no letters": (META.format("---"), ""),
    "a sentence": (META.format("This is not a name but a sentence that goes on for a while"), ""),
    "who commented": ('<p class="comment-author">Cy N</p>', ""),
    "a label": ('<label class="author">Your name</label>', ""),
    "who reviewed it": (
        '<div itemprop=review itemscope itemtype="https://schema.org/Review"><b itemprop=author>user99</b></div>',
        "",
    ),
    "who answered": (
        '<div itemscope itemtype="https://schema.org/Answer"><b itemprop=author>user99</b></div><i class=author>Ada L',
        "Ada L",
    ),
    "a reviewer within JSON-LD": (said({}).replace('"author": {}', '"review": {"author": "user99"}'), ""),
    "nobody, of a film": (
        said("").replace("Article", "Movie") + '<p class="author">user99</p><a rel="author">user98</a>',
        "",
    ),
    "the creator of a video": (
        '<script type="application/ld+json">{"@type": "VideoObject", "creator": {"name": "Ada L"}}</script>',
        "Ada L",
    ),
    "the critic whose review the page is": (
        '<div itemscope itemtype="https://schema.org/Review"><b itemprop=author>Ada L</b></div>',
        "Ada L",
    ),
    "invisible characters": (META.format("A\u200bda L"), "Ada L"),
}


@pytest.mark.parametrize(("page", "name"), NAMED.values(), ids=NAMED)
def test_who_wrote_it(page: str, name: str) -> None:
    assert author(page) == name


def test_names_are_looked_for_in_bounds() -> None:
    many = '<p class="author">{}</p>'.format("x " * 50) * 3_000
    assert author(f'{many}<p class="author">Ada L</p>') == ""
