"""What is close enough is found whoever else asks, and what an embedder made is not asked of it again."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest

from gossamer.engine import EngineOptions
from gossamer.errors import InvalidArgument, StoreError, Unreachable
from gossamer.model.page import Chunk, Page, Vectors
from gossamer.model.records import KeptReply
from gossamer.ports import Call, Heard, LanguageMix, unheard
from gossamer.steps.retrieval.chunk import chunk, with_headings
from gossamer.stores.memory import MemoryStore
from tests.unit.engine.world import World

URL = "https://a.test/boats"
WORDS = "The boat leaves. When does the boat leave the harbour? Ask when the boat leaves."
SENSE = "Departure of the vessel: twelve o'clock."
QUERY = "When does the boat leave the harbour?"
NEAR, FAR = b"\x00\x3c\x00\x00", b"\x00\x38\xee\x3a"
"""(1, 0) and (0.5, 0.866) in float16."""


@dataclass
class Sensible:
    """Finds close what speaks of a vessel; counts what it is given, and refuses a word as it is told."""

    texts: list[str] = field(default_factory=list)
    name: str = "sensible"
    refuses: str = "\0"
    is_away: bool = False

    def speaking(self, mix: LanguageMix) -> "Sensible":
        return self

    async def embed(self, texts: Sequence[str], call: Call, heard: Heard = unheard) -> Vectors:
        if self.is_away:
            raise Unreachable("The embedding server is away.", hint="Start it.")
        if any(self.refuses in text for text in texts):
            raise InvalidArgument("The embedding server did not accept our texts (400).", hint="Look at it.")
        self.texts += texts
        return self._of(texts)

    async def ask(self, questions: Sequence[str], call: Call) -> Vectors:
        return Vectors(model=self.name, dimension=2, data=NEAR * len(questions))

    def _of(self, texts: Sequence[str]) -> Vectors:
        rows = [NEAR if "vessel" in text else FAR for text in texts]
        return Vectors(model=self.name, dimension=2, data=b"".join(rows))


def sections(*texts: str) -> str:
    return "\n\n".join(f"## Part {number}\n\n{text}" for number, text in enumerate(texts))


@pytest.fixture
def embedder() -> Sensible:
    return Sensible()


@pytest.fixture
def world(embedder: Sensible) -> World:
    return World(embedder=embedder)


@pytest.mark.parametrize("count", [1, 2, 8])
async def test_what_is_too_far_takes_no_place_of_what_is_close(world: World, count: int) -> None:
    world.serve(URL, sections(WORDS, WORDS.upper(), SENSE, "In winter no vessel sails at night.", "Cats sleep."))
    engine = world.engine()
    page = await engine.fetch(URL, world.call())
    reading = await engine.read_page(page, [QUERY], world.call(), max_results=count, min_score=0.72)
    assert len(reading.passages) == min(count, 2)
    assert all("vessel" in passage.text and passage.score > 0.99 for passage in reading.passages)
    assert reading.far == {}


async def test_the_best_score_of_what_is_too_far_is_that_of_the_whole_page(world: World) -> None:
    world.serve(URL, sections(WORDS, "Cats sleep."))
    engine = world.engine()
    page = await engine.fetch(URL, world.call())
    reading = await engine.read_page(page, [QUERY, "cats"], world.call(), max_results=1, min_score=0.72)
    assert reading.passages == ()
    assert reading.far == {QUERY: pytest.approx(0.5), "cats": pytest.approx(0.5)}


TEN = [f"Where does ferry number {number} go" for number in range(10)]
ISLANDS = ["Aria", "Bruma", "Celo", "Dorsa", "Elba", "Farol", "Goro", "Hesper", "Iona", "Jura"]


async def test_no_question_of_several_is_lost() -> None:
    world = World()
    lines = [f"Ferry number {number} goes to {island} island." for number, island in enumerate(ISLANDS)]
    lines = [line + "".join(f" It is slow boat {day} of {line[13]}." for day in range(20)) for line in lines]
    world.serve(URL, "# Ferries\n\n" + "\n\n".join(lines))
    reading = await world.engine().read([URL], TEN, world.call(), max_results=1, budget_tokens=300)
    for query, island in zip(TEN, ISLANDS, strict=True):
        theirs = [one.text for one in reading.passages if query in (one.query, *one.also)]
        assert any(island in text for text in theirs), query
    assert len(reading.passages) <= 10
    assert any(passage.batch for passage in reading.passages), "what does not fit comes later"


async def test_a_query_in_another_language_changes_nothing_for_the_others() -> None:
    world = World()
    world.serve(URL, sections("The ferry leaves at noon from the old pier.", "The ticket for a dog costs four euros."))
    engine = world.engine()
    page = await engine.fetch(URL, world.call())
    english, spanish = (
        "When does the ferry leave from the pier?",
        "¿Cuánto cuesta el billete para un perro en la barca?",
    )
    together = await engine.read_page(page, [english, spanish, english], world.call(), max_results=2)
    alone = [
        (await engine.read_page(page, [query], world.call(), max_results=2)).passages for query in (english, spanish)
    ]
    assert together.passages == tuple(passage for each in alone for passage in each)
    assert len(together.passages) > 3


async def test_a_text_that_returns_needs_no_embedder_after_a_restart(world: World, embedder: Sensible) -> None:
    former, other = sections(*(f"Boat {n} leaves at {n}." for n in range(9))), sections("All boats are away.")
    engine = world.engine()
    for text in (former, other, former):
        world.serve(URL, text)
        world.clock.time += 60
        await engine.read([URL], [QUERY], world.call(), force_refresh=True)
    embedder.texts.clear()
    reading = await world.engine().read([URL], [QUERY], world.call())
    assert reading.ranking.model == "sensible"
    assert embedder.texts == []


LONG = "# Boats\n\n" + " ".join(f"Boat {number} leaves the harbour at {number} o'clock." for number in range(60))


@pytest.mark.parametrize("way", ["read", "forced", "reembed"])
async def test_a_smaller_chunk_size_holds_for_kept_pages_too(world: World, embedder: Sensible, way: str) -> None:
    world.serve(URL, LONG, etag='"1"')
    await world.engine().read([URL], [QUERY], world.call())
    world.limits = replace(world.limits, chunk_tokens=32)
    store = world.store
    assert store
    embedder.texts.clear()
    engine = world.engine()
    if way == "reembed":
        await engine.reembed(world.call())
    else:
        world.clock.time += 60
        await engine.read([URL], [QUERY], world.call(), force_refresh=way == "forced")
    page = await store.page(URL)
    assert page
    chunks = await store.chunks(page)
    assert max(each.tokens for each in chunks) <= 32
    assert [text for text in embedder.texts if text.startswith("Boats")] == [with_headings(each) for each in chunks]
    vectors = await store.vectors(page, "sensible")
    assert vectors
    assert len(vectors.data) == 4 * len(chunks)
    embedder.texts.clear()
    await world.engine().read([URL], [QUERY], world.call())
    assert embedder.texts == [], "and that once"


class Full(MemoryStore):
    """Takes no page any more once it is full."""

    is_full = False

    async def save(self, page: Page, chunks: Sequence[Chunk], reply: KeptReply | None = None) -> Page:
        if self.is_full:
            raise StoreError("The disk is full.", hint="Make room.")
        return await super().save(page, chunks, reply)


async def test_a_page_that_cannot_be_kept_as_it_is_cut_now_is_read_all_the_same(world: World) -> None:
    world.serve(URL, LONG)
    world.store = store = Full()
    await world.engine().read([URL], [QUERY], world.call())
    world.limits, store.is_full = EngineOptions(chunk_tokens=32), True
    call = world.call()
    reading = await world.engine().read([URL], [QUERY], call)
    assert reading.passages
    assert any("disk is full" in note for note in call.log.notes)


async def test_a_very_long_page_is_not_written_again_by_every_reembedding(world: World) -> None:
    class Counting(MemoryStore):
        saves = 0

        async def save(self, page: Page, chunks: Sequence[Chunk], reply: KeptReply | None = None) -> Page:
            self.saves += 1
            return await super().save(page, chunks, reply)

    world.store, world.limits = Counting(), EngineOptions(chunk_tokens=32)
    world.serve(URL, "\n\n".join(f"Boat {n} sails to island {n} at noon, and back at night {n}." for n in range(9_000)))
    await world.engine().fetch(URL, world.call())
    for _ in range(2):
        assert (await world.engine().reembed(world.call())).left == {}
    assert world.store.saves == 1


async def test_a_page_that_a_server_refuses_does_not_stop_the_others(world: World, embedder: Sensible) -> None:
    engine = world.engine()
    for number, text in enumerate(("One boat.", "A poisoned boat.", "Three boats.")):
        world.serve(f"{URL}/{number}", text)
        await engine.fetch(f"{URL}/{number}", world.call())
    embedder.refuses = "poisoned"
    done = await engine.reembed(world.call())
    assert (done.pages, done.made, [*done.left]) == (3, 2, [f"{URL}/1"])
    assert "did not accept" in done.left[f"{URL}/1"].message
    embedder.refuses = "\0"
    again = await engine.reembed(world.call())
    assert (again.made, again.left) == (1, {})


async def test_a_server_that_goes_away_ends_it_with_its_sentence(world: World, embedder: Sensible) -> None:
    engine = world.engine()
    world.serve(URL, "One boat.")
    await engine.fetch(URL, world.call())
    embedder.is_away = True
    with pytest.raises(Unreachable, match="is away"):
        await engine.reembed(world.call())


async def test_the_vectors_of_others_stay_while_a_page_is_left(world: World, embedder: Sensible) -> None:
    world.serve(URL, "A poisoned boat.")
    await world.engine().read([URL], [QUERY], world.call())
    world.embedder = Sensible(name="other", refuses="poisoned")
    done = await world.engine().reembed(world.call())
    assert (done.dropped, len(done.left)) == ((), 1)
    store = world.store
    assert store
    assert "sensible" in await store.models()


class Filling(MemoryStore):
    """Has room for the vectors of so many pages, and again for all after it has refused once."""

    def __init__(self, room: int, *, is_freed: bool = False) -> None:
        super().__init__()
        self.room = room
        self.is_freed = is_freed

    async def save_vectors(self, page: Page, vectors: Vectors) -> None:
        if not self.room:
            self.room = 9 if self.is_freed else 0
            raise StoreError("The disk is full.", hint="Make room.")
        self.room -= 1
        await super().save_vectors(page, vectors)


@pytest.mark.parametrize("is_freed", [False, True])
async def test_a_page_whose_vectors_could_not_be_kept_is_left_and_no_more_are_asked_for(
    world: World, is_freed: bool
) -> None:
    world.store = store = Filling(3, is_freed=is_freed)
    for number in range(3):
        world.serve(f"{URL}/{number}", f"Boat {number}.")
        await world.engine().read([f"{URL}/{number}"], [QUERY], world.call())
    store.room = 1
    world.embedder = other = Sensible(name="other")
    done = await world.engine().reembed(world.call())
    assert (done.pages, done.made, done.dropped) == (3, 1, ())
    assert [str(why) for why in done.left.values()] == ["The disk is full. Make room."] * 2
    assert len([text for text in other.texts if "Boat" in text]) == 2
    assert {"sensible", "other"} == set(await store.models())
    store.room = 9
    again = await world.engine().reembed(world.call())
    assert (again.made, again.left, again.dropped) == (2, {}, ("sensible",))


async def test_a_page_that_cannot_be_kept_as_it_is_cut_now_is_left(world: World) -> None:
    world.serve(URL, LONG)
    world.store = store = Full()
    await world.engine().read([URL], [QUERY], world.call())
    world.limits, store.is_full = EngineOptions(chunk_tokens=32), True
    done = await world.engine().reembed(world.call())
    assert (done.made, [*done.left]) == (0, [URL])


@pytest.mark.parametrize("is_removed", [False, True])
async def test_a_page_that_changes_meanwhile_is_left_and_one_that_is_removed_is_not_missed(
    world: World, is_removed: bool
) -> None:
    class Moving(Sensible):
        async def embed(self, texts: Sequence[str], call: Call, heard: Heard = unheard) -> Vectors:
            page = await store.page(URL)
            if page and any("boat" in text for text in texts):
                await store.remove(URL)
                if not is_removed:
                    await store.save(replace(page, text="Another."), chunk(URL, "Another.", size=99))
            return await super().embed(texts, call, heard)

    world.serve(URL, "One boat.")
    world.store = store = MemoryStore()
    await world.engine().fetch(URL, world.call())
    world.embedder = Moving()
    done = await world.engine().reembed(world.call())
    assert (done.made, [*done.left]) == (0, [] if is_removed else [URL])
