"""Where requests for pages may leave to: the public web, or what the operator opened, over connections of their own.

Browsers know it as Local Network Access: a page may send its reader to where it is itself, and never further inside.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from gossamer.errors import BlockedAddress, Unreachable
from gossamer.model.http import HttpReply
from gossamer.net.body import Limits
from gossamer.net.guard import Space, Target, check_answers, check_url, private
from gossamer.net.hosts import literal
from gossamer.net.interfaces import Interfaces
from gossamer.net.policy import NetPolicy
from gossamer.net.proxy import Proxy
from gossamer.net.resolve import Lookups, NoConnection, Resolve, SystemResolver

if TYPE_CHECKING:
    from gossamer.net.exchange import Wire
    from gossamer.net.pinned_backend import Dial, Judged

_BESIDE_PROXY_S = 2.0
"""How long a name may take to look up that the proxy can look up too."""


class Egress:
    """Judges every address before anything is sent there: as written, as looked up, and again as it is dialled.

    Each space has connections of its own, and is dialled under its own rule alone: a name that turns from one into
    another on the way is refused.
    """

    def __init__(
        self,
        policy: NetPolicy,
        *,
        resolve: Resolve | None,
        dial: "Dial | None",
        interfaces: Interfaces,
        monotonic: Callable[[], float],
    ) -> None:
        self._policy = policy
        self._interfaces = interfaces
        self._lookups = Lookups(resolve or SystemResolver(), limit_s=policy.connect_s, monotonic=monotonic)
        self._ways = {
            space: Ways(
                partial(self._judged, space=space),
                dial=dial,
                ca_bundle=policy.ca_bundle,
                proxy=policy.way_out,
                lookups=self._lookups,
            )
            for space in Space
        }

    def read(self, url: str, params: Mapping[str, str | int] | None = None) -> Target:
        """Read an address; what can be refused without a look-up is."""
        return check_url(url, self._policy, params, own=self._interfaces.networks())

    async def locate(self, target: Target) -> Target:
        """The same target, knowing its space; where nothing is opened there is but one."""
        if not self._policy.openings:
            return target
        return replace(target, space=self._check(target, await self._addresses(target.host)))

    async def onward(self, following: Target, *, after: Target) -> Target:
        """Where a page sends us; what is opened is for who asks for it, for its own pages and for those inside."""
        following = await self.locate(following)
        is_same_site = (following.host, following.port, following.space) == (after.host, after.port, after.space)
        if following.space is not Space.PUBLIC and after.space is not Space.INSIDE and not is_same_site:
            raise BlockedAddress(
                "A page of the public web leads to an address that the operator opened.", hint="Ask for it itself."
            )
        return following

    async def exchange(self, target: Target, headers: Mapping[str, str], limits: Limits) -> HttpReply:
        """Ask for a page; a name that a proxy is going to look up is looked up here too, where that works."""
        if self._is_proxied(target.host):
            await self._judged(target.host, target.port, space=target.space)
        return await self._ways[target.space].to(target.host).exchange(target, headers, limits)

    async def close(self) -> None:
        """Drop all connections."""
        for ways in self._ways.values():
            await ways.close()

    def _is_proxied(self, host: str) -> bool:
        return self._policy.way_out is not None and self._policy.way_out.carries(host)

    async def _judged(self, host: str, port: int, *, space: Space) -> Sequence[str]:
        target = Target(scheme="https", host=host, port=port, path="/")
        addresses = await self._addresses(host)
        if self._check(target, addresses) is not space:
            raise private(target, self._policy)
        return addresses

    def _check(self, target: Target, addresses: Sequence[str]) -> Space:
        return check_answers(target, addresses, self._policy, own=self._interfaces.networks())

    async def _addresses(self, host: str) -> Sequence[str]:
        """What a host leads to; nothing where only the proxy can say."""
        if literal(host) is not None:
            return (host,)
        if not self._is_proxied(host):
            return await self._lookups.addresses(host)
        try:
            async with asyncio.timeout(_BESIDE_PROXY_S):
                return await self._lookups.addresses(host)
        except (Unreachable, NoConnection, TimeoutError):
            return ()


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
