"""DuckDB files that are not what they seem: garbage, cut, garbled, newer, somebody else's; and a disk that is full."""

import asyncio
import contextlib
import random
import shutil
import sqlite3
import stat
import subprocess
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest

from gossamer.errors import StoreError, StoreUnavailable
from gossamer.model.page import Vectors
from gossamer.stores.duckdb.store import DuckdbStore
from gossamer.testing.clock import SetClock
from gossamer.testing.store_cases import chunks_of, keep, page_of
from tests.hostile.duckdb_bytes import with_version

PAGES = 6


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "store.duckdb"


async def open_store(path: Path) -> DuckdbStore:
    return await DuckdbStore.open_file(path, clock=SetClock(), patience_s=60)


def text_of(number: int) -> str:
    return f"Page number {number} about harbours. " * 40


async def make_store(path: Path) -> None:
    store = await open_store(path)
    for number in range(PAGES):
        page = page_of(text_of(number), url=f"https://example.com/{number}")
        await store.save(page, chunks_of(page))
    await store.close()


BROKEN = {
    "garbage": lambda data: b"garbage " * 10_000,
    "text": lambda data: b"<html>not a database</html>" * 100,
    "a single byte": lambda data: b"x",
    "cut in the middle": lambda data: data[: len(data) // 2],
    "a header without a body": lambda data: data[:100],
    "blocks overwritten": lambda data: data[:12_288] + bytes(len(data) - 12_288),
    "both headers garbled": lambda data: data[:4_096] + random.Random(1).randbytes(8_192) + data[12_288:],
}


@pytest.mark.parametrize("damage", BROKEN.values(), ids=BROKEN)
async def test_a_broken_file_is_moved_aside_and_the_store_works(
    path: Path, damage: Callable[[bytes], bytes], caplog: pytest.LogCaptureFixture
) -> None:
    await make_store(path)
    path.write_bytes(damage(path.read_bytes()))
    store = await open_store(path)
    assert await store.pages(count=5) == ()
    page = await keep(store, page_of("A new beginning."))
    assert await store.page(page.url) == page
    assert len(await store.find("beginning", count=5)) == 1
    await store.close()
    assert caplog.text.count("could not be used") == 1
    assert len(list(path.parent.glob("corrupt-*/store.duckdb"))) == 1


async def test_damage_that_shows_only_in_use_is_moved_aside_too_and_the_answer_is_that_nothing_is_kept(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await make_store(path)
    ruin(path, "documents", "body")
    store = await open_store(path)
    assert await store.page("https://example.com/3") is None
    page = await keep(store, page_of("A new beginning."))
    assert await store.page(page.url) == page
    await store.close()
    assert caplog.text.count("could not be used") == 1
    assert len(list(path.parent.glob("corrupt-*/store.duckdb"))) == 1


def ruin(path: Path, table: str, column: str) -> None:
    """Flip bits in the blocks that hold a column of a table."""
    with duckdb.connect(path) as connection:
        rows = connection.execute(
            "SELECT block_id FROM pragma_storage_info(?) WHERE column_name = ? AND block_id >= 0", [table, column]
        )
        blocks = {block for (block,) in rows.fetchall()}
    assert blocks
    data = bytearray(path.read_bytes())
    for block in blocks:
        at = 12_288 + block * 262_144 + 1_000
        data[at : at + 100] = bytes(byte ^ 0xFF for byte in data[at : at + 100])
    path.write_bytes(data)


DAY = "2026-11-16"


@pytest.mark.parametrize("table", ["postings", "vectors"])
async def test_of_a_damaged_file_the_ledger_and_the_pages_that_can_be_read_are_saved(path: Path, table: str) -> None:
    noise = random.Random(3)
    store = await open_store(path)
    pages = [page_of(noise.randbytes(30_000).hex(), url=f"https://example.com/{number}") for number in range(8)]
    for page in pages:
        await keep(store, page)
        data = noise.randbytes(2 * 64 * len(chunks_of(page)))
        await store.save_vectors(page, Vectors(model="small", dimension=64, data=data))
    assert await store.reserve("one", provider="paid", day=DAY, amount=7, cap=10, ttl_s=60)
    await store.close()
    ruin(path, table, {"postings": "word", "vectors": "f16"}[table])
    store = await open_store(path)
    if table == "postings":
        await store.find(chunks_of(pages[0])[0].text, count=5)
    else:
        await store.vectors(pages[0], "small")
    assert await store.spent("paid", DAY) == 7
    async with asyncio.timeout(60):
        while len(await store.pages(count=50)) < len(pages):
            pass
    for page in pages:
        assert await store.page(page.url) == page
        assert await store.chunks(page) == chunks_of(page)
    assert len(await store.find(chunks_of(pages[0])[0].text, count=5)) == 1
    await store.close()
    assert len(list(path.parent.glob("corrupt-*/store.duckdb"))) == 1


async def test_where_the_ledger_cannot_be_read_nobody_spends_more_that_day(path: Path) -> None:
    await make_store(path)
    path.write_bytes(b"garbage " * 10_000)
    clock = SetClock()
    today, tomorrow = (datetime.fromtimestamp(clock.now() + s, UTC).date().isoformat() for s in (0, 86_400))
    store = await DuckdbStore.open_file(path, clock=clock, patience_s=60)
    assert not await store.reserve("one", provider="paid", day=today, amount=1, cap=10**9, ttl_s=60)
    assert await store.reserve("one", provider="paid", day=tomorrow, amount=1, cap=10**9, ttl_s=60)
    await store.close()


async def test_a_file_that_is_removed_under_a_running_store_takes_nothing_more_with_it(path: Path) -> None:
    store = await open_store(path)
    await keep(store, page_of("Gone.", url="https://example.com/gone"))
    path.unlink()
    page = await keep(store, page_of("Kept."))
    await store.close()
    store = await open_store(path)
    assert await store.page(page.url) == page
    assert await store.page("https://example.com/gone") is None
    await store.close()


async def test_a_folder_that_is_removed_under_a_running_store_is_made_again(path: Path) -> None:
    store = await open_store(path)
    await keep(store, page_of("Gone.", url="https://example.com/gone"))
    shutil.rmtree(path.parent)
    page = await keep(store, page_of("Kept."))
    assert await store.page(page.url) == page
    await store.close()
    store = await open_store(path)
    assert await store.page(page.url) == page
    assert await store.page("https://example.com/gone") is None
    await store.close()


async def test_an_empty_file_is_a_new_store(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path.parent.mkdir()
    path.touch()
    store = await open_store(path)
    assert await store.pages(count=5) == ()
    await store.close()
    assert caplog.text == ""


async def test_the_store_of_a_newer_gossamer_is_moved_aside(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    await make_store(path)
    set_schema(path, "999")
    for _ in range(2):
        store = await open_store(path)
        assert await store.pages(count=5) == ()
        await store.close()
    assert caplog.text.count("newer Gossamer") == 1
    assert len(list(path.parent.glob("newer-*/store.duckdb"))) == 1


async def test_a_store_whose_schema_has_no_number_is_moved_aside_and_its_pages_saved(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await make_store(path)
    set_schema(path, "many")
    store = await open_store(path)
    async with asyncio.timeout(60):
        while len(await store.pages(count=50)) < PAGES:
            pass
    await store.close()
    assert caplog.text.count("no number") == 1


def set_schema(path: Path, value: str) -> None:
    with duckdb.connect(path) as connection:
        connection.execute("UPDATE meta SET value = ? WHERE key IN ('store.schema', 'store.schema_min')", [value])


async def test_a_file_of_a_newer_duckdb_is_moved_aside(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    await make_store(path)
    path.write_bytes(with_version(path.read_bytes(), 123_456))
    store = await open_store(path)
    assert await store.pages(count=5) == ()
    await store.close()
    assert caplog.text.count("newer DuckDB") == 1
    assert len(list(path.parent.glob("newer-*/store.duckdb"))) == 1


async def test_a_newer_schema_that_older_code_may_use_is_used(path: Path) -> None:
    await make_store(path)
    set_schema(path, "999")
    with duckdb.connect(path) as connection:
        connection.execute("INSERT INTO meta VALUES ('store.schema_min', '1')")
    store = await open_store(path)
    assert len(await store.pages(count=50)) == PAGES
    await store.close()


async def test_a_sqlite_file_is_named_as_one_and_left_alone(path: Path) -> None:
    path.parent.mkdir()
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE theirs (name TEXT)")
    with pytest.raises(StoreUnavailable, match="sqlite://"):
        await open_store(path)
    assert path.read_bytes().startswith(b"SQLite format 3")


GARBLED = {
    "the text of a chunk": "UPDATE chunks SET text = replace(text, 'harbours', 'airports')",
    "the place of a chunk": "UPDATE chunks SET start = start + 1",
    "the section of a chunk": "UPDATE chunks SET section = '['",
    "a chunk that is gone": "DELETE FROM chunks WHERE cid % 4096 = 1",
    "a compressed text": "UPDATE documents SET body = '\\x00'::BLOB",
    "the hash": "UPDATE documents SET content_hash = 'abc'",
    "the details": "UPDATE documents SET details = '{'",
    "details of another shape": "UPDATE documents SET details = '[]'",
}


@pytest.mark.parametrize("garble", GARBLED.values(), ids=GARBLED)
async def test_a_garbled_page_is_reported_as_none_and_can_be_saved_again(path: Path, garble: str) -> None:
    await make_store(path)
    with duckdb.connect(path) as connection:
        connection.execute(garble)
    store = await open_store(path)
    pages = [page_of(text_of(number), url=f"https://example.com/{number}") for number in range(3)]
    text, chunks = await store.page(pages[0].url), await store.chunks(pages[0])
    assert text in {None, pages[0]}
    assert chunks in {(), chunks_of(pages[0])}
    assert not (text and chunks)
    assert await store.page(pages[0].url) is None
    for page in pages:
        assert await store.save(page, chunks_of(page)) == page
        assert await store.page(page.url) == page
        assert await store.chunks(page) == chunks_of(page)
    found = {hit.url for hit in await store.find("harbours", count=50)}
    assert {page.url for page in pages} <= found
    assert await store.remove("https://example.com/5")
    await store.close()


async def test_a_garbled_snapshot_is_gone_and_the_page_stays(path: Path) -> None:
    store = await open_store(path)
    before = await keep(store, page_of("Before.", at=1.0))
    after = await keep(store, page_of("After.", at=2.0))
    await store.close()
    with duckdb.connect(path) as connection:
        connection.execute("UPDATE snapshots SET body = '\\x00'::BLOB")
    store = await open_store(path)
    assert await store.page(before.url, content_hash=before.content_hash) is None
    assert await store.page(after.url) == after
    await store.close()


async def test_bytes_flipped_anywhere_never_come_back_as_a_page(tmp_path: Path) -> None:
    await make_store(tmp_path / "store.duckdb")
    sound = (tmp_path / "store.duckdb").read_bytes()
    dice = random.Random(11)
    for attempt in range(12):
        path = tmp_path / str(attempt) / "store.duckdb"
        path.parent.mkdir()
        data = bytearray(sound)
        for _ in range(20):
            data[dice.randrange(len(data))] = dice.randrange(256)
        path.write_bytes(data)
        with contextlib.suppress(StoreError):
            store = await open_store(path)
            for number in range(PAGES):
                with contextlib.suppress(StoreError):
                    page = await store.page(f"https://example.com/{number}")
                    assert page is None or page.text == text_of(number)
                    chunks = await store.chunks(page) if page else ()
                    assert not chunks or "".join(chunk.text for chunk in chunks) == text_of(number)
            await store.close()


async def test_an_index_of_words_prepared_in_another_way_is_made_again(path: Path) -> None:
    await make_store(path)
    with duckdb.connect(path) as connection:
        connection.execute("UPDATE meta SET value = '1' WHERE key = 'store.words'")
        connection.execute("UPDATE postings SET word = 'nonsense'")
    store = await open_store(path)
    assert await store.find("nonsense", count=50) == ()
    assert len(await store.find("harbours", count=50)) == PAGES
    await store.close()


async def test_space_of_what_was_trimmed_is_given_back_to_the_disk_and_the_rest_stays(path: Path) -> None:
    store, noise = await open_store(path), random.Random(7)
    pages = [page_of(noise.randbytes(200_000).hex(), url=f"https://example.com/{number}") for number in range(40)]
    for page in pages:
        await store.save(page, chunks_of(page, size=10_000))
    full, on_disk = await store.stats(), path.stat().st_size
    gone = await store.trim(most_bytes=full.size_bytes // 10)
    assert 0 < gone < len(pages)
    assert path.stat().st_size < on_disk / 2
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    for page in pages[gone:]:
        assert await store.page(page.url) == page
        assert await store.chunks(page) == chunks_of(page, size=10_000)
    page = await keep(store, page_of("More."))
    await store.close()
    store = await open_store(path)
    assert await store.page(page.url) == page
    assert (await store.stats()).pages == len(pages) - gone + 1
    await store.close()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "small"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", folder]
    mounted = subprocess.run(command, check=False, capture_output=True)
    if mounted.returncode:
        pytest.skip("a small file system cannot be mounted here")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


async def test_on_a_full_disk_reading_goes_on_and_saving_again_once_there_is_space(small_disk: Path) -> None:
    store = await open_store(small_disk / "store.duckdb")
    kept = [await keep(store, page_of("The first page.", url="https://example.com/first"))]
    filler = small_disk / "filler"
    with contextlib.suppress(OSError):
        filler.write_bytes(bytes(2**22))
    noise = random.Random(5)
    with contextlib.suppress(StoreUnavailable):
        for number in range(200):
            page = page_of(noise.randbytes(20_000).hex(), url=f"https://example.com/{number}")
            kept.append(await keep(store, page))
    for page in kept:
        assert await store.page(page.url) == page
    with pytest.raises(StoreUnavailable, match="disk is full"):
        await keep(store, page_of(noise.randbytes(40_000).hex()))
    filler.unlink()
    kept.append(await keep(store, page_of("There is space again.", url="https://example.com/again")))
    await store.close()
    store = await open_store(small_disk / "store.duckdb")
    for page in kept:
        assert await store.page(page.url) == page
    await store.close()
