"""Stores that earlier versions wrote are still read."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from gossamer.errors import Outcome
from gossamer.model.page import Chunk, Link, Page, PageInfo
from gossamer.stores.sqlite import SqliteStore, schema
from gossamer.testing.state_contract import SetClock
from gossamer.testing.store_cases import keep, page_of

CASES = Path(__file__).parents[1] / "cases" / "stores"
KEPT = sorted(folder.name for folder in CASES.glob("schema-*"))


def test_a_store_of_every_schema_is_kept() -> None:
    assert sorted(f"schema-{number + 1}" for number in range(len(schema().migrations))) == KEPT


@pytest.fixture
def path(name: str, tmp_path: Path) -> Path:
    return shutil.copyfile(CASES / name / "store.sqlite", tmp_path / "store.sqlite")


def page(fields: dict[str, Any]) -> Page:
    links = tuple(Link(**link) for link in fields.get("links", ()))
    return Page(**{**fields, "info": PageInfo(**fields["info"]), "outcome": Outcome(fields["outcome"]), "links": links})


def chunk(fields: dict[str, Any]) -> Chunk:
    return Chunk(**{**fields, "section": tuple(fields["section"])})


@pytest.mark.parametrize("name", KEPT)
async def test_a_kept_store_gives_its_pages_back(name: str, path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = await SqliteStore.open_file(path, clock=SetClock())
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
    store = await SqliteStore.open_file(path, clock=SetClock())
    saved = await keep(store, page_of("The ferry is late.", at=1_800_000_000.0))
    assert (saved.url, saved.version) == ("https://docs.example.com/guide", 3)
    assert await store.find("harbour", count=5) == ()
    assert len(await store.find("ferry", count=5)) == 1
    await store.close()
