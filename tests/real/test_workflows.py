"""The workflows of each specification, run as a person would run them: each script states what it expects."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.workflows.talk import Talk, run

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted(file.stem for file in (ROOT / "tests" / "workflows").glob("spec_*.py"))


@pytest.mark.promise(
    "000.14",
    "000.21",
    "000.43",
    "000.44",
    "000.50",
    "000.55",
    "000.73",
    "000.80",
    "000.82",
    "000.83",
    "000.84",
    "000.101",
    "000.124",
    "000.146",
    "001.86",
    "002.93",
    "002.94",
    "002.95",
    "002.96",
    "003.4",
    "003.20",
    "003.25",
    "003.79",
    "003.80",
    "003.81",
    "003.82",
    "003.83",
    "003.84",
    "003.85",
    "003.86",
    "003.87",
    "003.88",
    "003.148",
    "003.149",
    "003.150",
    "003.151",
    "003.152",
    "003.153",
    "003.159",
    "004.28",
    "004.45",
    "004.74",
)
@pytest.mark.parametrize("script", SCRIPTS)
def test_every_script_finds_what_it_expects(script: str) -> None:
    program = [sys.executable, "-m", f"tests.workflows.{script}"]
    told = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert told.returncode == 0, told.stdout + told.stderr
    assert told.stdout.count("\n  ok: ") >= 5
    assert "FAILED" not in told.stdout
    assert told.stdout.endswith("\nEverything was as expected.\n")


def test_there_is_a_script_for_every_specification() -> None:
    assert {name[5:8] for name in SCRIPTS} == {"000", "001", "002", "003", "004"}


async def disappointed(talk: Talk) -> None:
    """A story that ends badly."""
    talk.expect("water is wet", when=True)
    talk.expect("the moon is made of cheese", when=False)
    await talk.client.list_tools()


async def misread(_talk: Talk) -> None:
    raise KeyError("results")


def test_what_is_not_as_expected_ends_with_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(disappointed, tools="core") == 1
    told = capsys.readouterr().out
    assert "  ok: water is wet\n  FAILED: the moon is made of cheese\n" in told
    assert told.endswith("\n1 expectations failed.\n")
    assert run(misread, tools="core") == 1
