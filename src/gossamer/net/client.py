"""The two doors: `WebDoor` for pages of anybody, guarded; `ApiDoor` for endpoints that the operator configured."""

import asyncio
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from gossamer.errors import (
    BlockedAddress,
    BrokenReply,
    GossamerError,
    InvalidArgument,
    Outcome,
    RateLimited,
    TimedOut,
    Unreachable,
)
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.net.addresses import Interfaces, ReadInterfaces
from gossamer.net.content_coding import ACCEPTED
from gossamer.net.egress import (
    MAX_REDIRECTS,
    Egress,
    Trail,
    Ways,
    astray,
    failed_elsewhere,
    is_redirect,
    location,
    too_many,
)
from gossamer.net.guard import Space, Target, read_url
from gossamer.net.hosts import literal
from gossamer.net.pace import Pace
from gossamer.net.policy import NetPolicy
from gossamer.net.proxy import Proxy
from gossamer.net.resolve import Lookups, NoConnection, Resolve, SystemResolver
from gossamer.net.response import Overflow, ReplyLimits, Room
from gossamer.net.robots.policy import RobotsPolicy
from gossamer.net.robots.rules import MAX_BYTES as ROBOTS_BYTES
from gossamer.ports import Call, Clock, State
from gossamer.resilience.deadline import PAGE_OWN, ROBOTS
from gossamer.resilience.retry import RetryBudget

if TYPE_CHECKING:
    from gossamer.net.pinned_backend import Dial

_PASSED_ON = frozenset({"accept", "accept-language"})
_CONDITIONS = frozenset({"if-none-match", "if-modified-since"})
_ACCEPT = "text/html,application/xhtml+xml,text/plain;q=0.9,application/pdf;q=0.9,*/*;q=0.8"
_API_CONNECT_S = 5.0
_TELLING = frozenset({"cookie", "from", "forwarded", "host", "via", "x-client-ip", "x-forwarded-for", "x-real-ip"})
"""Headers that would tell a service who asks, or whom; no provider sends them, whatever it hands over."""
_OWN_PROXY = "Pages do not go through HTTP_PROXY, which serves services alone; if they need a proxy, set net.proxy."
_MIN_BYTES_PER_S = 256.0
"""Slower than any modem; a page that makes its readers wait sends more than this at once when it is ready."""


class WebDoor:
    """Fetches pages of anybody: public addresses only, robots.txt and pace kept, sizes and times bounded.

    A name is looked up once, every answer is judged, and the connection goes to a judged one; each redirect is
    judged like the first address. The last reply comes back whatever its status. Nothing that could tell users
    apart is sent: no cookies, no credentials, no referrer.
    """

    def __init__(
        self,
        policy: NetPolicy,
        *,
        resolve: Resolve | None = None,
        dial: "Dial | None" = None,
        interfaces: ReadInterfaces | None = None,
        clock: Clock,
        state: State,
    ) -> None:
        self._policy = policy
        self._egress = Egress(
            policy,
            resolve=resolve,
            dial=dial,
            interfaces=Interfaces(interfaces, monotonic=clock.monotonic),
            monotonic=clock.monotonic,
        )
        self._pace = Pace(clock, state)
        self._robots_policy = RobotsPolicy(self._fetch_robots, state, clock, patience_s=ROBOTS * policy.page_timeout_s)
        self._clock = clock
        self._room = Room()

    async def send(self, request: HttpRequest, call: Call) -> HttpReply:
        """Get a page, following at most five redirects, one of which may be written into a page without content."""
        since = call.clock.monotonic()
        try:
            reply = await self._send_in_time(request, call)
        except GossamerError as error:
            call.record("fetch", error.outcome, since=since)
            raise
        call.record("fetch", Outcome.OK, since=since, size=len(reply.body))
        return reply

    def admit(self, url: str) -> None:
        """Refuse what the policy refuses by the address alone."""
        self._egress.read(url)

    def advice(self, error: GossamerError) -> str:
        """How pages get a proxy, where only services have one and a site cannot be reached."""
        is_away = error.outcome in {Outcome.UNREACHABLE, Outcome.TIMEOUT}
        return _OWN_PROXY if is_away and self._policy.service_way and not self._policy.way_out else ""

    async def close(self) -> None:
        """Drop all connections."""
        await self._egress.close()

    async def _send_in_time(self, request: HttpRequest, call: Call) -> HttpReply:
        if request.method != "GET":
            raise InvalidArgument("Pages are only read, never written to.", hint="Ask with GET.")
        target = self._egress.read(request.url, request.params)
        page_s, call_s = request.terms.timeout_s or self._policy.page_timeout_s, call.remaining_s
        limit_s = min(page_s, call_s)
        until = asyncio.get_running_loop().time() + limit_s
        try:
            async with asyncio.timeout(limit_s):
                user = "" if call.is_owner else call.caller
                return await self._follow(target, request, self._tries(limit_s), until, user)
        except TimeoutError as error:
            if call_s < PAGE_OWN * page_s:
                raise TimedOut(
                    f"The time of this call ran out before {target.host} had answered.",
                    hint="Try again, or ask for fewer pages at once.",
                ) from error
            raise TimedOut(
                f"The page did not come from {target.host} within {page_s:g} s.",
                hint=f"Try again later, or raise {_bound(request)}.",
            ) from error

    async def _follow(
        self, start: Target, request: HttpRequest, tries: RetryBudget, until: float, user: str
    ) -> HttpReply:
        trail = Trail(start)
        target = await self._located(start, request)
        reply = await self._visit(target, request, tries, until, user)
        while True:
            asked = target
            try:
                where = trail.onward(target, reply)
                if where is None:
                    return replace(reply, space=target.space.value)
                asked = self._egress.read(where)
                following = await self._egress.onward(asked, after=target)
                trail.add(following, after=target)
                reply = await self._visit(following, request, tries, until, user)
            except BlockedAddress as error:
                raise astray(start) from error
            except RateLimited:  # in the words in which the reply of a site behind a redirect is told
                raise
            except GossamerError as error:
                if start.host == target.host == asked.host:
                    raise
                raise failed_elsewhere(error, start) from error
            target = following

    async def _located(self, start: Target, request: HttpRequest) -> Target:
        """The address that is asked for; one that a page names is refused wherever that page may not send us."""
        page = request.named_by
        if page is None:
            return await self._egress.locate(start)
        try:
            return await self._egress.onward(start, after=replace(read_url(page.url), space=Space(page.space)))
        except BlockedAddress as error:
            raise astray(read_url(page.url)) from error

    async def _visit(
        self, target: Target, request: HttpRequest, tries: RetryBudget, until: float, user: str
    ) -> HttpReply:
        if (request.terms.robots or self._policy.robots) == "respect":
            await self._robots_policy.check(target)
        max_bytes = min(self._policy.max_bytes, request.terms.max_bytes or self._policy.max_bytes)
        limits = self._limits(max_bytes, "cut text", room=self._room, until=until)
        passed_on = _PASSED_ON | _CONDITIONS if target.url == request.known_url else _PASSED_ON
        asked = {name.lower(): value for name, value in request.headers.items() if name.lower() in passed_on}
        return await tries.ask(lambda: self._ask(target, asked, limits, request.terms.user_agent, user=user))

    def _limits(
        self, max_bytes: int, overflow: Overflow, *, room: Room | None = None, until: float = math.inf
    ) -> ReplyLimits:
        return ReplyLimits(
            connect_s=self._policy.connect_s,
            silence_s=self._policy.silence_s,
            max_bytes=max_bytes,
            overflow=overflow,
            min_bytes_per_s=_MIN_BYTES_PER_S,
            room=room,
            until=until,
        )

    async def _ask(
        self,
        target: Target,
        asked: Mapping[str, str],
        limits: ReplyLimits,
        user_agent: str | None = None,
        *,
        user: str = "",
    ) -> HttpReply:
        headers = _headers(target, user_agent or self._policy.user_agent) | {"accept": _ACCEPT}
        headers |= asked
        async with self._pace.turn(target, user):
            reply = await self._egress.exchange(target, headers, limits)
        await self._pace.heed(target, reply, user)
        return reply

    async def _fetch_robots(self, site: Target) -> HttpReply | None:
        """Half of a page's time is for robots.txt, so that one that hangs is reported as what it is."""
        target = replace(site, path="/robots.txt")
        limit_s = ROBOTS * self._policy.page_timeout_s
        tries = self._tries(limit_s)
        try:
            async with asyncio.timeout(limit_s):
                reply = await self._ask_robots(target, tries)
                for _ in range(MAX_REDIRECTS):
                    if not is_redirect(reply) or "location" not in reply.headers:
                        return reply
                    target, reply = await self._follow_robots(target, reply, tries)
        except TimeoutError as error:
            raise TimedOut(f"It did not come within {limit_s:g} s.", hint="Raise net.page_timeout_s.") from error
        return None if is_redirect(reply) else reply

    async def _follow_robots(self, target: Target, reply: HttpReply, tries: RetryBudget) -> tuple[Target, HttpReply]:
        try:
            where = self._egress.read(location(target, reply))
            following = await self._egress.onward(where, after=target)
            return following, await self._ask_robots(following, tries)
        except (BlockedAddress, Unreachable, NoConnection, RateLimited) as error:
            raise BrokenReply("It redirects to an address that cannot be fetched.", hint="Try again later.") from error

    def _tries(self, limit_s: float) -> RetryBudget:
        return RetryBudget(clock=self._clock, pause_s=self._policy.retry_pause_s, limit_s=limit_s)

    async def _ask_robots(self, target: Target, tries: RetryBudget) -> HttpReply:
        asked = {"accept": "text/plain"}
        limits = self._limits(ROBOTS_BYTES, "cut")
        try:
            return await tries.ask(lambda: self._ask(target, asked, limits))
        except RateLimited as error:  # the file is asked for on behalf of all: no time that counts from one's request
            raise RateLimited("The site").but(status=429) from error


class ApiDoor:
    """Speaks to endpoints that the operator configured: wherever they are, so no guard, no robots.txt, no pace.

    Sizes and times are bounded all the same; a call brings its own deadline, and `timeout_s` is for one without. Keys
    in headers never travel to another origin: a redirect that leads elsewhere is handed back as the reply.
    """

    def __init__(
        self,
        *,
        user_agent: str,
        timeout_s: float = 600.0,
        max_bytes: int = 8 * 2**20,
        ca_bundle: str | None = None,
        proxy: Proxy | None = None,
    ) -> None:
        self._user_agent = user_agent
        self._timeout_s = timeout_s
        self._limits = ReplyLimits(
            connect_s=min(_API_CONNECT_S, timeout_s),
            silence_s=timeout_s,
            max_bytes=max_bytes,
            overflow="refuse",
            advice="Try again, or check this service and its base_url.",
        )
        lookups = Lookups(SystemResolver(), limit_s=_API_CONNECT_S)
        self._lookups = lookups
        self._ways = Ways(self._addresses, dial=None, ca_bundle=ca_bundle, proxy=proxy, lookups=lookups)

    async def send(self, request: HttpRequest, call: Call) -> HttpReply:
        """Exchange one request for one reply; a GET follows redirects within its origin."""
        target = read_url(request.url, request.params)
        limit_s = min(call.remaining_s, self._timeout_s)
        try:
            async with asyncio.timeout(limit_s):
                for _ in range(MAX_REDIRECTS + 1):
                    reply = await self._ask(target, request)
                    following = _within_origin(target, reply) if request.method == "GET" else None
                    if following is None:
                        return reply
                    target = following
        except TimeoutError as error:
            raise TimedOut(
                f"{target.host} did not answer within {limit_s:.3g} s.", hint="Try again, or allow the call more time."
            ) from error
        raise too_many(target)

    async def close(self) -> None:
        """Drop all connections."""
        await self._ways.close()

    async def _ask(self, target: Target, request: HttpRequest) -> HttpReply:
        asked = {name.lower(): value for name, value in request.headers.items()}
        headers = _headers(target, self._user_agent) | {"accept": "*/*"}
        headers |= {name: value for name, value in asked.items() if name not in _TELLING}
        body = request.body or b""
        if body or request.method != "GET":
            headers["content-length"] = str(len(body))
        return await self._ways.to(target.host).exchange(
            target, headers, self._limits, method=request.method, body=body
        )

    async def _addresses(self, host: str, _port: int) -> Sequence[str]:
        return (host,) if literal(host) else await self._lookups.addresses(host)


async def reach(url: str, *, proxy: Proxy | None) -> bool:
    """Connect to an endpoint and hang up, so that nothing is asked or paid for: whether it could be tried.

    What lies behind a proxy, only a request would tell. Nobody there is raised, and so is a proxy that cannot be used.
    How long it may take is for the caller to bound.
    """
    target = read_url(url)
    if proxy is not None and proxy.carries(target.host):
        return False
    try:
        _, writer = await asyncio.open_connection(target.host, target.port)
    except OSError as error:
        raise Unreachable(
            f"{target.host} does not accept a connection on port {target.port}.",
            hint="Check this service and its base_url.",
        ) from error
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
    return True


def _bound(request: HttpRequest) -> str:
    """The setting that says how long this page may take."""
    return "net.page_timeout_s" if request.terms.timeout_s is None else "the time that this tool's settings give it"


def _headers(target: Target, user_agent: str) -> dict[str, str]:
    return {"host": target.authority, "user-agent": user_agent, "accept-encoding": ACCEPTED, "dnt": "1"}


def _within_origin(target: Target, reply: HttpReply) -> Target | None:
    if not is_redirect(reply) or "location" not in reply.headers:
        return None
    following = read_url(location(target, reply))
    return following if following.origin == target.origin else None
