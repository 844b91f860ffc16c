"""Keep a small store of the schema as it is now: `python tests/cases/stores/make.py sqlite`, or `duckdb`.

Run it once when a migration is added, and never again for a schema that was released: each folder shows that stores
written in its day are still read. `pages.json` holds what must come out. DuckDB's files are mostly zeros, so they are
kept compressed.
"""

import asyncio
import gzip
import json
import shutil
import sys
import tempfile
from dataclasses import asdict, replace
from pathlib import Path

from gossamer.model.page import Page, PageInfo
from gossamer.ports import Store
from gossamer.stores import open_store
from gossamer.stores.duckdb.store import schema as duckdb_schema
from gossamer.stores.sqlite.store import schema as sqlite_schema
from gossamer.testing.state_contract import SetClock
from gossamer.testing.store_cases import chunks_of, page_of, vectors_of

TEXTS = {
    "https://docs.example.com/guide": ("A guide", "Boats leave the harbour at nine.\n\nTickets are sold on board."),
    "https://example.jp/tower": ("東京タワー", "東京タワーの高さは三百三十三メートルです。"),
    "https://example.org/empty": ("", ""),
}


async def fill(store: Store) -> list[dict[str, object]]:
    before = page_of("Boats leave the harbour at eight.", url="https://docs.example.com/guide", at=1_700_000_000.0)
    kept = [await store.save(before, chunks_of(before))]
    for url, (title, text) in TEXTS.items():
        info = PageInfo(author="Ann", published="2026-01-02", language="en")
        page = replace(page_of(text, url=url, at=1_700_000_100.5, title=title), info=info, etag='W/"1"')
        kept.append(await store.save(page, chunks_of(page, size=40)))
        await store.save_vectors(page, vectors_of(chunks_of(page, size=40)))
    part = replace(
        page_of("Tickets", url="https://docs.example.com/guide", at=1_700_000_200.0), view="0123456789abcdef"
    )
    kept.append(await store.save(part, ()))
    await store.reserve("settled", provider="paid", day="2026-01-02", amount=500, cap=1_000, ttl_s=60)
    await store.settle("settled", 400)
    await store.reserve("pending", provider="paid", day="2026-01-02", amount=100, cap=1_000, ttl_s=60)
    return [await described(store, page) for page in kept]


async def described(store: Store, page: Page) -> dict[str, object]:
    vectors = await store.vectors(page, "small")
    return {
        "page": asdict(page),
        "chunks": [asdict(chunk) for chunk in await store.chunks(page)],
        "vectors": vectors.data.hex() if vectors else None,
    }


async def main(kind: str) -> None:
    cases = Path(__file__).parent
    migrations = (duckdb_schema() if kind == "duckdb" else sqlite_schema()).migrations
    folder = cases / f"{'duckdb-' if kind == 'duckdb' else ''}schema-{len(migrations)}"
    with tempfile.TemporaryDirectory() as temporary:
        path = Path(temporary) / f"store.{kind}"
        store = await open_store(f"{kind}://{path}", clock=SetClock())
        pages = await fill(store)
        await store.close()
        folder.mkdir()
        if kind == "duckdb":
            (folder / f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes(), mtime=0))
        else:
            shutil.copyfile(path, folder / path.name)
    text = json.dumps(pages, ensure_ascii=False, indent=1)
    (folder / "pages.json").write_text(f"{text}\n", "utf-8")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
