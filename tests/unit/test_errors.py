from collections.abc import Iterator

import pytest

from gossamer import errors, process
from gossamer.errors import GossamerError, NotFound, Outcome, PaymentRequired, RateLimited, StoreError

EXIT_CODES = {
    0: "ok no_match paywall",
    2: "invalid",
    3: "refused robots",
    4: "blocked captcha denied not_found rate_limited quota timeout unreachable error",
    5: "js_required empty unsupported too_large",
}
OUTCOMES = {
    "UsageError InvalidArgument UnknownName BadCursor BadSettings": "invalid",
    "RefusedError BlockedAddress": "refused",
    "RobotsDisallowed": "robots",
    "GossamerError UpstreamError BrokenReply UnexpectedReply ContentError BrokenDocument": "error",
    "StoreError StoreUnavailable StoreDamaged StoreBusy": "error",
    "RateLimited": "rate_limited",
    "QuotaExhausted": "quota",
    "Denied": "denied",
    "NotFound": "not_found",
    "TimedOut Busy": "timeout",
    "Unreachable EnginesSilent": "unreachable",
    "Captcha": "captcha",
    "PaymentRequired": "paywall",
    "BlockPage": "blocked",
    "TooLarge TooComplex": "too_large",
    "UnsupportedType": "unsupported",
    "EmptyPage": "empty",
    "NeedsScript": "js_required",
}
RETRYABLE = {"RateLimited", "TimedOut", "Unreachable", "EnginesSilent", "StoreBusy", "Busy"}


def tree(root: type[GossamerError] = GossamerError) -> Iterator[type[GossamerError]]:
    yield root
    for child in root.__subclasses__():
        yield from tree(child)


def made(kind: type[GossamerError]) -> GossamerError:
    return kind("Something happened.") if kind is RateLimited else kind("Something happened.", hint="Do this.")


ROWS = [(word, code) for code, words in EXIT_CODES.items() for word in words.split()]
KINDS = [(name, word) for names, word in OUTCOMES.items() for name in names.split()]


@pytest.mark.parametrize(("word", "code"), ROWS)
def test_every_outcome_has_the_documented_exit_code(word: str, code: int) -> None:
    assert Outcome(word).exit_code == code


def test_no_outcome_is_without_a_documented_exit_code() -> None:
    assert {word for word, _ in ROWS} == {outcome.value for outcome in Outcome}


def test_results_are_exactly_the_outcomes_that_exit_with_zero() -> None:
    assert {outcome for outcome in Outcome if outcome.is_result} == {
        outcome for outcome in Outcome if outcome.exit_code == 0
    }


@pytest.mark.parametrize(("name", "word"), KINDS)
def test_every_error_ends_in_its_word_of_the_vocabulary(name: str, word: str) -> None:
    assert getattr(errors, name).outcome is Outcome(word)


def test_the_table_of_errors_and_their_drawing_are_complete() -> None:
    names = {kind.__name__ for kind in tree() if kind.__module__ == "gossamer.errors"}
    assert names == {name for name, _ in KINDS}
    assert all(name in (errors.__doc__ or "") for name in names)


@pytest.mark.parametrize(("name", "word"), KINDS)
def test_an_error_is_never_taken_for_a_result(name: str, word: str) -> None:
    error = made(getattr(errors, name))
    if not isinstance(error, PaymentRequired):
        assert not error.outcome.is_result
        assert error.exit_code == (errors.EXIT_STORE if isinstance(error, StoreError) else Outcome(word).exit_code)
    assert error.exit_code not in {0, errors.EXIT_BUG, process.EXIT_INTERRUPTED}


def test_a_page_that_is_paid_for_as_a_whole_is_a_paywall_but_no_result() -> None:
    """A paywall with a free part is handed back as a page; nothing is left to hand back here."""
    assert PaymentRequired("Pay.").outcome is Outcome.PAYWALL
    assert PaymentRequired("Pay.").exit_code == 4


def test_only_what_may_pass_by_itself_is_retryable() -> None:
    ours = {kind for kind in tree() if kind.__module__ == "gossamer.errors"}
    assert {kind.__name__ for kind in ours if kind.retryable} == RETRYABLE


def test_an_error_reads_as_its_sentence_and_the_next_step() -> None:
    assert str(errors.NotFound("There is no such page.", hint="Check the address.")) == (
        "There is no such page. Check the address."
    )
    assert str(errors.NotFound("There is no such page.")) == "There is no such page."


def test_a_limit_says_when_to_come_back() -> None:
    assert str(RateLimited("example.org", retry_after_s=12.4)) == (
        "example.org is limiting our requests. Try again in 13 s."
    )
    assert RateLimited("example.org", retry_after_s=12.4).retry_after_s == 12.4
    assert str(RateLimited("example.org")).endswith("Try again later.")
    assert RateLimited("example.org").retry_after_s is None


def test_the_exit_codes_beside_outcomes_are_the_documented_ones() -> None:
    assert (errors.EXIT_BUG, errors.EXIT_STORE, process.EXIT_INTERRUPTED) == (1, 6, 130)


def test_an_error_with_another_sentence_is_another_error() -> None:
    first = RateLimited("Brave", retry_after_s=3)
    other = first.but(message="Brave is closed.", status=429)
    assert (first.message, first.status) == ("Brave is limiting our requests.", None)
    assert type(other) is RateLimited
    assert (str(other), other.args, other.status, other.retry_after_s) == (
        "Brave is closed. Try again in 3 s.",
        ("Brave is closed.",),
        429,
        3,
    )


FIELDS = ["message", "hint", "retry_after_s", "status", "asked", "raw", "quote", "context"]


@pytest.mark.parametrize("name", [*FIELDS, "outcome", "retryable", "exit_code", "args", "unheard_of"])
def test_an_error_that_several_may_hold_does_not_change(name: str) -> None:
    error = NotFound("Gone.", hint="Look elsewhere.").quoting("404").about(reason="gone")
    before = vars(error).copy()
    with pytest.raises(AttributeError, match="but"):
        setattr(error, name, None)
    with pytest.raises(AttributeError, match="but"):
        delattr(error, name)
    assert (vars(error), error.args, error.outcome) == (before, ("Gone.",), Outcome.NOT_FOUND)


def test_what_an_error_knows_of_its_exchange_does_not_change() -> None:
    given: dict[str, str | int] = {"reason": "gone"}
    error = NotFound("Gone.").but(context=given)
    given["reason"] = "moved"
    for known in (error, error.about(status=404), NotFound("Gone.")):
        with pytest.raises(TypeError):
            known.context["reason"] = "moved"  # type: ignore[index]
    assert error.context == {"reason": "gone"}


def test_the_machinery_of_exceptions_may_still_mark_an_error() -> None:
    error, cause = NotFound("Gone."), ValueError()
    error.add_note("seen in a test")
    error.__traceback__ = None
    error.__context__ = error.__cause__ = cause
    error.__suppress_context__ = False
    assert (error.__notes__, error.__cause__, error.__context__) == (["seen in a test"], cause, cause)
    del error.__notes__
    assert not hasattr(error, "__notes__")
    error.__mark_of_a_framework__ = "seen"
    assert not hasattr(error.but(), "__mark_of_a_framework__")


def test_another_error_begins_without_the_marks_of_the_first() -> None:
    error = NotFound("Gone.")
    error.add_note("seen in a test")
    other = error.but(hint="Look elsewhere.")
    other.add_note("seen elsewhere")
    assert error.__notes__ == ["seen in a test"]
    assert other.__notes__ == ["seen elsewhere"]
