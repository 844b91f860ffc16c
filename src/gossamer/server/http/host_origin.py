"""Host and Origin checks: by which name a request comes, from which page, from which address.

A web page can make a name of its own point at this machine (DNS rebinding). The browser then sends that name as Host
and the page's origin as Origin: both are checked on every request.
"""

import ipaddress
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any

from gossamer.errors import BadSettings

_MOST_KEPT = 256
_RELAY_HEADERS = frozenset({b"forwarded", b"via", b"x-real-ip", b"x-client-ip", b"true-client-ip", b"cf-connecting-ip"})
"""What a reverse proxy tells of the one it relays for; `x-forwarded-…` too."""


class Named(Enum):
    """What a Host header says."""

    OURS = "ours"
    ADDRESS = "address"
    """An IP address that is not loopback; unlike a name, it cannot be rebound by DNS."""
    OTHER = "other"
    NONE = "none"
    """Nothing that can be a host."""


class Hosts:
    """Judges Host headers; what was judged once is remembered, within bounds."""

    def __init__(self, names: Iterable[str]) -> None:
        named = {name.lower(): host_of(name.lower()) for name in names}
        for name, host in named.items():
            if host is None:
                raise BadSettings(
                    f"The setting http.hosts names {name!r}, which is no host.",
                    hint="Write a name or an address, with or without a port: web.example.org, web.example.org:8443.",
                )
        # An address in brackets without a port is compared as the host that `host_of` gives.
        self._names = frozenset(name[1:-1] if name.endswith("]") else name for name in named)
        self.has_names = bool(self._names)
        self.has_foreign = not all(is_loopback(host or "") for host in named.values())
        """Whether some name is not this machine's own: then others are meant to come."""
        self._kept: dict[bytes, Named] = {}

    def judge(self, raw: bytes) -> Named:
        """What a Host header names."""
        known = self._kept.get(raw)
        if known is None:
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            known = self._kept[raw] = self._judge(raw)
        return known

    def _judge(self, raw: bytes) -> Named:
        text = raw.decode("latin-1").lower()
        host = host_of(text)
        if host is None:
            return Named.NONE
        if text in self._names or host in self._names or is_loopback(host):
            return Named.OURS
        return Named.ADDRESS if _address(host) else Named.OTHER


class Origins:
    """Judges Origin headers: pages of this machine, and those that the operator named, letter by letter."""

    def __init__(self, origins: Iterable[str]) -> None:
        self._origins = frozenset(origin.lower().removesuffix("/") for origin in origins)
        for origin in self._origins:
            scheme, _, host = origin.partition("://")
            if scheme not in {"http", "https"} or host_of(host) is None:
                raise BadSettings(
                    f"The setting http.origins names {origin!r}, which is no origin.",
                    hint="Write scheme and host, and the port if there is one: https://chat.example.org.",
                )
        self._kept: dict[bytes, bool] = {}

    def allows(self, raw: bytes) -> bool:
        """Whether a page of this origin may call us."""
        known = self._kept.get(raw)
        if known is None:
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            known = self._kept[raw] = self._allows(raw.decode("latin-1").lower())
        return known

    def _allows(self, origin: str) -> bool:
        scheme, _, rest = origin.partition("://")
        host = host_of(rest)
        return origin in self._origins or (scheme in {"http", "https"} and host is not None and is_loopback(host))


def host_of(text: str) -> str | None:
    """The host of `host`, `host:port` or `[address]:port`; None where it is none of these."""
    if text.startswith("["):
        host, closed, port = text[1:].partition("]")
        if not closed or (port and not _is_port(port[1:], port[:1])) or not _address(host):
            return None
        return host
    host, colon, port = text.partition(":")
    if not host or (colon and not _is_port(port, colon)) or any(not (c.isalnum() or c in "-._") for c in host):
        return None
    return host


def is_loopback(host: str) -> bool:
    """Whether a host is this machine's own: `localhost`, `127.0.0.0/8` or `::1`."""
    address = _address(host)
    return address.is_loopback if address else host == "localhost"


def peer_of(scope: Mapping[str, Any]) -> str:
    """The address at the other end of the connection; what a header says about it is hearsay."""
    text = str((scope.get("client") or ("",))[0]).partition("%")[0]
    address = _address(text)
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return str(mapped or text)


def is_relayed(heads: Mapping[bytes, bytes]) -> bool:
    """Whether a proxy header says that the request is forwarded for another client."""
    return any(name in _RELAY_HEADERS or name.startswith(b"x-forwarded") for name in heads)


def household(peer: str) -> str:
    """The rate-limit key of an address: itself, or in IPv6 its /64, which belongs to one household."""
    address = _address(peer)
    if isinstance(address, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((address, 64), strict=False))
    return peer


def _is_port(digits: str, colon: str) -> bool:
    return colon == ":" and digits.isascii() and digits.isdigit() and len(digits) <= 5


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
