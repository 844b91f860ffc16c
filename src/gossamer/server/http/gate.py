"""The gate before MCP over HTTP: authentication, rate limits and body limits.

One ASGI application around another. The cheap questions come first, and nothing of a body is read before its sender
is known and admitted.
"""

import asyncio
import hmac
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic_core import from_json
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gossamer.contracts import find_tool
from gossamer.contracts.contract import Tool
from gossamer.limits.limiter import Entry, Limiter
from gossamer.ports.call import LOCAL, Caller
from gossamer.server.http import refusal
from gossamer.server.http.health import Health
from gossamer.server.http.host_origin import Hosts, Named, Origins, household, is_loopback, is_relayed, peer_of
from gossamer.server.http.metrics import CONTENT_TYPE, Metrics
from gossamer.server.http.refusal import Refusal, later
from gossamer.server.http.response import Heads, ResponseWriter
from gossamer.server.http.tokens import Tokens
from gossamer.server.log import EventLog
from gossamer.server.service import SCOPE_KEY

_ONCE = frozenset({b"host", b"origin", b"authorization", b"content-length", b"mcp-session-id"})
"""Headers of which a second one would leave open which counts."""
_MOST_HEADERS = 100
_DIGITS = 20
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")
_OK = b'{"status":"ok"}'


@dataclass(frozen=True, kw_only=True, slots=True)
class Door:
    """How open a server is."""

    is_loopback: bool
    """It listens for this machine alone."""
    is_insecure: bool = False
    """The operator wants no logins although others can reach it."""
    max_body_bytes: int = 1_048_576
    body_timeout_s: float = 20.0


class Gate:
    """Judges requests in one order: name, origin, path, login, limits, body; then hands them to `app`."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        door: Door,
        hosts: Hosts,
        origins: Origins,
        tokens: Tokens,
        limiter: Limiter,
        metrics: Metrics,
        health: Health,
        log: EventLog,
        tools: Mapping[str, Tool],
        peer_key: bytes,
        in_flight_total: int,
    ) -> None:
        self._app = app
        self._door = door
        self._hosts = hosts
        self._origins = origins
        self._tokens = tokens
        self._limiter = limiter
        self._metrics = metrics
        self._health = health
        self._log = log
        self._tools = tools
        self._peer_key = peer_key
        self._in_flight_total = in_flight_total
        self._needs_login = not door.is_loopback and not door.is_insecure
        self._in_flight = 0
        self._idle = asyncio.Event()
        self._idle.set()

    async def drain(self, timeout_s: float) -> None:
        """Wait until no request is running, for so long at most."""
        try:
            async with asyncio.timeout(timeout_s):
                await self._idle.wait()
        except TimeoutError:
            self._log.problem(f"{self._in_flight} requests were still running after {timeout_s:g} s; they were cut.")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it."""
        response = ResponseWriter(send, self._metrics)
        try:
            await self._serve(scope, receive, response)
        except Refusal as refused:
            self._metrics.refuse(refused.reason)
            await response.refuse(refused)
        except Exception as error:
            self._log.bug("http", error)
            if response.has_begun:
                raise
            await response.refuse(Refusal(500, "bug", "The server failed on this request."))

    async def _serve(self, scope: Scope, receive: Receive, response: ResponseWriter) -> None:
        heads = _heads(scope)
        self._check_host(heads)
        origin = heads.get(b"origin")
        if origin is not None:
            if not self._origins.allows(origin):
                raise refusal.foreign_origin()
            response.origin = origin
        path, method = scope["path"], scope["method"]
        if path in {"/mcp", "/mcp/"}:
            if method != "POST":
                if method == "OPTIONS" and origin is not None:
                    await response.preflight(heads)
                    return
                raise refusal.wrong_method(b"POST")
            await self._serve_mcp(scope, heads, receive, response)
            return
        if path not in {"/health", "/ready", "/metrics"}:
            raise refusal.unknown_path()
        if method not in {"GET", "HEAD"}:
            raise refusal.wrong_method(b"GET, HEAD")
        if path == "/metrics":
            await self._check_watcher(scope, await self._caller(scope, heads))
            await response.whole(200, self._metrics.page(), CONTENT_TYPE)
        elif path == "/ready":
            await self._tell_readiness(response)
        else:
            await response.json(200, _OK)

    async def _tell_readiness(self, response: ResponseWriter) -> None:
        if reasons := self._health.reasons():
            await response.json(503, json.dumps({"status": "unready", "reasons": reasons}).encode())
        elif remarks := self._health.remarks():
            await response.json(200, json.dumps({"status": "degraded", "reasons": remarks}).encode())
        else:
            await response.json(200, _OK)

    async def _serve_mcp(self, scope: Scope, heads: Heads, receive: Receive, response: ResponseWriter) -> None:
        if b"mcp-session-id" in heads:
            raise refusal.unknown_session()
        caller = await self._caller(scope, heads)
        if self._health.is_draining:
            raise later(503, "draining", "This server is about to end.", 1)
        self._in_flight += 1
        self._idle.clear()
        entry: Entry | None = None
        try:
            entry = await self._enter(caller)
            response.on_end = entry.leave if entry else None
            body = await _read_body(
                receive,
                heads.get(b"content-length"),
                max_bytes=self._door.max_body_bytes,
                timeout_s=self._door.body_timeout_s,
            )
            if body is None:
                return
            self._check_message(caller, body)
            scope[SCOPE_KEY] = caller
            await self._app(scope, _replayed(_mended(body), receive), response)
        finally:
            self._in_flight -= 1
            if not self._in_flight:
                self._idle.set()
            if entry is not None:
                entry.leave()

    async def _enter(self, caller: Caller) -> Entry | None:
        """Count a request; the user of this machine is bound by what the machine can bear alone."""
        if caller.is_owner:
            if self._in_flight > self._in_flight_total:
                raise later(503, "busy", "This server is busy.", 1)
            return None
        await self._admit(caller)
        entry = await self._limiter.enter(caller.name)
        if isinstance(entry, Entry):
            return entry
        if entry.whose == "all":
            raise later(503, "busy", "This server is busy.", entry.retry_after_s)
        raise later(429, "in_flight", "You have more requests running than one user may.", entry.retry_after_s)

    async def _admit(self, caller: Caller) -> None:
        wait_s = None if caller.is_owner else await self._limiter.admit(caller.name)
        if wait_s is not None:
            raise later(429, "rate", "You have sent more requests than one user may.", wait_s)

    async def _check_watcher(self, scope: Scope, caller: Caller) -> None:
        """Metrics are for callers allowed every tool; without authentication, for this machine alone."""
        is_open = not self._door.is_loopback and not self._is_closed()
        if caller.tools is not None or (is_open and not is_loopback(peer_of(scope))):
            raise refusal.not_for_you()
        await self._admit(caller)

    def _check_host(self, heads: Heads) -> None:
        host = heads.get(b"host")
        if host is None:
            raise refusal.malformed("The header Host is missing.")
        named = self._hosts.judge(host)
        if named is Named.OURS or (named is Named.ADDRESS and not self._door.is_loopback):
            return
        if named is Named.OTHER and not self._door.is_loopback and not self._hosts.has_names and self._is_closed():
            return
        raise refusal.foreign_host()

    def _is_closed(self) -> bool:
        """Whether a login is needed; once it is, it stays so while this process lives."""
        self._needs_login = self._needs_login or self._tokens.required()
        return self._needs_login

    async def _caller(self, scope: Scope, heads: Heads) -> Caller:
        if not self._is_closed():
            if self._door.is_loopback and is_relayed(heads):
                raise refusal.relayed()
            return LOCAL if self._door.is_loopback else Caller(name=f"peer:{self._hashed(peer_of(scope))}")
        scheme, _, presented = heads.get(b"authorization", b"").partition(b" ")
        presented = presented.strip()
        if scheme.lower() != b"bearer" or not presented:
            raise refusal.no_login()
        caller = self._tokens.check(presented.decode("latin-1"))
        if caller is not None:
            return caller
        wait_s = await self._limiter.failed_login(household(peer_of(scope)))
        if wait_s is not None:
            raise later(429, "logins", "Too many logins have failed.", wait_s)
        raise refusal.bad_login()

    def _check_message(self, caller: Caller, body: bytes) -> None:
        """Refuse what the protocol's side would take for something else; all that is broken is its to judge.

        A request whose id is no id would pass as a notification, which nobody answers. A call of a published tool
        that the caller may not use would look like a call of one that does not exist.
        """
        try:
            asked = from_json(body)
            if isinstance(asked, list):
                raise refusal.malformed("Batches are not served. Send one message in each request.")
            if "method" in asked and not _is_id(asked.get("id", 0)):
                raise refusal.bad_id()
            if caller.tools is None:
                return
            name = asked["params"]["name"] if asked["method"] == "tools/call" else None
        except (ValueError, AttributeError, LookupError, TypeError):
            return
        tool = find_tool(name, self._tools) if isinstance(name, str) else None
        if tool and not caller.may_call(tool.name):
            raise refusal.out_of_scope(tool.name)

    def _hashed(self, peer: str) -> str:
        return hmac.digest(self._peer_key, household(peer).encode(), "sha256").hex()[:16]


def _heads(scope: Scope) -> Heads:
    """The headers by name; too many, two lengths of one body, or a second one that decides something are refused."""
    pairs: list[tuple[bytes, bytes]] = scope["headers"]
    if len(pairs) > _MOST_HEADERS:
        raise refusal.too_many_headers(_MOST_HEADERS)
    heads = dict(pairs)
    if b"transfer-encoding" in heads and b"content-length" in heads:
        raise refusal.malformed("Transfer-Encoding and Content-Length came together, which tell two lengths.")
    if len(heads) != len(pairs):
        names = [name for name, _ in pairs if name in _ONCE]
        if len(names) != len(set(names)):
            raise refusal.malformed("A header came twice that may come once.")
    return heads


def _is_id(value: object) -> bool:
    """Whether it can be a JSON-RPC id: a text or a whole number."""
    return isinstance(value, (str, int)) and not isinstance(value, bool)


async def _read_body(receive: Receive, declared: bytes | None, *, max_bytes: int, timeout_s: float) -> bytes | None:
    """All of the body, or None when the client is gone; what is too large or too slow is refused."""
    if declared is not None and not (declared.isdigit() and len(declared) < _DIGITS and int(declared) <= max_bytes):
        raise refusal.too_large(max_bytes)
    try:
        async with asyncio.timeout(timeout_s):
            return await _gather(receive, max_bytes)
    except TimeoutError as error:
        raise refusal.too_slow(timeout_s) from error


async def _gather(receive: Receive, max_bytes: int) -> bytes | None:
    gathered = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        body: bytes = message.get("body", b"")
        if len(gathered) + len(body) > max_bytes:
            raise refusal.too_large(max_bytes)
        if not message.get("more_body", False):
            return bytes(gathered) + body if gathered else body
        gathered += body


def _mended(body: bytes) -> bytes:
    """The body with half characters, as some clients send them, replaced: the protocol's side would refuse it all."""
    if not _HALF.search(body):
        return body
    try:
        return json.dumps(json.loads(body), ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    except (ValueError, RecursionError):
        return body


def _replayed(body: bytes, receive: Receive) -> Receive:
    """A `receive` that hands out a body already read, then what the connection says next."""
    kept: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return kept.pop() if kept else await receive()

    return replay
