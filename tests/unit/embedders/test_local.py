import asyncio
import importlib.util
import math
import struct
import threading
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

from gossamer.embedders.local import DIMENSION, LocalEmbedder, Pieces, Table
from gossamer.errors import TimedOut
from gossamer.model.page import Vectors
from gossamer.ports import Call
from gossamer.steps.chunk import chunk, with_headings
from gossamer.steps.rank import pick, rank

ROOT = Path(__file__).resolve().parents[3]


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


VOCABULARY = ["[UNK]", "un", "##know", "##n", "known", "a", "##a", ",", "_", "東", "cafe", "##s"]
CUTS = {
    "nothing": ("", []),
    "a whole word": ("known", ["known"]),
    "the longest piece first": ("unknown", ["un", "##know", "##n"]),
    "case and accents": ("CAFÉS", ["cafe", "##s"]),
    "signs are words of their own": ("a,a_a", ["a", ",", "a", "_", "a"]),
    "Chinese characters are words of their own": ("東a東", ["東", "a", "東"]),
    "a word with an unknown part is left out whole": ("a unx known", ["a", "known"]),
    "a word without end is left out": ("a" * 101 + " a", ["a"]),
    "the longest word": ("a" * 100, ["a", *["##a"] * 99]),
}


@pytest.mark.parametrize(("text", "expected"), CUTS.values(), ids=CUTS)
def test_a_text_is_cut_into_known_pieces(text: str, expected: list[str]):
    assert [VOCABULARY[number] for number in Pieces(VOCABULARY).cut(text)] == expected


def test_the_memory_for_words_is_bounded():
    pieces = Pieces(VOCABULARY)
    pieces.cut(" ".join(f"w{number}" for number in range(60_000)))
    assert len(pieces._known) <= 50_000
    assert pieces.cut("known known") == [4, 4]


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

    def load() -> Table:
        threads.append(threading.current_thread())
        return Table.load()

    embedder = LocalEmbedder(load)
    assert threads == []
    await asyncio.gather(embedder.embed(["one"], call), embedder.embed(["two"], call))
    assert len(threads) == 1
    assert threads[0] is not threading.main_thread()


async def test_a_cancelled_call_stops_the_work(embedder: LocalEmbedder, call: Call):
    call.cancelled.set()
    with pytest.raises(TimedOut, match="0 of 40 texts"):
        await embedder.embed(["text"] * 40, call)


async def test_a_call_out_of_time_stops_the_work(embedder: LocalEmbedder):
    with pytest.raises(TimedOut):
        await embedder.embed(["text"], Call(clock=SetClock(at=10.0), deadline=10.0))


async def test_work_whose_task_was_cancelled_ends_between_batches(call: Call):
    started, go_on = threading.Event(), threading.Event()
    embedded: list[int] = []

    class Slow(Table):
        def embed(self, texts: tuple[str, ...]) -> bytes:
            embedded.append(len(texts))
            started.set()
            go_on.wait(10)
            return super().embed(texts)

    table = Table.load()
    slow = Slow(table.pieces, table.rows)
    embedder = LocalEmbedder(lambda: slow)
    task = asyncio.create_task(embedder.embed(["text"] * 100, call))
    await asyncio.to_thread(started.wait, 10)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    go_on.set()
    await embedder.embed([], call)
    assert embedded == [32]


HANDBOOK = (ROOT / "tests" / "cases" / "reading" / "handbook.md").read_text()

QUESTIONS = {
    "a price": ("What does membership cost for a student?", "twelve for students"),
    "a duration": ("How long can I keep a cordless screwdriver or other power tools?", "power tools for five days"),
    "a limit": ("What is the maximum number of items I can borrow?", "Six items"),
    "a fine": ("How much is the penalty when a power tool is overdue?", "one euro fifty"),
    "a reason": ("Why are gloves not allowed at the lathe?", "rotating parts catch"),
    "a person": ("Who teaches the woodturning course?", "Ingrid"),
    "an exclusion": ("Which devices will the repair volunteers refuse to open?", "microwave ovens"),
    "a number": ("How many objects were successfully repaired last year?", "412 of 655"),
    "another reason": ("Why can't I give you a lawn mower with a petrol engine?", "no ventilation"),
    "a table": ("When is the desk open on Saturday?", "09:00-15:00"),
    "a rate limit": ("How many API requests per minute are permitted?", "sixty times a minute"),
    "a threshold": ("From what amount must the assembly of members approve a purchase?", "eight hundred euros"),
}


@pytest.mark.parametrize(("question", "answer"), QUESTIONS.values(), ids=QUESTIONS)
async def test_the_answer_comes_back_within_300_tokens(question: str, answer: str, embedder: LocalEmbedder, call: Call):
    chunks = chunk("https://tools.example.org/handbook", HANDBOOK)
    ours = await embedder.embed([with_headings(each) for each in chunks], call)
    asked = await embedder.embed([question], call)
    shown, used = "", 0
    for span in pick(rank([question], chunks, ours, asked), chunks, max_results=8, budget_tokens=300):
        if used + span.tokens > 300:
            break
        shown += HANDBOOK[span.start : span.end] + "\n"
        used += span.tokens
    assert answer in shown


def load_bench() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bench_retrieval", ROOT / "bench" / "retrieval.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


async def test_reading_real_pages_keeps_its_quality():
    bench = load_bench()
    scorer = bench.load_scorer()
    if scorer is None:
        pytest.skip("the retrieval questions are not kept beside this repository")
    scores = await bench.score(scorer, core=True, sets=["covid"])
    words, vectors, mix = (scores[way]["covid"] for way in ("words", "vectors", "mix"))
    assert mix[300] > 0.77
    assert mix[500] > 0.86
    assert mix[500] > max(words[500], vectors[500])
