"""Chunks fall into sentences, rows and lines; what a row or line cannot be understood without goes before it."""

from itertools import pairwise

import pytest
from hypothesis import given, settings

from gossamer.steps.retrieval.chunk import chunk
from gossamer.steps.retrieval.index import RankUnit, rank_units
from gossamer.steps.tokens.count import DOUBT, count
from tests.unit.steps.retrieval.test_chunk import HOSTILE, PAGES, URL


def said(text: str, size: int = 128) -> list[tuple[str, str]]:
    return [(text[each.start : each.end], each.lead) for each in rank_units(chunk(URL, text, size=size))]


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
def test_what_a_unit_is(text: str, expected: list[tuple[str, str]]) -> None:
    assert said(text) == expected


def test_a_paragraph_without_signs_falls_into_phrases() -> None:
    text = " ".join(["เรือข้ามฟากลำที่หนึ่งออกจากท่าตอนเที่ยงทุกวัน"] * 5)
    assert count(text) < 128, "it is not cut because it is long"
    found = [each for each, _ in said(text)]
    assert len(found) == 2
    assert " ".join(found) == text


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


def test_a_table_without_a_header_repeats_nothing() -> None:
    assert {lead for _, lead in said("\n".join(ROWS), size=60)} == {""}


YEARS = "| port | 2024 | 2025 |"
RULE = "| --- | --- | --- |"


@pytest.mark.parametrize("before", range(0, 60, 3))
def test_where_the_header_is_empty_the_first_row_has_the_names_of_the_columns(before: int) -> None:
    """Wherever a chunk ends: before the table, within its header, or between that and the first row."""
    rows = [f"| port {n} | {n * 31} | {n * 37} |" for n in range(20)]
    text = "\n".join((f"{'word ' * before}end.", "", "|  |  |  |", RULE, YEARS, *rows, "", "After."))
    for found in (said(text, size=60), said(text, size=128)):
        assert {lead for text, lead in found if text in rows} == {f"{YEARS}\n{RULE}"}
        assert {lead for text, lead in found if text not in rows} == {""}


def test_where_the_header_of_two_columns_is_empty_the_first_row_is_a_fact() -> None:
    assert {lead for _, lead in said("\n".join(("|  |  |", "| --- | --- |", *ROWS)), size=60)} == {""}


def test_a_table_that_ends_below_its_empty_header_leads_nothing() -> None:
    after = "A paragraph that is not so short that it would stand in the chunk of the table. " * 3
    text = f"{'word ' * 48}end.\n\n|  |  |  |\n{RULE}\n{after}"
    assert {lead for _, lead in said(text, size=60)} == {""}


def rows_without(lead: str, found: list[tuple[str, str]]) -> list[str]:
    """The rows that the lead does not stand before."""
    return [text for text, before in found if text in ROWS and before != lead]


@pytest.mark.parametrize("words", [50, 110, 118, 119, 120, 121, 180, 1000])
@pytest.mark.parametrize("size", [60, 128])
def test_a_long_cell_takes_the_header_from_no_later_row(words: int, size: int) -> None:
    long = f"| row | {'word ' * words}| and {'more ' * (words // 2)}|\n"
    header = "| name | value | note |\n|:---|---:|---|"
    text = "\n".join((header, ROWS[0], long + "\n".join(ROWS[1:]), "", "After all."))
    found = said(text, size=size)
    assert rows_without(header, found) == []
    assert {lead for text, lead in found if text.startswith("word ")} <= {header}
    assert found[-1] == ("After all.", "")


def test_cells_that_hold_pipes_and_marks_of_other_blocks_keep_the_header_too() -> None:
    hard = f"| a | {'x ' * 50}# - 1. ``` a\\|b " + "y\\| " * 200 + "|\n"
    assert rows_without(HEADER, said(f"{HEADER}\n{hard}" + "\n".join(ROWS), size=60)) == []


def test_what_follows_a_table_after_one_line_break_has_no_header_before_it() -> None:
    text = "\n".join((TABLE, "A paragraph of its own, not so short that it would stand in the chunk of a row. " * 3))
    assert {lead for text, lead in said(text, size=60) if "paragraph" in text} == {""}


@pytest.mark.parametrize("columns", [2, 14, 24])
@pytest.mark.parametrize("size", [100, 128, 512])
def test_a_header_longer_than_a_chunk_is_shortened_and_not_lost(columns: int, size: int) -> None:
    names = [f"Number {n} of passengers and bicycles carried in [the year](https://a.test/{n})" for n in range(columns)]
    header = f"| {' | '.join(names)} |\n|{' --- |' * columns}"
    rows = [f"| {' | '.join(str(n * 31 + m) for m in range(columns))} |" for n in range(40)]
    text = "\n".join((header, *rows))
    (lead,) = {lead for text, lead in said(text, size=size) if text in rows[1:]}
    assert count(lead) <= 160
    first, rule = lead.split("\n")
    assert first.count("|") == rule.count("|") == columns + 1
    assert [name.strip()[:2] for name in first.strip("|").split("|")] == ["Nu"] * columns
    assert columns > 2 or lead == header


def test_a_header_of_hundreds_of_columns_is_none() -> None:
    wide = f"|{' name |' * 300}\n|{'---|' * 300}\n" + "\n".join(f"|{' 1 |' * 300}" for _ in range(9))
    assert {lead for _, lead in said(wide)} == {""}


@pytest.mark.parametrize("rule", ["", "\nno rule", "\n" * 3 + "|---|---|"])
def test_a_long_first_row_without_a_rule_is_no_header(rule: str) -> None:
    first = f"| {'long ' * 400}| b |{rule}\n" + "\n".join(ROWS)
    assert {lead for text, lead in said(first) if text in ROWS} == {""}


def test_rows_and_lines_have_their_lead_in_larger_chunks_as_well() -> None:
    found = said(f"{TABLE}\n\n{CODE}", size=1024)
    assert rows_without(HEADER, found) == []
    assert {lead for text, lead in found if "call(" in text} == {"```python"}


def test_an_opening_of_code_without_end_is_shortened() -> None:
    lines = "\n".join(f"call({number}, argument)" for number in range(60))
    assert {lead for text, lead in said(f"``` {'word ' * 400}\n{lines}\n```") if "call(" in text} == {"```"}
    ticks = "`" * 2000
    assert {lead for text, lead in said(f"{ticks} {'word ' * 400}\n{lines}\n{ticks}") if "call(" in text} == {""}


def by_chunk(text: str, size: int = 60) -> list[tuple[str, str]]:
    """As a page of too many sentences is ranked."""
    return [(text[each.start : each.end], each.lead) for each in rank_units(chunk(URL, text, size=size), most=1)]


def test_the_chunks_of_a_page_of_too_many_rows_have_their_header_before_them() -> None:
    long = f"| row | {'word ' * 300}|"
    found = by_chunk("\n".join(("Before.", "", TABLE, long, *ROWS, "", f"After. {'More words. ' * 60}")))
    assert {lead for text, lead in found if text.startswith("| row")} == {HEADER}
    assert {lead for text, lead in found if text.startswith(" word")} == {HEADER}
    assert {lead for text, lead in found if text.startswith(("Before.", "More"))} == {""}


def test_the_chunks_of_a_page_of_too_many_lines_have_the_opening_of_their_code_before_them() -> None:
    found = by_chunk(f"Before.\n\n{CODE}\n\n{TABLE}\n\n{CODE.replace('python', 'ruby')}\n\n{'More words. ' * 60}")
    assert {lead for text, lead in found if text.startswith("    call(")} == {"```python", "```ruby"}
    assert {lead for text, lead in found if text.startswith("| row")} == {HEADER}
    assert {lead for text, lead in found if text.startswith("More")} == {""}


def test_a_page_of_thirteen_thousand_rows_has_its_header_everywhere() -> None:
    rows = "\n".join(f"| station {number} | {number * 7} |" for number in range(13_000))
    chunks = chunk(URL, f"{HEADER}\n{rows}")
    found = rank_units(chunks)
    assert len(found) == len(chunks)
    assert [each.lead for each in found] == ["", *[HEADER] * (len(found) - 1)]


def assert_whole(text: str, found: list[RankUnit]) -> None:
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
    found = rank_units(chunks)
    assert_whole(text, found)
    assert all(left.chunk <= right.chunk for left, right in pairwise(found))
    for each in found:
        assert chunks[each.chunk].start <= each.start
        assert each.end <= chunks[each.chunk].end
        assert count(text[each.start : each.end]) <= 128
        assert each.tokens <= count(text[each.start : each.end]) <= each.tokens + DOUBT + 1


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_page_made_to_be_hard_falls_into_grains_all_the_same(text: str) -> None:
    chunks = chunk(URL, text)
    assert_whole(text, rank_units(chunks))
    assert_whole(text, rank_units(chunks, most=1))


def test_a_page_of_too_many_sentences_is_ranked_by_its_chunks() -> None:
    chunks = chunk(URL, "One here. Two here. " * 40, size=40)
    assert [(each.start, each.end, each.chunk) for each in rank_units(chunks, most=79)] == [
        (each.start, each.end, number) for number, each in enumerate(chunks)
    ]
    assert len(rank_units(chunks, most=80)) == 80


@pytest.mark.parametrize("columns", [10, 13, 16])
def test_a_table_of_many_columns_has_its_header_before_its_rows(columns: int) -> None:
    names = [f"Number of {word}s" for word in ("platform", "passenger", "bicycle", "ticket", "school", "garden") * 3]
    header = f"| {' | '.join(names[:columns])} |\n|{' --- |' * columns}"
    rows = [f"| {' | '.join(str(n * 31 + m) for m in range(columns))} |" for n in range(40)]
    found = said("\n".join((header, *rows)))
    assert {lead for text, lead in found if text in rows} == {header}
