"""Stores that earlier versions wrote are still read."""

import gzip
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from gossamer.errors import Outcome
from gossamer.model.page import Chunk, Link, Page, PageInfo
from gossamer.model.records import Kept
from gossamer.ports import Store
from gossamer.stores import open_store
from gossamer.stores.duckdb.store import schema as duckdb_schema
from gossamer.stores.memory import MemoryStore
from gossamer.stores.sqlite.store import schema as sqlite_schema
from gossamer.testing.state_contract import SetClock
from gossamer.testing.store_cases import keep, page_of, pointing

CASES = Path(__file__).parents[1] / "cases" / "stores"
KEPT = sorted(folder.name for folder in CASES.glob("*schema-*"))


def test_a_store_of_every_schema_is_kept() -> None:
    schemas = {"schema": sqlite_schema(), "duckdb-schema": duckdb_schema()}
    names = (f"{name}-{number + 1}" for name, it in schemas.items() for number in range(len(it.migrations)))
    assert sorted(names) == KEPT


@pytest.fixture
def path(name: str, tmp_path: Path) -> Path:
    if not name.startswith("duckdb"):
        return shutil.copyfile(CASES / name / "store.sqlite", tmp_path / "store.sqlite")
    path = tmp_path / "store.duckdb"
    path.write_bytes(gzip.decompress((CASES / name / "store.duckdb.gz").read_bytes()))
    return path


async def opened(path: Path, at: float = SetClock().now()) -> Store:
    return await open_store(f"{path.suffix[1:]}://{path}", clock=SetClock(at))


def page(fields: dict[str, Any]) -> Page:
    links = tuple(Link(**link) for link in fields.get("links", ()))
    info = PageInfo(**{name: value for name, value in fields["info"].items() if value})
    return Page(**{**fields, "info": info, "outcome": Outcome(fields["outcome"]), "links": links})


def chunk(fields: dict[str, Any]) -> Chunk:
    return Chunk(**{**fields, "section": tuple(fields["section"])})


@pytest.mark.parametrize("name", KEPT)
async def test_a_kept_store_gives_its_pages_back(name: str, path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = await opened(path)
    for case in json.loads((CASES / name / "pages.json").read_text("utf-8")):
        expected = page(case["page"])
        assert await store.page(expected.url, expected.view, content_hash=expected.content_hash) == expected
        assert await store.chunks(expected) == tuple(map(chunk, case["chunks"]))
        vectors = await store.vectors(expected, "small")
        assert (vectors.data.hex() if vectors else None) == case["vectors"]
    assert [hit.url for hit in await store.find("harbour", count=5)] == ["https://docs.example.com/guide"]
    assert [hit.url for hit in await store.find("タワー", count=5)] == ["https://example.jp/tower"]
    assert len(await store.pages(count=10)) == 3
    await store.close()
    assert caplog.text == ""


@pytest.mark.parametrize("name", KEPT)
async def test_a_kept_store_takes_new_pages(name: str, path: Path) -> None:
    store = await opened(path)
    saved = await keep(store, page_of("The ferry is late.", at=1_800_000_000.0))
    assert (saved.url, saved.version) == ("https://docs.example.com/guide", 3)
    assert await store.find("harbour", count=5) == ()
    assert len(await store.find("ferry", count=5)) == 1
    await store.close()


@pytest.mark.parametrize("name", KEPT)
async def test_the_vectors_of_a_kept_store_are_found_by_closeness(name: str, path: Path) -> None:
    store = await opened(path)
    near = await store.nearest(pointing((1.0, 1.0)), count=5)
    assert {hit.url for hit in near} == {"https://docs.example.com/guide", "https://example.jp/tower"}
    assert (await store.stats()).models == {"small": 2}
    await store.close()


@pytest.mark.parametrize("name", KEPT)
async def test_the_pages_of_a_kept_store_can_be_carried_to_another(name: str, path: Path) -> None:
    store, other = await opened(path), MemoryStore()
    records = [record async for record in store.export()]
    assert [await other.restore(record) for record in records] == [True] * len(records)
    assert await other.pages(count=10) == await store.pages(count=10)
    assert len([record for record in records if isinstance(record, Kept)]) == 4
    await store.close()


@pytest.mark.parametrize("name", ["schema-3", "duckdb-schema-1"])
async def test_the_ledger_of_a_kept_store_counts_on(name: str, path: Path) -> None:
    store = await opened(path)
    assert await store.spent("paid", "2026-01-02") == 500
    late = await opened(path, 2_000_000.0)
    assert await late.spent("paid", "2026-01-02") == 400
    await store.close()
    await late.close()
