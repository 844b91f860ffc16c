"""A server has a worker ready before anybody asks for a page, and none outlives it."""

import asyncio
import gc
import os
import signal
import sys
import time
from pathlib import Path

import pytest

from gossamer.extractors.workers.worker_process import WorkerProcess
from tests.patience import LONG_S
from tests.real.processes import environment_for, open_wire

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes the Linux way")


def workers_of(pid: int) -> list[int]:
    children = [
        int(child) for task in Path(f"/proc/{pid}/task").glob("*/children") for child in task.read_text().split()
    ]
    return [child for child in children if b"gossamer.worker" in Path(f"/proc/{child}/cmdline").read_bytes()]


def wait_for_worker(pid: int) -> int:
    until = time.monotonic() + LONG_S
    while not (found := workers_of(pid)):
        assert time.monotonic() < until, "no worker was started"
        time.sleep(0.02)
    return found[0]


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_worker_starts_with_the_first_call_though_no_page_was_had_and_ends_with_the_server(tmp_path: Path) -> None:
    with open_wire(environment_for("http://127.0.0.1:1", "localhost:1", tmp_path)) as wire:
        wire.handshake()
        told = wire.call("web_fetch", url="http://10.0.0.1/")
        assert told["_meta"]["gossamer/outcome"] == "refused"
        worker = wait_for_worker(wire.process.pid)
        os.kill(wire.process.pid, signal.SIGKILL)
        wire.process.wait(LONG_S)
        until = time.monotonic() + LONG_S
        while is_alive(worker):
            assert time.monotonic() < until, "the worker outlived its server"
            time.sleep(0.02)


async def test_a_worker_that_is_ended_while_it_is_told_something_leaves_no_complaint_behind() -> None:
    complaints: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, told: complaints.append(told))
    worker = await WorkerProcess.start(memory_mb=160, cpu_s=10)
    await worker.ready()
    os.kill(worker.pid, signal.SIGSTOP)
    asking = asyncio.create_task(worker.ask({}, b"x" * 2**22))
    await asyncio.wait([asking], timeout=0.2)
    asking.cancel()
    await asyncio.wait([asking])
    worker.kill()
    await worker.gone()
    del worker, asking
    for _ in range(100):  # turns of the loop, in which its pipes are closed
        await asyncio.sleep(0)
    gc.collect()
    assert complaints == []
