"""Wall detection: tells a page from what stands before it, by status, headers and the beginning of the body."""

from collections.abc import Callable

from gossamer.errors import (
    BlockPage,
    BrokenReply,
    Captcha,
    Denied,
    EmptyPage,
    GossamerError,
    NotFound,
    PaymentRequired,
    RateLimited,
    TimedOut,
    Unreachable,
)
from gossamer.model.http import HttpReply
from gossamer.ports import retry_after
from gossamer.steps.web.challenges import is_block, is_challenge, is_limit
from gossamer.steps.web.html_glance import skim

_ELSEWHERE = "Search for another source of the same information; asking again will end the same way."
_CHALLENGE_HEADERS = (
    ("cf-mitigated", "challenge"),
    ("x-amzn-waf-action", "captcha"),
    ("x-amzn-waf-action", "challenge"),
    ("x-vercel-mitigated", "challenge"),
)
_BLOCK_HEADERS = (("x-vercel-mitigated", "deny"), ("x-sucuri-block", ""))
_PRICES = ("crawler-price", "crawler-exact-price", "payment-required")


def judge_reply(reply: HttpReply, *, now: float | None = None) -> None:
    """Raise for a reply that is no page: challenges and block pages whatever their status, then by status.

    `now`, in UTC seconds, is for sites that say by a date when to come again.
    """
    wall = _wall(reply, now)
    if wall is not None:
        raise wall
    fault = _fault(reply, now)
    if fault is not None:
        raise fault


def _wall(reply: HttpReply, now: float | None) -> GossamerError | None:
    if _says(reply, _CHALLENGE_HEADERS):
        return _captcha()
    if _says(reply, _BLOCK_HEADERS):
        return _blocked()
    page = skim(reply)
    if page is None:
        return None
    if is_challenge(page, reply.status):
        return _captcha()
    if is_limit(page):
        return RateLimited("The site", retry_after_s=retry_after(reply, now=now))
    return _blocked() if is_block(page, reply.status) else None


def _says(reply: HttpReply, marks: tuple[tuple[str, str], ...]) -> bool:
    return any(name in reply.headers and mark in reply.headers[name].lower() for name, mark in marks)


def _captcha() -> Captcha:
    return Captcha("A bot challenge stands before the page.", hint=_ELSEWHERE)


def _blocked() -> BlockPage:
    return BlockPage("A protection service has blocked the page.", hint=_ELSEWHERE)


def _fault(reply: HttpReply, now: float | None) -> GossamerError | None:
    """The error that a status stands for, None for a page."""
    status = reply.status
    if status in {204, 205}:
        return EmptyPage(f"The site answered without a page ({status}).", hint="Check the address.")
    if 200 <= status < 300:
        return None
    if status == 402:
        return _unpaid(reply)
    if status == 429:
        return RateLimited("The site", retry_after_s=retry_after(reply, now=now))
    if status in _BY_STATUS:
        return _BY_STATUS[status](status)
    if 400 <= status < 500:
        return Denied(f"The site turned our request away ({status}).", hint="Look for another source.")
    if 500 <= status < 600:
        wait = retry_after(reply, now=now)
        when = "later" if wait is None else f"in {wait:.0f} s"
        return Unreachable(f"The site failed on its side ({status}).", hint=f"Try again {when}.", retry_after_s=wait)
    return BrokenReply(f"The site answered with status {status}, which is no page.", hint="Check the address.")


def _unpaid(reply: HttpReply) -> GossamerError:
    """Tell who has not paid: the reader, we as a crawler, or the site its host."""
    if "x-vercel-error" in reply.headers:
        return Unreachable("The site is switched off by its host (402).", hint="Look for another source.")
    if any(name in reply.headers for name in _PRICES):
        return PaymentRequired(
            "The site asks programs to pay for each page (402).",
            hint="Look for a free source; the operator may have an agreement with the site.",
        )
    return PaymentRequired("The page has to be paid for (402).", hint="Look for a free source.")


_BY_STATUS: dict[int, Callable[[int], GossamerError]] = {
    401: lambda status: Denied(
        f"The page asks for a login ({status}).", hint="Look for a public source of the same information."
    ),
    403: lambda status: Denied(f"The site does not let us see the page ({status}).", hint=_ELSEWHERE),
    404: lambda status: NotFound(
        f"There is no such page ({status}).", hint="Check the address or search for the page."
    ),
    408: lambda status: TimedOut(f"The site waited for us in vain ({status}).", hint="Try again."),
    410: lambda status: NotFound(f"The page is gone for good ({status}).", hint="Search for where it went."),
    451: lambda status: Denied(f"The page is withheld for legal reasons ({status}).", hint="Look for another source."),
    999: lambda status: Denied(f"The site turns programs away ({status}).", hint=_ELSEWHERE),
}
