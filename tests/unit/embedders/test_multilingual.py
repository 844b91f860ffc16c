import asyncio
import struct
import threading
from collections.abc import Sequence

import pytest

from gossamer.embedders import multilingual
from gossamer.embedders.local import LocalEmbedder, Tables
from gossamer.embedders.multilingual import DIMENSION, MultilingualEmbedder
from gossamer.errors import TimedOut, UnsupportedType
from gossamer.model.page import Vectors
from gossamer.ports import Call
from tests.unit.engine.world import SetClock

NAME = "universal-sentence-encoder-multilingual-3"


class Counting:
    """An encoder that counts; what it returns names the text, and is of no particular length."""

    def __init__(self) -> None:
        self.batches: list[int] = []
        self.threads: set[threading.Thread] = set()

    def encode(self, texts: Sequence[str]) -> list[list[float]]:
        self.batches.append(len(texts))
        self.threads.add(threading.current_thread())
        return [[float(len(text)), 3.0, *[0.0] * (DIMENSION - 2)] for text in texts]


class Broken(Counting):
    def encode(self, texts: Sequence[str]) -> list[list[float]]:
        return [[float("nan"), *[float("inf")] * (DIMENSION - 1)] for _ in texts]


@pytest.fixture
def call() -> Call:
    return Call(clock=SetClock())


def rows(vectors: Vectors) -> list[tuple[float, ...]]:
    numbers = struct.unpack(f"<{len(vectors.data) // 2}e", vectors.data)
    return [numbers[at : at + vectors.dimension] for at in range(0, len(numbers), vectors.dimension)]


async def test_every_text_gets_a_unit_vector_in_order_off_the_event_loop(call: Call):
    encoder = Counting()
    vectors = await MultilingualEmbedder(Tables(), lambda: encoder).embed(["x" * 4, *["y"] * 20], call)
    assert (vectors.model, vectors.dimension) == (NAME, DIMENSION)
    assert rows(vectors)[0][:3] == pytest.approx((0.8, 0.6, 0.0), abs=0.001)
    assert len(rows(vectors)) == 21
    assert encoder.batches == [8, 8, 5]
    assert threading.main_thread() not in encoder.threads


async def test_it_is_loaded_once_and_only_when_needed(call: Call):
    loaded: list[Counting] = []

    def load() -> Counting:
        loaded.append(Counting())
        return loaded[-1]

    embedder = MultilingualEmbedder(Tables(), load)
    assert (await embedder.embed([], call)).data == b""
    assert loaded == []
    await asyncio.gather(embedder.embed(["one"], call), embedder.embed(["two"], call))
    assert len(loaded) == 1


async def test_what_is_no_number_is_near_to_nothing(call: Call):
    (row,) = rows(await MultilingualEmbedder(Tables(), Broken).embed(["x"], call))
    assert not any(row)


class Failing(Counting):
    def encode(self, texts: Sequence[str]) -> list[list[float]]:
        raise MemoryError


class Short(Counting):
    def encode(self, texts: Sequence[str]) -> list[list[float]]:
        return [[1.0]]


@pytest.mark.parametrize("encoder", [Failing, Short])
async def test_an_encoder_that_fails_is_an_error_that_ranking_can_do_without(encoder: type[Counting], call: Call):
    with pytest.raises(UnsupportedType, match="multilingual"):
        await MultilingualEmbedder(Tables(), encoder).embed(["x"], call)


async def test_it_speaks_where_languages_meet_and_nowhere_else():
    tables = Tables()
    tables.multilingual = MultilingualEmbedder(tables, Counting)
    local = LocalEmbedder(tables)
    for speaker in (local, tables.multilingual, local.speaking("other")):
        assert speaker.speaking("mixed").name == NAME
        assert speaker.speaking("english").name == "potion-base-8M-128"
        assert speaker.speaking("other").name == "potion-multilingual-128M-128"


async def test_a_call_out_of_time_is_told(call: Call):
    embedder = MultilingualEmbedder(Tables(), Counting)
    clock = SetClock()
    with pytest.raises(TimedOut, match="before all texts had vectors"):
        await embedder.embed(["x"] * 3, Call(clock=clock, deadline=clock.monotonic()))
    call.cancelled.set()
    with pytest.raises(TimedOut):
        await embedder.embed(["x"], call)


@pytest.mark.skipif(multilingual.is_installed(), reason="the extra is installed")
async def test_without_the_extra_loading_says_what_to_do(call: Call):
    with pytest.raises(UnsupportedType, match=r"gossamer\[multilingual\]"):
        await MultilingualEmbedder(Tables()).embed(["x"], call)


TRANSLATIONS = {
    "Spanish": ("¿Cuándo sale el último tren?", "El museo cierra los lunes"),
    "Japanese": ("最終列車は何時に出ますか", "博物館は月曜日に閉まります"),
    "Russian": ("Когда отправляется последний поезд?", "Музей закрыт по понедельникам"),
    "Arabic": ("متى يغادر آخر قطار؟", "المتحف مغلق يوم الاثنين"),
}


@pytest.mark.skipif(not multilingual.is_installed(), reason="the extra `multilingual` is not installed")
async def test_the_real_model_knows_translations(call: Call):
    embedder = MultilingualEmbedder(Tables())

    def close(one: tuple[float, ...], two: tuple[float, ...]) -> float:
        return sum(left * right for left, right in zip(one, two, strict=True))

    for language, (same, other) in TRANSLATIONS.items():
        asked, near, far, blank = rows(await embedder.embed(["When does the last train leave?", same, other, ""], call))
        assert len(blank) == DIMENSION
        assert close(asked, near) > close(asked, far) + 0.3, language
