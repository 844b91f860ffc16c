"""IP addresses: which are public, and which are this machine's own.

The table of ranges is ours, because libraries and Python versions differ. Pages do not come from our own interfaces
either, where they are public: what listens on this machine or beside it often trusts its neighbours.
"""

import socket
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TYPE_CHECKING, Any, NamedTuple

from gossamer.net.hosts import Address

if TYPE_CHECKING:
    import ctypes

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

ReadInterfaces = Callable[[], Iterable["InterfaceAddress"]]

_FRESH_S = 60.0
_MOST = 4096
_SHORTEST = {4: 8, 6: 32}
"""A shorter prefix is a mistake, or a tunnel to everywhere; then the address alone is ours. The networks that programs
take for themselves on public numbers (25.0.0.0/8, 26.0.0.0/8) still count."""
_IS_UP = 0x1
_HAS_WIDE_FAMILY = sys.platform == "linux"
"""Whether a `sockaddr` begins with a family of two bytes; elsewhere its length and then its family take one each."""


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


class InterfaceAddress(NamedTuple):
    """One address of an interface with the length of its on-link prefix."""

    address: Address
    prefix: int


class Interfaces:
    """Knows the public networks that this machine is on; looks again once a minute."""

    def __init__(self, read: ReadInterfaces | None = None, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._read = read or read_interfaces
        self._monotonic = monotonic
        self._until = float("-inf")
        self._networks: tuple[Network, ...] = ()

    def networks(self) -> tuple[Network, ...]:
        """Each public address of our own, and the prefix around it; none where they cannot be read."""
        now = self._monotonic()
        if now >= self._until:
            self._networks = _public_networks(self._read())
            self._until = now + _FRESH_S
        return self._networks


def _public_networks(addresses: Iterable[InterfaceAddress]) -> tuple[Network, ...]:
    networks: dict[Network, None] = {}
    for address, prefix in addresses:
        if is_public(address):
            length = prefix if prefix >= _SHORTEST[address.version] else address.max_prefixlen
            networks[ip_network((address, length), strict=False)] = None
    return tuple(networks)


def read_interfaces(platform: str = sys.platform) -> tuple[InterfaceAddress, ...]:
    """What the system says of its interfaces that are up: by `getifaddrs`, or on Windows by the machine's own name.

    There prefixes are not known, so that each address stands for itself alone.
    """
    try:
        return tuple(_named_addresses() if platform == "win32" else _getifaddrs())
    except (OSError, AttributeError, ValueError, ImportError):
        return ()


def _named_addresses() -> Iterator[InterfaceAddress]:
    for row in socket.getaddrinfo(socket.gethostname(), None)[:_MOST]:
        address = ip_address(str(row[4][0]).partition("%")[0])
        yield InterfaceAddress(address, address.max_prefixlen)


def _getifaddrs() -> Iterator[InterfaceAddress]:
    import ctypes

    class Entry(ctypes.Structure):
        """`struct ifaddrs`, the same on Linux, macOS and the BSDs."""

    Entry._fields_ = [
        ("next", ctypes.POINTER(Entry)),
        ("name", ctypes.c_char_p),
        ("flags", ctypes.c_uint),
        ("address", ctypes.c_void_p),
        ("netmask", ctypes.c_void_p),
        ("peer", ctypes.c_void_p),
        ("data", ctypes.c_void_p),
    ]
    library = ctypes.CDLL(None, use_errno=True)
    first = ctypes.POINTER(Entry)()
    if library.getifaddrs(ctypes.byref(first)) != 0:
        raise OSError(ctypes.get_errno(), "getifaddrs failed")
    try:
        entry: Any = first
        for _ in range(_MOST):
            if not entry:
                return
            yield from _addresses_of(entry.contents)
            entry = entry.contents.next
    finally:
        library.freeifaddrs(first)


def _addresses_of(entry: "ctypes.Structure | Any") -> Iterator[InterfaceAddress]:
    """The address of an interface, and the one at the other end or for all, which shares its prefix."""
    address = _read_address(entry.address)
    if address is None or not entry.flags & _IS_UP:
        return
    mask = _read_bytes(entry.netmask, address.version) if entry.netmask else b"\xff" * (address.max_prefixlen // 8)
    bits = int.from_bytes(mask)
    prefix = bits.bit_count()
    is_whole = bits == ((1 << prefix) - 1) << (address.max_prefixlen - prefix)
    yield InterfaceAddress(address, prefix if is_whole else address.max_prefixlen)
    peer = _read_address(entry.peer)
    if peer is not None:
        yield InterfaceAddress(peer, prefix if is_whole and peer.version == address.version else peer.max_prefixlen)


def _read_address(pointer: int | None) -> Address | None:
    import ctypes

    if not pointer:
        return None
    head = ctypes.string_at(pointer, 2)
    family = int.from_bytes(head, sys.byteorder) if _HAS_WIDE_FAMILY else head[1]
    if family == socket.AF_INET:
        return IPv4Address(_read_bytes(pointer, 4))
    return IPv6Address(_read_bytes(pointer, 6)) if family == socket.AF_INET6 else None


def _read_bytes(pointer: int, version: int) -> bytes:
    """The address inside a `sockaddr`; the BSDs leave out zeros at the end of a mask and say its length first."""
    import ctypes

    start, size = (4, 4) if version == 4 else (8, 16)
    if not _HAS_WIDE_FAMILY:
        size_there = max(0, min(size, ctypes.string_at(pointer, 1)[0] - start))
        return ctypes.string_at(pointer + start, size_there).ljust(size, b"\0")
    return ctypes.string_at(pointer + start, size)
