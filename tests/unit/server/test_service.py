"""Tools bound to an engine: failures are told, bugs are hidden and logged, progress never stops."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from gossamer.contracts.contract import Reply, tool
from gossamer.engine import Engine
from gossamer.errors import RateLimited
from gossamer.ports import Call, no_progress
from gossamer.server.log import query_hash
from gossamer.server.service import Service
from gossamer.settings.load import load

SECRET = "tell nobody about this query"


@tool(title="Crash", timeout=lambda _: 5.0, needs=frozenset())
async def crash(engine: Engine, call: Call, query: str = "") -> Reply[None]:
    """Fail as no tool should."""
    raise RuntimeError(f"the inside of {query}")


@tool(title="Wait", timeout=lambda _: 0.3, needs=frozenset())
async def wait(engine: Engine, call: Call) -> Reply[None]:
    """Never end."""
    CALLS.put_nowait(call)
    await asyncio.Event().wait()
    raise AssertionError


@tool(title="Limited", timeout=lambda _: 5.0, needs=frozenset())
async def limited(engine: Engine, call: Call) -> Reply[None]:
    """Be told to wait."""
    call.note("a note")
    raise RateLimited("The site", retry_after_s=7)


CALLS: asyncio.Queue[Call] = asyncio.Queue()


@pytest.fixture
async def service(tmp_path: Path) -> Any:
    environ = {"DATA_DIR": str(tmp_path), "GOSSAMER_LOG__LEVEL": "info"}
    made = Service(load(environ=environ, config=None), beat_s=0.05)
    made.tools |= {one.name: one for one in (crash, wait, limited)}
    yield made
    await made.close()


async def test_a_bug_is_told_in_one_sentence_and_logged_without_its_text(
    service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    told = await service.call("crash", {"query": SECRET}, progress=no_progress)
    assert told.is_error
    assert told.text == "error: Gossamer failed on this call. Try other arguments, and report it."
    bug, request = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert (bug["event"], bug["kind"], bug["tool"]) == ("bug", "RuntimeError", "crash")
    assert SECRET not in json.dumps([bug, request])


async def test_the_event_of_a_request_has_its_fields_and_no_words_of_it(
    service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    await service.call("limited", {}, request="r1", progress=no_progress)
    (event,) = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert set(event) == {"ts", "level", "event", "request", "tool", "outcome", "ms", "parts", "query_hash"}
    assert (event["request"], event["tool"], event["outcome"]) == ("r1", "limited", "rate_limited")


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
    assert told.text.startswith("timeout: wait did not finish within 0.3 s.")
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


async def test_an_event_below_the_level_is_not_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    quiet = Service(load(environ={"DATA_DIR": str(tmp_path)}, config=None))
    quiet.tools["limited"] = limited
    await quiet.call("limited", {}, progress=no_progress)
    await quiet.close()
    assert capsys.readouterr().err == ""
