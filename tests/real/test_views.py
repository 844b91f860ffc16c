"""One fetch, many views, and freshness that can be seen: through the real server, with a site that counts requests."""

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from gossamer import Settings, View, open_engine
from gossamer.ports import Call
from tests.patience import LONG_S
from tests.real.processes import Cli, Wire, environment_for, open_wire
from tests.real.test_freshness import HTML, TEXT, Headers, Site

PAGE = "http://ferry.example/page"
DOCS = "http://api.example/docs/"
SPEC = "http://specs.example/v1/openapi.json"
START = 1_790_000_000.0
DAY = 86_400.0
DESCRIPTION = json.dumps(
    {
        "info": {"title": "Ferries", "version": "2"},
        "openapi": "3.0.3",
        "paths": {"/sailings": {"get": {"summary": "All sailings of a day.", "responses": {"200": {}}}}},
    }
)
SWAGGER = (
    '<html><head><title>API</title></head><body><div id="swagger-ui"></div>'
    '<script src="https://cdn.example/swagger-ui-bundle.js"></script>'
    "<script>SwaggerUIBundle({ url: '%s', dom_id: '#swagger-ui' })</script></body></html>"
)


@pytest.fixture
def web() -> Iterator[Site]:
    """All sites of the web behind one proxy on loopback, so that they are public: paths are whole addresses."""
    with Site().open() as proxy:
        yield proxy


@pytest.fixture
def clock(tmp_path: Path) -> Path:
    """The file that says what time it is."""
    path = tmp_path / "clock"
    path.write_text(str(START))
    return path


@contextmanager
def server(web: Site, clock: Path, **settings: str) -> Iterator[Wire]:
    environment = {
        **environment_for("http://127.0.0.1:1", "", clock.parent),
        "GOSSAMER_NET__PROXY": web.url,
        **settings,
    }
    with open_wire(environment, [sys.executable, "-m", "tests.real.clocked_server", str(clock)]) as wire:
        wire.handshake()
        yield wire


def fetch(wire: Wire, url: str, **given: Any) -> dict[str, Any]:
    return wire.call("web_fetch", url=url, **given)


def said(result: dict[str, Any]) -> str:
    return result["content"][0]["text"]


def tagged(headers: Headers) -> tuple[int, Headers, str]:
    known = headers.get("if-none-match") == '"v1"'
    return (304 if known else 200), {"ETag": '"v1"'}, "" if known else HTML


def test_another_view_of_a_page_makes_no_request_while_it_is_fresh_and_a_conditional_one_after(
    web: Site, clock: Path
) -> None:
    web.answers[PAGE] = tagged
    with server(web, clock) as wire:
        assert TEXT in said(fetch(wire, PAGE))
        for view in ({"selector": "h1"}, {"format": "html"}, {"format": "text"}, {"include_links": False}):
            result = fetch(wire, PAGE, **view)
            assert "Ferry" in said(result)
            assert result["_meta"]["gossamer/fetched"] == "2026-09-21T14:13:20Z"
        assert web.count(PAGE) == 1
        clock.write_text(str(START + DAY + 60))
        assert TEXT in said(fetch(wire, PAGE, selector="p"))
        assert (web.count(PAGE), web.last(PAGE)["if-none-match"]) == (2, '"v1"')
        assert TEXT in said(fetch(wire, PAGE, selector="article"))
        assert web.count(PAGE) == 2
    assert {asked for asked, _ in web.asked} == {PAGE, "http://ferry.example/robots.txt"}


def test_the_bytes_outlive_the_server(web: Site, clock: Path) -> None:
    web.answers[PAGE] = (200, {}, HTML)
    with server(web, clock) as wire:
        fetch(wire, PAGE)
    with server(web, clock) as wire:
        assert "Ferry" in said(fetch(wire, PAGE, selector="h1"))
    assert web.count(PAGE) == 1


def test_a_kept_copy_says_its_age_and_a_forced_refresh_asks_again_in_any_view(web: Site, clock: Path) -> None:
    web.answers[PAGE] = tagged
    with server(web, clock) as wire:
        assert fetch(wire, PAGE)["_meta"]["gossamer/age_s"] == 0
        clock.write_text(str(START + 7_200))
        assert fetch(wire, PAGE)["_meta"]["gossamer/age_s"] == 7_200
        assert fetch(wire, PAGE, selector="h1")["_meta"]["gossamer/age_s"] == 7_200
        read = wire.call("web_read", urls=[PAGE], queries=["When does the ferry leave?"])
        assert read["_meta"]["gossamer/pages"][0]["age_s"] == 7_200
        forced = fetch(wire, PAGE, selector="h1", force_refresh=True)
        assert (forced["_meta"]["gossamer/age_s"], web.count(PAGE)) == (0, 2)
        soon = fetch(wire, PAGE, format="html", force_refresh=True)
        assert web.count(PAGE) == 2
        assert "not fetched again so soon" in soon["_meta"]["gossamer/note"][0]


def test_what_must_not_be_kept_is_asked_for_in_every_view(web: Site, clock: Path) -> None:
    web.answers[PAGE] = (200, {"Cache-Control": "no-store"}, HTML)
    web.answers[f"{PAGE}?token=abcdef"] = (200, {}, HTML)
    with server(web, clock) as wire:
        for url in (PAGE, f"{PAGE}?token=abcdef"):
            fetch(wire, url)
            fetch(wire, url, selector="h1")
            assert web.count(url) == 2


def test_an_address_that_the_operator_opened_is_asked_each_time(tmp_path: Path) -> None:
    with Site().open() as site, open_wire(environment_for("http://127.0.0.1:1", site.host, tmp_path)) as wire:
        wire.handshake()
        site.answers["/page"] = tagged
        for _ in range(3):
            assert TEXT in said(fetch(wire, f"{site.url}/page"))
        assert "Ferry" in said(fetch(wire, f"{site.url}/page", selector="h1"))
        tags = [headers.get("if-none-match") for path, headers in site.asked if path == "/page"]
        assert tags == [None, '"v1"', '"v1"', '"v1"']
        site.answers["/page"] = (200, {"ETag": '"v2"'}, HTML.replace("noon", "one"))
        assert "leaves at one" in said(fetch(wire, f"{site.url}/page"))


class Past:
    """Three hours ago."""

    def now(self) -> float:
        return time.time() - 3 * 3_600

    def monotonic(self) -> float:
        return time.monotonic()


async def test_the_command_line_tells_the_age_of_a_copy_and_refreshes_it(web: Site, tmp_path: Path) -> None:
    web.answers[PAGE] = tagged
    settings = Settings.model_validate({"data_dir": tmp_path / "data", "net": {"proxy": web.url}})
    async with open_engine(settings, clock=Past()) as engine:
        await engine.fetch(PAGE, Call(clock=Past(), deadline=time.monotonic() + LONG_S), view=View())
    cli = Cli({**environment_for("http://127.0.0.1:1", "", tmp_path), "GOSSAMER_NET__PROXY": web.url})
    told = "Note: the copy is 3 hours old; --refresh asks the site again."
    for command in (("fetch", PAGE), ("fetch", PAGE, "--selector", "p"), ("read", PAGE, "When does the ferry leave?")):
        done = cli(*command)
        assert TEXT in done.stdout, done.stderr
        assert told in done.stderr
    assert web.count(PAGE) == 1
    done = cli("read", PAGE, "When does the ferry leave?", "--refresh")
    assert (TEXT in done.stdout, told in done.stderr) == (True, False)
    assert (web.count(PAGE), web.last(PAGE)["if-none-match"]) == (2, '"v1"')
    assert "3 hours" not in cli("fetch", PAGE).stderr


def test_a_page_that_shows_an_api_leads_to_the_description_that_it_names(web: Site, clock: Path) -> None:
    web.answers[DOCS] = (200, {}, SWAGGER % SPEC)
    web.answers[SPEC] = (200, {"Content-Type": "application/json"}, DESCRIPTION)
    with server(web, clock) as wire:
        result = fetch(wire, DOCS)
        assert "All sailings of a day." in said(result)
        assert (result["_meta"]["gossamer/url"], result["_meta"]["gossamer/final_url"]) == (DOCS, SPEC)
        assert "what its description says" in result["_meta"]["gossamer/note"][0]
        assert "GET /sailings" in said(fetch(wire, DOCS, format="text"))
        assert (web.count(DOCS), web.count(SPEC)) == (1, 1)
        assert {asked for asked, _ in web.asked if asked.endswith("robots.txt")} == {
            "http://api.example/robots.txt",
            "http://specs.example/robots.txt",
        }
        # A selector is about the page itself.
        fetch(wire, DOCS, selector="#swagger-ui")
        assert (web.count(DOCS), web.count(SPEC)) == (2, 1)


def test_a_script_and_a_configuration_on_the_way_are_followed(web: Site, clock: Path) -> None:
    begun = SWAGGER.replace(
        "<script>SwaggerUIBundle({ url: '%s'", '<script src="swagger-initializer.js"></script><script>({'
    )
    web.answers[DOCS] = (200, {}, begun)
    initializer = 'window.ui = SwaggerUIBundle({ url: "", "configUrl" : "/v3/api-docs/swagger-config" });'
    web.answers[f"{DOCS}swagger-initializer.js"] = (200, {"Content-Type": "text/javascript"}, initializer)
    configuration = '{"configUrl":"/v3/api-docs/swagger-config","url":"/v3/api-docs"}'
    json_type = {"Content-Type": "application/json"}
    web.answers["http://api.example/v3/api-docs/swagger-config"] = (200, json_type, configuration)
    web.answers["http://api.example/v3/api-docs"] = (200, {**json_type, "ETag": '"d1"'}, DESCRIPTION)
    with server(web, clock) as wire:
        result = fetch(wire, DOCS)
        assert "All sailings of a day." in said(result)
        clock.write_text(str(START + DAY + 60))
        web.answers["http://api.example/v3/api-docs"] = (304, {}, "")
        assert "All sailings of a day." in said(fetch(wire, DOCS))
        assert web.last("http://api.example/v3/api-docs")["if-none-match"] == '"d1"'
        assert "if-none-match" not in web.last(DOCS)


REFUSED = {
    "this machine": "http://127.0.0.1:8080/openapi.json",
    "an address inside": "http://10.0.0.7/openapi.json",
    "a cloud's metadata": "http://169.254.169.254/openapi.json",
    "a name inside": "http://intranet.local/openapi.json",
    "another scheme": "file:///etc/passwd",
    "credentials": "http://me:secret@specs.example/openapi.json",
}


def test_a_description_at_an_address_that_is_not_public_is_never_asked_for(web: Site, clock: Path) -> None:
    pages = {f"{DOCS}{number}": where for number, where in enumerate(REFUSED.values())}
    web.answers |= {url: (200, {}, SWAGGER % where) for url, where in pages.items()}
    with server(web, clock) as wire:
        for url, where in pages.items():
            result = fetch(wire, url)
            assert result["_meta"]["gossamer/outcome"] in {"js_required", "empty"}, where
            assert where not in json.dumps(result)
    assert {asked for asked, _ in web.asked} == {*pages, "http://api.example/robots.txt"}


def test_what_the_operator_opened_is_not_open_to_a_page_that_names_it(web: Site, clock: Path) -> None:
    with Site().open() as inside:
        inside.answers["/openapi.json"] = (200, {"Content-Type": "application/json"}, DESCRIPTION)
        web.answers[DOCS] = (200, {}, SWAGGER % f"{inside.url}/openapi.json")
        opened = {"GOSSAMER_NET__ALLOW_PRIVATE": inside.host, "GOSSAMER_NET__NO_PROXY": "127.0.0.1"}
        with server(web, clock, **opened) as wire:
            refused = fetch(wire, DOCS)
            assert "All sailings" not in json.dumps(refused)
            assert inside.asked == []
            assert "All sailings" in said(fetch(wire, f"{inside.url}/openapi.json"))


def test_a_description_that_robots_forbid_or_that_is_gone_is_told_beside_the_page(web: Site, clock: Path) -> None:
    web.answers[DOCS] = (200, {}, SWAGGER % SPEC)
    web.answers[SPEC] = (200, {"Content-Type": "application/json"}, DESCRIPTION)
    web.answers["http://specs.example/robots.txt"] = (
        200,
        {"Content-Type": "text/plain"},
        "User-agent: Gossamer\nDisallow: /v1/\n",
    )
    gone = "http://api.example/gone"
    web.answers[gone] = (200, {}, SWAGGER % "/missing.json")
    with server(web, clock) as wire:
        forbidden, missing = fetch(wire, DOCS), fetch(wire, gone)
    assert web.count(SPEC) == 0
    assert "description could not be read (robots)" in said(forbidden)
    assert "description could not be read (not_found)" in said(missing)
