"""DuckDB files of other programs: refused with a sentence, and nothing of them changes."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from gossamer.errors import BadSettings, StoreUnavailable
from gossamer.stores import open_store
from gossamer.stores.duckdb.store import DuckdbStore
from gossamer.testing.clock import SetClock
from gossamer.testing.store_cases import keep, page_of
from tests.hostile.duckdb_bytes import with_version

FILLED_AND_KILLED = """
import duckdb, os, sys
connection = duckdb.connect(sys.argv[1])
connection.execute(sys.argv[2])
os._exit(9)
"""
ENCRYPTED = """
import duckdb, sys
connection = duckdb.connect()
connection.execute("SET force_mbedtls_unsafe = 'true'")
connection.execute(f"ATTACH '{sys.argv[1]}' AS theirs (ENCRYPTION_KEY 'a secret')")
connection.execute(f"USE theirs; {sys.argv[2]}")
"""
META = "CREATE TABLE meta (key VARCHAR, value VARCHAR); INSERT INTO meta VALUES ('made by', 'another')"
HOLDING = {
    "a table": "CREATE TABLE theirs (name VARCHAR)",
    "a table of our name": "CREATE TABLE meta (k VARCHAR)",
    "a table of our name and columns": META,
    "tables of our names": f"{META}; CREATE TABLE documents (id BIGINT)",
    "numbers in our columns": "CREATE TABLE meta (key BIGINT, value BLOB); INSERT INTO meta VALUES (1, 'x'::BLOB)",
    "a view of our name": "CREATE VIEW meta AS SELECT 'store.size' AS key, 1 AS value",
    "a table in a schema of its own": "CREATE SCHEMA work; CREATE TABLE work.theirs (name VARCHAR)",
    "a schema": "CREATE SCHEMA work",
    "a view": "CREATE VIEW theirs AS SELECT 1",
    "a sequence": "CREATE SEQUENCE theirs",
    "a type": "CREATE TYPE theirs AS ENUM ('one', 'two')",
    "a macro": "CREATE MACRO theirs(a) AS a + 1",
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    return folder / "theirs.duckdb"


def make(path: Path, statement: str) -> None:
    with duckdb.connect(path) as connection:
        connection.execute(statement)


def run(code: str, path: Path, statement: str) -> None:
    subprocess.run([sys.executable, "-c", code, str(path), statement], check=False, capture_output=True)


def seen(path: Path) -> dict[str, tuple[bytes, int, int]]:
    """All that is theirs, to the byte, with modes and times."""
    files = (file for file in path.parent.iterdir() if file.name in {path.name, f"{path.name}.wal"})
    return {file.name: (file.read_bytes(), file.stat().st_mode, file.stat().st_mtime_ns) for file in files}


async def assert_is_refused_and_left_alone(path: Path, match: str = "another program") -> None:
    for file in path.parent.iterdir():
        file.chmod(0o644)
    before = seen(path)
    assert before
    for _ in range(2):
        with pytest.raises(StoreUnavailable, match=match) as caught:
            await DuckdbStore.open_file(path, clock=SetClock(), patience_s=60)
        assert str(path) in caught.value.message
        assert "Name a file of its own for Gossamer" in str(caught.value)
    assert seen(path) == before
    assert [folder.name for folder in path.parent.iterdir() if folder.is_dir() and "-" in folder.name] == []


@pytest.mark.parametrize("statement", HOLDING.values(), ids=HOLDING)
async def test_the_database_of_another_program_is_refused_and_left_alone(path: Path, statement: str) -> None:
    make(path, statement)
    await assert_is_refused_and_left_alone(path)


@pytest.mark.parametrize("statement", HOLDING.values(), ids=HOLDING)
async def test_one_whose_program_was_killed_keeps_its_log_too(path: Path, statement: str) -> None:
    run(FILLED_AND_KILLED, path, statement)
    assert path.with_name(f"{path.name}.wal").stat().st_size > 0
    await assert_is_refused_and_left_alone(path)


async def test_an_encrypted_database_is_refused_and_left_alone(path: Path) -> None:
    run(ENCRYPTED, path, "CREATE TABLE theirs (name VARCHAR)")
    await assert_is_refused_and_left_alone(path, match="cannot be opened")


UNREADABLE: dict[str, Callable[[bytes], bytes]] = {
    "of a newer DuckDB": lambda data: with_version(data, 123_456),
    "cut": lambda data: data[: len(data) // 2],
    "garbled": lambda data: data[:4_096] + bytes(byte ^ 0xFF for byte in data[4_096:]),
}


@pytest.mark.parametrize("change", UNREADABLE.values(), ids=UNREADABLE)
async def test_one_that_cannot_be_read_is_not_moved_where_there_was_no_store(
    path: Path, change: Callable[[bytes], bytes]
) -> None:
    make(path, "CREATE TABLE theirs (name VARCHAR)")
    path.write_bytes(change(path.read_bytes()))
    await assert_is_refused_and_left_alone(path, match="cannot be used")


STRANGE = {
    "a text": b"Dear diary, this is no database.\n" * 200,
    "a short text": b"hi",
    "zeros": bytes(8_192),
    "an image": b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40,
}


@pytest.mark.parametrize("data", STRANGE.values(), ids=STRANGE)
async def test_a_file_of_any_other_kind_is_not_moved_where_there_was_no_store(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    await assert_is_refused_and_left_alone(path, match="cannot be used")


@pytest.mark.parametrize("data", STRANGE.values(), ids=STRANGE)
async def test_a_store_that_was_overwritten_is_moved_aside(path: Path, data: bytes) -> None:
    store = await DuckdbStore.open_file(path, clock=SetClock(), patience_s=60)
    await store.close()
    path.write_bytes(data)
    store = await DuckdbStore.open_file(path, clock=SetClock(), patience_s=60)
    page = await keep(store, page_of("Anew."))
    assert await store.page(page.url) == page
    await store.close()
    (moved,) = path.parent.glob(f"corrupt-*/{path.name}")
    assert moved.read_bytes() == data


@pytest.mark.skipif(os.name != "posix", reason="needs pipes with a name")
async def test_a_pipe_and_a_folder_are_refused_at_once(path: Path) -> None:
    os.mkfifo(path)
    folder = path.with_name("folder")
    folder.mkdir()
    for name in (path, folder):
        for kind in ("duckdb", "sqlite"):
            with pytest.raises(StoreUnavailable, match="is no file"):
                await open_store(f"{kind}://{name}", clock=SetClock())
    assert path.is_fifo()
    assert {it.name for it in path.parent.iterdir()} == {path.name, folder.name}


async def test_a_path_that_duckdb_would_misread_is_refused_before_anything_is_made(path: Path) -> None:
    for name in ("a?b.duckdb", "a?b/store.duckdb"):
        with pytest.raises(BadSettings, match="question mark"):
            await open_store(f"duckdb://{path.parent / name}", clock=SetClock())
    assert list(path.parent.iterdir()) == []


async def test_what_another_user_put_there_is_not_moved(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_bytes(b"another's")
    monkeypatch.setattr(os, "geteuid", lambda: path.stat().st_uid + 1)
    with pytest.raises(StoreUnavailable, match="another user's"):
        await DuckdbStore.open_file(path, clock=SetClock(), patience_s=60)
    assert path.read_bytes() == b"another's"
    assert list(path.parent.glob("corrupt-*")) == []


async def test_one_put_in_the_place_of_a_store_under_a_running_process_is_left_alone(path: Path) -> None:
    store = await DuckdbStore.open_file(path, clock=SetClock(), patience_s=60)
    await keep(store, page_of("Ours."))
    other = path.with_name("other.duckdb")
    make(other, "CREATE TABLE meta (k VARCHAR)")
    other.replace(path)
    path.with_name(f"{path.name}.wal").unlink(missing_ok=True)
    before = seen(path)
    with pytest.raises(StoreUnavailable, match="another program"):
        await keep(store, page_of("More."))
    await store.close()
    assert seen(path) == before


async def test_an_empty_database_is_taken_for_a_new_store(path: Path) -> None:
    make(path, "SELECT 1")
    store = await DuckdbStore.open_file(path, clock=SetClock(), patience_s=60)
    page = await keep(store, page_of("Ours."))
    assert await store.page(page.url) == page
    await store.close()
