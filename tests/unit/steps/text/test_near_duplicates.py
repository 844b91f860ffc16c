"""The same page at two addresses, and pages that are merely alike."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.steps.text.duplicates import are_near_duplicates, shingles

ARTICLE = " ".join(f"Boat {n} leaves harbour {n * 7} at {n % 24} o'clock sharp." for n in range(60))

PAIRS = {
    "the same": (ARTICLE, ARTICLE, True),
    "a mirror with another footer": (ARTICLE, ARTICLE + " Mirror of example.org, all rights reserved.", True),
    "other marks and case": ("The **Ferry** leaves at noon today!", "the ferry leaves at noon today", True),
    "another article": (ARTICLE, ARTICLE.replace("harbour", "quay"), False),
    "a part of it": (ARTICLE, ARTICLE[: len(ARTICLE) // 2], False),
    "short ones": ("The ferry leaves at noon.", "The ferry leaves at one.", False),
    "a word each": ("noon", "noon", True),
    "nothing": ("", "", False),
    "nothing and something": ("", "noon", False),
}


@pytest.mark.parametrize(("one", "other", "is_same"), PAIRS.values(), ids=PAIRS)
def test_two_pages_are_compared_by_what_they_say(one: str, other: str, is_same: bool) -> None:
    assert are_near_duplicates(shingles(one), shingles(other)) is is_same
    assert are_near_duplicates(shingles(other), shingles(one)) is is_same


@given(st.text())
def test_a_text_with_words_resembles_itself(text: str) -> None:
    assert are_near_duplicates(shingles(text), shingles(text)) is bool(shingles(text))
