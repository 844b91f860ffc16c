"""One exchange over HTTP, as values."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, cast

from pydantic import BaseModel, ValidationError

from gossamer.errors import UnexpectedReply

M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True, kw_only=True, slots=True)
class NetworkSlots:
    """So many exchanges at once, for all whose policies name the same slots."""

    name: str
    at_once: int


@dataclass(frozen=True, kw_only=True, slots=True)
class FetchPolicy:
    """How one tool's pages are asked for, where the operator decided otherwise than for all; None: as for all."""

    user_agent: str | None = None
    robots: Literal["respect", "ignore"] | None = None
    timeout_s: float | None = None
    """What one page may take, redirects too."""
    max_bytes: int | None = None
    """How much of a page is read, where that is less than for all; what is cut by it is not kept."""
    fresh_s: float | None = None
    """For how long at most a page is used without asking its site again."""
    limited_retries: int = 0
    """How often a site that limits us is asked again, after the time it names, within the time of the call."""
    slots: NetworkSlots | None = None
    """One of them is held while a site is asked."""

    @property
    def identity(self) -> str:
        """The identity of the request, empty for the usual one: replies to different identities are kept apart."""
        said = (self.user_agent, self.robots)
        return "" if said == (None, None) else f"{self.user_agent}|{self.robots}"


@dataclass(frozen=True, kw_only=True, slots=True)
class HttpRequest:
    """What to send. Header names are given in any case; `params` are appended to the address."""

    url: str
    method: str = "GET"
    params: Mapping[str, str | int] = field(default_factory=dict[str, str | int])
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes | None = None
    terms: FetchPolicy = FetchPolicy()
    """For the guarded door alone."""
    known_url: str = ""
    """For the guarded door too: the address that conditions (`if-none-match`, `if-modified-since`) speak of. No other
    one on the way there is told them: they are what one site said, and would tell another who comes again."""
    named_by: "HttpReply | None" = None
    """For the guarded door too: the page that names this address, which is then judged as if that page redirected."""


@dataclass(frozen=True, kw_only=True, slots=True)
class HttpReply:
    """What came: decoded body, lower-case header names, the address that answered in the end."""

    status: int
    url: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes = b""
    is_cut: bool = False
    """The body was longer than we read, and ends where we stopped."""
    space: Literal["public", "opened", "inside"] = "public"
    """Where a page came from: the public web, or an address that the operator alone has opened."""

    @property
    def content_type(self) -> str:
        """The media type alone, lower case, without parameters."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    def read(self, shape: type[M]) -> M:
        """Read the JSON body as `shape`; a reply of another shape raises at the very field that differs."""
        try:
            return shape.model_validate_json(self.body)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            # A service chooses the other names: none of them may stand in our sentence.
            fields = frozenset(_fields(shape.model_json_schema()))
            where = ".".join(str(part) for part in first["loc"] if isinstance(part, int) or part in fields)
            raise UnexpectedReply(
                f"The reply has another shape than expected at {where or 'the body'}: {first['msg']}.",
                hint="The service may have changed its API; try another provider.",
            ) from error


def _fields(schema: Any) -> Iterator[str]:
    """The names of fields in a schema, however deep."""
    if isinstance(schema, dict):
        parts = cast("dict[str, Any]", schema)
        yield from parts.get("properties", {})
        for part in parts.values():
            yield from _fields(part)
