"""Tools bound to an engine: failures are told, bugs are hidden and logged, progress never stops."""

import asyncio
import contextlib
import io
import json
import logging
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

import pytest

from gossamer.contracts.contract import Reply, tool
from gossamer.engine import Engine
from gossamer.errors import RateLimited, StoreUnavailable
from gossamer.filedb.files import Files
from gossamer.filedb.lock import FileLock
from gossamer.ports import Call, no_progress
from gossamer.server.log import EventLog, LogBridge, query_hash
from gossamer.server.service import Service, name_request
from gossamer.settings.load import load
from tests.patience import LONG_S

SECRET = "tell nobody about this query"


@tool(title="Crash", timeout=lambda _: LONG_S, needs=frozenset())
async def crash(engine: Engine, call: Call, query: str = "") -> Reply[None]:
    """Fail as no tool should."""
    raise RuntimeError(f"the inside of {query}")


@tool(title="Wait", timeout=lambda _: 3.0, needs=frozenset())
async def wait(engine: Engine, call: Call) -> Reply[None]:
    """Never end."""
    CALLS.put_nowait(call)
    await asyncio.Event().wait()
    raise AssertionError


@tool(title="Limited", timeout=lambda _: LONG_S, needs=frozenset())
async def limited(engine: Engine, call: Call) -> Reply[None]:
    """Be told to wait."""
    call.log.note("a note")
    raise RateLimited("The site", retry_after_s=7)


CALLS: asyncio.Queue[Call] = asyncio.Queue()


@pytest.fixture
async def service(tmp_path: Path) -> Any:
    environ = {"DATA_DIR": str(tmp_path), "GOSSAMER_LOG__LEVEL": "info"}
    made = Service(load(environ=environ, config=None), beat_s=0.05)
    made.tools |= {one.name: one for one in (crash, wait, limited)}
    yield made
    await made.close()


@pytest.mark.promise("004.94", "004.95")
async def test_a_bug_is_told_in_one_sentence_and_logged_without_its_text(
    service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    told = await service.call("crash", {"query": SECRET}, progress=no_progress)
    assert told.is_error
    assert told.text == "error: Gossamer failed on this call. Try other arguments, and report it."
    bug, request = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert (bug["event"], bug["kind"], bug["tool"]) == ("bug", "RuntimeError", "crash")
    assert SECRET not in json.dumps([bug, request])


@pytest.mark.promise("000.23")
async def test_the_event_of_a_request_has_its_fields_and_no_words_of_it(
    service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    await service.call("limited", {}, request=41, progress=no_progress)
    (event,) = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert set(event) == {"ts", "level", "event", "request", "tool", "outcome", "ms", "parts", "query_hash"}
    assert (event["request"], event["tool"], event["outcome"]) == ("41", "limited", "rate_limited")


def test_the_log_names_a_request_by_a_plain_number_or_by_a_name_of_our_own() -> None:
    assert [name_request(given) for given in (0, 7, -7, 2**53 - 1)] == ["0", "7", "-7", str(2**53 - 1)]
    own = [name_request(given) for given in (None, "", "7", SECRET, "x" * 100_000, 2**53, -(2**70), 1.5) * 2]
    assert all(re.fullmatch("[0-9a-f]{12}", name) for name in own)
    assert len(set(own)) == len(own)


def reader_gone() -> TextIO:
    reader, writer = os.pipe()
    os.close(reader)
    return os.fdopen(writer, "w", buffering=1)


def closed() -> TextIO:
    file = io.StringIO()
    file.close()
    return file


UNREAD: dict[str, Callable[[], TextIO | None]] = {
    "its reader is gone": reader_gone,
    "it is closed": closed,
    "it is full": lambda: Path("/dev/full").open("w", buffering=1),  # noqa: SIM115  closed below
    "there is none": lambda: None,
}


@pytest.mark.parametrize("make", UNREAD.values(), ids=UNREAD)
async def test_no_request_fails_because_nobody_reads_the_log(
    make: Callable[[], TextIO | None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stderr = make()
    with contextlib.redirect_stderr(stderr):
        made = Service(load(environ={"DATA_DIR": str(tmp_path), "GOSSAMER_LOG__LEVEL": "info"}, config=None))
        made.tools |= {one.name: one for one in (crash, limited)}
        told = [(await made.call(name, {}, progress=no_progress)).text for name in ("limited", "crash", "limited")]
        LogBridge(made.log).emit(record("nobody hears this"))
        await made.close()
    assert [text.split(":")[0] for text in told] == ["rate_limited", "error", "rate_limited"]
    assert capsys.readouterr() == ("", "")
    if stderr is not None:
        with contextlib.suppress(OSError):
            stderr.close()


def record(text: str, *arguments: object) -> logging.LogRecord:
    return logging.LogRecord("gossamer", logging.WARNING, __file__, 1, text, arguments, None)


def test_a_part_whose_words_do_not_fit_together_is_not_stopped_by_the_log(capsys: pytest.CaptureFixture[str]) -> None:
    bridge = LogBridge(EventLog("warning"))
    bridge.emit(record("%d pages", "many"))
    bridge.emit(record("%d pages", 7))
    assert [json.loads(line)["message"] for line in capsys.readouterr().err.splitlines()] == ["7 pages"]


@pytest.mark.promise("000.13", "000.59")
def test_a_query_hash_tells_equal_queries_and_nothing_else() -> None:
    assert query_hash(SECRET) == query_hash(SECRET) != query_hash(SECRET + "!")
    assert len(query_hash(SECRET)) == 16


async def test_a_failure_carries_its_next_step_and_seconds(service: Service) -> None:
    told = await service.call("limited", {}, progress=no_progress)
    assert told.text == "rate_limited: The site is limiting our requests. Try again in 7 s."
    error = told.meta["gossamer/error"]
    assert (error["code"], error["retryable"], error["retry_after_s"]) == ("rate_limited", True, 7)
    assert told.meta["gossamer/note"] == ["a note"]


async def test_a_call_that_does_not_end_is_ended_and_reports_progress_meanwhile(service: Service) -> None:
    heard: list[tuple[float, str]] = []

    async def progress(done: float, total: float | None, message: str) -> None:
        heard.append((done, message))

    told = await service.call("wait", {}, progress=progress)
    assert told.text.startswith("timeout: wait did not finish within 3 s.")
    assert [done for done, _ in heard] == sorted({done for done, _ in heard})
    assert len(heard) >= 2
    assert heard[0][1] == "still working"


async def test_cancelling_a_call_tells_its_threads(service: Service) -> None:
    while not CALLS.empty():
        CALLS.get_nowait()
    running = asyncio.create_task(service.call("wait", {}, progress=no_progress))
    call = await CALLS.get()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert call.cancelled.is_set()


STARTED = """
import sys
from gossamer.server.service import Service
from gossamer.settings.load import load
Service(load())
print("structlog" in sys.modules)
"""


@pytest.mark.parametrize(("level", "is_ready"), [("info", "True"), ("warning", "False")])
def test_what_every_request_writes_with_is_loaded_before_the_first(level: str, is_ready: str, tmp_path: Path) -> None:
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "GOSSAMER_LOG__LEVEL": level}
    done = subprocess.run([sys.executable, "-c", STARTED], env=environ, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == is_ready


async def test_an_event_below_the_level_is_not_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    quiet = Service(load(environ={"DATA_DIR": str(tmp_path)}, config=None))
    quiet.tools["limited"] = limited
    await quiet.call("limited", {}, progress=no_progress)
    await quiet.close()
    assert capsys.readouterr().err == ""


@contextlib.contextmanager
def locked(service: Service) -> Any:
    """Somebody else writes to the library: whoever opens it has to wait."""
    lock = FileLock(Files(service.settings.data_dir / "store.sqlite").lock)
    try:
        with lock:
            yield
    finally:
        lock.close()


async def test_an_engine_opens_although_somebody_else_writes_to_the_library(service: Service) -> None:
    with locked(service):
        assert await asyncio.wait_for(service.open(), LONG_S) is await service.open()
        told = await asyncio.wait_for(service.call("limited", {}, progress=no_progress), LONG_S)
        assert told.text.startswith("rate_limited")


async def test_a_library_that_is_still_being_opened_can_be_closed(service: Service) -> None:
    engine = await service.open()
    with locked(service):
        looking = asyncio.create_task(engine.library.look())
        done, _ = await asyncio.wait({looking}, timeout=0.3)
        assert not done
        await asyncio.wait_for(service.close(), LONG_S)
        with pytest.raises(StoreUnavailable, match="closed"):
            await looking


async def test_a_library_that_cannot_be_opened_keeps_no_call_from_its_answer(service: Service, tmp_path: Path) -> None:
    (tmp_path / "store.sqlite").mkdir()
    told = await asyncio.gather(*(service.call("limited", {}, progress=no_progress) for _ in range(2)))
    assert all(one.text.startswith("rate_limited") for one in told)
    with pytest.raises(StoreUnavailable, match="set DATA_DIR"):
        await (await service.open()).library.look()


async def test_a_slow_look_at_kept_pages_holds_no_call_up(service: Service) -> None:
    await (await service.open()).library.look()
    await service.close()
    other = Service(load(environ={"DATA_DIR": str(service.settings.data_dir)}, config=None))
    other.tools["limited"] = limited
    async with other.library() as library:
        assert library.store is not None
        told = await asyncio.wait_for(other.call("limited", {}, progress=no_progress), LONG_S)
    assert told.text.startswith("rate_limited")
    await other.close()


async def test_the_key_of_cursors_is_one_before_and_after_the_engine_opened(service: Service) -> None:
    before = service.cursor_key()
    assert (await service.open()).cursor_key == before == service.cursor_key()
