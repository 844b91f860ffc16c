"""What users install: the built wheel, with the oldest pip of Python 3.11, into an empty environment."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OLDEST_PIP = "22.3"

IMPORT_ALL = """
import importlib, pkgutil, gossamer
for module in pkgutil.walk_packages(gossamer.__path__, "gossamer."):
    needs_an_extra = module.name.startswith("gossamer.stores.duckdb.")
    if not module.name.endswith("__main__") and not needs_an_extra:
        importlib.import_module(module.name)
for name in gossamer.__all__:
    getattr(gossamer, name)
print(gossamer.__file__)
"""


EMBED = """
from gossamer.embedders.local import LocalEmbedder
for mix in ("english", "other"):
    vectors = LocalEmbedder().look_up(["the harbour", "港"], mix)
    print(vectors.model, vectors.dimension, len(vectors.data), any(vectors.data))
"""


def run(*command: str | Path, **extra: str) -> str:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("COVERAGE", "PYTHON"))}
    done = subprocess.run(
        [str(part) for part in command], env={**kept, **extra}, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT)
    (wheel,) = folder.glob("*.whl")
    run(sys.executable, "-m", "venv", folder / "venv")
    python = folder / "venv" / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", f"pip=={OLDEST_PIP}")
    run(python, "-m", "pip", "install", "--quiet", "--no-compile", f"{wheel}[testing]")
    return folder / "venv" / "bin"


def test_every_module_of_the_wheel_imports(installed: Path, tmp_path: Path) -> None:
    where = run(installed / "python", "-c", IMPORT_ALL, HOME=str(tmp_path))
    assert Path(where.strip()).is_relative_to(installed.parent)


def test_the_tables_of_vectors_come_with_the_wheel(installed: Path, tmp_path: Path) -> None:
    said = run(installed / "python", "-c", EMBED, HOME=str(tmp_path)).splitlines()
    assert said == ["potion-base-8M-128 128 512 True", "potion-multilingual-128M-128 128 512 True"]


@pytest.mark.promise("001.107")
def test_the_installed_command_runs_the_demo(installed: Path, tmp_path: Path) -> None:
    assert "0 failed" in run(installed / "gossamer", "demo", HOME=str(tmp_path))
