"""A library that is carried from one engine to another, and back, is the same: to the letter, and in what it finds."""

import random
import struct
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from gossamer.model.page import PageInfo, Vectors
from gossamer.ports import Store
from gossamer.stores import open_store
from gossamer.stores.shared.jsonl import line_of, record_of
from gossamer.testing.clock import SetClock
from gossamer.testing.store_cases import FOUND, chunks_of, page_of

WAYS = {"from sqlite to duckdb": ("sqlite", "duckdb"), "from duckdb to sqlite": ("duckdb", "sqlite")}
PAGES, VERSIONS = 13, 3
DAY = "2026-11-16"
WORDS = tuple(
    f"{first}{second}" for first in ("har", "fer", "boa", "isl", "tim") for second in ("bour", "ry", "ts", "and")
)


def pointing(dice: random.Random, count: int, model: str, dimension: int) -> Vectors:
    numbers = [dice.gauss(0, 1) for _ in range(count * dimension)]
    return Vectors(model=model, dimension=dimension, data=struct.pack(f"<{len(numbers)}e", *numbers))


async def fill(store: Store, clock: SetClock) -> None:
    dice = random.Random(17)
    texts = [text for text, _ in FOUND.values()]
    for number in range(PAGES):
        url = f"https://{'docs' if number % 3 else 'www'}.example.com/{number}"
        for version in range(1 + number % VERSIONS):
            words = " ".join(dice.choice(WORDS) for _ in range(60))
            page = page_of(
                f"{texts[number % len(texts)]}\n\n{words}", url=url, at=1_000.0 + version, title=f"Page {number}"
            )
            page = replace(page, info=PageInfo(author="Ann", published="2026-01-02"), etag=f'"{number}"')
            chunks = chunks_of(page, section=("Part", str(version)))
            await store.save(page, chunks)
            for model, dimension in (("small", 8), ("large", 16)):
                if number % 5:
                    await store.save_vectors(page, pointing(dice, len(chunks), model, dimension))
        await store.save(replace(page_of(f"A view of {number}.", url=url, at=2_000.0), view="part"), ())
        clock.advance(3_601)
    for number in range(8):
        await store.reserve(f"op {number}", provider="paid", day=DAY, amount=10, cap=1_000, ttl_s=60)
        if number % 2:
            await store.settle(f"op {number}", number)


async def lines(store: Store) -> list[str]:
    return [line_of(record) async for record in store.export()]


async def carry(said: list[str], store: Store) -> None:
    for line in said:
        assert await store.restore(record_of(line))


async def answers(store: Store) -> list[object]:
    """What a library says, asked for everything there is to ask."""
    dice = random.Random(23)
    stats = await store.stats()
    said: list[object] = [await store.pages(count=100), await store.models(), await store.spent("paid", DAY)]
    said += [stats.pages, stats.versions, stats.chunks, stats.models]
    for _, query in FOUND.values():
        said.append(await store.find(query, count=10))
    for query in ("harbour ferry", "boats", "island timts", "nothing"):
        said += [await store.find(query, count=50), await store.find(query, count=50, site="docs.example.com")]
    for model, dimension in (("small", 8), ("large", 16)):
        said.append(await store.nearest(pointing(dice, 1, model, dimension), count=12))
    for listed in await store.pages(count=100):
        page = await store.page(listed.url)
        assert page
        said += [page, await store.chunks(page), await store.vectors(page, "small"), await store.versions(page.url)]
        said += [await store.page(page.url, content_hash=it.content_hash) for it in await store.versions(page.url)]
        said += [await store.page(page.url, "part")]
    return said


class Shelf:
    """Stores of one test, all closed at its end."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clock = SetClock()
        self.stores: list[Store] = []

    async def open(self, kind: str) -> Store:
        address = f"{kind}://{self.folder}/{len(self.stores)}/store.{kind}"
        self.stores.append(await open_store(address, clock=self.clock))
        return self.stores[-1]


@pytest.fixture
async def shelf(tmp_path: Path) -> AsyncIterator[Shelf]:
    shelf = Shelf(tmp_path)
    yield shelf
    for store in shelf.stores:
        await store.close()


@pytest.mark.parametrize(("here", "there"), WAYS.values(), ids=WAYS)
async def test_a_library_is_the_same_there_and_back(here: str, there: str, shelf: Shelf) -> None:
    first, second, third = [await shelf.open(kind) for kind in (here, there, here)]
    await fill(first, shelf.clock)
    said = await lines(first)
    assert len(said) == 2 * PAGES + 8
    await carry(said, second)
    assert await lines(second) == said
    await carry(await lines(second), third)
    assert await lines(third) == said
    known = await answers(first)
    assert len(known) > PAGES
    assert await answers(second) == known
    assert await answers(third) == known
