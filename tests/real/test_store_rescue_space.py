"""A rescue that the disk has no room for is gone on with once there is room, by whoever has the store open."""

import asyncio
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gossamer.ports import Store
from gossamer.testing.store_cases import keep, page_of
from tests.real.bad_days import small_disk
from tests.real.damaged_libraries import PAGES, make_library, move_aside, open_store

LEFT_BYTES = {"sqlite": 900_000, "duckdb": 1_500_000}
"""Room for a new file and a few pages."""


@pytest.fixture(params=LEFT_BYTES)
def path(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    with small_disk(tmp_path / "library", 64) as folder:
        yield folder / f"store.{request.param}"


def fill_but(folder: Path, left: int) -> Path:
    """Take all the space but so much."""
    filler = folder / "filler"
    found = os.statvfs(folder)
    filler.write_bytes(bytes(found.f_bavail * found.f_frsize - left))
    return filler


async def until(store: Store, is_so: Callable[[], bool]) -> None:
    """Look at the store, and write nothing, until it is so."""
    async with asyncio.timeout(60):
        while not is_so():
            await store.stats()


async def test_a_rescue_that_met_a_full_disk_goes_on_after_the_next_page_that_is_kept(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await make_library(path)
    mark = move_aside(path)
    filler = fill_but(path.parent, LEFT_BYTES[path.suffix[1:]])
    store = await open_store(path)
    await until(store, lambda: "is put off" in caplog.text)
    saved = (await store.stats()).pages
    assert saved < PAGES
    filler.unlink()
    await keep(store, page_of("There is space again.", url="https://example.com/again"))
    await until(store, lambda: not mark.exists())
    assert (await store.stats()).pages == PAGES + 1
    await store.close()
    assert caplog.text.count("is put off") == 1
    assert f"{PAGES} pages were saved" in caplog.text


async def test_what_one_has_put_off_another_may_take_over(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    await make_library(path)
    mark = move_aside(path)
    filler = fill_but(path.parent, LEFT_BYTES[path.suffix[1:]])
    first = await open_store(path)
    await until(first, lambda: "is put off" in caplog.text)
    filler.unlink()
    second = await open_store(path)
    await until(second, lambda: not mark.exists())
    await keep(first, page_of("One more.", url="https://example.com/more"))
    assert (await first.stats()).pages == PAGES + 1
    await first.close()
    await second.close()
    assert f"{PAGES} pages were saved" in caplog.text
