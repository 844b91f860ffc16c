"""`web.readFromPage` against its specification, whole results, as real clients of both eras see it on both transports.

The embedding server is a fake one over real HTTP, in the dialect of each program that people run.
"""

import json
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from tests.real.fake_embeddings import DIALECTS, Dialect, FakeEmbeddings, Fault, drop, fake_embeddings, hang, status
from tests.real.processes import environment_for, open_http, open_wire
from tests.real.reading_site import PUBLIC, ReadingSite, reading_site
from tests.unit.contracts.google.test_read_from_page import SPECIFIED

TOOL = "web.readFromPage"
ERAS = ("legacy", "auto")
LEAVES, COSTS = "When does the ferry leave the harbour?", "What does a ticket cost?"
TIMETABLE = "## Timetable\n\nThe ferry to the island leaves the old harbour at noon and again at six in the evening."
TICKETS = "## Tickets\n\nA ticket costs four euros, and children under twelve travel without paying."


@pytest.fixture
def site() -> Iterator[ReadingSite]:
    with reading_site() as site:
        yield site


def environment_of(site: ReadingSite, folder: Path, embeddings: FakeEmbeddings | None = None) -> dict[str, str]:
    """The server's settings, under the names of the specification."""
    common = {"GOSSAMER_TOOLS": "google", "SIMILARITY_THRESHOLD": "0"}
    if embeddings:
        common["EMBEDDING_SERVER_URL"] = embeddings.url
        common["EMBEDDING_SERVER_API_KEY"] = "key-of-the-server"
        common["EMBEDDING_MODEL_NAME"] = "bag-of-words"
    return {**environment_for(site.url, site.host, folder), **common}


def by_proxy(site: ReadingSite) -> dict[str, str]:
    """Pages come through the site as a proxy, so that it is of the public web; services are asked without one."""
    return {"GOSSAMER_NET__PROXY": site.url, "GOSSAMER_NET__NO_PROXY": "127.0.0.1"}


def through(site: ReadingSite, folder: Path) -> dict[str, str]:
    """The settings where the site is of the public web."""
    return {**environment_of(site, folder), "GOSSAMER_NET__ALLOW_PRIVATE": "", **by_proxy(site)}


@asynccontextmanager
async def over_stdio(environment: dict[str, str], era: str) -> AsyncIterator[Client]:
    script = str(Path(sys.executable).with_name("gossamer"))
    parameters = StdioServerParameters(command=script, args=["serve"], env=environment)
    async with Client(stdio_client(parameters), mode=era) as client:
        yield client


@asynccontextmanager
async def every_way(environment: dict[str, str], folder: Path) -> AsyncIterator[dict[str, Client]]:
    """A client of each era on each transport: the pipes have a server each, the others share one."""
    async with AsyncExitStack() as stack:
        clients: dict[str, Client] = {}
        for era in ERAS:
            own = {**environment, "DATA_DIR": str(folder / era)}
            clients[f"stdio, {era}"] = await stack.enter_async_context(over_stdio(own, era))
        server = stack.enter_context(open_http(environment))
        for era in ERAS:
            client = Client(streamable_http_client(server.url), mode=era)
            clients[f"http, {era}"] = await stack.enter_async_context(client)
        yield clients


async def read(client: Client, url: str, **given: Any) -> tuple[dict[str, Any], Any]:
    """The object of a call, checked against the specification, and the whole result."""
    result = await client.call_tool(TOOL, {"url": url, "query": LEAVES, **given})
    told = result.structured_content
    assert told, result.content[0].text
    assert json.loads(result.content[0].text) == told
    Draft202012Validator(SPECIFIED).validate(told)
    return told, result


def chunk_of(url: str, section: str, text: str) -> dict[str, Any]:
    """A passage as the specification shows it, its id as the specification makes it."""
    path = ["Island ferries", section]
    said = f"{url}|{' > '.join(path)}|{text}"
    return {"id": sha256(said.encode()).hexdigest(), "text": text, "sectionPath": path}


@pytest.mark.promise(
    "001.3",
    "001.22",
    "001.23",
    "001.24",
    "001.41",
    "001.42",
    "001.43",
    "001.44",
    "001.45",
    "001.46",
    "001.47",
    "001.69",
    "001.73",
    "001.87",
    "001.104",
)
@pytest.mark.parametrize("dialect", DIALECTS)
async def test_the_same_whole_result_comes_by_every_transport_era_and_dialect(
    dialect: Dialect, site: ReadingSite, tmp_path: Path
) -> None:
    url = f"{site.url}/guide"
    asked = {"query": [LEAVES, COSTS], "maxResults": 1, "includeMetadata": True}
    before = datetime.now(UTC) - timedelta(seconds=2)
    async with (
        fake_embeddings(dialect, key="key-of-the-server") as embeddings,
        every_way(environment_of(site, tmp_path, embeddings), tmp_path) as clients,
    ):
        for way, client in clients.items():
            assert [tool.name for tool in (await client.list_tools()).tools] == ["web.search", TOOL]
            told, result = await read(client, url, **asked)
            scores = [one["results"][0].pop("score") for one in told["queries"]]
            assert all(0 < score <= 1 for score in scores), way
            crawled = datetime.fromisoformat(told.pop("lastCrawled"))
            assert before <= crawled <= datetime.now(UTC) + timedelta(seconds=2)
            assert told == {
                "url": url,
                "title": "Island ferries",
                "queries": [
                    {"query": LEAVES, "results": [chunk_of(url, "Timetable", TIMETABLE)]},
                    {"query": COSTS, "results": [chunk_of(url, "Tickets", TICKETS)]},
                ],
            }, way
            assert not result.is_error
            assert result.meta["gossamer/outcome"] == "ok"
            assert result.meta["gossamer/final_url"] == url
            assert result.meta["gossamer/services"] == ["embeddings at 127.0.0.1"]
        assert LEAVES in embeddings.texts
        assert {request.headers["authorization"] for request in embeddings.requests} == {"Bearer key-of-the-server"}
    # What the operator opened is asked for each time: by the owner, by a user, and by the owner in the second era.
    assert [bool(condition) for condition in site.visits("/guide")] == [False, False, False, True]


@pytest.mark.promise("001.45", "001.112")
async def test_without_a_server_the_tables_of_the_package_do_it(site: ReadingSite, tmp_path: Path) -> None:
    async with over_stdio(environment_of(site, tmp_path), "auto") as client:
        told, _ = await read(client, f"{site.url}/guide")
        assert list(told) == ["url", "lastCrawled", "queries"]
        (one,) = told["queries"]
        assert one["query"] == LEAVES
        assert one["results"][0]["text"] == TIMETABLE
        assert all(set(chunk) == {"id", "text", "score"} for chunk in one["results"])


PROTECTED = {"/login": "denied", "/forbidden": "denied", "/paid": "paywall"}


@pytest.mark.promise("001.37", "001.48", "001.92", "001.94")
@pytest.mark.parametrize("era", ERAS)
async def test_pages_that_are_not_for_everybody_and_pages_that_are_not_there(
    era: str, site: ReadingSite, tmp_path: Path
) -> None:
    async with over_stdio(environment_of(site, tmp_path), era) as client:
        for path, outcome in PROTECTED.items():
            told, result = await read(client, site.url + path)
            assert told == {
                "url": site.url + path,
                "lastCrawled": told["lastCrawled"],
                "queries": [{"query": LEAVES, "results": []}],
                "note": "content protected",
            }
            assert not result.is_error
            assert result.meta["gossamer/outcome"] == outcome
        told, result = await read(client, f"{site.url}/shell")
        assert result.is_error
        assert told["note"]
        assert result.meta["gossamer/outcome"] == "js_required"
        for path, code in {"/nowhere": "not_found", "/broken": "unreachable"}.items():
            failed = await client.call_tool(TOOL, {"url": site.url + path, "query": "q"})
            assert failed.is_error
            assert failed.structured_content is None
            assert failed.content[0].text.startswith(f"{code}: ")
        refused = await client.call_tool(TOOL, {"url": "http://10.0.0.1/", "query": "q"})
        assert refused.meta["gossamer/outcome"] == "refused"
        no_address = await client.call_tool(TOOL, {"url": "the page about ferries", "query": "q"})
        assert no_address.is_error
        assert no_address.content[0].text.startswith("refused: The address ")


DOWN: dict[str, Fault] = {"away": drop, "failing": status(503), "limiting": status(429), "silent": hang}


@pytest.mark.promise("001.78", "001.93")
@pytest.mark.parametrize("fault", DOWN.values(), ids=DOWN)
async def test_without_vectors_words_decide_and_the_note_says_so(
    fault: Fault, site: ReadingSite, tmp_path: Path
) -> None:
    async with fake_embeddings("openai") as embeddings:
        embeddings.fault = fault
        environment = environment_of(site, tmp_path, embeddings)
        environment |= {"SIMILARITY_THRESHOLD": "0.99", "REQUEST_TIMEOUT_MS": "6000"}
        async with over_stdio(environment, "auto") as client:
            told, result = await read(client, f"{site.url}/guide", query=[LEAVES, COSTS])
            assert [one["results"][0]["text"] for one in told["queries"]] == [TIMETABLE, TICKETS]
            assert "words and the built-in table decided" in told["note"]
            assert not result.is_error


@pytest.mark.promise("001.26", "001.72")
async def test_what_is_not_close_enough_is_left_out(site: ReadingSite, tmp_path: Path) -> None:
    async with fake_embeddings("ollama") as embeddings:
        environment = environment_of(site, tmp_path, embeddings) | {"SIMILARITY_THRESHOLD": "0.9"}
        async with over_stdio(environment, "auto") as client:
            far, _ = await read(client, f"{site.url}/guide", query="zebras and xylophones")
            assert far["queries"] == [{"query": "zebras and xylophones", "results": []}]
            assert "SIMILARITY_THRESHOLD asks (0.9)" in far["note"]
            near, _ = await read(client, f"{site.url}/guide", query=TICKETS)
            assert [one["text"] for one in near["queries"][0]["results"]] == [TICKETS]


@pytest.mark.promise("001.28", "001.56", "001.91")
async def test_a_timeout_is_told_with_its_setting(site: ReadingSite, tmp_path: Path) -> None:
    environment = environment_of(site, tmp_path) | {"REQUEST_TIMEOUT_MS": "1500"}
    async with over_stdio(environment, "auto") as client:
        late = await client.call_tool(TOOL, {"url": f"{site.url}/slow", "query": "q"})
        assert late.is_error
        assert late.content[0].text.startswith("timeout: ")
        assert "REQUEST_TIMEOUT_MS is 1500" in late.content[0].text
        assert late.meta["gossamer/error"]["retryable"]


@pytest.mark.promise("001.38", "001.46", "001.85")
async def test_a_forced_refresh_within_seconds_reuses_the_page_and_says_so(site: ReadingSite, tmp_path: Path) -> None:
    async with over_stdio(through(site, tmp_path), "auto") as client:
        first, _ = await read(client, f"{PUBLIC}/guide")
        again, _ = await read(client, f"{PUBLIC}/guide", forceRefresh=True)
        assert "not fetched again so soon" in again["note"]
        assert again["lastCrawled"] == first["lastCrawled"]
        assert again["queries"] == first["queries"]
    assert len(site.visits("/guide")) == 1


@pytest.mark.parametrize("name", ["web.readFromPage", "web-readFromPage"])
async def test_without_dots_the_tool_is_published_with_a_hyphen_and_understands_both(
    name: str, site: ReadingSite, tmp_path: Path
) -> None:
    environment = environment_of(site, tmp_path) | {"GOSSAMER_DOTLESS": "true", "GOSSAMER_LANGUAGE": "ja"}
    async with over_stdio(environment, "auto") as client:
        search, tool = (await client.list_tools()).tools
        assert (search.name, tool.name) == ("web-search", "web-readFromPage")
        assert tool.title == "ページから読む"
        result = await client.call_tool(name, {"url": f"{site.url}/guide", "query": LEAVES})
        assert TIMETABLE in result.structured_content["queries"][0]["results"][0]["text"]


async def test_switching_fetching_off_takes_it_away(site: ReadingSite, tmp_path: Path) -> None:
    environment = environment_of(site, tmp_path) | {"GOSSAMER_TOOLS": "core,google", "WEB_FETCH_ENABLED": "false"}
    async with over_stdio(environment, "auto") as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["web_search", "web.search"]


@pytest.mark.promise("001.96")
def test_first_and_cached_reads_leave_their_times_in_the_log(site: ReadingSite, tmp_path: Path) -> None:
    environment = through(site, tmp_path) | {"GOSSAMER_LOG__LEVEL": "debug"}
    with open_wire(environment) as wire:
        wire.handshake()
        for query in (LEAVES, COSTS):
            assert not wire.call(TOOL, url=f"{PUBLIC}/guide", query=query)["isError"]
        assert wire.process.stdin
        assert wire.process.stderr
        wire.process.stdin.close()
        events = [json.loads(line) for line in wire.process.stderr.read().splitlines()]
    reads = [part for event in events for part in event.get("parts", []) if part["name"].endswith("_read")]
    assert [part["name"] for part in reads] == ["first_read", "cached_read"]
    assert all(part["ms"] >= 0 for part in reads)
    assert not any(word in json.dumps(events) for word in ("ferry", "ticket", site.host))
