"""A text that a model wrote out of pages it searched for, and what it was asked."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelQuery:
    """What a model is asked to write, and by which rules it searches."""

    text: str
    """What the user wants, in the user's words."""
    task: str
    """What the model is told to do with it."""
    country: str = ""
    """Where the user is, as an ISO code; empty: nowhere."""
    model: str = ""
    """The model to ask; empty: the one that the settings name."""
    shape: Mapping[str, Any] | None = None
    """The JSON schema that its text keeps to; None: it writes freely."""
    day: date | None = None
    """The day on which it is asked, in UTC; the engine sets it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Mention:
    """A page that a text cites: `text[start:end]` is the citation, in code points; empty where it stands nowhere."""

    url: str
    title: str
    start: int
    end: int


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelAnswer:
    """What the model wrote."""

    text: str
    mentions: tuple[Mention, ...] = ()
    """The citations in their order."""
    sources: tuple[str, ...] = ()
    """The pages that it looked at, where the service names them."""
    model: str = ""
    """The model that was asked."""
    prompt_tokens: int | None = None
    response_tokens: int | None = None
    written_at: float = 0.0
    """When it came, in UTC seconds; the engine sets it."""
    is_kept: bool = False
    """Whether it was written for an earlier query, so that nobody saw this one."""
