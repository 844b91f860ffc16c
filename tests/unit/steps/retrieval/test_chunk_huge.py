import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.steps.retrieval.chunk import chunk_huge
from gossamer.steps.tokens.count import count

PIECES = st.sampled_from(
    [
        "word ",
        "A sentence. ",
        "\n",
        "\n\n",
        "# One\n",
        "  ## Two **b** ##\n",
        "```\n",
        "~~~ x\n",
        "漢字。",
        "x" * 60,
        " ",
    ]
)


@settings(deadline=None)
@given(st.lists(PIECES, max_size=200).map("".join), st.integers(2, 30), st.integers(1, 50))
def test_spans_hold_everything_and_are_few(text: str, most: int, least_chars: int):
    at, number = 0, 0
    for span in chunk_huge(text, most=most, least_chars=least_chars):
        assert at <= span.start < span.end
        assert not text[at : span.start].strip()
        assert text[span.start : span.end].strip() == text[span.start : span.end]
        assert span.tokens > 0
        at, number = span.end, number + 1
    assert not text[at:].strip()
    assert number <= most


FIRST_ENDS = {
    "before a heading": ("a" * 80 + "\nbb\n\n# Cc\n" + "d" * 100, "a" * 80 + "\nbb"),
    "at a paragraph": ("a" * 80 + "\n\nbb. c\nd" + "e" * 100, "a" * 80),
    "at a line": ("a" * 80 + "\nb. c" + "d" * 100, "a" * 80),
    "at a sentence": ("a" * 80 + ". Bb c" + "d" * 100, "a" * 80 + "."),
    "at a sentence without spaces": ("漢" * 80 + "。字" + "漢" * 100, "漢" * 80 + "。"),
    "at a word": ("a" * 80 + " b" + "c" * 100, "a" * 80),
    "anywhere": ("a" * 200, "a" * 100),
}


@pytest.mark.parametrize(("text", "first"), FIRST_ENDS.values(), ids=FIRST_ENDS)
def test_a_span_ends_at_the_best_place_of_its_last_quarter(text: str, first: str):
    span = next(chunk_huge(text, most=1000, least_chars=100))
    assert text[span.start : span.end] == first


@pytest.mark.parametrize("lead", range(8))
def test_no_span_begins_behind_a_backslash(lead: int) -> None:
    text = "a" * lead + r"\![x" * 200
    assert {text[span.start] for span in chunk_huge(text, most=1000, least_chars=33)} <= {"a", "\\", "[", "x"}


SECTIONS = {
    "below a heading": ("# A\n" + "a " * 60 + "\n## B\n" + "b " * 60, [("A",), ("A",), ("A", "B"), ("A", "B")]),
    "a heading inside a span is for the next": ("x\n# A\n" + "a " * 60, [(), ("A",)]),
    "no heading in code": ("```\n# a\n```\n" + "c " * 60, [(), ()]),
    "code that another fence does not close": ("~~~\n```\n# a\n" + "c " * 60, [(), ()]),
    "a nameless heading": ("# A\n## \n" + "a " * 60, [("A",), ("A",)]),
}


@pytest.mark.parametrize(("text", "sections"), SECTIONS.values(), ids=SECTIONS)
def test_a_span_knows_the_headings_above_it(text: str, sections: list[tuple[str, ...]]):
    assert [span.section for span in chunk_huge(text, most=1000, least_chars=80)] == sections


def test_what_a_long_span_costs_is_reckoned_from_its_middle():
    text = "The keeper lit the lamps at dusk and went home. " * 200
    (span,) = chunk_huge(text, most=2, least_chars=20_000)
    assert span.tokens == pytest.approx(count(text), rel=0.05)
