"""Bodies built to hang, crash or fill the process that reads them; the server must not notice."""

import asyncio
import contextlib
import os
import sys
import time
import zlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import pytest_asyncio

from gossamer.errors import BrokenDocument, ContentError, TimedOut, TooComplex
from gossamer.extractors.workers.pool import WorkerPool
from gossamer.model.http import HttpReply
from gossamer.model.page import Extracted, View
from gossamer.ports import Call
from tests.patience import LONG_S, share

pytestmark = pytest.mark.asyncio(loop_scope="module")
MIB = 1024 * 1024
DEADLINE_S = 240.0
"""A page's processor time is bounded; what the clock says depends on who else uses the machine."""


class RealClock:
    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()


def call() -> Call:
    return Call(clock=RealClock(), deadline=time.monotonic() + DEADLINE_S)


def reply(body: bytes, content_type: str = "text/html; charset=utf-8") -> HttpReply:
    return HttpReply(
        status=200, url="https://a.example/", headers={"content-type": content_type}, body=body[: 10 * MIB]
    )


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pool() -> AsyncIterator[WorkerPool]:
    pool = WorkerPool(clock=RealClock(), cpu_s=40)
    yield pool
    await pool.close()


def pdf_bomb(total: int) -> bytes:
    """One page whose content is blanks, packed a thousand to one."""
    packer = zlib.compressobj(9)
    data = b"".join(packer.compress(b" " * MIB) for _ in range(total // MIB)) + packer.flush()
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R>>",
        b"<</Length %d/Filter/FlateDecode>>stream\n" % len(data) + data + b"\nendstream",
    ]
    body = b"%PDF-1.7\n"
    for number, content in enumerate(objects, 1):
        body += b"%d 0 obj\n" % number + content + b"\nendobj\n"
    return body + b"trailer<</Size 5/Root 1 0 R>>\n%%EOF"


ENTITIES = "<!ENTITY a 'ha'>" + "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9))
SEEN = b"<p>The lamps burned all night, and nobody came.</p>"
LONG_BASE = "https://a.example/" + "d/" * 900
REFUSED: dict[str, Callable[[], HttpReply]] = {
    "a hundred thousand levels": lambda: reply(b"<div>" * 100_000),
    "mixed levels": lambda: reply(b"<blockquote><ul><li>" * 20_000),
    "a PDF that unpacks to a quarter of a gigabyte": lambda: reply(pdf_bomb(256 * MIB), "application/pdf"),
    "a PDF that is cut": lambda: reply(b"%PDF-1.7\n1 0 obj\n<</Type/Catalog", "application/pdf"),
}
SURVIVED: dict[str, Callable[[], HttpReply]] = {
    "one line of ten mebibytes": lambda: reply(b"<html><body><p>" + b"word " * (2 * MIB)),
    "four hundred thousand paragraphs": lambda: reply(b"<p>x</p>" * 400_000),
    "signs without tags": lambda: reply(b"<p>start</p>" + b"< " * 900_000),
    "scripts without end": lambda: reply(b"<p>start</p>" + b"<script>" * 1_000_000),
    "types without end": lambda: reply(b"<p>start</p>" + b"<!DOCTYPE " * 600_000),
    "comments without end": lambda: reply(b"<p>start</p>" + b"<!--" * 900_000),
    "entities that multiply": lambda: reply(f"<!DOCTYPE x [{ENTITIES}]><p>&j;</p>".encode()),
    "the same as XML": lambda: reply(f"<!DOCTYPE x [{ENTITIES}]><r>&j;</r>".encode(), "application/xml"),
    "a style sheet of braces": lambda: reply(b"<style>" + b"{" * 5 * MIB + b"</style><p>start</p>"),
    "a style sheet of paths": lambda: reply(
        b"<style>" + b"".join(b"div p:nth-child(%d) > b{display:none}" % n for n in range(20_000)) + b"</style>"
        + b"<div><p><b>start</b></p></div>" * 5_000
    ),
    "deep JSON": lambda: reply(b"[" * 5 * MIB, "application/json"),
    "JSON that grows when shown": lambda: reply(b"[" * 900 + b"0," * 200_000 + b"0" + b"]" * 900, "application/json"),
    "random octets called a page": lambda: reply(bytes(range(1, 256)) * 20_000),
    "deep code": lambda: reply(b"<pre>" + b"<b>" * 900 + b"start" + b"</b>" * 900 + b"</pre>"),
    "invisible characters alone": lambda: reply("\u200b\u200c\u200d\u2060".encode() * 500_000, "text/plain"),
}  # fmt: skip


PLAIN: dict[str, Callable[[], HttpReply]] = {
    "one word, one line": lambda: plain("x" * 10 * MIB),
    "one wide character among narrow ones": lambda: plain("word " * 2 * MIB + "\U0001f600"),
    "joiners": lambda: plain("می\u200cخ" * (10 * MIB // 9)),
    "old line ends": lambda: plain("a\r\n" * (10 * MIB // 3)),
    "octets of no charset": lambda: reply(b"word " * 1000 + b"\xff\xfeabc" * 2_000_000, "text/plain"),
    "numbers as JSON": lambda: reply(b"[" + b"0," * (5 * MIB - 2) + b"0]", "application/json"),
    "objects as JSON": lambda: reply(b"[" + b'{"a":1},' * (10 * MIB // 8 - 1) + b"{}]", "application/json"),
    "headings": lambda: reply(b"# a\n" * (10 * MIB // 4), "text/markdown"),
}
"""Text without markup: there is nothing in it that could not be read in one pass."""
LONG: dict[str, Callable[[], HttpReply]] = {
    "one line": lambda: reply(b"<p>" + b"word " * (2 * MIB - 1)),
    "one block of code": lambda: reply(b"<pre>" + b"word word\n" * (MIB - 2) + b"</pre>"),
}


TAKEN_OUT = {
    "comments": "<!-- x -->tail ",
    "drawings": "<svg></svg>tail ",
    "hidden words": "<span hidden>x</span>tail ",
    "images": "<img>tail ",
    "buttons": "<button>b</button>tail ",
    "jumps": "<a href=#x></a>tail ",
    "noscript": "<noscript>a</noscript>tail ",
    "menus": "<nav></nav>tail ",
}
"""What goes and leaves the text behind it: joined one by one, the texts would take time by the square."""


def plain(text: str) -> HttpReply:
    return reply(text.encode(), "text/plain; charset=utf-8")


async def still_reads(pool: WorkerPool) -> bool:
    result = await pool.extract(reply(b"<title>Lamps</title><p>The lamps burned all night.</p>"), View(), call())
    return result.text == "The lamps burned all night."


@pytest.mark.parametrize("shape", TAKEN_OUT.values(), ids=TAKEN_OUT)
async def test_a_paragraph_out_of_which_much_is_taken_is_read_to_its_end(pool: WorkerPool, shape: str) -> None:
    for mark in ("div", "div class=vp-doc"):
        page = f"<title>Bridge</title><{mark}><h1>Bridge</h1><p>{shape * 60_000}the end.</p></div>"
        result = await pool.extract(reply(page.encode()), View(), call())
        assert result.text.endswith("the end.")


SIMPLY: dict[str, Callable[[], HttpReply]] = {
    "two million tags": lambda: reply(SEEN + b"<p>x</p>" * 1_000_000),
    "twenty thousand attributes": lambda: reply(
        SEEN + b"<p " + b" ".join(b"a%d='v'" % n for n in range(20_000)) + b">x</p>"
    ),
    "a million attributes": lambda: reply(SEEN + b"<p " + b"a='v' " * 1_000_000 + b">x</p>"),
    "quotes without end": lambda: reply(SEEN + b"<a href='" * 1_000_000),
    "foreign elements": lambda: reply(SEEN + b"<svg><math>" * 200_000),
    "levels": lambda: reply(SEEN + b"<div>" * 100_000 + b"x"),
    "a million links made absolute": lambda: reply(
        b"<base href='" + LONG_BASE.encode() + b"'><body>" + SEEN + b"<a href=x>l</a> " * 400_000
    ),
}
"""Pages that no parser takes, or not within its limits, and that have text all the same."""


@pytest.mark.promise("002.158")
@pytest.mark.parametrize("make", REFUSED.values(), ids=REFUSED)
async def test_a_body_that_takes_more_than_a_page_may_is_refused(
    pool: WorkerPool, make: Callable[[], HttpReply]
) -> None:
    with pytest.raises((TooComplex, BrokenDocument)) as caught:
        await pool.extract(make(), View(), call())
    assert caught.value.hint
    assert await still_reads(pool)


@pytest.mark.parametrize("make", SIMPLY.values(), ids=SIMPLY)
async def test_a_page_beyond_the_limits_of_parsing_is_read_by_simpler_rules(
    pool: WorkerPool, make: Callable[[], HttpReply]
) -> None:
    result = await pool.extract(make(), View(), call())
    assert "The lamps burned all night, and nobody came." in result.text
    assert "Simpler rules" in result.message
    assert await still_reads(pool)


@pytest.mark.promise("002.134")
@pytest.mark.parametrize("make", SURVIVED.values(), ids=SURVIVED)
async def test_an_odd_body_ends_in_text_or_in_an_error_of_ours(pool: WorkerPool, make: Callable[[], HttpReply]) -> None:
    (result,) = await asyncio.gather(pool.extract(make(), View(), call()), return_exceptions=True)
    if isinstance(result, Extracted):
        result.text.encode()
    else:
        assert isinstance(result, ContentError)
        assert result.hint
    assert await still_reads(pool)


@pytest.mark.parametrize("make", PLAIN.values(), ids=PLAIN)
async def test_ten_mebibytes_of_plain_text_come_back_whatever_their_shape(
    pool: WorkerPool, make: Callable[[], HttpReply]
) -> None:
    result = await pool.extract(make(), View(), call())
    assert len(result.text) > 3_000_000


@pytest.mark.parametrize("make", LONG.values(), ids=LONG)
async def test_of_a_page_with_too_much_text_the_beginning_comes_back_and_says_so(
    pool: WorkerPool, make: Callable[[], HttpReply]
) -> None:
    result = await pool.extract(make(), View(), call())
    assert result.text.count("word") > 300_000
    assert "too large to be read whole" in result.message
    assert await still_reads(pool)


async def read_in_time(pool: WorkerPool, page: HttpReply) -> Extracted:
    """Read a page again where others took the machine before it had its processor time."""
    async with asyncio.timeout(LONG_S):
        while True:
            with contextlib.suppress(TimedOut):
                return await pool.extract(page, View(), call())


async def test_a_page_that_burns_time_ends_its_worker_and_nothing_else() -> None:
    pool = WorkerPool(clock=RealClock(), cpu_s=1, memory_mb=4_000)
    with contextlib.suppress(TooComplex):  # where the machine is slow, the simplest rules take as long as it has
        assert "Simpler rules" in (await read_in_time(pool, reply(b"<p><b>x</b></p>" * 240_000))).message
    assert await still_reads(pool)
    await pool.close()


async def test_a_page_that_fills_memory_ends_its_worker_and_nothing_else() -> None:
    pool = WorkerPool(clock=RealClock(), memory_mb=40)
    result = await pool.extract(reply(b"<p><b>x</b></p>" * 240_000), View(), call())
    assert "x" in result.text
    assert "Simpler rules" in result.message
    assert await still_reads(pool)
    await pool.close()


@pytest.mark.skipif(sys.platform != "linux", reason="reads memory the Linux way")
async def test_the_server_hardly_grows_over_the_largest_page(pool: WorkerPool) -> None:
    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")

    page = reply(("wörter " * 1_400_000).encode(), "text/plain")
    before = resident()
    result = await pool.extract(page, View(), call())
    assert resident() - before < 64 * MIB
    assert len(result.text) > 9_000_000


@pytest.mark.alone
async def test_fifty_pages_at_once_are_read_beside_hostile_ones_and_the_loop_stays_awake(pool: WorkerPool) -> None:
    gaps: list[float] = []

    async def watch() -> None:
        while True:
            since = time.monotonic()
            await asyncio.sleep(0.01)
            gaps.append(time.monotonic() - since)

    watching = asyncio.create_task(watch())
    page = reply(
        b"<title>Lamps</title><article>" + b"<p>The lamps burned all night and nobody came.</p>" * 50 + b"</article>"
    )
    hostile = [REFUSED["mixed levels"](), SIMPLY["two million tags"](), SIMPLY["quotes without end"]()]
    gaps.clear()
    results = await asyncio.gather(
        *(pool.extract(one, View(), call()) for one in [page, *hostile] * 3 + [page] * 47), return_exceptions=True
    )
    watching.cancel()
    assert sum(not isinstance(result, BaseException) for result in results) == 56
    assert sum(isinstance(result, TooComplex) for result in results) == 3
    assert share(gaps, 0.99) < 1.0
    assert len(pool.pids) <= 4
