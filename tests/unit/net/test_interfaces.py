"""The public networks that this machine is on: which prefixes count, and how often they are read."""

from ipaddress import ip_address, ip_network

import pytest

from gossamer.net.addresses import InterfaceAddress, Interfaces, read_interfaces

COUNTED: dict[str, tuple[str, int, list[str]]] = {
    "a public address and its network": ("93.184.216.34", 24, ["93.184.216.0/24"]),
    "a cloud's address without neighbours": ("93.184.216.34", 32, ["93.184.216.34/32"]),
    "a network that a program took for itself": ("26.1.2.3", 8, ["26.0.0.0/8"]),
    "half of the world": ("93.184.216.34", 1, ["93.184.216.34/32"]),
    "the whole world": ("93.184.216.34", 0, ["93.184.216.34/32"]),
    "IPv6": ("2606:2800:21f::7", 64, ["2606:2800:21f::/64"]),
    "all of IPv6": ("2606:2800:21f::7", 3, ["2606:2800:21f::7/128"]),
    "a private address, refused anyway": ("10.0.0.1", 8, []),
    "loopback": ("127.0.0.1", 8, []),
    "link-local": ("fe80::1", 64, []),
}


@pytest.mark.parametrize(("address", "prefix", "networks"), COUNTED.values(), ids=COUNTED)
def test_a_network_counts_where_it_is_public_and_no_larger_than_a_link_can_be(
    address: str, prefix: int, networks: list[str]
) -> None:
    interfaces = Interfaces(lambda: [InterfaceAddress(ip_address(address), prefix)] * 2)
    assert interfaces.networks() == tuple(map(ip_network, networks))


def test_interfaces_are_looked_at_again_after_a_minute() -> None:
    times = iter((0.0, 59.0, 60.0, 119.0, 120.0))
    reads = 0

    def read() -> list[InterfaceAddress]:
        nonlocal reads
        reads += 1
        return [InterfaceAddress(ip_address(f"93.184.216.{reads}"), 32)]

    interfaces = Interfaces(read, monotonic=lambda: next(times))
    seen = [str(network) for _ in range(5) for network in interfaces.networks()]
    assert seen == [f"93.184.216.{number}/32" for number in (1, 1, 2, 2, 3)]


def test_this_machine_knows_its_own_loopback() -> None:
    assert InterfaceAddress(ip_address("127.0.0.1"), 8) in read_interfaces()


def test_a_system_without_prefixes_has_addresses_that_stand_for_themselves() -> None:
    for address, prefix in read_interfaces("win32"):
        assert prefix == address.max_prefixlen
