import math
from dataclasses import dataclass
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr, ValidationError

from gossamer.errors import (
    BrokenReply,
    Denied,
    GossamerError,
    InvalidArgument,
    NotFound,
    Outcome,
    RateLimited,
    TimedOut,
    Unreachable,
)
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import Found, Hit, Query
from gossamer.ports import Call, Part, Provider, judge_status, no_progress, retry_after


@dataclass
class SetClock:
    seconds: float = 100.0

    def now(self) -> float:
        return self.seconds

    def monotonic(self) -> float:
        return self.seconds


class Finder(Provider, frozen=True):
    name: ClassVar[str] = "finder"
    title: ClassVar[str] = "Finder"

    def request(self, query: Query) -> HttpRequest:
        return HttpRequest(url=self.base_url, params={"q": query.text})

    def parse(self, reply: HttpReply) -> Found:
        return Found(hits=(Hit(url=reply.url, title="T"),))


class Bare(Provider, frozen=True):
    name: ClassVar[str] = "bare"
    title: ClassVar[str] = "Bare"


def reply(status: int, **headers: str) -> HttpReply:
    return HttpReply(status=status, url="https://api.test/", headers=headers)


def test_a_call_without_a_deadline_has_all_the_time() -> None:
    assert Call(clock=SetClock()).remaining_s == math.inf


def test_what_remains_of_a_call_is_never_negative() -> None:
    clock = SetClock()
    call = Call(clock=clock, deadline=105.0)
    assert call.remaining_s == 5.0
    clock.seconds = 110.0
    assert call.remaining_s == 0.0


def test_a_call_within_a_limit_never_gains_time_and_shares_the_rest() -> None:
    call = Call(clock=SetClock(), deadline=105.0)
    shorter = call.within(2.0)
    assert (shorter.remaining_s, call.within(60.0).remaining_s) == (2.0, 5.0)
    shorter.log.note("Said.")
    shorter.record("part", Outcome.OK, since=99.5, size=7)
    shorter.cancelled.set()
    assert call.log.notes == ["Said."]
    assert call.log.parts == [Part(name="part", outcome=Outcome.OK, ms=500, bytes=7)]
    assert call.cancelled.is_set()


def test_a_note_is_said_once() -> None:
    call = Call(clock=SetClock())
    for text in ("One.", "Two.", "One."):
        call.log.note(text)
    assert call.log.notes == ["One.", "Two."]


BUSY = "store.sqlite has been held by another process for 5 s. It waits its turn."
TOGETHER = {
    "two lacks": (
        [f"The library could not be read: {BUSY}", f"The page was not kept: {BUSY}"],
        [f"The library could not be read; the page was not kept: {BUSY}"],
    ),
    "a lack that was told together with another": (
        [f"The page was not kept: {BUSY}", f"Vectors are missing; the page was not kept: {BUSY}"],
        [f"The page was not kept; Vectors are missing: {BUSY}"],
    ),
    "two causes": (
        [f"The page was not kept: {BUSY}", "The page was not kept: The disk is full. Free some space."],
        [f"The page was not kept: {BUSY}", "The page was not kept: The disk is full. Free some space."],
    ),
    "what is a list and no cause": (
        ["One could not apply: site.", "Another could not apply: site."],
        ["One could not apply: site.", "Another could not apply: site."],
    ),
}


@pytest.mark.parametrize(("told", "noted"), TOGETHER.values(), ids=TOGETHER)
def test_what_has_the_same_cause_is_said_together(told: list[str], noted: list[str]) -> None:
    call = Call(clock=SetClock())
    for text in (*told, *told):
        call.log.note(text)
    assert call.log.notes == noted


async def test_progress_may_go_to_nobody() -> None:
    await no_progress(1, 2, "half")


STATUSES: dict[int, type[GossamerError]] = {
    429: RateLimited,
    401: Denied,
    403: Denied,
    404: NotFound,
    410: NotFound,
    408: TimedOut,
    504: TimedOut,
    500: Unreachable,
    502: Unreachable,
    599: Unreachable,
    400: InvalidArgument,
    422: InvalidArgument,
    302: BrokenReply,
    418: BrokenReply,
    101: BrokenReply,
}


@pytest.mark.parametrize(("status", "error"), STATUSES.items())
def test_a_bad_status_is_an_error_that_names_who_and_the_next_step(status: int, error: type[GossamerError]) -> None:
    with pytest.raises(error) as caught:
        judge_status("Finder", reply(status))
    assert caught.value.message.startswith("Finder ")
    assert caught.value.hint


@pytest.mark.parametrize("status", [200, 204, 299])
def test_a_good_status_passes(status: int) -> None:
    judge_status("Finder", reply(status))


def test_a_limit_carries_its_seconds() -> None:
    with pytest.raises(RateLimited) as caught:
        judge_status("Finder", reply(429, **{"retry-after": "30"}))
    assert caught.value.retry_after_s == 30.0


WAITS = {
    "seconds": ("120", 120.0),
    "blanks round them": (" 5 ", 5.0),
    "nothing": ("", None),
    "a date": ("Wed, 21 Oct 2026 07:28:00 GMT", None),
    "negative": ("-1", None),
    "a fraction": ("1.5", None),
    "digits of another script": ("１２", None),
    "more than a day": ("999999", 86_400.0),
    "longer than anybody waits": ("1234567", None),
}


@pytest.mark.parametrize(("value", "seconds"), WAITS.values(), ids=WAITS)
def test_retry_after_is_read_in_seconds_or_not_at_all(value: str, seconds: float | None) -> None:
    assert retry_after(reply(429, **{"retry-after": value})) == seconds


DATES = {
    "a minute ahead": ("Thu, 01 Jan 1970 00:01:40 GMT", 90.0),
    "without a zone": ("Thu, 01 Jan 1970 00:01:40 -0000", 90.0),
    "in the past": ("Thu, 01 Jan 1970 00:00:01 GMT", 0.0),
    "years ahead": ("Thu, 01 Jan 1981 00:00:01 GMT", 86_400.0),
    "seconds all the same": ("7", 7.0),
    "nonsense": ("soon", None),
    "no such month": ("Thu, 01 Foo 1970 00:01:40 GMT", None),
    "a zone beyond belief": ("Thu, 01 Jan 1970 00:01:40 +9999999999", None),
    "nothing": ("", None),
}


@pytest.mark.parametrize(("value", "seconds"), DATES.values(), ids=DATES)
def test_retry_after_as_a_date_is_counted_from_now(value: str, seconds: float | None) -> None:
    assert retry_after(reply(429, **{"retry-after": value}), now=10.0) == seconds


CLOCKS = {
    "ours is a year ahead": (86_400.0 * 365, "Thu, 01 Jan 1970 00:00:10 GMT"),
    "ours has jumped back": (0.0, "Thu, 01 Jan 1970 00:00:10 GMT"),
    "ours is not known": (None, "Thu, 01 Jan 1970 00:00:10 GMT"),
    "theirs says nothing": (10.0, "no date"),
}


@pytest.mark.parametrize(("now", "date"), CLOCKS.values(), ids=CLOCKS)
def test_retry_after_as_a_date_does_not_depend_on_our_clock_when_the_site_tells_its_own(
    now: float | None, date: str
) -> None:
    headers = {"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT", "date": date}
    assert retry_after(reply(429, **headers), now=now) == 90.0


WORDS = st.sampled_from(
    [
        "Wed,",
        "Jan",
        "0",
        "99",
        "2002",
        "-1",
        "12:34:56",
        "12.34",
        "::",
        "+0800",
        "-9999999",
        "GMT",
        "9" * 20,
        "٣",
        "(x)",
    ]
)


@given(st.one_of(st.text(), st.lists(WORDS).map(" ".join)), st.lists(WORDS).map(" ".join), st.floats(-1e12, 1e12))
def test_no_header_makes_anybody_wait_for_longer_than_a_day(value: str, date: str, now: float) -> None:
    wait = retry_after(reply(429, **{"retry-after": value, "date": date}), now=now)
    assert wait is None or 0 <= wait <= 86_400


def test_a_provider_asks_once_unless_it_says_otherwise() -> None:
    finder = Finder(base_url="https://api.test/")
    assert finder.is_ready
    steps = finder.steps(Query(text="words"))
    assert next(steps) == HttpRequest(url="https://api.test", params={"q": "words"})
    finder.judge(reply(200))
    with pytest.raises(StopIteration) as done:
        steps.send(reply(200))
    assert done.value.value == Found(hits=(Hit(url="https://api.test/", title="T"),))


def test_a_provider_judges_by_status_under_its_own_title() -> None:
    with pytest.raises(Unreachable, match="Finder failed on its side"):
        Finder(base_url="https://api.test/").judge(reply(503))


def test_a_provider_that_says_nothing_is_told_what_it_lacks() -> None:
    bare = Bare(base_url="https://api.test/")
    with pytest.raises(NotImplementedError, match="Bare must say what it sends"):
        bare.request(Query(text="x"))
    with pytest.raises(NotImplementedError, match="Bare must read what it gets"):
        bare.parse(reply(200))


def test_a_providers_settings_are_its_fields_alone() -> None:
    with pytest.raises(ValidationError):
        Finder(base_url="https://api.test/", api_key="x")  # type: ignore[call-arg]


@pytest.mark.promise("002.106")
@pytest.mark.parametrize("address", ["ftp://x.test", "x.test", "http://", "http://me:secret@x.test", "http://x .test"])
def test_a_provider_lives_at_a_plain_http_address(address: str) -> None:
    with pytest.raises(ValidationError, match="http"):
        Finder(base_url=address)


def test_a_result_names_the_address_without_a_slash_at_the_end() -> None:
    finder = Finder(base_url="https://api.test/v1/")
    assert finder.instance(Query(text="x")) == "https://api.test/v1"


class Keyed(Finder, frozen=True):
    api_key: SecretStr = SecretStr("")


SAFE = {
    "encrypted": ("https://finder.example/v1", "k-secret"),
    "without a key": ("http://finder.example/v1", ""),
    "this machine by name": ("http://localhost:8080/v1", "k-secret"),
    "this machine by number": ("http://127.0.0.9:8080", "k-secret"),
    "this machine in v6": ("http://[::1]:8080", "k-secret"),
    "no address yet": ("", "k-secret"),
}
UNSAFE = {
    "a site": "http://finder.example/v1",
    "capital letters": "HTTP://finder.example/v1",
    "the local network": "http://192.168.1.4:8080",
    "a name that begins like this machine's": "http://localhost.finder.example",
    "a number that is none": "http://127.0.0.1.example",
    "an address that cannot be read": "http://[finder",
}


@pytest.mark.parametrize(("base_url", "key"), SAFE.values(), ids=SAFE)
def test_a_key_goes_where_nobody_can_read_it(base_url: str, key: str) -> None:
    assert Keyed(base_url=base_url, api_key=SecretStr(key)).base_url == base_url


@pytest.mark.promise("002.103", "004.63", "004.81")
@pytest.mark.parametrize("base_url", UNSAFE.values(), ids=UNSAFE)
def test_a_key_never_goes_over_the_network_in_the_clear_and_is_not_told_in_the_refusal(base_url: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Keyed(base_url=base_url, api_key=SecretStr("k-secret"))
    assert "k-secret" not in str(refused.value)


@pytest.mark.promise("004.77")
def test_a_key_is_shown_by_nothing_that_prints_or_dumps_its_provider() -> None:
    made = Keyed(base_url="https://finder.example", api_key=SecretStr("k-secret"))
    shown = (repr(made), str(made), f"{made!r:s}", made.model_dump_json(), str(made.model_dump()))
    assert not [text for text in shown if "k-secret" in text]


def test_blanks_round_a_pasted_key_are_no_part_of_it() -> None:
    made = Keyed(base_url="https://finder.example", api_key=SecretStr(" k-secret\n"))
    assert made.api_key.get_secret_value() == "k-secret"


NO_KEYS = {"two lines": "k-secret\r\nX-Other: 1", "two words": "k-secret k", "no plain letters": "k-secret-ключ"}


@pytest.mark.parametrize("key", NO_KEYS.values(), ids=NO_KEYS)
def test_what_cannot_be_a_key_is_refused_without_being_shown(key: str) -> None:
    with pytest.raises(ValidationError, match="one word") as refused:
        Keyed(base_url="https://finder.example", api_key=SecretStr(key))
    assert "k-secret" not in str(refused.value)
