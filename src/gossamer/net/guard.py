"""SSRF guard: public addresses only, for the address as typed, every address a name resolves to, every redirect.

Pure: no look-ups here. Whoever dials asks `check_answers` about the addresses it was given, and dials only those.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from ipaddress import ip_address
from urllib.parse import quote, urlencode

from gossamer.errors import BlockedAddress
from gossamer.net.addresses import Network, is_homely, is_public
from gossamer.net.hosts import Address, is_inner_name, is_metadata_name, is_reserved_name, literal, read_host
from gossamer.net.policy import ORDINARY_PORTS, NetPolicy, Opening

MAX_URL = 8_192
_NAMED = frozenset({"about", "blob", "data", "file", "ftp", "gopher", "javascript", "mailto", "tel", "ws", "wss"})
"""Schemes that our sentence repeats; any other is somebody's own word."""
DEFAULT_PORTS = {"http": 80, "https": 443}

_RAW = re.compile(r"[\x00-\x20\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_REST = re.compile(r"//([^/?#\\]*)([^?#]*)(?:\?([^#]*))?(?:#.*)?", re.DOTALL)
_AUTHORITY = re.compile(r"(\[[^\[\]@]*\]|[^:\[\]@]*)(?::([0-9]*))?")
_PORT = re.compile(r"[1-9][0-9]{0,4}")
_PATH_SAFE = "%/:;@!$&'()*+,=~-._[]|"
_QUERY_SAFE = "%/?:;@!$&()*+,=~-._[]|^`{}"


class Space(StrEnum):
    """Where a host is and by what it is admitted; browsers call it the address space of a host."""

    PUBLIC = "public"
    OPENED = "opened"
    """At public addresses too, and yet admitted by `net.allow_private` alone: for its port, or a private answer."""
    INSIDE = "inside"
    """At private addresses, or our own, admitted by `net.allow_private`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Target:
    """An address in its one spelling, ready to be asked."""

    scheme: str
    host: str
    """An ASCII name, or an address without brackets."""
    port: int
    path: str
    """Path and query, percent-encoded, dot segments resolved: what is sent and what robots.txt is asked about."""
    space: Space = Space.PUBLIC
    """Known to who judged its addresses."""

    @property
    def authority(self) -> str:
        """The `Host` header: the port is said only where it is not the scheme's own."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def origin(self) -> str:
        """Scheme and authority."""
        return f"{self.scheme}://{self.authority}"

    @property
    def url(self) -> str:
        """The whole address, without a fragment."""
        return f"{self.origin}{self.path}"


def read_url(url: str, params: Mapping[str, str | int] | None = None) -> Target:
    """Take an address apart by one strict expression; blanks around it are trimmed, nothing else is mended."""
    text = url.strip(" \t\r\n")
    _refuse_raw(text)
    scheme = _SCHEME.match(text)
    if scheme is None or scheme[1].lower() not in DEFAULT_PORTS:
        name = scheme[1].lower() if scheme else ""
        kind = f"{name}:" if name in _NAMED else "Another scheme" if name else "An address without a scheme"
        refused = BlockedAddress(f"{kind} is not fetched.", hint="Give an http:// or https:// address.")
        raise refused.quoting("" if name in _NAMED else name)
    rest = _REST.fullmatch(text, scheme.end())
    if rest is None or "\\" in rest[2]:
        raise BlockedAddress("The address has no host, or a backslash before its query.", hint=_PLAIN)
    name = scheme[1].lower()
    host, port = _read_authority(rest[1], DEFAULT_PORTS[name])
    query = "&".join(part for part in (rest[3] or "", urlencode(params or {}, quote_via=quote)) if part)
    path = quote(_resolve_dots(rest[2] or "/"), safe=_PATH_SAFE)
    asks = rest[3] is not None or bool(query)
    return Target(scheme=name, host=host, port=port, path=path + ("?" + quote(query, safe=_QUERY_SAFE) if asks else ""))


def check_url(
    url: str, policy: NetPolicy, params: Mapping[str, str | int] | None = None, *, own: Sequence[Network] = ()
) -> Target:
    """Read an address and refuse what can be refused without a look-up: domain, name, port, literal address.

    `own` are the public networks that this machine is on. A name that may yet lead into an opened network passes.
    """
    target = read_url(url, params)
    if not policy.admits_domain(target.host):
        raise BlockedAddress(
            f"{target.host} is not among the domains that pages may come from.",
            hint="The operator decides by net.allow_domains and net.block_domains.",
        )
    if literal(target.host) is not None:
        check_answers(target, (target.host,), policy, own=own)
    elif not _is_named(target, policy):
        may_be_opened = any(opening.network and opening.covers_port(target.port) for opening in policy.openings)
        if is_reserved_name(target.host) or (is_inner_name(target.host) and not may_be_opened):
            raise private(target, policy)
        if target.port not in ORDINARY_PORTS and not may_be_opened:
            raise _closed_port(target, policy)
    return target


def check_answers(target: Target, addresses: Sequence[str], policy: NetPolicy, *, own: Sequence[Network] = ()) -> Space:
    """Tell the space of a host, or refuse it: all its addresses have to be public, or all of them opened.

    Without addresses only a proxy can look the host up, and its name decides. The message never names what a name
    resolved to: it would map the operator's network.
    """
    ips = [_read_ip(address, target, policy) for address in addresses]
    is_named = _is_named(target, policy)
    is_inner = is_reserved_name(target.host) or is_inner_name(target.host) or (is_named and not ips)
    are_public = [is_public(ip, own) for ip in ips]
    is_of_the_web = all(are_public) and not is_inner
    if is_of_the_web and target.port in ORDINARY_PORTS:
        return Space.PUBLIC
    if not (all(_opens(ip, target, policy) for ip in ips) if ips else is_named):
        raise _closed_port(target, policy) if is_of_the_web else private(target, policy)
    return Space.OPENED if any(are_public) else Space.INSIDE


def join(base: Target, location: str) -> str:
    """Where a redirect leads; only what is relative is completed, so that nothing odd is mended on the way."""
    text = location.strip(" \t\r\n")
    _refuse_raw(text)
    if _SCHEME.match(text):
        return text
    if text.startswith("//"):
        return f"{base.scheme}:{text}"
    if text.startswith("/"):
        return base.origin + text
    path = base.path.partition("?")[0]
    if text.startswith("?"):
        return base.origin + path + text
    if not text or text.startswith("#"):
        return base.url
    return base.origin + path.rpartition("/")[0] + "/" + text


_PLAIN = "Give the address in its plain form, e.g. https://www.example.com/page."


def _refuse_raw(text: str) -> None:
    if len(text) > MAX_URL:
        raise BlockedAddress(f"The address is longer than {MAX_URL} characters.", hint=_PLAIN)
    if _RAW.search(text):
        raise BlockedAddress("The address holds blanks or control characters.", hint="Percent-encode them: %20.")


def _read_authority(text: str, default_port: int) -> tuple[str, int]:
    if "@" in text:
        raise BlockedAddress("The address holds a user name or password.", hint="Leave out what stands before the @.")
    parts = _AUTHORITY.fullmatch(text)
    if parts is None:
        raise BlockedAddress("The host or port of the address cannot be read.", hint=_PLAIN)
    if not parts[2]:
        return read_host(parts[1]), default_port
    if not _PORT.fullmatch(parts[2]) or int(parts[2]) > 65535:
        raise BlockedAddress("The port of the address is none.", hint=_PLAIN).quoting(parts[2])
    return read_host(parts[1]), int(parts[2])


def _resolve_dots(path: str) -> str:
    kept: list[str] = []
    segments = path.split("/")[1:]
    for segment in segments:
        plain = segment.lower().replace("%2e", ".")
        if plain == "..":
            kept = kept[:-1]
        elif plain != ".":
            kept.append(segment)
    if segments[-1].lower().replace("%2e", ".") in {".", ".."}:
        kept.append("")
    return "/" + "/".join(kept)


def _read_ip(address: str, target: Target, policy: NetPolicy) -> Address:
    try:
        return _ip(address)
    except ValueError as error:
        raise private(target, policy) from error


_ip = lru_cache(maxsize=1024)(ip_address)
"""The same few addresses are judged for every page of a site."""


def _is_named(target: Target, policy: NetPolicy) -> bool:
    return any(opening.name == target.host and opening.covers_port(target.port) for opening in policy.openings)


def _opens(ip: Address, target: Target, policy: NetPolicy) -> bool:
    """Whether an opening admits an address; one by name also admits the public ones and those of a home network."""
    return any(opening.holds(ip, target.host) for opening in policy.openings if opening.covers_port(target.port)) or (
        _is_named(target, policy) and (is_public(ip) or is_homely(ip))
    )


def private(target: Target, policy: NetPolicy) -> BlockedAddress:
    """The refusal of what is not on the public web; of an opened host it says which port was meant."""
    return _other_port(target, policy) or BlockedAddress(
        f"{target.host} is not on the public web, so it is not fetched.", hint=_how_to_open(target, policy)
    )


def _how_to_open(target: Target, policy: NetPolicy) -> str:
    """What opens a host, as far as its name alone tells: where it leads is told only to who opened the name."""
    if _is_named(target, policy):
        return (
            "Its name is opened, but not where it leads: link-local, metadata and reserved addresses are opened by "
            "their network in net.allow_private, such as 169.254.0.0/16."
        )
    if is_metadata_name(target.host):
        return "If the operator means to open a cloud's metadata service, net.allow_private opens it by its number."
    if literal(target.host) is not None:
        return f"If it is the operator's own, they can {_addition(target)}."
    return f"If it is the operator's own, they can {_addition(target)}; that opens no link-local or metadata address."


def _closed_port(target: Target, policy: NetPolicy) -> BlockedAddress:
    return _other_port(target, policy) or BlockedAddress(
        f"Port {target.port} of {target.host} is not a web port, so it is not fetched.",
        hint=f"Use port 80, 443, 8080 or 8443, or the operator can {_addition(target)}.",
    )


def _other_port(target: Target, policy: NetPolicy) -> BlockedAddress | None:
    """The refusal of a host that is opened for other ports alone; a name is told what was opened by name, no more."""
    openings = [opening for opening in policy.openings if _is_about(opening, target)]
    if not openings or any(opening.covers_port(target.port) for opening in openings):
        return None
    ports = sorted({port for opening in openings for port in ((opening.port,) if opening.port else ORDINARY_PORTS)})
    shown = f"port {ports[0]}" if len(ports) == 1 else f"ports {', '.join(map(str, ports))}"
    return BlockedAddress(
        f"{target.host} is opened for {shown} alone, so port {target.port} is not fetched.",
        hint=f"The operator can {_addition(target)}.",
    )


def _is_about(opening: Opening, target: Target) -> bool:
    ip = literal(target.host)
    return opening.name == target.host if ip is None else opening.holds(ip, target.host)


def _addition(target: Target) -> str:
    """The entry that opens a host on its port, to be added: a list that is set anew closes what it held."""
    ip = literal(target.host)
    host = str(getattr(ip, "ipv4_mapped", None) or target.host)
    entry = f"[{host}]:{target.port}" if ":" in host else f"{host}:{target.port}"
    return f"add {entry} to net.allow_private (GOSSAMER_NET__ALLOW_PRIVATE)"
