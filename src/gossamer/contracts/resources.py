"""Pages already read, as resources: an address for each, a line in the listing, and the text."""

from typing import Any
from urllib.parse import quote, unquote

from gossamer.contracts.contract import Reply
from gossamer.contracts.i18n import Spoken, said
from gossamer.contracts.render.envelope import Envelope, inert, lines
from gossamer.contracts.render.page import FETCH_TOKENS, named, page_reply
from gossamer.model.page import Listed, Page
from gossamer.steps.text.clean_line import plain
from gossamer.steps.text.link_targets import markdown_of
from gossamer.steps.text.untrusted_markers import escape, iso_time, mark
from gossamer.steps.tokens.count import count
from gossamer.steps.tokens.cursor import Cursor, request_key
from gossamer.steps.web.urls import canonical, host_of

MOST_LISTED = 50
MIME_TYPE = "text/markdown"
_PREFIX = "gossamer://page/"
_MAX_CHARS = 3 * 2048 + len(_PREFIX)
"""A page's address, every sign of it percent-encoded."""
_TITLE = "A page read before"
_SLACK = 3


def uri_of(url: str) -> str:
    """The resource of a page."""
    return _PREFIX + quote(url, safe="")


def address_of(uri: str) -> str:
    """The address of the page that a resource is, in its one spelling; empty when it is no resource of ours."""
    if len(uri) > _MAX_CHARS or uri[: len(_PREFIX)].lower() != _PREFIX:
        return ""
    try:
        url = canonical(unquote(uri[len(_PREFIX) :], errors="strict"))
    except UnicodeDecodeError:
        return ""
    return url if host_of(url) else ""


def listed(number: int, page: Listed, *, nonce: str) -> dict[str, Any]:
    """A kept page as `resources/list` shows it: called by our words, its title and address quoted between marks."""
    told = inert(lines(plain(page.title, max_chars=100), plain(page.url, max_chars=200)))
    return {
        "uri": uri_of(page.url),
        "name": f"Page {number}, read on {iso_time(page.fetched_at).partition('T')[0]}",
        "description": mark(told, source="title", fetched_at=page.fetched_at, nonce=nonce),
        "mimeType": MIME_TYPE,
        "annotations": {"lastModified": iso_time(page.fetched_at)},
    }


def template(language: Spoken = "en") -> dict[str, Any]:
    """How the resource of any kept page is addressed."""
    return {"uriTemplate": f"{_PREFIX}{{address}}", "name": said(_TITLE, language), "mimeType": MIME_TYPE}


def page_text(page: Page, *, key: bytes, now: float, reader: str) -> Reply[None]:
    """The kept text as `web_fetch` shows it, within its usual budget.

    What does not fit is reached with the tool that is published as `reader`; empty: none is.
    """
    way_on = (
        f"This page goes on: call {reader} with url={escape(page.url)} and this cursor."
        if reader
        else "This page goes on, but no tool that opens pages is published here."
    )
    cursor = Cursor(tool="web_fetch", request=request_key(page.url), offset=0, snapshots=named(page))
    budget = FETCH_TOKENS - count(way_on) - _SLACK
    frame = Envelope(max_tokens=budget, notes=(), key=key, now=now, cursor=cursor)
    reply = page_reply(page, start=0, max_length=len(markdown_of(page)) + FETCH_TOKENS, frame=frame)
    is_cut = "gossamer/cursor" in reply.meta
    return Reply(text=lines(reply.text, way_on if is_cut else ""), data=None, meta=reply.meta)
