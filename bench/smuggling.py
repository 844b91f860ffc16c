"""Request smuggling, many times: `python -m bench.smuggling [--tries 200] [--front NAME] [--case NAME]`.

Every attack of tests/hostile/smuggling.py against the real server, alone and behind nginx, HAProxy and a proxy on node
that keep connections alive, each followed by a victim that must get its own answer. Prints a line per front; the exit
code is 1 when somebody got another's answer or a hidden request ran.
"""

import argparse
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from bench._gauge import machine

from tests import components
from tests.hostile.reverse_proxies import COMPONENT_OF, FRONTS
from tests.hostile.smuggling import CASES, Theatre
from tests.real.processes import open_http


def attack(front_name: str, cases: list[str], tries: int) -> list[str]:
    """Try all cases through one front, on a server of its own; what went wrong."""
    with tempfile.TemporaryDirectory() as server_folder, tempfile.TemporaryDirectory() as front_folder:
        environment, tokens = Theatre.prepare(Path(server_folder), time.time())
        with (
            open_http(environment) as server,
            closing(Theatre(server, tokens)) as theatre,
            FRONTS[front_name](server.port, Path(front_folder)) as front,
        ):
            return [f"{case}: {fault}" for case in cases for fault in theatre.try_case(front, case, tries)]


def main() -> None:
    """Run all, print a line each, and end with 1 when an attack worked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tries", type=int, default=200, help="of each attack through each front (200)")
    parser.add_argument("--front", choices=list(FRONTS), action="append", help="only this one")
    parser.add_argument("--case", choices=list(CASES), action="append", help="only this one", metavar="CASE")
    options = parser.parse_args()
    cases: list[str] = options.case or list(CASES)
    print(machine(), flush=True)
    print("| front | attacks | tries | went wrong | s |\n|---|---|---|---|---|", flush=True)
    has_failed = False
    for front in options.front or FRONTS:
        if reason := components.trouble(COMPONENT_OF[front]) if front in COMPONENT_OF else "":
            print(f"| {front} | not here: {reason} | | | |", flush=True)
            continue
        began = time.monotonic()
        faults = attack(front, cases, options.tries)
        took = time.monotonic() - began
        print(f"| {front} | {len(cases)} | {len(cases) * options.tries:,} | {len(faults)} | {took:.0f} |", flush=True)
        for fault in faults:
            print(f"  {fault}", flush=True)
        has_failed = has_failed or bool(faults)
    if has_failed:
        sys.exit(1)


if __name__ == "__main__":
    main()
