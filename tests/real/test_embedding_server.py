"""Vectors over real HTTP: every dialect, every fault, and what is never asked twice."""

import asyncio
import struct
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass

import pytest

from gossamer.compose import SystemClock, new_call
from gossamer.embedders.remote import RemoteEmbedder
from gossamer.errors import Denied, GossamerError, NotFound, RateLimited, TimedOut, UnexpectedReply, Unreachable
from gossamer.model.page import Vectors
from gossamer.net.client import ApiDoor
from gossamer.ports import Call
from tests.real.fake_embeddings import (
    DIALECTS,
    LIES,
    Asked,
    Dialect,
    FakeEmbeddings,
    Fault,
    Said,
    drop,
    fake_embeddings,
    good,
    hang,
    once,
    status,
    vector_of,
)

KEY = "sk-a-very-secret-key"


@dataclass
class SetClock:
    at: float = 1000.0

    def now(self) -> float:
        return self.at

    def monotonic(self) -> float:
        return self.at


@pytest.fixture
async def door() -> AsyncGenerator[ApiDoor]:
    door = ApiDoor(user_agent="gossamer-tests")
    yield door
    await door.close()


def embedder_of(server: FakeEmbeddings, door: ApiDoor, **more: object) -> RemoteEmbedder:
    given = {"clock": SystemClock(), "url": server.url, "model": "small", **more}
    return RemoteEmbedder(door, **given)  # type: ignore[arg-type]


def rows(vectors: Vectors) -> list[list[float]]:
    numbers = struct.unpack(f"<{len(vectors.data) // 2}e", vectors.data)
    return [list(numbers[at : at + vectors.dimension]) for at in range(0, len(numbers), vectors.dimension)]


def is_right(vectors: Vectors, texts: Sequence[str]) -> bool:
    expected = [value for text in texts for value in vector_of(text, vectors.dimension)]
    found = [value for row in rows(vectors) for value in row]
    return found == pytest.approx(expected, abs=0.002)


@pytest.mark.promise("001.5", "001.74", "001.75")
@pytest.mark.parametrize("dialect", DIALECTS)
async def test_every_dialect_is_understood(dialect: Dialect, door: ApiDoor) -> None:
    texts = [f"Text {number} about harbours" for number in range(70)]
    async with fake_embeddings(dialect, key=KEY) as server:
        vectors = await embedder_of(server, door, key=KEY).embed(texts, new_call())
        assert (vectors.model, vectors.dimension) == ("small", 64)
        assert is_right(vectors, texts)
        assert sorted(len(asked.texts) for asked in server.requests) == [6, 32, 32]
        assert all(asked.body["model"] == "small" for asked in server.requests)


@pytest.mark.promise("001.22")
@pytest.mark.parametrize("path", ["", "/", "/v1", "/v1/"])
async def test_the_address_may_be_written_with_or_without_its_version(path: str, door: ApiDoor) -> None:
    async with fake_embeddings() as server:
        embedder = embedder_of(server, door, url=server.url + path)
        assert is_right(await embedder.embed(["a ferry"], new_call()), ["a ferry"])


async def test_a_server_that_refuses_base64_is_asked_for_numbers_from_then_on(door: ApiDoor) -> None:
    async with fake_embeddings("vllm") as server:
        server.speaks_base64 = False
        embedder = embedder_of(server, door)
        for text in ("one", "two"):
            assert is_right(await embedder.embed([text], new_call()), [text])
        assert [asked.body["encoding_format"] for asked in server.requests] == ["base64", "float", "float"]


async def test_every_batch_that_was_refused_in_base64_is_asked_for_in_numbers(door: ApiDoor) -> None:
    texts = [f"Text {number} about harbours" for number in range(41)]
    async with fake_embeddings("vllm") as server:
        server.speaks_base64 = False
        assert is_right(await embedder_of(server, door).embed(texts, new_call()), texts)
        asked = sorted((len(each.texts), each.body["encoding_format"]) for each in server.requests)
        assert asked == [(9, "base64"), (9, "float"), (32, "base64"), (32, "float")]


async def test_a_server_that_refuses_numbers_too_is_not_asked_without_end(door: ApiDoor) -> None:
    async def stubborn(server: FakeEmbeddings, _asked: Asked) -> Said:
        return Said(400, server.error(400, "unknown encoding_format"))

    async with fake_embeddings("vllm") as server:
        server.fault = stubborn
        with pytest.raises(GossamerError, match="does not know this encoding"):
            await embedder_of(server, door).embed(["a ferry"], new_call())
        assert [asked.body["encoding_format"] for asked in server.requests] == ["base64", "float"]


async def test_an_error_of_the_moment_is_asked_again_whole_whatever_its_words(door: ApiDoor) -> None:
    async def late(server: FakeEmbeddings, _asked: Asked) -> Said:
        return Said(500, server.error(500, "context deadline exceeded"))

    texts = [f"Text {number}" for number in range(32)]
    async with fake_embeddings("llama.cpp") as server:
        server.fault = once(late)
        embedder = embedder_of(server, door)
        for _ in range(2):
            assert is_right(await embedder.embed(texts, new_call()), texts)
        assert [len(asked.texts) for asked in server.requests] == [32, 32, 32]


@pytest.mark.parametrize("dialect", ["tei", "vllm"])
async def test_a_server_that_takes_fewer_texts_at_once_gets_fewer(dialect: Dialect, door: ApiDoor) -> None:
    texts = [f"Text {number}" for number in range(32)]
    async with fake_embeddings(dialect) as server:
        server.most_inputs = 8
        embedder = embedder_of(server, door)
        assert is_right(await embedder.embed(texts, new_call()), texts)
        server.requests.clear()
        assert is_right(await embedder.embed(texts, new_call()), texts)
        assert [len(asked.texts) for asked in server.requests] == [8, 8, 8, 8]


async def test_a_server_that_took_fewer_texts_gets_more_again_after_a_while(door: ApiDoor) -> None:
    texts = [f"Text {number}" for number in range(32)]
    async with fake_embeddings("tei") as server:
        server.most_inputs = 8
        clock = SetClock()
        embedder = embedder_of(server, door, clock=clock)
        await embedder.embed(texts, new_call())
        server.most_inputs = 32
        for later_s, sizes in ((599.0, [8] * 4), (1.0, [16] * 2), (599.0, [16] * 2), (1.0, [32]), (9999.0, [32])):
            clock.at += later_s
            server.requests.clear()
            assert is_right(await embedder.embed(texts, new_call()), texts)
            assert [len(asked.texts) for asked in server.requests] == sizes


async def test_a_text_too_long_for_the_server_is_cut_and_its_neighbours_are_not(door: ApiDoor) -> None:
    async def strict(server: FakeEmbeddings, asked: Asked) -> Said:
        if any(len(text) > 1000 for text in asked.texts):
            return Said(400, server.error(400, "maximum context length is 256 tokens"))
        return await good(server, asked)

    async with fake_embeddings("vllm") as server:
        server.fault = strict
        texts = ["short one", "long " * 400, "short two"]
        vectors = await embedder_of(server, door).embed(texts, new_call())
        assert is_right(vectors, ["short one", "long " * 100, "short two"])


async def test_one_text_too_long_does_not_make_later_batches_small(door: ApiDoor) -> None:
    async def strict(server: FakeEmbeddings, asked: Asked) -> Said:
        if any(len(text) > 1000 for text in asked.texts):
            return Said(500, server.error(500, "input is too large to process. increase the physical batch size"))
        return await good(server, asked)

    texts = [f"Text {number}" for number in range(32)]
    async with fake_embeddings("llama.cpp") as server:
        server.fault = strict
        embedder = embedder_of(server, door)
        await embedder.embed([*texts[:20], "long " * 300, *texts[21:]], new_call())
        server.requests.clear()
        assert is_right(await embedder.embed(texts, new_call()), texts)
        assert [len(asked.texts) for asked in server.requests] == [32]


async def test_a_model_that_wants_to_know_is_told_questions_from_texts(door: ApiDoor) -> None:
    async with fake_embeddings("ollama") as server:
        for model in ("nomic-embed-text", "small"):
            embedder = embedder_of(server, door, model=model)
            await embedder.embed(["The ferry leaves at noon."], new_call())
            await embedder.ask(["when?", ""], new_call())
        assert server.texts == [
            "search_document: The ferry leaves at noon.",
            "search_query: when?",
            "The ferry leaves at noon.",
            "when?",
        ]


async def test_texts_that_say_nothing_are_not_sent(door: ApiDoor) -> None:
    async with fake_embeddings() as server:
        embedder = embedder_of(server, door)
        blank, said, space = rows(await embedder.embed(["", "a ferry", " \n"], new_call()))
        assert not any(blank)
        assert not any(space)
        assert any(said)
        assert server.texts == ["a ferry"]
        assert (await embedder.embed(["", " "], new_call())).data == bytes(4)
        assert (await embedder.embed([], new_call())).data == b""
        assert len(server.requests) == 1


@pytest.mark.promise("001.76")
@pytest.mark.parametrize("fault", [status(500), status(503), drop], ids=["500", "503", "a broken connection"])
@pytest.mark.parametrize("dialect", DIALECTS)
async def test_one_failure_is_forgiven(dialect: Dialect, fault: Fault, door: ApiDoor) -> None:
    async with fake_embeddings(dialect) as server:
        server.fault = once(fault)
        assert is_right(await embedder_of(server, door).embed(["a ferry"], new_call()), ["a ferry"])
        assert len(server.requests) == 2


async def endless(_server: FakeEmbeddings, _asked: Asked) -> Said:
    return Said(200, "[" * 9_000_000)


REFUSED: dict[str, tuple[Fault, type[GossamerError], int]] = {
    "an error twice": (status(500), Unreachable, 2),
    "slow down": (status(429), RateLimited, 1),
    "no such model": (status(404), NotFound, 1),
    "no entry": (status(403), Denied, 1),
    "the connection breaks twice": (drop, GossamerError, 2),
    "a body without end": (endless, GossamerError, 1),
}


@pytest.mark.promise("001.76", "001.77")
@pytest.mark.parametrize(("fault", "kind", "asked"), REFUSED.values(), ids=REFUSED)
@pytest.mark.parametrize("dialect", DIALECTS)
async def test_a_refusal_is_an_error_and_not_asked_again_in_vain(
    dialect: Dialect, fault: Fault, kind: type[GossamerError], asked: int, door: ApiDoor
) -> None:
    async with fake_embeddings(dialect) as server:
        server.fault = fault
        with pytest.raises(kind, match="embedding server"):
            await embedder_of(server, door).embed(["a ferry"], new_call())
        assert len(server.requests) == asked


async def test_a_server_that_is_not_there_is_told_so(door: ApiDoor) -> None:
    async with fake_embeddings() as server:
        pass
    with pytest.raises(Unreachable):
        await embedder_of(server, door).embed(["a ferry"], new_call())


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
async def test_a_lie_gives_no_vectors(lie: Fault, door: ApiDoor) -> None:
    async with fake_embeddings() as server:
        server.fault = lie
        with pytest.raises(UnexpectedReply):
            await embedder_of(server, door).embed(["one", "two", "three"], new_call())
        assert len(server.requests) == 1


async def test_batches_of_different_dimensions_give_no_vectors(door: ApiDoor) -> None:
    async def growing(server: FakeEmbeddings, asked: Asked) -> Said:
        server.dimension += 1
        return await good(server, asked)

    async with fake_embeddings() as server:
        server.fault = growing
        with pytest.raises(UnexpectedReply, match="different lengths"):
            await embedder_of(server, door).embed(["text"] * 40, new_call())


@pytest.mark.promise("001.95")
async def test_a_wrong_key_never_shows(door: ApiDoor) -> None:
    async with fake_embeddings(key="another key") as server:
        with pytest.raises(Denied) as caught:
            await embedder_of(server, door, key=KEY).embed(["a ferry"], new_call())
    assert "EMBEDDING_SERVER_API_KEY" in str(caught.value)
    seen: BaseException | None = caught.value
    while seen:
        assert KEY not in repr(seen)
        assert KEY[:6] not in str(seen)
        seen = seen.__cause__ or seen.__context__


async def test_a_slow_server_is_given_up_and_left_alone_for_a_while(door: ApiDoor) -> None:
    clock = SetClock()
    call = Call(clock=clock)
    async with fake_embeddings() as server:
        embedder = embedder_of(server, door, clock=clock, timeout_s=4.0)
        server.fault = hang
        for said in ("within 4 s", "left alone for 10 s"):
            with pytest.raises(TimedOut, match=said):
                await embedder.embed(["a ferry"], call)
        assert len(server.requests) == 1
        server.fault = good
        clock.at += 11
        assert is_right(await embedder.embed(["a ferry"], call), ["a ferry"])


async def test_a_call_in_a_hurry_does_not_shut_the_server_off_for_others(door: ApiDoor) -> None:
    async with fake_embeddings() as server:
        embedder = embedder_of(server, door, timeout_s=60.0)
        server.fault = hang
        with pytest.raises(TimedOut, match="time that this call has for vectors was over"):
            await embedder.embed(["a ferry"], new_call(timeout_s=0.2))
        server.fault = good
        assert is_right(await embedder.embed(["a ferry"], new_call(timeout_s=60)), ["a ferry"])


async def test_a_server_that_names_a_time_is_left_alone_until_then(door: ApiDoor) -> None:
    clock = SetClock()
    call = Call(clock=clock)
    async with fake_embeddings() as server:
        embedder = embedder_of(server, door, clock=clock)
        server.fault = once(status(429, retry_after="30"))
        for wait in (30, 20):
            with pytest.raises(RateLimited, match=f"in {wait} s"):
                await embedder.embed(["a ferry"], call)
            clock.at += 10
        assert len(server.requests) == 1
        clock.at += 11
        assert is_right(await embedder.embed(["a ferry"], call), ["a ferry"])


@pytest.mark.promise("001.88", "001.90")
async def test_all_calls_together_keep_to_the_number_of_requests_at_once(door: ApiDoor) -> None:
    gate = asyncio.Event()

    async def held(server: FakeEmbeddings, asked: Asked) -> Said:
        if server.at_once == 2:
            gate.set()
        await gate.wait()
        return await good(server, asked)

    async with fake_embeddings() as server:
        server.fault = held
        embedder = embedder_of(server, door, at_once=2)
        texts = [[f"Text {call} {number}" for number in range(100)] for call in range(5)]
        found = await asyncio.gather(*(embedder.embed(each, new_call()) for each in texts))
        assert all(is_right(vectors, each) for vectors, each in zip(found, texts, strict=True))
        assert server.most_at_once == 2
        assert len(server.requests) == 20


async def test_giving_up_ends_the_requests_under_way(door: ApiDoor) -> None:
    came = asyncio.Event()

    async def told(server: FakeEmbeddings, asked: Asked) -> Said:
        came.set()
        return await hang(server, asked)

    async with fake_embeddings() as server:
        server.fault = told
        task = asyncio.create_task(embedder_of(server, door).embed(["text"] * 100, new_call()))
        await came.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        server.fault = good
        assert is_right(await embedder_of(server, door).embed(["a ferry"], new_call()), ["a ferry"])
