"""Host names: how one may be spelt, and lists of domains from settings and files.

Odd spellings are refused, never repaired: repairing is how parsers come to disagree. A list is looked up in constant
time however long it is.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path

from gossamer.errors import BadSettings, BlockedAddress

Address = IPv4Address | IPv6Address

_OCTET = r"(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_IPV4 = re.compile(rf"{_OCTET}(?:\.{_OCTET}){{3}}")
_NUMERIC = re.compile(r"[0-9]+|0[xX][0-9A-Fa-f]*")
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_MAX_TYPED = 1_000
_MAX_NAME = 253

_LOCAL_NAMES = frozenset(
    {
        "localhost",
        "localhost.localdomain",
        "localhost4",
        "localhost4.localdomain4",
        "localhost6",
        "localhost6.localdomain6",
        "ip6-localhost",
        "ip6-loopback",
        "loopback",
        "broadcasthost",
    }
)
_METADATA_NAMES = frozenset(
    {
        "metadata",
        "metadata.google.internal",
        "metadata.goog",
        "metadata.azure.internal",
        "metadata.azure.com",
        "metadata.tencentyun.com",
        "instance-data",
        "instance-data.ec2.internal",
        "rancher-metadata",
    }
)


_INNER_DOMAINS = frozenset(
    {
        "internal",  # set aside for private use by ICANN; clouds and Docker name their insides by it
        "local",  # multicast DNS (RFC 6762); Kubernetes' cluster.local
        "home.arpa",  # RFC 8375
        "intranet",  # the others that RFC 6762 warns of: no public domain has them
        "private",
        "corp",
        "home",
        "lan",
        "mail",  # held back by ICANN, as corp and home are, since so many inner networks use it
        "localdomain",
        "localdomain4",
        "localdomain6",
        "localnet",
        "workgroup",
        "svc",  # a service of Kubernetes, as its search list completes it
        "consul",
        "fritz.box",
    }
)
"""Domains that only inner networks have: whoever answers for one is not the public web."""

_MAX_FILE_BYTES = 64 * 2**20
_SINKS = frozenset({"0.0.0.0", "127.0.0.1", "::", "::1"})  # noqa: S104 - what hosts files send a name to
_SINK_NAMES = frozenset({"localhost", "local", "localhost.localdomain", "broadcasthost", "0.0.0.0"})  # noqa: S104


def read_host(text: str) -> str:
    """The one spelling of a host: dotted IPv4, IPv6 without brackets, or an ASCII name without a root dot.

    Names are mapped by UTS 46 first and judged after it, so that look-alike digits and letters count as what they
    become. A last label that looks like a number must belong to a plain IPv4 address.
    """
    if text.startswith("["):
        return _read_ipv6(text)
    if not text or len(text) > _MAX_TYPED or "%" in text:
        raise _odd(text, "empty" if not text else "longer than a name can be, or percent-encoded")
    mapped = text.lower() if text.isascii() else _map(text)
    if _IPV4.fullmatch(mapped):
        return mapped
    name = mapped.removesuffix(".")
    labels = name.split(".")
    if _NUMERIC.fullmatch(labels[-1]):
        raise _odd(text, "a number in an unusual spelling")
    ascii_name = ".".join(_read_label(label, text) for label in labels)
    if len(ascii_name) > _MAX_NAME:
        raise _odd(text, "longer than a name can be")
    return ascii_name


@lru_cache(maxsize=1024)
def literal(host: str) -> Address | None:
    """The address that a host read by `read_host` spells out; None for a name. Asked several times a page."""
    return ip_address(host) if ":" in host or _IPV4.fullmatch(host) else None


def is_reserved_name(host: str) -> bool:
    """Whether a name stands for this machine or a cloud's metadata service, whatever a resolver says."""
    return host in _LOCAL_NAMES or host.endswith(".localhost") or is_metadata_name(host)


def is_metadata_name(host: str) -> bool:
    """Whether a name stands for a cloud's metadata service."""
    return host in _METADATA_NAMES


def is_inner_name(host: str) -> bool:
    """Whether a name can only be meant for an inner network: a single label, or below a domain that is never public."""
    if literal(host) is not None:
        return False
    labels = host.split(".")
    return len(labels) == 1 or labels[-1] in _INNER_DOMAINS or ".".join(labels[-2:]) in _INNER_DOMAINS


def _read_ipv6(text: str) -> str:
    inner = text[1:-1]
    try:
        if not text.endswith("]") or "%" in inner:
            raise _odd(text, "not an IPv6 address in brackets")
        return IPv6Address(inner).compressed
    except ValueError as error:
        raise _odd(text, "not an IPv6 address in brackets") from error


def _map(text: str) -> str:
    import idna

    try:
        return idna.uts46_remap(text, std3_rules=False, transitional=False)
    except UnicodeError as error:
        raise _odd(text, "characters that no host name has") from error


def _read_label(label: str, text: str) -> str:
    if not label.isascii():
        import idna

        try:
            label = idna.alabel(label).decode("ascii")
        except UnicodeError as error:
            raise _odd(text, "characters that no host name has") from error
    if not _LABEL.fullmatch(label):
        raise _odd(text, "characters or a length that no host name has")
    return label


def _odd(text: str, why: str) -> BlockedAddress:
    refused = BlockedAddress(
        f"The host of this address is refused: {why}.", hint="Write the host in its plain form, e.g. www.example.com."
    )
    return refused.quoting(text)


@dataclass(frozen=True, kw_only=True, slots=True)
class Domains:
    """`example.com` holds itself and its subdomains, `*.example.com` those alone, `=example.com` itself alone."""

    exact: frozenset[str] = frozenset()
    above: frozenset[str] = frozenset()
    """Domains whose subdomains are held."""

    @classmethod
    def read(cls, setting: str, entries: Sequence[str]) -> "Domains":
        """Read a setting; `@/path/list.txt` stands for the lines of a file, as they are now.

        In a file, what follows a `#` is a remark, and lines of a hosts file (`0.0.0.0 name`) count as the name alone.
        """
        exact: set[str] = set()
        above: set[str] = set()
        for where, text in _spelt_out(setting, entries):
            rest = text.removeprefix("=").removeprefix("*").removeprefix(".")
            try:
                name = read_host(rest)
            except BlockedAddress as error:
                raise BadSettings(
                    f'{where} holds "{text[:80]}", which is not a domain.',
                    hint="Write domains like example.com, *.example.com or =example.com.",
                ) from error
            is_whole = text == rest
            if is_whole or text.startswith("="):
                exact.add(name)
            if not text.startswith("=") and literal(name) is None:
                above.add(name)
        return cls(exact=frozenset(exact), above=frozenset(above))

    def __bool__(self) -> bool:
        return bool(self.exact or self.above)

    def holds(self, host: str) -> bool:
        """Whether a host, in its one spelling, is in the list."""
        if host in self.exact:
            return True
        _, _, parent = host.partition(".")
        while parent:
            if parent in self.above:
                return True
            _, _, parent = parent.partition(".")
        return False


def _spelt_out(setting: str, entries: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Every entry with where it stands, those of files included."""
    for entry in entries:
        text = entry.strip()
        if text.startswith("@"):
            path = Path(text[1:]).expanduser()
            yield from ((f"net.{setting}, file {path}, ", line) for line in _lines(_read(setting, path)))
        else:
            yield f"net.{setting}", text


def _read(setting: str, path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_FILE_BYTES + 1)
        if len(data) > _MAX_FILE_BYTES:
            raise ValueError
        return data.decode("utf-8-sig")
    except (OSError, ValueError) as error:
        raise BadSettings(
            f"net.{setting} names the file {path}, which cannot be read as a list of domains.",
            hint="Write one domain a line, in UTF-8; lines may end in # and a remark.",
        ) from error


def _lines(text: str) -> Iterable[str]:
    for line in text.splitlines():
        first, *rest = line.partition("#")[0].split() or [""]
        if first in _SINKS and rest:
            yield from (f"={name}" for name in rest if name not in _SINK_NAMES and not name.startswith("ip6-"))
        elif first:
            yield " ".join((first, *rest))
