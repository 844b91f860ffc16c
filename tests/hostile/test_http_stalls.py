"""One connection cannot stall the server or fill its memory: each flood and drip, twenty times, on every way in."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests import components
from tests.hostile.reverse_proxies import COMPONENT_OF
from tests.hostile.server_cost import Cost, TimedServer, check
from tests.hostile.stalls import (
    ALONE,
    BY_TIME,
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
from tests.patience import unless_starved

TRIES = 20


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    with ExitStack() as stack:
        yield Servers(stack, tmp_path_factory.mktemp("stalls"))


def within(server: TimedServer, cost: Cost, cpu_s: float) -> None:
    check(server, cost, growth_mb=GROWTH_MB, cpu_s=cpu_s, turn_s=TURN_S)


def marked(place: str) -> object:
    marks = [pytest.mark.component(COMPONENT_OF[place])] if place in COMPONENT_OF else []
    return pytest.param(place, marks=marks)


@pytest.mark.parametrize("flood", FLOODS)
@pytest.mark.parametrize("place", [marked(place) for place in PLACES])
def test_what_has_no_end_is_cut_off_and_costs_little(place: str, flood: str, servers: Servers) -> None:
    server, front = servers[place]
    cost, faults = try_flood(server, front, flood, TRIES)
    assert [fault for fault in faults if fault != BY_TIME] == []
    within(server, cost, most_cpu_s(flood, TRIES))
    with unless_starved():
        assert faults == []


@pytest.mark.parametrize("what", STUBBORN)
@pytest.mark.parametrize("place", ALONE)
def test_who_does_not_heed_the_server_is_cut_off_and_costs_little(place: str, what: str, servers: Servers) -> None:
    server, front = servers[place]
    cost, faults = try_stubborn(server, front, what, TRIES)
    assert faults == []
    within(server, cost, 1 + TRIES * STUBBORN_CPU_S)


def test_what_comes_drop_by_drop_is_cut_off(servers: Servers) -> None:
    places = [place for place in PLACES if not (place in COMPONENT_OF and components.trouble(COMPONENT_OF[place]))]
    costs, faults = try_drips(servers, places, TRIES)
    assert faults == []
    for server, cost in costs:
        within(server, cost, cpu_s=TRIES)
