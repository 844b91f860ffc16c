"""Users of a shared service look for the names of files on the operator's machine in whatever goes wrong there."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gossamer.contracts.resources import uri_of
from gossamer.demo.web import MiniWeb
from tests.real.processes import Cli, environment_for, open_http, open_wire

Trouble = Callable[[Path], object]


@pytest.fixture(scope="module")
def web() -> Iterator[MiniWeb]:
    with MiniWeb() as site:
        yield site


def garble(path: Path) -> None:
    path.write_bytes(b"not a database at all" * 500)


TROUBLES: dict[str, Trouble] = {
    "a folder in place of the library": lambda data: (data / "store.sqlite").mkdir(),
    "a library of another program": lambda data: garble(data / "store.sqlite"),
    "a folder in place of the lock": lambda data: (data / "store.sqlite.lock").mkdir(),
    "a folder in place of the state": lambda data: (data / "state.sqlite").mkdir(),
    "a folder in place of the key of cursors": lambda data: (data / "cursor.key").mkdir(),
}


@pytest.mark.parametrize("trouble", TROUBLES.values(), ids=TROUBLES)
def test_no_user_is_told_where_the_operators_files_are(trouble: Trouble, web: MiniWeb, tmp_path: Path) -> None:
    environment = environment_for(web.url, web.host, tmp_path)
    made = Cli(environment)("token", "new", "ann")
    assert made.returncode == 0, made.stderr
    trouble(tmp_path / "data")
    page, token = f"{web.url}/ferry/timetable", made.stdout.strip()
    with open_http(environment, "--tools", "all") as server:
        told = [
            server.call("web_fetch", token, url=page),
            server.call("web_fetch", token, url=page, force_refresh=True),
            server.call("web_read", token, urls=[page], queries=["When does the ferry leave?"]),
            server.call("web.readFromPage", token, url=page, query=["When does the ferry leave?"]),
            server.call("web_search", token, query="ferry"),
            server.call("web_answer", token, question="When does the ferry leave?"),
        ]
        for method, params in (("resources/list", {}), ("resources/read", {"uri": uri_of(page)})):
            asked = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
            told.append(server.post(asked, token).json())
        told += [server.ask("GET", path).json() for path in ("/health", "/ready")]
    text = json.dumps(told)
    named = ("store.sqlite", "state.sqlite", "cursor.key", "gossamer.toml", "/site-packages", *tmp_path.parts[1:])
    assert not [name for name in named if name in text]


def test_the_owner_of_the_machine_is_told(web: MiniWeb, tmp_path: Path) -> None:
    environment = environment_for(web.url, web.host, tmp_path)
    (tmp_path / "data" / "store.sqlite").mkdir(parents=True)
    with open_wire(environment) as wire:
        wire.handshake()
        noted = wire.call("web_fetch", url=f"{web.url}/ferry/timetable")["_meta"]["gossamer/note"]
    assert str(tmp_path / "data" / "store.sqlite") in " ".join(noted)
