"""Where an HTTP server listens: the address as written, and the sockets behind it."""

import contextlib
import errno
import ipaddress
import os
import socket
import sys
from collections.abc import Iterable
from dataclasses import dataclass

from gossamer.errors import InvalidArgument

_HOME = "127.0.0.1"
_MOST_FILES = 1_048_576
_ABSENT = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)


@dataclass(frozen=True, kw_only=True, slots=True)
class Bind:
    """A host and a port to listen on; port 0 lets the system choose."""

    host: str
    port: int

    def addresses(self) -> list[tuple[int, str]]:
        """The addresses behind the host, each with its family, without repetition."""
        try:
            found = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            raise InvalidArgument(
                f"There is no address to listen on for {self.host!r}.",
                hint="Give --http an address of this machine, such as 127.0.0.1:8000.",
            ) from error
        return list(dict.fromkeys((int(family), str(place[0]).partition("%")[0]) for family, _, _, _, place in found))


def read_bind(text: str) -> Bind:
    """Read `HOST:PORT`, `[IPV6]:PORT`, `:PORT` or `PORT`; without a host it is this machine alone."""
    host, _, port = text.strip().rpartition(":")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host:
        raise _unreadable(text)
    if not (port.isascii() and port.isdigit()) or len(port) > 5 or int(port) > 65535:
        raise _unreadable(text)
    return Bind(host=host or _HOME, port=int(port))


def open_sockets(bind: Bind) -> list[socket.socket]:
    """Bind a socket per address, all to one port; no connection is accepted before they listen."""
    opened: list[socket.socket] = []
    absent: OSError | None = None
    port = bind.port
    for family, address in bind.addresses():
        try:
            opened.append(_socket(family, address, port))
        except OSError as error:
            if error.errno in _ABSENT:  # `localhost` stands for ::1 also where there is no IPv6
                absent = error
                continue
            for one in opened:
                one.close()
            raise _unavailable(bind, error) from error
        port = port or int(opened[0].getsockname()[1])
    if not opened and absent:
        raise _unavailable(bind, absent) from absent
    return opened


def are_loopback(sockets: Iterable[socket.socket]) -> bool:
    """Whether only this machine can reach them: all are bound to a loopback address, whatever name was given."""
    return all(ipaddress.ip_address(one.getsockname()[0].partition("%")[0]).is_loopback for one in sockets)


def place(host: str, port: int) -> str:
    """A host and port as they stand in an address."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def raise_file_limit() -> int:
    """Let this process hold as many files as the system allows it, and return how many that is."""
    try:
        import resource
    except ImportError:  # Windows does not count sockets as files
        return _MOST_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _MOST_FILES if hard == resource.RLIM_INFINITY else hard
    if soft == resource.RLIM_INFINITY:
        return most
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, most), hard))
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def _socket(family: int, address: str, port: int) -> socket.socket:
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        if sys.platform != "win32":  # there it would let two servers have one port
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0 if address == "::" else 1)
        made.bind((address, port))
    except OSError:
        made.close()
        raise
    made.setblocking(False)  # noqa: FBT003  the standard library's shape
    return made


def _unavailable(bind: Bind, error: OSError) -> InvalidArgument:
    return InvalidArgument(
        f"Cannot listen on {place(bind.host, bind.port)}: {os.strerror(error.errno or 0)}.",
        hint="Choose another address or port, or end the program that has this one.",
    )


def _unreadable(text: str) -> InvalidArgument:
    return InvalidArgument(
        f"{text!r} is not an address to listen on.",
        hint="Write HOST:PORT, such as 127.0.0.1:8000 or [::1]:8000, or a port alone.",
    )
