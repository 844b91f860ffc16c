"""Answering: from a search, from addresses, from pages at hand; what is told of sources and of what was no use."""

import pytest

from gossamer.errors import Outcome, Unreachable
from gossamer.model.page import Page, PageInfo
from gossamer.model.search import Query
from tests.unit.engine.world import SEARX, World, searxng_reply

FERRY, SKY, DEAD = "https://ferry.test/", "https://sky.test/", "https://dead.test/"
FERRY_TEXT = "# Ferry\n\nThe ferry leaves the harbour at noon. The ticket costs four euros. Dogs travel free."
SKY_TEXT = "# Observatory\n\nThe dome opens on clear nights. It is closed on Mondays."


def page(url: str, text: str, *, published: str = "") -> Page:
    info = PageInfo(language="en", published=published)
    return Page(url=url, final_url=url, title=text.partition("\n")[0], text=text, fetched_at=0.0, info=info)


@pytest.fixture
def world() -> World:
    world = World()
    world.serve(FERRY, FERRY_TEXT)
    world.serve(SKY, SKY_TEXT)
    return world


async def test_pages_that_are_named_are_read_and_nothing_is_searched(world: World) -> None:
    question = Query(text="How much does the ferry ticket cost?")
    answer = await world.engine().answer(question, world.call(), urls=[FERRY, FERRY, DEAD], pages=[page("b", SKY_TEXT)])
    assert answer.sentences[0].text == "The ticket costs four euros."
    assert (answer.read, answer.services, world.api.asked) == (2, (), [])
    assert [(failure.who, failure.outcome) for failure in answer.failures] == [(DEAD, Outcome.UNREACHABLE)]


async def test_when_no_named_page_can_be_read_that_is_the_error(world: World) -> None:
    with pytest.raises(Unreachable, match="dead"):
        await world.engine().answer(Query(text="ferry?"), world.call(), urls=[DEAD])


async def test_of_many_pages_at_hand_the_best_are_read(world: World) -> None:
    others = [page(f"file:{n}", f"# Gulls\n\nGull number {n} likes chips of kind {n * n}.") for n in range(30)]
    pages = [*others, page("file:ferry", FERRY_TEXT)]
    engine = world.engine()
    for question in ("How much does the ferry ticket cost?", "Do dogs travel free on the ferry?"):
        answer = await engine.answer(Query(text=question), world.call(), pages=pages)
        assert {citation.url for citation in answer.citations[:1]} == {"file:ferry"}
        assert answer.read <= 8


async def test_what_is_not_answered_is_told_with_what_comes_closest(world: World) -> None:
    world.api.answers[f"{SEARX}/search"] = searxng_reply(FERRY, SKY)
    answer = await world.engine().answer(Query(text="How tall is Mount Everest?"), world.call())
    assert (answer.outcome, answer.sentences, answer.read) == (Outcome.NO_MATCH, (), 2)
    texts = {FERRY: FERRY_TEXT, SKY: SKY_TEXT}
    assert answer.closest
    for each in answer.closest:
        assert texts[each.url][each.start : each.end] == each.quote


async def test_copies_of_a_page_are_one_source(world: World) -> None:
    world.serve(SKY, FERRY_TEXT)
    world.api.answers[f"{SEARX}/search"] = searxng_reply(FERRY, SKY)
    answer = await world.engine().answer(Query(text="How much does the ferry ticket cost?"), world.call())
    assert (answer.read, {citation.url for citation in answer.citations}) == (1, {FERRY})


async def test_different_values_come_first_the_newest_before_the_others(world: World) -> None:
    old = page("file:old", "# Ferry\n\nThe ferry carries 12 cars.", published="2019-01-01")
    new = page("file:new", "# The ferry\n\nToday the ferry carries 14 cars.", published="2025-01-01")
    answer = await world.engine().answer(
        Query(text="How many cars does the ferry carry?"), world.call(), pages=[old, new]
    )
    assert [(each.value, answer.citations[each.citations[0] - 1].published) for each in answer.sentences[:2]] == [
        ("14", "2025-01-01"),
        ("12", "2019-01-01"),
    ]


async def test_a_long_passage_that_comes_closest_is_shortened(world: World) -> None:
    long = "# Lamps\n\n" + "the lamp is lit and burns and burns " * 40
    answer = await world.engine().answer(
        Query(text="Who won the election?"), world.call(), pages=[page("file:a", long)]
    )
    assert [len(each.quote) for each in answer.closest] == [240]
