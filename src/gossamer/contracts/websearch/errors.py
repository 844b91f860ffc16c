"""Errors of `websearch`: the number, the words and the advice that its specification has for a failure."""

from gossamer.errors import GossamerError, Outcome, UpstreamError

_CODES = {
    Outcome.INVALID: 400,
    Outcome.PAYWALL: 402,
    **dict.fromkeys((Outcome.REFUSED, Outcome.ROBOTS, Outcome.DENIED, Outcome.BLOCKED, Outcome.CAPTCHA), 403),
    Outcome.NOT_FOUND: 404,
    Outcome.TIMEOUT: 408,
    Outcome.TOO_LARGE: 413,
    **dict.fromkeys((Outcome.UNSUPPORTED, Outcome.JS_REQUIRED, Outcome.EMPTY), 415),
    **dict.fromkeys((Outcome.RATE_LIMITED, Outcome.QUOTA), 429),
    Outcome.UNREACHABLE: 502,
}
"""What an outcome is called in numbers where no site gave one."""
_MESSAGES = {Outcome.NOT_FOUND: "Page not found"}
_SUGGESTIONS = {
    Outcome.NOT_FOUND: "Verify the URL is correct or search for the content",
    Outcome.TIMEOUT: "Try again later, or use another source",
    Outcome.UNREACHABLE: "Try again later, or use another source",
}


def error_code(error: GossamerError) -> int:
    """The number of a failure: the site's own, where it gave one."""
    if error.status is not None and error.status >= 400:
        return error.status
    return _CODES.get(error.outcome, 502 if isinstance(error, UpstreamError) else 500)


def message(error: GossamerError) -> str:
    """What happened, in the specification's words where it has some."""
    denied = "Access denied. " if error.outcome is Outcome.DENIED else ""
    return _MESSAGES.get(error.outcome, f"{denied}{error.message}")


def suggestion(error: GossamerError) -> str:
    """What to do next."""
    return _SUGGESTIONS.get(error.outcome, error.hint)
