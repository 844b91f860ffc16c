"""States that earlier versions wrote are still read, and earlier versions that run meanwhile go on."""

import contextlib
import shutil
import sqlite3
from pathlib import Path

import pytest

from gossamer.states.sqlite import SCHEMA, SqliteState
from gossamer.testing.state_contract import SetClock

CASES = Path(__file__).parents[1] / "cases" / "states"
KEPT = sorted(folder.name for folder in CASES.glob("schema-*"))


def test_a_state_of_every_schema_is_kept() -> None:
    assert sorted(f"schema-{number + 1}" for number in range(len(SCHEMA.migrations))) == KEPT


@pytest.fixture
def path(name: str, tmp_path: Path) -> Path:
    return shutil.copyfile(CASES / name / "state.sqlite", tmp_path / "state.sqlite")


@pytest.mark.parametrize("name", KEPT)
async def test_a_kept_state_says_what_was_put_into_it(name: str, path: Path, caplog: pytest.LogCaptureFixture) -> None:
    clock = SetClock()
    state = await SqliteState.open_file(path, clock=clock)
    assert await state.get("short") == "gone soon"
    clock.advance(500)
    assert await state.get("word") == "日本語 \x00"
    assert await state.get("long") == "x" * 20_000
    assert await state.get("short") is None
    assert (await state.window("hits", cap=42, window_s=10)).count == 42
    assert not (await state.window("hits", cap=42, window_s=10)).is_within
    assert await state.lease("probe", "bob", ttl_s=10) == 0
    held = await state.lease("probe", "ann", ttl_s=10)
    assert await state.put_under("probe", held, "key", "value", ttl_s=10)
    assert await state.lease("short", "bob", ttl_s=10) > held
    clock.advance(500)
    assert [await state.get(key) for key in ("word", "long", "hits")] == [None, None, None]
    await state.close()
    assert caplog.text == ""


async def test_a_process_of_the_first_version_goes_on_with_a_file_that_was_brought_up_to_date(tmp_path: Path) -> None:
    path = shutil.copyfile(CASES / "schema-1" / "state.sqlite", tmp_path / "state.sqlite")
    clock = SetClock()
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as earlier:
        assert earlier.execute("SELECT value FROM records WHERE key = 'hits'").fetchone() == ("41",)
        state = await SqliteState.open_file(path, clock=clock)
        await state.put("key", "new", ttl_s=10)
        # The very statements of that version.
        earlier.execute("REPLACE INTO records VALUES (?, ?, ?)", ("key", "old", clock.now() + 10))
        earlier.execute("REPLACE INTO leases VALUES (?, ?, ?)", ("probe", "old", clock.now() + 10))
        assert earlier.execute("SELECT value, until FROM records WHERE key = ?", ("key",)).fetchone()[0] == "old"
        assert earlier.execute("SELECT value FROM meta WHERE key = 'state.schema_min'").fetchone() == ("1",)
        assert await state.get("key") == "new"
        clock.advance(100)
        await state.put("key", "new", ttl_s=10)
        assert earlier.execute("SELECT count(*) FROM records WHERE key = 'key'").fetchone() == (0,)
        await state.close()
