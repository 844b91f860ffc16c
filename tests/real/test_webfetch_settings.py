"""`WebFetch` obeys its own settings block, as its specification names it, and leaves the other tools alone."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from gossamer.ports import no_progress
from gossamer.settings.load import load
from tests.real.spec_site import SpecSite, spec_site
from tests.real.webfetch import Fetch, code_of


@pytest.fixture
def site() -> Iterator[SpecSite]:
    with spec_site() as site:
        yield site


@pytest.fixture
async def fetch(site: SpecSite, tmp_path: Path) -> AsyncIterator[Fetch]:
    fetch = Fetch(site, tmp_path)
    yield fetch
    await fetch.close()


@pytest.mark.promise("003.67", "003.111", "003.114", "003.126")
async def test_a_page_that_does_not_come_within_the_seconds_of_the_setting_is_408(fetch: Fetch, site: SpecSite) -> None:
    hasty = fetch.service(GOSSAMER_WEBFETCH__TIMEOUTSECONDS="1")
    told = await fetch(f"{site.url}/slow", hasty)
    assert code_of(told) == 408
    assert "again" in told["suggestion"]


@pytest.mark.promise("003.127")
async def test_a_result_is_never_longer_than_the_setting(fetch: Fetch, site: SpecSite) -> None:
    strict = fetch.service(GOSSAMER_WEBFETCH__MAXCONTENTLENGTH="500")
    told = await fetch.outgoing(f"{site.url}/long", strict, maxLength=5000)
    assert told.data
    assert told.data["truncated"] is True
    assert 400 < told.data["contentLength"] <= 500
    assert "maxLength is limited to 500 here." in told.meta["gossamer/note"]


@pytest.mark.promise("003.68", "003.128")
async def test_the_user_agent_is_the_tools_own_and_its_pages_are_kept_apart(fetch: Fetch, site: SpecSite) -> None:
    named = fetch.service(GOSSAMER_WEBFETCH__USERAGENT="Mozilla/5.0 (compatible; JackAgent/1.0)")
    await fetch(f"{site.url}/long", named)
    await named.call("web_fetch", {"url": f"{site.url}/long"}, progress=no_progress)
    assert [visit["user-agent"].partition("compatible; ")[2][:9] for visit in site.visits("/long")] == [
        "JackAgent",
        "Gossamer/",
    ]


@pytest.mark.promise("001.99", "001.116")
async def test_reading_from_a_page_obeys_robots_txt_unless_it_is_ignored(fetch: Fetch, site: SpecSite) -> None:
    asked = {"url": f"{site.url}/closed/page", "query": ["page"]}
    polite, bold = fetch.service(), fetch.service(GOSSAMER_NET__ROBOTS="ignore")
    refused = await polite.call("web.readFromPage", asked, progress=no_progress)
    assert (refused.is_error, refused.meta["gossamer/outcome"]) == (True, "robots")
    assert site.visits("/closed/page") == []
    read = await bold.call("web.readFromPage", asked, progress=no_progress)
    assert (read.is_error, len(site.visits("/closed/page"))) == (False, 1)


@pytest.mark.promise("003.69", "003.129")
async def test_robots_txt_is_the_tools_own_choice(fetch: Fetch, site: SpecSite) -> None:
    bold = fetch.service(GOSSAMER_WEBFETCH__RESPECTROBOTSTXT="false")
    url = f"{site.url}/closed/page"
    assert (await fetch(url, bold))["status"] == "success"
    other = await bold.call("web_fetch", {"url": url}, progress=no_progress)
    assert other.meta["gossamer/outcome"] == "robots"
    polite = fetch.service(GOSSAMER_WEBFETCH__RESPECTROBOTSTXT="true", GOSSAMER_NET__ROBOTS="ignore")
    assert code_of(await fetch(url, polite)) == 403
    assert (await polite.call("web_fetch", {"url": url}, progress=no_progress)).is_error is False
    followed = fetch.service(GOSSAMER_NET__ROBOTS="ignore")
    assert (await fetch(url, followed))["status"] == "success"


@pytest.mark.promise("003.130")
async def test_a_page_is_asked_for_again_after_the_minutes_of_the_setting(fetch: Fetch, site: SpecSite) -> None:
    url, through = "http://films.example/long", {"GOSSAMER_NET__PROXY": site.url, "GOSSAMER_NET__ALLOW_PRIVATE": ""}
    usual = fetch.service(**through)
    await fetch(url, usual)
    await fetch(url, usual)
    assert len(site.visits("/long")) == 1
    forgetful = fetch.service(**through, GOSSAMER_WEBFETCH__CACHEDURATIONMINUTES="0")
    await fetch(url, forgetful)
    await fetch(url, forgetful)
    assert len(site.visits("/long")) == 3
    await forgetful.call("web_fetch", {"url": url}, progress=no_progress)
    assert len(site.visits("/long")) == 3


@pytest.mark.promise("003.126", "003.127", "003.128", "003.129", "003.130")
async def test_the_block_of_the_specification_is_read_under_its_own_names(tmp_path: Path) -> None:
    file = tmp_path / "gossamer.toml"
    file.write_text(
        '[WebFetch]\nTimeoutSeconds = 7\nMaxContentLength = 900\nUserAgent = "Jack/1"\nRespectRobotsTxt = false\n'
        "CacheDurationMinutes = 5\n"
    )
    loaded = load(environ={}, config=file)
    assert not loaded.problems
    assert loaded.settings.WebFetch.model_dump() == {
        "TimeoutSeconds": 7,
        "MaxContentLength": 900,
        "UserAgent": "Jack/1",
        "RespectRobotsTxt": False,
        "CacheDurationMinutes": 5,
    }


@pytest.mark.promise("003.133")
async def test_switching_pages_off_takes_the_tool_away(fetch: Fetch) -> None:
    assert "WebFetch" not in fetch.service(WEB_FETCH_ENABLED="false").tools
    assert list(fetch.service(GOSSAMER_TOOLS="WebFetch").tools) == ["WebFetch"]
    assert "WebFetch" in fetch.service(WEB_SEARCH_ENABLED="false").tools


async def test_comments_under_an_article_are_read_by_a_setting_and_pages_read_before_are_read_again(
    fetch: Fetch, site: SpecSite
) -> None:
    url = f"{site.url}/talked"
    plain, talkative = fetch.service(), fetch.service(GOSSAMER_PAGES__COMMENTS="true")
    without, with_them = await fetch(url, plain), await fetch(url, talkative)
    assert "wrote down the wind" in without["content"]
    assert "wicks should be trimmed" not in without["content"]
    assert "wicks should be trimmed" in with_them["content"]
    assert (await fetch(url, plain))["content"] == without["content"]
