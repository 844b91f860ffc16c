"""What happens to a test whose component is not there."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
NEEDY = """
import pytest

@pytest.mark.component("searxng")
def test_needy():
    pass

@pytest.mark.component("flying carpet")
def test_dreamy():
    pass
"""
UNPINNED = "no-such-package==1 --hash=sha256:" + "0" * 64


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A repository with nothing in it but the handling of components and two tests that need some."""
    (tmp_path / "tests").mkdir()
    for name in ("conftest.py", "components.py", "lanes.py", "searxng.py"):
        shutil.copy(TESTS / name, tmp_path / "tests" / name)
    shutil.copy(TESTS.parent / "pyproject.toml", tmp_path)
    (tmp_path / "tests" / "test_needy.py").write_text(NEEDY)
    return tmp_path


def run(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name not in {"CI", "REQUIRE_COMPONENTS"}}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]
    return subprocess.run(
        command, cwd=folder, env={**kept, **environment}, capture_output=True, text=True, timeout=120, check=False
    )


def test_a_missing_component_skips_its_tests_and_says_why(copied: Path) -> None:
    done = run(copied)
    assert done.returncode == 0, done.stdout
    assert "2 skipped" in done.stdout
    assert "components that are missing here" in done.stdout
    assert "searxng: requirements/searxng.txt is missing" in done.stdout
    assert "flying carpet: there is no recipe for it" in done.stdout


@pytest.mark.parametrize("said", [{"CI": "true"}, {"REQUIRE_COMPONENTS": "1"}], ids=["in CI", "by request"])
def test_a_missing_component_that_must_be_there_fails_its_tests(copied: Path, said: dict[str, str]) -> None:
    done = run(copied, **said)
    assert done.returncode == 1, done.stdout
    assert "1 skipped, 1 error" in done.stdout
    assert "A component that must be here is missing. searxng: requirements/searxng.txt is missing" in done.stdout


def test_a_component_that_cannot_be_installed_is_missing_with_the_last_words_of_its_installer(copied: Path) -> None:
    (copied / "requirements").mkdir()
    (copied / "requirements" / "searxng.txt").write_text(UNPINNED)
    done = run(copied, PIP_NO_INDEX="1")
    assert done.returncode == 0, done.stdout
    assert "No matching distribution found for no-such-package==1" in done.stdout
    assert not (copied / ".cache" / "components" / "searxng" / "stamp").exists()
