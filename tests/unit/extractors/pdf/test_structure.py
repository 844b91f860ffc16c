from hypothesis import given
from hypothesis import strategies as st

from gossamer.extractors.pdf.page_text import Line
from gossamer.extractors.pdf.reading_order import reading_order
from gossamer.extractors.pdf.structure import Sizes, page_html

PROSE = "A line of ordinary text that goes on for quite a while, as lines do."


def line(text: str, left: float, top: float, *, size: float = 10.0, **more: object) -> Line:
    width = 0.5 * size * len(text)
    return Line(left, left + width, top - size, top, size, text)._replace(**more)  # pyright: ignore[reportArgumentType]


def laid_out(*lines: Line) -> str:
    return page_html(lines, Sizes([lines]))


def test_a_hyphened_word_is_whole_again_and_scripts_without_spaces_get_none() -> None:
    assert laid_out(line("The light", 50, 700, is_hyphened=True), line("house stands.", 50, 688)) == (
        "<p>The lighthouse stands.</p>"
    )
    assert laid_out(line("灯台の", 50, 700), line("明かり", 50, 688)) == "<p>灯台の明かり</p>"


def test_a_gap_or_an_indent_begins_a_paragraph() -> None:
    text = [line(PROSE, 50, 700 - 12 * n) for n in range(3)]
    assert laid_out(*text, line(PROSE, 50, 600)).count("<p>") == 2
    assert laid_out(*text, line(PROSE, 70, 664)).count("<p>") == 2
    assert laid_out(*text, line(PROSE, 50, 664)).count("<p>") == 1


def test_a_cell_that_goes_on_below_stays_in_its_row() -> None:
    rows = [("Port", "What is said of it"), ("Rye", "A harbour that the"), ("Deal", "None")]
    lines = [
        line(cell, left, 700 - 24 * n) for n, row in enumerate(rows) for left, cell in zip((50, 200), row, strict=True)
    ]
    lines.insert(4, line("sea has left", 200, 664))
    assert laid_out(*lines) == (
        "<table><tr><th>Port</th><th>What is said of it</th></tr>"
        "<tr><td>Rye</td><td>A harbour that the sea has left</td></tr><tr><td>Deal</td><td>None</td></tr></table>"
    )


def test_two_stretches_in_one_row_are_no_table_and_keep_their_links() -> None:
    link = ((0, 4, "https://a.example/?a=1&b=2"),)
    html = laid_out(line("Left", 50, 700), line("Here it is", 300, 700, links=link))
    assert html == '<p>Left <a href="https://a.example/?a=1&amp;b=2">Here</a> it is</p>'


def test_the_sign_of_an_item_goes_and_its_link_stays_in_place() -> None:
    item = line("• See it", 50, 700, links=((2, 5, "https://a.example/"),))
    assert laid_out(item) == '<ul><li><a href="https://a.example/">See</a> it</li></ul>'


def test_large_signs_of_a_formula_are_no_headings() -> None:
    text = [line(PROSE, 50, 700 - 12 * n) for n in range(5)]
    assert "<h" not in laid_out(*text, line("∑ x =", 50, 600, size=20), line("4.2", 50, 560, size=20))
    assert "<h3>Results</h3>" in laid_out(*text, line("Results", 50, 600, size=20))


def test_a_document_all_in_large_letters_has_no_headings() -> None:
    lines = [line("Large words here", 50, 700 - 30 * n, size=20 if n % 2 else 10) for n in range(8)]
    assert "<h" not in laid_out(*lines)


def test_a_stamp_along_the_edge_is_left_out() -> None:
    stamp = Line(10, 22, 200, 600, 10, "Published somewhere, once")
    assert laid_out(line("Words.", 50, 700), stamp) == "<p>Words.</p>"


def test_columns_of_a_script_from_the_right_are_read_from_the_right() -> None:
    right = [line("שורה של טקסט בעברית בטור ימני", 320, 700 - 12 * n) for n in range(5)]
    left = [line("שורה של טקסט בעברית בטור שמאלי", 50, 700 - 12 * n) for n in range(5)]
    assert reading_order([*right, *left]) == [*right, *left]
    assert reading_order([*left, *right]) == [*right, *left]


def test_labels_of_a_drawing_keep_the_order_of_their_file() -> None:
    labels = [line("axis", 60, 560), line("zero", 60, 500), line("lamp", 45, 580), line("legend", 70, 520)]
    assert reading_order(labels) == labels


def test_a_crowd_of_lines_keeps_the_order_of_its_file() -> None:
    lines = [line("x", 50, float(n)) for n in range(2_000)]
    assert reading_order(lines) == lines


LINES = st.builds(
    lambda left, top, text: line(text, left, top),
    st.floats(0, 600),
    st.floats(0, 800),
    st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=40),
)


@given(st.lists(LINES, max_size=40))
def test_no_line_is_lost_or_told_twice_whatever_its_place(lines: list[Line]) -> None:
    assert sorted(reading_order(lines)) == sorted(lines)


@given(st.lists(LINES, max_size=25))
def test_every_word_of_a_page_is_told(lines: list[Line]) -> None:
    html = laid_out(*lines)
    assert all(one.text in html for one in lines)
