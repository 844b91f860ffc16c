"""Users of a shared service look for traces of each other in everything that a tool or a resource tells them."""

import http.client
import json
import re
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from gossamer.contracts.resources import uri_of
from gossamer.demo.web import MiniWeb
from gossamer.ports.call import no_progress
from gossamer.server.service import Service
from gossamer.settings.load import load
from tests.hostile.loud_web import loud_web
from tests.patience import LONG_S
from tests.real.processes import ACCEPT, Cli, HttpServer, environment_for, open_http, tool_call

PAGE, GONE, LIMITED, QUERY = "/ferry/timetable", "/nowhere", "/status/429", "ferry timetable"
EARLIER_S = 20.0
"""So long ago that a time tells it, and so lately that failures are remembered."""
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")
_TRACES = re.compile(
    r"Kept from|kept_since|remembered|\bago\b|the copy of|not fetched again|rate_limited", re.IGNORECASE
)


class EarlierClock:
    """The machine's time, a moment ago."""

    def now(self) -> float:
        return time.time() - EARLIER_S

    def monotonic(self) -> float:
        return time.monotonic()


@pytest.fixture(scope="module")
def web() -> Iterator[MiniWeb]:
    with MiniWeb() as site:
        yield site


@pytest.fixture
def environment(web: MiniWeb, tmp_path: Path) -> dict[str, str]:
    return environment_for(web.url, web.host, tmp_path)


def token_for(environment: dict[str, str], name: str) -> str:
    made = Cli(environment)("token", "new", name)
    assert made.returncode == 0, made.stderr
    return made.stdout.strip()


CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "a page": ("web_fetch", {"url": PAGE}),
    "a page anew": ("web_fetch", {"url": PAGE, "force_refresh": True}),
    "a page by another tool": ("WebFetch", {"url": PAGE}),
    "passages": ("web_read", {"urls": [PAGE], "queries": ["When does the ferry leave?"]}),
    "passages by another tool": ("web.readFromPage", {"url": PAGE, "query": ["When does the ferry leave?"]}),
    "a search": ("web_search", {"query": QUERY, "results_count": 3}),
    "a search without pages": ("web_search", {"query": QUERY, "results_count": 3, "fetch_content": False}),
    "an answer": ("web_answer", {"question": "When does the ferry leave?"}),
    "a page that is gone": ("web_fetch", {"url": GONE}),
    "a page that is gone, anew": ("web_fetch", {"url": GONE, "force_refresh": True}),
}


def arguments_of(asked: str, web: MiniWeb, *, base: str = "") -> dict[str, Any]:
    """The arguments of a call, with the addresses of this run's web."""
    return json.loads(json.dumps(CALLS[asked][1]).replace('"/', f'"{base or web.url}/'))


async def act_earlier(caller: str, environment: dict[str, str], web: MiniWeb, *, base: str = "") -> None:
    """Make every call as a user of the server made it a moment ago, and force a page more often than one may."""
    loaded = load(environ={**environment, "GOSSAMER_TOOLS": "all"})
    service = Service(loaded, clock=EarlierClock())
    for asked in [*CALLS, *["a page that is gone, anew"] * 5]:
        await service.call(CALLS[asked][0], arguments_of(asked, web, base=base), caller=caller, progress=no_progress)
    await service.close()


def traces(result: object, *, since: float) -> list[str]:
    """The times before `since` and the words that tell of an earlier request, in all that was sent."""
    text = json.dumps(result)
    early = [when for when in _TIME.findall(text) if datetime.fromisoformat(when).timestamp() < int(since)]
    return early + _TRACES.findall(text)


async def test_nothing_that_a_tool_says_tells_what_another_user_asked_before(
    environment: dict[str, str], web: MiniWeb
) -> None:
    users = {asked: token_for(environment, f"bob{number}") for number, asked in enumerate(CALLS)}
    since = time.time()
    await act_earlier("alice", environment, web)
    with open_http(environment, "--tools", "all") as server:
        for asked, token in users.items():
            result = server.call(CALLS[asked][0], token, **arguments_of(asked, web))
            assert result["_meta"]["gossamer/outcome"] == ("not_found" if "gone" in asked else "ok"), asked
            assert not traces(result, since=since), asked


async def test_what_one_asked_before_is_still_ones_own(environment: dict[str, str], web: MiniWeb) -> None:
    """Pages of the public web, behind a proxy: what the operator opened is asked for each time."""
    base, page = "http://island.example", f"http://island.example:80{PAGE}"
    environment |= {"GOSSAMER_NET__PROXY": web.url, "GOSSAMER_NET__NO_PROXY": "127.0.0.1"}
    token = token_for(environment, "alice")
    since = time.time()
    await act_earlier("alice", environment, web, base=base)
    with open_http(environment, "--tools", "all") as server:
        visits = web.count(page)
        assert visits
        for asked in ("a page", "passages", "passages by another tool", "a search", "a page that is gone"):
            result = server.call(CALLS[asked][0], token, **arguments_of(asked, web, base=base))
            assert traces(result, since=since), asked
        assert web.count(page) == visits
        kept = server.call("web_search", token, **arguments_of("a search without pages", web))["content"][0]["text"]
        (made,) = re.findall(rf'fetched="({_TIME.pattern})"', kept)
        assert datetime.fromisoformat(made).timestamp() < int(since), "a kept search has the time of the first"


async def test_anonymous_peers_of_an_open_server_are_users_of_their_own(
    environment: dict[str, str], web: MiniWeb
) -> None:
    asked = ("a page", "a search", "a page that is gone")
    with open_http(environment, "--tools", "all", "--insecure", bind="0.0.0.0:0") as server:
        for peer in ("127.0.0.1", "127.0.0.2", "127.0.0.3"):
            for call in asked:
                result = call_from(peer, server, CALLS[call][0], **arguments_of(call, web))
                assert not _TRACES.findall(json.dumps(result)), (peer, call)
        again = [call_from("127.0.0.3", server, CALLS[call][0], **arguments_of(call, web)) for call in asked]
        assert ["Kept from" in json.dumps(again[1]), "remembered" in json.dumps(again[2])] == [True, True]


def test_a_site_that_asked_for_quiet_is_told_to_another_user_as_it_was_to_the_first(
    environment: dict[str, str], web: MiniWeb
) -> None:
    tokens = [token_for(environment, name) for name in ("alice", "bob", "carol")]
    with open_http(environment) as server:
        visits = web.count(LIMITED)
        alice, bob = (server.call("web_fetch", token, url=f"{web.url}{LIMITED}") for token in tokens[:2])
        carol = server.call("web_fetch", tokens[2], url=f"{web.url}{PAGE}")
        assert alice["_meta"]["gossamer/error"]["retry_after_s"] == 7
        assert alice == bob == carol
        assert web.count(LIMITED) == visits + 1, "the pause holds for everybody"


def test_the_robots_txt_of_a_site_is_one_for_all_users(tmp_path: Path) -> None:
    with loud_web() as site:
        environment = environment_for(site.url, site.host, tmp_path)
        tokens = [token_for(environment, name) for name in ("alice", "bob")]
        with open_http(environment) as server:
            site.replies = {"/robots.txt": (503, {}, "")}
            alice = server.call("web_fetch", tokens[0], url=f"{site.url}/page/1")
            site.replies = {"/robots.txt": (200, {"Content-Type": "text/plain"}, "")}
            bob = server.call("web_fetch", tokens[1], url=f"{site.url}/page/1")
    assert alice["_meta"]["gossamer/outcome"] == "robots"
    assert alice == bob, "it is not asked for again for each user"


def test_pages_that_others_fetched_are_no_resources_and_are_not_found_in_the_library(
    environment: dict[str, str], web: MiniWeb
) -> None:
    tokens = {name: token_for(environment, name) for name in ("alice", "bob")}
    with open_http({**environment, "GOSSAMER_SEARCH__PROVIDERS": "library"}) as server:
        page = f"{web.url}{PAGE}"
        assert not server.call("web_fetch", tokens["alice"], url=page)["isError"]
        listed = server.post({"jsonrpc": "2.0", "id": 1, "method": "resources/list"}, tokens["bob"]).json()
        assert listed["result"]["resources"] == []
        read = {"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": uri_of(page)}}
        assert "No page is kept" in server.post(read, tokens["bob"]).json()["error"]["message"]
        found = server.call("web_search", tokens["bob"], query=QUERY)
        assert found["isError"]
        assert PAGE not in json.dumps(found)


@pytest.mark.parametrize("name", ["Forwarded", "X-Forwarded-For", "X-Forwarded-Proto", "X-Real-IP", "Via"])
def test_a_stranger_behind_a_local_proxy_is_not_the_owner(name: str, environment: dict[str, str]) -> None:
    listing = {"jsonrpc": "2.0", "id": 1, "method": "resources/list"}
    with open_http(environment) as server:
        assert server.post(listing).status == 200
        refused = server.post(listing, **{name: "203.0.113.9"})
        assert refused.status == 403
        assert "gossamer token new" in refused.json()["error"]["message"]


def call_from(peer: str, server: HttpServer, tool: str, **arguments: Any) -> dict[str, Any]:
    """The result of a call that comes from one of this machine's loopback addresses."""
    line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=LONG_S, source_address=(peer, 0))
    with closing(line):
        line.request("POST", "/mcp", json.dumps(tool_call(tool, **arguments)), ACCEPT)
        text = line.getresponse().read()
    return json.loads([row[5:] for row in text.splitlines() if row.startswith(b"data:")][-1])["result"]
