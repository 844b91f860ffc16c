"""Network policy: what the operator allows the door to the web."""

from dataclasses import dataclass, field
from ipaddress import IPv6Network, ip_address, ip_network
from typing import Literal

from gossamer.errors import BadSettings, BlockedAddress
from gossamer.net.addresses import Network
from gossamer.net.hosts import Address, Domains, literal, read_host
from gossamer.net.proxy import Proxy
from gossamer.resilience.deadline import CONNECT
from gossamer.version import __version__

DEFAULT_USER_AGENT = f"Mozilla/5.0 (compatible; Gossamer/{__version__})"
ORDINARY_PORTS = frozenset({80, 443, 8080, 8443})
_MAPPED = IPv6Network("::ffff:0:0/96")


@dataclass(frozen=True, kw_only=True, slots=True)
class Opening:
    """One entry of `allow_private`: a name, an address or a network, on one port or on the ordinary ones.

    An address is opened to those who write it as a number: anybody can give a name of theirs any address, and so a
    page could send us to it. A network is opened to the names that lead into it too, which is what one is opened for.
    """

    name: str | None = None
    address: Address | None = None
    network: Network | None = None
    port: int | None = None

    @classmethod
    def read(cls, text: str) -> "Opening":
        """Read `localhost:3000`, `127.0.0.1:8000`, `10.1.0.0/16`, `[::1]:8080` or `intranet.example`."""
        host, port = _split_port(text.strip())
        if port is not None and not 0 < port < 65536:
            raise _unreadable(text)
        try:
            network = ip_network(host, strict=False)
        except ValueError:
            network = None
        if isinstance(network, IPv6Network) and network.subnet_of(_MAPPED):
            raise _mapped(text)
        if network is not None and "/" not in host:
            return cls(address=ip_address(host), port=port)
        if network is not None:
            return cls(network=network, port=port)
        try:
            return cls(name=read_host(host), port=port)
        except BlockedAddress as error:
            raise _unreadable(text) from error

    def covers_port(self, port: int) -> bool:
        """With a port exactly that one, without one the ordinary ones."""
        return port in ORDINARY_PORTS if self.port is None else port == self.port

    def holds(self, address: Address, host: str) -> bool:
        """Whether the address that a host leads to is opened; a mapped IPv4 address counts as the one inside."""
        plain = getattr(address, "ipv4_mapped", None) or address
        if self.address is not None:
            return plain == self.address and literal(host) is not None
        return self.network is not None and plain in self.network


@dataclass(frozen=True, kw_only=True, slots=True)
class NetPolicy:
    """Where pages may come from, how we introduce ourselves, and how long and how much we take.

    The lists of domains are as `Domains` reads them; an empty list of allowed ones allows all, an empty file none.
    """

    user_agent: str = DEFAULT_USER_AGENT
    allow_private: tuple[str, ...] = ()
    allow_domains: tuple[str, ...] = ()
    block_domains: tuple[str, ...] = ()
    robots: Literal["respect", "ignore"] = "respect"
    page_timeout_s: float = 20.0
    connect_timeout_s: float = 5.0
    silence_s: float = 10.0
    max_bytes: int = 10 * 2**20
    retry_pause_s: float = 0.5
    """Before a page is asked for again for the first time; the second pause is twice as long."""
    ca_bundle: str | None = None
    proxy: str = field(default="", repr=False)
    no_proxy: tuple[str, ...] = ()
    service_proxy: str = field(default="", repr=False)
    service_proxy_variable: str = ""
    """The variable of the environment that `service_proxy` was read from, if it was."""
    service_no_proxy: tuple[str, ...] = ()
    openings: tuple[Opening, ...] = field(init=False, repr=False, compare=False)
    """`allow_private`, read."""
    allowed: Domains = field(init=False, repr=False, compare=False)
    blocked: Domains = field(init=False, repr=False, compare=False)
    way_out: Proxy | None = field(init=False, repr=False, compare=False)
    """The proxy that pages go through."""
    service_way: Proxy | None = field(init=False, repr=False, compare=False)
    """The proxy that services of the operator are asked through: their own, or that of pages."""

    def __post_init__(self) -> None:
        """Read the lists at once, so that a broken entry is reported with the settings, not on a later page."""
        object.__setattr__(self, "openings", tuple(map(Opening.read, self.allow_private)))
        object.__setattr__(self, "allowed", Domains.read("allow_domains", self.allow_domains))
        object.__setattr__(self, "blocked", Domains.read("block_domains", self.block_domains))
        object.__setattr__(self, "way_out", Proxy.read(self.proxy, self.no_proxy))
        object.__setattr__(self, "service_way", self._read_service_way())

    def _read_service_way(self) -> Proxy | None:
        past = (*self.no_proxy, *self.service_no_proxy)
        if self.service_proxy_variable:
            return Proxy.ambient(self.service_proxy, past, variable=self.service_proxy_variable)
        if self.service_proxy:
            return Proxy.read(self.service_proxy, past, setting="net.service_proxy")
        return Proxy.read(self.proxy, past)

    @property
    def connect_s(self) -> float:
        """What opening a connection may take: with a short time for the page, so little that robots.txt has some left.

        Else a host that does not answer would be told as a robots.txt that did not come.
        """
        return min(self.connect_timeout_s, CONNECT * self.page_timeout_s)

    def admits_domain(self, host: str) -> bool:
        """Whether the two lists of domains let a host through; a blocked one stays blocked, in either spelling."""
        inside = getattr(literal(host), "ipv4_mapped", None)
        names = (host,) if inside is None else (host, str(inside))
        return not any(map(self.blocked.holds, names)) and (
            not self.allow_domains or any(map(self.allowed.holds, names))
        )


def _split_port(text: str) -> tuple[str, int | None]:
    if text.startswith("["):
        host, closing, rest = text[1:].partition("]")
        port = rest.removeprefix(":")
        if not closing or ":" not in host or (rest and rest == port) or rest == ":":
            raise _unreadable(text)
    elif text.count(":") == 1:
        host, _, port = text.partition(":")
        if not port:
            raise _unreadable(text)
    else:
        host, port = text, ""
    if port and not (port.isascii() and port.isdigit()):
        raise _unreadable(text)
    return host, int(port) if port else None


def _unreadable(text: str) -> BadSettings:
    return BadSettings(
        f'net.allow_private holds "{text}", which is not a name, an address or a network.',
        hint="Write entries like localhost:3000, 127.0.0.1:8000 or 10.1.0.0/16.",
    )


def _mapped(text: str) -> BadSettings:
    return BadSettings(
        f'net.allow_private holds "{text}", an IPv4 address in the clothes of IPv6, which never matches.',
        hint="Write the IPv4 address or network itself, like 127.0.0.1:8000.",
    )
