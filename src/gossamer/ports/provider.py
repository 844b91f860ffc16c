"""Who finds pages: providers behind an HTTP API, and sources that bring their own way of looking."""

import ipaddress
import re
from collections.abc import Generator
from dataclasses import dataclass
from datetime import UTC, date
from email.utils import parsedate_to_datetime
from typing import ClassVar, Literal, Protocol, Self, runtime_checkable
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator, model_validator

from gossamer.errors import BrokenReply, Denied, InvalidArgument, NotFound, RateLimited, TimedOut, Unreachable
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import Category, Found, ModelAnswer, ModelQuery, Query
from gossamer.ports.call import Call

_LONGEST_WAIT_S = 86_400.0

Filter = Literal["site", "time_range", "region", "language", "safe_search"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Terms:
    """What using a service means, for people and for the plan; facts that its own pages state."""

    usd_per_1000: float = 0.0
    """What a thousand searches cost with a key, in US dollars; 0: nothing."""
    limits: str = ""
    """Its limits in a phrase, as its own pages state them."""
    privacy: str = ""
    """What it learns and keeps, in a phrase."""
    per_second: float | None = None
    """How many requests a second it takes from one key, where it says so."""
    takes_s: float = 0.0
    """How long an answer may take where that is more than a search engine's; 0: no longer than theirs."""
    keep_s: float | None = None
    """How long results may be kept; None: as long as our own setting says; 0: in memory, while they are in use."""
    ends: date | None = None
    """The day from which the service is closed."""
    ending: str = ""
    """Why, and what takes its place."""


class Provider(BaseModel):
    """A search engine behind an HTTP API: its fields are its settings, and it never touches the network.

    `request` and `parse` are enough for most; one that needs several exchanges overrides `steps`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    name: ClassVar[str]
    title: ClassVar[str]
    """What people call it."""
    filters: ClassVar[frozenset[Filter]] = frozenset()
    """Which optional filters of a query it can apply."""
    is_general: ClassVar[bool] = True
    """Whether it searches the whole web; one-site sources do not."""
    categories: ClassVar[frozenset[Category]] = frozenset({"general"})
    """What it can be asked for."""
    max_chars: ClassVar[int | None] = None
    """So much of a query it takes, and the rest is cut off."""
    max_words: ClassVar[int | None] = None
    index: ClassVar[str] = ""
    """Whose index it searches, where that is not its own: two faces of one index are one opinion."""
    terms: ClassVar[Terms] = Terms()

    base_url: str
    """Scheme, host and fixed prefix of the service."""
    per_second: float | None = Field(default=None, gt=0, le=1_000)
    """How many requests a second your key may send; empty: what the service says of an ordinary one."""
    timeout_s: float | None = Field(default=None, gt=0, le=600)
    """Seconds that an answer may take; empty: as long as any, or as long as the service is known to need."""

    @field_validator("base_url")
    @classmethod
    def _is_an_address(cls, value: str) -> str:
        if value and not value.startswith(("http://", "https://")):
            raise ValueError("must begin with http:// or https://, such as http://localhost:8888")
        if value and not re.fullmatch(r"https?://[^\s/@]+(/\S*)?", value):
            raise ValueError("must be an http(s) address without a user name, since results name it")
        return value.rstrip("/")

    @field_validator("*")
    @classmethod
    def _is_one_word(cls, value: object) -> object:
        """A key as it was pasted: blanks round it go; what no header can carry is refused without being shown."""
        if not isinstance(value, SecretStr):
            return value
        key = value.get_secret_value().strip()
        if not (key.isascii() and key.isprintable()) or " " in key:
            raise ValueError("must be a key in one word of plain letters, digits and signs")
        return SecretStr(key)

    @model_validator(mode="after")
    def _keeps_its_key_to_itself(self) -> Self:
        values = (getattr(self, name) for name in type(self).model_fields)
        has_key = any(isinstance(value, SecretStr) and value.get_secret_value() for value in values)
        if has_key and self.base_url.startswith("http://") and not _is_this_machine(self.base_url):
            raise ValueError("base_url must begin with https://, since a key would be readable on its way there")
        return self

    @property
    def is_ready(self) -> bool:
        """Whether its settings suffice to ask it."""
        return True

    @property
    def is_own(self) -> bool:
        """Whether the operator pays for it or runs it: those are asked before services that are free to all."""
        return False

    def takes(self, text: str) -> bool:
        """Whether it takes the words of a query whole."""
        words = text.split()
        is_short = self.max_chars is None or len(" ".join(words)) <= self.max_chars
        return is_short and (self.max_words is None or len(words) <= self.max_words)

    def remark(self, today: date) -> str:  # noqa: ARG002  most have nothing to say
        """What its operator should know of these settings on a day, such as a model that ends."""
        return ""

    def instance(self, query: Query) -> str:  # noqa: ARG002  some services have one address per language
        """The address that a query goes to, as the result names it."""
        return self.base_url

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


def _is_this_machine(address: str) -> bool:
    """Whether an address never leaves the machine; one that cannot be read does."""
    try:
        host = urlsplit(address).hostname or ""
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


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
        raise Unreachable(
            f"{who} failed on its side ({status}).", hint="Try again later.", retry_after_s=retry_after(reply)
        )
    if status in {400, 422}:
        raise InvalidArgument(f"{who} did not accept the query ({status}).", hint="Rephrase it or drop a filter.")
    raise BrokenReply(f"{who} answered with an unexpected status {status}.", hint="Check its base_url.")


def retry_after(reply: HttpReply, *, now: float | None = None) -> float | None:
    """Read `Retry-After` in seconds, a day at most; nonsense counts as absent.

    A date is counted from the reply's own `Date`, so that clocks may differ, else from `now` in UTC seconds.
    """
    value = reply.headers.get("retry-after", "").strip()
    if value.isascii() and value.isdigit() and len(value) < 7:
        return min(float(value), _LONGEST_WAIT_S)
    when = _seconds(value)
    since = _seconds(reply.headers.get("date", ""))
    since = now if since is None else since
    if when is None or since is None:
        return None
    return min(max(0.0, when - since), _LONGEST_WAIT_S)


def _seconds(date: str) -> float | None:
    """UTC seconds of an HTTP date."""
    try:
        when = parsedate_to_datetime(date)
        return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


class Source(Protocol):
    """A search that brings its own way of looking: the library, or a client with its own network."""

    name: str
    title: str
    filters: frozenset[Filter]
    categories: frozenset[Category]
    terms: Terms
    timeout_s: float | None
    """Seconds that an answer may take, where the operator set them."""

    def instance(self, query: Query) -> str:
        """Where the query goes, as the result names it."""
        ...

    async def search(self, query: Query, call: Call) -> Found:
        """Look for `query`."""
        ...


@runtime_checkable
class SearchModel(Protocol):
    """A provider whose model can be asked for a text of its own; like every provider it never touches the network."""

    @property
    def lacks(self) -> str:
        """What is wrong with its settings, so that asking would be in vain; empty: nothing."""
        ...

    def model_request(self, query: ModelQuery) -> HttpRequest:
        """Say what to send for a query."""
        ...

    def model_answer(self, reply: HttpReply, query: ModelQuery) -> ModelAnswer:
        """Read a good reply; one that is no answer raises as what it is."""
        ...
