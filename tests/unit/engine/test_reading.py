"""Reading and answering: passages are exact, dead pages are data, citations are proven."""

from dataclasses import replace

import pytest

from gossamer.errors import Outcome, TimedOut, Unreachable
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import Query
from gossamer.ports import Call
from tests.unit.engine.world import SEARX, CannedHttp, Stuck, World, searxng_reply

FERRY, SKY, DEAD = "https://a.test/ferry", "https://a.test/sky", "https://dead.test/"
FERRY_TEXT = "# Ferries\n\nThe ferry leaves at noon. The ticket costs four euros.\n\n## Dogs\n\nDogs travel free."
SKY_TEXT = "# Sky\n\nThe comet was seen in March. The dome is closed on Mondays."


@pytest.fixture
def world() -> World:
    world = World()
    world.serve(FERRY, FERRY_TEXT)
    world.serve(SKY, SKY_TEXT)
    return world


async def test_passages_are_exact_spans_of_their_pages_best_first(world: World) -> None:
    reading = await world.engine().read([FERRY, SKY], ["When was the comet seen?"], world.call())
    pages = {page.url: page for page in reading.pages}
    for passage in reading.passages:
        assert pages[passage.url].text[passage.start : passage.end] == passage.text
    assert "comet" in reading.passages[0].text
    scores = [passage.score for passage in reading.passages]
    assert scores == sorted(scores, reverse=True)


async def test_every_question_gets_its_best_passage(world: World) -> None:
    queries = ["Do dogs pay?", "When is the dome closed?"]
    reading = await world.engine().read([FERRY, SKY], queries, world.call())
    best = {passage.query: passage.text for passage in reversed(reading.passages)}
    assert "Dogs travel free." in best[queries[0]]
    assert "Mondays" in best[queries[1]]


async def test_a_dead_page_is_named_beside_the_others(world: World) -> None:
    reading = await world.engine().read([FERRY, DEAD, FERRY], ["ferry"], world.call())
    assert [page.url for page in reading.pages] == [FERRY]
    assert [(f.who, f.outcome) for f in reading.failures] == [(DEAD, Outcome.UNREACHABLE)]


async def test_when_every_page_is_dead_the_error_says_how_many(world: World) -> None:
    with pytest.raises(Unreachable) as alone:
        await world.engine().read([DEAD], ["ferry"], world.call())
    assert "None of" not in str(alone.value)
    with pytest.raises(Unreachable, match="None of the 2 pages"):
        await world.engine().read([DEAD, "https://dead.test/2"], ["ferry"], world.call())


async def test_a_page_that_hangs_ends_with_the_call() -> None:
    world = World(web=Stuck())
    with pytest.raises(TimedOut):
        await world.engine().read([FERRY], ["ferry"], replace(world.call(), deadline=world.clock.monotonic() + 0.02))


async def test_vectors_are_made_once(world: World) -> None:
    engine = world.engine()
    first, again = world.call(), world.call()
    await engine.read([FERRY], ["ferry"], first)
    await engine.read([FERRY], ["dogs"], again)
    assert [part.name for part in first.parts].count("embed") == 1
    assert [part.name for part in again.parts].count("embed") == 0


async def test_an_answer_is_made_of_quotes_that_are_found_again(world: World) -> None:
    world.api.answers[f"{SEARX}/search"] = searxng_reply(FERRY, SKY, DEAD)
    answer = await world.engine().answer(Query(text="How much does the ferry ticket cost?"), world.call())
    assert answer.sentences[0].text == "The ticket costs four euros."
    texts = {FERRY: FERRY_TEXT, SKY: SKY_TEXT}
    for citation in answer.citations:
        assert texts[citation.url][citation.start : citation.end] == citation.quote
    assert answer.services == ("SearXNG",)
    assert [failure.who for failure in answer.failures] == [DEAD]


async def test_no_hits_is_an_answer_without_sentences(world: World) -> None:
    world.api.answers[f"{SEARX}/search"] = searxng_reply()
    answer = await world.engine().answer(Query(text="xyzzy", site="nowhere.test"), world.call())
    assert (answer.sentences, answer.citations) == ((), ())


async def test_a_hanging_page_does_not_cost_the_others() -> None:
    class HalfStuck(CannedHttp):
        async def send(self, request: HttpRequest, call: Call) -> HttpReply:
            return await (Stuck() if request.url == DEAD else super()).send(request, call)

    world = World(web=HalfStuck())
    world.serve(FERRY, FERRY_TEXT)
    call = replace(world.call(), deadline=world.clock.monotonic() + 0.5)
    reading = await world.engine().read([FERRY, DEAD], ["ferry"], call)
    assert "noon" in reading.passages[0].text
    assert [failure.outcome for failure in reading.failures] == [Outcome.TIMEOUT]
