import pytest

from gossamer.steps.support.logic_words import is_negation, negations, unstated

COUNTS = {
    "It is red.": 0,
    "It is not red.": 1,
    "It isn't red.": 1,
    "It never was, and no one saw it.": 2,
    "Not only red but no less than 5 are blue.": 0,
    "Sie ist nicht rot.": 1,
    "Ce n'est pas rouge.": 1,
    "Elle ne vient pas.": 1,
    "Он не красный.": 1,
    "它不是红色的。": 1,
    "赤くない。": 1,
}


@pytest.mark.parametrize(("text", "count"), COUNTS.items())
def test_negations_are_counted_in_many_languages(text: str, count: int) -> None:
    assert negations(text) == count


def test_a_word_alone_is_a_negation_or_none() -> None:
    assert [is_negation(word) for word in ("not", "don't", "不", "red")] == [True, True, True, False]


LIMITS = {
    ("All of them left.", "Some of them left."): ["all"],
    ("Only members may enter.", "Members may enter."): ["only"],
    ("Every member left.", "All members left."): [],
    ("Some left.", "Nobody is named."): [],
    ("只有会员", "会员"): ["只"],
}


@pytest.mark.parametrize(("texts", "missing"), LIMITS.items())
def test_a_strong_quantity_has_to_be_stated(texts: tuple[str, str], missing: list[str]) -> None:
    assert unstated(*texts) == missing
