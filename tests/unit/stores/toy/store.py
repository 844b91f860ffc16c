"""A store behind a server of its own, as far as an address tells: `toy://user:password@host/name`."""

from typing import ClassVar, Self
from urllib.parse import urlsplit

from gossamer.errors import BadSettings
from gossamer.ports import Clock
from gossamer.stores.memory import MemoryStore


class ToyStore(MemoryStore):
    """Pages stay with the server when a store is closed."""

    servers: ClassVar[dict[str, Self]] = {}

    @classmethod
    async def open(cls, address: str, *, clock: Clock) -> Self:
        """Connect to the server that an address names."""
        return cls.servers.setdefault(cls._server_of(address), cls(now=clock.now))

    @classmethod
    def exists(cls, address: str) -> bool:
        """Whether anybody has ever connected."""
        return cls._server_of(address) in cls.servers

    @classmethod
    def remark(cls, address: str) -> str:
        """Where it is."""
        return f"served by {cls._server_of(address)}"

    async def close(self) -> None:
        """Leave the server as it is."""

    @classmethod
    def _server_of(cls, address: str) -> str:
        host = urlsplit(address).hostname
        if not host:
            raise BadSettings("A toy address needs a host.", hint="Write toy://host/name.")
        return host
