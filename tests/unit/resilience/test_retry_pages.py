"""A page that failed on the site's side is asked for at most twice more, and never where it would be unkind."""

import asyncio
from email.utils import formatdate

import pytest

from gossamer.errors import BrokenReply, GossamerError, TimedOut, Unreachable
from gossamer.model.http import HttpReply
from gossamer.resilience.retry import Dropped, RetryBudget
from gossamer.testing.state_contract import SetClock

NOW = 1_700_000_000.0


class Site:
    """Answers with one thing after the other; the last one repeats."""

    def __init__(self, *answers: HttpReply | GossamerError) -> None:
        self.answers = list(answers)
        self.asked_at: list[float] = []

    async def __call__(self) -> HttpReply:
        self.asked_at.append(asyncio.get_running_loop().time())
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, GossamerError):
            raise answer
        return answer

    @property
    def asked(self) -> int:
        return len(self.asked_at)


def reply(status: int, retry_after: str = "") -> HttpReply:
    return HttpReply(status=status, url="", headers={"retry-after": retry_after} if retry_after else {})


def tries(*, pause_s: float = 0.0, limit_s: float = 20.0) -> RetryBudget:
    return RetryBudget(clock=SetClock(NOW), pause_s=pause_s, limit_s=limit_s)


OK, DOWN, DROPPED = reply(200), reply(503), Dropped("It broke off.")

ASKED_AGAIN = {
    "a server error": ((DOWN, OK), 2, 200),
    "two of them": ((DOWN, reply(500), OK), 3, 200),
    "and no more": ((DOWN, DOWN, DOWN, OK), 3, 503),
    "a dropped connection": ((DROPPED, OK), 2, 200),
    "one of each": ((DROPPED, DOWN, OK), 3, 200),
    "a moment's silence": ((reply(503, "0"), OK), 2, 200),
    "a date that is over": ((reply(503, formatdate(NOW - 60, usegmt=True)), OK), 2, 200),
}
ASKED_ONCE = {
    "a page": OK,
    "not found": reply(404),
    "limited": reply(429),
    "limited for a moment": reply(429, "1"),
    "bad request": reply(400),
    "late on our side": reply(408),
    "moved": reply(302),
    "silence for long": reply(503, "6"),
    "silence until a date": reply(500, formatdate(NOW + 600, usegmt=True)),
}


@pytest.mark.parametrize(("answers", "asked", "status"), ASKED_AGAIN.values(), ids=ASKED_AGAIN)
async def test_a_failure_of_the_site_is_asked_again(
    answers: tuple[HttpReply | GossamerError, ...], asked: int, status: int
) -> None:
    site = Site(*answers)
    assert (await tries().ask(site)).status == status
    assert site.asked == asked


@pytest.mark.parametrize("answer", ASKED_ONCE.values(), ids=ASKED_ONCE)
async def test_what_is_an_answer_is_not_asked_again(answer: HttpReply) -> None:
    site = Site(answer, OK)
    assert await tries().ask(site) is answer
    assert site.asked == 1


@pytest.mark.parametrize("error", [BrokenReply("cut"), TimedOut("late"), Unreachable("no connection")])
async def test_what_failed_in_another_way_is_not_asked_again(error: GossamerError) -> None:
    site = Site(error, OK)
    with pytest.raises(type(error)):
        await tries().ask(site)
    assert site.asked == 1


async def test_a_site_that_always_drops_us_is_told_as_such() -> None:
    site = Site(DROPPED)
    with pytest.raises(Dropped):
        await tries().ask(site)
    assert site.asked == 3


async def test_the_redirects_of_a_page_share_its_tries() -> None:
    both = tries()
    assert (await both.ask(Site(DOWN, reply(302)))).status == 302
    second = Site(DOWN, DOWN, OK)
    assert (await both.ask(second)).status == 503
    assert second.asked == 2


async def test_pauses_grow_and_hold_what_the_site_asked_for() -> None:
    site = Site(reply(503, "0"), DOWN, OK)
    await tries(pause_s=0.04).ask(site)
    first, second, third = site.asked_at
    assert second - first >= 0.02
    assert third - second >= 0.04


async def test_a_pause_that_would_take_the_pages_time_is_not_made() -> None:
    for answer in (DOWN, reply(503, "4")):
        site = Site(answer, OK)
        assert await tries(pause_s=4.0, limit_s=3.0).ask(site) is answer
        assert site.asked == 1
