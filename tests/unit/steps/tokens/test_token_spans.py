"""Spans of a text are priced as if each stood alone, whatever is on either side of them."""

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.steps.tokens.count import _KNOWN, _MOST_KNOWN, _WINDOW, SpanCounter, count, roughly

SAMPLES = {path.stem: path for path in sorted((Path(__file__).parents[3] / "cases/tokens").glob("*.txt"))}
PIECES = st.sampled_from(
    [
        *("the ", "The", " word", "don't", "'re", "they'", "inter", "national", "THE", "x" * 30, "_", "*", ")", "/"),
        *(" ", "  ", "\n", "\n\n", "\r\n", "\t", "\xa0", "\u3000", " " * 120, "\u200b"),
        *(".", ". ", "! ", "...", "…", "。", "、", "|", "| a |\n", "```\n", "# h\n", "- ", "1", "2024", "-" * 50),
        *("é", "Ünïcode", "слово ", "的", "漢字", "カタカナ", "한국", "ก", "ที่", "हिन्दी", "ا", "\U0001f600", "Google"),
    ]
)
TEXTS = st.lists(PIECES, min_size=1, max_size=120).map("".join)


@settings(deadline=None, max_examples=300)
@given(TEXTS, st.data())
def test_a_span_costs_what_it_would_alone(text: str, data: st.DataObject):
    meter = SpanCounter(text)
    for _ in range(6):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, len(text)))
        assert meter.roughly(start, end) == roughly(text[start:end])
        assert meter.count(start, end) == count(text[start:end])


@pytest.mark.parametrize("path", SAMPLES.values(), ids=SAMPLES)
def test_spans_of_a_text_longer_than_what_is_priced_at_once(path: Path):
    once = path.read_text(encoding="utf-8") + "\n\n"
    text = once * (2 * _WINDOW // len(once) + 2)
    meter, dice = SpanCounter(text), random.Random(7)
    starts = [*(dice.randrange(len(text)) for _ in range(30)), *(k * _WINDOW - dice.randrange(600) for k in (1, 2))]
    for start in starts:
        end = min(len(text), start + dice.choice((1, 40, 600, 1500)))
        assert meter.count(start, end) == count(text[start:end])
        assert meter.roughly(start, end) == roughly(text[start:end])


def test_a_span_longer_than_what_is_priced_at_once():
    text = "Many words, and more of them. " * (_WINDOW // 10)
    assert SpanCounter(text).count(3, len(text) - 3) == count(text[3:-3])


def test_the_memory_for_sentences_is_bounded():
    text = "".join(f"{number} words. " for number in range(2 * _MOST_KNOWN))
    meter = SpanCounter(text)
    for start in range(0, len(text) - 9, 9):
        meter.roughly(start, start + 9)
    assert 0 < len(_KNOWN) <= _MOST_KNOWN
