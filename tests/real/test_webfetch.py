"""`WebFetch` against the examples of its specification, field by field, as real clients of both eras see it."""

import json
import re
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from gossamer.ports import no_progress
from gossamer.server.service import Outgoing, Service
from gossamer.settings.load import load
from tests.real.processes import environment_for
from tests.real.spec_site import SpecSite, spec_site

ERAS = ("legacy", "auto")
_LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")


@pytest.fixture
def site() -> Iterator[SpecSite]:
    with spec_site() as site:
        yield site


@asynccontextmanager
async def connected(environment: dict[str, str], era: str) -> AsyncIterator[Client]:
    script = str(Path(sys.executable).with_name("gossamer"))
    parameters = StdioServerParameters(command=script, args=["serve", "--tools", "websearch"], env=environment)
    async with Client(stdio_client(parameters), mode=era) as client:
        yield client


def film(site: SpecSite) -> dict[str, Any]:
    """The specification's first example, about our address."""
    content = (
        "# Dune: Part Two\n\n**2024** · PG-13 · 2h 46m\n\nPaul Atreides unites with Chani and the Fremen while seeking "
        "revenge against the conspirators who destroyed his family.\n\n## Cast\n\n- Timothée Chalamet as Paul Atreides"
        "\n- Zendaya as Chani\n- Rebecca Ferguson as Lady Jessica\n- Josh Brolin as Gurney Halleck"
    )
    return {
        "url": f"{site.url}/title/tt15239678/",
        "status": "success",
        "title": "Dune: Part Two (2024) - IMDb",
        "content": content,
        "contentLength": ...,
        "truncated": False,
        "metadata": {
            "description": "Paul Atreides unites with Chani and the Fremen...",
            "author": None,
            "datePublished": "2024-03-01",
            "siteName": "IMDb",
        },
        "links": [
            {"text": "Timothée Chalamet", "url": f"{site.url}/name/nm3154303/"},
            {"text": "Zendaya", "url": f"{site.url}/name/nm3918035/"},
        ],
    }


def infobox(site: SpecSite) -> dict[str, Any]:
    """The example with a selector."""
    return {
        "url": f"{site.url}/wiki/Dune:_Part_Two",
        "selector": ".infobox",
        "status": "success",
        "title": "Dune: Part Two - Wikipedia",
        "content": ...,
        "contentLength": ...,
        "truncated": False,
        "selectorMatched": True,
    }


def missing(site: SpecSite) -> dict[str, Any]:
    """The example of an error, word for word."""
    return {
        "url": f"{site.url}/404-page",
        "status": "error",
        "errorCode": 404,
        "message": "Page not found",
        "suggestion": "Verify the URL is correct or search for the content",
    }


def paid(site: SpecSite) -> dict[str, Any]:
    """The example of a page behind a paywall."""
    return {
        "url": f"{site.url}/article",
        "status": "partial",
        "title": "Premium Article Title",
        "content": ...,
        "contentLength": ...,
        "truncated": True,
        "message": "Content appears to be behind a paywall",
    }


def agrees(told: dict[str, Any], example: dict[str, Any]) -> None:
    """The same fields in the same order, with the same values where the example fixes them."""
    assert list(told) == list(example)
    shown = {**told, **({"content": _LINK.sub(r"\1", told["content"])} if "content" in told else {})}
    assert {name: shown[name] for name, value in example.items() if value is not ...} == {
        name: value for name, value in example.items() if value is not ...
    }
    if "content" in told:
        assert told["contentLength"] == len(told["content"])


@pytest.mark.parametrize("era", ERAS)
async def test_every_example_of_the_specification_comes_back_as_it_is_written(
    era: str, site: SpecSite, tmp_path: Path
) -> None:
    async with connected(environment_for(site.url, site.host, tmp_path), era) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["WebFetch"]
        for example in (film(site), infobox(site), missing(site), paid(site)):
            asked = {name: example[name] for name in ("url", "selector") if name in example}
            result = await client.call_tool("WebFetch", asked)
            assert result.structured_content
            assert json.loads(result.content[0].text) == result.structured_content
            agrees(result.structured_content, example)
            assert result.is_error is (example["status"] == "error")
            assert result.meta
            assert result.meta["gossamer/outcome"] == {404: "not_found"}.get(
                example.get("errorCode", 0), "paywall" if example["status"] == "partial" else "ok"
            )


class Fetch:
    """Calls the tool in this process, with settings as the environment gives them."""

    def __init__(self, site: SpecSite, folder: Path) -> None:
        self._environment = environment_for(site.url, site.host, folder)
        self._services: list[Service] = []

    def service(self, **more: str) -> Service:
        environ = {**self._environment, "GOSSAMER_TOOLS": "all", **more}
        self._services.append(Service(load(environ=environ, config=Path("/dev/null"))))
        return self._services[-1]

    async def __call__(self, url: str, service: Service | None = None, **given: Any) -> dict[str, Any]:
        told = await self.outgoing(url, service, **given)
        assert told.data is not None
        assert json.loads(told.text) == told.data
        assert told.is_error is (told.data["status"] == "error")
        return told.data

    async def outgoing(self, url: str, service: Service | None = None, **given: Any) -> Outgoing:
        service = service or (self._services[0] if self._services else self.service())
        return await service.call("WebFetch", {"url": url, **given}, progress=no_progress)

    async def close(self) -> None:
        for service in self._services:
            await service.close()


@pytest.fixture
async def fetch(site: SpecSite, tmp_path: Path) -> AsyncIterator[Fetch]:
    fetch = Fetch(site, tmp_path)
    yield fetch
    await fetch.close()


async def test_a_selector_keeps_its_table(fetch: Fetch, site: SpecSite) -> None:
    told = await fetch(f"{site.url}/wiki/Dune:_Part_Two", selector=".infobox")
    assert "| Directed by | Denis Villeneuve |" in told["content"]
    assert "| Music by | Hans Zimmer |" in told["content"]
    assert "American epic" not in told["content"]


async def test_a_selector_that_matches_nothing_is_a_success_that_says_so(fetch: Fetch, site: SpecSite) -> None:
    told = await fetch(f"{site.url}/wiki/Dune:_Part_Two", selector="#nowhere")
    assert told == {
        "url": f"{site.url}/wiki/Dune:_Part_Two",
        "selector": "#nowhere",
        "status": "success",
        "title": "Dune: Part Two - Wikipedia",
        "content": "",
        "contentLength": 0,
        "truncated": False,
        "selectorMatched": False,
        "suggestion": told["suggestion"],
    }
    assert told["suggestion"]


async def test_the_formats_links_and_images_are_as_asked(fetch: Fetch, site: SpecSite) -> None:
    url = f"{site.url}/title/tt15239678/"
    inline = f"[Zendaya]({site.url}/name/nm3918035/)"
    markdown, text, html = [await fetch(url, format=form) for form in ("markdown", "text", "html")]
    assert inline in markdown["content"]
    assert "**2024**" not in text["content"]
    assert "Zendaya as Chani" in text["content"]
    assert f'<a href="{site.url}/name/nm3918035/">Zendaya</a>' in html["content"]
    assert text["links"] == html["links"] == markdown["links"]
    bare = await fetch(url, includeLinks=False)
    assert "links" not in bare
    assert "- Zendaya as Chani" in bare["content"]
    assert "A dune at dusk" not in markdown["content"]
    assert "A dune at dusk" in (await fetch(url, includeImages=True))["content"]


@pytest.mark.parametrize("form", ["markdown", "text", "html"])
async def test_nothing_in_a_page_looks_like_our_marks_or_runs(form: str, fetch: Fetch, site: SpecSite) -> None:
    content = (await fetch(f"{site.url}/marked", format=form))["content"]
    assert "ordinary words" in content
    assert not re.search(r"<\s*/?\s*untrusted-web-content", content)
    assert "<|im_start|>" not in content
    assert "steal" not in content


@pytest.mark.parametrize("form", ["markdown", "text", "html"])
async def test_a_long_page_is_cut_between_its_parts(form: str, fetch: Fetch, site: SpecSite) -> None:
    told = await fetch(f"{site.url}/long", maxLength=3000, format=form)
    assert told["truncated"] is True
    assert 2600 <= told["contentLength"] == len(told["content"]) <= 3000
    if form != "html":
        assert told["content"].rstrip().endswith("in each of its parts.")
    short = await fetch(f"{site.url}/long", maxLength=1, format=form)
    assert short["contentLength"] == 1


def code_of(told: dict[str, Any]) -> int:
    assert list(told) == ["url", "status", "errorCode", "message", "suggestion"]
    assert told["status"] == "error"
    assert told["message"]
    return told["errorCode"]


ERRORS: dict[str, tuple[str, dict[str, Any], int]] = {
    "no such argument": ("/long", {"maxlength": 3}, 400),
    "out of bounds": ("/long", {"maxLength": 0}, 400),
    "no selector": ("/long", {"selector": "p["}, 400),
    "turned away": ("/forbidden", {}, 403),
    "robots.txt": ("/closed/page", {}, 403),
    "a kind without a reader": ("/image", {}, 415),
    "too many redirects": ("/turn/1", {}, 502),
}


@pytest.mark.parametrize(("path", "given", "code"), ERRORS.values(), ids=ERRORS)
async def test_an_error_has_the_number_of_its_kind(
    path: str, given: dict[str, Any], code: int, fetch: Fetch, site: SpecSite
) -> None:
    told = await fetch(site.url + path, **given)
    assert code_of(told) == code
    assert told["url"] == site.url + path


REFUSED = {
    "another scheme": ("ftp://files.example/x", 403),
    "a private address": ("http://10.0.0.1/", 403),
    "no address": ("http://", 403),
    "nobody there": ("http://127.0.0.1:1/", 403),
}


@pytest.mark.parametrize(("url", "code"), REFUSED.values(), ids=REFUSED)
async def test_what_is_refused_says_why(url: str, code: int, fetch: Fetch) -> None:
    told = await fetch(url)
    assert code_of(told) == code
    assert told["suggestion"]


async def test_an_address_is_read_leniently_and_that_is_noted(fetch: Fetch, site: SpecSite) -> None:
    told = await fetch.outgoing(f"<{site.url}/long>", maxLength="200")
    assert told.data
    assert told.data["url"] == f"{site.url}/long"
    assert any("maxLength" in note for note in told.meta["gossamer/note"])


async def test_a_page_that_does_not_come_within_the_seconds_of_the_setting_is_408(fetch: Fetch, site: SpecSite) -> None:
    hasty = fetch.service(GOSSAMER_WEBFETCH__TIMEOUTSECONDS="1")
    told = await fetch(f"{site.url}/slow", hasty)
    assert code_of(told) == 408
    assert "again" in told["suggestion"]


async def test_a_result_is_never_longer_than_the_setting(fetch: Fetch, site: SpecSite) -> None:
    strict = fetch.service(GOSSAMER_WEBFETCH__MAXCONTENTLENGTH="500")
    told = await fetch.outgoing(f"{site.url}/long", strict, maxLength=5000)
    assert told.data
    assert told.data["truncated"] is True
    assert 400 < told.data["contentLength"] <= 500
    assert "maxLength is limited to 500 here." in told.meta["gossamer/note"]


async def test_the_user_agent_is_the_tools_own_and_its_pages_are_kept_apart(fetch: Fetch, site: SpecSite) -> None:
    named = fetch.service(GOSSAMER_WEBFETCH__USERAGENT="Mozilla/5.0 (compatible; JackAgent/1.0)")
    await fetch(f"{site.url}/long", named)
    await named.call("web_fetch", {"url": f"{site.url}/long"}, progress=no_progress)
    assert [visit["user-agent"].partition("compatible; ")[2][:9] for visit in site.visits("/long")] == [
        "JackAgent",
        "Gossamer/",
    ]


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


async def test_a_page_is_asked_for_again_after_the_minutes_of_the_setting(fetch: Fetch, site: SpecSite) -> None:
    url = f"{site.url}/long"
    await fetch(url)
    await fetch(url)
    assert len(site.visits("/long")) == 1
    forgetful = fetch.service(GOSSAMER_WEBFETCH__CACHEDURATIONMINUTES="0")
    await fetch(url, forgetful)
    await fetch(url, forgetful)
    assert len(site.visits("/long")) == 3
    await forgetful.call("web_fetch", {"url": url}, progress=no_progress)
    assert len(site.visits("/long")) == 3


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
