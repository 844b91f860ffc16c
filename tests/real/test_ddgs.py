"""The real package `ddgs` against DuckDuckGo's recorded pages, over real HTTP."""

import asyncio
import logging

import pytest

from gossamer.errors import Captcha, Denied, GossamerError, UnexpectedReply, Unreachable
from gossamer.model.search import Query
from gossamer.providers.ddgs import Ddgs
from gossamer.providers.duckduckgo import DuckDuckGo
from gossamer.testing.provider_contract import check_hits
from gossamer.testing.recorded import Case
from tests.real.fake_services import CASES, fake_services, found_case, hang, status
from tests.real.rig import new_call

pytest.importorskip("ddgs", reason="the extra duckduckgo is not installed")

ASKED = Query(text="python asyncio", count=1)


async def test_the_package_finds_what_our_own_reader_finds() -> None:
    async with fake_services() as services:
        page = DuckDuckGo(base_url=f"http://127.0.0.1:{services.port}/duckduckgo")
        found = await Ddgs(page).search(ASKED, new_call())
    (meant,) = found_case("duckduckgo").expected["hits"][:1]
    assert (found.hits[0].url, found.hits[0].title) == (meant["url"], meant["title"])
    check_hits(found)
    (request,) = services.asked
    assert "q=python" in request


@pytest.mark.parametrize("variable", ["ALL_PROXY", "all_proxy", "HTTP_PROXY", "PRIMP_PROXY"])
async def test_a_proxy_in_the_environment_is_not_for_the_package_to_find(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "http://127.0.0.1:9")
    async with fake_services() as services:
        page = DuckDuckGo(base_url=f"http://127.0.0.1:{services.port}/duckduckgo")
        assert (await Ddgs(page).search(ASKED, new_call())).hits


BLOCKS: dict[str, type[GossamerError]] = {
    "challenge": Captcha,
    "challenge-with-status-200": Captcha,
    "challenge-with-status-403": Captcha,
    "accepted-without-a-page": Captcha,
    "another-page": UnexpectedReply,
}


@pytest.mark.parametrize(("case", "kind"), BLOCKS.items(), ids=BLOCKS)
async def test_a_block_is_told_as_one_although_the_package_sees_no_results(
    case: str, kind: type[GossamerError]
) -> None:
    async with fake_services() as services:
        services.play("duckduckgo", Case.load(CASES / "duckduckgo" / case, DuckDuckGo).replies)
        page = DuckDuckGo(base_url=f"http://127.0.0.1:{services.port}/duckduckgo")
        with pytest.raises(kind):
            await Ddgs(page).search(ASKED, new_call())


async def test_nothing_found_is_nothing_found() -> None:
    async with fake_services() as services:
        services.play("duckduckgo", Case.load(CASES / "duckduckgo" / "nothing-found", DuckDuckGo).replies)
        page = DuckDuckGo(base_url=f"http://127.0.0.1:{services.port}/duckduckgo")
        assert (await Ddgs(page).search(ASKED, new_call())).hits == ()


@pytest.mark.parametrize(("answer", "kind"), [(status(403), Denied), (status(500), Unreachable)], ids=["403", "500"])
async def test_a_bad_status_is_told_as_what_it_is(answer: object, kind: type[GossamerError]) -> None:
    async with fake_services() as services:
        services.faults["duckduckgo"] = answer  # type: ignore[assignment]
        page = DuckDuckGo(base_url=f"http://127.0.0.1:{services.port}/duckduckgo")
        with pytest.raises(kind):
            await Ddgs(page).search(ASKED, new_call())


@pytest.mark.parametrize("address", ["http://127.0.0.1:9", "http://nowhere.invalid"])
async def test_who_cannot_be_reached_is_told_as_that(address: str) -> None:
    with pytest.raises(Unreachable):
        await Ddgs(DuckDuckGo(base_url=address)).search(ASKED, new_call())


async def test_one_that_never_answers_is_given_up_within_the_time_of_the_call() -> None:
    async with fake_services() as services:
        services.faults["duckduckgo"] = hang
        page = DuckDuckGo(base_url=f"http://127.0.0.1:{services.port}/duckduckgo")
        with pytest.raises(GossamerError):
            await Ddgs(page).search(ASKED, new_call().within(1.0))


async def test_the_query_never_reaches_a_log(caplog: pytest.LogCaptureFixture) -> None:
    """The package looks for news and images with the query in the address, and its client logs addresses."""
    from ddgs.http_client import HttpClient

    caplog.set_level(logging.DEBUG)
    async with fake_services() as services:
        address = f"http://127.0.0.1:{services.port}/duckduckgo"
        await Ddgs(DuckDuckGo(base_url=address)).search(ASKED, new_call())
        await asyncio.to_thread(HttpClient(timeout=60).request, "GET", address, params={"q": "hydrofoil"})
    assert any("hydrofoil" in request for request in services.asked)
    assert "hydrofoil" not in caplog.text
