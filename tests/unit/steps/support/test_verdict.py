from dataclasses import replace

import pytest

from gossamer.embedders.local import LocalEmbedder
from gossamer.model.page import Passage
from gossamer.ports import LanguageMix
from gossamer.steps.support.verdict import MOST_MISSING, Judged, judge
from gossamer.steps.text.language_mix import detect_mix

LEXICON = LocalEmbedder()
TEXT = """## The lighthouse

The old lighthouse was built in 1909 by Marta Olsen. It stands 24 metres above the sea and was never painted red. \
The keeper lived there until 3 March 1954. Some visitors come in winter. The number of visits increased after 1990.

| Season | Price |
|---|---|
| Summer | 12 euros |

## The ferry

The ferry from Rotterdam to the northern island leaves every morning at nine o'clock and returns in the evening. \
The museum beside the harbour was closed for three years after the great storm of that decade.
"""


def passage(text: str, start: int = 0) -> Passage:
    return Passage(
        url="https://a.test/",
        title="Harbour",
        section=("Sights",),
        start=start,
        end=start + len(text),
        text=text,
        score=1,
    )


def verdict(claim: str, text: str = TEXT, whole: str = "") -> Judged:
    mix: LanguageMix = detect_mix([("", text)], [claim])
    return judge(claim, [passage(text)], lambda texts: LEXICON.look_up(texts, mix), mix, [whole] if whole else [])


SUPPORTED = {
    "a quote": "The old lighthouse was built in 1909 by Marta Olsen.",
    "in other words": "Marta Olsen built the lighthouse in 1909.",
    "another spelling of a date": "The keeper lived in the lighthouse until 1954-03-03.",
    "a pronoun replaced": "The lighthouse stands 24 metres above the sea.",
    "another unit": "The old lighthouse stands 2,400 cm above the sea.",
    "two quotes": "The old lighthouse was built in 1909 by Marta Olsen. Some visitors come in winter.",
}
PARTLY = {
    "a number": ("The old lighthouse was built in 1910 by Marta Olsen.", "1910"),
    "a unit": ("The lighthouse stands 24 feet above the sea.", "24 feet"),
    "a date": ("The keeper lived there until 4 March 1954.", "4 March 1954"),
    "a name": ("The old lighthouse was built in 1909 by Anna Olsen.", "Anna"),
    "a negation put in": ("The old lighthouse was not built in 1909 by Marta Olsen.", "not"),
    "a negation left out": ("It stands 24 metres above the sea and was painted red.", "never"),
    "a negation in other words": ("No visitors come in winter.", "no"),
    "a limit": ("All visitors come in winter.", "all"),
    "the opposite": ("The number of visits decreased after 1990.", "decreased"),
    "two halves": (
        "The ferry from Rotterdam to the northern island leaves three years after the great storm of that decade.",
        "three years after the great storm of that decade",
    ),
    "one of two sentences": ("Some visitors come in winter. Whales sing in the bay at night.", "Whales"),
}


@pytest.mark.parametrize("claim", SUPPORTED.values(), ids=SUPPORTED)
def test_what_the_text_says_is_supported(claim: str) -> None:
    judged = verdict(claim)
    assert (judged.verdict, judged.missing) == ("supported", ())
    assert judged.score > 0.4
    assert all(TEXT[span.start : span.end] == span.text for span in judged.spans)


@pytest.mark.parametrize(("claim", "missing"), PARTLY.values(), ids=PARTLY)
def test_what_is_changed_is_supported_in_part_and_named(claim: str, missing: str) -> None:
    judged = verdict(claim)
    assert judged.verdict == "partly"
    assert missing.casefold() in [word.casefold() for word in judged.missing]


def test_what_the_text_does_not_speak_of_is_not_supported() -> None:
    judged = verdict("Sourdough bread needs flour, salt and patience.")
    assert judged.verdict == "not_supported"
    assert 0 < len(judged.missing) <= MOST_MISSING
    assert judged.score < 0.15


@pytest.mark.parametrize(("claim", "text"), [("", TEXT), ("Anything at all.", ""), ("Anything.", "# A heading")])
def test_of_nothing_and_by_nothing_nothing_is_supported(claim: str, text: str) -> None:
    assert verdict(claim, text) == Judged(verdict="not_supported", score=0.0, missing=(), spans=())


def test_a_claim_of_little_words_alone_is_judged_too() -> None:
    assert verdict("It is what it is.").verdict != "supported"


def test_what_stands_elsewhere_on_the_page_counts_for_the_score() -> None:
    claim = "Marta Olsen, born in 1871, built the lighthouse in 1909."
    assert verdict(claim, whole=f"{TEXT} She was born in 1871.").score > verdict(claim).score


def test_a_name_may_be_told_by_its_initials() -> None:
    assert "WHO" not in verdict("The WHO warned of it.", "The World Health Organization warned of it.").missing


def test_a_claim_in_another_language_is_held_by_its_numbers_and_its_negation() -> None:
    said = "Der alte Leuchtturm wurde 1909 gebaut."
    assert verdict(said).verdict in {"supported", "partly"}
    assert "1908" in verdict(said.replace("1909", "1908")).missing
    assert verdict("Маяк был построен в 1908 году.").missing[0].startswith("1908")


def test_a_negation_in_own_words_is_named() -> None:
    assert "not" in verdict("Nobody who visits the island ever comes when winter is near.").missing


def test_pages_are_kept_apart() -> None:
    pages = [passage(TEXT), replace(passage("The ferry is blue. It sails at noon."), url="https://b.test/")]
    judged = judge("The ferry sails at noon.", pages, lambda texts: LEXICON.look_up(texts, "english"), "english")
    assert judged.spans[0].source == 1


def test_a_claim_that_takes_many_sentences_is_judged_by_the_best_of_them() -> None:
    words = ["amber", "birch", "cobalt", "dahlia", "ebony", "fern", "garnet", "hazel", "iris", "jasper"]
    judged = verdict(f"The shop sells {', '.join(words)}.", " ".join(f"It sells {word} today." for word in words))
    assert len(judged.spans) == 3


def test_what_is_missing_is_named_once_and_without_the_end_of_its_sentence() -> None:
    assert verdict("A ticket in summer costs 13 euros.").missing == ("13 euros",)
