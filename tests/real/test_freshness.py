"""Freshness against real sites: what is asked again, what stands in, and what several processes do once."""

import asyncio
import signal
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from gossamer import Outcome, Settings, open_engine
from gossamer.engine import Engine
from gossamer.errors import BrokenReply, NotFound, RateLimited, RobotsDisallowed, Unreachable
from gossamer.ports import Call
from tests.real.processes import environment_for, open_wire

DAY = 86_400.0
PATIENCE_S = 60.0
TEXT = "The ferry to Mossgate leaves at noon and comes back at six in the evening, every day but Sunday."
HTML = f"<html><head><title>Ferry</title></head><body><article><h1>Ferry</h1><p>{TEXT}</p></article></body></html>"
DROP = 0
"""The status of an answer that never comes: the connection is closed instead."""
STAMP = "Mon, 02 Mar 2026 10:00:00 GMT"

Headers = dict[str, str]
Answer = tuple[int, Headers, str] | Callable[[Headers], tuple[int, Headers, str]]


class MovedClock:
    """The real time, and as much more as the test lets pass."""

    ahead_s = 0.0

    def now(self) -> float:
        return time.time() + self.ahead_s

    def monotonic(self) -> float:
        return time.monotonic() + self.ahead_s


class Site:
    """A site on loopback with one answer per path; what is not given is not found, robots.txt too."""

    def __init__(self) -> None:
        self.answers: dict[str, Answer] = {}
        self.asked: list[tuple[str, Headers]] = []
        self.host = ""

    @property
    def url(self) -> str:
        return f"http://{self.host}"

    def count(self, path: str) -> int:
        return sum(asked == path for asked, _ in self.asked)

    def last(self, path: str) -> Headers:
        return [headers for asked, headers in self.asked if asked == path][-1]

    @contextmanager
    def open(self, port: int = 0) -> Iterator["Site"]:
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                headers = {name.lower(): value for name, value in self.headers.items()}
                path = self.path.replace(":80/", "/", 1)  # who asks through a proxy writes the port
                site.asked.append((path, headers))
                answer = site.answers.get(path, (404, {}, "nothing here"))
                status, said, body = answer if isinstance(answer, tuple) else answer(headers)
                if status == DROP:
                    return
                self.send_response(status)
                for name, value in {"Content-Type": "text/html", **said}.items():
                    self.send_header(name, value)
                if status != 304:
                    self.send_header("Content-Length", said.get("X-Length", str(len(body.encode()))))
                with suppress(ConnectionError):  # whoever asked was killed meanwhile
                    self.end_headers()
                    self.wfile.write(body.encode() if status != 304 else b"")

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                """Say nothing."""

        server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        server.daemon_threads = True
        server.block_on_close = False
        self.host = f"127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()
            thread.join()


@pytest.fixture
def site() -> Iterator[Site]:
    with Site().open() as site:
        yield site


@pytest.fixture
def clock() -> MovedClock:
    return MovedClock()


@asynccontextmanager
async def engine_over(site: Site, folder: Path, clock: MovedClock) -> AsyncIterator[Engine]:
    settings = Settings.model_validate({"data_dir": folder, "net": {"allow_private": [site.host]}})
    async with open_engine(settings, clock=clock) as engine:
        yield engine


def call(clock: MovedClock, seconds: float = PATIENCE_S) -> Call:
    return Call(clock=clock, deadline=clock.monotonic() + seconds)


def tagged(headers: Headers) -> tuple[int, Headers, str]:
    """A site that knows its page by a tag and by a date."""
    if headers.get("if-none-match") == '"v1"' and headers.get("if-modified-since") == STAMP:
        return 304, {"ETag": '"v1"'}, ""
    return 200, {"ETag": '"v1"', "Last-Modified": STAMP}, HTML


@pytest.mark.promise("001.59")
async def test_an_unchanged_page_is_confirmed_and_neither_extracted_nor_embedded_again(
    site: Site, tmp_path: Path, clock: MovedClock
) -> None:
    site.answers["/page"] = tagged
    async with engine_over(site, tmp_path, clock) as engine:
        first = call(clock)
        before = await engine.read([f"{site.url}/page"], ["When does the ferry leave?"], first)
        assert {"fetch", "extract", "embed"} <= {part.name for part in first.log.parts}
        clock.ahead_s += DAY + 60
        for is_forced in (False, True):
            again = call(clock)
            after = await engine.read(
                [f"{site.url}/page"], ["When does the ferry leave?"], again, force_refresh=is_forced
            )
            assert site.last("/page")["if-none-match"] == '"v1"'
            assert not {"extract", "embed"} & {part.name for part in again.log.parts}
            assert after.passages == before.passages
            assert clock.now() - after.pages[0].fetched_at < 20
            clock.ahead_s += 10
    assert site.count("/page") == 3
    assert {headers["dnt"] for _, headers in site.asked} == {"1"}


async def test_what_a_page_said_of_itself_is_told_to_no_other_address_on_the_way(
    site: Site, tmp_path: Path, clock: MovedClock
) -> None:
    site.answers["/page"] = tagged
    site.answers["/old"] = (301, {"Location": "/page"}, "")
    async with engine_over(site, tmp_path, clock) as engine:
        await engine.fetch(f"{site.url}/old", call(clock))
        clock.ahead_s += DAY + 60
        again = call(clock)
        assert TEXT in (await engine.fetch(f"{site.url}/old", again)).text
    assert "extract" not in {part.name for part in again.log.parts}
    assert "if-none-match" not in site.last("/old")
    assert site.last("/page")["if-none-match"] == '"v1"'


async def test_the_same_bytes_are_not_extracted_again(site: Site, tmp_path: Path, clock: MovedClock) -> None:
    site.answers["/page"] = (200, {}, HTML)
    async with engine_over(site, tmp_path, clock) as engine:
        await engine.fetch(f"{site.url}/page", call(clock))
        clock.ahead_s += DAY + 60
        again = call(clock)
        page = await engine.fetch(f"{site.url}/page", again)
        assert "extract" not in {part.name for part in again.log.parts}
        assert TEXT in page.text
        site.answers["/page"] = (200, {}, HTML.replace("noon", "nine"))
        clock.ahead_s += DAY + 60
        changed = await engine.fetch(f"{site.url}/page", call(clock))
        assert ("at nine" in changed.text, changed.version) == (True, 2)


@pytest.mark.promise("001.85")
async def test_a_forced_refresh_is_made_once_in_five_seconds(site: Site, tmp_path: Path, clock: MovedClock) -> None:
    page = "http://ferry.example/page"
    site.answers[page] = tagged
    settings = Settings.model_validate({"data_dir": tmp_path, "net": {"proxy": site.url}})
    async with open_engine(settings, clock=clock) as engine:
        await engine.fetch(page, call(clock))
        soon = call(clock)
        await engine.fetch(page, soon, force_refresh=True)
        assert site.count(page) == 1
        assert "not fetched again so soon" in soon.log.notes[0]


async def test_a_site_that_stumbles_is_asked_again_and_one_that_is_down_three_times(
    site: Site, tmp_path: Path, clock: MovedClock
) -> None:
    site.answers["/stumbles"] = lambda _: (200, {}, HTML) if site.count("/stumbles") > 1 else (502, {}, "")
    site.answers["/down"] = (500, {}, "")
    site.answers["/busy"] = (503, {"Retry-After": "600"}, "")
    async with engine_over(site, tmp_path, clock) as engine:
        assert TEXT in (await engine.fetch(f"{site.url}/stumbles", call(clock))).text
        with pytest.raises(Unreachable, match="500"):
            await engine.fetch(f"{site.url}/down", call(clock))
        with pytest.raises(Unreachable) as busy:
            await engine.fetch(f"{site.url}/busy", call(clock))
    assert busy.value.retry_after_s == 600
    assert [site.count(path) for path in ("/stumbles", "/down", "/busy")] == [2, 3, 1]


async def test_a_connection_that_is_dropped_is_tried_again_and_a_page_that_breaks_off_is_not(
    site: Site, tmp_path: Path, clock: MovedClock
) -> None:
    site.answers["/drops"] = lambda _: (200, {}, HTML) if site.count("/drops") > 2 else (DROP, {}, "")
    site.answers["/gone"] = (DROP, {}, "")
    site.answers["/cut"] = (200, {"X-Length": "9999"}, HTML)
    async with engine_over(site, tmp_path, clock) as engine:
        assert TEXT in (await engine.fetch(f"{site.url}/drops", call(clock))).text
        for path in ("/gone", "/cut"):
            with pytest.raises(BrokenReply, match="broke off"):
                await engine.fetch(site.url + path, call(clock))
    assert [site.count(path) for path in ("/drops", "/gone", "/cut")] == [3, 3, 1]


async def test_a_missing_page_is_remembered_across_restarts(site: Site, tmp_path: Path, clock: MovedClock) -> None:
    async with engine_over(site, tmp_path, clock) as engine:
        with pytest.raises(NotFound):
            await engine.fetch(f"{site.url}/new", call(clock))
    site.answers["/new"] = (200, {}, HTML)
    async with engine_over(site, tmp_path, clock) as engine:
        with pytest.raises(NotFound, match="remembered"):
            await engine.fetch(f"{site.url}/new", call(clock))
        assert site.count("/new") == 1
        assert TEXT in (await engine.fetch(f"{site.url}/new", call(clock), force_refresh=True)).text


async def test_a_copy_stands_in_when_the_site_is_away_and_says_its_age(
    site: Site, tmp_path: Path, clock: MovedClock
) -> None:
    with Site().open() as gone:
        gone.answers["/page"] = (200, {}, HTML)
        async with engine_over(gone, tmp_path, clock) as engine:
            await engine.fetch(f"{gone.url}/page", call(clock))
    clock.ahead_s += 3 * DAY
    async with engine_over(gone, tmp_path, clock) as engine:
        late = call(clock)
        page = await engine.fetch(f"{gone.url}/page", late)
        assert (page.outcome, TEXT in page.text) == (Outcome.OK, True)
        assert "3 days old (unreachable)." in late.log.notes[0]
        clock.ahead_s += 30 * DAY
        with pytest.raises(Unreachable):
            await engine.fetch(f"{gone.url}/page", call(clock))


async def test_robots_that_forbid_the_page_by_now_are_not_covered_by_a_copy(
    site: Site, tmp_path: Path, clock: MovedClock
) -> None:
    site.answers["/page"] = (200, {}, HTML)
    async with engine_over(site, tmp_path, clock) as engine:
        await engine.fetch(f"{site.url}/page", call(clock))
        site.answers["/robots.txt"] = (200, {"Content-Type": "text/plain"}, "User-agent: Gossamer\nDisallow: /page\n")
        clock.ahead_s += DAY + 60
        with pytest.raises(RobotsDisallowed, match="does not allow this page"):
            await engine.fetch(f"{site.url}/page", call(clock))


async def test_what_must_not_be_stored_is_asked_for_each_time(site: Site, tmp_path: Path, clock: MovedClock) -> None:
    site.answers["/page"] = (200, {"Cache-Control": "no-store", "ETag": '"v1"'}, HTML)
    async with engine_over(site, tmp_path, clock) as engine:
        for _ in range(2):
            assert TEXT in (await engine.fetch(f"{site.url}/page", call(clock))).text
        assert "if-none-match" not in site.last("/page")
        site.answers["/page"] = (500, {}, "")
        with pytest.raises(Unreachable):
            await engine.fetch(f"{site.url}/page", call(clock))


async def test_a_site_that_asked_for_quiet_is_not_asked_after_a_restart_either(
    site: Site, tmp_path: Path, clock: MovedClock
) -> None:
    site.answers["/a"] = (429, {"Retry-After": "120"}, "")
    async with engine_over(site, tmp_path, clock) as engine:
        with pytest.raises(RateLimited):
            await engine.fetch(f"{site.url}/a", call(clock))
    async with engine_over(site, tmp_path, clock) as engine:
        with pytest.raises(RateLimited) as limited:
            await engine.fetch(f"{site.url}/b", call(clock))
        assert limited.value.retry_after_s == pytest.approx(120, abs=20)
        assert site.count("/b") == 0
        clock.ahead_s += 121
        site.answers["/b"] = (200, {}, HTML)
        assert TEXT in (await engine.fetch(f"{site.url}/b", call(clock))).text


async def test_a_page_that_many_want_at_once_is_asked_for_once(site: Site, tmp_path: Path, clock: MovedClock) -> None:
    site.answers["/page"] = (200, {"Cache-Control": "no-store"}, HTML)
    async with engine_over(site, tmp_path, clock) as engine:
        pages = await asyncio.gather(*(engine.fetch(f"{site.url}/page", call(clock)) for _ in range(20)))
    assert all(TEXT in page.text for page in pages)
    assert (site.count("/page"), site.count("/robots.txt")) == (1, 1)


def test_processes_that_share_a_library_ask_once_for_each_page(site: Site, tmp_path: Path) -> None:
    """The site answers only once every process has been asked for the pages."""
    all_asked = threading.Event()

    def answer(_: Headers) -> tuple[int, Headers, str]:
        all_asked.wait(PATIENCE_S)
        return 200, {}, HTML

    paths = [f"/{number}" for number in range(4)]
    site.answers.update(dict.fromkeys(paths, answer))
    environment = environment_for("http://127.0.0.1:1", site.host, tmp_path)
    with ExitStack() as stack:
        wires = [stack.enter_context(open_wire(environment)) for _ in range(3)]
        for wire in wires:
            wire.handshake()
        calls = [(wire, wire.start("web_fetch", url=site.url + path)) for path in paths for wire in wires]
        all_asked.set()
        results = [wire.receive(number)["result"] for wire, number in calls]
    assert [result["_meta"]["gossamer/outcome"] for result in results] == ["ok"] * len(calls)
    assert all(TEXT in result["content"][0]["text"] for result in results)
    assert Counter(path for path, _ in site.asked) == {"/robots.txt": 1, **dict.fromkeys(paths, 1)}


def test_a_process_takes_over_from_one_that_was_killed(site: Site, tmp_path: Path) -> None:
    reached, forever = threading.Event(), threading.Event()

    def answer(_: Headers) -> tuple[int, Headers, str]:
        if not reached.is_set():
            reached.set()
            forever.wait(PATIENCE_S)
        return 200, {}, HTML

    site.answers["/page"] = answer
    environment = environment_for("http://127.0.0.1:1", site.host, tmp_path)
    try:
        with open_wire(environment) as first, open_wire(environment) as second:
            for wire in (first, second):
                wire.handshake()
            first.start("web_fetch", url=f"{site.url}/page")
            assert reached.wait(PATIENCE_S)
            number = second.start("web_fetch", url=f"{site.url}/page")
            first.process.send_signal(signal.SIGKILL)
            result = second.receive(number)["result"]
    finally:
        forever.set()
    assert TEXT in result["content"][0]["text"]
    assert site.count("/page") == 2
