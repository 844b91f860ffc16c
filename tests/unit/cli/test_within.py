"""What `gossamer read` shows of the passages that were found: as much as the budget holds, and nothing broken."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.cli.results import too_much, within
from gossamer.model.page import Passage
from tests.unit.contracts.material import true_tokens

SENTENCE = "The ferry leaves the old harbour at noon."
LONG = " ".join(f"Boat number {n} carries salt to the island in the winter months." for n in range(60))


def passage(text: str, *, start: int = 100, batch: int = 0, lead: str = "") -> Passage:
    return Passage(
        url="u",
        title="t",
        section=(),
        start=start,
        end=start + len(text),
        text=text,
        score=0.5,
        batch=batch,
        lead=lead,
    )


def tokens(passages: list[Passage]) -> int:
    return true_tokens("\n\n".join(each.shown for each in passages))


def test_all_that_fits_is_shown_whole() -> None:
    found = [passage(SENTENCE, start=at) for at in (0, 50, 100)]
    assert within(found, 300) == found
    assert within([], 300) == []


def test_the_first_is_shown_whatever_it_costs() -> None:
    found = [passage(LONG), passage(SENTENCE)]
    assert within(found, 200) == [found[0]]


def test_the_last_may_be_the_first_sentences_of_a_passage() -> None:
    *_, last = within([passage(SENTENCE, start=0), passage(LONG)], 200)
    assert LONG.startswith(last.text)
    assert last.text.endswith("months.")
    assert (last.start, last.end) == (100, 100 + len(last.text))
    assert 100 < len(last.text) < len(LONG)


def test_code_that_is_begun_is_ended() -> None:
    text = f"{SENTENCE}\n\n```\n" + "\n".join(f"call {n}. And again {n}." for n in range(200))
    *_, last = within([passage(SENTENCE, start=0), replace(passage(text), tail="```")], 200)
    assert text.startswith(last.text)
    assert "call 3" in last.text
    assert last.tail == "```"
    assert last.end - last.start == len(last.text)
    assert tokens([passage(SENTENCE), last]) <= 200


ROWS = "\n".join(f"| {n} | salt. And pepper. |" for n in range(200))
LEFT_OUT = {
    "rows under their header": passage(ROWS, lead="| Boat | Load |\n|---|---|"),
    "a first sentence that does not fit": passage("A sentence of " + "very " * 300 + "many words."),
}


@pytest.mark.parametrize("next_one", LEFT_OUT.values(), ids=LEFT_OUT)
def test_what_cannot_be_begun_is_left_out(next_one: Passage) -> None:
    first = passage(SENTENCE)
    assert within([first, next_one, first], 200) == [first]


@settings(deadline=None)  # the tokenizer itself is loaded on the way
@given(
    st.lists(st.sampled_from([SENTENCE, LONG, "Short.", "港の船は正午に出ます。" * 9]), min_size=1, max_size=8),
    st.integers(200, 900),
)
def test_no_more_is_shown_than_the_budget_holds(texts: list[str], budget: int) -> None:
    shown = within([passage(text, start=1000 * n) for n, text in enumerate(texts)], budget)
    assert len(shown) == 1 or tokens(shown) <= budget
    assert all(each.text == texts[n] for n, each in enumerate(shown[:-1]))


def test_too_much_is_what_the_passages_of_the_first_sheet_exceed_the_budget_by() -> None:
    together, later = passage(LONG), passage(LONG, batch=1)
    assert too_much([passage(SENTENCE), later], 300) == 0
    over = too_much([together, later], 300)
    assert over == too_much([together], 300)
    assert 0 < tokens([together]) - 300 <= over
    assert too_much([together], 300 + over) == 0
