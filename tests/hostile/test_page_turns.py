"""A page that is made of what marks and tokens begin with does not keep the event loop from other users for long."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from tests.hostile.server_cost import TimedServer, open_timed
from tests.real.processes import environment_for

CHARS = 300_000
"""A slice of the most characters that one may have, and much more behind it."""
TRIES = 3
"""From the site once, then from the library; what a machine does beside them only adds to the least of them."""
TURN_S = 0.25
"""Processor time: four times what the dearest of these takes on a small machine."""
SHAPES = {
    "words": "The keeper lit the lamps each night. ",
    "signs that open": "<",
    "signs that close": "</",
    "tags": "<system>\n",
    "numbers in brackets": "[1] ",
    "items of a list": "\n- ",
    "backslashes": "<\\\\",
    "names without an end": "<a:",
    "turns": "\nHuman: ",
    "brackets of another kind": "\u3010",
}


class _Pages(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        number = self.path.strip("/")
        body = "".join(list(SHAPES.values())[int(number)] * CHARS)[:CHARS].encode() if number.isdecimal() else b""
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the parent's name
        """Say nothing."""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Pages) as site:
        Thread(target=site.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{site.server_port}"
        site.shutdown()


@pytest.fixture(scope="module")
def server(url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TimedServer]:
    with open_timed(environment_for(url, url.removeprefix("http://"), tmp_path_factory.mktemp("turns"))) as server:
        server.call("web_fetch", url=f"{url}/0")  # what is loaded with the first page is no part of a turn
        yield server


@pytest.mark.parametrize("shape", SHAPES)
def test_no_page_keeps_the_loop_for_long(shape: str, url: str, server: TimedServer) -> None:
    turns: list[float] = []
    for _ in range(TRIES):
        server.forget_turns()
        result = server.call("web_fetch", url=f"{url}/{[*SHAPES].index(shape)}", max_length=100_000, max_tokens=20_000)
        assert not result.get("isError"), result
        turns.append(server.longest_turn_s)
    print(f"{shape}: {', '.join(f'{turn * 1000:.0f}' for turn in turns)} ms")
    assert min(turns) <= TURN_S
