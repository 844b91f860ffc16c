"""The worker processes as they really run: started, fed, stopped, killed."""

import ast
import asyncio
import contextlib
import io
import math
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from gossamer import worker
from gossamer.errors import BrokenDocument, Busy, ContentError, Denied, InvalidArgument, Outcome, TimedOut, TooComplex
from gossamer.extractors.html.pipeline import SIMPLER
from gossamer.extractors.workers import frames
from gossamer.extractors.workers.pool import QUICK_S, WorkerPool
from gossamer.extractors.workers.worker_process import PAGES_PER_WORKER, environment
from gossamer.model.http import HttpReply
from gossamer.model.page import View
from gossamer.ports import Call
from tests.documents import WORD, archive

MAIN = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes the Linux way")
PATIENCE_S = 60.0
PROSE = "The keeper said that the lamps had burned all night, that the sea was calm and that nobody had come."
PAGE = f"<title>Lamps</title><article><h1>Lamps</h1><p>{PROSE}</p><p>東京の灯台</p></article>"


class RealClock:
    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()


def call(seconds: float = PATIENCE_S) -> Call:
    return Call(clock=RealClock(), deadline=time.monotonic() + seconds)


def html(body: str | bytes, content_type: str = "text/html; charset=utf-8") -> HttpReply:
    raw = body.encode() if isinstance(body, str) else body
    return HttpReply(status=200, url="https://a.example/", headers={"content-type": content_type}, body=raw)


def new_pool(*, size: int = 2, cpu_s: int = 10, quick_s: float = PATIENCE_S) -> WorkerPool:
    """Pages may take as long as a busy machine needs; a test of slow ones says what is slow."""
    return WorkerPool(clock=RealClock(), size=size, cpu_s=cpu_s, quick_s=quick_s)


@pytest.fixture
async def pool() -> AsyncIterator[WorkerPool]:
    pool = new_pool()
    yield pool
    await pool.close()


@pytest.fixture
async def hasty() -> AsyncIterator[WorkerPool]:
    """A pool in which a page gives way after half a second."""
    pool = new_pool(quick_s=QUICK_S)
    yield pool
    await pool.close()


async def warm(pool: WorkerPool) -> int:
    """Have one worker running and idle; return its process id."""
    await pool.extract(html(PAGE), View(), call())
    (pid,) = pool.pids
    return pid


async def some_turns() -> None:
    """Let the tasks that were started reach their first wait."""
    for _ in range(10):
        await asyncio.sleep(0)


async def until(is_so: Callable[[], bool]) -> None:
    """Look again and again at what tells nobody when it changes."""
    async with asyncio.timeout(PATIENCE_S):
        while not is_so():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


def has_ended(pid: int, *, within_s: float = PATIENCE_S) -> bool:
    """Wait for a process that need not be our child."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        poller = select.poll()
        poller.register(handle, select.POLLIN)
        return bool(poller.poll(within_s * 1000))
    finally:
        os.close(handle)


def children() -> set[str]:
    """The processes that we have started, in whatever thread, and that have not been waited for."""
    return {pid for path in Path("/proc/self/task").glob("*/children") for pid in path.read_text().split()}


@pytest.mark.promise("002.161")
async def test_a_page_is_read_in_another_process(pool: WorkerPool) -> None:
    asked = call()
    result = await pool.extract(html(PAGE.encode("cp932", "replace"), "text/html; charset=Shift_JIS"), View(), asked)
    assert result.text == f"# Lamps\n\n{PROSE}\n\n東京の灯台"
    assert os.getpid() not in pool.pids
    assert [(part.name, part.outcome) for part in asked.log.parts] == [("extract", Outcome.OK)]


async def test_a_worker_is_started_by_the_first_page_and_stays_warm_for_the_next(pool: WorkerPool) -> None:
    assert pool.pids == ()
    first = await warm(pool)
    assert await warm(pool) == first


async def test_errors_are_raised_as_what_they_are_and_the_worker_lives_on(pool: WorkerPool) -> None:
    pid = await warm(pool)
    with pytest.raises(Denied, match="login"):
        await pool.extract(html("<title>Sign in</title><form><input type=password></form>"), View(), call())
    asked = call()
    with pytest.raises(InvalidArgument):
        await pool.extract(html(PAGE), View(selector="p["), asked)
    assert asked.log.parts[0].outcome is Outcome.INVALID
    assert pool.pids == (pid,)


async def test_ten_mebibytes_go_in_and_come_out(pool: WorkerPool) -> None:
    body = (b"word " * 2 * 1024 * 1024 + b"x" * 100)[: 10 * 1024 * 1024]
    result = await pool.extract(html(body, "text/plain"), View(), call())
    assert result.text == body.decode().rstrip()


async def test_two_pages_at_once_use_two_workers_and_more_wait(pool: WorkerPool) -> None:
    results = await asyncio.gather(*(pool.extract(html(PAGE), View(), call()) for _ in range(8)))
    assert all(PROSE in result.text for result in results)
    assert len(pool.pids) == 2


async def test_a_worker_is_replaced_after_its_share_of_pages(pool: WorkerPool) -> None:
    pid = await warm(pool)
    for _ in range(PAGES_PER_WORKER - 1):
        await pool.extract(html("words", "text/plain"), View(), call())
    assert pid not in pool.pids
    assert await warm(pool) != pid


async def test_a_call_without_a_deadline_is_read(pool: WorkerPool) -> None:
    asked = Call(clock=RealClock(), deadline=math.inf)
    assert (await pool.extract(html(PAGE), View(), asked)).title == "Lamps"


async def test_a_page_past_its_deadline_times_out_and_its_worker_is_replaced(pool: WorkerPool) -> None:
    pid = await warm(pool)
    os.kill(pid, signal.SIGSTOP)
    with pytest.raises(TimedOut):
        await pool.extract(html(PAGE), View(), call(0.2))
    assert await warm(pool) != pid


@LINUX
async def test_a_page_whose_worker_gets_no_time_is_read_by_another() -> None:
    pool = new_pool(cpu_s=4)
    await pool.extract(html("words", "text/plain"), View(), call())
    pid = pool.pids[0]
    os.kill(pid, signal.SIGSTOP)
    assert PROSE in (await pool.extract(html(PAGE), View(), call())).text
    assert pid not in pool.pids
    await pool.close()


@LINUX
async def test_a_page_that_no_worker_has_time_for_may_be_read_another_time() -> None:
    pool = new_pool(cpu_s=1)
    task = asyncio.create_task(pool.extract(html(PAGE), View(), call()))
    stopped: set[int] = set()
    while not task.done():
        for pid in set(pool.pids) - stopped:
            os.kill(pid, signal.SIGSTOP)
            stopped.add(pid)
        await asyncio.wait({task}, timeout=0.01)
    with pytest.raises(TimedOut, match="busy"):
        await task
    await pool.close()


@LINUX
async def test_cancelling_ends_the_worker_that_is_busy(pool: WorkerPool) -> None:
    pid = await warm(pool)
    os.kill(pid, signal.SIGSTOP)
    task = asyncio.create_task(pool.extract(html(PAGE), View(), call()))
    await some_turns()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await warm(pool) != pid
    assert await asyncio.to_thread(has_ended, pid)


async def test_a_page_whose_worker_is_killed_is_read_by_another(pool: WorkerPool) -> None:
    pid = await warm(pool)
    os.kill(pid, signal.SIGSTOP)
    task = asyncio.create_task(pool.extract(html(PAGE), View(), call()))
    await some_turns()
    os.kill(pid, signal.SIGKILL)
    assert PROSE in (await task).text
    assert pid not in pool.pids


async def test_a_page_that_loses_two_workers_is_given_up(pool: WorkerPool) -> None:
    task = asyncio.create_task(pool.extract(html(PAGE), View(), call()))
    while not task.done():
        for pid in pool.pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        await some_turns()
    with pytest.raises(TooComplex):
        await task
    assert PROSE in (await pool.extract(html(PAGE), View(), call())).text


async def test_an_idle_worker_that_died_is_replaced_unnoticed(pool: WorkerPool) -> None:
    pid = await warm(pool)
    os.kill(pid, signal.SIGKILL)
    assert await warm(pool) != pid


@LINUX
async def test_of_an_archive_that_fills_memory_no_beginning_is_read() -> None:
    """The first part of an archive would look like a damaged one."""
    part = "<w:p><w:r><w:t>word</w:t></w:r></w:p>"
    text = f'<w:document xmlns:w="{MAIN}"><w:body>{part * 250_000}</w:body></w:document>'
    body = archive({"word/document.xml": text}, packed=False)
    pool = WorkerPool(clock=RealClock(), memory_mb=20)
    try:
        with pytest.raises(TooComplex, match="memory"):
            await pool.extract(html(body, WORD), View(), call())
    finally:
        await pool.close()


@LINUX
async def test_closing_ends_idle_and_busy_workers(pool: WorkerPool) -> None:
    await asyncio.gather(*(pool.extract(html(PAGE), View(), call()) for _ in range(2)))
    pids = pool.pids
    os.kill(pids[1], signal.SIGSTOP)
    task = asyncio.create_task(pool.extract(html(PAGE), View(), call()))
    await some_turns()
    await pool.close()
    with pytest.raises(ContentError):
        await task
    with pytest.raises(ContentError, match="closing"):
        await pool.extract(html(PAGE), View(), call())
    assert all([await asyncio.to_thread(has_ended, pid) for pid in pids])


@LINUX
async def test_a_page_that_takes_long_gives_its_place_to_others(hasty: WorkerPool) -> None:
    """Both places are taken by pages that hang: one goes on in the slow lane, the other is stopped and waits there."""
    await asyncio.gather(*(hasty.extract(html(PAGE), View(), call()) for _ in range(2)))
    for pid in hasty.pids:
        os.kill(pid, signal.SIGSTOP)
    stuck = [asyncio.create_task(hasty.extract(html(PAGE), View(), call())) for _ in range(2)]
    await some_turns()
    results = await asyncio.gather(*(hasty.extract(html(PAGE), View(), call()) for _ in range(8)))
    assert all(PROSE in result.text for result in results)
    assert not all(task.done() for task in stuck)
    assert len(hasty.pids) <= 4
    for task in stuck:
        task.cancel()
    await asyncio.gather(*stuck, return_exceptions=True)


@LINUX
async def test_a_slowed_worker_reads_no_further_page() -> None:
    pool = new_pool(size=1, quick_s=QUICK_S)
    pid = await warm(pool)
    os.kill(pid, signal.SIGSTOP)
    priority = os.getpriority(os.PRIO_PROCESS, pid)
    tasks = [asyncio.create_task(pool.extract(html(PAGE), View(), call())) for _ in range(2)]
    await until(lambda: len(pool.pids) == 2)
    assert os.getpriority(os.PRIO_PROCESS, pid) == max(priority, 15), "it was slowed before another was started"
    os.kill(pid, signal.SIGCONT)
    assert all(PROSE in result.text for result in await asyncio.gather(*tasks))
    assert pid not in pool.pids
    await pool.close()


@LINUX
async def test_large_pages_that_wait_are_bounded_and_small_ones_still_come(hasty: WorkerPool) -> None:
    await asyncio.gather(*(hasty.extract(html(PAGE), View(), call()) for _ in range(2)))
    for pid in hasty.pids:
        os.kill(pid, signal.SIGSTOP)
    large = html(b"words " * (10 * 2**20 // 6), "text/plain")
    waiting = [asyncio.create_task(hasty.extract(large, View(), call(5))) for _ in range(12)]
    await some_turns()
    with pytest.raises(Busy, match="Too many large pages"):
        await hasty.extract(large, View(), call())
    assert PROSE in (await hasty.extract(html(PAGE), View(), call())).text
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    assert len((await hasty.extract(large, View(), call(10 * PATIENCE_S))).text) > 2**20


async def test_a_worker_is_ready_before_the_first_page_when_it_is_asked_for(pool: WorkerPool) -> None:
    pool.warm()
    pool.warm()
    await until(lambda: bool(pool.pids))
    (pid,) = pool.pids
    assert await warm(pool) == pid


async def test_a_pool_may_close_while_its_first_worker_starts(pool: WorkerPool) -> None:
    pool.warm()
    await some_turns()
    await pool.close()
    assert pool.pids == ()


@LINUX
async def test_closing_ends_a_worker_that_is_being_started_for_a_page(pool: WorkerPool) -> None:
    before = children()
    task = asyncio.create_task(pool.extract(html(PAGE), View(), call()))
    while children() == before:  # noqa: ASYNC110
        await asyncio.sleep(0)
    assert pool.pids == ()
    await pool.close()
    assert children() == before
    with pytest.raises(ContentError, match="closing"):
        await task


@LINUX
async def test_a_worker_that_had_to_be_ended_is_replaced_without_being_asked(pool: WorkerPool) -> None:
    pid = await warm(pool)
    os.kill(pid, signal.SIGSTOP)
    with pytest.raises(TimedOut):
        await pool.extract(html(PAGE), View(), call(0.1))
    await until(lambda: bool(set(pool.pids) - {pid}))
    assert pid not in pool.pids


@LINUX
async def test_a_worker_that_a_page_filled_has_left_before_its_successor_starts(pool: WorkerPool) -> None:
    others = children()
    await warm(pool)
    task = asyncio.create_task(pool.extract(html("<p>" + "word " * 2_000_000), View(), call()))
    seen: set[frozenset[str]] = set()
    while not task.done():
        seen.add(frozenset(children() - others))
        await asyncio.sleep(0)
    assert "too large to be read whole" in task.result().message
    assert len(frozenset[str]().union(*seen)) == 2
    assert max(map(len, seen)) == 1


@LINUX
async def test_beside_a_page_that_takes_long_a_successor_is_started_for_those_who_wait() -> None:
    pool = new_pool(size=1, quick_s=QUICK_S)
    pid = await warm(pool)
    os.kill(pid, signal.SIGSTOP)
    stuck, waiting = (asyncio.create_task(pool.extract(html(PAGE), View(), call())) for _ in range(2))
    await until(lambda: len(pool.pids) == 2)
    (spare,) = set(pool.pids) - {pid}
    assert PROSE in (await waiting).text
    os.kill(pid, signal.SIGKILL)
    assert PROSE in (await stuck).text
    assert pool.pids == (spare,)
    await pool.close()


@LINUX
async def test_an_idle_worker_that_is_killed_is_replaced_without_being_asked(pool: WorkerPool) -> None:
    pid = await warm(pool)
    os.kill(pid, signal.SIGKILL)
    await until(lambda: len(pool.pids) == 1 and pid not in pool.pids)


@LINUX
async def test_of_the_workers_that_nobody_needs_any_more_few_stay(hasty: WorkerPool) -> None:
    """Two hang, and others pass them by; when all are done, no more are left than places."""
    await asyncio.gather(*(hasty.extract(html(PAGE), View(), call()) for _ in range(2)))
    for pid in hasty.pids:
        os.kill(pid, signal.SIGSTOP)
    stuck = [asyncio.create_task(hasty.extract(html(PAGE), View(), call(2))) for _ in range(2)]
    await asyncio.gather(*(hasty.extract(html(PAGE), View(), call()) for _ in range(4)), *stuck, return_exceptions=True)
    await asyncio.gather(*(hasty.extract(html(PAGE), View(), call()) for _ in range(3)))
    await until(lambda: len(hasty.pids) <= 3)


@LINUX
async def test_a_page_that_breaks_its_worker_is_read_by_simpler_rules_in_another(pool: WorkerPool) -> None:
    pid = await warm(pool)
    os.kill(pid, signal.SIGSTOP)
    task = asyncio.create_task(pool.extract(html(PAGE), View(), call()))
    await some_turns()
    os.kill(pid, signal.SIGSEGV)
    os.kill(pid, signal.SIGCONT)
    result = await task
    assert PROSE in result.text
    assert SIMPLER in result.message
    assert pid not in pool.pids


SERVER = """
import asyncio, sys, time
from gossamer.extractors.workers.pool import WorkerPool
from gossamer.model.http import HttpReply
from gossamer.model.page import View
from gossamer.ports import Call

class RealClock:
    now, monotonic = staticmethod(time.time), staticmethod(time.monotonic)

async def main():
    pool = WorkerPool(clock=RealClock())
    page = HttpReply(status=200, url="https://a.example/", headers={"content-type": "text/plain"}, body=b"words")
    await asyncio.gather(*(pool.extract(page, View(), Call(clock=RealClock())) for _ in range(2)))
    print(*pool.pids, flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


@LINUX
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_workers_end_with_their_server_however_it_ended(how: signal.Signals) -> None:
    with subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        pids = [int(pid) for pid in server.stdout.readline().split()]
        assert len(pids) == 2
        os.kill(pids[0], signal.SIGSTOP)
        server.send_signal(how)
        server.wait(10)
        assert all(has_ended(pid) for pid in pids)


@pytest.mark.promise("002.161", "004.77")
@LINUX
async def test_a_worker_sees_nothing_of_the_servers_environment(
    pool: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    pid = await warm(pool)
    environment = await asyncio.to_thread(Path(f"/proc/{pid}/environ").read_bytes)
    assert b"sk-secret" not in environment
    names = {entry.partition(b"=")[0].decode() for entry in environment.split(b"\0") if entry}
    assert names == {"OMP_NUM_THREADS", "PYTHONPATH", "PYTHONUTF8"}


async def test_a_worker_that_cannot_be_started_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")
    pool = new_pool()
    with pytest.raises(ContentError, match="could not be started"):
        await pool.extract(html(PAGE), View(), call())
    await pool.close()


NOISY = """
import os, sys
from gossamer import worker
source, sink = worker.take_over_stdio()
print("printed")
os.write(1, b"written")
os.system("echo shouted")
sys.stdin.read()
sink.write(b"answer:" + source.read())
sink.flush()
"""


def test_whatever_prints_in_a_worker_never_reaches_the_protocol() -> None:
    done = subprocess.run([sys.executable, "-c", NOISY], input=b"question", capture_output=True, timeout=60, check=True)
    assert done.stdout == b"answer:question"
    assert {b"printed", b"shouted"} <= set(done.stderr.replace(b"written", b"").split())


def test_a_worker_ends_when_its_input_does() -> None:
    header = frames.request("text/plain", "https://a.example/", View())
    command = [sys.executable, "-m", "gossamer.worker", "200", "10"]
    whole = frames.pack(header, b"words") + b"words"
    done = subprocess.run(command, env=environment(), input=whole, capture_output=True, timeout=60, check=True)
    said = io.BytesIO(done.stdout)
    assert frames.read_frame(said) == ({"ready": True, "missing": {}}, b"")
    answer = frames.read_frame(said)
    assert answer is not None
    assert answer[1] == b"words"
    assert said.read() == b""


def test_a_worker_answers_what_it_cannot_understand_and_then_ends() -> None:
    whole = frames.pack(frames.request("text/plain", "https://a.example/", View()), b"words") + b"words"
    command = [sys.executable, "-m", "gossamer.worker", "200", "10"]
    given = frames.pack({}, b"") + whole
    done = subprocess.run(command, env=environment(), input=given, capture_output=True, timeout=60, check=True)
    said = io.BytesIO(done.stdout)
    assert frames.read_frame(said) == ({"ready": True, "missing": {}}, b"")
    answer = frames.read_frame(said)
    assert answer is not None
    with pytest.raises(BrokenDocument):
        frames.result_of(answer[0], "")
    assert said.read() == b""


def test_the_worker_module_itself_needs_the_standard_library_alone() -> None:
    tree = ast.parse(Path(worker.__file__).read_text())
    imported = {alias.name for node in tree.body if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module or "" for node in tree.body if isinstance(node, ast.ImportFrom)}
    assert {name.partition(".")[0] for name in imported} <= sys.stdlib_module_names
