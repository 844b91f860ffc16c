"""Runs every benchmark: quality against its baselines and speed against a floor, measured in one run."""

import runpy
from pathlib import Path

for script in sorted(Path(__file__).parent.glob("[!_]*.py")):
    print(f"\n== {script.stem} ==", flush=True)
    runpy.run_path(str(script), run_name="__main__")
