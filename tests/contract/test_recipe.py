"""docs/adding-a-provider.md, followed to the letter in a copy of the repository."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RECIPE = (ROOT / "docs" / "adding-a-provider.md").read_text("utf-8")
NEW_FILES = re.findall(r"^`(\S+)`\n\n```\w+\n(.*?)^```$", RECIPE, re.MULTILINE | re.DOTALL)
NEW_LINES = re.findall(r"^`(\S+)`, in `(\w+)`:.*?\n\n```\w+\n(.*?)^```$", RECIPE, re.MULTILINE | re.DOTALL)
COMMAND = re.findall(r"^```sh\n\.venv/bin/pytest (.*?)\n```$", RECIPE, re.MULTILINE)
MAX_COPIED_BYTES = 500_000


def too_large(folder: str, names: list[str]) -> set[str]:
    """What a provider does not need: caches and tables of numbers."""
    big = {name for name in names if (Path(folder) / name).stat().st_size > MAX_COPIED_BYTES}
    return big | {name for name in names if name == "__pycache__"}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the repository in which the recipe was followed."""
    home = tmp_path_factory.mktemp("repository")
    shutil.copy(ROOT / "pyproject.toml", home)
    shutil.copytree(ROOT / "src", home / "src", ignore=too_large)
    shutil.copytree(ROOT / "tests" / "cases" / "providers", home / "tests" / "cases" / "providers")
    (home / "tests" / "contract").mkdir()
    shutil.copy(ROOT / "tests" / "contract" / "test_providers.py", home / "tests" / "contract")
    for path, text in NEW_FILES:
        assert not (home / path).exists(), path
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_text(text, "utf-8")
    for path, name, line in NEW_LINES:
        before, found, after = (home / path).read_text("utf-8").partition(f"{name} = {{\n")
        assert found, f"{path} has no {name}"
        (home / path).write_text(before + found + line + after, "utf-8")
    return home


def run(home: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-v", *arguments]
    bare = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
    environment = {**bare, "PYTHONPATH": str(home / "src")}
    done = subprocess.run(command, cwd=home, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.promise("000.132")
def test_the_recipe_is_one_file_one_line_and_one_recorded_case() -> None:
    assert [path for path, _ in NEW_FILES] == [
        "src/gossamer/providers/quill.py",
        "tests/cases/providers/quill/found/query.json",
        "tests/cases/providers/quill/found/reply.json",
        "tests/cases/providers/quill/found/hits.json",
    ]
    assert [(path, name, text.count("\n")) for path, name, text in NEW_LINES] == [
        ("src/gossamer/providers/__init__.py", "_CLASSES", 1)
    ]


@pytest.mark.promise("000.132")
def test_the_new_provider_passes_the_contract_suite_by_the_command_of_the_recipe(copy: Path) -> None:
    said = run(copy, *COMMAND[0].split())
    assert "test_a_recorded_reply_means_what_was_written_beside_it[quill-found] PASSED" in said
    assert said.count("[quill") >= 30


def test_the_new_provider_is_known_by_its_name_in_the_copy_alone(copy: Path) -> None:
    code = "from gossamer.providers import PROVIDERS; print(PROVIDERS['quill'].title)"
    environment = {**os.environ, "PYTHONPATH": str(copy / "src")}
    command = [sys.executable, "-c", code]
    said = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, timeout=120, check=True)
    assert said.stdout == "Quill\n"


def test_the_file_of_the_recipe_is_tidy(copy: Path) -> None:
    ruff = Path(sys.executable).with_name("ruff")
    if not ruff.exists():
        pytest.skip("ruff is not installed beside this Python")
    provider = str(copy / "src" / "gossamer" / "providers" / "quill.py")
    for command in (["format", "--check"], ["check"]):
        done = subprocess.run(
            [str(ruff), *command, "--no-cache", provider], cwd=copy, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout
