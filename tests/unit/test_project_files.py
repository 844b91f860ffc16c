"""What README, CONTRIBUTING, continuous integration and the hooks name is really there."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WORKFLOW = ROOT / ".github" / "workflows" / "ci.yml"
TARGETS = set(re.findall(r"^([\w.-]+):(?!=)", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
CALLERS = ("README.md", "CONTRIBUTING.md", "AGENTS.md", ".github/workflows/ci.yml", ".pre-commit-config.yaml")


@pytest.mark.parametrize("name", CALLERS)
def test_every_make_target_that_is_named_exists(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    named = set(re.findall(r"(?:^|`|run: |entry: )make ([a-z]+)", text, re.MULTILINE))
    assert named
    assert named - TARGETS == set()


def test_continuous_integration_runs_every_python_that_the_package_names() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    prefix = "Programming Language :: Python :: "
    named = [one.removeprefix(prefix) for one in project["classifiers"] if one.startswith(prefix)]
    [versions, *_] = re.findall(r"python: \[(.+)\]", WORKFLOW.read_text(encoding="utf-8"))
    assert re.findall(r"\d\.\d+", versions) == named
    assert project["requires-python"] == f">={named[0]}"
    assert f"Python {named[0]} to {named[-1]}" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_hooks_are_local() -> None:
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    assert re.findall(r"repo: (\S+)", hooks) == ["local"]
    assert "://" not in hooks
