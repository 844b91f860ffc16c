"""The operator's proxy: who it is, and which hosts are reached without it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from ipaddress import IPv4Network, IPv6Network, ip_network
from urllib.parse import unquote, urlsplit

from gossamer.errors import BadSettings, BlockedAddress
from gossamer.net.hosts import Domains, is_reserved_name, literal, read_host

_PORTS = {"http": 80, "https": 443}
_WITH_PORT = re.compile(r"(\[.*\]|[^:]*):[0-9]+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Proxy:
    """A proxy that looks names up itself: what those lead to that we cannot look up is for it to judge."""

    scheme: str
    host: str
    port: int
    auth: tuple[str, str] | None = field(default=None, repr=False)
    past: Domains = field(default_factory=Domains, repr=False)
    networks: tuple[IPv4Network | IPv6Network, ...] = field(default=(), repr=False)
    is_never: bool = False
    setting: str = "net.proxy"
    """Where it was set: a setting, or a variable of the environment."""
    problem: BadSettings | None = None
    """Why nothing can go through it."""

    @classmethod
    def read(cls, url: str, past: Sequence[str] = (), *, setting: str = "net.proxy") -> "Proxy | None":
        """Read `http://name:password@proxy.example:3128`; nothing for an empty one.

        `past` is written as `NO_PROXY` is everywhere: domains, addresses, networks, `*`; a port counts for nothing.
        What cannot be read in it is passed over, since other programs may understand it.
        """
        if not url:
            return None
        try:
            parts = urlsplit(url if "://" in url else f"http://{url}")
            host = read_host(f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname or "")
            usual_port = _PORTS[parts.scheme]
            port = parts.port or usual_port
        except (ValueError, KeyError, BlockedAddress):
            # What Python says of it may quote a part of the password.
            raise BadSettings(
                f"{setting} is not the address of an HTTP proxy.", hint="Write it like http://proxy.example.com:3128."
            ) from None
        auth = (unquote(parts.username), unquote(parts.password or "")) if parts.username else None
        names, networks = _past(past)
        return cls(
            scheme=parts.scheme,
            host=host,
            port=port,
            auth=auth,
            past=Domains.read("no_proxy", names),
            networks=networks,
            is_never="*" in past,
            setting=setting,
        )

    @classmethod
    def ambient(cls, url: str, past: Sequence[str] = (), *, variable: str) -> "Proxy | None":
        """Read the proxy that a variable names, which was set for other programs as well.

        One that cannot be read stops only what has to go through it.
        """
        try:
            return cls.read(url, past, setting=variable)
        except BadSettings as error:
            hint = "Correct it, or set net.service_proxy like http://proxy.example.com:3128, which counts before it."
            stand_in = cls.read("http://unreadable.invalid", past, setting=variable)
            return stand_in and replace(stand_in, problem=error.but(hint=hint))

    @property
    def url(self) -> str:
        """Its address, without name and password."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"

    def carries(self, host: str) -> bool:
        """Whether a host is reached through it; this machine itself never is.

        Where it would have to be and cannot, that is raised, so that nobody goes straight instead.
        """
        if self.is_never or is_reserved_name(host) or self.past.holds(host):
            return False
        ip = literal(host)
        if ip is not None and (ip.is_loopback or any(ip in network for network in self.networks)):
            return False
        if self.problem:
            raise self.problem.but()
        return True


def _past(entries: Sequence[str]) -> tuple[list[str], tuple[IPv4Network | IPv6Network, ...]]:
    names: list[str] = []
    networks: list[IPv4Network | IPv6Network] = []
    for entry in entries:
        text = entry.strip().removeprefix("*").removeprefix(".")
        if match := _WITH_PORT.fullmatch(text):
            text = match[1]
        try:
            networks.append(ip_network(text.strip("[]"), strict=False))
            continue
        except ValueError:
            pass
        try:
            names.append(read_host(text))
        except BlockedAddress:
            continue
    return names, tuple(networks)
