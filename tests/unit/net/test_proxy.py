"""The operator's proxy: how it is written, and what goes past it."""

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
BROKEN = ("socks5://proxy.example:1080", "http://", "http://proxy.example:port", "http://bad host:1", "ftp://a.example")


@pytest.mark.parametrize(("text", "parts"), READ.values(), ids=READ)
def test_a_proxy_is_read_in_each_form(text: str, parts: tuple[str, str, int]) -> None:
    proxy = Proxy.read(text)
    assert proxy
    assert (proxy.scheme, proxy.host, proxy.port) == parts


@pytest.mark.parametrize("text", BROKEN)
def test_what_is_no_proxy_says_how_to_write_one(text: str) -> None:
    with pytest.raises(BadSettings, match=r"net\.proxy.*http://proxy\.example\.com:3128"):
        Proxy.read(text)


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
    "an address that is left out": ("93.184.215.14", False),
    "an address in a network that is left out": ("10.1.2.3", False),
    "IPv6 that is left out": ("fd00::7", False),
    "another address": ("93.184.215.15", True),
    "this machine": ("127.0.0.1", False),
    "this machine by name": ("localhost", False),
}


@pytest.mark.parametrize(("host", "is_carried"), PAST.values(), ids=PAST)
def test_what_is_left_out_goes_past_the_proxy(host: str, is_carried: bool) -> None:
    past = ["left.example", ".dotted.example", "93.184.215.14", "10.0.0.0/8", "fd00::/8", "what is this?"]
    proxy = Proxy.read("http://proxy.example:3128", past)
    assert proxy
    assert proxy.carries(host) is is_carried


def test_a_star_leaves_everything_out() -> None:
    proxy = Proxy.read("http://proxy.example:3128", ["*"])
    assert proxy
    assert not proxy.carries("www.example.com")
