import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.extractors.characters import clean, clean_line

GONE = {
    "zero width space inside a word": ("a\u200bb", "ab"),
    "soft hyphen": ("hy\u00adphen", "hyphen"),
    "byte order mark in mid-text": ("a\ufeffb", "ab"),
    "bidi override": ("a\u202eb\u202c", "ab"),
    "bidi isolate": ("a\u2066b\u2069", "ab"),
    "tag characters": ("open\U000e0053\U000e0059 daily", "open daily"),
    "variation supplement": ("😀\U000e0133\U000e0131", "😀"),
    "private use": ("icon \ue001\U000f0000", "icon "),
    "control characters": ("a\x00\x07\x9fb", "ab"),
    "ANSI colours": ("\x1b[8mred\x1b[0m", "red"),
    "lone surrogate": ("a\ud800b", "ab"),
    "variation selectors after a letter": ("a\ufe00b", "ab"),
    "a second variation selector": ("❤\ufe0f\ufe0e\ufe0f", "❤\ufe0f"),
    "joiner between Latin letters": ("a\u200db", "ab"),
    "joiners in a row": ("می\u200c\u200cخ", "میخ"),
    "joiner at the end": ("می\u200c", "می"),
}
KEPT = {
    "non-joiner in Persian": "می\u200cخواهم",
    "family emoji": "👨\u200d👩\u200d👧",
    "heart with its selector": "❤\ufe0f",
    "keycap": "1\ufe0f\u20e3",
    "Sinhala joiner": "ක්\u200dෂ",
    "tab and line feed": "a\tb\nc",
    "plain text": "Grüße, 東京",
}


@pytest.mark.parametrize(("text", "seen"), GONE.values(), ids=GONE)
def test_what_cannot_be_seen_is_taken_out(text: str, seen: str) -> None:
    assert clean(text)[0] == seen


@pytest.mark.parametrize("text", KEPT.values(), ids=KEPT)
def test_what_a_script_or_an_emoji_needs_stays(text: str) -> None:
    assert clean(text) == (text, 0)


def test_line_ends_are_line_feeds() -> None:
    assert clean("a\r\nb\rc\x0cd\u2028e")[0] == "a\nb\nc\nd\ne"


def test_a_run_that_could_carry_a_message_is_counted_and_a_lone_hint_is_not() -> None:
    assert clean("a\u200bb \u200b\u200c\u200b\u200c\u200b\u200b\u200b\u200bc")[1] >= 1
    assert clean("a\u200bb")[1] == 0


def test_a_line_is_cut_with_an_ellipsis() -> None:
    assert clean_line("  two\n words ") == "two words"
    assert clean_line("word " * 50, limit=20) == "word word word word…"


@given(st.text())
def test_cleaned_text_is_valid_and_cleaning_it_again_changes_nothing(text: str) -> None:
    once, _ = clean(text)
    once.encode()
    assert "\x00" not in once
    assert "\r" not in once
    assert clean(once)[0] == once


LONG = {
    "old line ends": ("a\r\n", "a\n"),
    "commands of a terminal": ("word\x1b[0;31m", "word"),
    "a joiner that is needed": ("漢\u200d字", "漢\u200d字"),
    "joiners that are not": ("a\u200d", "a"),
    "runs without a letter": ("1\u200b\u200b", "1"),
}


@pytest.mark.parametrize(("unit", "seen"), LONG.values(), ids=LONG)
def test_a_long_text_is_cleaned_like_a_short_one(unit: str, seen: str) -> None:
    times = 1_200_000 // len(unit)
    assert clean(unit * times)[0] == seen * times
