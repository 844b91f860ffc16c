"""The parts of choosing content, each for itself."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.extractors.html.content import main_content
from gossamer.extractors.html.content.blocks import Outline, outline, tokens_of
from gossamer.extractors.html.content.boilerplate import in_comments, is_thread
from gossamer.extractors.html.content.completion import complete, prune
from gossamer.extractors.html.content.features import KIND, Hints, features, rows
from gossamer.extractors.html.content.selection import Forest, even, forest, limit
from gossamer.extractors.html.tree import Element, body, parse, words

SENTENCE = "The lamps burned all night, and the sea was calm."


def tree(html: str) -> Element:
    root = parse(html)
    assert root is not None
    return root


def page_of(html: str) -> Outline:
    return outline(body(tree(html)))


def test_a_block_has_the_text_that_stands_in_it_and_in_no_block_inside() -> None:
    page = page_of("<div>before <b>bold</b><p>inside <a href=/x>a link</a></p> after<br>the end</div>")
    assert [(block.element.tag, block.tokens) for block in page.blocks] == [
        ("div", ["before", "bold", "after", "the", "end"]),
        ("p", ["inside", "a", "link"]),
    ]
    assert [(block.links, block.linked) for block in page.blocks] == [(0, 0), (1, 2)]


def test_a_link_round_blocks_links_their_text() -> None:
    page = page_of("<a href=/x><div>One card</div></a><a name=y><div>No link</div></a>")
    assert [block.linked for block in page.blocks] == [2, 0]


def test_words_that_are_not_set_apart_count_by_the_character() -> None:
    assert tokens_of("Lamp_oil 灯油, 2 l") == ["lamp", "oil", "灯", "油", "2", "l"]


LIKELY = {
    "a clear article": ([0.95, 0.9, 0.45, 0.05], [50, 50, 5, 50], 0.5),
    "nothing is sure": ([0.3, 0.3, 0.3, 0.01], [5, 5, 5, 100], 0.3),
}


@pytest.mark.parametrize(("likely", "size", "expected"), LIKELY.values(), ids=LIKELY)
def test_a_doubtful_block_is_kept_only_where_nothing_is_sure(
    likely: list[float], size: list[float], expected: float
) -> None:
    assert limit(np.array(likely), np.array(size, float)) == pytest.approx(expected)


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(1, 500)), min_size=1, max_size=40))
def test_at_least_the_likeliest_block_or_none_is_kept_and_never_one_below_the_limit(
    blocks: list[tuple[float, int]],
) -> None:
    likely, size = np.array([part[0] for part in blocks]), np.array([part[1] for part in blocks], float)
    assert 0 <= limit(likely, size) <= 0.5


def test_trees_are_walked_to_the_leaf_that_the_row_belongs_to() -> None:
    arrays = {
        "columns": np.array(["n", "density"]),
        "asks": np.array([0, 0, 1, 0, 0]),
        "limits": np.array([10.0, 0, 0.5, 0, 0]),
        "yes": np.array([1, 1, 3, 3, 4]),
        "no": np.array([2, 1, 4, 3, 4]),
        "values": np.array([0, -4.0, 0, 4.0, 0.0]),
        "roots": np.array([0]),
    }
    judge = Forest(arrays)
    asked = np.array([[10, 0.9], [11, 0.5], [11, 0.6]] * 400, np.float32)
    expected = [1 / (1 + np.exp(4)), 1 / (1 + np.exp(-4)), 0.5] * 400
    assert judge.likelihood(asked) == pytest.approx(expected)


def test_the_trained_forest_knows_every_column_it_asks_for() -> None:
    columns = features(page_of(f"<h1>Lamps</h1><p>{SENTENCE}</p>"), Hints(title="Lamps"))
    likely = forest().likelihood(rows(columns, forest().columns))
    assert likely.shape == (2,)
    assert set(forest().columns) <= columns.keys()


def test_columns_have_a_number_for_every_block_and_no_holes() -> None:
    page = page_of(f"<img src=a.png><p></p><table><tr><td>{SENTENCE}</td><td>灯</td></tr></table><p>...</p>")
    for name, column in features(page, Hints()).items():
        assert column.shape == (len(page.blocks),), name
        assert np.isfinite(column).all(), name


DOUBTFUL = 0.1
LINKED_HEAD = "<h5><a href=/>The nine finest lamps of the north, rated</a></h5>"
POST = "<div><div><h4 class=name>Ann</h4><p>Joined in May</p><p>240 posts so far</p></div><p>yes</p></div>"

MENDED = {
    "a heading above kept text": ("<h2>Oil</h2><p>yes</p><h2>Wick</h2><p>no</p>", [0, 1, 0, 0], [1, 1, 0, 0]),
    "headings above a heading": ("<h2>Oil</h2><h3>Whale</h3><p>yes</p>", [0, 0, 1], [1, 1, 1]),
    "a heading with small print": ("<h2>Oil</h2><p>posted today</p><p>yes</p>", [0, 0, 1], [1, 0, 1]),
    "a heading far above": ("<h2>Oil</h2>" + "<p>no</p>" * 4 + "<p>yes</p>", [0] * 5 + [1], [0] * 5 + [1]),
    "the rest of a list": ("<ul><li>one two<li>three<li>four</ul>", [1, 0, 0], [1, 1, 1]),
    "a list mostly left out": ("<ul><li>one<li>two three<li>four</ul>", [1, 0, 0], [1, 0, 0]),
    "a list in a menu": ("<nav><ul><li>one two<li>three</ul></nav>", [1, 0], [1, 0]),
    "code beside kept text": ("<p>yes</p><pre>run</pre><p>no</p>", [1, 0, 0], [1, 1, 0]),
    "a table after kept text": ("<p>yes</p><table><tr><th>a<td>b</table>", [1, 0, 0], [1, 1, 1]),
    "a table after other text": ("<p>no</p><table><tr><th>a<td>b</table>", [0, 0, 0], [0, 0, 0]),
    "a table of links": ("<p>yes</p><table><tr><th>a<td><a href=/>b c d e f g h</a></table>", [1, 0, 0], [1, 0, 0]),
    "a table among kept text": (
        f"<p>{SENTENCE * 3}</p><p>no</p><table><tr><th>a<td>b</table>",
        [1, 0, 0, 0],
        [1, 0, 1, 1],
    ),
    "a grid without head cells": (
        f"<p>{SENTENCE * 3}</p><table><tr><td>a<td>b<tr><td>c<td>d<tr><td>e<td>f</table>",
        [1, *[0] * 6],
        [1] * 7,
    ),
    "a table in a table that lays out a page": (
        f"<table><tr><td><p>{SENTENCE * 3}</p><table><tr><th>a<td>b</table><td><p>{SENTENCE * 4}</p></table>",
        [1, 0, 0, 0],
        [1, 1, 1, 0],
    ),
    "a table beside a menu": (
        f"<div><p>{SENTENCE * 3}</p></div><div><p>{SENTENCE * 3}</p><table><tr><th>a<td>b</table></div>",
        [1, 0, 0, 0],
        [1, 0, 0, 0],
    ),
    "a heading with much small print": (
        "<p>yes</p><h2>Oil</h2>" + "<p>no</p>" * 5 + "<p>yes</p>",
        [1, *[0] * 6, 1],
        [1, 1, *[0] * 5, 1],
    ),
    "a list under a kept heading": (
        f"<p>{SENTENCE * 3}</p><h2>Lamps</h2><ul><li><a href=/>one</a><li>two</ul>",
        [1, 1, 0, 0],
        [1, 1, 1, 1],
    ),
    "a list after a colon": (f"<p>{SENTENCE * 3} Lamps:</p><ul><li>one<li>two</ul>", [1, 0, 0], [1, 1, 1]),
    "a list after other text": (f"<p>{SENTENCE * 3}</p><ul><li>one<li>two</ul>", [1, 0, 0], [1, 0, 0]),
    "a list of related pages": (
        f"<p>{SENTENCE * 3}</p><h2>Related pages</h2><ul><li>one<li>two</ul>",
        [1, 1, 0, 0],
        [1, 1, 0, 0],
    ),
    "a list in a part of its own": (
        f"<p>{SENTENCE * 3}</p><div><h2>Lamps</h2><p>{SENTENCE * 3}</p><h3>Oil</h3><ul><li>one<li>two</ul></div>",
        [1, 0, 0, 1, 0, 0],
        [1, 0, 0, 1, 0, 0],
    ),
    "headings of a box that is left out": (
        f"<p>{SENTENCE}</p><div><h4>More lamps</h4>{LINKED_HEAD * 2}</div><p>{SENTENCE}</p>",
        [1, 0, 0, 0, 1],
        [1, 0, 0, 0, 1],
    ),
    "a headline above its date": (
        "<div><h1>Oil</h1><p>On 4 May, by Ann, in our harbour news</p></div><p>yes</p>",
        [0, 0, 1],
        [1, 0, 1],
    ),
    "who wrote each post": (POST * 3, [0, 0, 0, 1] * 3, [1, 0, 0, 1] * 3),
    "who wrote posts that are left out": (POST * 3, [0, 0, 0, 0] * 3, [0, 0, 0, 0] * 3),
    "code among kept text": (f"<p>{SENTENCE * 3}</p><p>no</p><pre>run</pre><p>no</p>", [1, 0, 0, 0], [1, 0, 1, 0]),
    "a table called navigation": ("<p>yes</p><table class=navbox><tr><th>a<td>b</table>", [1, 0, 0], [1, 0, 0]),
    "a table that lays out a page": (
        f"<table><tr><td><p>{SENTENCE * 9}</p><p>x</p><p>y</p><td><p>menu</p><p>menu</p></table>",
        [1, 0, 0, 0, 0],
        [1, 0, 0, 0, 0],
    ),
}


@pytest.mark.parametrize(("html", "kept", "expected"), MENDED.values(), ids=MENDED)
def test_what_belongs_to_kept_text_stays_with_it(html: str, kept: list[int], expected: list[int]) -> None:
    page = page_of(html)
    assert len(page.blocks) == len(kept)
    assert complete(page, [bool(keep) for keep in kept], [DOUBTFUL] * len(kept)) == [bool(keep) for keep in expected]


def test_a_heading_that_was_ruled_out_stays_out() -> None:
    page = page_of(f"<h2>Oil</h2><p>{SENTENCE}</p>")
    assert complete(page, [False, True], [0, 1]) == [False, True]
    assert complete(page, [False, True], [DOUBTFUL, 1]) == [True, True]


def test_a_likely_heading_among_kept_text_stays_though_nothing_below_it_does() -> None:
    page = page_of(f"<p>{SENTENCE * 3}</p><h2>Oil</h2><p>no</p><h2>Share this</h2><p>no</p>")
    kept = [True, False, False, False, False]
    assert complete(page, kept, [1, 0.4, 0, 0.4, 0]) == [True, True, False, False, False]
    assert complete(page, kept, [1, 0.2, 0, 0.2, 0]) == kept


WORDS = "one two three four five six seven eight"
PART = f"<div><p>{WORDS}</p><ul><li>{WORDS}<li>{WORDS}</ul></div>"
PARTS = {
    "in the middle": (f"<p>{SENTENCE * 9}</p>{PART}<p>{SENTENCE}</p>", 0.4, True),
    "as short as a caption": (f"<p>{SENTENCE * 9}</p><div><p>one</p><p>two</p></div><p>{SENTENCE}</p>", 0.4, False),
    "too unlikely": (f"<p>{SENTENCE * 9}</p>{PART}<p>{SENTENCE}</p>", 0.2, False),
    "at the end": (f"<p>{SENTENCE * 9}</p>{PART}", 0.4, False),
    "at the beginning": (f"{PART}<p>{SENTENCE * 9}</p>", 0.4, False),
    "in a short text": (f"<p>{SENTENCE}</p>{PART}<p>{SENTENCE}</p>", 0.4, False),
    "of links": (f"<p>{SENTENCE * 9}</p><a href=/>{PART}</a><p>yes</p>", 0.4, False),
}


@pytest.mark.parametrize(("html", "likely", "expected"), PARTS.values(), ids=PARTS)
def test_a_doubtful_part_stays_in_the_middle_of_a_text(html: str, likely: float, expected: bool) -> None:
    page = page_of(html)
    kept = [block.text.startswith(("The", "yes")) for block in page.blocks]
    mended = complete(page, kept, [1 if keep else likely for keep in kept])
    assert mended == [keep or expected for keep in kept]


def test_code_keeps_every_line_of_its_markup() -> None:
    lines = ["if (lamp) {", "  light();", "}"]
    page = page_of(f"<p>{SENTENCE}</p><pre><code>{''.join(f'<div>{line}</div>' for line in lines)}</code></pre>")
    assert [block.element.tag for block in page.blocks] == ["p", "pre"]
    prune(page, [True, True])
    assert [words(el) for el in page.elements[0].iter("div")] == [line.strip() for line in lines]


def test_a_heading_in_preformatted_text_is_a_block_of_its_own() -> None:
    page = page_of("<pre>menu<h2>Oil</h2>burns</pre>")
    assert [block.text.split() for block in page.blocks] == [["menu", "burns"], ["Oil"]]
    prune(page, [False, True])
    assert words(page.elements[0]) == "Oil"


def test_blocks_of_one_make_are_judged_more_alike() -> None:
    likely, size = np.array([0.9, 0.4, 0.4, 0.2]), np.ones(4)
    evened = even(likely, {KIND: np.array([1.0, 1, 1, 2])}, size)
    assert evened[:3] == pytest.approx((likely[:3] + likely[:3].mean()) / 2)
    assert evened[3] == likely[3]


def test_a_label_at_the_head_of_a_part_is_known_to_all_of_it() -> None:
    html = f"<p>{SENTENCE * 4}</p><div><div><b>Related</b></div><ul><li>Wicks<li>Oil</ul></div><p>{SENTENCE}</p>"
    columns = features(page_of(html), Hints())
    assert columns["box_says_related"].tolist() == [0, 1, 1, 1, 0]


def test_a_section_is_counted_without_its_heading() -> None:
    columns = features(page_of("<p>one</p><h2>Lamps</h2><p>two three</p><p>four</p><h2>Oil</h2>"), Hints())
    assert columns["section_n"].tolist() == [1, 3, 3, 3, 0]


def test_a_cell_without_words_keeps_its_place_in_its_row() -> None:
    page = page_of("<table><tr><td>2021<td><td>-<td>Tern<td><p>menu</p></table>")
    prune(page, [bool(block.tokens) and block.tokens != ["menu"] for block in page.blocks])
    cells = [words(el) for el in page.elements[0].iter("td")]
    assert cells == ["2021", "", "-", "Tern", ""]


def test_comments_are_told_by_the_name_of_their_part() -> None:
    page = page_of("<p class=commentary>no</p><div id=comments><p>yes</p></div><div class=comment-list>yes</div>")
    assert in_comments(page) == [False, True, True]


POSTS = "".join(f"<div class=post><p>{SENTENCE}</p></div>" for _ in range(5))
COMMENTS = f"<div id=comments>{POSTS.replace('class=post', 'class=comment')}</div>"
THREADS = {
    "posts": (POSTS, True),
    "two posts": ("".join(f"<div class=post>{SENTENCE}</div>" for _ in range(2)), False),
    "comments alone": (COMMENTS, True),
    "comments under an article": (f"<article><p>{SENTENCE}</p></article>{COMMENTS}", False),
    "posts in little of the text": (POSTS + f"<p>{SENTENCE * 9}</p>", False),
}


@pytest.mark.parametrize(("html", "expected"), THREADS.values(), ids=THREADS)
def test_a_thread_is_told_by_its_posts(html: str, expected: bool) -> None:
    assert is_thread(tree(html), []) is expected


def test_a_thread_is_told_by_what_the_page_says_of_itself() -> None:
    assert is_thread(tree(f"<p>{SENTENCE}</p>"), [{"@type": "QAPage"}])


TAGS = st.sampled_from(["div", "p", "ul", "li", "table", "tr", "td", "th", "h2", "pre", "a href=/x", "nav", "b", "br"])
PIECES = st.lists(st.one_of(TAGS.map(lambda tag: f"<{tag}>"), st.just(SENTENCE), st.just("</div>")), max_size=60)


@settings(max_examples=60, deadline=None)
@given(PIECES)
def test_any_markup_is_chosen_from_and_no_word_is_invented(pieces: list[str]) -> None:
    root = tree("<body>" + "".join(pieces) + f"<p>{SENTENCE * 8}</p>")
    before = set(words(body(root)).split())
    assert set(words(main_content(root, [])).split()) <= before | {""}
