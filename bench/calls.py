"""What a call costs beyond its work, next to the bare SDK: `python -m bench.calls [--rounds 8] [--calls 640]`.

The call is an echo, over stdio and over HTTP, in both protocol eras. Over HTTP both servers may stream: of the 2025 era
every reply is a stream of events, of the 2026 era only one with something to say before it. Ours passes all of the
product's gate, service and log: over HTTP with a token, the per-user limits (raised, so that they count and do not
refuse) and the metrics, which is checked. CPU is that of the server's processes. Rounds go A B, A B on servers that
stay; the first is thrown away; values are medians of rounds.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from bench import _peers as peers
from bench._gauge import machine, usage_of
from bench._http import Callers, HttpServer, free_port
from bench._report import Target, ratio, table
from bench._wire import ERAS, Era, Failed, Pipe, calling

from tests.components import Missing

AT_ONCE = 64
TEXT = "hello from caller 0"
MOST = {"stdio": 0.6, "HTTP": 1.4}
"""Over HTTP the bare SDK parses with httptools; ours with h11, which is memory safe and costs more."""
RAISED = {"GOSSAMER_LIMITS__REQUESTS": "1000000/60", "GOSSAMER_LIMITS__IN_FLIGHT": "1000"}
COMMAND_TIMEOUT_S = 60
BARE_SDK = Path(__file__).parent / "_bare_sdk.py"
"""Over HTTP it runs in the environment of the developers, which has httptools: the fastest server it can be."""

Round = tuple[float, float]
"""CPU ms per call, and calls per second."""
Work = Callable[[int], None]
"""Makes this many calls of a server."""


def one_at_a_time(pipe: Pipe, era: Era) -> Work:
    """Each call waits for the reply to the one before."""

    def work(calls: int) -> None:
        for number in range(calls):
            check(pipe.ask(calling(era, number, "echo", text=TEXT)))

    return work


def outstanding(pipe: Pipe, era: Era) -> Work:
    """As many calls under way as there may be, at any time."""

    def work(calls: int) -> None:
        to_send = iter([calling(era, number, "echo", text=TEXT) for number in range(calls)])
        waiting = set(range(calls))
        pipe.send(*islice(to_send, AT_ONCE))
        while waiting:
            replies = pipe.receive()
            for reply in replies:
                waiting.remove(reply["id"])
                check(reply.get("result", {}))
            pipe.send(*islice(to_send, len(replies)))

    return work


def check(result: dict) -> None:
    """Whether a reply is the echo of what was sent."""
    if result.get("isError") or result.get("content", [{}])[0].get("text") != TEXT:
        raise Failed(f"the echo was {result}")


def measure(pid: int, work: Work, calls: int) -> Round:
    """One round on one server."""
    before, began = usage_of(pid).cpu_ms, time.perf_counter()
    work(calls)
    wall_s, spent_ms = time.perf_counter() - began, usage_of(pid).cpu_ms - before
    return spent_ms / calls, calls / wall_s


def alternate(servers: dict[str, tuple[int, Work]], rounds: int, calls: int) -> dict[str, Round]:
    """Rounds by turns; the medians of each server."""
    found: dict[str, list[Round]] = defaultdict(list)
    for number in range(rounds + 1):
        for name, (pid, work) in servers.items():
            one = measure(pid, work, calls)
            if number:
                found[name].append(one)
    return {name: tuple(map(statistics.median, zip(*all_, strict=True))) for name, all_ in found.items()}


Measured = dict[tuple[str, Era], dict[str, Round]]
"""By mode and era, then by server."""


def over_stdio(home: Path, rounds: int, calls: int) -> Measured:
    """Both servers on pipes; a pipe speaks one era for life."""
    ours = peers.our_folder() / "python", "-m", "gossamer.testing.conformance", "--stdio"
    measured: Measured = {}
    for era in ERAS:
        environment = peers.environment(home)
        with Pipe(peers.bare_sdk().command, environment) as bare, Pipe([*map(str, ours)], environment) as own:
            pipes = {"bare SDK": bare, "gossamer": own}
            for pipe in pipes.values():
                pipe.open(era)
            for mode, way in (("one at a time", one_at_a_time), (f"{AT_ONCE} outstanding", outstanding)):
                servers = {name: (pipe.process.pid, way(pipe, era)) for name, pipe in pipes.items()}
                measured[f"stdio, {mode}", era] = alternate(servers, rounds, calls)
    return measured


def over_http(home: Path, rounds: int, calls: int) -> Measured:
    """Both servers on ports; they speak both eras."""
    environment = peers.environment(home, **RAISED)
    python, port = str(peers.our_folder() / "python"), free_port()
    token = new_token(environment)
    ours = [python, "-m", "gossamer.testing.conformance", "--http", f"127.0.0.1:{port}"]
    bare_port = free_port()
    measured: Measured = {}
    with (
        HttpServer((sys.executable, str(BARE_SDK), str(bare_port)), environment, bare_port, home) as bare,
        HttpServer(ours, environment, port, home) as own,
    ):
        check_guarded(port)
        for era in ERAS:
            with callers(bare_port, era) as theirs, callers(port, era, token) as ourselves:
                if theirs.is_streamed is not ourselves.is_streamed:
                    raise Failed("one server answers with a stream of events and the other does not")
                servers = {
                    "bare SDK": (bare.process.pid, lambda calls, each=theirs: each.run(calls // AT_ONCE)),
                    "gossamer": (own.process.pid, lambda calls, each=ourselves: each.run(calls // AT_ONCE)),
                }
                measured[f"HTTP, {AT_ONCE} callers", era] = alternate(servers, rounds, calls)
        check_counted(port, token, at_least=len(ERAS) * rounds * calls)
    return measured


@contextmanager
def callers(port: int, era: Era, token: str | None = None) -> Iterator[Callers]:
    """Callers with their connections open."""
    made = Callers(port, era, AT_ONCE, token)
    try:
        yield made
    finally:
        made.close()


def new_token(environment: dict[str, str]) -> str:
    """A token as an operator makes one."""
    command = [str(peers.our_folder() / "gossamer"), "token", "new", "bench"]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=COMMAND_TIMEOUT_S, check=False
    )
    if done.returncode:
        raise Failed(f"no token could be made: {done.stderr.strip()}")
    return done.stdout.strip()


def check_guarded(port: int) -> None:
    """Whether nobody comes in without a token."""
    request = Request(f"http://127.0.0.1:{port}/mcp", b"{}", {"Content-Type": "application/json"})
    try:
        urlopen(request, timeout=COMMAND_TIMEOUT_S).close()
    except HTTPError as error:
        error.close()
        if error.code == 401:
            return
    raise Failed("the server lets callers in without a token")


def check_counted(port: int, token: str, *, at_least: int) -> None:
    """Whether the metrics have counted the calls."""
    request = Request(f"http://127.0.0.1:{port}/metrics", headers={"Authorization": f"Bearer {token}"})
    with urlopen(request, timeout=COMMAND_TIMEOUT_S) as reply:
        lines = reply.read().decode().splitlines()
    counts = [float(line.split()[-1]) for line in lines if line.startswith("gossamer_") and 'tool="echo"' in line]
    if max(counts, default=0) < at_least:
        raise Failed(f"the metrics counted {counts} of {at_least} calls")


def show(measured: Measured) -> None:
    """Print the table and the verdicts."""
    head = ["an echo", "bare SDK, CPU ms", "gossamer, CPU ms", "ratio", "bare SDK, calls/s", "gossamer, calls/s"]
    rows, targets = [], []
    for (mode, era), servers in measured.items():
        (cpu, speed), (our_cpu, our_speed) = servers["bare SDK"], servers["gossamer"]
        times = ratio(our_cpu, cpu)
        rows.append(
            [f"{mode}, {era} era", f"{cpu:.3f}", f"{our_cpu:.3f}", f"{times:.2f}", f"{speed:.0f}", f"{our_speed:.0f}"]
        )
        targets.append(
            Target(name=f"{mode}, {era} era: CPU, of the bare SDK", value=times, most=MOST[mode.split(",")[0]])
        )
    print(table(head, rows) + "\n")
    for target in targets:
        print(target.line())


def main() -> None:
    """Measure and report; the exit code is 1 only when something could not be measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=8, help="rounds of each (default 8)")
    parser.add_argument(
        "--calls", type=int, default=640, help=f"calls per round, a multiple of {AT_ONCE} (default 640)"
    )
    options = parser.parse_args()
    print(machine())
    print(peers.versions() + "\n")
    measured: Measured = {}
    missing: list[str] = []
    for way in (over_stdio, over_http):
        with tempfile.TemporaryDirectory() as folder:
            try:
                measured |= way(Path(folder), options.rounds, options.calls)
            except (Failed, Missing) as error:
                missing.append(f"missing: {way.__name__}: {error}")
    show(measured)
    if missing:
        print("\n".join(missing))
        sys.exit(1)


if __name__ == "__main__":
    main()
