"""The whole product on a DuckDB store: the command line, two servers at once, one of them stopped."""

import json
import signal
import time
from pathlib import Path

import pytest

from gossamer.demo.web import MiniWeb
from gossamer.stores.duckdb.sharers import count_sharers
from tests.real.processes import Cli, Wire

PAGES = ("skein/docs/cli", "skein/docs/")


@pytest.fixture
def store(tmp_path: Path, environment: dict[str, str]) -> Path:
    path = tmp_path / "data" / "store.duckdb"
    environment["GOSSAMER_STORE"] = f"duckdb://{path}"
    return path


def test_a_page_that_was_read_is_listed_found_shown_and_forgotten(cli: Cli, web: MiniWeb, store: Path) -> None:
    assert json.loads(cli("library", "list", "--json").stdout) == {"pages": []}
    assert not store.exists()
    url = f"{web.url}/{PAGES[0]}"
    first, again = (cli("read", url, "how do I install it?", "--json") for _ in range(2))
    assert (first.returncode, first.stderr) == (0, "")
    assert json.loads(first.stdout)["passages"] == json.loads(again.stdout)["passages"]
    (listed,) = json.loads(cli("library", "list", "--json").stdout)["pages"]
    assert listed["url"] == url
    found = json.loads(cli("library", "search", "skein", "--json").stdout)["results"]
    assert [hit["url"] for hit in found] == [url]
    assert cli("library", "show", url).returncode == 0
    assert cli("library", "remove", url).returncode == 0
    assert json.loads(cli("library", "list", "--json").stdout) == {"pages": []}


def test_doctor_counts_those_who_use_the_store(
    cli: Cli, environment: dict[str, str], web: MiniWeb, store: Path
) -> None:
    servers = [Wire(environment) for _ in range(2)]
    try:
        for server, page in zip(servers, PAGES, strict=True):
            server.handshake()
            assert not read(server, f"{web.url}/{page}").get("isError")
        assert count_sharers(store) == 2
        done = cli("doctor")
        assert "used by 2 processes" in done.stdout
        assert len(json.loads(cli("library", "list", "--json").stdout)["pages"]) == 2
    finally:
        for server in servers:
            server.process.kill()
            server.process.communicate()
    assert "used by" not in cli("doctor").stdout


def read(server: Wire, url: str) -> dict[str, object]:
    arguments = {"urls": [url], "queries": ["how do I install it?"]}
    return server.receive(server.send("tools/call", {"name": "web_read", "arguments": arguments}))["result"]


def test_while_another_server_is_stopped_with_the_store_in_hand_pages_are_read_and_the_answer_says_so(
    environment: dict[str, str], web: MiniWeb, store: Path
) -> None:
    stopped, server = servers = [Wire(environment) for _ in range(2)]
    try:
        for one in servers:
            one.handshake()
        read(stopped, f"{web.url}/{PAGES[0]}")
        stopped.process.send_signal(signal.SIGSTOP)
        began = time.monotonic()
        reply = read(server, f"{web.url}/{PAGES[1]}")
        assert time.monotonic() - began < 20
        assert not reply.get("isError")
        assert "held by another process" in str(reply["content"])
        stopped.process.send_signal(signal.SIGCONT)
    finally:
        for one in servers:
            one.process.send_signal(signal.SIGCONT)
            one.process.kill()
            one.process.communicate()
