"""The operator's lists are read at once, and a broken entry says how to write it."""

from ipaddress import ip_address, ip_network

import pytest

from gossamer.errors import BadSettings
from gossamer.net.policy import DEFAULT_USER_AGENT, NetPolicy, Opening
from gossamer.version import __version__

READ = {
    "a name": ("Intranet.Example", Opening(name="intranet.example")),
    "a name with a port": ("localhost:3000", Opening(name="localhost", port=3000)),
    "an address": ("127.0.0.1", Opening(address=ip_address("127.0.0.1"))),
    "a network of one": ("10.1.2.3/32:90", Opening(network=ip_network("10.1.2.3/32"), port=90)),
    "a network": ("10.1.2.3/16", Opening(network=ip_network("10.1.0.0/16"))),
    "a network with a port": ("10.1.0.0/16:90", Opening(network=ip_network("10.1.0.0/16"), port=90)),
    "IPv6": ("fd00::/8", Opening(network=ip_network("fd00::/8"))),
    "IPv6 with a port": ("[::1]:8080", Opening(address=ip_address("::1"), port=8080)),
    "IPv6 in brackets": ("[::1]", Opening(address=ip_address("::1"))),
}
BROKEN = {
    "a whole address": "http://localhost:3000",
    "no port after the colon": "localhost:",
    "a port of letters": "localhost:http",
    "port 0": "localhost:0",
    "a port too large": "localhost:70000",
    "a short number": "10.1",
    "nothing": "",
    "a blank": "my host",
    "brackets and a port without a colon": "[::1]8080",
    "brackets and no port after the colon": "[::1]:",
    "brackets that do not close": "[::1",
    "brackets around a name": "[localhost]:80",
    "brackets around IPv4": "[127.0.0.1]:80",
}


@pytest.mark.parametrize(("text", "opening"), READ.values(), ids=READ)
def test_an_opening_is_read_in_each_form(text: str, opening: Opening) -> None:
    assert NetPolicy(allow_private=(text,)).openings == (opening,)


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_a_broken_opening_says_how_to_write_one(text: str) -> None:
    with pytest.raises(BadSettings, match=r"allow_private.*localhost:3000"):
        NetPolicy(allow_private=(text,))


@pytest.mark.parametrize("text", ["::ffff:127.0.0.1", "[::ffff:127.0.0.1]:8080", "::ffff:7f00:1", "::ffff:0:0/96"])
def test_a_mapped_address_is_told_to_be_written_as_what_it_stands_for(text: str) -> None:
    """It would never match: addresses are compared as the IPv4 address inside."""
    with pytest.raises(BadSettings, match=r"allow_private.*IPv4"):
        NetPolicy(allow_private=(text,))


def test_a_broken_domain_names_its_setting() -> None:
    with pytest.raises(BadSettings, match=r"net\.block_domains.*example\.com"):
        NetPolicy(block_domains=("not a domain",))


def test_international_domains_are_compared_in_ascii() -> None:
    assert not NetPolicy(block_domains=("straße.de",)).admits_domain("www.xn--strae-oqa.de")


def test_we_introduce_ourselves_with_the_version() -> None:
    assert NetPolicy().user_agent == DEFAULT_USER_AGENT == f"Mozilla/5.0 (compatible; Gossamer/{__version__})"


def test_a_listed_number_is_listed_in_either_spelling() -> None:
    assert not NetPolicy(block_domains=("93.184.215.14",)).admits_domain("::ffff:5db8:d70e")
    assert NetPolicy(allow_domains=("93.184.215.14",)).admits_domain("::ffff:5db8:d70e")


def test_a_service_proxy_that_cannot_be_read_names_its_setting() -> None:
    with pytest.raises(BadSettings, match=r"^net\.service_proxy is not"):
        NetPolicy(service_proxy="socks5://proxy.example")


def test_the_password_of_a_proxy_does_not_stand_in_the_policy_as_it_is_printed() -> None:
    address = "http://me:sesame@proxy.example:3128"
    assert "sesame" not in repr(NetPolicy(proxy=address, service_proxy=address))
