"""Store files that are not what they seem: garbage, cut, garbled, newer."""

import contextlib
import random
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from gossamer.errors import StoreError
from gossamer.stores.sqlite.store import SqliteStore
from gossamer.testing.state_contract import SetClock
from gossamer.testing.store_cases import chunks_of, keep, page_of

DAY = "1970-01-12"
"""The day of a set clock."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "store.sqlite"


async def open_store(path: Path) -> SqliteStore:
    return await SqliteStore.open_file(path, clock=SetClock())


async def make_store(path: Path) -> None:
    store = await open_store(path)
    for number in range(20):
        page = page_of(f"Page number {number} about harbours. " * 40, url=f"https://example.com/{number}")
        await store.save(page, chunks_of(page))
    await store.close()


BROKEN = {
    "garbage": lambda data: b"garbage " * 10_000,
    "text": lambda data: b"<html>not a database</html>" * 100,
    "cut in the middle": lambda data: data[: len(data) // 2],
    "cut within a page": lambda data: data[:20_000],
    "a header without a body": lambda data: data[:100],
    "pages overwritten": lambda data: data[:8192] + bytes(8192 * 4) + data[8192 * 5 :],
}


@pytest.mark.parametrize("damage", BROKEN.values(), ids=BROKEN)
async def test_a_broken_file_is_moved_aside_and_the_store_works(
    path: Path, damage: Callable[[bytes], bytes], caplog: pytest.LogCaptureFixture
) -> None:
    await make_store(path)
    rewrite(path, damage)
    store = await open_store(path)
    with contextlib.suppress(StoreError):
        await store.find("harbours", count=5)
        await store.pages(count=5)
        await store.page("https://example.com/3")
    await store.close()
    store = await open_store(path)
    page = await keep(store, page_of("A new beginning."))
    assert await store.page(page.url) == page
    assert len(await store.find("beginning", count=5)) == 1
    await store.close()
    assert caplog.text.count("could not be used") == 1
    assert len(list(path.parent.glob("corrupt-*/store.sqlite"))) == 1


def rewrite(path: Path, change: Callable[[bytes], bytes]) -> None:
    path.write_bytes(change(path.read_bytes()))


@pytest.mark.parametrize("content", [b"", b"x"])
async def test_a_file_that_was_emptied_is_a_new_store(
    path: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    await make_store(path)
    rewrite(path, lambda data: content)
    store = await open_store(path)
    assert await store.pages(count=5) == ()
    await store.close()
    assert caplog.text.count("was emptied") == 1


async def test_the_store_of_a_newer_gossamer_is_moved_aside(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    await make_store(path)
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE meta SET value = '999' WHERE key IN ('store.schema', 'store.schema_min')")
    for _ in range(2):
        store = await open_store(path)
        assert await store.pages(count=5) == ()
        await store.close()
    assert caplog.text.count("newer Gossamer") == 1
    assert len(list(path.parent.glob("newer-*/store.sqlite"))) == 1


NEWER_LEDGERS = {
    "one that can be read": ("SELECT 1", 250),
    "one of another shape": ("ALTER TABLE ledger RENAME COLUMN amount TO price", None),
    "one that is gone": ("DROP TABLE ledger", None),
}


@pytest.mark.parametrize(("script", "spent"), NEWER_LEDGERS.values(), ids=NEWER_LEDGERS)
async def test_the_ledger_of_a_newer_gossamer_counts_or_its_day_does(
    path: Path, script: str, spent: int | None
) -> None:
    await make_store(path)
    store = await open_store(path)
    assert await store.reserve("op", provider="paid", day=DAY, amount=300, cap=1_000, ttl_s=3600)
    await store.settle("op", 250)
    await store.close()
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(script)
        connection.execute("UPDATE meta SET value = '999' WHERE key IN ('store.schema', 'store.schema_min')")
        connection.execute("DELETE FROM meta WHERE key = 'shape'")
    for _ in range(2):
        store = await open_store(path)
        may_spend = await store.reserve("more", provider="paid", day=DAY, amount=1, cap=1_000, ttl_s=0)
        assert may_spend == (spent is not None)
        assert spent is None or await store.spent("paid", DAY) == spent
        assert await store.pages(count=5) == ()
        await store.close()
    assert len(list(path.parent.glob("newer-*/store.sqlite"))) == 1
    assert list(path.parent.glob("newer-*/*.unsaved")) == []


GARBLED = {
    "the text of a chunk": "UPDATE chunks SET text = replace(text, 'harbours', 'airports')",
    "bytes that are no text": "UPDATE chunks SET text = CAST(x'ff00ff' AS TEXT)",
    "the place of a chunk": "UPDATE chunks SET start = start + 1",
    "the section of a chunk": "UPDATE chunks SET section = '['",
    "a chunk that is gone": "DELETE FROM chunks WHERE cid % 4096 = 1",
    "a compressed text": "UPDATE documents SET body = x'00'",
    "another text": "UPDATE documents SET body = (SELECT body FROM documents AS o WHERE o.id = documents.id % 20 + 1)",
    "the hash": "UPDATE documents SET content_hash = 'abc'",
    "the details": "UPDATE documents SET details = '{'",
    "details of another shape": "UPDATE documents SET details = '[]'",
    "a whole row of another page": "UPDATE documents SET (title, body, content_hash, details, chars) ="
    " (SELECT title, body, content_hash, details, chars FROM documents AS o WHERE o.id = documents.id % 20 + 1)",
    "a column of another kind": "UPDATE documents SET title = x'00'",
}


@pytest.mark.parametrize("garble", GARBLED.values(), ids=GARBLED)
async def test_a_garbled_page_is_never_handed_out_and_can_be_saved_again(path: Path, garble: str) -> None:
    await make_store(path)
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(garble)
    store = await open_store(path)
    pages = [page_of(f"Page number {n} about harbours. " * 40, url=f"https://example.com/{n}") for n in range(3)]
    kept = await store.page(pages[0].url)
    # The text may be sound where the chunks are not: then it is cut again, and needs not be fetched.
    assert kept is None or (kept == pages[0] and await store.chunks(kept) == ())
    assert await store.chunks(pages[1]) in {(), chunks_of(pages[1])}
    for page in pages:
        assert await store.save(page, chunks_of(page)) == page
        assert await store.page(page.url) == page
        assert await store.chunks(page) == chunks_of(page)
    assert {"https://example.com/0", "https://example.com/1"} <= {
        hit.url for hit in await store.find("harbours", count=50)
    }
    assert await store.remove("https://example.com/7")
    await store.close()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


async def test_a_garbled_snapshot_is_gone_and_the_page_stays(path: Path) -> None:
    store = await open_store(path)
    before = await keep(store, page_of("Before.", at=1.0))
    after = await keep(store, page_of("After.", at=2.0))
    await store.close()
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE snapshots SET body = x'00'")
    store = await open_store(path)
    assert await store.page(before.url, content_hash=before.content_hash) is None
    assert await store.page(after.url) == after
    await store.close()


async def test_bytes_flipped_anywhere_never_come_back_as_a_page(tmp_path: Path) -> None:
    await make_store(tmp_path / "store.sqlite")
    sound = (tmp_path / "store.sqlite").read_bytes()
    texts = {f"https://example.com/{n}": f"Page number {n} about harbours. " * 40 for n in range(20)}
    dice = random.Random(11)
    for attempt in range(25):
        path = tmp_path / str(attempt) / "store.sqlite"
        path.parent.mkdir()
        data = bytearray(sound)
        for _ in range(20):
            data[dice.randrange(100, len(data))] = dice.randrange(256)
        path.write_bytes(data)
        with contextlib.suppress(StoreError):
            store = await open_store(path)
            for url, text in texts.items():
                with contextlib.suppress(StoreError):
                    page = await store.page(url)
                    assert page is None or page.text == text
                    chunks = await store.chunks(page) if page else ()
                    assert not chunks or "".join(chunk.text for chunk in chunks) == text
                with contextlib.suppress(StoreError):
                    await store.find(f"harbours {url}", count=5)
            await store.close()
        shutil.rmtree(path.parent)


async def test_a_broken_word_index_is_made_again(path: Path) -> None:
    await make_store(path)
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE fts_data SET block = x'ffffffffffff' WHERE id > 10")
    store = await open_store(path)
    with pytest.raises(StoreError):
        await store.find("harbours", count=5)
    await store.close()
    store = await open_store(path)
    assert len(await store.find("harbours", count=50)) == 20
    assert len(await store.pages(count=50)) == 20
    await store.close()
    assert list(path.parent.glob("corrupt-*")) == []
