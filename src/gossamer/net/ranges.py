"""Public address ranges: a table of our own, because libraries and Python versions differ."""

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Network, ip_network

from gossamer.net.hosts import Address

Network = IPv4Network | IPv6Network

_SPECIAL_V4 = tuple(
    IPv4Network(net)
    for net in (
        "0.0.0.0/8",  # this network; Linux connects it to loopback
        "10.0.0.0/8",
        "100.64.0.0/10",  # shared by carriers; also metadata and overlay networks
        "127.0.0.0/8",
        "168.63.129.16/32",  # Azure's wire server, a public number with a private meaning
        "169.254.0.0/16",  # link-local; cloud metadata
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",  # 6to4 relays, withdrawn
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
    )
)
_GLOBAL_V6 = IPv6Network("2000::/3")
_SPECIAL_V6 = tuple(IPv6Network(net) for net in ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"))
_NAT64 = IPv6Network("64:ff9b::/96")
_ISATAP = (0x00005EFE, 0x02005EFE)

_HOME = tuple(
    ip_network(net)
    for net in (
        "127.0.0.0/8",
        "10.0.0.0/8",
        "172.16.0.0/12",
        "192.168.0.0/16",
        "100.64.0.0/10",
        "::1/128",
        "fc00::/7",
    )
)
_METADATA = frozenset({"100.100.100.200", "fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254", "fd00:42::42"})


def is_public(address: Address, own: Sequence[Network] = ()) -> bool:
    """Whether pages may come from an address: what is not known to be public, or is our `own`, is refused.

    An IPv6 address that carries an IPv4 one (mapped, NAT64, ISATAP) is judged by the one inside.
    """
    if any(address in net for net in own):
        return False
    if isinstance(address, IPv4Address):
        return not any(address in net for net in _SPECIAL_V4)
    if address.scope_id is not None:
        return False
    if address.ipv4_mapped is not None:
        return is_public(address.ipv4_mapped, own)
    low = IPv4Address(int(address) & 0xFFFF_FFFF)
    if address in _NAT64:
        return is_public(low, own)
    if int(address) >> 32 & 0xFFFF_FFFF in _ISATAP and not is_public(low, own):
        return False
    return address in _GLOBAL_V6 and not any(address in net for net in _SPECIAL_V6)


def is_homely(address: Address) -> bool:
    """Whether a private address is one that a name opened by the operator may lead to.

    Loopback and private networks are; link-local and metadata addresses must be opened by number.
    """
    return str(address) not in _METADATA and any(address in net for net in _HOME)
