"""Sections that are lists of links, the lines of a quotation, and pages whose words are a forum's."""

import numpy as np
import pytest

from gossamer.extractors.html.content.blocks import outline
from gossamer.extractors.html.content.groups import keep_attributions, keep_sections
from gossamer.extractors.html.content.learned_words import KINDS
from gossamer.extractors.html.content.selection import alike_in_posts, speaks_of_forum
from gossamer.extractors.html.tree import body, parse

LINKS = "<ul><li><a href=/1>The first lamp</a></li><li><a href=/2>The second lamp</a></li></ul>"
SECTION = f"<h2>Lamps</h2>{LINKS}"

SECTIONS = {
    "lists of links under headings": (f"<main>{SECTION * 3}</main>", 0.4, True),
    "unlikely lists": (f"<main>{SECTION * 3}</main>", 0.2, False),
    "two lists alone": (f"<main>{SECTION * 2}</main>", 0.4, False),
    "lists under lines": (f"<main>{f'<p>Lamps</p>{LINKS}' * 3}</main>", 0.4, False),
    "related pages": (f"<main>{f'<h2>Related pages</h2>{LINKS}' * 3}</main>", 0.4, False),
    "lists outside of the text": (SECTION * 3, 0.4, False),
    "a menu in the text": (f"<article><nav>{SECTION * 3}</nav></article>", 0.4, False),
    "a list above everything": (f"<main>{LINKS}</main>", 0.4, False),
}


@pytest.mark.parametrize(("html", "likely", "stays"), SECTIONS.values(), ids=SECTIONS)
def test_likely_lists_of_links_stay_in_the_text_with_their_headings(html: str, likely: float, *, stays: bool) -> None:
    root = parse(html)
    assert root is not None
    page = outline(body(root))
    is_kept = [False] * len(page.blocks)
    keep_sections(page, is_kept, [likely] * len(page.blocks))
    assert set(is_kept) == {stays}


QUOTES = {
    "who is quoted, in a footer": ("<blockquote><p>yes</p><footer>Ann</footer></blockquote>", [1, 0], [1, 1]),
    "a quotation that is left out": ("<blockquote><p>no</p><footer>Ann</footer></blockquote>", [0, 0], [0, 0]),
    "a line beside a quotation": ("<blockquote><p>yes</p></blockquote><p>Ann</p>", [1, 0], [1, 0]),
    "a long text in it": (f"<blockquote><p>yes</p><p>{'no ' * 30}</p></blockquote>", [1, 0], [1, 0]),
}


@pytest.mark.parametrize(("html", "before", "after"), QUOTES.values(), ids=QUOTES)
def test_a_quotation_keeps_its_short_lines(html: str, before: list[int], after: list[int]) -> None:
    root = parse(html)
    assert root is not None
    page = outline(body(root))
    is_kept = [bool(keep) for keep in before]
    keep_attributions(page, is_kept)
    assert is_kept == [bool(keep) for keep in after]


@pytest.mark.parametrize(
    ("forum", "article", "expected"), [(6.5, 3, True), (6.5, 4, False), (5, -5, False)], ids=["forum", "both", "hardly"]
)
def test_a_page_is_a_thread_by_its_words_where_they_are_a_forums_alone(
    forum: float, article: float, *, expected: bool
) -> None:
    columns = {f"kind_{kind}": np.zeros(1) for kind in KINDS}
    columns |= {"kind_forum": np.array([forum]), "kind_article": np.array([article])}
    assert speaks_of_forum(columns) is expected


def test_short_lines_that_posts_have_alike_stay_where_most_do() -> None:
    columns = {"kind": np.array([1.0, 1, 1, 1, 2, 2, 2, 2])}
    is_kept = [True, True, True, False, True, False, False, False]
    kept_now = alike_in_posts(is_kept, columns, np.array([4.0] * 8))
    assert kept_now == [True] * 5 + [False] * 3
    assert alike_in_posts(is_kept, columns, np.array([40.0] * 8)) == is_kept
