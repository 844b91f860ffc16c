"""What is asked of an embedder, and what is known without asking."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import pytest

from gossamer.compose import SystemClock, new_call
from gossamer.engine.vectors import MOST_CHARS, REMEMBERED_BYTES, ChunkVectors
from gossamer.errors import BadSettings, GossamerError, RateLimited, StoreUnavailable, TimedOut, Unreachable
from gossamer.model.page import FormerVectors, Page, Vectors
from gossamer.ports import Call, Heard, LanguageMix, unheard
from gossamer.resilience.single_flight import LeasedFlight
from gossamer.states.memory import MemoryState
from gossamer.steps.retrieval.chunk import chunk, with_headings
from gossamer.stores.memory import MemoryStore
from tests.unit.engine.world import SetClock

URL = "https://a.test/page"
PARAGRAPHS = [
    f"Paragraph {number} says that boat {number} leaves the harbour at {number} o'clock." for number in range(40)
]


@dataclass
class Embedder:
    """Vectors that name their text; counts, and fails as told."""

    name: str = "small"
    dimension: int = 2
    texts: list[str] = field(default_factory=list)
    fault: Callable[[int], GossamerError | None] = lambda _done: None
    family: dict[LanguageMix, str] = field(default_factory=dict)
    gate: asyncio.Event | None = None
    begun: asyncio.Event = field(default_factory=asyncio.Event)

    def speaking(self, mix: LanguageMix) -> "Embedder":
        return replace(self, name=self.family.get(mix, self.name))

    async def embed(self, texts: Sequence[str], call: Call, heard: Heard = unheard) -> Vectors:
        self.begun.set()
        if self.gate:
            await self.gate.wait()
        if error := self.fault(len(self.texts)):
            raise error
        self.texts += texts
        return Vectors(model=self.name, dimension=self.dimension, data=b"".join(map(self.row, texts)))

    async def ask(self, questions: Sequence[str], call: Call) -> Vectors:
        return await self.embed(questions, call)

    def row(self, text: str) -> bytes:
        return (sum(text.encode()) % 65_521).to_bytes(2, "little") * self.dimension


def page_of(paragraphs: Sequence[str], *, at: float = 1.0) -> Page:
    text = "# Boats\n\n" + "\n\n".join(paragraphs)
    return Page(url=URL, final_url=URL, title="Boats", text=text, fetched_at=at)


async def kept(store: MemoryStore, page: Page) -> Page:
    return await store.save(page, chunk(page.url, page.text, size=32))


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def call() -> Call:
    return Call(clock=SetClock())


async def made(store: MemoryStore, page: Page, embedder: Embedder, call: Call) -> Vectors | None:
    return await ChunkVectors(store=store).of_chunks(page, chunk(URL, page.text, size=32), embedder, call)


async def test_chunks_are_embedded_once_with_their_headings(store: MemoryStore, call: Call):
    page, embedder = await kept(store, page_of(PARAGRAPHS)), Embedder()
    chunks = chunk(URL, page.text, size=32)
    first = await made(store, page, embedder, call)
    assert embedder.texts == [with_headings(each) for each in chunks]
    assert first == Vectors(model="small", dimension=2, data=b"".join(embedder.row(with_headings(c)) for c in chunks))
    assert await made(store, page, embedder, call) == first
    assert len(embedder.texts) == len(chunks)
    assert call.log.notes == []


async def test_of_a_monstrous_page_every_chunk_is_embedded_by_its_beginning(store: MemoryStore, call: Call):
    page, embedder = page_of(["word " * 300_000, *PARAGRAPHS, "last " * 300_000]), Embedder()
    chunks, vectors = chunk(URL, page.text, size=32), await made(store, page, embedder, call)
    assert len(vectors.data if vectors else b"") == 4 * len(chunks)
    assert sum(map(len, embedder.texts)) <= MOST_CHARS < len(page.text)
    distinct = {each.id: with_headings(each) for each in chunks}.values()
    assert all(text and whole.startswith(text) for text, whole in zip(embedder.texts, distinct, strict=True))


@pytest.mark.promise("001.55")
async def test_an_edited_paragraph_is_all_that_is_embedded_again(store: MemoryStore, call: Call):
    page, embedder = await kept(store, page_of(PARAGRAPHS)), Embedder()
    await made(store, page, embedder, call)
    before = {each.id for each in chunk(URL, page.text, size=32)}
    embedder.texts.clear()
    edited = await kept(store, page_of([*PARAGRAPHS[:20], "Boat 20 is being repaired.", *PARAGRAPHS[21:]], at=2.0))
    chunks = chunk(URL, edited.text, size=32)
    vectors = await made(store, edited, embedder, call)
    assert embedder.texts == [with_headings(each) for each in chunks if each.id not in before]
    assert 1 <= len(embedder.texts) <= 3
    assert vectors is not None
    assert vectors.data == b"".join(embedder.row(with_headings(each)) for each in chunks)


async def test_a_text_that_moved_or_returned_needs_no_embedder(store: MemoryStore, call: Call):
    page, embedder = await kept(store, page_of(PARAGRAPHS)), Embedder()
    first = await made(store, page, embedder, call)
    other = await kept(store, page_of(PARAGRAPHS[:1], at=2.0))
    again = await kept(store, page_of(PARAGRAPHS, at=3.0))
    embedder.texts.clear()
    assert await made(store, again, embedder, call) == first
    assert embedder.texts == []
    assert other.version == 2


@pytest.mark.promise("001.51")
async def test_another_model_makes_all_vectors_again_and_says_so(store: MemoryStore, call: Call):
    page, old, new = await kept(store, page_of(PARAGRAPHS)), Embedder(), Embedder(name="large", dimension=3)
    await made(store, page, old, call)
    vectors = await made(store, page, new, call)
    assert vectors is not None
    assert (vectors.model, vectors.dimension) == ("large", 3)
    assert len(new.texts) == len(old.texts)
    (note,) = call.log.notes
    assert "small" in note
    assert "large" in note
    assert "gossamer library reembed" in note
    assert await made(store, page, old, call) == await store.vectors(page, "small")
    assert len(old.texts) == len(new.texts)


async def test_going_from_one_language_to_another_is_no_change_of_model(store: MemoryStore, call: Call):
    page = await kept(store, page_of(PARAGRAPHS))
    english = Embedder(family={"english": "english", "other": "multilingual", "mixed": "foreign"})
    for mix in ("english", "mixed", "other", "english"):
        await made(store, page, english.speaking(mix), call)
    assert call.log.notes == []


@pytest.mark.promise("001.53")
async def test_a_model_that_changed_its_dimension_fails_fast_with_the_way_out(store: MemoryStore, call: Call):
    page = await kept(store, page_of(PARAGRAPHS))
    await made(store, page, Embedder(), call)
    vectors, grown = ChunkVectors(store=store), Embedder(dimension=3)
    edited = await kept(store, page_of(PARAGRAPHS[1:], at=2.0))
    with pytest.raises(
        BadSettings, match="answers with 3 numbers per text, but the library keeps vectors of 2"
    ) as told:
        await vectors.of_questions(["when?"], grown, call)
    assert "gossamer library reembed" in told.value.hint
    other = replace(page_of(PARAGRAPHS), url="https://a.test/other")
    await store.save(other, chunk(other.url, other.text, size=32))
    with pytest.raises(BadSettings):
        await vectors.of_chunks(other, chunk(other.url, other.text, size=32), grown, call)
    assert await store.models() == {"small": 2}
    assert await store.vectors(other, "small") is None
    assert await made(store, edited, Embedder(), call) is not None


FAULTS = {
    "away": Unreachable("The server is away.", hint="Start it."),
    "late": TimedOut("The server is late.", hint="Wait."),
    "limiting": RateLimited("The server"),
}


@pytest.mark.parametrize("error", FAULTS.values(), ids=FAULTS)
async def test_without_an_embedder_a_note_says_so_and_nothing_is_kept(
    error: GossamerError, store: MemoryStore, call: Call
):
    page, vectors = await kept(store, page_of(PARAGRAPHS)), ChunkVectors(store=store)
    broken = Embedder(fault=lambda _done: error)
    assert await vectors.of_chunks(page, chunk(URL, page.text, size=32), broken, call) is None
    assert await vectors.of_questions(["when?"], broken, call) is None
    assert len(call.log.notes) == 1
    assert str(error) in call.log.notes[0]
    assert [part.outcome for part in call.log.parts] == [error.outcome, error.outcome]
    assert await store.models() == {}
    whole = Embedder()
    assert await vectors.of_chunks(page, chunk(URL, page.text, size=32), whole, call) is not None


async def test_that_there_are_no_vectors_is_said_once_whatever_the_reasons(store: MemoryStore, call: Call):
    page, vectors = await kept(store, page_of(PARAGRAPHS)), ChunkVectors(store=store)
    for reason in ("Nobody answers.", "It was left alone for a while."):
        away = Unreachable(reason, hint="Start it.")
        broken = Embedder(fault=lambda _done, away=away: away)
        assert await vectors.of_chunks(page, chunk(URL, page.text, size=32), broken, call) is None
        assert await vectors.of_questions(["when?"], broken, call) is None
    assert len(call.log.notes) == 1
    assert "Nobody answers." in call.log.notes[0]


async def test_a_call_that_is_over_gets_the_error_itself(store: MemoryStore):
    page, clock = await kept(store, page_of(PARAGRAPHS)), SetClock()
    broken = Embedder(fault=lambda _done: FAULTS["late"])
    over = Call(clock=clock, deadline=clock.monotonic())
    with pytest.raises(TimedOut):
        await made(store, page, broken, over)
    ended = Call(clock=clock)
    ended.cancelled.set()
    with pytest.raises(TimedOut):
        await made(store, page, broken, ended)


async def test_what_was_embedded_before_a_failure_is_not_embedded_again(store: MemoryStore, call: Call):
    long = await kept(store, page_of([f"{text} {number}" for number in range(20) for text in PARAGRAPHS]))
    chunks = chunk(URL, long.text, size=32)
    assert len(chunks) > 600
    vectors = ChunkVectors(store=store)
    embedder = Embedder(fault=lambda done: FAULTS["late"] if done == 512 else None)
    assert await vectors.of_chunks(long, chunks, embedder, call) is None
    assert len(embedder.texts) == 512
    embedder.fault = lambda _done: None
    found = await vectors.of_chunks(long, chunks, embedder, call)
    assert len(embedder.texts) == len(chunks)
    assert found is not None
    assert found.data == b"".join(embedder.row(with_headings(each)) for each in chunks)
    assert vectors._unfinished == {}


async def test_what_is_remembered_of_an_unfinished_page_is_bounded_by_its_bytes(store: MemoryStore, call: Call):
    long = await kept(store, page_of([f"{text} {number}" for number in range(20) for text in PARAGRAPHS]))
    chunks = chunk(URL, long.text, size=32)
    vectors, longest = ChunkVectors(store=store), 20_000
    embedder = Embedder(dimension=longest, fault=lambda done: FAULTS["late"] if done == 512 else None)
    assert await vectors.of_chunks(long, chunks, embedder, call) is None
    rows = list(vectors._unfinished)
    assert sum(map(len, vectors._unfinished.values())) <= REMEMBERED_BYTES < (len(rows) + 1) * 2 * longest
    assert rows[-1] == ("small", chunks[511].id)


async def test_two_processes_that_read_a_page_at_once_embed_it_once(store: MemoryStore):
    page, state = await kept(store, page_of(PARAGRAPHS)), MemoryState(clock=SystemClock())
    chunks, embedder = chunk(URL, page.text, size=32), Embedder(gate=asyncio.Event())
    ours, theirs = (ChunkVectors(store=store, leased_flight=LeasedFlight(state, SystemClock())) for _ in range(2))
    calls = [new_call(), new_call()]
    tasks = [
        asyncio.create_task(each.of_chunks(page, chunks, embedder, call))
        for each, call in zip((ours, theirs), calls, strict=True)
    ]
    await embedder.begun.wait()
    assert embedder.gate
    embedder.gate.set()
    first, second = await asyncio.gather(*tasks)
    assert first == second
    assert len(embedder.texts) == len(chunks)
    assert all(not call.log.notes for call in calls)


async def test_a_process_that_waits_in_vain_embeds_by_itself(store: MemoryStore):
    page, state = await kept(store, page_of(PARAGRAPHS)), MemoryState(clock=SystemClock())
    chunks, embedder = chunk(URL, page.text, size=32), Embedder()
    blocked = Embedder(gate=asyncio.Event())
    ours, theirs = (ChunkVectors(store=store, leased_flight=LeasedFlight(state, SystemClock())) for _ in range(2))
    stuck = asyncio.create_task(theirs.of_chunks(page, chunks, blocked, new_call()))
    await blocked.begun.wait()
    assert await ours.of_chunks(page, chunks, embedder, new_call(timeout_s=4)) is not None
    assert len(embedder.texts) == len(chunks)
    stuck.cancel()


async def test_a_model_whose_dimension_changes_midway_gives_no_vectors(store: MemoryStore, call: Call):
    long = await kept(store, page_of([f"{text} {number}" for number in range(20) for text in PARAGRAPHS]))
    embedder = Embedder()

    def grow(done: int) -> None:
        embedder.dimension = 3 if done else 2

    embedder.fault = grow
    assert await made(store, long, embedder, call) is None
    assert "different lengths" in call.log.notes[0]
    assert await store.models() == {}


async def test_those_who_read_a_page_at_once_embed_it_once(store: MemoryStore, call: Call):
    page, embedder = await kept(store, page_of(PARAGRAPHS)), Embedder(gate=asyncio.Event())
    vectors, chunks = ChunkVectors(store=store), chunk(URL, page.text, size=32)
    tasks = [asyncio.create_task(vectors.of_chunks(page, chunks, embedder, call)) for _ in range(5)]
    await asyncio.sleep(0)
    assert embedder.gate
    embedder.gate.set()
    found = await asyncio.gather(*tasks)
    assert len({each.data for each in found if each}) == 1
    assert len(embedder.texts) == len(chunks)


async def test_a_question_is_embedded_once(store: MemoryStore, call: Call):
    vectors, embedder = ChunkVectors(store=store), Embedder()
    first = await vectors.of_questions(["when?", "where?", "when?"], embedder, call)
    assert embedder.texts == ["when?", "where?"]
    assert first is not None
    assert first.data == embedder.row("when?") + embedder.row("where?") + embedder.row("when?")
    assert await vectors.of_questions(["when?"], embedder, call) == replace(first, data=embedder.row("when?"))
    await vectors.of_questions(["when?"], Embedder(name="large"), call)
    await vectors.of_questions([f"question {number}" for number in range(300)], embedder, call)
    assert len(vectors._asked) == 256


async def test_after_vectors_were_made_again_questions_are_too(store: MemoryStore, call: Call):
    vectors, embedder = ChunkVectors(store=store), Embedder()
    await vectors.of_questions(["when?"], embedder, call)
    embedder.dimension = 3
    found = await vectors.of_questions(["when?", "where?"], embedder, call)
    assert found is not None
    assert (found.dimension, found.data) == (3, embedder.row("when?") + embedder.row("where?"))


async def test_nothing_asks_nobody(store: MemoryStore, call: Call):
    embedder = Embedder()
    vectors = ChunkVectors(store=store)
    nothing = await vectors.of_chunks(page_of([]), (), embedder, call)
    assert nothing is not None
    assert nothing.data == b""
    assert await vectors.of_questions([], embedder, call) is None
    assert await vectors.of_questions(["", " \n"], embedder, call) is None
    assert embedder.texts == []
    assert call.log.notes == []


async def test_a_question_that_says_nothing_is_near_to_nothing(store: MemoryStore, call: Call):
    embedder = Embedder()
    found = await ChunkVectors(store=store).of_questions([" ", "when?", ""], embedder, call)
    assert found is not None
    assert found.data == bytes(4) + embedder.row("when?") + bytes(4)
    assert embedder.texts == ["when?"]


class LostStore(MemoryStore):
    """Answers no question about vectors, and keeps none."""

    async def vectors(self, page: Page, model: str) -> Vectors | None:
        raise StoreUnavailable("The store is away.", hint="Look for it.")

    async def former_vectors(self, page: Page, model: str) -> FormerVectors | None:
        raise StoreUnavailable("The store is away.", hint="Look for it.")

    async def models(self) -> dict[str, int]:
        raise StoreUnavailable("The store is away.", hint="Look for it.")

    async def save_vectors(self, page: Page, vectors: Vectors) -> None:
        raise StoreUnavailable("The store is away.", hint="Look for it.")


async def test_without_the_library_vectors_are_made_all_the_same(call: Call):
    store, embedder = LostStore(), Embedder()
    page = await kept(store, page_of(PARAGRAPHS))
    assert await made(store, page, embedder, call) is not None
    assert any("not kept" in note for note in call.log.notes)
    assert any("could not be read" in note for note in call.log.notes)
