"""The sandbox's rules, judged without a kernel: the filter is run by hand, the numbers are those of its headers."""

import ast
import errno
import os
import re
import signal
import struct
import sys
from pathlib import Path

import pytest

from gossamer import extractors, steps
from gossamer.extractors.workers.sandbox import PARTS, missing_of
from gossamer.extractors.workers.sandbox.landlock import PACKAGES, attributes, code_paths
from gossamer.extractors.workers.sandbox.seccomp import NUMBERS, filter_program

PID = 4711
MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
I386 = 0x40000003
X32 = 0x40000000
ALLOWED, KILLED = 0x7FFF0000, 0x80000000
NOT_PERMITTED, NO_SUCH_CALL = 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS


def verdict(machine: str, number: int, *arguments: int, architecture: int | None = None) -> int:
    """What the filter says to a call: the few instructions of the kernel's machine that it is made of."""
    data = struct.pack("=IIQ6Q", number, architecture or MACHINES[machine], 0, *arguments, *[0] * (6 - len(arguments)))
    program = list(struct.iter_unpack("=HBBI", filter_program(machine, PID)))
    value = place = 0
    while True:
        code, if_true, if_false, operand = program[place]
        place += 1
        match code:
            case 0x20:
                (value,) = struct.unpack_from("=I", data, operand)
            case 0x54:
                value &= operand
            case 0x15:
                place += if_true if value == operand else if_false
            case 0x35:
                place += if_true if value >= operand else if_false
            case _:
                assert code == 0x06
                return operand


def number_of(machine: str, name: str) -> int | None:
    return NUMBERS[name][list(MACHINES).index(machine)]


@pytest.mark.parametrize("machine", MACHINES)
def test_a_call_that_is_not_listed_is_refused(machine: str) -> None:
    listed = {number_of(machine, name) for name in NUMBERS}
    for number in set(range(700)) - listed:
        assert verdict(machine, number) in (NOT_PERMITTED, NO_SUCH_CALL), number
        assert verdict(machine, number | X32) == NO_SUCH_CALL


@pytest.mark.parametrize("machine", MACHINES)
def test_calls_by_the_rules_of_another_architecture_end_the_process(machine: str) -> None:
    assert verdict(machine, 0, architecture=I386) == KILLED


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    ("name", "arguments", "is_allowed"),
    [
        ("read", (0, 0, 100), True),
        ("openat", (0, 0, os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY), True),
        ("openat", (0, 0, os.O_WRONLY), False),
        ("openat", (0, 0, os.O_RDWR), False),
        ("openat", (0, 0, os.O_RDONLY | os.O_CREAT), False),
        ("openat", (0, 0, os.O_RDONLY | os.O_TRUNC), False),
        ("open", (0, os.O_RDONLY), True),
        ("open", (0, os.O_WRONLY), False),
        ("clone", (0x3D0F00,), True),
        ("clone", (signal.SIGCHLD,), False),
        ("clone", (0x4100 | signal.SIGCHLD,), False),
        ("tgkill", (PID, PID, signal.SIGABRT), True),
        ("tgkill", (1, 1, signal.SIGKILL), False),
        ("prlimit64", (0, 0), True),
        ("prlimit64", (1, 0), False),
        ("fcntl", (0, 3), True),
        ("fcntl", (0, 8, 1), False),
        ("fcntl", (0, 1024), False),
        ("ioctl", (0, 0x5401), True),
        ("ioctl", (0, 0x5412), False),
    ],
)
def test_what_some_calls_are_asked_for_decides(
    machine: str, name: str, arguments: tuple[int, ...], is_allowed: bool
) -> None:
    number = number_of(machine, name)
    if number is not None:
        assert verdict(machine, number, *arguments) == (ALLOWED if is_allowed else NOT_PERMITTED)


@pytest.mark.parametrize(
    ("machine", "header"),
    [
        ("x86_64", "/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
        ("aarch64", "/usr/include/asm-generic/unistd.h"),
    ],
)
def test_the_numbers_are_those_of_the_kernels_headers(machine: str, header: str) -> None:
    if not Path(header).exists():
        pytest.skip(f"no {header}")
    text = Path(header).read_text()
    defined = dict(re.findall(r"^#define\s+(__NR\w+)\s+(\w+)", text, re.MULTILINE))
    for name in NUMBERS:
        number = number_of(machine, name)
        found = defined.get(f"__NR_{name}", "")
        if number is not None:
            assert int(defined.get(found, found)) == number, name


@pytest.mark.parametrize(
    ("version", "words"),
    [
        (1, (0x1FFF,)),
        (2, (0x3FFF,)),
        (3, (0x7FFF,)),
        (4, (0x7FFF, 3)),
        (5, (0xFFFF, 3)),
        (6, (0xFFFF, 3, 3)),
        (7, (0xFFFF, 3, 3)),
        (99, (0xFFFF, 3, 3)),
    ],
)
def test_landlock_takes_away_all_that_its_version_knows(version: int, words: tuple[int, ...]) -> None:
    assert struct.unpack(f"={len(words)}Q", attributes(version)) == words


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or "").partition(".")[0])
    return names


def test_every_package_that_readers_import_may_be_read() -> None:
    names = {name for path in Path(extractors.__path__[0]).rglob("*.py") for name in imported(path)}
    assert names - sys.stdlib_module_names <= set(PACKAGES)


def test_only_folders_of_code_may_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A script's own folder stands in the import path, and so does that of a source tree."""
    (tmp_path / "site-packages").mkdir()
    monkeypatch.setattr(sys, "path", [*sys.path, "", str(tmp_path), str(tmp_path / "site-packages")])
    paths = {os.path.realpath(path) for path in code_paths()}
    assert str(tmp_path / "site-packages") in paths
    own = Path(steps.__file__).resolve().parent.parent
    assert str(own) in paths
    closed = {tmp_path, Path.cwd(), Path.home(), Path(sys.prefix).resolve(), Path("/"), Path("/etc"), Path("/usr")}
    if own.parent.name != "site-packages":
        closed.add(own.parent)
    assert not {str(path) for path in closed} & paths


@pytest.mark.parametrize(
    ("told", "missing"),
    [
        ({}, {}),
        (None, {}),
        ("landlock", {}),
        ({"landlock": "why", "others": "no part of ours"}, {"landlock": "why"}),
        ({"seccomp": "x" * 1000}, {"seccomp": "x" * 200}),
        ({"limits": 7}, {"limits": "7"}),
    ],
)
def test_of_what_a_worker_says_only_our_words_are_taken(told: object, missing: dict[str, str]) -> None:
    assert missing_of(told) == missing
    assert set(missing) <= set(PARTS)
