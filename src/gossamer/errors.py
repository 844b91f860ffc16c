"""Everything that can go wrong, in one tree, by who can act on it.

    GossamerError
    |- UsageError      the caller: InvalidArgument, UnknownName, BadCursor, BadSettings
    |- RefusedError    we decline: BlockedAddress, RobotsDisallowed, Busy
    |- UpstreamError   the other side: RateLimited, QuotaExhausted, Denied, NotFound, TimedOut, Unreachable
    |                  (EnginesSilent), BrokenReply, UnexpectedReply, Captcha, BlockPage, PaymentRequired
    |- ContentError    nothing to read: TooLarge, TooComplex, UnsupportedType, EmptyPage, NeedsScript, BrokenDocument
    `- StoreError      StoreUnavailable, StoreDamaged, StoreBusy

Every error ends in one word of the outcome vocabulary, one sentence and a next step. They are our words alone: what a
page or a service says stands apart, in `quote`, and is shown as a quote or not at all.
"""

import math
from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import ClassVar, Self, TypedDict, Unpack


class Outcome(StrEnum):
    """How a search, a page or a provider attempt ended: exactly one of these words."""

    OK = "ok"
    NO_MATCH = "no_match"
    BLOCKED = "blocked"
    CAPTCHA = "captcha"
    PAYWALL = "paywall"
    ROBOTS = "robots"
    JS_REQUIRED = "js_required"
    EMPTY = "empty"
    UNSUPPORTED = "unsupported"
    TOO_LARGE = "too_large"
    NOT_FOUND = "not_found"
    DENIED = "denied"
    RATE_LIMITED = "rate_limited"
    QUOTA = "quota"
    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    INVALID = "invalid"
    REFUSED = "refused"
    ERROR = "error"

    @property
    def is_result(self) -> bool:
        """Tell results (`ok`, `no_match`, a partial `paywall`) from failures, which set `isError`."""
        return self in {Outcome.OK, Outcome.NO_MATCH, Outcome.PAYWALL}

    @property
    def exit_code(self) -> int:
        """The exit code of a command that ended so."""
        return _EXIT_CODES[self]


_OUTCOMES_BY_EXIT_CODE = {
    0: "ok no_match paywall",
    2: "invalid",
    3: "refused robots",
    4: "blocked captcha denied not_found rate_limited quota timeout unreachable error",
    5: "js_required empty unsupported too_large",
}
_EXIT_CODES = {Outcome(word): code for code, words in _OUTCOMES_BY_EXIT_CODE.items() for word in words.split()}

_QUOTE_CHARS = 1000
EXIT_BUG = 1
EXIT_STORE = 6


class ErrorFields(TypedDict, total=False):
    """What one error may know that another of its kind does not."""

    message: str
    hint: str
    retry_after_s: float | None
    status: int | None
    asked: tuple[tuple[str, str], ...]
    raw: str
    quote: str
    context: Mapping[str, str | int]


class GossamerError(Exception):
    """The root: a sentence that says what happened, and a hint that says what to do next.

    An error never changes, since several callers may hold the same one: `but` makes another.
    """

    outcome: ClassVar[Outcome] = Outcome.ERROR
    retryable: ClassVar[bool] = False
    message: str
    hint: str
    retry_after_s: float | None
    status: int | None = None
    """The HTTP status that it stands for, where a site gave one."""
    asked: tuple[tuple[str, str], ...] = ()
    """Name and address of every service that was asked in vain, where this is the end of a search."""
    raw: str = ""
    """What the service itself said, where a contract hands that on; without our keys."""
    quote: str = ""
    """What the other side said of it or is called, in its own words: never a part of our sentences."""
    context: Mapping[str, str | int] = MappingProxyType({})
    """What is known of the exchange that failed (who, status, request id, reason), for contracts that tell it."""

    def __init__(self, message: str, *, hint: str = "", retry_after_s: float | None = None) -> None:
        super().__init__(message)
        vars(self).update(message=message, hint=hint, retry_after_s=retry_after_s)

    def __setattr__(self, name: str, value: object) -> None:
        _refuse_change(name)
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        _refuse_change(name)
        super().__delattr__(name)

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()

    def but(self, **changes: Unpack[ErrorFields]) -> Self:
        """Another error of the same kind that differs in these fields; it has no traceback and no notes yet."""
        fields = {name: value for name, value in vars(self).items() if not name.startswith("__")} | changes
        other = type(self).__new__(type(self), fields["message"])
        vars(other).update(fields, context=MappingProxyType(dict(changes.get("context", self.context))))
        return other

    def quoting(self, words: str) -> Self:
        """The same failure with the beginning of what the other side said."""
        return self.but(quote=words[:_QUOTE_CHARS].strip())

    def about(self, **known: str | int) -> Self:
        """The same failure, knowing more of its exchange."""
        return self.but(context={**self.context, **known})

    @property
    def exit_code(self) -> int:
        """The exit code of a command that ended in this error."""
        return self.outcome.exit_code


def _refuse_change(name: str) -> None:
    """Refuse all but the marks (`__cause__`, `__notes__`, …) that Python and frameworks leave on an error."""
    if not (name.startswith("__") and name.endswith("__")):
        raise AttributeError(f"An error does not change, nor does its {name}: but(…) makes another.")


class UsageError(GossamerError):
    """The caller can mend it: an argument, a name, a setting."""

    outcome = Outcome.INVALID


class InvalidArgument(UsageError):
    """An argument is out of bounds or of the wrong kind."""


class UnknownName(UsageError):
    """A tool, provider or setting that does not exist; the hint names the nearest one that does."""


class BadCursor(UsageError):
    """A cursor that we did not sign, that belongs to another request, or whose snapshot is gone."""


class BadSettings(UsageError):
    """A setting that cannot be understood; the server starts all the same and says so on every call."""


class RefusedError(GossamerError):
    """We decline, whatever the other side would have said."""

    outcome = Outcome.REFUSED


class BlockedAddress(RefusedError):
    """An address, port, scheme or domain that pages are not fetched from."""


class RobotsDisallowed(RefusedError):
    """The site's robots.txt forbids the page, or could not be had."""

    outcome = Outcome.ROBOTS


class Busy(RefusedError):
    """We have more to do than we hold at once; it says nothing of the other side and is not remembered of it."""

    outcome = Outcome.TIMEOUT
    retryable = True


class UpstreamError(GossamerError):
    """The other side failed, refused or answered with something unreadable."""


class RateLimited(UpstreamError):
    """A site or provider asked us to slow down."""

    outcome = Outcome.RATE_LIMITED
    retryable = True

    def __init__(self, who: str, *, retry_after_s: float | None = None) -> None:
        wait = f"in {math.ceil(retry_after_s)} s" if retry_after_s is not None else "later"
        super().__init__(f"{who} is limiting our requests.", hint=f"Try again {wait}.", retry_after_s=retry_after_s)


class QuotaExhausted(UpstreamError):
    """The account behind a key has nothing left to spend."""

    outcome = Outcome.QUOTA


class Denied(UpstreamError):
    """A login is needed, or our key or request was turned away."""

    outcome = Outcome.DENIED


class NotFound(UpstreamError):
    """There is no such page."""

    outcome = Outcome.NOT_FOUND


class TimedOut(UpstreamError):
    """Nothing, or not everything, came in time."""

    outcome = Outcome.TIMEOUT
    retryable = True


class Unreachable(UpstreamError):
    """No connection, no such name, or a server error on the other side."""

    outcome = Outcome.UNREACHABLE
    retryable = True


class EnginesSilent(Unreachable):
    """A metasearch engine answered, but none of the engines that it asks did."""


class BrokenReply(UpstreamError):
    """A protocol fault, a redirect loop, a cut or undecodable body."""


class UnexpectedReply(UpstreamError):
    """A provider's reply does not have the shape we know; names the very field that differs."""


class Captcha(UpstreamError):
    """A bot challenge stands before the page."""

    outcome = Outcome.CAPTCHA


class BlockPage(UpstreamError):
    """A protection service's block page, or a consent wall."""

    outcome = Outcome.BLOCKED


class PaymentRequired(UpstreamError):
    """The whole page has to be paid for, so that not even a part of it can be returned."""

    outcome = Outcome.PAYWALL

    @property
    def exit_code(self) -> int:
        """A paywall with a free part is a result; one without is a page that could not be had."""
        return Outcome.DENIED.exit_code


class ContentError(GossamerError):
    """The page came, but there is nothing in it for a reader."""


class TooLarge(ContentError):
    """Bigger than we read, or inflating like a bomb."""

    outcome = Outcome.TOO_LARGE


class TooComplex(ContentError):
    """Built so that parsing it would take more time or memory than a page may."""

    outcome = Outcome.TOO_LARGE


class UnsupportedType(ContentError):
    """A kind of file that has no reader here."""

    outcome = Outcome.UNSUPPORTED


class EmptyPage(ContentError):
    """The page holds no text."""

    outcome = Outcome.EMPTY


class NeedsScript(ContentError):
    """An empty shell: its text is made by scripts, which are not run."""

    outcome = Outcome.JS_REQUIRED


class BrokenDocument(ContentError):
    """A document that its own format's reader cannot open."""


class StoreError(GossamerError):
    """The place where pages are kept cannot be used."""

    @property
    def exit_code(self) -> int:
        """Store trouble has an exit code of its own."""
        return EXIT_STORE


class StoreUnavailable(StoreError):
    """The data folder or database cannot be opened or written."""


class StoreDamaged(StoreUnavailable):
    """The database is not what was written, or no longer where it was: it has to be opened again."""


class StoreBusy(StoreError):
    """Somebody held the store for longer than we wait."""

    retryable = True
