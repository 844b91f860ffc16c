"""How many files a call enters: the script that counts them, on the real store and the small web."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import LONG_S

SCRIPT = Path(__file__).parents[2] / "scripts" / "trace_calls.py"


@pytest.mark.parametrize("call", ["fetch", "select", "search"])
def test_a_call_enters_no_more_files_and_builds_no_more_providers_than_it_may(call: str) -> None:
    done = subprocess.run([sys.executable, SCRIPT, call], capture_output=True, text=True, timeout=LONG_S, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
