"""One exchange over HTTP, as values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from gossamer.errors import UnexpectedReply

M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True, kw_only=True, slots=True)
class HttpRequest:
    """What to send. Header names are given in any case; `params` are appended to the address."""

    url: str
    method: str = "GET"
    params: Mapping[str, str | int] = field(default_factory=dict[str, str | int])
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class HttpReply:
    """What came: decoded body, lower-case header names, the address that answered in the end."""

    status: int
    url: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes = b""
    is_cut: bool = False
    """The body was longer than we read, and ends where we stopped."""

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
            where = ".".join(str(part) for part in first["loc"]) or "the body"
            raise UnexpectedReply(
                f"The reply has another shape than expected at {where}: {first['msg']}.",
                hint="The service may have changed its API; try another provider.",
            ) from error
