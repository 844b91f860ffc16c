"""A page that has taken the parser over finds no key, no store, no network and no program."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from gossamer.extractors.workers import frames
from gossamer.extractors.workers.frames import Header
from gossamer.extractors.workers.worker_process import environment
from gossamer.model.page import View
from tests.documents import WORD, pdf, word
from tests.hostile.holed_worker import HOLE
from tests.hostile.sandbox_attempts import ATTEMPTS, code_of
from tests.real.processes import environment_for, open_wire

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is the Linux kernel's")
UNPRIVILEGED = (sys.executable, "-m", "tests.unprivileged")
KEY = "sk-the-key-of-the-operator"
_READ_SEARCH = 1 << 2
_LIMITS = {
    "Max core file size": "0",
    "Max file size": "0",
    "Max processes": "0",
    "Max open files": "64",
    "Max cpu time": "60",
}


@dataclass(frozen=True)
class World:
    """What there is to be had: a server with a key, its settings, its store, and somebody who listens."""

    folder: Path
    server: int
    port: int


class Worker:
    """A worker process, asked frame by frame."""

    def __init__(self, *command: str, cwd: Path | None = None) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-P", *command],
            env=environment() | ({"PYTHONPATH": os.pathsep.join([*sys.path, str(cwd / "scripts")])} if cwd else {}),
            cwd=cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.greeting = self._read()[0]

    def _read(self) -> tuple[Header, bytes]:
        assert self.process.stdout is not None
        frame = frames.read_frame(self.process.stdout)
        assert frame is not None, f"the worker ended with {self.process.wait()}"
        return frame

    def ask(self, content_type: str, body: bytes) -> tuple[Header, bytes]:
        assert self.process.stdin is not None
        self.process.stdin.write(frames.pack(frames.request(content_type, "https://a.example/", View()), body) + body)
        self.process.stdin.flush()
        return self._read()

    def run(self, code: str) -> Header:
        return self.ask(HOLE, code.encode())[0]


@contextlib.contextmanager
def started(*command: str, cwd: Path | None = None) -> Iterator[Worker]:
    worker = Worker(*command, cwd=cwd)
    try:
        yield worker
    finally:
        worker.process.kill()
        worker.process.communicate()


HOLED = (str(Path(__file__).with_name("holed_worker.py")), "200")


def holed(world: World, *more: str) -> contextlib.AbstractContextManager[Worker]:
    return started(*HOLED, "10", *more, cwd=world.folder)


@contextlib.contextmanager
def world_in(folder: Path) -> Iterator[World]:
    (folder / "gossamer.toml").write_text(f'[providers.brave]\napi_key = "{KEY}"\n')
    (folder / "data").mkdir()
    (folder / "data" / "library.sqlite").write_bytes(b"pages")
    (folder / "scripts").mkdir()
    (folder / "scripts" / ".env").write_text(f"BRAVE_API_KEY={KEY}\n")
    (folder / "link").symlink_to(folder / "data")
    with contextlib.ExitStack() as stack:
        tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        port = tcp.getsockname()[1]
        udp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        udp.bind(("127.0.0.1", port))
        for address in (str(folder / "door"), f"\0gossamer-{port}"):
            door = stack.enter_context(socket.socket(socket.AF_UNIX))
            door.bind(address)
            door.listen()
        waiting = [*UNPRIVILEGED, sys.executable, "-c", "import sys; print(flush=True); sys.stdin.read()"]
        server = stack.enter_context(
            subprocess.Popen(
                waiting,
                env={**os.environ, "GOSSAMER_PROVIDERS__BRAVE__API_KEY": KEY},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
        )
        assert server.stdout is not None
        server.stdout.readline()
        yield World(folder=folder, server=server.pid, port=port)
        server.kill()


def attempt(code: str, world: World) -> str:
    return code_of(code, folder=str(world.folder), server=world.server, port=world.port)


@pytest.fixture(scope="module")
def confined(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Worker, World]]:
    """One worker for all attempts: as long as each is refused, none is in the way of another."""
    with world_in(tmp_path_factory.mktemp("operator")) as world, holed(world) as worker:
        yield worker, world


@pytest.mark.promise("002.161")
@pytest.mark.parametrize("name", ATTEMPTS)
def test_an_attempt_is_refused_in_a_parser(name: str, confined: tuple[Worker, World]) -> None:
    worker, world = confined
    reply = worker.run(attempt(ATTEMPTS[name], world))
    assert "refused" in reply, f"it got {str(reply)[:200]!r}"
    assert KEY not in str(reply)


@pytest.mark.parametrize("name", ATTEMPTS)
def test_an_attempt_succeeds_in_a_process_that_is_not_confined(name: str, tmp_path: Path) -> None:
    """Else the table would prove nothing."""
    with world_in(tmp_path) as world, holed(world, "open") as worker:
        reply = worker.run(attempt(ATTEMPTS[name], world))
    assert "done" in reply, reply


def test_no_key_is_in_the_memory_of_a_parser(confined: tuple[Worker, World]) -> None:
    worker, _ = confined
    with Path(f"/proc/{worker.process.pid}/environ").open("rb") as file:
        names = {entry.partition(b"=")[0].decode() for entry in file.read().split(b"\0") if entry}
    assert names == {"OMP_NUM_THREADS", "PYTHONPATH", "PYTHONUTF8"}


@pytest.mark.parametrize(
    "code",
    [
        "import lxml.html, numpy, pypdfium2, zipfile, csv, charset_normalizer, cssselect, idna, encodings.cp932",
        "import threading\nthread = threading.Thread(target=print)\nthread.start()\nthread.join()",
        "import os, time\nos.urandom(8), time.localtime(), time.sleep(0), os.getcwd(), os.stat('/')",
    ],
)
def test_what_readers_need_still_works_in_a_parser(code: str, confined: tuple[Worker, World]) -> None:
    if "thread" in code and os.getuid():
        pytest.skip("only the superuser's threads are not counted")
    worker, _ = confined
    assert "done" in (reply := worker.run(code)), reply


def test_an_attempt_of_another_architecture_ends_the_parser(tmp_path: Path) -> None:
    """The numbers of the 32-bit calls are others: `int 0x80` would pass by a filter that does not look."""
    if os.uname().machine != "x86_64":
        pytest.skip("the code is that of x86-64")
    # mov eax, 20 (getpid); int 0x80; ret
    code = (
        "import ctypes, mmap\nplace = mmap.mmap(-1, 4096, prot=7)\nplace.write(b'\\xb8\\x14\\0\\0\\0\\xcd\\x80\\xc3')\n"
        "ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(place)))()"
    )
    ended = pytest.raises(AssertionError, match=f"ended with {-signal.SIGSYS}")
    with world_in(tmp_path) as world, holed(world) as worker, ended:
        worker.run(code)


def test_a_live_worker_is_confined_as_it_says() -> None:
    with started("-m", "gossamer.worker", "200", "10") as worker:
        assert worker.greeting == {"ready": True, "missing": {}}
        place = Path(f"/proc/{worker.process.pid}")
        status = dict(line.split(":\t", 1) for line in (place / "status").read_text().splitlines())
        assert {name: status[name] for name in ("NoNewPrivs", "Seccomp", "Threads")} == {
            "NoNewPrivs": "1",
            "Seccomp": "2",
            "Threads": "1",
        }
        assert int(status["CapEff"], 16) & ~_READ_SEARCH == 0
        assert int(status["CapPrm"], 16) & ~_READ_SEARCH == 0
        limits = [line[26:].split()[:2] for line in (place / "limits").read_text().splitlines()[1:]]
        names = [line[:26].strip() for line in (place / "limits").read_text().splitlines()[1:]]
        both = dict(zip(names, limits, strict=True))
        for name, most in _LIMITS.items():
            assert both[name] == [most, most], name
        assert both["Max address space"][0] == both["Max address space"][1] != "unlimited"
        links = {int(link.name): str(link.readlink()).partition(":")[0] for link in (place / "fd").iterdir()}
        assert links == {0: "/dev/null", 1: "/dev/null", 2: "/dev/null", 3: "pipe", 4: "pipe"}


@pytest.mark.parametrize("lacking", [["landlock"], ["seccomp"], ["landlock", "seccomp"]])
def test_a_worker_goes_on_without_what_the_kernel_lacks_and_says_so(lacking: list[str]) -> None:
    command = ["-m", "tests.lacking_kernel", *lacking, "--", sys.executable, "-P", "-m", "gossamer.worker", "200", "10"]
    with started(*command) as worker:
        assert worker.greeting["missing"] == dict.fromkeys(lacking, "the kernel answers: Function not implemented")
        assert worker.ask("text/plain", b"words")[1] == b"words"


def test_a_parser_that_ignores_the_limit_of_a_page_is_ended_at_that_of_its_life() -> None:
    forever = "import signal\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass"
    with started(*HOLED, "1") as worker, pytest.raises(AssertionError, match=f"ended with {-signal.SIGKILL}"):
        worker.run(forever)


def test_a_worker_ends_by_itself_before_the_time_of_its_life_runs_out_in_a_page() -> None:
    busy = "import time\nend = time.process_time() + 0.5\nwhile time.process_time() < end: pass"
    with started(*HOLED, "1") as worker:
        while not (reply := worker.run(busy)).get("last"):
            assert "done" in reply
        assert worker.process.wait() == 0


POOL = """
import asyncio, time
from gossamer.extractors.workers.pool import WorkerPool
from gossamer.model.http import HttpReply
from gossamer.model.page import View
from gossamer.ports import Call

class Clock:
    now, monotonic = staticmethod(time.time), staticmethod(time.monotonic)

async def main():
    pool = WorkerPool(clock=Clock())
    page = HttpReply(status=200, url="https://a.example/", headers={"content-type": "text/plain"}, body=b"words")
    for _ in range(2):
        await asyncio.gather(*(pool.extract(page, View(), Call(clock=Clock())) for _ in range(2)))
    print(sorted(pool.missing))
    await pool.close()

asyncio.run(main())
"""


@pytest.mark.parametrize("lacking", [[], ["landlock"]])
def test_the_log_says_once_what_the_kernel_lacks(lacking: list[str]) -> None:
    command = [sys.executable, "-m", "tests.lacking_kernel", *lacking, "--", sys.executable, "-c", POOL]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"{lacking}\n"
    assert done.stderr.count("not confined in full (landlock: ") == len(lacking)
    assert len(done.stderr.splitlines()) == len(lacking)


def test_a_worker_reads_every_kind_of_page_when_it_is_confined(tmp_path: Path) -> None:
    pages = {
        "text/html": b"<title>A</title><article><p>" + b"The keeper lit the lamp. " * 20 + b"</p></article>",
        "application/pdf": pdf(lambda canvas: canvas.drawString(72, 720, "The keeper lit the lamp.")),
        WORD: word(lambda document: document.add_paragraph("The keeper lit the lamp.")),
        "text/csv": b"a,b\nkeeper,lamp\n",
        "text/html; charset=Shift_JIS": "<p>The keeper lit the lamp. 東京の灯台</p>".encode("cp932"),
    }
    with started("-m", "gossamer.worker", "200", "10", cwd=tmp_path) as worker:
        for kind, body in pages.items():
            header, text = worker.ask(kind, body)
            assert b"keeper" in text, (kind, header)


PROBE = """
import sys
print(sys.argv[2] in open(f"/proc/{sys.argv[1]}/environ").read())
"""


def sees_key(pid: int) -> bool:
    """Whether another process of this user, without the superuser's rights, finds the key in the environment."""
    command = [*UNPRIVILEGED, sys.executable, "-c", PROBE, str(pid), KEY]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout or "PermissionError" in done.stderr, done.stderr
    return done.stdout == "True\n"


def test_the_environment_of_a_server_that_parses_is_closed_to_its_own_user(tmp_path: Path) -> None:
    with world_in(tmp_path) as world:
        assert sees_key(world.server)
    environment = {**environment_for("http://127.0.0.1:1", "localhost:1", tmp_path), "BRAVE_API_KEY": KEY}
    with open_wire(environment, [*UNPRIVILEGED, sys.executable, "-m", "gossamer"]) as wire:
        wire.handshake()
        wire.call("web_fetch", url="http://10.0.0.1/")
        assert not sees_key(wire.process.pid)


def test_the_environment_of_a_command_that_parses_is_closed_too(tmp_path: Path) -> None:
    environment = {**environment_for("http://127.0.0.1:1", "localhost:1", tmp_path), "BRAVE_API_KEY": KEY}
    command = [*UNPRIVILEGED, sys.executable, "-m", "gossamer", "extract", "--jsonl"]
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        (tmp_path / "page.txt").write_text("words")
        process.stdin.write(b'{"id": "1", "path": "%s"}\n' % str(tmp_path / "page.txt").encode())
        process.stdin.flush()
        assert b"words" in process.stdout.readline()
        assert not sees_key(process.pid)
        process.stdin.close()
