"""What says the same again, and what says it of something else."""

import pytest

from gossamer.steps.text.duplicates import comparable_words, first_occurrences


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("The gate opens at nine.", "the  GATE\nopens at nine!", True),
        ("The gate opens.", "**The gate** `opens`", True),
        ("門は九時に開く。", "「門は九時に開く」", True),
        ("The gate opens at 9.", "The gate opens at 10.", False),
        ("Members may enter.", "Members may not enter.", False),
        ("The buyer pays the seller.", "The seller pays the buyer.", False),
        ("Paid to the buyer.", "Paid by the buyer.", False),
        ("At 5 degrees.", "At -5 degrees.", False),
        ("where a < b", "where a > b", False),
        ("| 5 |  |", "|  | 5 |", False),
        ("1.5 kg", "15 kg", False),
    ],
)
def test_words_are_the_same_whatever_their_case_and_the_marks_between_them(one: str, other: str, is_same: bool) -> None:
    assert (comparable_words(one) == comparable_words(other)) == is_same


def test_a_rule_says_nothing() -> None:
    assert comparable_words("| --- | --- |") == ""


CASES = {
    "nothing comes again": ("abc", "000", "012"),
    "below another sentence": ("axbxcx", "000000", "012345"),
    "under another heading": ("hxix", "0011", "0123"),
    "below another sentence, and so what follows": ("axybxy", "000000", "012345"),
    "right after it": ("aabb", "0000", "0022"),
    "several times": ("xaaa", "0000", "0111"),
    "a paragraph right after itself": ("xabcabcy", "00000000", "01231237"),
    "a long stretch": ("abcdxabcdy", "0000000000", "0123401239"),
    "below the same heading": ("xhaihab", "0112113", "0123126"),
    "below the same heading, after something else": ("xhaihba", "0112113", "0123156"),
}


@pytest.mark.parametrize(("words", "places", "expected"), CASES.values(), ids=CASES)
def test_what_a_sentence_repeats(words: str, places: str, expected: str) -> None:
    keys = [(int(place), word) for place, word in zip(places, words, strict=True)]
    assert first_occurrences(keys) == [int(number) for number in expected]
