"""A store of another kind, with addresses of its own, is one folder and one entry: nothing else has to know of it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from gossamer import Query, Settings, new_call, open_engine
from gossamer.cli.doctor import run_doctor
from gossamer.compose import misfits, open_library
from gossamer.errors import BadSettings
from gossamer.ports.addresses import Addressed, Entry
from gossamer.settings.model import SearchSettings
from gossamer.stores import STORES, open_store, store_class
from gossamer.testing.clock import SetClock
from gossamer.testing.store_cases import chunks_of, page_of
from tests.unit.stores.toy.store import ToyStore

ADDRESS = "toy://me:secret@pages.example/library"


@pytest.fixture(autouse=True)
def entry() -> Iterator[None]:
    """The one entry."""
    STORES["toy"] = Entry("tests.unit.stores.toy.store:ToyStore")
    yield
    del STORES["toy"]
    ToyStore.servers.clear()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(store=ADDRESS, data_dir=tmp_path, search=SearchSettings(providers=("library",)))


async def keep_a_page() -> None:
    store = await open_store(ADDRESS, clock=SetClock())
    page = page_of("Small boats are tied up in harbours.", url="https://example.org/harbours")
    await store.save(page, chunks_of(page, size=100))
    await store.close()


async def test_pages_are_kept_and_found_again() -> None:
    await keep_a_page()
    store = await open_store(ADDRESS, clock=SetClock())
    assert await store.page("https://example.org/harbours") is not None


async def test_an_engine_searches_what_is_kept_there(settings: Settings) -> None:
    await keep_a_page()
    async with open_engine(settings) as engine:
        results = await engine.search(Query(text="harbours"), new_call())
    assert [hit.url for hit in results.hits] == ["https://example.org/harbours"]


async def test_the_library_is_looked_at_only_where_there_is_one(settings: Settings) -> None:
    async with open_library(settings, clock=SetClock()) as library:
        assert library.store is None
    await keep_a_page()
    async with open_library(settings, clock=SetClock()) as library:
        assert library.store is not None


def test_settings_that_name_it_are_good_and_what_it_refuses_is_told_when_it_is_opened(settings: Settings) -> None:
    assert misfits(settings) == []
    with pytest.raises(BadSettings, match="needs a host"):
        store_class("toy:").exists("toy:")


def test_doctor_keeps_something_there_and_shows_no_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in {"STORE": ADDRESS, "SEARCH__PROVIDERS": "library"}.items():
        monkeypatch.setenv(f"GOSSAMER_{name}", value)
    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    run_doctor(None, as_json=True)
    report = capsys.readouterr().out
    (library,) = (finding for finding in json.loads(report)["findings"] if finding["name"] == "library")
    assert (library["state"], library["text"]) == (
        "works",
        "toy://me:********@pages.example/library, no pages yet, served by pages.example",
    )
    assert "secret" not in report


def test_what_a_class_does_not_answer_is_answered_as_for_a_server() -> None:
    assert ToyStore.free_bytes(ADDRESS) is None
    assert not ToyStore.is_recovering(ADDRESS)
    assert ToyStore.moved_aside(ADDRESS) == frozenset()


def test_a_store_that_says_nothing_of_its_addresses_is_one_behind_a_server() -> None:
    assert Addressed.exists(ADDRESS), "who looks at it finds out by connecting"
    assert (Addressed.free_bytes(ADDRESS), Addressed.remark(ADDRESS)) == (None, "")
    assert (Addressed.is_recovering(ADDRESS), Addressed.moved_aside(ADDRESS)) == (False, frozenset())
