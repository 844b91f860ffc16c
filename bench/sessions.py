"""Many sessions for minutes: `python bench/sessions.py [--sessions 1000] [--seconds 120] [--every 5] [--bare]`.

Each session has a connection and a user of its own, half of them in each protocol era, and makes a trivial call (an
echo) every few seconds. Calls are due by a schedule that waits for nobody, and latency counts from the moment a call
was due, so a server that falls behind shows. The server runs with default settings and is started with room for fewer
files than there are sessions: it must raise its limit itself. Memory is flat when the last quarter of the run takes at
most a twentieth more than the first one after the warm-up. `--bare` measures the bare SDK instead, without logins.
The last line is one JSON object of the numbers; the exit code is 1 when a call failed or memory grew.
"""

import argparse
import asyncio
import json
import re
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))  # so that it also runs as a script by its path

from bench._gauge import PROC, cpu_ms, machine, resident_mb  # noqa: E402
from bench._http import free_port  # noqa: E402
from bench._wire import ERAS, INITIALIZED, VERSIONS, Era, Failed, Message, calling, opening  # noqa: E402

from gossamer.server.http.token_file import new_token  # noqa: E402

FEW_FILES = 256
SAMPLE_S = 5.0
WARM_UP = 1 / 6
FLAT = 1.05
REPLY_TIMEOUT_S = 30.0
START_TIMEOUT_S = 60.0
OPENING_AT_ONCE = 32


@dataclass
class Tally:
    """What came of all calls."""

    latencies_ms: list[float] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)


class Session:
    """One client: its era, its login, its connection."""

    def __init__(self, number: int, port: int, era: Era, token: str | None) -> None:
        self._number = number
        self._port = port
        self._era: Era = era
        login = f"Authorization: Bearer {token}\r\n" if token else ""
        self._head = (
            f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
            f"Accept: application/json, text/event-stream\r\n{login}"
        )

    async def open(self) -> None:
        """Connect and greet the server as the era does."""
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        await self._ask(opening(self._era))
        if self._era == "2025":
            await self._ask(INITIALIZED)

    async def keep_calling(self, first_due: float, every_s: float, until: float, tally: Tally) -> None:
        """Make a call whenever one is due, as soon as the one before is done."""
        due, number = first_due, 1
        while due < until:
            await asyncio.sleep(due - time.monotonic())
            number += 1
            try:
                async with asyncio.timeout(REPLY_TIMEOUT_S):
                    await self._echo(number)
                tally.latencies_ms.append((time.monotonic() - due) * 1000)
            except (Failed, OSError, EOFError, TimeoutError, ValueError) as error:
                tally.errors[f"{type(error).__name__}: {error}"[:200]] += 1
                self.close()
                with suppress(Failed, OSError, EOFError):
                    await self.open()
            due += every_s

    def close(self) -> None:
        """Hang up."""
        self._writer.close()

    async def _echo(self, number: int) -> None:
        word = f"session {self._number} call {number}"
        body = await self._ask(calling(self._era, number, "echo", text=word))
        if f'"{word}"'.encode() not in body or b'"isError":true' in body:
            raise Failed(f"the echo was {body[:200]!r}")

    async def _ask(self, message: Message) -> bytes:
        head = self._head
        if message["method"] != "initialize":
            head += f"MCP-Protocol-Version: {VERSIONS[self._era]}\r\n"
        if self._era == "2026":
            head += f"Mcp-Method: {message['method']}\r\n"
            if name := message["params"].get("name"):
                head += f"Mcp-Name: {name}\r\n"
        body = json.dumps(message).encode()
        self._writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        reply = (await self._reader.readuntil(b"\r\n\r\n")).lower()
        if b"transfer-encoding: chunked" in reply:
            got = b""
            while size := int(await self._reader.readline(), 16):
                got += (await self._reader.readexactly(size + 2))[:-2]
            await self._reader.readline()
        else:
            found = re.search(rb"content-length: (\d+)", reply)
            got = await self._reader.readexactly(int(found[1])) if found else b""
        if not reply.startswith((b"http/1.1 200", b"http/1.1 202")):
            raise Failed(f"the server answered {reply[:12]!r} {got[:200]!r}")
        return got


@contextmanager
def serving(home: Path, *, is_bare: bool, tokens: int) -> Iterator[tuple[int, int, list[str | None]]]:
    """The server in a process of its own: its id, its port and a login per session."""
    port = free_port()
    logins: list[str | None] = [None] * tokens
    if is_bare:
        command = [sys.executable, str(ROOT / "bench" / "_bare_sdk.py"), str(port)]
    else:
        command = [sys.executable, "-m", "gossamer.testing.conformance", "--http", f"127.0.0.1:{port}"]
        file = home / "data" / "tokens.json"
        logins = [new_token(file, f"user{number}", now=time.time())[0] for number in range(tokens)]
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    log = home / "server.log"
    # The child takes over our limit; the bare server would not raise it.
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard if is_bare else FEW_FILES, hard))
    with log.open("wb") as told:
        process = subprocess.Popen(
            command,
            env={"PATH": "/usr/bin:/bin", "HOME": str(home), "DATA_DIR": str(home / "data")},
            stdout=told,
            stderr=told,
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    try:
        _wait_for(port, process, log)
        yield process.pid, port, logins
    finally:
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if said := log.read_text(errors="replace").splitlines()[1:]:
            print("The server said:", *said[-5:], sep="\n  ")


def _wait_for(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < until and process.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.05)
    raise Failed(f"the server did not start: {log.read_text(errors='replace')[-500:]}")


def files_of(pid: int) -> int:
    """How many files a process may have open."""
    found = re.search(r"^Max open files\s+(\d+)", (PROC / str(pid) / "limits").read_text(), re.MULTILINE)
    return int(found[1]) if found else 0


async def load(options: argparse.Namespace, pid: int, port: int, logins: list[str | None]) -> dict[str, object]:
    """Open all sessions, let them call for the time given, and say what was seen."""
    sessions = [Session(number, port, ERAS[number % 2], login) for number, login in enumerate(logins)]
    began = time.monotonic()
    few = asyncio.Semaphore(OPENING_AT_ONCE)

    async def open_one(session: Session) -> None:
        async with few:
            await session.open()

    await asyncio.gather(*map(open_one, sessions))
    print(f"{len(sessions)} sessions open after {time.monotonic() - began:.1f} s", flush=True)

    tally = Tally()
    resident: list[float] = []
    cpu_before, start = cpu_ms([pid]), time.monotonic() + 0.5
    until = start + options.seconds

    async def watch() -> None:
        while (now := time.monotonic()) < until:
            await asyncio.sleep(min(SAMPLE_S, until - now))
            resident.append(resident_mb(pid))

    phases = (start + options.every * number / len(sessions) for number in range(len(sessions)))
    calling_all = (s.keep_calling(due, options.every, until, tally) for s, due in zip(sessions, phases, strict=True))
    await asyncio.gather(watch(), *calling_all)
    spent_ms = cpu_ms([pid]) - cpu_before
    for session in sessions:
        session.close()
    for error, count in tally.errors.most_common(5):
        print(f"  {count} x {error}")
    return {**seen(tally, resident, spent_ms), "max_files": files_of(pid), "max_files_at_start": FEW_FILES}


def seen(tally: Tally, resident: list[float], spent_ms: float) -> dict[str, object]:
    """The numbers of a run."""
    warm = resident[int(len(resident) * WARM_UP) :]
    quarter = max(1, len(warm) // 4)
    first, last = statistics.mean(warm[:quarter]), statistics.mean(warm[-quarter:])
    ranked = sorted(tally.latencies_ms)

    def below(share: float) -> float | None:
        return round(ranked[min(len(ranked) - 1, int(share * len(ranked)))], 1) if ranked else None

    return {
        "calls": len(ranked) + tally.errors.total(),
        "errors": tally.errors.total(),
        "p50_ms": below(0.5),
        "p95_ms": below(0.95),
        "p99_ms": below(0.99),
        "max_ms": below(1.0),
        "cpu_ms_per_call": round(spent_ms / max(1, len(ranked)), 2),
        "rss_first_mb": round(first, 1),
        "rss_last_mb": round(last, 1),
        "rss_most_mb": round(max(resident), 1),
        "is_flat": last <= first * FLAT,
    }


def main() -> None:
    """Run, print the numbers, and end with 1 when a promise was broken."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=1_000, help="how many (1000)")
    parser.add_argument("--seconds", type=float, default=120, help="for how long (120)")
    parser.add_argument("--every", type=float, default=5, help="seconds between two calls of a session (5)")
    parser.add_argument("--bare", action="store_true", help="measure the bare SDK instead, without logins")
    options = parser.parse_args()
    print(machine(), flush=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder), is_bare=options.bare, tokens=options.sessions) as (pid, port, logins),
    ):
        numbers = asyncio.run(load(options, pid, port, logins))
    server = "bare SDK" if options.bare else "gossamer"
    told = {"server": server, "sessions": options.sessions, "seconds": options.seconds, "every_s": options.every}
    print(json.dumps({**told, **numbers}))
    if numbers["errors"] or not numbers["is_flat"]:
        sys.exit(1)


if __name__ == "__main__":
    main()
