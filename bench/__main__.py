"""Runs every benchmark: quality against its baselines and speed against a floor, measured in one run."""

import subprocess
import sys
from pathlib import Path

failed: list[str] = []
for script in sorted(Path(__file__).parent.glob("[!_]*.py")):
    print(f"\n== {script.stem} ==", flush=True)
    if subprocess.run([sys.executable, "-m", f"bench.{script.stem}"], check=False).returncode:
        failed.append(script.stem)
if failed:
    sys.exit(f"Could not be run to the end: {', '.join(failed)}.")
