"""Runs every benchmark, or those that are named: quality against baselines, speed against a floor, in one run each."""

import argparse
import subprocess
import sys
from pathlib import Path


def main() -> None:
    every = [script.stem for script in sorted(Path(__file__).parent.glob("[!_]*.py"))]
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one or more of: {', '.join(every)}")
    names: list[str] = parser.parse_args().names
    if unknown := [name for name in names if name not in every]:
        parser.error(f"no such benchmark: {', '.join(unknown)}; there are {', '.join(every)}")
    failed: list[str] = []
    for name in names or every:
        print(f"\n== {name} ==", flush=True)
        if subprocess.run([sys.executable, "-m", f"bench.{name}"], check=False).returncode:
            failed.append(name)
    if failed:
        sys.exit(f"Could not be run to the end: {', '.join(failed)}.")


if __name__ == "__main__":
    main()
