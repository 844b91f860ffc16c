"""Reading and answering: passages are exact, dead pages are data, citations are proven."""

from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import urlsplit

import pytest

from gossamer.embedders.local import LocalEmbedder
from gossamer.errors import BadSettings, BlockedAddress, Outcome, StoreError, TimedOut, Unreachable
from gossamer.model.answer import Reading
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.page import Chunk, Extracted, Page, Vectors, View
from gossamer.model.search import Query
from gossamer.ports import Call, Heard, LanguageMix, unheard
from gossamer.stores.memory import MemoryStore
from tests.unit.engine.world import SEARX, CannedHttp, PlainExtractor, Stuck, World, searxng_reply

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
        assert 0 <= passage.score <= 1
    assert "comet" in reading.passages[0].text
    assert reading.passages[0].score == max(passage.score for passage in reading.passages)


async def test_passages_come_in_the_order_of_the_pages_when_asked(world: World) -> None:
    reading = await world.engine().read([FERRY, SKY], ["Do dogs look at the comet?"], world.call(), order="page")
    places = [([FERRY, SKY].index(passage.url), passage.start) for passage in reading.passages]
    assert len(places) > 1
    assert places == sorted(places)


async def test_passages_are_chosen_again_for_the_room_there_is_without_another_fetch(world: World) -> None:
    seen: list[int] = []

    def room_for(reading: Reading) -> int:
        seen.append(reading.budget_tokens)
        return reading.budget_tokens - 10

    engine, asked = world.engine(), ([FERRY], ["What does the ticket cost?"])
    reading = await engine.read(*asked, world.call(), budget_tokens=60, room_for=room_for)
    assert (seen, reading.budget_tokens) == ([60, 50], 40)
    assert len(world.web.asked) == 1
    assert reading == await engine.read(*asked, world.call(), budget_tokens=40)


async def test_a_page_that_is_a_copy_of_another_is_shown_once_and_named(world: World) -> None:
    mirror = "https://mirror.test/ferry"
    world.serve(mirror, FERRY_TEXT)
    engine, asked = world.engine(), ["What does the ticket cost?"]
    alone = await engine.read([FERRY, SKY], asked, world.call())
    assert ({passage.url for passage in alone.passages}, alone.notes) == ({FERRY, SKY}, ())
    for urls in ([FERRY, mirror, SKY], [FERRY, SKY, mirror]):
        reading = await engine.read(urls, asked, world.call())
        assert [page.url for page in reading.pages] == urls
        assert reading.passages == alone.passages
        assert reading.notes == (f"{mirror} has the same text as {FERRY}, which is shown once.",)


class Warns(PlainExtractor):
    """Says something of every page that it reads."""

    async def extract(self, reply: HttpReply, view: View, call: Call) -> Extracted:
        extracted = await super().extract(reply, view, call)
        return replace(extracted, outcome=Outcome.PAYWALL, message=f"{extracted.title} is for those who pay.")


async def test_what_a_page_says_of_itself_reaches_the_reader(world: World) -> None:
    world.extractor = Warns()
    engine = world.engine()
    alone = await engine.read([FERRY], ["When?"], world.call())
    assert (alone.outcome, alone.notes) == (Outcome.PAYWALL, ("Ferries is for those who pay.",))
    both = await engine.read([FERRY, SKY], ["When?"], world.call())
    assert both.notes == (f"{FERRY}: Ferries is for those who pay.", f"{SKY}: Sky is for those who pay.")
    plain = replace(alone.pages[0], outcome=Outcome.OK)
    assert replace(alone, pages=(*alone.pages, plain)).outcome is Outcome.OK
    assert replace(alone, pages=(plain,), passages=()).outcome is Outcome.NO_MATCH


async def test_the_same_page_again_asks_neither_the_embedder_nor_the_lexicon_for_it(world: World) -> None:
    looked_up: list[int] = []

    class Counting(LocalEmbedder):
        def look_up(self, texts: Sequence[str], mix: LanguageMix) -> Vectors:
            looked_up.append(len(texts))
            return super().look_up(texts, mix)

    world.lexicon = Counting()
    engine = world.engine()
    await engine.read([FERRY], ["When does the ferry leave?"], world.call())
    again = world.call()
    await engine.read([FERRY], ["ticket"], again)
    assert looked_up[0] > 10
    assert looked_up[1:] == [3, 2], "the first question with its two words, the second with its one"
    assert [part.name for part in again.log.parts] == ["rank"]


async def test_another_language_in_the_question_reads_the_same_page_with_the_other_table(world: World) -> None:
    engine = world.engine()
    asked = ["How much is the ticket?", "Wie viel kostet die Karte für die Fähre?"]
    for question in asked:
        reading = await engine.read([FERRY], [question], world.call(), budget_tokens=40)
        assert "four euros" in reading.passages[0].text


async def test_pages_in_two_languages_are_ranked_together(world: World) -> None:
    german = "https://a.test/hund"
    world.serve(german, "# Hunde\n\nHunde fahren im Winter nicht mit. Die Bahn ist dann zu voll und zu kalt für sie.")
    reading = await world.engine().read([FERRY, german], ["Do dogs travel free?"], world.call())
    assert {passage.url for passage in reading.passages} == {FERRY, german}
    assert "Dogs travel free." in reading.passages[0].text


async def test_an_empty_page_has_no_passages(world: World) -> None:
    world.serve("https://a.test/empty", "")
    reading = await world.engine().read(["https://a.test/empty"], ["ferry"], world.call())
    assert reading.passages == ()


@pytest.mark.promise("001.54")
async def test_a_page_is_searched_alone_though_another_in_the_library_answers_better(world: World) -> None:
    engine = world.engine()
    await engine.fetch(SKY, world.call())
    page = await engine.fetch(FERRY, world.call())
    for question in ("When was the comet seen?", "What does the ticket cost?"):
        reading = await engine.read_page(page, [question], world.call(), max_results=50)
        assert {passage.url for passage in reading.passages} == {FERRY}
        assert all(passage.text in page.text for passage in reading.passages)


async def test_every_query_of_one_page_has_a_list_of_its_own(world: World) -> None:
    engine = world.engine()
    page = await engine.fetch(FERRY, world.call())
    queries = ["What does the ticket cost?", "Do dogs pay?"]
    reading = await engine.read_page(page, queries, world.call(), max_results=1, budget_tokens=20)
    assert [passage.query for passage in reading.passages] == queries
    assert "four euros" in reading.passages[0].text
    assert "Dogs travel free." in reading.passages[1].text


@pytest.mark.promise("001.72")
async def test_what_is_not_close_enough_is_left_out(world: World) -> None:
    engine = world.engine()
    page = await engine.fetch(FERRY, world.call())
    near = await engine.read_page(page, ["ferry ticket costs euros"], world.call(), min_score=0.72)
    far = await engine.read_page(page, ["quantum chromodynamics"], world.call(), min_score=0.72)
    assert all(passage.score >= 0.72 for passage in near.passages)
    assert near.passages
    assert far.passages == ()


class Broken(LocalEmbedder):
    """An embedder that is away."""

    def speaking(self, mix: LanguageMix) -> "Broken":
        return self

    async def embed(self, texts: Sequence[str], call: Call, heard: Heard = unheard) -> Vectors:
        raise Unreachable("The embedding server is away.", hint="Start it.")


class Uneven(LocalEmbedder):
    """An embedder that answers questions with another dimension than pages."""

    def __init__(self) -> None:
        super().__init__()
        self.name = "uneven"
        self.asked_dimension = 96

    def speaking(self, mix: LanguageMix) -> "Uneven":
        return self

    async def embed(self, texts: Sequence[str], call: Call, heard: Heard = unheard) -> Vectors:
        return Vectors(model="uneven", dimension=64, data=b"\x00\x3c" * 64 * len(texts))

    async def ask(self, questions: Sequence[str], call: Call) -> Vectors:
        dimension = self.asked_dimension
        return Vectors(model="uneven", dimension=dimension, data=b"\x00\x3c" * dimension * len(questions))


@pytest.mark.parametrize("cache", ["no-store", "max-age=60"])
async def test_a_model_that_answers_questions_in_another_dimension_is_an_error_until_it_is_mended(
    world: World, cache: str
) -> None:
    world.embedder = embedder = Uneven()
    world.serve(FERRY, FERRY_TEXT, cache_control=cache)
    engine = world.engine()
    for _ in range(2):
        with pytest.raises(BadSettings, match="uneven answers with 96 numbers") as caught:
            await engine.read([FERRY], ["Do dogs travel free?"], world.call())
        assert caught.value.hint
    embedder.asked_dimension = 64
    call = world.call()
    reading = await engine.read([FERRY], ["Do dogs travel free?"], call)
    assert (reading.ranking.model, call.log.notes) == ("uneven", [])


async def test_without_vectors_words_decide_and_no_threshold_holds(world: World) -> None:
    world.embedder = Broken()
    engine, call = world.engine(), world.call()
    page = await engine.fetch(FERRY, call)
    reading = await engine.read_page(page, ["Do dogs travel free?"], call, min_score=0.99)
    assert "Dogs travel free." in reading.passages[0].text
    assert any("embedding server is away" in note for note in call.log.notes)


NO_WORD = {
    "one question": (["zqx vvk"], "No word of the question occurs there."),
    "two of three": (["zqx", "dogs", "vvk"], "No word of question 1, 3 occurs there."),
    "none": (["dogs", "ferries"], ""),
}


@pytest.mark.parametrize(("queries", "said"), NO_WORD.values(), ids=NO_WORD)
async def test_without_vectors_it_is_said_that_no_word_of_a_question_occurs(
    queries: list[str], said: str, world: World
) -> None:
    world.embedder = Broken()
    expected = (said,) if said else ()
    engine = world.engine()
    reading = await engine.read([FERRY], queries, world.call())
    assert reading.notes == expected
    assert (await engine.read_page(reading.pages[0], queries, world.call())).notes == expected
    world.embedder = LocalEmbedder()
    assert (await world.engine().read([FERRY], queries, world.call())).notes == ()


class Deaf(LocalEmbedder):
    """An embedder that went away after the page was given vectors."""

    def speaking(self, mix: LanguageMix) -> "Deaf":
        return self

    async def ask(self, questions: Sequence[str], call: Call) -> Vectors:
        raise Unreachable("The embedding server is away.", hint="Start it.")


async def test_no_threshold_holds_where_the_question_has_no_vector(world: World) -> None:
    world.embedder = Deaf()
    engine, call = world.engine(), world.call()
    page = await engine.fetch(FERRY, call)
    every = await engine.read_page(page, ["ticket dogs", "four euros"], call, max_results=4)
    close = await engine.read_page(page, ["ticket dogs", "four euros"], call, max_results=4, min_score=0.99)
    assert min(passage.score for passage in every.passages) < 0.99, "some are not the best"
    assert close.passages == every.passages


async def test_a_library_that_cannot_be_read_costs_nothing_but_a_note(world: World) -> None:
    class Unreadable(MemoryStore):
        async def chunks(self, page: Page) -> tuple[Chunk, ...]:
            raise StoreError("The file is damaged.", hint="Remove it.")

    world.store = Unreadable()
    call = world.call()
    reading = await world.engine().read([FERRY], ["Do dogs travel free?"], call)
    assert "Dogs travel free." in reading.passages[0].text
    assert any("file is damaged" in note for note in call.log.notes)


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
    assert [part.name for part in first.log.parts].count("embed") == 1
    assert [part.name for part in again.log.parts].count("embed") == 0


async def test_an_answer_is_made_of_quotes_that_are_found_again(world: World) -> None:
    world.api.answers[f"{SEARX}/search"] = searxng_reply(FERRY, SKY, DEAD)
    answer = await world.engine().answer(Query(text="How much does the ferry ticket cost?"), world.call())
    assert answer.sentences[0].text == "The ticket costs four euros."
    texts = {FERRY: FERRY_TEXT, SKY: SKY_TEXT}
    for citation in answer.citations:
        assert texts[citation.url][citation.start : citation.end] == citation.quote
    assert answer.services == ("SearXNG",)
    (failure,) = answer.failures
    assert (failure.who, failure.position, failure.message, failure.hint, failure.quote) == (DEAD, 3, "", "", "")


@pytest.mark.parametrize("urls", [(DEAD,), (DEAD, "http://obey-me.test:81/")])
async def test_an_answer_none_of_whose_pages_came_names_no_host_that_a_service_chose(
    world: World, urls: tuple[str, ...]
) -> None:
    world.api.answers[f"{SEARX}/search"] = searxng_reply(*urls)
    for url in urls:
        host = urlsplit(url).hostname
        refused = BlockedAddress(f"{host} is not on the public web.", hint=f"Open {host}.").quoting(f"{host}")
        world.web.answers[url] = refused
    with pytest.raises(BlockedAddress) as caught:
        await world.engine().answer(Query(text="How much is a ticket?"), world.call())
    outcomes = ", ".join(["refused"] * len(urls))
    assert caught.value.message == f"No page of the {len(urls)} results could be read: {outcomes}."
    assert "test" not in f"{caught.value} {caught.value.quote}"


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
