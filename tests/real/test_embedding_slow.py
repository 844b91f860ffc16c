"""An embedding server that is slower than a call, over real HTTP: what came back is kept, and nobody is shut off."""

import asyncio
import inspect
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import gossamer
from gossamer.compose import new_call
from gossamer.embedders.remote import RemoteEmbedder
from gossamer.engine.vectors import ChunkVectors
from gossamer.errors import TimedOut
from gossamer.model.page import Chunk, Page, Vectors
from gossamer.net.client import ApiDoor
from gossamer.ports import Call
from gossamer.steps.retrieval.chunk import chunk, with_headings
from gossamer.stores.memory import MemoryStore
from tests.real.fake_embeddings import Asked, FakeEmbeddings, Fault, Said, drop, fake_embeddings, good, hang, status
from tests.real.reading_site import ReadingSite
from tests.real.test_embedding_server import SetClock, door, embedder_of, is_right
from tests.real.test_read_from_page import LEAVES, environment_of, over_stdio, read, site

__all__ = ["door", "site"]

SOURCE = str(Path(gossamer.__file__).parent)
URL = "https://a.test/boats"
TEXT = "# Boats\n\n" + "\n\n".join(f"Boat {number} leaves the harbour at {number} o'clock." for number in range(200))
SHARE_S = 1.0
"""What a call of twice that time has for vectors."""


@dataclass
class Shelf:
    """A page of seven batches and who makes its vectors."""

    embedder: RemoteEmbedder
    page: Page = field(default_factory=lambda: Page(url=URL, final_url=URL, title="Boats", text=TEXT, fetched_at=1.0))
    vectors: ChunkVectors = field(default_factory=lambda: ChunkVectors(store=MemoryStore()))

    @property
    def chunks(self) -> tuple[Chunk, ...]:
        return tuple(chunk(URL, TEXT, size=24))

    async def read(self, call: Call) -> Vectors | None:
        return await self.vectors.of_chunks(self.page, self.chunks, self.embedder, call)


@dataclass
class After:
    """Answers so many batches, and does to all others what it is told."""

    batches: int
    then: Fault
    came: asyncio.Event = field(default_factory=asyncio.Event)
    """That a batch was asked for which is not answered."""

    async def __call__(self, server: FakeEmbeddings, asked: Asked) -> Said:
        if len(server.requests) <= self.batches:
            return await good(server, asked)
        self.came.set()
        return await self.then(server, asked)


@pytest.fixture
async def server() -> AsyncGenerator[FakeEmbeddings]:
    async with fake_embeddings() as server:
        yield server


@pytest.fixture
def shelf(server: FakeEmbeddings, door: ApiDoor) -> Shelf:
    return Shelf(embedder_of(server, door, at_once=1))


async def all_has_ended() -> None:
    """Until what we began has ended: who leaves does not wait for a reply that is just being read."""
    ours = [
        task
        for task in asyncio.all_tasks()
        if (work := task.get_coro()) and inspect.iscoroutine(work) and work.cr_code.co_filename.startswith(SOURCE)
    ]
    if ours:
        await asyncio.wait(ours)


async def all_are_made_once(shelf: Shelf, server: FakeEmbeddings, *, before: int) -> None:
    """`before` batches were answered: the others alone are asked for, and every vector is right."""
    said = [with_headings(each) for each in shelf.chunks]
    assert server.texts == said[: 32 * before]
    server.fault = good
    made = await shelf.read(new_call())
    assert made is not None
    assert is_right(made, said)
    assert server.texts == said


@pytest.mark.parametrize(
    "fault", [status(500), status(400), drop], ids=["an error", "a refusal", "a broken connection"]
)
async def test_batches_that_came_before_a_failure_are_not_asked_for_again(
    fault: Fault, shelf: Shelf, server: FakeEmbeddings
) -> None:
    server.fault = After(4, fault)
    call = new_call()
    assert await shelf.read(call) is None
    assert f"128 of {len(shelf.chunks)} chunks have their vectors, and the next call goes on" in call.log.notes[0]
    await all_are_made_once(shelf, server, before=4)


async def test_batches_that_came_before_the_caller_left_are_not_asked_for_again(
    shelf: Shelf, server: FakeEmbeddings
) -> None:
    server.fault = after = After(3, hang)
    reading = asyncio.create_task(shelf.read(new_call()))
    await after.came.wait()
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    await all_has_ended()
    await all_are_made_once(shelf, server, before=3)


async def test_halves_of_a_batch_that_was_too_large_are_kept_too(shelf: Shelf, server: FakeEmbeddings) -> None:
    server.most_inputs = 16
    said, refused = [with_headings(each) for each in shelf.chunks], len(shelf.chunks) // 32
    server.fault = After(refused + 2, status(500))
    assert await shelf.read(new_call()) is None
    assert server.texts == [*said[32 * refused :], *said[:16]]
    server.fault = good
    assert await shelf.read(new_call()) is not None
    assert sorted(server.texts) == sorted(said)


async def test_a_call_whose_time_is_over_says_so_and_the_next_goes_on(shelf: Shelf, server: FakeEmbeddings) -> None:
    server.fault = After(4, hang)
    call = new_call(timeout_s=2 * SHARE_S)
    assert await shelf.read(call) is None
    (note,) = call.log.notes
    assert "time that this call has for vectors was over" in note
    assert "allow the call more time" in note
    assert "embedding.timeout_s" not in note
    assert f"128 of {len(shelf.chunks)} chunks have their vectors, and the next call goes on" in note
    await all_are_made_once(shelf, server, before=4)


async def test_a_server_is_left_alone_once_it_has_answered_nothing_for_as_long_as_it_may_take(
    server: FakeEmbeddings, door: ApiDoor
) -> None:
    clock = SetClock()
    embedder = embedder_of(server, door, clock=clock, timeout_s=20.0)
    server.fault = hang
    for later_s, said in ((20.0, "time that this call has"), (0.0, "silent for 20 s"), (0.0, "left alone for 10 s")):
        with pytest.raises(TimedOut, match=said):
            await embedder.embed(["a ferry"], new_call(timeout_s=0.2))
        clock.at += later_s
    clock.at += 10.0
    server.fault = good
    assert is_right(await embedder.embed(["a ferry"], new_call()), ["a ferry"])
    clock.at += 60.0
    server.fault = hang
    with pytest.raises(TimedOut, match="time that this call has"):
        await embedder.embed(["a ferry"], new_call(timeout_s=0.2))


async def test_who_waits_for_others_requests_waits_no_longer_than_its_own_time(
    server: FakeEmbeddings, door: ApiDoor
) -> None:
    embedder = embedder_of(server, door, at_once=1)
    server.fault = after = After(0, hang)
    other = asyncio.create_task(embedder.embed(["a ferry"], new_call()))
    await after.came.wait()
    async with asyncio.timeout(5):
        with pytest.raises(TimedOut, match="time that this call has"):
            await embedder.embed(["a boat"], new_call(timeout_s=0.2))
    assert len(server.requests) == 1
    other.cancel()


async def test_a_batch_has_its_time_from_when_it_is_sent(server: FakeEmbeddings, door: ApiDoor) -> None:
    async def unhurried(server: FakeEmbeddings, asked: Asked) -> Said:
        answered = asyncio.Event()
        asyncio.get_running_loop().call_later(0.9, answered.set)
        await answered.wait()
        return await good(server, asked)

    server.fault = unhurried
    texts = [f"Text {number}" for number in range(96)]
    embedder = embedder_of(server, door, at_once=1, timeout_s=2.0)
    assert is_right(await embedder.embed(texts, new_call()), texts)


async def test_read_from_page_names_the_setting_that_ended_its_time(site: ReadingSite, tmp_path: Path) -> None:
    async with fake_embeddings() as embeddings:
        environment = environment_of(site, tmp_path, embeddings)
        embeddings.fault = status(400)
        async with over_stdio(environment, "auto") as client:
            await read(client, f"{site.url}/guide", query=LEAVES)
        embeddings.requests.clear()
        embeddings.fault = hang
        async with over_stdio(environment | {"REQUEST_TIMEOUT_MS": "4000"}, "auto") as client:
            told, _ = await read(client, f"{site.url}/guide", query=LEAVES)
        assert told["queries"][0]["results"]
        assert "raise REQUEST_TIMEOUT_MS" in told["note"]
        assert len(embeddings.requests) == 1
