"""What every store promises about finding pages by a vector."""

import math
import random

import pytest

from gossamer.errors import InvalidArgument
from gossamer.model.page import Vectors
from gossamer.ports import Store
from gossamer.testing.store_cases import SITES, chunks_of, page_of, pointing

_EAST, _NORTH = pointing((1.0, 0.0)), pointing((0.0, 1.0))


class NearContract:
    """Promises about `nearest`."""

    async def test_the_closest_pages_come_first_each_with_its_closest_chunk(self, store: Store) -> None:
        await _keep(store, "one", "north east", (0.0, 1.0), (1.0, 0.0))
        await _keep(store, "two", "south east2", (0.0, -1.0), (4.0, 3.0))
        await _keep(store, "three", "west", (-1.0, 0.0))
        east = await store.nearest(_EAST, count=5)
        assert [(hit.url[-3:], hit.snippet, hit.engine) for hit in east] == [
            ("one", "east", "library"),
            ("two", "east2", "library"),
        ]
        assert [hit.score for hit in east] == pytest.approx([1.0, 0.8], abs=2e-3)
        assert [hit.url[-3:] for hit in await store.nearest(_NORTH, count=1)] == ["one"]
        assert await store.nearest(_EAST, count=0) == ()

    @pytest.mark.parametrize(("site", "is_found"), SITES.values(), ids=SITES)
    async def test_near_pages_can_be_kept_to_a_site(self, store: Store, site: str, is_found: bool) -> None:
        await _keep(store, "one", "words", (1.0, 0.0))
        assert bool(await store.nearest(_EAST, count=5, site=site)) is is_found

    async def test_nothing_is_near_by_another_model_or_dimension(self, store: Store) -> None:
        await _keep(store, "one", "words", (1.0, 0.0))
        assert await store.nearest(pointing((1.0, 0.0), model="other"), count=5) == ()
        assert await store.nearest(pointing((1.0, 0.0, 0.0)), count=5) == ()
        await store.forget_vectors("small")
        assert await store.nearest(_EAST, count=5) == ()

    async def test_only_vectors_of_the_present_text_count(self, store: Store) -> None:
        await _keep(store, "one", "first", (1.0, 0.0))
        second = page_of("second", url=_url("one"), at=2000.0)
        await store.save(second, chunks_of(second))
        assert await store.nearest(_EAST, count=5) == ()
        again = page_of("first", url=_url("one"), at=3000.0)
        await store.save(again, chunks_of(again))
        assert [hit.snippet for hit in await store.nearest(_EAST, count=5)] == ["first"]
        await store.save_vectors(again, pointing((0.0, 1.0)))
        assert await store.nearest(_EAST, count=5) == ()
        assert len(await store.nearest(_NORTH, count=5)) == 1

    async def test_a_removed_page_is_near_to_nothing(self, store: Store) -> None:
        await _keep(store, "one", "words", (1.0, 0.0))
        await store.remove(_url("one"))
        assert await store.nearest(_EAST, count=5) == ()

    @pytest.mark.parametrize(
        "row", [(0.0, 0.0), (math.nan, 1.0), (math.inf, 0.0)], ids=["zero", "no number", "endless"]
    )
    async def test_a_vector_that_points_nowhere_is_near_to_nothing(
        self, store: Store, row: tuple[float, float]
    ) -> None:
        await _keep(store, "one", "nowhere", row)
        assert await store.nearest(_EAST, count=5) == ()
        await _keep(store, "two", "east", (1.0, 0.0))
        assert await store.nearest(pointing(row), count=5) == ()

    @pytest.mark.parametrize("data", [b"", bytes(2), bytes(8)], ids=["none", "half of one", "two"])
    async def test_what_is_near_is_asked_of_one_vector(self, store: Store, data: bytes) -> None:
        with pytest.raises(InvalidArgument):
            await store.nearest(Vectors(model="small", dimension=2, data=data), count=5)

    async def test_equally_close_pages_come_in_the_order_in_which_they_were_first_kept(self, store: Store) -> None:
        for name, length in (("one", 1.0), ("two", 3.0), ("six", 0.5)):
            await _keep(store, name, "words", (length, length))
        assert [hit.url[-3:] for hit in await store.nearest(pointing((2.0, 2.0)), count=5)] == ["one", "two", "six"]

    async def test_among_many_pages_the_truly_closest_is_found(self, store: Store) -> None:
        dice = random.Random(5)  # noqa: S311 - the same numbers every time
        rows = {f"page{n}": [dice.gauss(0, 1) for _ in range(48)] for n in range(150)}
        for name, row in rows.items():
            await _keep(store, name, name, row)
        for asked in ([dice.gauss(0, 1) for _ in range(48)] for _ in range(5)):
            best = sorted(rows, key=lambda name: -_cosine(rows[name], asked))[:3]
            assert [hit.title for hit in await store.nearest(pointing(asked), count=3)] == best


def _url(name: str) -> str:
    return f"https://docs.example.com/{name}"


async def _keep(store: Store, name: str, words: str, *rows: "list[float] | tuple[float, ...]") -> None:
    """A page of one chunk per word, each with a row."""
    size = max(len(word) for word in words.split())
    page = page_of("".join(word.ljust(size) for word in words.split()), url=_url(name), title=name)
    await store.save(page, chunks_of(page, size=size))
    await store.save_vectors(page, pointing(*rows))


def _cosine(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True)) / math.hypot(*one) / math.hypot(*other)
