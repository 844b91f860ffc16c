from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from gossamer.answerers.quotes import Quotes, forests
from gossamer.embedders.local import LocalEmbedder
from gossamer.model.answer import Draft
from gossamer.model.page import Passage
from gossamer.ports import Call


@dataclass(frozen=True)
class StoppedClock:
    def now(self) -> float:
        return 0.0

    def monotonic(self) -> float:
        return 0.0


QUOTES = Quotes(LocalEmbedder())


def passage(text: str, *, url: str = "https://a.test/", score: float = 0.9, title: str = "Ferries") -> Passage:
    return Passage(url=url, title=title, section=(), start=0, end=len(text), text=text, score=score)


async def drafts(question: str, *passages: Passage) -> Sequence[Draft]:
    return await QUOTES.write(question, passages, Call(clock=StoppedClock()))


PAGE = """\
# When the ferry leaves the harbour

The ferry leaves the harbour at noon. Tickets are sold in the old customs house.
The crossing takes about forty minutes in good weather.

| Season | Ferry leaves |
|--------|--------------|
| Summer | at noon, and again at six in the evening |
"""


async def test_the_sentence_that_answers_comes_first() -> None:
    found = await drafts("When does the ferry leave the harbour?", passage(PAGE))
    assert found[0].text == "The ferry leaves the harbour at noon."
    assert found[0].quotes == (("https://a.test/", "The ferry leaves the harbour at noon."),)


async def test_every_quote_stands_where_it_is_said_to_stand() -> None:
    texts = {"https://a.test/": PAGE, "https://b.test/": "The ferry leaves from Port Ellery, and comes back at six."}
    found = await drafts(
        "When does the ferry leave the harbour?", *(passage(text, url=url) for url, text in texts.items())
    )
    assert found
    for draft in found:
        for (url, quote), place in zip(draft.quotes, draft.places, strict=True):
            assert texts[url].startswith(quote, place)


async def test_a_row_is_told_behind_the_names_of_its_columns() -> None:
    table = "| Type | Storage size |\n|---|---|\n| double precision | 8 bytes |\n| real | 4 bytes |"
    found = await drafts("What is the storage size of double precision?", passage(table, title="Numeric types"))
    assert found[0].text == "Type | Storage size: double precision | 8 bytes"
    assert found[0].quotes == (("https://a.test/", "| double precision | 8 bytes |"),)


async def test_what_several_pages_say_is_told_once_with_all_of_them() -> None:
    same = "The ferry leaves the harbour at noon."
    found = await drafts("When does the ferry leave the harbour?", passage(same), passage(same, url="https://b.test/"))
    assert [url for url, _ in found[0].quotes] == ["https://a.test/", "https://b.test/"]
    assert len(found) == 1


async def test_different_values_of_two_pages_are_marked() -> None:
    found = await drafts(
        "How many cars does the ferry carry?",
        passage("The ferry carries 12 cars."),
        passage("The ferry carries 14 cars.", url="https://b.test/"),
    )
    assert {draft.value for draft in found[:2]} == {"12", "14"}


STRANGE = {
    "another subject": "How tall is Mount Everest?",
    "a name that is nowhere": "When was Zenobia Quist elected president of Guatemala?",
}


@pytest.mark.parametrize("question", STRANGE.values(), ids=STRANGE)
async def test_what_no_passage_answers_is_not_answered(question: str) -> None:
    assert await drafts(question, passage(PAGE, score=0.2)) == []


NOTHING = {
    "no passages": (),
    "empty ones": (passage(""), passage("  \n")),
    "headings alone": (passage("# The ferry leaves the harbour at noon"),),
}


@pytest.mark.parametrize("passages", NOTHING.values(), ids=NOTHING)
async def test_nothing_to_quote_is_no_answer(passages: tuple[Passage, ...]) -> None:
    assert await drafts("When does the ferry leave?", *passages) == []


def test_the_trees_are_small_and_know_only_features_that_are_made() -> None:
    judge, bar, limit = forests()
    assert 0 < limit < 1
    assert judge.columns
    assert bar.columns
