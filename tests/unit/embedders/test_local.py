import asyncio
import math
import struct
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest

from gossamer.embedders.local import DIMENSION, Language, LocalEmbedder, Table, Tables
from gossamer.errors import TimedOut
from gossamer.model.page import Vectors
from gossamer.ports import Call, LanguageMix


@dataclass
class SetClock:
    at: float = 0.0

    def now(self) -> float:
        return self.at

    def monotonic(self) -> float:
        return self.at


@pytest.fixture(scope="module")
def embedder() -> LocalEmbedder:
    return LocalEmbedder()


@pytest.fixture
def call() -> Call:
    return Call(clock=SetClock())


def rows(vectors: Vectors) -> list[tuple[float, ...]]:
    numbers = struct.unpack(f"<{len(vectors.data) // 2}e", vectors.data)
    return [numbers[at : at + DIMENSION] for at in range(0, len(numbers), DIMENSION)]


def cosine(one: tuple[float, ...], two: tuple[float, ...]) -> float:
    return sum(left * right for left, right in zip(one, two, strict=True))


async def test_every_text_gets_a_unit_vector_in_order(embedder: LocalEmbedder, call: Call):
    texts = [f"text number {number} about rivers" for number in range(100)]
    vectors = await embedder.embed(texts, call)
    assert (vectors.model, vectors.dimension) == ("potion-base-8M-128", DIMENSION)
    found = rows(vectors)
    assert len(found) == 100
    assert all(math.isclose(cosine(row, row), 1, abs_tol=0.01) for row in found)
    assert found[70] == rows(await embedder.embed(texts[70:71], call))[0]


async def test_a_text_without_known_pieces_is_near_to_nothing(embedder: LocalEmbedder, call: Call):
    blank, strange = rows(await embedder.embed(["", "\U000f0000"], call))
    assert not any(blank)
    assert not any(strange)


async def test_no_texts_give_no_vectors(embedder: LocalEmbedder, call: Call):
    assert (await embedder.embed([], call)).data == b""


async def test_closeness_follows_meaning(embedder: LocalEmbedder, call: Call):
    asked, near, far = rows(
        await embedder.embed(["How do I repair a bicycle?", "Fixing a flat bike tyre", "The parliament votes"], call)
    )
    assert cosine(asked, near) > cosine(asked, far) + 0.2


async def test_the_table_is_read_once_and_off_the_event_loop(call: Call):
    threads: list[threading.Thread] = []

    def load(language: Language) -> Table:
        threads.append(threading.current_thread())
        return Table.load(language)

    embedder = LocalEmbedder(Tables(load))
    assert threads == []
    await asyncio.gather(embedder.embed(["one"], call), embedder.embed(["two"], call))
    assert len(threads) == 1
    assert threads[0] is not threading.main_thread()


def test_embedders_of_one_process_share_what_was_read():
    assert Tables().of("english") is Tables().of("english")


async def test_a_cancelled_call_stops_the_work(embedder: LocalEmbedder, call: Call):
    call.cancelled.set()
    with pytest.raises(TimedOut, match="before all texts had vectors"):
        await embedder.embed(["text"] * 40, call)


async def test_a_call_out_of_time_stops_the_work(embedder: LocalEmbedder):
    with pytest.raises(TimedOut):
        await embedder.embed(["text"], Call(clock=SetClock(at=10.0), deadline=10.0))


async def test_work_whose_task_was_cancelled_ends_between_batches(call: Call):
    started, go_on = threading.Event(), threading.Event()
    embedded: list[int] = []

    class Slow(Table):
        def means(self, texts: Sequence[str]) -> bytes:
            embedded.append(len(texts))
            started.set()
            go_on.wait(10)
            return super().means(texts)

    table = Table.load("english")
    slow = Slow(table.pieces, table.rows)
    embedder = LocalEmbedder(Tables(lambda _language: slow))
    task = asyncio.create_task(embedder.embed(["text"] * 100, call))
    await asyncio.to_thread(started.wait, 10)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    go_on.set()
    await embedder.embed([], call)
    assert embedded == [32]


@pytest.mark.parametrize(("language", "count"), [("english", 29_528), ("multilingual", 118_948)])
def test_a_table_has_one_vector_of_some_length_per_piece(language: Language, count: int):
    table = Table.load(language)
    assert len(table.rows) == count
    assert table.rows["bytes"].shape == (count, DIMENSION)
    assert table.rows["bytes"].any(axis=1).all()
    assert max(table.pieces.cut("unfathomable 港湾 naïve ☍")) < count


MIXES = {
    "english": "potion-base-8M-128",
    "other": "potion-multilingual-128M-128",
    "mixed": "potion-multilingual-128M-128",
}


@pytest.mark.parametrize(("mix", "name"), MIXES.items(), ids=MIXES)
async def test_each_language_mix_has_its_table(mix: LanguageMix, name: str, embedder: LocalEmbedder, call: Call):
    speaking = embedder.speaking(mix)
    awaited, looked_up = await speaking.embed(["the river"], call), embedder.look_up(["the river"], mix)
    assert speaking.name == awaited.model == looked_up.model == name
    assert awaited == looked_up
    assert speaking.speaking("english").name == embedder.name


TRANSLATIONS = {
    "Spanish": ("¿Dónde está el hospital?", "El mercado abre temprano"),
    "German": ("Wo ist das Krankenhaus?", "Der Markt öffnet früh"),
    "Japanese": ("病院はどこですか", "市場は早く開く"),
    "Chinese": ("医院在哪里", "市场很早就开了"),
    "Russian": ("Где находится больница?", "Рынок открывается рано"),
    "Arabic": ("أين المستشفى؟", "السوق يفتح مبكرا"),
}


@pytest.mark.parametrize(("same", "other"), TRANSLATIONS.values(), ids=TRANSLATIONS)
def test_a_translation_is_nearer_than_another_sentence(same: str, other: str, embedder: LocalEmbedder):
    asked, near, far = rows(embedder.look_up(["Where is the hospital?", same, other], "mixed"))
    assert cosine(asked, near) > cosine(asked, far) + 0.1


def test_many_threads_look_up_at_once_and_get_the_same(embedder: LocalEmbedder):
    texts = [f"Satz {number} über Flüsse, 河川 и реки" for number in range(200)]
    fresh = LocalEmbedder(Tables(Table.load))
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda _: fresh.look_up(texts, "other").data, range(16)))
    assert set(found) == {embedder.look_up(texts, "other").data}


def test_a_text_has_the_same_vector_alone_and_among_very_many(embedder: LocalEmbedder):
    texts = ["", *(f"text number {number} about rivers and harbours" for number in range(3_000)), "", "harbour"]
    together = rows(embedder.look_up(texts, "english"))
    for number in (0, 1, 1_500, 3_000, 3_001, 3_002):
        assert together[number] == rows(embedder.look_up([texts[number]], "english"))[0]
