"""Egress: where requests for pages may leave to, and where a redirect or a meta refresh sends them on.

They go to the public web or to what the operator opened, over connections of their own. Browsers know it as Local
Network Access: a page may send its reader to where it is itself, and never further inside.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from gossamer.errors import BlockedAddress, BrokenReply, GossamerError, Unreachable
from gossamer.model.http import HttpReply
from gossamer.net.addresses import Interfaces
from gossamer.net.guard import Space, Target, check_answers, check_url, join, private
from gossamer.net.hosts import literal
from gossamer.net.policy import NetPolicy
from gossamer.net.proxy import Proxy
from gossamer.net.resolve import Lookups, NoConnection, Resolve, SystemResolver
from gossamer.net.response import REDIRECTS, ReplyLimits
from gossamer.steps.web.walls import meta_refresh

if TYPE_CHECKING:
    from gossamer.net.exchange import Wire
    from gossamer.net.pinned_backend import Dial, Judged

_BESIDE_PROXY_S = 2.0
"""How long a name may take to look up that the proxy can look up too."""

MAX_REDIRECTS = 5
_ELSEWHERE = "Try another address of this page."


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

    async def exchange(self, target: Target, headers: Mapping[str, str], limits: ReplyLimits) -> HttpReply:
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


class Trail:
    """The addresses of one request, each once and not too many; one refresh among them."""

    def __init__(self, start: Target) -> None:
        self._seen = {start.url}
        self._has_refreshed = False

    def onward(self, target: Target, reply: HttpReply) -> str | None:
        """Where `target` leads with this reply; None where the way ends. A page may refresh to itself."""
        if is_redirect(reply):
            where = location(target, reply)
        else:
            written = meta_refresh(reply)
            where = join(target, written) if written else target.url
            if where.partition("#")[0] == target.url:
                return None
            if self._has_refreshed:
                raise BrokenReply(f"{target.host} leads from one empty page to another.", hint=_ELSEWHERE)
            self._has_refreshed = True
        if len(self._seen) > MAX_REDIRECTS:
            raise too_many(target)
        return where

    def add(self, following: Target, *, after: Target) -> None:
        """Refuse to walk in a circle."""
        if following.url in self._seen:
            raise BrokenReply(f"{after.host} redirects in a circle.", hint=_ELSEWHERE)
        self._seen.add(following.url)


def is_redirect(reply: HttpReply) -> bool:
    """Whether the status says that the page is elsewhere."""
    return reply.status in REDIRECTS


def location(target: Target, reply: HttpReply) -> str:
    """The whole address that a redirect names."""
    written = reply.headers.get("location")
    if written is None:
        raise BrokenReply(f"{target.host} redirects without saying where ({reply.status}).", hint=_ELSEWHERE)
    return join(target, written)


def astray(target: Target) -> BlockedAddress:
    """Where it leads is not said: a page must not have our words name, or ask to open, what it cannot reach."""
    return BlockedAddress(
        f"{target.host} redirects to an address that pages are not fetched from.",
        hint="Use another source; who asks for that address itself is told why.",
    )


def failed_elsewhere(error: GossamerError, start: Target) -> GossamerError:
    """What failed behind a redirect: the host that a page chose stands in the quote, never in our sentence."""
    return error.but(message=f"{start.host} redirects to another site, where this failed.").quoting(
        f"{error.message} {error.quote}"
    )


def too_many(target: Target) -> BrokenReply:
    """More redirects than a page needs."""
    return BrokenReply(f"{target.host} redirects more than {MAX_REDIRECTS} times.", hint=_ELSEWHERE)
