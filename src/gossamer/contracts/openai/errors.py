"""The typed errors of `search_web`, by the names and codes of its specification."""

from collections.abc import Mapping
from math import ceil
from typing import ClassVar, Literal

from gossamer.errors import (
    BadSettings,
    Denied,
    GossamerError,
    Outcome,
    QuotaExhausted,
    RateLimited,
    TimedOut,
    UnexpectedReply,
    UsageError,
)
from gossamer.steps.text.clean_line import plain

Code = Literal["AUTH", "RATE_LIMIT", "PROVIDER", "VALIDATION", "PARSE"]
Details = Mapping[str, str | int | list[str]]

_UNREADABLE = frozenset({"no_search", "no_text", "incomplete"})
_NOT_OF_THE_KEY = frozenset({"refusal"})
_LATE = "Try again; the operator can raise openai.timeout_s."


class SearchError(GossamerError):
    """A search that failed: a code, and what is known of the exchange with the provider; never a key."""

    code: ClassVar[Code]
    details: Details

    def __init__(self, message: str, *, hint: str = "", details: Details | None = None) -> None:
        super().__init__(message, hint=hint)
        vars(self).update(details=details or {})


class SearchAuthError(SearchError):
    """Authentication failed: no key, or one that was turned away."""

    code = "AUTH"
    outcome = Outcome.DENIED


class SearchRateLimitError(SearchError):
    """Too many requests: the provider's limit, our own, or an account with nothing left."""

    code = "RATE_LIMIT"
    outcome = Outcome.RATE_LIMITED


class SearchProviderError(SearchError):
    """The provider or the network failed."""

    code = "PROVIDER"
    outcome = Outcome.UNREACHABLE


class SearchValidationError(SearchError):
    """The input is not acceptable."""

    code = "VALIDATION"
    outcome = Outcome.INVALID


class SearchProviderParseError(SearchError):
    """The reply is none: without a search, cut off, or of another shape."""

    code = "PARSE"


def typed(error: GossamerError) -> SearchError:
    """A failure as the class that its specification names, with what is known of it."""
    if isinstance(error, SearchError):
        return error
    known: dict[str, str | int | list[str]] = dict(error.context)
    if error.retry_after_s is not None and not isinstance(error, QuotaExhausted):
        known["retryAfter"] = ceil(error.retry_after_s)
    known.setdefault("reason", _REASONS.get(type(error), error.outcome.value))
    if isinstance(error, QuotaExhausted):
        known["reason"] = "quota"
    known |= {"said": said} if (said := plain(error.quote, max_chars=200)) else {}
    hint = _LATE if isinstance(error, TimedOut) and "provider" not in error.context else error.hint
    return _kind(error)(error.message, hint=hint, details=known)


_REASONS: dict[type[GossamerError], str] = {BadSettings: "settings", UnexpectedReply: "malformed"}


def _kind(error: GossamerError) -> type[SearchError]:
    reason, is_foreign = error.context.get("reason"), "provider" in error.context
    if isinstance(error, UnexpectedReply) or reason in _UNREADABLE:
        return SearchProviderParseError
    if isinstance(error, RateLimited | QuotaExhausted):
        return SearchRateLimitError
    if isinstance(error, Denied) and reason not in _NOT_OF_THE_KEY:
        return SearchAuthError
    if isinstance(error, UsageError) and not is_foreign and not isinstance(error, BadSettings):
        return SearchValidationError
    return SearchProviderError
