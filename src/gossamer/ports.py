"""The seams: what the engine needs, without saying who does it."""

import math
import threading
from collections.abc import Awaitable, Callable, Generator, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal, Protocol

from pydantic import BaseModel, ConfigDict

from gossamer.errors import (
    BrokenReply,
    Denied,
    InvalidArgument,
    NotFound,
    Outcome,
    RateLimited,
    TimedOut,
    Unreachable,
)
from gossamer.model.answer import Draft
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.page import Chunk, Extracted, Listed, Page, Passage, Vectors, View
from gossamer.model.search import Found, Hit, Query


class Clock(Protocol):
    """The time, as tests may set it."""

    def now(self) -> float:
        """UTC seconds, for what is written down."""
        ...

    def monotonic(self) -> float:
        """Seconds that never jump, for deadlines."""
        ...


Progress = Callable[[float, float | None, str], Awaitable[None]]


async def no_progress(_done: float, _total: float | None, _message: str) -> None:
    """Report to nobody."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """One piece of work inside a call, for the log event."""

    name: str
    outcome: Outcome
    ms: int
    bytes: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """Who asks, until when, within which budget; handed through every engine method.

    Cancelling the task that runs a call stops all that awaits; `cancelled` tells the same to work in threads.
    """

    clock: Clock
    caller: str = "local"
    request: str = ""
    """The id of the request, for the log."""
    deadline: float = math.inf
    """On the clock's monotonic scale."""
    max_tokens: int = 20_000
    progress: Progress = no_progress
    cancelled: threading.Event = field(default_factory=threading.Event)
    parts: list[Part] = field(default_factory=list[Part])
    notes: list[str] = field(default_factory=list[str])
    """What the caller should hear beside the result: readings of arguments, stale pages, unsaved pages."""

    @property
    def remaining_s(self) -> float:
        """Seconds left, never negative."""
        return max(0.0, self.deadline - self.clock.monotonic())

    def within(self, seconds: float) -> "Call":
        """The same call with at most `seconds` left; it shares parts, notes and cancellation."""
        return replace(self, deadline=min(self.deadline, self.clock.monotonic() + seconds))

    def note(self, text: str) -> None:
        """Say something beside the result, once."""
        if text not in self.notes:
            self.notes.append(text)

    def record(self, name: str, outcome: Outcome, *, since: float, size: int = 0) -> None:
        """Add a part that began at `since` (monotonic) to the log event."""
        ms = round((self.clock.monotonic() - since) * 1000)
        self.parts.append(Part(name=name, outcome=outcome, ms=ms, bytes=size))


class Http(Protocol):
    """A door to the network."""

    async def send(self, request: HttpRequest, call: Call) -> HttpReply:
        """Exchange one request for one reply, redirects followed; what fails in transport is raised as ours."""
        ...

    async def close(self) -> None:
        """Drop all connections."""
        ...


Filter = Literal["site", "time_range", "region", "category", "language", "safe_search"]


class Provider(BaseModel):
    """A search engine behind an HTTP API: its fields are its settings, and it never touches the network.

    `request` and `parse` are enough for most; one that needs several exchanges overrides `steps`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: ClassVar[str]
    title: ClassVar[str]
    """What people call it."""
    filters: ClassVar[frozenset[Filter]] = frozenset()
    """Which optional filters of a query it can apply."""
    is_general: ClassVar[bool] = True
    """Whether it searches the whole web; one-site sources do not."""

    base_url: str
    """Scheme, host and fixed prefix of the service."""

    @property
    def is_ready(self) -> bool:
        """Whether its settings suffice to ask it."""
        return True

    def request(self, query: Query) -> HttpRequest:
        """Say what to send for `query`."""
        raise NotImplementedError(f"{type(self).__name__} must say what it sends, or override steps")

    def parse(self, reply: HttpReply) -> Found:
        """Read a good reply; a wrong shape raises at the field, an error never reads as "no results"."""
        raise NotImplementedError(f"{type(self).__name__} must read what it gets, or override steps")

    def judge(self, reply: HttpReply) -> None:
        """Raise for a reply that is not a good one, by its status; override to tell errors apart by body."""
        judge_status(self.title, reply)

    def steps(self, query: Query) -> Generator[HttpRequest, HttpReply, Found]:
        """Yield requests, receive judged replies, return what was found."""
        reply = yield self.request(query)
        return self.parse(reply)


def judge_status(who: str, reply: HttpReply) -> None:
    """Turn a provider's status into an error of ours, by a table."""
    status = reply.status
    if 200 <= status < 300:
        return
    if status == 429:
        raise RateLimited(who, retry_after_s=retry_after(reply))
    if status in {401, 403}:
        raise Denied(f"{who} turned our request away ({status}).", hint="Check its key and settings: gossamer doctor.")
    if status in {404, 410}:
        raise NotFound(f"{who} has nothing at this address ({status}).", hint="Check its base_url.")
    if status in {408, 504}:
        raise TimedOut(f"{who} did not finish in time ({status}).", hint="Try again.")
    if status >= 500:
        raise Unreachable(f"{who} failed on its side ({status}).", hint="Try again later.")
    if status in {400, 422}:
        raise InvalidArgument(f"{who} did not accept the query ({status}).", hint="Rephrase it or drop a filter.")
    raise BrokenReply(f"{who} answered with an unexpected status {status}.", hint="Check its base_url.")


def retry_after(reply: HttpReply) -> float | None:
    """Read `Retry-After` in seconds; a date or nonsense counts as absent."""
    value = reply.headers.get("retry-after", "").strip()
    return float(value) if value.isascii() and value.isdigit() and len(value) < 7 else None


class Source(Protocol):
    """A search that brings its own way of looking: the library, or a client with its own network."""

    name: str
    title: str
    filters: frozenset[Filter]

    async def search(self, query: Query, call: Call) -> Found:
        """Look for `query`."""
        ...


class Extractor(Protocol):
    """Foreign bytes to text, under limits."""

    async def extract(self, reply: HttpReply, view: View, call: Call) -> Extracted:
        """Read a body as `view` says; walls, shells and broken documents are raised as what they are."""
        ...

    async def close(self) -> None:
        """End the worker processes."""
        ...


class Embedder(Protocol):
    """Texts to vectors."""

    name: str
    """Names the model; vectors are kept per name."""

    async def embed(self, texts: Sequence[str], call: Call) -> Vectors:
        """One unit vector per text, in order."""
        ...


class Answerer(Protocol):
    """Passages to drafted sentences."""

    async def write(self, question: str, passages: Sequence[Passage], call: Call) -> Sequence[Draft]:
        """Draft an answer from the passages alone, each sentence with the quotes it leans on."""
        ...


class Store(Protocol):
    """Where pages are kept, with their versions, chunks and vectors. All methods are safe to call at once."""

    async def page(self, url: str, view: str = "", *, content_hash: str = "") -> Page | None:
        """The newest text of an address in a view, or exactly the snapshot with this hash."""
        ...

    async def save(self, page: Page, chunks: Sequence[Chunk]) -> Page:
        """Keep a page and its chunks in one step, and return it with its version.

        The same text again renews the dates and keeps the vectors; another text is a new version, and the one
        before stays readable by its hash. An older fetch never overwrites a newer one.
        """
        ...

    async def chunks(self, page: Page) -> tuple[Chunk, ...]:
        """The chunks kept with exactly this text, in page order; empty when there are none."""
        ...

    async def vectors(self, page: Page, model: str) -> Vectors | None:
        """The vectors of exactly this text by this model."""
        ...

    async def save_vectors(self, page: Page, vectors: Vectors) -> None:
        """Keep the vectors of a page's chunks; ignored when the page has another text by now."""
        ...

    async def find(self, text: str, *, count: int, site: str = "") -> tuple[Hit, ...]:
        """Kept pages (default view) that hold the words of `text`, best first, with the best chunk as snippet."""
        ...

    async def pages(self, *, count: int) -> tuple[Listed, ...]:
        """Kept pages (default view), newest first."""
        ...

    async def remove(self, url: str) -> bool:
        """Forget an address in every view and version."""
        ...

    async def close(self) -> None:
        """Finish what was begun and let go of files."""
        ...


class State(Protocol):
    """Small keyed records with expiry, shared by all that use the same state: limits, leases, caches."""

    async def get(self, key: str) -> str | None:
        """The value, unless it has expired."""
        ...

    async def put(self, key: str, value: str, *, ttl_s: float) -> None:
        """Set a value for `ttl_s` seconds."""
        ...

    async def add(self, key: str, amount: int = 1, *, ttl_s: float) -> int:
        """Add to a counter atomically and return the sum; the first addition starts its `ttl_s` seconds."""
        ...

    async def swap(self, key: str, old: str | None, new: str | None, *, ttl_s: float) -> bool:
        """Set `new` (None removes) only if the value is `old` (None: absent); tell whether it was."""
        ...

    async def lease(self, name: str, holder: str, *, ttl_s: float) -> bool:
        """Take or renew a lease; False while another holder has it."""
        ...

    async def release(self, name: str, holder: str) -> None:
        """Give a lease back; nothing happens when another holds it."""
        ...

    async def close(self) -> None:
        """Let go of files and connections."""
        ...
