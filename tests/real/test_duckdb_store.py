"""The whole product on a DuckDB store: the command line, two servers at once, one of them stopped."""

import json
import signal
from pathlib import Path

import pytest

from gossamer.demo.web import MiniWeb
from gossamer.filedb.processes import count_sharers
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


@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
def test_doctor_counts_those_who_use_the_store(
    kind: str, cli: Cli, environment: dict[str, str], web: MiniWeb, store: Path
) -> None:
    store = store.with_name(f"store.{kind}")
    environment["GOSSAMER_STORE"] = f"{kind}://{store}"
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


def test_a_library_goes_over_to_duckdb_and_back_by_the_command_line(
    cli: Cli, web: MiniWeb, store: Path, tmp_path: Path
) -> None:
    kinds = ("sqlite", "duckdb", "sqlite")
    stores = [{"GOSSAMER_STORE": f"{kind}://{tmp_path}/{place}/store.{kind}"} for place, kind in enumerate(kinds)]
    files = [tmp_path / f"{place}.jsonl" for place in range(len(stores))]
    for page in PAGES:
        assert cli("read", f"{web.url}/{page}", "how do I install it?", **stores[0]).returncode == 0
    assert cli("library", "export", str(files[0]), **stores[0]).returncode == 0
    for place in (1, 2):
        done = cli("library", "import", str(files[place - 1]), "--json", **stores[place])
        assert json.loads(done.stdout) == {"taken": len(files[0].read_text().splitlines()), "known": 0, "gone": 0}
        assert cli("library", "export", str(files[place]), **stores[place]).returncode == 0
    assert files[0].read_text() == files[1].read_text() == files[2].read_text()
    found = [cli("library", "search", "skein", "--json", **it).stdout for it in stores]
    assert json.loads(found[0])["results"]
    assert found == [found[0]] * 3
    assert not store.exists()


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
        reply = read(server, f"{web.url}/{PAGES[1]}")
        assert not reply.get("isError")
        assert "held by another process" in str(reply["content"])
        stopped.process.send_signal(signal.SIGCONT)
    finally:
        for one in servers:
            one.process.send_signal(signal.SIGCONT)
            one.process.kill()
            one.process.communicate()
