"""Stalls, many times: `python -m bench.stalls [--tries 200] [--place NAME] [--flood NAME]`.

Every flood of tests/hostile/stalls.py against the real server: open, with logins, and behind nginx, HAProxy and a proxy
on node; on the server alone also who does not heed it; at last every drip on all ways in, twenty times at once, since
drips wait. Prints what the dearest of each place cost; the exit code is 1 when one was not cut off or cost too much.
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
from tests.hostile.stalls import (
    ALONE,
    AT_ONCE,
    DRIPS,
    FLOODS,
    GROWTH_MB,
    PLACES,
    STUBBORN,
    STUBBORN_CPU_S,
    TURN_S,
    Servers,
    most_cpu_s,
    try_drips,
    try_flood,
    try_stubborn,
)

Tried = tuple[Cost, list[str]]
"""What it cost, and what went wrong."""


def excess(cost: Cost, cpu_s: float) -> list[str]:
    """What of a cost was too much."""
    bounds = {
        f"memory +{cost.growth_mb:.1f} MB": cost.growth_mb <= GROWTH_MB,
        f"{cost.cpu_s:.1f} s of CPU": cost.cpu_s <= cpu_s,
        f"a turn of {cost.turn_s:.2f} s": cost.turn_s <= TURN_S,
        f"{cost.unanswered} times no sign of health": not cost.unanswered,
    }
    return [told for told, is_within in bounds.items() if not is_within]


def flooded(servers: Servers, place: str, floods: list[str], tries: int) -> list[Tried]:
    """Every flood on one way in."""
    tried: list[Tried] = []
    for flood in floods:
        cost, wrong = try_flood(*servers[place], flood, tries)
        faults = [*wrong, *excess(cost, most_cpu_s(flood, tries))]
        tried.append((cost, [f"{flood}: {fault}" for fault in faults]))
    return tried


def unheeded(servers: Servers, place: str, tries: int) -> list[Tried]:
    """Those on one way in who do not heed the server."""
    tried: list[Tried] = []
    for name in STUBBORN if place in ALONE else ():
        cost, wrong = try_stubborn(*servers[place], name, tries)
        tried.append((cost, [f"{name}: {fault}" for fault in [*wrong, *excess(cost, 1 + tries * STUBBORN_CPU_S)]]))
    return tried


def dripped(servers: Servers, places: list[str], tries: int) -> list[Tried]:
    """Every drip on all ways in, some at once."""
    tried: list[Tried] = []
    for begun in range(0, tries, AT_ONCE):
        at_once = min(AT_ONCE, tries - begun)
        costs, wrong = try_drips(servers, places, at_once)
        tried += [(cost, excess(cost, cpu_s=AT_ONCE)) for _, cost in costs]
        tried.append((Cost(), wrong))
    return tried


def tell(place: str, kinds: int, tries: int, tried: list[Tried], began: float, at_once: int) -> bool:
    """Print a line, and below it what went wrong; whether anything did. One measurement is of so many tries."""
    faults = [fault for _, wrong in tried for fault in wrong]
    print(
        f"| {place} | {kinds} | {kinds * tries:,} | {len(faults)} "
        f"| +{max(cost.growth_mb for cost, _ in tried):.1f} "
        f"| {max(cost.cpu_s for cost, _ in tried) / at_once * 1000:.0f} "
        f"| {max(cost.turn_s for cost, _ in tried) * 1000:.0f} | {time.monotonic() - began:.0f} |",
        flush=True,
    )
    print(*(f"  {fault}" for fault in faults), sep="\n", end="\n" if faults else "", flush=True)
    return bool(faults)


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
    has_failed, here = False, list[str]()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        servers = Servers(stack, Path(folder))
        for place in options.place or PLACES:
            if reason := components.trouble(COMPONENT_OF[place]) if place in COMPONENT_OF else "":
                print(f"| {place} | not here: {reason} | | | | | | |", flush=True)
                continue
            here.append(place)
            began, tries = time.monotonic(), options.tries
            tried = flooded(servers, place, floods, tries)
            has_failed |= tell(place, len(floods), tries, tried, began, tries)
            began = time.monotonic()
            if not options.flood and (tried := unheeded(servers, place, tries)):
                has_failed |= tell(f"{place}, unheeded", len(tried), tries, tried, began, tries)
        if not options.flood and here:
            began, tries = time.monotonic(), options.tries
            tried = dripped(servers, here, tries)
            name = f"drips, {len(here)} ways in"
            has_failed |= tell(name, len(DRIPS) * len(here), tries, tried, began, min(AT_ONCE, tries))
    if has_failed:
        sys.exit(1)


if __name__ == "__main__":
    main()
