"""Every failure of `search_web` as the class and code that its specification names."""

import pytest

from gossamer.contracts.openai.errors import (
    SearchAuthError,
    SearchError,
    SearchProviderError,
    SearchProviderParseError,
    SearchRateLimitError,
    SearchValidationError,
    typed,
)
from gossamer.contracts.openai.search_web import search_error
from gossamer.errors import (
    BadSettings,
    BrokenReply,
    Busy,
    Denied,
    GossamerError,
    InvalidArgument,
    NotFound,
    QuotaExhausted,
    RateLimited,
    StoreBusy,
    TimedOut,
    UnexpectedReply,
    Unreachable,
)

THEIRS = {"provider": "openai", "attempts": 1}
KINDS: dict[str, tuple[GossamerError, type[SearchError], str, str]] = {
    "401 and 403": (Denied("No.").about(**THEIRS, status=401), SearchAuthError, "AUTH", "denied"),
    "no key": (Denied("No.").about(reason="no_key"), SearchAuthError, "AUTH", "no_key"),
    "429": (RateLimited("It").about(**THEIRS), SearchRateLimitError, "RATE_LIMIT", "rate_limited"),
    "our own limit": (RateLimited("The limit"), SearchRateLimitError, "RATE_LIMIT", "rate_limited"),
    "quota": (
        QuotaExhausted("Spent.").about(**THEIRS, reason="left_alone"),
        SearchRateLimitError,
        "RATE_LIMIT",
        "quota",
    ),
    "5xx": (Unreachable("Out.").about(**THEIRS, status=500), SearchProviderError, "PROVIDER", "unreachable"),
    "timeout": (TimedOut("Late.").about(**THEIRS, reason="timeout"), SearchProviderError, "PROVIDER", "timeout"),
    "network": (BrokenReply("Cut.").about(**THEIRS), SearchProviderError, "PROVIDER", "error"),
    "failed": (BrokenReply("Failed.").about(**THEIRS, reason="failed"), SearchProviderError, "PROVIDER", "failed"),
    "refusal": (Denied("No.").about(**THEIRS, reason="refusal"), SearchProviderError, "PROVIDER", "refusal"),
    "another 400": (InvalidArgument("No.").about(**THEIRS), SearchProviderError, "PROVIDER", "invalid"),
    "model gone": (NotFound("No.").about(**THEIRS, reason="model"), SearchProviderError, "PROVIDER", "model"),
    "no search call": (BrokenReply("No.").about(reason="no_search"), SearchProviderParseError, "PARSE", "no_search"),
    "incomplete": (BrokenReply("No.").about(reason="incomplete"), SearchProviderParseError, "PARSE", "incomplete"),
    "no text": (UnexpectedReply("No.").about(reason="no_text"), SearchProviderParseError, "PARSE", "no_text"),
    "malformed": (UnexpectedReply("No.").about(**THEIRS), SearchProviderParseError, "PARSE", "malformed"),
    "our checks": (InvalidArgument("No."), SearchValidationError, "VALIDATION", "invalid"),
    "a broken setting": (BadSettings("No."), SearchProviderError, "PROVIDER", "settings"),
    "our queue": (Busy("Full."), SearchProviderError, "PROVIDER", "timeout"),
    "our store": (StoreBusy("Held."), SearchProviderError, "PROVIDER", "error"),
    "a bug": (GossamerError("Gossamer failed."), SearchProviderError, "PROVIDER", "error"),
}


@pytest.mark.promise("000.108", "000.109", "000.110", "000.111")
@pytest.mark.parametrize("case", KINDS)
def test_a_failure_has_its_class_its_code_and_its_reason(case: str) -> None:
    error, kind, code, reason = KINDS[case]
    told = typed(error)
    assert type(told) is kind
    assert isinstance(told, SearchError)
    assert told.code == code
    assert (told.message, told.hint) == (error.message, error.hint)
    assert told.details == {**error.context, "reason": reason}


@pytest.mark.promise("000.74", "000.76")
def test_what_is_known_of_the_exchange_stands_in_the_details() -> None:
    error = RateLimited("OpenAI", retry_after_s=1.2).about(provider="openai", status=429, requestId="req_1", attempts=2)
    assert typed(error).details == {
        "provider": "openai",
        "status": 429,
        "requestId": "req_1",
        "attempts": 2,
        "retryAfter": 2,
        "reason": "rate_limited",
    }


def test_a_typed_error_stays_itself() -> None:
    error = SearchValidationError("No.", details={"server": "polymarket"})
    assert typed(error) is error


def test_an_error_result_names_class_and_code_in_its_object_and_beside_it() -> None:
    reply = search_error(Denied("No <|key|>.", hint="Set one."), {"query": "x"})
    assert reply.data.model_dump() == {
        "name": "SearchAuthError",
        "code": "AUTH",
        "message": "No <\\|key|>. Set one.",
        "details": {"reason": "denied"},
    }
    assert reply.meta == {
        "gossamer/error": {"class": "SearchAuthError", "type": "AUTH", "details": {"reason": "denied"}}
    }


def test_a_call_that_took_too_long_names_the_setting_whoever_noticed() -> None:
    told = typed(TimedOut("search_web did not finish within 15 s.", hint="Try again, or ask for less."))
    assert str(told) == "search_web did not finish within 15 s. Try again; the operator can raise openai.timeout_s."
    assert (told.code, told.details) == ("PROVIDER", {"reason": "timeout"})
