from hashlib import sha256
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.model.page import Chunk
from gossamer.steps.retrieval.chunk import MAX_CHUNKS, chunk, with_headings
from gossamer.steps.tokens.count import count

URL = "https://example.org/page"

LINES = st.sampled_from(
    [
        "",
        "   ",
        "# One",
        "## Two ##",
        "   ### Three",
        "#no heading",
        "####### seven",
        "#",
        "```",
        "````python",
        "~~~",
        "    indented(code)",
        "| a | b |",
        "|---|---|",
        "- an item",
        "  12. a nested one",
        "---",
        "> quoted",
        "A sentence. And another one, longer than the first; with clauses!",
        "wrapped at the end  ",
        "これは文です。次の文も短い。",
        "ภาษาไทยไม่มีช่องว่างระหว่างคำ",
        "x" * 300,
        "\r",
        "\u2028\x1c",
    ]
)
PAGES = st.lists(LINES, max_size=40).map("\n".join) | st.text(max_size=200)


def texts(text: str, size: int = 128) -> list[str]:
    return [each.text for each in chunk(URL, text, size=size)]


def assert_sound(text: str, chunks: tuple[Chunk, ...]) -> None:
    at = 0
    for each in chunks:
        assert at <= each.start < each.end
        assert text[each.start : each.end] == each.text
        assert each.text.strip()
        assert not text[at : each.start].strip()
        at = each.end
    assert not text[at:].strip()
    assert len(chunks) <= MAX_CHUNKS


@pytest.mark.promise("001.65", "001.103")
@settings(deadline=None)
@given(PAGES, st.integers(16, 60))
def test_chunks_are_exact_spans_that_fit_and_hold_everything(text: str, size: int):
    chunks = chunk(URL, text, size=size)
    assert_sound(text, chunks)
    assert all(each.tokens == count(each.text) for each in chunks)
    assert all(each.tokens <= size for each in chunks)


@settings(deadline=None)
@given(PAGES)
def test_the_same_page_gives_the_same_chunks(text: str):
    assert chunk(URL, text) == chunk(URL, text)


HOSTILE = {
    "hashes": "#" * 1_000_000,
    "a heading of hashes and spaces": "# " * 500_000,
    "brackets in a heading": "# " + "[" * 1_000_000,
    "backticks": "`" * 1_000_000,
    "fences that never close": "```\n````\n" * 100_000,
    "one word": "a" * 1_000_000,
    "stops": "." * 1_000_000,
    "stops and quotes": '.")' * 300_000,
    "line ends": "\n" * 1_000_000 + "x",
    "space": " " * 1_000_000 + "x",
    "a gap in a line": "x" + " " * 1_000_000 + "y",
    "a gap in a line that is cut finely": "x" + " " * 100_000 + "y",
    "pipes": "|" * 1_000_000,
    "rows": "| a |\n" * 110_000,
    "items": "- a\n" * 200_000,
    "headings": "# a\nb\n" * 10_000,
    "Chinese without a stop": "漢" * 300_000,
    "marks": "e" + "\u0301" * 300_000,
    "half of a pair": "\ud800 " * 100_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_page_made_to_be_hard_is_cut_all_the_same(text: str):
    assert_sound(text, chunk(URL, text))


def test_a_long_page_gets_larger_chunks_and_keeps_its_headings():
    text = "\n\n".join(f"## Part {part}\n\n" + "Some words of plain prose stand here. " * 30 for part in range(400))
    chunks = chunk(URL, text, size=16)
    assert_sound(text, chunks)
    assert max(each.tokens for each in chunks) > 16
    assert chunks[-1].section == ("Part 399",)


SECTIONS = {
    "no heading": ("text", [((), "text")]),
    "text before the first heading": ("a\n\n# T\nb", [((), "a"), (("T",), "# T\nb")]),
    "a tree": (
        "# A\na\n## B\nb\n### C\nc\n## D\nd\n# E\ne",
        [
            (("A",), "# A\na"),
            (("A", "B"), "## B\nb"),
            (("A", "B", "C"), "### C\nc"),
            (("A", "D"), "## D\nd"),
            (("E",), "# E\ne"),
        ],
    ),
    "a level left out": (
        "# A\n\n#### B\n\nb\n\n## C\n\nc",
        [(("A", "B"), "# A\n\n#### B\n\nb"), (("A", "C"), "## C\n\nc")],
    ),
    "a heading without text goes with its first subsection": ("# A\n## B\nb", [(("A", "B"), "# A\n## B\nb")]),
    "an empty section stands alone": ("## A\n\n## B\n\nb", [(("A",), "## A"), (("B",), "## B\n\nb")]),
    "a heading at the end": ("a\n# B", [((), "a"), (("B",), "# B")]),
    "a nameless heading": ("# A\na\n##\nb", [(("A",), "# A\na\n##\nb")]),
    "marks and links in a heading": (
        "## **Bold** `x` [to](http://a.b) ##\nc",
        [(("Bold x to",), "## **Bold** `x` [to](http://a.b) ##\nc")],
    ),
    "not a heading: no space": ("#tag is text", [((), "#tag is text")]),
    "not a heading: in code": ("```\n# comment\n```", [((), "```\n# comment\n```")]),
    "not a heading: in code with a longer fence": (
        "````\n```\n# x\n````\n# Y\ny",
        [((), "````\n```\n# x\n````"), (("Y",), "# Y\ny")],
    ),
    "not a fence: closed on its line": ("```a``` b\n# C\nc", [((), "```a``` b"), (("C",), "# C\nc")]),
    "code that never ends": ("~~~\n# a\n```\n# b", [((), "~~~\n# a\n```\n# b")]),
}


@pytest.mark.promise("001.64")
@pytest.mark.parametrize(("text", "expected"), SECTIONS.values(), ids=SECTIONS)
def test_a_chunk_stays_under_one_heading_path(text: str, expected: list[tuple[tuple[str, ...], str]]):
    assert [(each.section, each.text) for each in chunk(URL, text)] == expected


def test_a_very_long_heading_names_its_section_shortly():
    chunks = chunk(URL, "# " + "word " * 1000 + "\n\ntext")
    assert len(chunks) > 1
    assert all(len(each.section[0]) <= 200 for each in chunks)


@pytest.mark.promise("001.65")
def test_sentences_are_packed_until_the_size_is_reached():
    text = " ".join(f"Sentence number {number} says something." for number in range(40))
    found = texts(text, size=40)
    assert all(each.endswith("something.") for each in found)
    assert all(count(f"{one} {two[: two.index('.') + 1]}") > 40 for one, two in pairwise(found))


CODE = "```python\ndef f():\n    return [\n        1,\n    ]\n```"
TABLE = "| name | age |\n|---|---|\n| Ada | 36 |\n| Alan | 41 |"
ITEM = "- An item. It has two sentences\n  and goes on."
WHOLE = {"code": CODE, "a table": TABLE, "a list item": ITEM}


@pytest.mark.parametrize("block", WHOLE.values(), ids=WHOLE)
def test_a_block_that_fits_is_never_split(block: str):
    size = count(block) + 2
    for words in range(size):
        text = f"{'word ' * words}\n\n{block}\n\nAfter it. More after it."
        assert sum(block in each for each in texts(text, size=size)) == 1


def test_what_does_not_fit_by_a_blank_line_begins_the_next_chunk():
    text = "word word \n\n- An item. It has two sentences\n  and goes on.\n\n# Next\n\nAfter it."
    item = text[12:58]
    found = chunk(URL, text, size=count(item) + 2)
    assert [each.text for each in found] == ["word word", item, "# Next\n\nAfter it."]


def test_long_code_is_split_between_lines_and_keeps_its_indentation():
    lines = [f"    call_{number}(argument)" for number in range(60)]
    text = "\n".join(["```", *lines, "    ", "```"])
    found = texts(text, size=60)
    assert len(found) > 2
    assert all(each.startswith("    call_") for each in found[1:])
    assert [line for line in "\n".join(found).split("\n") if line.strip()] == ["```", *lines, "```"]


def test_a_long_table_is_split_between_rows():
    text = "\n".join(f"| row {number} | value {number} |" for number in range(60))
    assert all(line.endswith("|") for each in texts(text, size=60) for line in each.split("\n"))
    assert len(texts(text, size=60)) > 2


def test_a_long_item_is_split_between_sentences():
    text = "- " + "This is one sentence of it. " * 30
    found = texts(text, size=50)
    assert len(found) > 2
    assert all(each.endswith("of it.") for each in found)


def test_languages_without_spaces_are_cut_after_their_sentences():
    found = texts("東京は日本の首都です。人口はとても多いです。" * 30, size=60)
    assert len(found) > 3
    assert all(each.endswith("。") for each in found)


@pytest.mark.promise("001.69")
def test_an_id_names_address_section_and_text():
    (only,) = chunk(URL, "# A\n\n## B\n\ntext")
    assert only.id == sha256(f"{URL}|A > B|# A\n\n## B\n\ntext".encode()).hexdigest()


def test_a_chunk_is_judged_with_its_headings():
    assert [with_headings(each) for each in chunk(URL, "lead\n\n# A\n\n## B\n\ntext")] == [
        "lead",
        "A B # A\n\n## B\n\ntext",
    ]


def test_a_span_too_long_to_be_counted_is_cut_like_one_that_was():
    """A gap holds the most characters for a token; none holds more than is taken for granted."""
    for gap in (" " * 60, "\t" * 96, "\n" * 200, "-" * 40):
        line = "x" + gap * 500
        assert count(line) * 64 > len(line)


DENSE = "".join(chr(0x4E00 + number * number * 7919 % 20_011) for number in range(200_000))
LONG = {
    "dear signs without a pattern": (DENSE * 2, 1_000),
    "cheap words": ("The keeper lit the lamps at dusk. " * 8_000, 3_000),
}


@pytest.mark.parametrize(("text", "most"), LONG.values(), ids=LONG)
def test_a_long_text_is_cut_finely_unless_it_costs_too_much(text: str, most: int):
    chunks = chunk(URL, text)
    assert_sound(text, chunks)
    assert len(chunks) <= most
    assert all(each.tokens <= 128 for each in chunks) == (most > 1_000)


def test_a_link_at_the_bound_takes_its_closing_signs_along():
    link = "[{0}_scale_factor](http://127.0.0.1/manual/runtime-config-autovacuum.html#GUC-{0}-SCALE-FACTOR)"
    for words in range(60):
        text = f"{'the ' * words}{link.format('vacuum')}, and {link.format('insert')}. Such work goes on."
        assert not any(each.text[0] in ").," for each in chunk(URL, text, size=64))


@pytest.mark.parametrize("escaped", [r"\![", r"\<a", r"\\\!["])
def test_no_chunk_begins_behind_a_backslash(escaped: str) -> None:
    for lead in range(12):
        text = "a" * lead + escaped * 800
        found = chunk(URL, text, size=16)
        assert len(found) > 9
        assert "".join(each.text for each in found) == text
        assert [each.text for each in found if each.text[0] in "!<["] == []


def test_an_endless_word_is_cut_wherever_its_signs_stand():
    text = "a)" * 2000
    found = chunk(URL, text, size=16)
    assert "".join(each.text for each in found) == text


PHRASES_WITHOUT_STOPS = {
    "Thai": "ผู้ดูแลประภาคารปีนบันไดเวียนทุกเย็น",
    "Lao": "ຜູ້ດູແລ",
    "Khmer": "អ្នកថែទាំ",
    "Burmese": "မီးပြတိုက်",
}


@pytest.mark.parametrize("blank", [" ", "\u200b"])
@pytest.mark.parametrize("script", PHRASES_WITHOUT_STOPS)
def test_a_script_without_stops_is_cut_between_its_phrases(script: str, blank: str) -> None:
    phrase = PHRASES_WITHOUT_STOPS[script]
    found = chunk(URL, blank.join([phrase] * 60), size=128)
    assert len(found) > 1
    assert {part for each in found for part in each.text.split(blank) if part} == {phrase}


def test_such_a_script_without_any_blank_is_cut_all_the_same() -> None:
    text = PHRASES_WITHOUT_STOPS["Thai"] * 60
    found = chunk(URL, text, size=128)
    assert "".join(each.text for each in found) == text
    assert all(count(each.text) <= 128 for each in found)
