"""Tables: every cell in its row, spans filled, and no more of them than a reader can use."""

from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tests.unit.extractors.html.markdown.test_renderer import written

TABLES = {
    "with a header": (
        "<table><thead><tr><th>Gate<th>Width</thead><tr><td>North<td>12 m</table>",
        "| Gate | Width |\n| --- | --- |\n| North | 12 m |",
    ),
    "header cells without a head": (
        "<table><tr><th>Gate<th>Width<tr><td>North<td>12 m</table>",
        "| Gate | Width |\n| --- | --- |\n| North | 12 m |",
    ),
    "without a header": (
        "<table><tr><td>North<td>12 m<tr><td>South<td>9 m</table>",
        "|  |  |\n| --- | --- |\n| North | 12 m |\n| South | 9 m |",
    ),
    "a caption": (
        "<table><caption>Gates</caption><tr><th>a<th>b<tr><td>1<td>2</table>",
        "Gates\n\n| a | b |\n| --- | --- |\n| 1 | 2 |",
    ),
    "columns spanned": (
        "<table><tr><th>a<th>b<th>c<tr><td>1<td colspan=2>2</table>",
        "| a | b | c |\n| --- | --- | --- |\n| 1 | 2 | 2 |",
    ),
    "rows spanned": (
        "<table><tr><th>a<th>b<tr><td rowspan=2>1<td>2<tr><td>3</table>",
        "| a | b |\n| --- | --- |\n| 1 | 2 |\n| 1 | 3 |",
    ),
    "a row spanned whole": (
        "<table><tr><th>a<th>b<tr><td colspan=2>All<tr><td>1<td>2</table>",
        "| a | b |\n| --- | --- |\n| All |\n| 1 | 2 |",
    ),
    "signs of its own": (
        "<table><tr><th>a<th>b<tr><td>x|y<td><code>p|q</code></table>",
        "| a | b |\n| --- | --- |\n| x\\|y | `p\\|q` |",
    ),
    "blocks in a cell": (
        "<table><tr><th>a<th>b<tr><td><p>x</p><p>y</p><td><ul><li>p<li>q</ul></table>",
        "| a | b |\n| --- | --- |\n| x<br>y | p<br>q |",
    ),
    "a break in a cell": (
        "<table><tr><th>a<th>b<tr><td>x<br>y<td>z</table>",
        "| a | b |\n| --- | --- |\n| x<br>y | z |",
    ),
    "a heading as a cell": (
        "<table><tr><th><h3>a</h3><th><h3>b</h3><tr><td>1<td>2</table>",
        "| a | b |\n| --- | --- |\n| 1 | 2 |",
    ),
    "code of one line in a cell": (
        "<table><tr><th>a<th>b<tr><td><pre>x = 1</pre><td>2</table>",
        "| a | b |\n| --- | --- |\n| `x = 1` | 2 |",
    ),
    "code in a cell with its blanks": (
        "<table><tr><th>a<th>b<tr><td><pre>  x  =  1</pre><td>2</table>",
        "| a | b |\n| --- | --- |\n| `  x  =  1` | 2 |",
    ),
    "code of several lines in a cell": (
        (
            "<table><tr><th>Sign<th>Meaning<tr><td>a<td>adds<tr><td>b<td>Builds: "
            "<pre>if `x|y`\n\n\ty()</pre> at once</table>"
        ),
        (
            "| Sign | Meaning |\n| --- | --- |\n| a | adds |\n"
            "| b | Builds:<br>`` if `x\\|y` ``<br><br>`\ty()`<br>at once |"
        ),
    ),
    "code in even rows without a header": (
        "<table><tr><td>add<td>one<tr><td>build<td>all of it:<pre>x\ny</pre><tr><td>close<td>two</table>",
        "|  |  |\n| --- | --- |\n| add | one |\n| build | all of it:<br>`x`<br>`y` |\n| close | two |",
    ),
    "a quote and a term in cells": (
        "<table><tr><th>a<th>b<tr><td><blockquote>q</blockquote><td><dl><dt>t<dd>m</dl></table>",
        "| a | b |\n| --- | --- |\n| q | **t**<br>m |",
    ),
    "empty columns and rows": (
        "<table><tr><th>a<th><th>b<tr><td><td><td><tr><td>1<td><td>2</table>",
        "| a | b |\n| --- | --- |\n| 1 | 2 |",
    ),
    "a small table in a cell": (
        (
            "<table><tr><th>Gate<th>Sizes of all its parts<tr><td>North, the old one<td>"
            "<table><tr><td>12<td>13</table><tr><td>South<td>nine</table>"
        ),
        "| Gate | Sizes of all its parts |\n| --- | --- |\n| North, the old one | 12<br>13 |\n| South | nine |",
    ),
    "cells without rows": ("<table><td>a<td>b</table>", "|  |  |\n| --- | --- |\n| a | b |"),
    "text between cells": (
        "<table>x<tr>y<td>a<td>b</tr>z<tr><td>c<td>d</table>",
        "x y z\n\n|  |  |\n| --- | --- |\n| a | b |\n| c | d |",
    ),
    "a foot": (
        "<table><thead><tr><th>a<th>b</thead><tfoot><tr><td>s<td>t</tfoot></table>",
        "| a | b |\n| --- | --- |\n| s | t |",
    ),
}


@pytest.mark.parametrize(("page", "text"), TABLES.values(), ids=TABLES)
def test_a_table_of_data_keeps_every_cell_in_its_row(page: str, text: str) -> None:
    assert written(page) == text


CODE = st.text(st.sampled_from("ab `|<*\\\t"), min_size=1).map(str.rstrip).filter(bool)


@given(st.lists(CODE, min_size=1, max_size=4))
def test_a_reader_finds_the_code_of_a_cell_as_it_was(lines: list[str]) -> None:
    code = "\n".join(lines)
    text = written(f"<table><tr><th>Sign<th>{LONG}<tr><td>a<td>b<tr><td>c<td><pre>\n{escape(code)}</pre></table>")
    inside = [token for token in MarkdownIt().enable("table").parse(text) if token.type == "inline"][-1]
    assert [part.content for part in inside.children or () if part.type == "code_inline"] == lines


def test_code_in_a_cell_of_plain_text_stays_on_the_line_of_its_row() -> None:
    page = "<table><tr><th>Sign<th>Meaning<tr><td>a<td>adds<tr><td>b<td>Builds: <pre>x:\n\n\ty()</pre></table>"
    assert written(page, "text") == "Sign\tMeaning\na\tadds\nb\tBuilds:; x:;     y()"


LONG = "The keeper lights the lamp at dusk and puts it out at dawn. " * 10
LISTING = "\n".join(f"x = {at}" for at in range(11))
ARRANGED = {
    "says so": ('<table role="presentation"><tr><td>a<td>b<tr><td>c<td>d</table>', "a\n\nb\n\nc\n\nd"),
    "one column": ("<table><tr><td>a<tr><td>b</table>", "a\n\nb"),
    "a column beside a text": (f"<table><tr><td>Menu<td>{LONG}</table>", f"Menu\n\n{LONG.strip()}"),
    "a heading over text": (
        "<table><tr><td><h2>Gates</h2><p>Old ones.</p><td>x</table>",
        "## Gates\n\nOld ones.\n\nx",
    ),
    "code of several lines": (
        "<table><tr><td>a<td><pre>x\n  y</pre></table>",
        "a\n\n```\nx\n  y\n```",
    ),
    "mostly code": (
        "<table><tr><th>a<th>b<tr><td>1<td>2<tr><td>3<td><pre>x = 1\n  y</pre></table>",
        "a\n\nb\n\n1\n\n2\n\n3\n\n```\nx = 1\n  y\n```",
    ),
    "a long listing": (
        f"<table><tr><th>a<th>b<tr><td>1<td>2<tr><td>{LONG}<td><pre>{LISTING}</pre></table>",
        f"a\n\nb\n\n1\n\n2\n\n{LONG.strip()}\n\n```\n{LISTING}\n```",
    ),
    "code in uneven rows without a header": (
        "<table><tr><td>Gates<tr><td>old<td>Built of stone.<pre>x\ny</pre><tr><td>end</table>",
        "Gates\n\nold\n\nBuilt of stone.\n\n```\nx\ny\n```\n\nend",
    ),
    "code in a table in a cell": (
        (
            "<table><tr><th>Gate<th>Made<tr><td>North gate<td>of stone<tr><td>The southern gate, which is old<td>"
            "<table><tr><th>a<th>b<tr><td>c<td>d<tr><td>Built of<td>this:<pre>x\ny</pre></table></table>"
        ),
        (
            "Gate\n\nMade\n\nNorth gate\n\nof stone\n\nThe southern gate, which is old\n\n"
            "| a | b |\n| --- | --- |\n| c | d |\n| Built of | this:<br>`x`<br>`y` |"
        ),
    ),
    "round another table": (
        "<table><tr><td>Top<td><table><tr><th>Gate<th>Width<tr><td>North gate<td>12 metres</table></table>",
        "Top\n\n| Gate | Width |\n| --- | --- |\n| North gate | 12 metres |",
    ),
}


@pytest.mark.parametrize(("page", "text"), ARRANGED.values(), ids=ARRANGED)
def test_a_table_that_only_arranges_the_page_is_unfolded(page: str, text: str) -> None:
    assert written(page) == text


@pytest.mark.parametrize(
    "span", ['colspan="1000"', 'rowspan="60000"', 'colspan="1000" rowspan="60000"', 'colspan="1e9"']
)
def test_spans_without_measure_fill_no_more_than_a_page_may(span: str) -> None:
    rows = f"<tr><td {span}>ab</td><td {span}>cd</td></tr>" * 2_000
    text = written(f"<table>{rows}</table>")
    assert text.count("ab") >= 2_000
    assert len(text) < 500_000


@pytest.mark.parametrize("times", [1, 5])
def test_a_long_text_is_not_said_again_in_the_cells_it_spans(times: int) -> None:
    long = "The keeper lights the lamp at dusk. " * times
    text = written(f"<table><tr><th>a<th>b<th>c<tr><td>1<td colspan=2>{long}<tr><td>1<td>2<td>3</table>")
    assert text.count(long.strip()) == 1


def test_a_title_that_spans_rows_is_said_in_each() -> None:
    title = "The keeper lights the lamp at dusk."
    text = written(f"<table><tr><th>a<th>b<tr><td rowspan=2>{title}<td>1<tr><td>2</table>")
    assert text.endswith(f"| {title} | 1 |\n| {title} | 2 |")


def test_a_long_table_comes_whole() -> None:
    rows = "".join(f"<tr><td>k{at}</td><td>v{at}</td></tr>" for at in range(20_000))
    lines = written(f"<table>{rows}</table>").splitlines()
    assert lines[2:] == [f"| k{at} | v{at} |" for at in range(20_000)]


def test_a_row_that_is_too_wide_says_how_many_cells_it_lacks() -> None:
    cells = "".join(f"<td>c{at}</td>" for at in range(503))
    last = written(f"<table><tr>{cells}</tr><tr>{cells}</tr></table>").splitlines()[-1]
    assert last.endswith("| c498 | c499 (and 3 more cells) |")
