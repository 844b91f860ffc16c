"""What tests of a damaged library share: one of many pages, and the moment after it was moved aside."""

from pathlib import Path
from typing import Any

from gossamer.filedb.files import Files
from gossamer.ports import Store
from gossamer.stores import store_class
from gossamer.stores.duckdb.open_file import files_of
from gossamer.testing.clock import SetClock
from gossamer.testing.store_cases import chunks_of, page_of

PAGES = 120
FEW = 12
"""So few that they are saved within the time that `list` and `show` wait, on a busy machine too."""


async def open_store(path: Path) -> Store:
    """Open it with more patience than usual: what is asked here is not how fast a busy machine is."""
    opened_by: Any = store_class(f"{path.suffix[1:]}://{path}")
    return await opened_by.open_file(path, clock=SetClock(), patience_s=60)


async def make_library(path: Path, pages: int = PAGES) -> None:
    store = await open_store(path)
    for number in range(pages):
        words = " ".join(f"{number * place:x}" for place in range(1_000))
        page = page_of(f"harbours {words}", url=f"https://example.com/{number}")
        await store.save(page, chunks_of(page, size=900))
    await store.close()


def move_aside(path: Path) -> Path:
    """What somebody does who finds a library damaged and is killed before a new one is begun; the mark that is left."""
    files = Files(path) if path.suffix == ".sqlite" else files_of(path)
    return files.mark_in(files.move_aside("corrupt", 0.0, is_marked=True))
