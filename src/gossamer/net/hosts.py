"""How a host may be spelt. Odd spellings are refused, never repaired: repairing is how parsers come to disagree."""

import re
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address

from gossamer.errors import BlockedAddress

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
    told = BlockedAddress(
        f"The host of this address is refused: {why}.", hint="Write the host in its plain form, e.g. www.example.com."
    )
    return told.quoting(text)
