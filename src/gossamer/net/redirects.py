"""Redirects: where a reply sends us on, by its status or by a meta refresh in a page without content."""

from gossamer.errors import BlockedAddress, BrokenReply, GossamerError
from gossamer.model.http import HttpReply
from gossamer.net.body import REDIRECTS
from gossamer.net.guard import Target, join
from gossamer.steps.web.html_glance import meta_refresh

MAX_REDIRECTS = 5
_ELSEWHERE = "Try another address of this page."


class Trail:
    """The addresses of one request, each once and not too many; one refresh among them."""

    def __init__(self, start: Target) -> None:
        self._seen = {start.url}
        self._has_refreshed = False

    def onward(self, target: Target, reply: HttpReply) -> str | None:
        """Where `target` leads with this reply; None where the way ends. A page may refresh to itself."""
        if is_redirect(reply):
            where = location(target, reply)
        else:
            written = meta_refresh(reply)
            where = join(target, written) if written else target.url
            if where.partition("#")[0] == target.url:
                return None
            if self._has_refreshed:
                raise BrokenReply(f"{target.host} leads from one empty page to another.", hint=_ELSEWHERE)
            self._has_refreshed = True
        if len(self._seen) > MAX_REDIRECTS:
            raise too_many(target)
        return where

    def add(self, following: Target, *, after: Target) -> None:
        """Refuse to walk in a circle."""
        if following.url in self._seen:
            raise BrokenReply(f"{after.host} redirects in a circle.", hint=_ELSEWHERE)
        self._seen.add(following.url)


def is_redirect(reply: HttpReply) -> bool:
    """Whether the status says that the page is elsewhere."""
    return reply.status in REDIRECTS


def location(target: Target, reply: HttpReply) -> str:
    """The whole address that a redirect names."""
    said = reply.headers.get("location")
    if said is None:
        raise BrokenReply(f"{target.host} redirects without saying where ({reply.status}).", hint=_ELSEWHERE)
    return join(target, said)


def astray(target: Target) -> BlockedAddress:
    """Where it leads is not said: a page must not have our words name, or ask to open, what it cannot reach."""
    return BlockedAddress(
        f"{target.host} redirects to an address that pages are not fetched from.",
        hint="Use another source; who asks for that address itself is told why.",
    )


def failed_elsewhere(error: GossamerError, start: Target) -> GossamerError:
    """What failed behind a redirect: the host that a page chose stands in the quote, never in our sentence."""
    return error.but(message=f"{start.host} redirects to another site, where this failed.").quoting(
        f"{error.message} {error.quote}"
    )


def too_many(target: Target) -> BrokenReply:
    """More redirects than a page needs."""
    return BrokenReply(f"{target.host} redirects more than {MAX_REDIRECTS} times.", hint=_ELSEWHERE)
