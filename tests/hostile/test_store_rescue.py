"""Whoever finds a store damaged may end at any moment: the next to open it goes on, and no cap is passed meanwhile."""

import asyncio
import logging
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gossamer.filedb.files import Files
from gossamer.filedb.rescue import Changes
from gossamer.filedb.sqlite import Database, Schema
from gossamer.ports import Store
from gossamer.stores import store_class
from gossamer.stores.duckdb.open_file import files_of
from gossamer.testing.clock import SetClock
from gossamer.testing.store_cases import keep, page_of

PAGES = 40
DAY = "1970-01-12"
"""The day of a set clock."""
KINDS = ("sqlite", "duckdb")
OPEN_AND_DIE = """
import asyncio, os, sys
from gossamer.stores import open_store
from gossamer.testing.clock import SetClock
async def main():
    await open_store(sys.argv[1], clock=SetClock())
    os._exit(0)
asyncio.run(main())
"""


@pytest.fixture(params=KINDS)
def path(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    return tmp_path / "data" / f"store.{request.param}"


def address_of(path: Path) -> str:
    return f"{path.suffix[1:]}://{path}"


async def open_store(path: Path) -> Store:
    """Open it with more patience than usual: what is asked here is not how fast a busy machine is."""
    opened_by: Any = store_class(address_of(path))
    return await opened_by.open_file(path, clock=SetClock(), patience_s=60)


def files(path: Path) -> Files:
    return Files(path) if path.suffix == ".sqlite" else files_of(path)


async def make_store(path: Path) -> None:
    store = await open_store(path)
    assert await store.reserve("op", provider="paid", day=DAY, amount=300, cap=1_000, ttl_s=3600)
    await store.settle("op", 250)
    for number in range(PAGES):
        await keep(store, page_of(f"harbours number {number}", url=f"https://example.com/{number}"))
    await store.close()


def move_aside(path: Path) -> Path:
    """What somebody does who finds a store damaged, up to the moment of beginning a new one."""
    return files(path).move_aside("corrupt", 0.0, is_marked=True)


def open_and_die(path: Path) -> None:
    subprocess.run([sys.executable, "-c", OPEN_AND_DIE, address_of(path)], check=True, timeout=60)


async def wait_for_pages(store: Store) -> None:
    async with asyncio.timeout(60):
        while len(await store.pages(count=100)) < PAGES:
            await keep(store, page_of("A turn at the lock.", url="https://example.com/0", at=2.0))


def marks(path: Path) -> list[Path]:
    return list(path.parent.glob("corrupt-*/*.unsaved"))


async def all_are_saved(path: Path, store: Store) -> None:
    async with asyncio.timeout(60):
        while marks(path):
            await store.settle("a turn at the lock", 0)


async def test_what_a_finder_left_that_ended_at_once_is_saved_by_the_next(path: Path) -> None:
    await make_store(path)
    move_aside(path)
    await asyncio.to_thread(open_and_die, path)
    assert len(marks(path)) == 1
    store = await open_store(path)
    assert await store.spent("paid", DAY) == 250
    await wait_for_pages(store)
    await store.close()
    assert marks(path) == []


async def test_commands_that_end_in_good_order_save_the_pages_before(path: Path) -> None:
    await make_store(path)
    move_aside(path)
    for _ in range(PAGES):  # one is enough where the machine is free; on a busy one each gets further
        await (await open_store(path)).close()
        if not marks(path):
            break
    assert marks(path) == []
    store = await open_store(path)
    assert len(await store.pages(count=100)) == PAGES
    await store.close()


@pytest.mark.parametrize("is_begun", [False, True])
async def test_a_ledger_that_was_moved_aside_counts_whenever_its_finder_ended(path: Path, is_begun: bool) -> None:
    await make_store(path)
    move_aside(path)
    if is_begun:
        path.touch()
    store = await open_store(path)
    assert await store.spent("paid", DAY) == 250
    assert not await store.reserve("more", provider="paid", day=DAY, amount=751, cap=1_000, ttl_s=60)
    assert await store.reserve("more", provider="paid", day=DAY, amount=750, cap=1_000, ttl_s=60)
    await store.close()


async def test_the_later_of_two_damaged_ledgers_counts(path: Path) -> None:
    await make_store(path)
    move_aside(path)
    await asyncio.to_thread(open_and_die, path)
    store = await open_store(path)
    await store.settle("op", 900)
    await store.close()
    # As if saving the first had not come to its end.
    files(path).mark_in(next(path.parent.glob("corrupt-*"))).touch()
    move_aside(path)
    store = await open_store(path)
    assert await store.spent("paid", DAY) == 900
    await all_are_saved(path, store)
    await store.close()


@pytest.mark.parametrize("content", [b"", b"x"])
async def test_a_day_counts_as_spent_when_the_file_was_emptied(path: Path, content: bytes) -> None:
    await make_store(path)
    path.write_bytes(content)
    store = await open_store(path)
    assert not await store.reserve("new", provider="paid", day=DAY, amount=1, cap=10**9, ttl_s=60)
    assert await store.reserve("new", provider="paid", day="1970-01-13", amount=1, cap=10, ttl_s=60)
    await store.close()


@pytest.mark.parametrize("is_removed", [False, True])
async def test_a_store_that_never_was_or_was_removed_costs_no_day(path: Path, is_removed: bool) -> None:
    if is_removed:
        await make_store(path)
        path.unlink()
    else:
        path.parent.mkdir()
        path.touch()
    store = await open_store(path)
    assert await store.reserve("new", provider="paid", day=DAY, amount=1, cap=1, ttl_s=60)
    await store.close()


async def test_a_page_removed_after_it_was_saved_does_not_come_back(path: Path) -> None:
    await make_store(path)
    folder = move_aside(path)
    store = await open_store(path)
    await wait_for_pages(store)
    await store.close()
    store = await open_store(path)
    assert await store.remove("https://example.com/7")
    await store.close()
    store = await open_store(path)
    await keep(store, page_of("A turn at the lock."))
    assert await store.page("https://example.com/7") is None
    await store.close()
    assert (folder / path.name).exists()


async def test_a_page_removed_before_its_turn_came_does_not_come_back(path: Path) -> None:
    await make_store(path)
    move_aside(path)
    store = await open_store(path)
    last = f"https://example.com/{PAGES - 1}"
    assert not await store.remove(last)
    await all_are_saved(path, store)
    assert await store.page(last) is None
    assert len(await store.pages(count=100)) == PAGES - 1
    await keep(store, page_of("Read again.", url=last, at=2.0))
    await store.close()
    store = await open_store(path)
    assert await store.page(last) is not None
    await store.close()


async def test_a_page_removed_while_it_is_saved_by_another_process_does_not_come_back(path: Path) -> None:
    await make_store(path)
    move_aside(path)
    await asyncio.to_thread(open_and_die, path)
    first, second = await open_store(path), await open_store(path)
    last = f"https://example.com/{PAGES - 1}"
    await second.remove(last)
    await all_are_saved(path, first)
    assert await second.page(last) is None
    await first.close()
    await second.close()


async def test_a_page_that_had_to_go_for_space_does_not_come_back_as_it_was(path: Path) -> None:
    await make_store(path)
    move_aside(path)
    store = await open_store(path)
    last = f"https://example.com/{PAGES - 1}"
    await keep(store, page_of("Read again.", url=last, at=2.0))
    await store.trim(most_bytes=0)
    await all_are_saved(path, store)
    assert await store.page(last) is None
    await store.close()


async def test_what_was_removed_during_a_rescue_is_no_hindrance_to_the_next(path: Path) -> None:
    await make_store(path)
    move_aside(path)
    store = await open_store(path)
    last = f"https://example.com/{PAGES - 1}"
    await store.remove(last)
    await all_are_saved(path, store)
    await keep(store, page_of("Read again.", url=last, at=2.0))
    await store.close()
    move_aside(path)
    store = await open_store(path)
    await all_are_saved(path, store)
    page = await store.page(last)
    assert page
    assert page.text == "Read again."
    await store.close()


def _salvage_with_a_bad_page(_path: Path, _now: float, done: int | None) -> Changes[sqlite3.Connection]:
    def keep_number(connection: sqlite3.Connection, number: int) -> None:
        if number == 2:
            raise ValueError
        connection.execute("INSERT INTO kept VALUES (?)", (number,))

    for number in range(0 if done is None else done + 1, 5):
        yield number, lambda new, number=number: keep_number(new, number)
    return True


async def test_one_page_that_cannot_be_saved_keeps_no_other_from_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    schema = Schema(name="test", migrations=("CREATE TABLE kept (number);",), salvage=_salvage_with_a_bad_page)
    path = tmp_path / "test.sqlite"
    await (await Database.open(path, schema, clock=SetClock())).close()
    path.write_bytes(b"garbage " * 1_000)
    with caplog.at_level(logging.WARNING):
        database = await Database.open(path, schema, clock=SetClock())
        await database.close()
    database = await Database.open(path, schema, clock=SetClock())
    rows = await database.read(lambda it: it.execute("SELECT number FROM kept ORDER BY number").fetchall())
    assert rows == [(0,), (1,), (3,), (4,)]
    await database.close()
    assert caplog.text.count("could not be saved") == 1
