"""Heads and feet of PDF pages go; rows that only look like them stay."""

from collections.abc import Callable

import pytest

from gossamer.extractors.pdf.page_text import Line
from gossamer.extractors.pdf.reader import without_running_headers


def line(text: str, left: float, top: float, size: float = 10) -> Line:
    return Line(left, left + 6 * len(text), top - size, top, size, text)


def texts(pages: list[list[Line]]) -> list[list[str]]:
    return [[one.text for one in page] for page in without_running_headers(pages, below=11.3)]


FEET: dict[str, Callable[[int], str]] = {
    "the same words": lambda _: "Yearbook",
    "a bare number": lambda n: f"- {n + 1} -",
    "a number that began elsewhere": lambda n: f"{n + 37}",
    "a number before its head": lambda n: f"{n + 2} Chapter of rivers",
    "of so many": lambda n: f"Page {n + 1} of 9",
    "roman": lambda n: ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")[n],
}


@pytest.mark.parametrize("foot", FEET.values(), ids=FEET)
@pytest.mark.parametrize("top", [800, 30])
def test_what_runs_through_the_pages_goes_with_its_number(foot: Callable[[int], str], top: float) -> None:
    pages = [[line(f"Text {n * n} differs", 50, 400), line(foot(n), 50, top)] for n in range(9)]
    assert texts(pages) == [[f"Text {n * n} differs"] for n in range(9)]


def test_two_pages_are_too_few_to_tell() -> None:
    pages = [[line("Yearbook", 50, 800), line(f"Text {n}", 50, 400)] for n in range(2)]
    assert texts(pages) == [["Yearbook", f"Text {n}"] for n in range(2)]


def test_every_row_of_a_table_over_many_pages_stays() -> None:
    def row(n: int, at: int) -> list[Line]:
        top = 780 - 18 * at
        return [line("2026-05-02", 50, top), line(f"Card payment {1001 + n}", 150, top), line("1.25", 400, top)]

    pages = [[cell for at in range(40) for cell in row(40 * page + at, at)] for page in range(5)]
    assert texts(pages) == [[one.text for one in page] for page in pages]


def test_a_foot_below_such_a_table_goes() -> None:
    pages = [
        [line(f"{n * 7 + at} apples", 50, 780 - 18 * at) for at in range(30)] + [line(f"Page {n}", 50, 20)]
        for n in range(5)
    ]
    assert texts(pages) == [[one.text for one in page[:-1]] for page in pages]


def test_what_is_large_may_be_a_title_and_a_page_is_never_emptied() -> None:
    pages = [[line("Slides", 50, 800, 20)] for _ in range(5)]
    assert texts(pages) == [["Slides"]] * 5
    assert texts([[line("Draft", 50, 800)] for _ in range(5)]) == [["Draft"]] * 5


def test_large_letters_go_at_the_foot_and_where_nearly_all_pages_have_them() -> None:
    def pages(count: int, titles: int) -> list[list[Line]]:
        return [
            [line(f"Text {n * n}", 50, 400), line("Large" if n < titles else f"Other {n * n}", 50, 800, 20)]
            for n in range(count)
        ]

    assert texts(pages(6, 6)) == [[f"Text {n * n}"] for n in range(6)]
    assert texts(pages(6, 3)) == [[one.text for one in page] for page in pages(6, 3)]
    feet = [
        [line(f"Text {n * n}", 50, 400), line(f"Head {n * n}", 50, 800), line("Foot", 50, 30, 20)] for n in range(4)
    ]
    assert texts(feet) == [[one.text for one in page[:2]] for page in feet]


def test_a_crowd_of_lines_in_one_row_is_no_head() -> None:
    pages = [[line("x", 3.0 * at, 800) for at in range(200)] for _ in range(4)]
    assert texts(pages) == [["x"] * 200] * 4
