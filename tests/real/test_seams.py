"""The three seams of `open_engine`: names, connections and time can be set, and nothing else needs to be."""

from pathlib import Path

import pytest

from gossamer import Outcome, Query, Settings, View, new_call, open_engine
from gossamer.demo.web import MiniWeb
from gossamer.errors import BadSettings, BlockedAddress, InvalidArgument, Unreachable

PUBLIC = "93.184.216.34"


class Somewhere:
    """A clock that starts at a chosen day."""

    def __init__(self, now: float) -> None:
        self.time = now

    def now(self) -> float:
        return self.time

    def monotonic(self) -> float:
        return self.time


async def test_a_public_name_is_looked_up_once_and_dialled_where_the_test_says(web: MiniWeb, tmp_path: Path) -> None:
    looked_up: list[str] = []
    dialled: list[tuple[str, int]] = []

    async def resolve(host: str) -> list[str]:
        looked_up.append(host)
        if host == "island.example":
            return [PUBLIC]
        raise OSError("no such name")

    async def dial(address: str, port: int) -> tuple[str, int]:
        dialled.append((address, port))
        host, _, real = web.host.partition(":")
        return host, int(real)

    clock = Somewhere(1_790_000_000.0)
    async with open_engine(Settings(data_dir=tmp_path), resolve=resolve, dial=dial, clock=clock) as engine:
        page = await engine.fetch("http://island.example/ferry/timetable", new_call(clock=clock))
        assert page.outcome is Outcome.OK
        assert page.fetched_at == clock.time
        with pytest.raises(Unreachable):
            await engine.fetch("http://nowhere.example/", new_call(clock=clock))
        with pytest.raises(BlockedAddress):
            await engine.fetch(f"{web.url}/", new_call(clock=clock))
    assert looked_up == ["island.example", "nowhere.example"]
    assert {address for address, _ in dialled} == {PUBLIC}


async def test_a_name_that_leads_inside_is_refused_without_a_connection(web: MiniWeb, tmp_path: Path) -> None:
    async def resolve(host: str) -> list[str]:
        return [PUBLIC, "127.0.0.1"]

    async def dial(address: str, port: int) -> tuple[str, int]:
        raise AssertionError(f"dialled {address}")

    async with open_engine(Settings(data_dir=tmp_path), resolve=resolve, dial=dial) as engine:
        with pytest.raises(BlockedAddress):
            await engine.fetch("http://rebinding.example/", new_call())


@pytest.mark.parametrize("selector", ["div[", ":visible", "p::text", "svg|rect", "p" * 1001])
async def test_no_name_is_looked_up_for_a_selector_that_is_none(selector: str, tmp_path: Path) -> None:
    async def resolve(host: str) -> list[str]:
        raise AssertionError(f"looked up {host}")

    async with open_engine(Settings(data_dir=tmp_path), resolve=resolve) as engine:
        with pytest.raises(InvalidArgument, match="selector"):
            await engine.fetch("http://island.example/", new_call(), view=View(selector=selector))


@pytest.mark.parametrize(
    "tables",
    [{"altavista": {"base_url": "http://x.test"}}, {"searxng": {"base_uri": "http://x.test"}}],
    ids=["unknown provider", "unknown field"],
)
async def test_a_provider_table_that_means_nothing_is_a_bad_setting(
    tables: dict[str, dict[str, str]], tmp_path: Path
) -> None:
    with pytest.raises(BadSettings) as bad:
        async with open_engine(Settings(data_dir=tmp_path, providers=tables)):
            raise AssertionError
    assert bad.value.hint


@pytest.mark.promise("002.163", "002.182")
async def test_what_is_not_remembered_leaves_no_page_behind(web: MiniWeb, tmp_path: Path) -> None:
    settings = Settings.model_validate(
        {"data_dir": tmp_path, "library": {"remember": False}, "net": {"allow_private": [web.host]}}
    )
    async with open_engine(settings) as engine:
        page = await engine.fetch(f"{web.url}/ferry/timetable", new_call())
        again = await engine.fetch(f"{web.url}/ferry/timetable", new_call())
        assert page.text == again.text
    assert not list(tmp_path.glob("store*"))


@pytest.mark.promise("002.179")
async def test_pages_that_were_read_are_found_in_the_library(web: MiniWeb, tmp_path: Path) -> None:
    settings = Settings.model_validate(
        {"data_dir": tmp_path, "net": {"allow_private": [web.host]}, "search": {"providers": ["library"]}}
    )
    async with open_engine(settings) as engine:
        await engine.fetch(f"{web.url}/ferry/timetable", new_call())
    async with open_engine(settings) as engine:
        found = await engine.search(Query(text="Sandpiper sailing from Mossgate"), new_call())
        assert [hit.url for hit in found.hits] == [f"{web.url}/ferry/timetable"]
        assert found.services == ()
