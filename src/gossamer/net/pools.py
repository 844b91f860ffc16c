"""Connection pools of one door: straight to addresses, or through the operator's proxy."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gossamer.errors import BlockedAddress
from gossamer.net.hosts import literal
from gossamer.net.proxy import Proxy
from gossamer.net.resolve import Lookups

if TYPE_CHECKING:
    from gossamer.net.exchange import Wire
    from gossamer.net.pinned_backend import Dial, Judged


class Ways:
    """Opens each kind of connections when it is first needed; the HTTP library is loaded with it."""

    def __init__(
        self, judged: "Judged", *, dial: "Dial | None", ca_bundle: str | None, proxy: Proxy | None, lookups: Lookups
    ) -> None:
        self._judged = judged
        self._dial = dial
        self._ca_bundle = ca_bundle
        self._proxy = proxy
        self._lookups = lookups
        self._straight: Wire | None = None
        self._through: Wire | None = None

    def to(self, host: str) -> "Wire":
        """The connections by which a host is reached."""
        from gossamer.net.exchange import open_wire

        if self._proxy is not None and self._proxy.carries(host):
            if self._through is None:
                self._through = open_wire(self._of_proxy, self._dial, self._ca_bundle, self._proxy)
            return self._through
        if self._straight is None:
            self._straight = open_wire(self._judged, self._dial, self._ca_bundle)
        return self._straight

    async def close(self) -> None:
        """Drop all connections."""
        for wire in (self._straight, self._through):
            if wire is not None:
                await wire.close()

    async def _of_proxy(self, host: str, port: int) -> Sequence[str]:
        """Nothing but the proxy itself is dialled on its behalf; the operator chose it, wherever it is."""
        if self._proxy is None or (host, port) != (self._proxy.host, self._proxy.port):
            raise BlockedAddress("This address is not the proxy.", hint="Report this.")
        return (host,) if literal(host) else await self._lookups.addresses(host)
