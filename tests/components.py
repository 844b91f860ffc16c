"""Real components that tests start: each is found or built once under .cache/components/, and kept.

A component that cannot be had skips the tests that name it, with its reason; where components are required (in CI,
or with REQUIRE_COMPONENTS=1), those in REQUIRED fail them instead.
"""

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).parents[1]
HOME = ROOT / ".cache" / "components"
REQUIRED = frozenset({"searxng"})
BUILD_TIMEOUT_S = 600
ASKED: dict[str, str] = {}
"""What was found out about each component in this run."""


class Missing(Exception):
    """Why a component cannot be had on this machine."""


def is_required(name: str) -> bool:
    """Whether its absence is a failure here."""
    must = os.environ.get("REQUIRE_COMPONENTS") == "1" or os.environ.get("CI", "").lower() == "true"
    return must and name in REQUIRED


def trouble(name: str) -> str:
    """Why a component cannot be had, or nothing; found out once per run."""
    if name not in ASKED:
        try:
            find(name)
        except Missing as error:
            ASKED[name] = f"{name}: {error}"
        else:
            ASKED[name] = ""
    return ASKED[name]


def find(name: str) -> Path:
    """The program of a component, built first when it is not there yet."""
    if name not in COMPONENTS:
        raise Missing(f"there is no recipe for it; those known are {', '.join(COMPONENTS)}")
    return COMPONENTS[name]()


def environment_of(name: str, home: Path = HOME) -> Path:
    """The Python of an environment made from requirements/<name>.txt; made anew when that file changes."""
    pins = ROOT / "requirements" / f"{name}.txt"
    if not pins.is_file():
        raise Missing(f"{pins.relative_to(ROOT)} is missing")
    stamp = sha256(f"{sys.version} {sys.prefix} ".encode() + pins.read_bytes()).hexdigest()
    folder, python = home / name, home / name / "bin" / "python"
    home.mkdir(parents=True, exist_ok=True)
    with (home / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        kept = folder / "stamp"
        if kept.is_file() and kept.read_text() == stamp and python.exists():
            return python
        shutil.rmtree(folder, ignore_errors=True)
        _run([sys.executable, "-m", "venv", str(folder)])
        _run([str(python), "-m", "pip", "install", "-q", "--only-binary=:all:", "--require-hashes", "-r", str(pins)])
        kept.write_text(stamp)
    return python


COMPONENTS: dict[str, Callable[[], Path]] = {"searxng": lambda: environment_of("searxng")}


def _run(command: list[str]) -> None:
    """Run a step of a build; pip compiles what it installs, so that the first start is not the slow one."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=BUILD_TIMEOUT_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Missing(f"{error}") from error
    if done.returncode:
        said = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
        raise Missing(f"{' '.join(command[:4])} failed: {said[-1] if said else done.returncode}")
