"""How many files a call enters: the script that counts them, on the real store and the small web."""

import subprocess
import sys
from pathlib import Path

from tests.patience import LONG_S

SCRIPT = Path(__file__).parents[2] / "scripts" / "trace_calls.py"


def test_one_select_enters_at_most_five_files() -> None:
    done = subprocess.run(
        [sys.executable, SCRIPT, "select"], capture_output=True, text=True, timeout=LONG_S, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
