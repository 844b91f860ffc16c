"""Thirteen things that anybody may expect of a tool that reads pages, asked of the server as a client asks."""

import gzip
import sys
import threading
import zlib
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from gossamer.testing.site_case import one_page
from tests.real.processes import Wire, environment_for, open_wire
from tests.unit.contracts.material import blocks, true_tokens

PROSE = "The harbour office opens at eight, and the last ferry of the day waits for the train from the north. "
CODE = "def tide(hour: int) -> float:\n    if hour < 12:\n        return 1.5\n\n    return -0.5\n"
ANSWER = "The lighthouse keeper of Sandholm earned exactly 4,217 crowns in the year of the great flood."
MIB = 2**20


def article(inside: str, *, title: str = "Harbour", head: str = "", around: str = "") -> str:
    return (
        f"<!DOCTYPE html><html><head>{head}<title>{title}</title></head><body>{around}"
        f"<main><article><h1>{title}</h1><p>{PROSE * 3}</p>{inside}<p>{PROSE * 2}</p></article></main></body></html>"
    )


def chapters() -> str:
    """A page of 49 kB, one sentence of which answers the question."""
    weather = "Rain fell on chapter {0} of the chronicle while carts, barrels and nets {0} were counted twice. "
    parts = [f"<h2>Chapter {number}</h2><p>{weather.format(number) * 12}</p>" for number in range(1, 42)]
    parts.insert(30, f"<h2>Wages</h2><p>{ANSWER}</p>")
    return f"<!DOCTYPE html><title>Chronicle</title><main><h1>Chronicle</h1>{''.join(parts)}</main>"


def bomb() -> bytes:
    """60 MB of blanks, packed."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    start = packer.compress(f"<!DOCTYPE html><title>b</title><p>{PROSE}</p>".encode())
    return start + b"".join(packer.compress(b" " * MIB) for _ in range(60)) + packer.flush()


HTML = "text/html; charset=utf-8"
TAGGED = "".join(chr(0xE0000 + ord(sign)) for sign in "SECRET")
PAGES: dict[str, tuple[int, Mapping[str, str], bytes]] = {
    "gbk": (
        200,
        {"Content-Type": "text/html"},
        article("<p>港口办公室八点开门，末班渡轮等候火车。</p>" * 5, head='<meta charset="gbk">').encode("gbk"),
    ),
    "shift-jis": (
        200,
        {"Content-Type": "text/html; charset=Shift_JIS"},
        article("<p>港の事務所は八時に開き、最終の渡し船は列車を待ちます。</p>" * 5).encode("shift_jis"),
    ),
    "pdf": (
        200,
        {"Content-Type": "application/pdf"},
        one_page("BT /F1 12 Tf 72 700 Td (The tide tables of the north quay) Tj ET"),
    ),
    "code": (
        200,
        {"Content-Type": HTML},
        article(
            f'<pre><code class="language-python">{CODE.replace("<", "&lt;").replace(">", "&gt;")}</code></pre>'
        ).encode(),
    ),
    "table": (
        200,
        {"Content-Type": HTML},
        article(
            "<table><tr><th>Ship</th><th>Leaves</th></tr><tr><td>Maja</td><td>9:15</td></tr>"
            '<tr><td>Ole</td><td>11:40</td></tr></table><p>See <a href="../fares?class=2">all fares</a>.</p>'
        ).encode(),
    ),
    "furniture": (
        200,
        {"Content-Type": HTML},
        article(
            "",
            around="<nav><ul><li><a href=/a>NAVIGATION-A</a><li><a href=/b>NAVIGATION-B</a></ul></nav>"
            "<footer><p>FOOTER-WORDS of the harbour board, all rights reserved.</p></footer>",
        ).encode(),
    ),
    "wall": (
        200,
        {"Content-Type": HTML},
        (
            b"<!DOCTYPE html><html><head><title>Just a moment...</title></head><body><h1>Checking your browser</h1>"
            b"<p>Enable JavaScript and cookies to continue</p>"
            b"<script src='/cdn-cgi/challenge-platform/h/b/orchestrate'></script></body></html>"
        ),
    ),
    "forbidden": (403, {"Content-Type": HTML}, article("").encode()),
    "shell": (
        200,
        {"Content-Type": HTML},
        (
            b'<!DOCTYPE html><html><head><title>App</title><script src="/a.js"></script></head><body>'
            b'<div id="root"></div></body></html>'
        ),
    ),
    "private": (200, {"Content-Type": HTML}, article("").encode()),
    "hidden": (
        200,
        {"Content-Type": HTML},
        article(
            f"<p style='display:none'>SECRET one</p><p>Open\u200b da\u200bily{TAGGED} from nine.</p><!-- SECRET two -->"
        ).encode(),
    ),
    "bomb": (200, {"Content-Type": HTML, "Content-Encoding": "gzip"}, bomb()),
    "long": (200, {"Content-Type": HTML, "ETag": '"v1"', "Cache-Control": "max-age=60"}, chapters().encode()),
    "robots.txt": (200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /private\n"),
}


A_MINUTE_LATER = """
import runpy, time
now = time.time
time.time = lambda: now() + 60
runpy.run_module("gossamer", run_name="__main__")
"""
"""The same server where the clock on the wall is a minute ahead."""


class Site:
    """Serves the pages and remembers what was asked of it."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Mapping[str, str]]] = []
        asked = self.asked

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                name = self.path.lstrip("/").partition("?")[0]
                asked.append((name, {key.lower(): value for key, value in self.headers.items()}))
                status, headers, body = PAGES.get(name, (404, {"Content-Type": HTML}, b"<p>no such page</p>"))
                if headers.get("ETag") and self.headers.get("If-None-Match") == headers["ETag"]:
                    status, body = 304, b""
                self.send_response(status)
                for key, value in {**headers, "Content-Length": str(len(body))}.items():
                    self.send_header(key, value)
                self.end_headers()
                try:
                    self.wfile.write(body)
                except ConnectionError:
                    return

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the parent's name
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.host = f"127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def address(self, name: str) -> str:
        return f"http://{self.host}/{name}"

    def asked_for(self, name: str) -> list[Mapping[str, str]]:
        return [headers for asked, headers in self.asked if asked == name]

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    site = Site()
    yield site
    site.close()


@pytest.fixture(scope="module")
def environment(site: Site, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return environment_for("http://127.0.0.1:1", site.host, tmp_path_factory.mktemp("box"))


@pytest.fixture(scope="module")
def wire(environment: dict[str, str]) -> Iterator[Wire]:
    with open_wire(environment) as wire:
        wire.handshake()
        yield wire


def fetched(wire: Wire, site: Site, name: str) -> str:
    """The text of a page, as the page had it."""
    result = wire.call("web_fetch", url=site.address(name))
    assert not result.get("isError"), result
    (block,) = blocks(result["content"][0]["text"])
    return block


def outcome(result: dict[str, Any]) -> str:
    assert result["isError"]
    return result["_meta"]["gossamer/outcome"]


@pytest.mark.promise("003.70")
def test_01_gbk_that_only_the_page_itself_declares(wire: Wire, site: Site) -> None:
    assert "港口办公室八点开门，末班渡轮等候火车。" in fetched(wire, site, "gbk")


@pytest.mark.promise("003.70")
def test_02_shift_jis_that_the_header_declares(wire: Wire, site: Site) -> None:
    assert "港の事務所は八時に開き、最終の渡し船は列車を待ちます。" in fetched(wire, site, "shift-jis")


@pytest.mark.promise("003.140")
def test_03_the_text_of_a_pdf(wire: Wire, site: Site) -> None:
    assert "The tide tables of the north quay" in fetched(wire, site, "pdf")


@pytest.mark.promise("002.91", "003.141")
def test_04_code_in_a_fence_with_its_language_and_every_blank(wire: Wire, site: Site) -> None:
    assert f"```python\n{CODE.rstrip()}\n```" in fetched(wire, site, "code")


@pytest.mark.promise("002.91")
def test_05_tables_are_kept_and_links_absolute(wire: Wire, site: Site) -> None:
    text = fetched(wire, site, "table")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]
    assert ["Ship", "Leaves"] in rows
    assert ["Maja", "9:15"] in rows
    assert f"[all fares](http://{site.host}/fares?class=2)" in text


def test_06_navigation_and_footer_are_left_out(wire: Wire, site: Site) -> None:
    text = fetched(wire, site, "furniture")
    assert PROSE.strip() in text
    assert "NAVIGATION" not in text
    assert "FOOTER" not in text


def test_07_a_wall_that_comes_with_status_200_is_recognised(wire: Wire, site: Site) -> None:
    assert outcome(wire.call("web_fetch", url=site.address("wall"))) == "captcha"


def test_08_forbidden_is_an_error(wire: Wire, site: Site) -> None:
    result = wire.call("web_fetch", url=site.address("forbidden"))
    assert outcome(result) == "denied"
    assert PROSE not in result["content"][0]["text"]


@pytest.mark.promise("001.8", "001.63", "003.65", "003.74")
def test_09_an_empty_shell_is_recognised(wire: Wire, site: Site) -> None:
    assert outcome(wire.call("web_fetch", url=site.address("shell"))) == "js_required"
    assert site.asked_for("shell")
    assert site.asked_for("a.js") == []


@pytest.mark.promise("001.6", "002.37")
def test_10_what_robots_txt_forbids_is_not_asked_for(wire: Wire, site: Site) -> None:
    assert outcome(wire.call("web_fetch", url=site.address("private"))) == "robots"
    assert site.asked_for("private") == []


def test_11_what_a_reader_cannot_see_is_taken_out_and_counted(wire: Wire, site: Site) -> None:
    result = wire.call("web_fetch", url=site.address("hidden"))
    text = result["content"][0]["text"]
    assert "Open daily from nine." in text
    assert "SECRET" not in text
    assert not any(sign == "\u200b" or ord(sign) >= 0xE0000 for sign in text)
    assert result["_meta"]["gossamer/hidden"] >= 2


def test_12_a_bomb_is_refused_within_limits(wire: Wire, site: Site) -> None:
    assert len(gzip.decompress(PAGES["bomb"][2])) > 60 * MIB
    assert outcome(wire.call("web_fetch", url=site.address("bomb"))) == "too_large"
    peak = Path(f"/proc/{wire.process.pid}/status").read_text().partition("VmHWM:")[2].split()[0]
    assert int(peak) < 400 * 1024


def test_13_one_sentence_out_of_a_long_page_and_a_forced_look_that_asks_for_changes_alone(
    environment: dict[str, str], site: Site
) -> None:
    assert 45_000 < len(PAGES["long"][2]) < 55_000
    question = "How many crowns did the lighthouse keeper of Sandholm earn in the year of the flood?"
    arguments: dict[str, Any] = {"urls": [site.address("long")], "queries": [question], "max_tokens": 500}
    commands = ([sys.executable, "-m", "gossamer"], [sys.executable, "-c", A_MINUTE_LATER])
    for command, is_forced in zip(commands, (False, True), strict=True):
        with open_wire(environment, command) as wire:
            wire.handshake()
            text = wire.call("web_read", **arguments, force_refresh=is_forced)["content"][0]["text"]
        assert ANSWER in text
        assert true_tokens(text) <= 500
    first, forced = site.asked_for("long")
    assert "if-none-match" not in first
    assert forced["if-none-match"] == '"v1"'
