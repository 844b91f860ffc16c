"""Pages of documentation tools: what they mark as content is the content, all of it."""

import pytest

from gossamer.extractors.html.pipeline import read_html
from gossamer.model.page import View

INDEX = "".join(f"<li><a href=/ref#{name}>{name}() (in module lamps)</a></li>" for name in ("douse", "light", "trim"))
INSIDE = (
    f"<h1>Index</h1><table><tr><td><ul>{INDEX}</ul></td><td><ul><li><a href=/w>wick</a></li></ul></td></tr></table>"
)
LINKED = INSIDE.replace("Index</h1>", 'Index<a class="headerlink" href="#i">¶</a></h1>')
NAMED = '<span id="j"></span>' * 5
MARKED = {
    "Sphinx in a theme of somebody's own": f'<div id="bd"><div class="section" id="i">{LINKED}</div></div>',
    "Sphinx in a newer one": f'<div id="bd"><section id="i">{NAMED}{LINKED}</section></div>',
    "Apache's HTTP server": (
        f'<div id="page-header">Modules</div><div id="path"></div><div id="page-content">{INSIDE}'
        '<div class="top"><a href="#page-header"><img alt="top"></a></div></div>'
    ),
    "Node": f'<div id="column1"><header>Node</header><div id="apicontent">{INSIDE}</div></div>',
    "Sphinx": f'<div class="body" role="main">{INSIDE}</div>',
    "Sphinx on Read the Docs": (
        '<div role="main" class="document" itemscope="itemscope"><div itemprop="articleBody">' + INSIDE + "</div></div>"
    ),
    "Furo": f'<article role="main" id="furo-main-content">{INSIDE}</article>',
    "PyData": f'<article class="bd-article">{INSIDE}</article>',
    "MkDocs": f'<article class="md-content__inner md-typeset">{INSIDE}<a class="md-content__button">Edit</a></article>',
    "Docusaurus": f'<div class="theme-doc-markdown markdown">{INSIDE}</div>',
    "mdBook": f'<div id="page-wrapper"><div id="content"><main>{INSIDE}</main></div></div>',
    "rustdoc": f'<section id="main-content" class="content">{INSIDE}<span class="rightside">Source</span></section>',
    "VitePress": f'<main><div class="vp-doc _guide">{INSIDE}</div></main>',
    "Starlight": f'<main><div class="sl-markdown-content">{INSIDE}</div></main>',
    "DevSite": f'<article class="devsite-article"><div class="devsite-article-body clearfix">{INSIDE}</div></article>',
    "DocBook": f'<div><div class="sect1"><div class="titlepage"><h1>Index</h1></div>{INSIDE}</div></div>',
    "DocBook, in parts": (
        '<div class="chapter"><div class="titlepage"><h1>Index</h1></div>'
        f'<div class="sect1"><div class="titlepage"></div>{INSIDE}</div></div>'
    ),
}
AROUND = "<p>Found a bug? The lamp makers are a society without profit, and take gifts. Last updated in May.</p>" * 4


@pytest.mark.parametrize("part", MARKED.values(), ids=MARKED)
def test_all_that_a_tool_marks_as_content_is_kept_and_nothing_else(part: str) -> None:
    page = f"<title>Index</title><body><nav><a href=/>Home</a></nav>{part}<div class=footer>{AROUND}</div></body>"
    text = read_html(page, url="https://docs.example/genindex.html", view=View()).text
    assert text.startswith("# Index")
    assert all(f"{name}() (in module lamps)" in text for name in ("douse", "light", "trim"))
    assert "wick" in text
    assert not any(word in text for word in ("Home", "Found a bug", "Edit", "Source"))


OTHERS = {
    "two of them": f'<div class="body" role="main">{INSIDE}</div><div class="body" role="main"><p>Other</p></div>',
    "nothing but what leads elsewhere in it": f'<div class="vp-doc"><nav>{INDEX}{INDEX}</nav></div>',
    "next to nothing in it": f'<div class="body" role="main"><p>Menu</p></div><article>{AROUND}</article>',
}


@pytest.mark.parametrize("part", OTHERS.values(), ids=OTHERS)
def test_a_mark_that_cannot_be_meant_is_passed_over(part: str) -> None:
    page = f"<title>Lamps</title><body><article><h1>Lamps</h1>{AROUND}</article>{part}</body>"
    assert "society without profit" in read_html(page, url="https://docs.example/", view=View()).text


PROSE = "The lamps burned all night, and the sea was calm until the keepers came back from the harbour. " * 3


def manual_text(html: str) -> str:
    return read_html(f"<title>Lamps</title><body>{html}</body>", url="https://docs.example/", view=View()).text


@pytest.mark.parametrize("around", ["main", "div"])
def test_the_front_page_of_a_manual_is_more_than_its_marked_part(around: str) -> None:
    hero = f"<div class=VPHero><h1>Lampkit</h1><p>{PROSE}</p></div>"
    features = f"<div class=VPFeatures><h2>Fast</h2><p>Wicks are lit in a moment. {PROSE}</p></div>"
    start = "<div class=vp-doc><h2>Start</h2><p>Fill the lamp with oil, and trim the wick.</p></div>"
    text = manual_text(f"<{around}>{hero}{features}{start}</{around}>")
    assert all(said in text for said in ("Lampkit", "until the keepers came", "lit in a moment", "trim the wick"))


TITLED = {
    "Starlight": "<main><div><h1>Lighting</h1></div><div><div class=sl-markdown-content>{}</div></div></main>",
    "DevSite": "<main><article><h1>Lighting</h1><div class=devsite-article-body>{}</div></article></main>",
    "beside the article": "<main><h1>Lighting</h1><article><div class=vp-doc>{}</div></article></main>",
}


@pytest.mark.parametrize("html", TITLED.values(), ids=TITLED)
def test_a_headline_above_the_mark_stays(html: str) -> None:
    assert manual_text(html.format(f"<p>{PROSE}</p>")).startswith("# Lighting\n\nThe lamps burned")
    site = html.replace("<h1>Lighting</h1>", "<header><h1>Lighting</h1></header>")
    assert "Lighting" not in manual_text(site.format(f"<p>{PROSE}</p>"))


def test_a_manual_keeps_who_is_quoted_and_loses_its_own_footer() -> None:
    quote = "<blockquote><p>Trim it.</p><footer>— Ada</footer></blockquote>"
    text = manual_text(
        f"<main><div class=vp-doc><h1>A</h1><p>{PROSE}</p>{quote}<footer>Next page</footer></div></main>"
    )
    assert "— Ada" in text
    assert "Next page" not in text


def test_the_names_of_one_tool_mean_nothing_in_another() -> None:
    part = f"<h1>A</h1><p>{PROSE}</p><h2 class=sub-heading>Wicks</h2><p>{PROSE}</p>"
    assert "Wicks" in manual_text(f"<main><div class=vp-doc>{part}</div></main>")
    assert "Wicks" not in manual_text(f"<section id=main-content class=content>{part}</section>")
