"""Bad input: one sentence with a next step, the documented exit code, and nothing kept."""

import json
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from gossamer.compose import SystemClock
from gossamer.demo.web import MiniWeb
from gossamer.stores import open_store
from tests.real.processes import Cli, Wire, environment_for, open_wire

PAGE = "/ferry/timetable"
LONG_SELECTOR = "div " * 2500


def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


async def kept_pages(environment: Mapping[str, str]) -> list[tuple[str, str]]:
    store = await open_store(f"sqlite:///{environment['DATA_DIR']}/store.sqlite", clock=SystemClock())
    try:
        return [(page.url, page.title) for page in await store.pages(count=100)]
    finally:
        await store.close()


COMMANDS: dict[str, tuple[list[str], int, str]] = {
    "empty query": (["search", ""], 2, "query must not be empty"),
    "query of 501 characters": (["search", "q" * 501], 2, "at most 500 characters"),
    "count of 51": (["search", "ferry", "--count", "51"], 2, "at most 50"),
    "count that is no number": (["search", "ferry", "--count", "many"], 2, "results_count"),
    "unknown category": (["search", "ferry", "--category", "gossip"], 2, "category must be one of"),
    "unknown provider": (["search", "ferry", "--provider", "altavista"], 2, "Choose among"),
    "language that is no code": (["search", "ferry", "--language", "english"], 2, "language"),
    "ftp": (["fetch", "ftp://{host}/"], 3, "http"),
    "no address": (["fetch", ""], 2, "url must not be empty"),
    "private address": (["fetch", "http://127.0.0.1:{closed}/"], 3, "ALLOW_PRIVATE"),
    "metadata address": (["fetch", "http://169.254.169.254/latest/"], 3, "169.254.169.254"),
    "bad selector": (["fetch", "{web}/", "--selector", "div[[["], 2, "selector"),
    "selector of 10 kB": (["fetch", "{web}/", "--selector", LONG_SELECTOR], 2, "at most 1000 characters"),
    "unknown format": (["fetch", "{web}/", "--format", "docx"], 2, "format must be one of"),
    "max_tokens of 10": (["read", "{web}/", "island", "--max-tokens", "10"], 2, "at least 200"),
    "page that is not there": (["fetch", "{web}/no/such/page"], 4, "not_found"),
    "empty question": (["ask", ""], 2, "question must not be empty"),
    "unknown client": (["client", "netscape"], 2, "generic"),
    "extract in an unknown format": (["extract", "-", "--format", "docx"], 2, "format must be one of"),
}


@pytest.fixture(scope="module")
def lived_in(web: MiniWeb, tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """The command line over a library that holds a page."""
    cli = Cli(environment_for(web.url, web.host, tmp_path_factory.mktemp("lived-in")))
    assert cli("fetch", f"{web.url}{PAGE}").returncode == 0
    return cli


@pytest.mark.parametrize("case", COMMANDS)
async def test_a_command_says_what_is_wrong_and_keeps_nothing(case: str, lived_in: Cli, web: MiniWeb) -> None:
    before = await kept_pages(lived_in.environment)
    assert before
    command, code, said = COMMANDS[case]
    fill = {"web": web.url, "host": web.host, "closed": closed_port()}
    done = lived_in(*(part.format(**fill) if "{" in part else part for part in command))
    assert done.returncode == code, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert await kept_pages(lived_in.environment) == before


def test_a_closed_port_is_unreachable(cli: Cli) -> None:
    port = closed_port()
    done = cli("fetch", f"http://127.0.0.1:{port}/", GOSSAMER_NET__ALLOW_PRIVATE=f"127.0.0.1:{port}")
    assert done.returncode == 4
    assert "unreachable" in done.stderr


def test_a_page_is_fetched_although_the_data_folder_cannot_be_written(cli: Cli, web: MiniWeb, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    unwritable = str(tmp_path / "file" / "data")
    done = cli("fetch", f"{web.url}/", DATA_DIR=unwritable)
    assert done.returncode == 0
    assert done.stdout == cli("fetch", f"{web.url}/").stdout
    assert "was not kept" in done.stderr
    assert "DATA_DIR" in done.stderr
    listed = cli("library", "list", DATA_DIR=unwritable)
    assert "There is no page in the library" in listed.stderr


def test_an_unknown_key_in_the_settings_file_suggests_the_nearest(cli: Cli, web: MiniWeb, tmp_path: Path) -> None:
    file = tmp_path / "gossamer.toml"
    file.write_text('[net]\nrobot = "ignore"\n')
    done = cli("fetch", f"{web.url}/", "--config", str(file))
    assert done.returncode == 2
    assert "robots" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_broken_setting_with_json_is_an_object_too(cli: Cli, web: MiniWeb) -> None:
    done = cli("fetch", f"{web.url}{PAGE}", "--json", GOSSAMER_NET__ROBOTS="perhaps")
    assert (done.returncode, json.loads(done.stdout)["outcome"]) == (2, "invalid")


def test_a_failed_command_with_json_prints_the_error_as_an_object(cli: Cli) -> None:
    told = json.loads(cli("fetch", "http://127.0.0.1/", "--json").stdout)
    assert told["outcome"] == "refused"
    assert told["error"]["hint"]


CALLS: dict[str, tuple[str, dict[str, Any], str, str]] = {
    "empty query": ("web_search", {"query": ""}, "invalid", "query must not be empty"),
    "query of 501 characters": ("web_search", {"query": "q" * 501}, "invalid", "at most 500"),
    "missing query": ("web_search", {}, "invalid", "query is missing"),
    "unknown argument": ("web_search", {"query": "x", "result_count": 3}, "invalid", "results_count"),
    "ftp": ("web_fetch", {"url": "ftp://example.org/"}, "refused", "http"),
    "bad selector": ("web_fetch", {"url": "{web}/", "selector": "div[[["}, "invalid", "selector"),
    "selector of 10 kB": ("web_fetch", {"url": "{web}/", "selector": LONG_SELECTOR}, "invalid", "at most 1000"),
    "forged cursor": ("web_fetch", {"url": "{web}/", "cursor": "Zm9yZ2Vk"}, "invalid", "not made by this server"),
    "max_tokens of 10": (
        "web_read",
        {"urls": ["{web}/"], "queries": ["x"], "max_tokens": 10},
        "invalid",
        "at least 200",
    ),
    "100 urls": ("web_read", {"urls": ["{web}/"] * 100, "queries": ["x"]}, "invalid", "at most 10 items"),
    "no urls": ("web_read", {"urls": [], "queries": ["x"]}, "invalid", "urls must not be empty"),
    "empty question": ("web_answer", {"question": ""}, "invalid", "question must not be empty"),
    "wrong kind": ("web_search", {"query": {"text": "x"}}, "invalid", "query"),
}


@pytest.fixture
def wire(environment: dict[str, str]) -> Any:
    with open_wire(environment) as opened:
        opened.handshake()
        yield opened


async def test_a_tool_says_what_is_wrong_and_keeps_nothing(
    wire: Wire, web: MiniWeb, environment: dict[str, str], subtests: Any
) -> None:
    assert not wire.call("web_fetch", url=f"{web.url}/").get("isError")
    before = await kept_pages(environment)
    for case, (tool, arguments, outcome, said) in CALLS.items():
        with subtests.test(case):
            filled = json.loads(json.dumps(arguments).replace("{web}", web.url))
            told = wire.call(tool, **filled)
            text = told["content"][0]["text"]
            assert told["isError"]
            assert text.startswith(f"{outcome}: ")
            assert said in text
            assert told["_meta"]["gossamer/error"]["hint"]
            assert await kept_pages(environment) == before


def test_a_cursor_ends_with_its_snapshot_and_says_so(wire: Wire, web: MiniWeb) -> None:
    url = f"{web.url}/live/tides"
    first = wire.call("web_fetch", url=url, max_length=20)
    cursor = first["_meta"]["gossamer/cursor"]
    told = wire.call("web_fetch", url=url, cursor=cursor)
    assert told["isError"]
    assert "expired" in told["content"][0]["text"]


LENIENT: dict[str, tuple[str, dict[str, Any]]] = {
    "a number as text": ("web_search", {"query": "ferry", "results_count": "3"}),
    "a list as text": ("web_read", {"urls": '["{page}"]', "queries": "island"}),
    "a single string": ("web_read", {"urls": "{page}", "queries": "island"}),
    "an address in angles": ("web_fetch", {"url": "<{page}>"}),
    "a Markdown link": ("web_fetch", {"url": "[home]({page})"}),
    "a site as an address": ("web_search", {"query": "ferry", "site": "{page}"}),
    "a language in small letters": ("web_search", {"query": "ferry", "language": "en-gb"}),
}

UNSAID: dict[str, tuple[str, dict[str, Any]]] = {
    "null": ("web_search", {"query": "ferry", "time_range": None, "site": None}),
    "an empty time range": ("web_search", {"query": "ferry", "time_range": ""}),
}
"""Read as absent: nothing was changed, so nothing is noted."""


def test_arguments_are_read_leniently_and_never_silently(wire: Wire, web: MiniWeb, subtests: Any) -> None:
    for case, (tool, arguments) in (LENIENT | UNSAID).items():
        with subtests.test(case):
            told = wire.call(tool, **json.loads(json.dumps(arguments).replace("{page}", web.url + PAGE)))
            assert not told.get("isError"), told["content"][0]["text"]
            noted = any("was read as" in note for note in told["_meta"].get("gossamer/note", []))
            assert noted == (case in LENIENT)
