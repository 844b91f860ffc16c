"""Stalls, many times: `python -m bench.stalls [--tries 200] [--place NAME] [--flood NAME]`.

Every flood of tests/hostile/stalls.py against the real server: open, with logins, and behind nginx, HAProxy and a proxy
on node. Prints what the dearest flood of each place cost; the exit code is 1 when one was not cut off or cost too much.
"""

import argparse
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from bench._gauge import machine

from tests import components
from tests.hostile.reverse_proxies import COMPONENT_OF
from tests.hostile.server_cost import Cost
from tests.hostile.stalls import FLOODS, GROWTH_MB, PLACES, TURN_S, Servers, most_cpu_s, try_flood


def excess(cost: Cost, flood: str, tries: int) -> list[str]:
    """What of a cost was too much."""
    bounds = {
        f"memory +{cost.growth_mb:.1f} MB": cost.growth_mb <= GROWTH_MB,
        f"{cost.cpu_s:.1f} s of CPU": cost.cpu_s <= most_cpu_s(flood, tries),
        f"a turn of {cost.turn_s:.2f} s": cost.turn_s <= TURN_S,
        f"{cost.unanswered} times no sign of health": not cost.unanswered,
    }
    return [told for told, is_within in bounds.items() if not is_within]


def main() -> None:
    """Run all, print a line for each place, and end with 1 when a flood stalled the server."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tries", type=int, default=200, help="of each flood on each way in (200)")
    parser.add_argument("--place", choices=PLACES, action="append", help="only this way in")
    parser.add_argument("--flood", choices=list(FLOODS), action="append", help="only this one", metavar="FLOOD")
    options = parser.parse_args()
    floods: list[str] = options.flood or list(FLOODS)
    print(machine(), flush=True)
    print("| way in | floods | tries | went wrong | memory MB | CPU ms a try | longest turn ms | s |", flush=True)
    print("|---|---|---|---|---|---|---|---|", flush=True)
    has_failed = False
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        servers = Servers(stack, Path(folder))
        for place in options.place or PLACES:
            if reason := components.trouble(COMPONENT_OF[place]) if place in COMPONENT_OF else "":
                print(f"| {place} | not here: {reason} | | | | | | |", flush=True)
                continue
            began, costs, faults = time.monotonic(), list[Cost](), list[str]()
            for flood in floods:
                cost, wrong = try_flood(*servers[place], flood, options.tries)
                costs.append(cost)
                faults += [f"{flood}: {fault}" for fault in [*wrong, *excess(cost, flood, options.tries)]]
            print(
                f"| {place} | {len(floods)} | {len(floods) * options.tries:,} | {len(faults)} "
                f"| +{max(cost.growth_mb for cost in costs):.1f} "
                f"| {max(cost.cpu_s for cost in costs) / options.tries * 1000:.0f} "
                f"| {max(cost.turn_s for cost in costs) * 1000:.0f} | {time.monotonic() - began:.0f} |",
                flush=True,
            )
            print(*(f"  {fault}" for fault in faults), sep="\n", end="\n" if faults else "", flush=True)
            has_failed = has_failed or bool(faults)
    if has_failed:
        sys.exit(1)


if __name__ == "__main__":
    main()
