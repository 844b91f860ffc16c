from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.answerers.quotes import Quotes, quotable
from gossamer.model.answer import Draft
from gossamer.model.page import Passage
from gossamer.ports import Call


@dataclass(frozen=True)
class StoppedClock:
    def now(self) -> float:
        return 0.0

    def monotonic(self) -> float:
        return 0.0


def passage(text: str, *, url: str = "https://a.test/", score: float = 1.0) -> Passage:
    return Passage(url=url, title="T", section=(), start=0, end=len(text), text=text, score=score)


async def drafts(question: str, *passages: Passage) -> Sequence[Draft]:
    return await Quotes().write(question, passages, Call(clock=StoppedClock()))


PAGE = """\
# When the ferry leaves the harbour

The ferry leaves the harbour at noon. Tickets are sold in the old customs house.
The crossing takes about forty minutes in good weather.

```python
ferry.leaves(harbour, when="at noon, the ferry leaves the harbour")
```

    the ferry leaves the harbour: indented code is no sentence

| Season | Ferry leaves |
|--------|--------------|
| Summer | at noon, and again at six in the evening |

- Dogs travel free on the ferry when they are kept on a lead.
1. Children below six years pay nothing on the ferry.
> The ferry has never once left on time, says Ada.

----------------------------------------
"""


async def test_the_sentence_that_says_most_about_the_question_comes_first() -> None:
    found = await drafts("When does the ferry leave the harbour?", passage(PAGE))
    assert found[0].text == "The ferry leaves the harbour at noon."
    assert found[0].quotes == (("https://a.test/", "The ferry leaves the harbour at noon."),)


async def test_every_sentence_is_quoted_word_for_word() -> None:
    found = await drafts("ferry", passage(PAGE), passage("Ferries are boats that come back.", url="https://b.test/"))
    texts = {"https://a.test/": PAGE, "https://b.test/": "Ferries are boats that come back."}
    assert 2 <= len(found) <= 6
    for draft in found:
        ((url, quote),) = draft.quotes
        assert draft.text == quote
        assert quote in texts[url]


QUOTABLE = {
    "a sentence": "Tickets are sold in the old customs house.",
    "a table row": "| Summer | at noon, and again at six in the evening |",
    "the head of a table": "| Season | Ferry leaves |",
    "an item": "Dogs travel free on the ferry when they are kept on a lead.",
    "a numbered item": "Children below six years pay nothing on the ferry.",
    "a quotation": "The ferry has never once left on time, says Ada.",
}
NOT_QUOTABLE = {
    "headings": "When the ferry leaves",
    "fenced code": "ferry.leaves(",
    "indented code": "indented code",
    "rules of tables": "|---",
    "lines": "----",
}


@pytest.mark.parametrize("text", QUOTABLE.values(), ids=QUOTABLE)
def test_what_can_stand_alone_is_quotable(text: str) -> None:
    assert text in [PAGE[start:end] for start, end in quotable(PAGE)]


@pytest.mark.parametrize("text", NOT_QUOTABLE.values(), ids=NOT_QUOTABLE)
def test_what_cannot_stand_alone_is_never_quoted(text: str) -> None:
    assert not [PAGE[start:end] for start, end in quotable(PAGE) if text in PAGE[start:end]]


SIZES = {
    "too short": ("It is late.", False),
    "long enough": ("It is late in the day.", True),
    "short, but says much": ("東京の人口は約1400万人です。", True),
    "too long": ("word " * 200 + "end.", False),
    "no letters": ("1234567890 1234567890 1234567890", False),
    "code that never ends": ("```\nThe ferry leaves at noon today.", False),
    "a tab before code": ("\tthe ferry leaves the harbour today", False),
}


@pytest.mark.parametrize(("text", "is_quotable"), SIZES.values(), ids=SIZES)
def test_a_quote_is_neither_a_scrap_nor_a_page(text: str, is_quotable: bool) -> None:
    assert bool(list(quotable(text))) is is_quotable


async def test_what_several_pages_say_is_said_once() -> None:
    same = "The ferry leaves the harbour at noon."
    found = await drafts(
        "When does the ferry leave?", passage(same, score=0.9), passage(same, url="https://b.test/", score=0.5)
    )
    assert [draft.quotes[0][0] for draft in found] == ["https://a.test/"]


async def test_the_better_passage_wins_between_equal_sentences_and_order_breaks_ties() -> None:
    one, two = "The ferry leaves at noon on Mondays.", "The ferry leaves at noon on Sundays."
    better = await drafts("ferry noon", passage(one, score=0.4), passage(two, score=0.8))
    tied = await drafts("ferry noon", passage(one, score=0.8), passage(two, score=0.8))
    assert [draft.text for draft in better] == [two, one]
    assert [draft.text for draft in tied] == [one, two]


async def test_sentences_that_say_less_than_half_as_much_are_left_out() -> None:
    found = await drafts(
        "When does the ferry leave the harbour?",
        passage("The ferry leaves the harbour at noon."),
        passage("Gulls are birds that like chips.", score=0.1),
    )
    assert [draft.text for draft in found] == ["The ferry leaves the harbour at noon."]


NOTHING = {
    "no passages": (),
    "empty ones": (passage(""), passage("  \n")),
    "headings alone": (passage("# The ferry leaves the harbour at noon"),),
}


@pytest.mark.parametrize("passages", NOTHING.values(), ids=NOTHING)
async def test_nothing_to_quote_is_no_answer(passages: tuple[Passage, ...]) -> None:
    assert await drafts("When does the ferry leave?", *passages) == []


@pytest.mark.parametrize("question", ["", "the of and", "灯台守はいつ来ますか", "???"])
async def test_a_question_without_words_to_find_is_answered_by_the_best_passages(question: str) -> None:
    found = await drafts(question, passage("The ferry leaves the harbour at noon.", score=0.0))
    assert [draft.text for draft in found] == ["The ferry leaves the harbour at noon."]


PIECES = [*"#|-*> `~.!\n\t", "a", "The ferry leaves. ", "```\n", "東京です。"]


@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join))
def test_spans_that_can_be_quoted_are_in_order_and_hold_letters(text: str) -> None:
    spans = list(quotable(text))
    assert spans == sorted(spans)
    for start, end in spans:
        assert any(sign.isalpha() for sign in text[start:end])
        assert "\n" not in text[start:end]
        assert text[start:end] == text[start:end].strip() or text[start] == "|"
