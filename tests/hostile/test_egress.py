"""Pages of the web as ways into what the operator opened: no public page sends us there, whoever may ask for it."""

import asyncio
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any

import pytest

from gossamer.errors import BlockedAddress, GossamerError, RobotsDisallowed
from gossamer.net.addresses import InterfaceAddress
from gossamer.net.client import WebDoor
from gossamer.net.policy import NetPolicy
from gossamer.states.memory import MemoryState
from tests.hostile.test_door import CLOCK, PUBLIC, Server, World, fetch, reply

OPENED = ("127.0.0.1:8000", "10.1.0.0/16", "intranet.example", "status.example:9999", "split.example", "wiki.corp")
NAMES: dict[str, list[Any]] = {
    "a.example": [PUBLIC],
    "b.example": [PUBLIC],
    "status.example": [PUBLIC],
    "intranet.example": ["192.168.7.7"],
    "inside.example": ["10.1.2.3"],
    "both.example": [PUBLIC, "10.1.2.3"],
    "split.example": [PUBLIC, "10.9.9.9"],
    "wiki.corp": ["10.9.9.9"],
}
PAGE = "<title>Quay</title><p>The ferry leaves the quay at nine and is back before dusk.</p>"


def moved(where: str) -> bytes:
    return reply(b"", 302, f"Location: {where}")


def refreshed(where: str) -> bytes:
    return reply(f'<title>Moved</title><meta http-equiv="refresh" content="0;url={where}">'.encode())


def refreshed_by_header(where: str) -> bytes:
    return reply(b"<title>Moved</title>", 200, f"Refresh: 0;url={where}")


@dataclass
class Site:
    """Every host at once: answers each path with its page; what has none is a page with content."""

    pages: dict[str, bytes]
    robots: bytes = reply(b"", 404)
    asked: list[str] = field(default_factory=list[str])

    async def answer(self, path: str, writer: asyncio.StreamWriter) -> None:
        if path == "/robots.txt":
            writer.write(self.robots)
            return
        self.asked.append(path)
        writer.write(self.pages.get(path, reply(PAGE.encode())))


async def visit(url: str, pages: dict[str, bytes], **policy: Any) -> tuple[str | GossamerError, list[str]]:
    """Where it ended, by address or by error, and the addresses that were dialled, each once."""
    async with Server(Site(pages).answer).open() as port:
        world = World(port, names=NAMES)
        try:
            end: str | GossamerError = (await fetch(world.door(allow_private=OPENED, **policy), url)).url
        except GossamerError as error:
            end = error
    return end, list(dict.fromkeys(world.dialled))


INSIDE = {
    "an opened address": "http://127.0.0.1:8000/admin",
    "the same, mapped into IPv6": "http://[::ffff:7f00:1]:8000/admin",
    "an address of an opened network": "http://10.1.2.3/admin",
    "a name that leads into an opened network": "http://inside.example/admin",
    "an opened name": "http://intranet.example/admin",
    "an opened name that only an inner network has": "http://wiki.corp/admin",
    "an opened port of a public name": "http://status.example:9999/admin",
}
WAYS = {"a redirect": moved, "a refresh": refreshed, "a refresh in the head": refreshed_by_header}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("where", INSIDE.values(), ids=INSIDE)
async def test_a_public_page_does_not_lead_to_what_is_opened(where: str, way: Any) -> None:
    end, dialled = await visit("http://a.example/start", {"/start": way(where)})
    assert isinstance(end, BlockedAddress)
    assert "redirects to an address that pages are not fetched from" in end.message
    assert "ALLOW_PRIVATE" not in str(end)
    assert dialled == [PUBLIC]


@pytest.mark.parametrize("where", INSIDE.values(), ids=INSIDE)
async def test_who_asks_for_what_is_opened_gets_it(where: str) -> None:
    end, _ = await visit(where, {})
    assert end == where


CHAINS: dict[str, tuple[str, list[str]]] = {
    "public, public, opened": ("http://a.example/1", ["http://b.example/2", "http://10.1.2.3/3"]),
    "opened, public, opened": ("http://10.1.2.3/1", ["http://a.example/2", "http://10.1.2.3/3"]),
    "opened, public, public, opened by name": (
        "http://intranet.example/1",
        ["http://a.example/2", "http://b.example/3", "http://intranet.example/4"],
    ),
    "a name with a public and an opened answer": ("http://both.example/1", []),
    "an opened port of a public host, opened": ("http://status.example:9999/1", ["http://10.1.2.3/2"]),
    "an opened name on both sides, opened": ("http://split.example/1", ["http://10.1.2.3/2"]),
}


@pytest.mark.parametrize(("start", "hops"), CHAINS.values(), ids=CHAINS)
async def test_a_chain_is_broken_where_the_public_web_leads_inside(start: str, hops: list[str]) -> None:
    pages = {f"/{number}": moved(where) for number, where in enumerate(hops, 1)}
    end, _ = await visit(start, pages)
    assert isinstance(end, BlockedAddress)


FREE: dict[str, tuple[str, list[str]]] = {
    "within the same site": ("http://10.1.2.3/1", ["/2"]),
    "within an opened port of a public host": ("http://status.example:9999/1", ["/2"]),
    "within an opened name on both sides": ("http://split.example/1", ["http://split.example/2"]),
    "to another opened one": ("http://intranet.example/1", ["http://10.1.2.3/2", "http://127.0.0.1:8000/3"]),
    "out to the public web": ("http://10.1.2.3/1", ["http://a.example/2", "http://b.example/3"]),
    "among public ones": ("http://a.example/1", ["http://b.example/2"]),
    "to the ordinary port of a public name": ("http://a.example/1", ["http://status.example/2"]),
}


@pytest.mark.parametrize(("start", "hops"), FREE.values(), ids=FREE)
async def test_an_opened_site_may_lead_to_opened_ones_and_out(start: str, hops: list[str]) -> None:
    pages = {f"/{number}": moved(where) for number, where in enumerate(hops, 1)}
    end, _ = await visit(start, pages)
    assert isinstance(end, str)
    assert end.endswith(f"/{len(hops) + 1}")


class LeapingClock:
    """The real time, and a minute more for every page that was served."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def now(self) -> float:
        return CLOCK.now()

    def monotonic(self) -> float:
        return CLOCK.monotonic() + 60 * len(self._site.asked)


async def test_a_public_name_that_moves_into_an_opened_network_is_not_followed_there() -> None:
    """By then its first answer is forgotten, and the redirect stays on the same host."""
    site = Site({"/1": moved("/2")})
    clock = LeapingClock(site)
    async with Server(site.answer).open() as port:
        world = World(port, names={"a.example": [[PUBLIC], ["10.1.2.3"]]})
        policy = NetPolicy(allow_private=OPENED, robots="ignore")
        door = WebDoor(policy, resolve=world.resolve, dial=world.dial, clock=clock, state=MemoryState(clock))
        with pytest.raises(BlockedAddress):
            await fetch(door, "http://a.example/1")
    assert world.looked_up == ["a.example", "a.example"]
    assert world.dialled == [PUBLIC]
    assert site.asked == ["/1"]


class OldAnswers:
    """A clock by which the answer of a name server is too old as soon as it is there."""

    def __init__(self) -> None:
        self._leaps = 0

    def now(self) -> float:
        return CLOCK.now()

    def monotonic(self) -> float:
        self._leaps += 1
        return CLOCK.monotonic() + 600 * self._leaps


async def test_a_public_name_that_moves_into_an_opened_network_before_it_is_dialled_is_refused() -> None:
    site, clock = Site({}), OldAnswers()
    async with Server(site.answer).open() as port:
        world = World(port, names={"a.example": [[PUBLIC], ["10.1.2.3"]]})
        policy = NetPolicy(allow_private=OPENED, robots="ignore")
        door = WebDoor(policy, resolve=world.resolve, dial=world.dial, clock=clock, state=MemoryState(CLOCK))
        with pytest.raises(BlockedAddress):
            await fetch(door, "http://a.example/1")
    assert world.dialled == site.asked == []


@pytest.mark.parametrize("where", INSIDE.values(), ids=INSIDE)
async def test_the_robots_txt_of_a_public_site_does_not_lead_there_either(where: str) -> None:
    site = Site({}, robots=moved(where))
    async with Server(site.answer).open() as port:
        world = World(port, names=NAMES)
        with pytest.raises(RobotsDisallowed):
            await fetch(world.door(allow_private=OPENED), "http://a.example/")
    assert set(world.dialled) == {PUBLIC}
    assert site.asked == []


OWN = (InterfaceAddress(ip_address("93.184.216.34"), 24), InterfaceAddress(ip_address("2606:2800:21f::7"), 64))
OWN_HOSTS = {
    "itself": ("http://93.184.216.34/", []),
    "a neighbour": ("http://93.184.216.1/", []),
    "itself, mapped into IPv6": ("http://[::ffff:93.184.216.34]/", []),
    "itself behind NAT64": ("http://[64:ff9b::5db8:d822]/", []),
    "a neighbour in IPv6": ("http://[2606:2800:21f::1]/", []),
    "a name that leads to a neighbour": ("http://near.example/", []),
    "a redirect to a neighbour": ("http://a.example/1", ["http://93.184.216.1/2"]),
    "a redirect to a name of a neighbour": ("http://a.example/1", ["http://near.example/2"]),
}


async def visit_beside(url: str, hops: list[str], *opened: str) -> tuple[str | GossamerError, set[str]]:
    """The same from a machine with public addresses of its own."""
    pages = {f"/{number}": moved(where) for number, where in enumerate(hops, 1)}
    async with Server(Site(pages).answer).open() as port:
        world = World(port, names={**NAMES, "near.example": ["93.184.216.77"], "far.example": ["93.184.217.1"]})
        door = WebDoor(
            NetPolicy(allow_private=opened),
            resolve=world.resolve,
            dial=world.dial,
            interfaces=lambda: OWN,
            clock=CLOCK,
            state=MemoryState(CLOCK),
        )
        try:
            return (await fetch(door, url)).url, set(world.dialled)
        except GossamerError as error:
            return error, set(world.dialled)


@pytest.mark.parametrize(("url", "hops"), OWN_HOSTS.values(), ids=OWN_HOSTS)
async def test_the_public_addresses_of_this_machine_and_its_neighbours_are_inside_too(
    url: str, hops: list[str]
) -> None:
    end, dialled = await visit_beside(url, hops)
    assert isinstance(end, BlockedAddress)
    assert dialled <= {PUBLIC}


async def test_beyond_its_own_networks_the_public_web_goes_on() -> None:
    assert await visit_beside("http://far.example/", []) == ("http://far.example/", {"93.184.217.1"})


async def test_a_neighbour_that_is_opened_is_for_who_asks_for_it() -> None:
    end, _ = await visit_beside("http://near.example/", [], "near.example")
    assert end == "http://near.example/"
    end, _ = await visit_beside("http://93.184.216.1/", [], "93.184.216.0/24")
    assert end == "http://93.184.216.1/"
    end, dialled = await visit_beside("http://a.example/1", ["http://near.example/"], "near.example")
    assert isinstance(end, BlockedAddress)
    assert dialled == {PUBLIC}
