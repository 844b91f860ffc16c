"""The operator's proxy: how it is written, and what goes past it."""

import traceback

import pytest

from gossamer.errors import BadSettings
from gossamer.net.proxy import Proxy

READ = {
    "a whole address": ("http://proxy.example:3128", ("http", "proxy.example", 3128)),
    "without a scheme": ("proxy.example:3128", ("http", "proxy.example", 3128)),
    "without a port": ("http://proxy.example", ("http", "proxy.example", 80)),
    "over TLS": ("https://proxy.example/", ("https", "proxy.example", 443)),
    "an address": ("http://10.0.0.1:3128", ("http", "10.0.0.1", 3128)),
    "IPv6": ("http://[fd00::1]:3128", ("http", "fd00::1", 3128)),
}
BROKEN = (
    "socks5://proxy.example:1080",
    "http://",
    "http://proxy.example:port",
    "http://bad host:1",
    "ftp://a.example",
    "http://me:pa/ss@proxy.example:3128",
    "not a proxy",
    "\N{SNOWMAN}" * 400,
)


@pytest.mark.parametrize(("text", "parts"), READ.values(), ids=READ)
def test_a_proxy_is_read_in_each_form(text: str, parts: tuple[str, str, int]) -> None:
    proxy = Proxy.read(text)
    assert proxy
    assert (proxy.scheme, proxy.host, proxy.port) == parts


@pytest.mark.parametrize("text", BROKEN)
def test_what_is_no_proxy_says_how_to_write_one(text: str) -> None:
    with pytest.raises(BadSettings, match=r"net\.proxy.*http://proxy\.example\.com:3128"):
        Proxy.read(text)


@pytest.mark.parametrize("text", BROKEN)
def test_a_proxy_of_the_environment_that_cannot_be_read_stops_only_what_has_to_go_through_it(text: str) -> None:
    proxy = Proxy.ambient(text, ["left.example"], variable="https_proxy")
    assert proxy
    assert not proxy.carries("left.example")
    assert not proxy.carries("127.0.0.1")
    with pytest.raises(BadSettings) as caught:
        proxy.carries("www.example.com")
    assert str(caught.value) == (
        "https_proxy is not the address of an HTTP proxy. "
        "Correct it, or set net.service_proxy like http://proxy.example.com:3128, which counts before it."
    )


def test_a_proxy_of_the_environment_that_can_be_read_names_its_variable() -> None:
    proxy = Proxy.ambient("http://proxy.example:3128", variable="HTTP_PROXY")
    assert proxy
    assert proxy.carries("www.example.com")
    assert proxy.setting == "HTTP_PROXY"


def test_the_cause_of_an_unreadable_proxy_does_not_quote_it() -> None:
    """Python says of a port that is none what stands there, which may be half of a password."""
    address = "http://me:sesame/street@proxy.example:3128"
    with pytest.raises(BadSettings) as caught:
        Proxy.read(address)
    assert "sesame" not in "".join(traceback.format_exception(caught.value))


def test_no_proxy_is_none() -> None:
    assert Proxy.read("", ["a.example"]) is None


def test_a_password_is_read_and_never_shown() -> None:
    proxy = Proxy.read("http://me:se%40cret@proxy.example:3128")
    assert proxy
    assert proxy.auth == ("me", "se@cret")
    assert "se@cret" not in repr(proxy) + proxy.url
    assert Proxy.read("http://[::1]:1") is not None


PAST = {
    "any site": ("www.example.com", True),
    "a domain that is left out": ("left.example", False),
    "a subdomain of it": ("www.left.example", False),
    "one that is left out with a dot": ("a.dotted.example", False),
    "the domain after the dot": ("dotted.example", False),
    "one that is left out with a star": ("a.starred.example", False),
    "one that is left out with a port": ("ported.example", False),
    "one that is left out in capitals": ("www.capital.example", False),
    "one that only ends alike": ("notleft.example", True),
    "an address that is left out with a port": ("93.184.215.99", False),
    "IPv6 that is left out with a port": ("2001:db8::7", False),
    "an address that is left out": ("93.184.215.14", False),
    "an address in a network that is left out": ("10.1.2.3", False),
    "IPv6 that is left out": ("fd00::7", False),
    "another address": ("93.184.215.15", True),
    "this machine": ("127.0.0.1", False),
    "this machine by name": ("localhost", False),
}


@pytest.mark.parametrize(("host", "is_carried"), PAST.values(), ids=PAST)
def test_what_is_left_out_goes_past_the_proxy(host: str, is_carried: bool) -> None:
    names = ["left.example", ".dotted.example", "*.starred.example", "ported.example:8080", "Capital.EXAMPLE"]
    addresses = ["93.184.215.14", "10.0.0.0/8", "fd00::/8", "93.184.215.99:80", "[2001:db8::7]:443"]
    past = [*names, *addresses, "what is this?", "a:b", "[", ":80", "@/etc/hosts"]
    proxy = Proxy.read("http://proxy.example:3128", past)
    assert proxy
    assert proxy.carries(host) is is_carried


def test_a_star_leaves_everything_out() -> None:
    proxy = Proxy.read("http://proxy.example:3128", ["*"])
    assert proxy
    assert not proxy.carries("www.example.com")
