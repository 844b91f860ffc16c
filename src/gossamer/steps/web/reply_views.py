"""Views of a reply: which of them can be made of bytes that were fetched for another one, and which are asked for anew.

A page in text is asked for as Markdown, and at a better address where one is known; HTML is not, and a selector wants
the page itself.
"""

from collections.abc import Mapping
from typing import Literal

from gossamer.model.page import View
from gossamer.steps.web.freshness import Freshness

Kind = Literal["text", "html", "part"]
_ALL: tuple[Kind, ...] = ("text", "html", "part")
_MARKDOWN = frozenset({"text/markdown", "text/x-markdown"})


def kind_of(view: View) -> Kind:
    """How a page is asked for, so that it can be read in this view."""
    if view.selector:
        return "part"
    return "html" if view.format == "html" else "text"


def kinds_served(
    asked: Kind, headers: Mapping[str, str], *, is_elsewhere: bool, leads_elsewhere: bool
) -> tuple[Kind, ...]:
    """The kinds of views that a reply serves which was asked for in one of them.

    `is_elsewhere`: it came from another address than the page's own, which a selector never wants. `leads_elsewhere`:
    all others would rather be read there.
    """
    kinds = _ALL
    if is_elsewhere:
        kinds = ("text", "html")
    elif asked == "part" and leads_elsewhere:
        kinds = ("part",)
    if asked == "text" and headers.get("content-type", "").partition(";")[0].strip().lower() in _MARKDOWN:
        return ("text",)
    if "accept" in {name.strip().lower() for name in headers.get("vary", "").split(",")}:
        return tuple(kind for kind in kinds if (kind == "text") == (asked == "text"))
    return kinds


def is_worth_keeping(headers: Mapping[str, str], fresh: Freshness, *, now: float) -> bool:
    """Whether the bytes of a reply may serve again: while they are fresh, or once their site confirms them."""
    return fresh.may_keep and (fresh.until > now or "etag" in headers or "last-modified" in headers)
