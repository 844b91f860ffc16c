"""How soon a client has our tools, and what that costs, next to others: `python -m bench.start [--rounds 12]`.

Every server is started anew, greeted and asked for its tools; wall time counts from before the process exists, CPU and
memory are those of all its processes when the reply arrives. Where a first call is measured it is sent at once after
that reply. Rounds go A B C, A B C; the first, which warms the page cache, is thrown away; values are medians.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench import _peers as peers
from bench._gauge import machine, usage_of
from bench._report import Target, ratio, table
from bench._wire import ERAS, Era, Failed, Pipe, calling, request

from gossamer.demo.web import MiniWeb
from tests.components import Missing

PYTHON, SDK = "python -c pass", "bare SDK"
OURS: dict[str, Era] = {f"gossamer, {era} era": era for era in ERAS}
PAGE_ROUNDS = 5
PAGE = "/gazette/storm-idris"

Sample = dict[str, float]
"""What one start measured, by column."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Subject:
    """A server, how it is greeted, and the call it gets first."""

    find: Callable[[], peers.Program]
    era: Era = "2025"
    call: tuple[str, dict[str, Any]] | None = None
    is_refused: bool = False
    """The call is one that the server has to refuse: the shortest way through all of it."""


SERVERS = {
    SDK: Subject(find=peers.bare_sdk, call=("echo", {"text": "hello"})),
    "mcp-server-fetch": Subject(find=peers.fetch_server),
    peers.NODE_PEER: Subject(find=peers.node_server),
    **{
        name: Subject(find=peers.gossamer, era=era, call=("web_fetch", {}), is_refused=True)
        for name, era in OURS.items()
    },
}
PEERS = ("mcp-server-fetch", peers.NODE_PEER)


@dataclass(frozen=True, kw_only=True)
class Run:
    """What was measured, and what could not be."""

    samples: dict[str, list[Sample]] = field(default_factory=lambda: defaultdict(list))
    missing: dict[str, str] = field(default_factory=dict)

    def median(self, name: str, column: str) -> float | None:
        """The median of a column, where it was measured."""
        values = [sample[column] for sample in self.samples.get(name, []) if column in sample]
        return statistics.median(values) if values else None

    def take(self, name: str, measure: Callable[..., Sample], *arguments: object, is_kept: bool) -> None:
        """Measure once; what fails once is not asked again."""
        if name in self.missing:
            return
        try:
            sample = measure(*arguments)
        except (Failed, Missing) as error:
            self.missing[name] = str(error)
            return
        if is_kept:
            self.samples[name].append(sample)


def start_python(home: Path) -> Sample:
    """The interpreter alone, from start to exit."""
    command = peers.bare_python().command
    began = time.perf_counter()
    process = subprocess.Popen(command, env=peers.environment(home))
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    wall_ms = (time.perf_counter() - began) * 1000
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise Failed(f"Python ended with {process.returncode}")
    return {"wall": wall_ms, "cpu": (used.ru_utime + used.ru_stime) * 1000}


def start_server(subject: Subject, home: Path) -> Sample:
    """A server from its start to its tools, and to the reply to its first call."""
    program = subject.find()
    with Pipe(program.command, peers.environment(home, **program.environment)) as pipe:
        sample = list_tools(pipe, subject.era)
        if subject.call:
            name, arguments = subject.call
            result = pipe.ask(calling(subject.era, 3, name, **arguments))
            sample |= {"call wall": pipe.since_start_ms(), "call cpu": usage_of(pipe.process.pid).cpu_ms}
            if bool(result.get("isError")) is not subject.is_refused:
                raise Failed(f"the first call gave {result}")
    return sample


def list_tools(pipe: Pipe, era: Era) -> Sample:
    """Greet, ask for the tools, and look at the clock the moment they are there."""
    pipe.open(era)
    result = pipe.ask(request(era, 2, "tools/list"))
    wall_ms, used = pipe.since_start_ms(), usage_of(pipe.process.pid)
    if not result["tools"]:
        raise Failed("the server lists no tools")
    return {"wall": wall_ms, "cpu": used.cpu_ms, "rss": used.tree_mb}


def read_page(era: Era, home: Path, web: MiniWeb) -> Sample:
    """Our first real calls: a page fetched at once after the start, then read; and the memory that takes."""
    settings = {
        "SEARXNG_URL": web.url,
        "GOSSAMER_SEARCH__PROVIDERS": "searxng,library",
        "GOSSAMER_NET__ALLOW_PRIVATE": web.host,
    }
    url = web.url + PAGE
    with Pipe(peers.gossamer().command, peers.environment(home, **settings)) as pipe:
        list_tools(pipe, era)
        fetched = pipe.ask(calling(era, 3, "web_fetch", url=url))
        sample = {"fetch wall": pipe.since_start_ms(), "fetch cpu": usage_of(pipe.process.pid).cpu_ms}
        began = time.perf_counter()
        read = pipe.ask(calling(era, 4, "web_read", urls=[url], queries=["How strong was the wind?"]))
        used = usage_of(pipe.process.pid)
        sample |= {"read wall": (time.perf_counter() - began) * 1000, "own": used.own_mb, "all": used.tree_mb}
    for result in (fetched, read):
        if result.get("isError"):
            raise Failed(f"a page of the mini web gave {result['content']}")
    return sample


def measure(rounds: int) -> Run:
    """All of it, round by round."""
    run = Run()
    for number in range(rounds + 1):
        with tempfile.TemporaryDirectory() as folder:
            run.take(PYTHON, start_python, Path(folder), is_kept=number > 0)
            for name, subject in SERVERS.items():
                run.take(name, start_server, subject, Path(folder), is_kept=number > 0)
    with MiniWeb() as web:
        for number in range(min(rounds, PAGE_ROUNDS) + 1):
            for name, era in OURS.items():
                with tempfile.TemporaryDirectory() as folder:
                    run.take(f"{name}, a page", read_page, era, Path(folder), web, is_kept=number > 0)
    return run


def targets(run: Run) -> list[Target]:
    """What was promised, for each era."""
    known = [cpu for peer in PEERS if (cpu := run.median(peer, "cpu")) is not None]
    best = min(known) if len(known) == len(PEERS) else None
    judged: list[Target] = []
    for name in OURS:
        cpu, page = run.median(name, "cpu"), f"{name}, a page"
        first = {kind: ratio(run.median(name, f"call {kind}"), run.median(SDK, kind)) for kind in ("cpu", "wall")}
        judged += [
            Target(
                name=f"{name}: CPU to the tools, of bare Python", value=ratio(cpu, run.median(PYTHON, "cpu")), most=2
            ),
            Target(name=f"{name}: CPU to the tools, of the best peer", value=ratio(cpu, best), most=0.15),
            Target(name=f"{name}: CPU to the first reply, of the SDK's start", value=first["cpu"], most=1.1),
            Target(name=f"{name}: wall to the first reply, of the SDK's start", value=first["wall"], most=1.1),
            Target(name=f"{name}: memory at the tools", value=run.median(name, "rss"), most=20, unit=" MB"),
            Target(name=f"{name}: server after a first read", value=run.median(page, "own"), most=160, unit=" MB"),
            Target(name=f"{name}: all processes after it", value=run.median(page, "all"), most=300, unit=" MB"),
        ]
    return judged


def show(run: Run) -> None:
    """Print the tables and the verdicts."""

    def row(name: str, *columns: str) -> list[str]:
        values = [run.median(name, column) for column in columns]
        return [
            name,
            *("" if value is None else f"{value:.0f}" if value >= 100 else f"{value:.1f}" for value in values),
        ]

    head = ["to the tools", "wall ms", "CPU ms", "RSS MB", "x bare Python"]
    rows = []
    for name in (PYTHON, *SERVERS):
        times = ratio(run.median(name, "cpu"), run.median(PYTHON, "cpu"))
        rows.append([*row(name, "wall", "cpu", "rss"), f"{times:.2f}" if times else ""])
    print(table(head, rows))
    head = ["to the reply of a first call", "wall ms", "CPU ms", "x the SDK's start, wall", "CPU"]
    rows = []
    for name in (SDK, *OURS):
        times = [ratio(run.median(name, f"call {kind}"), run.median(SDK, kind)) for kind in ("wall", "cpu")]
        rows.append([*row(name, "call wall", "call cpu"), *(f"{each:.2f}" if each else "" for each in times)])
    print("\n" + table(head, rows))
    head = ["a page at once", "to its text, wall ms", "CPU ms", "then read, wall ms", "server MB", "all MB"]
    print("\n" + table(head, [row(f"{name}, a page", *PAGE_COLUMNS) for name in OURS]) + "\n")
    for target in targets(run):
        print(target.line())
    for name, reason in run.missing.items():
        print(f"missing: {name}: {reason}")


PAGE_COLUMNS = ("fetch wall", "fetch cpu", "read wall", "own", "all")


def main() -> None:
    """Measure and report; the exit code is 1 only when something could not be measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=12, help="starts of each (default 12)")
    options = parser.parse_args()
    print(machine())
    print(peers.versions() + "\n")
    run = measure(options.rounds)
    show(run)
    if run.missing:
        sys.exit(1)


if __name__ == "__main__":
    main()
