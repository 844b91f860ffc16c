"""Keep a small state of the schema as it is now: `python tests/cases/states/make.py`.

Run it once when a migration is added, and never again for a schema that was released: each folder shows that states
written in its day are still read. The clock stands at a million seconds; `tests/contract/test_kept_states.py` says
what must come out.
"""

import asyncio
import shutil
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from gossamer.states.sqlite import SqliteState
from gossamer.testing.state_contract import SetClock


async def fill(state: SqliteState) -> None:
    await state.put("word", "日本語 \x00", ttl_s=1_000)
    await state.put("long", "x" * 20_000, ttl_s=1_000)
    await state.put("short", "gone soon", ttl_s=10)
    await state.add("hits", 41, ttl_s=1_000)
    await state.lease("probe", "ann", ttl_s=1_000)
    await state.lease("short", "ann", ttl_s=10)


async def main() -> None:
    with tempfile.TemporaryDirectory() as temporary:
        path = Path(temporary) / "state.sqlite"
        state = await SqliteState.open_file(path, clock=SetClock())
        await fill(state)
        await state.close()
        with closing(sqlite3.connect(path)) as connection:
            (schema,) = connection.execute("SELECT value FROM meta WHERE key = 'state.schema'").fetchone()
        folder = Path(__file__).parent / f"schema-{schema}"
        folder.mkdir()
        shutil.copyfile(path, folder / path.name)


if __name__ == "__main__":
    asyncio.run(main())
