"""Chunks fall into sentences, rows and lines; what a row or line cannot be understood without goes before it."""

from itertools import pairwise

import pytest
from hypothesis import given, settings

from gossamer.steps.chunk import chunk
from gossamer.steps.grains import Grain, grains
from gossamer.steps.tokens import DOUBT, count
from tests.unit.steps.test_chunk import HOSTILE, PAGES, URL


def said(text: str, size: int = 128) -> list[tuple[str, str]]:
    return [(text[each.start : each.end], each.lead) for each in grains(chunk(URL, text, size=size))]


ROWS = [f"| row {number} with a name | value {number} |" for number in range(20)]
HEADER = "| name | value |\n|:---|---:|"
TABLE = "\n".join((HEADER, *ROWS))
CODE = "\n".join(("```python", *(f"    call({number}, argument)" for number in range(20)), "```"))

CASES = {
    "sentences": ("One here. Two here.\n\nThree.", [("One here.", ""), ("Two here.", ""), ("Three.", "")]),
    "a heading": ("# A\n\nText.", [("# A", ""), ("Text.", "")]),
    "an item by its sentences": ("- One here. Two\n  goes on.", [("- One here.", ""), ("Two\n  goes on.", "")]),
    "a small table is whole": ("| a | b |\n|---|---|\n| 1 | 2 |", [("| a | b |\n|---|---|\n| 1 | 2 |", "")]),
    "small code is whole": ("```\nx = 1\n\ny = 2\n```", [("```\nx = 1\n\ny = 2\n```", "")]),
    "after code": ("```\nx\n```\nText.", [("```\nx\n```", ""), ("Text.", "")]),
    "nothing": ("", []),
}


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES)
def test_what_a_grain_is(text: str, expected: list[tuple[str, str]]) -> None:
    assert said(text) == expected


def test_rows_of_a_long_table_have_its_header_before_them() -> None:
    found = said(f"Before.\n\n{TABLE}\n\nAfter.", size=60)
    assert found[0] == ("Before.", "")
    assert found[1:3] == [(line, "") for line in HEADER.split("\n")]
    assert found[3:-1] == [(row, HEADER) for row in ROWS]
    assert found[-1] == ("After.", "")


def test_lines_of_long_code_have_its_opening_before_them() -> None:
    opening, *lines = CODE.split("\n")
    found = said(f"{CODE}\n\nAfter.", size=60)
    assert found == [(opening, ""), *((line, "```python") for line in lines), ("After.", "")]


def test_two_tables_keep_their_own_headers() -> None:
    other = TABLE.replace("name", "title")
    leads = [lead for text, lead in said(f"{TABLE}\n\n{other}", size=60) if "row" in text]
    assert leads == [HEADER] * 20 + [HEADER.replace("name", "title")] * 20


def test_a_table_without_a_header_or_with_a_long_one_repeats_nothing() -> None:
    assert {lead for _, lead in said("\n".join(ROWS), size=60)} == {""}
    wide = f"| {'long ' * 100} | b |\n|---|---|\n" + "\n".join(ROWS)
    assert {lead for _, lead in said(wide, size=60)} == {""}


def assert_whole(text: str, found: list[Grain]) -> None:
    at = 0
    for each in found:
        assert at <= each.start < each.end
        assert not text[at : each.start].strip()
        at = each.end
    assert not text[at:].strip()


@settings(deadline=None)
@given(PAGES)
def test_grains_hold_everything_in_order_and_lie_in_their_chunks(text: str) -> None:
    chunks = chunk(URL, text, size=40)
    found = grains(chunks)
    assert_whole(text, found)
    assert all(left.chunk <= right.chunk for left, right in pairwise(found))
    for each in found:
        assert chunks[each.chunk].start <= each.start
        assert each.end <= chunks[each.chunk].end
        assert count(text[each.start : each.end]) <= 128
        assert each.tokens <= count(text[each.start : each.end]) <= each.tokens + DOUBT + 1


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_page_made_to_be_hard_falls_into_grains_all_the_same(text: str) -> None:
    assert_whole(text, grains(chunk(URL, text)))


def test_a_page_of_too_many_sentences_is_ranked_by_its_chunks() -> None:
    chunks = chunk(URL, "One here. Two here. " * 40, size=40)
    assert [(each.start, each.end, each.chunk) for each in grains(chunks, most=79)] == [
        (each.start, each.end, number) for number, each in enumerate(chunks)
    ]
    assert len(grains(chunks, most=80)) == 80


@pytest.mark.parametrize("columns", [10, 13, 16])
def test_a_table_of_many_columns_has_its_header_before_its_rows(columns: int) -> None:
    names = [f"Number of {word}s" for word in ("platform", "passenger", "bicycle", "ticket", "school", "garden") * 3]
    header = f"| {' | '.join(names[:columns])} |\n|{' --- |' * columns}"
    rows = [f"| {' | '.join(str(n * 31 + m) for m in range(columns))} |" for n in range(40)]
    found = said("\n".join((header, *rows)))
    assert {lead for text, lead in found if text in rows} == {header}
