import pytest

from gossamer.steps.support.wording import REPEATS, compare, stitched, tokens
from gossamer.steps.text.words import stem

SENTENCE = "The old lighthouse was built in 1909 by Marta Olsen and was never painted red."
CHANGED = {
    "word for word": (SENTENCE, ()),
    "a part of it": ("The old lighthouse was built in 1909 by Marta Olsen", ()),
    "a number": (SENTENCE.replace("1909", "1910"), ("1910",)),
    "a name": (SENTENCE.replace("Marta", "Anna"), ("Anna",)),
    "a word": (SENTENCE.replace("red", "green"), ("green",)),
    "a negation left out": (SENTENCE.replace("never ", ""), ("never",)),
    "a negation put in": (SENTENCE.replace("was built", "was not built"), ("not",)),
    "a name in another place": ("Olsen the old lighthouse was built in 1909 by Marta", ("Olsen",)),
    "a little word": (SENTENCE.replace("The old", "An old"), ()),
}


@pytest.mark.parametrize(("claim", "changed"), CHANGED.values(), ids=CHANGED)
def test_what_is_changed_in_a_repeated_sentence_is_named(claim: str, changed: tuple[str, ...]) -> None:
    wording = compare(claim, SENTENCE, stem)
    assert wording.share >= REPEATS
    assert wording.changed == changed


def test_a_hedge_left_out_is_named() -> None:
    wording = compare("It took two days to paint it.", "It almost took two days to paint it.", stem)
    assert wording.changed == ("almost",)


def test_a_pronoun_may_be_replaced_by_what_it_means() -> None:
    claim, sentence = "The lighthouse stands 24 metres above the sea", "It stands 24 metres above the sea."
    assert compare(claim, sentence, stem).changed == ("lighthouse",)
    assert compare(claim, sentence, stem, "The lighthouse is old.").changed == ()


def test_a_text_of_its_own_repeats_nothing() -> None:
    assert compare("Ferries leave at noon.", SENTENCE, stem).changed == ()
    assert compare("", SENTENCE, stem).share == 0


def test_scripts_without_spaces_are_compared_by_characters() -> None:
    assert tokens("塔は1909年") == ["塔", "は", "1909", "年"]


FIRST = "The ferry to the northern island leaves every morning at nine o'clock."
SECOND = "The museum of the harbour was closed after the great storm of that year."


def test_two_halves_put_together_are_seen() -> None:
    claim = "The ferry to the northern island closed after the great storm of that year."
    assert stitched(claim, [FIRST, SECOND]) == "closed after the great storm of that year"


WHOLE = {
    "a sentence": FIRST,
    "two sentences": f"{FIRST} {SECOND}",
    "own words": "Nobody knows when the boats come back from there.",
    "a short head": "The ferry closed after the great storm of that year.",
}


@pytest.mark.parametrize("claim", WHOLE.values(), ids=WHOLE)
def test_what_is_no_pair_of_halves_is_not_taken_for_one(claim: str) -> None:
    assert stitched(claim, [FIRST, SECOND]) == ""


def test_nothing_is_stitched_of_no_sentence() -> None:
    assert stitched(FIRST, []) == ""
