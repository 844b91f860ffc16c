"""Which views can be made of bytes that were fetched for another one."""

import pytest

from gossamer.model.page import View
from gossamer.steps.web.freshness import Freshness, Kind, is_worth_keeping, kind_of, kinds_served

VIEWS: dict[str, tuple[View, Kind]] = {
    "as it is": (View(), "text"),
    "plain text": (View(format="text", include_links=False), "text"),
    "HTML": (View(format="html"), "html"),
    "a part": (View(selector="h1"), "part"),
    "a part as HTML": (View(selector="h1", format="html"), "part"),
}


@pytest.mark.parametrize(("view", "kind"), VIEWS.values(), ids=VIEWS)
def test_a_view_is_asked_for_in_one_of_three_ways(view: View, kind: Kind) -> None:
    assert kind_of(view) == kind


ALL = ("text", "html", "part")
SERVED: dict[str, tuple[Kind, dict[str, str], bool, bool, tuple[Kind, ...]]] = {
    "a page": ("text", {"content-type": "text/html"}, False, False, ALL),
    "a page that was asked for a part": ("part", {}, False, False, ALL),
    "a file that is read instead of the page": ("text", {}, True, True, ("text", "html")),
    "the page where a file is read instead": ("part", {}, False, True, ("part",)),
    "the page where the file could not be had": ("text", {}, False, True, ALL),
    "Markdown that was asked for": ("text", {"content-type": "text/Markdown; charset=utf-8"}, False, False, ("text",)),
    "Markdown that was not": ("html", {"content-type": "text/markdown"}, False, False, ALL),
    "text that varies": ("text", {"vary": "Accept-Encoding, Accept"}, False, False, ("text",)),
    "HTML that varies": ("html", {"vary": "accept"}, False, False, ("html", "part")),
    "what varies by something else": ("html", {"vary": "accept-encoding"}, False, False, ALL),
}


@pytest.mark.parametrize(("asked", "headers", "is_elsewhere", "leads", "served"), SERVED.values(), ids=SERVED)
def test_a_reply_serves_the_views_that_would_get_the_same_one(
    asked: Kind, headers: dict[str, str], is_elsewhere: bool, leads: bool, served: tuple[Kind, ...]
) -> None:
    assert kinds_served(asked, headers, is_elsewhere=is_elsewhere, leads_elsewhere=leads) == served


@pytest.mark.parametrize(
    ("headers", "fresh", "is_worth"),
    [
        ({}, Freshness(may_keep=True, until=101.0), True),
        ({}, Freshness(may_keep=True, until=100.0), False),
        ({"etag": '"1"'}, Freshness(may_keep=True, until=100.0), True),
        ({"last-modified": "x"}, Freshness(may_keep=True, until=100.0), True),
        ({"etag": '"1"'}, Freshness(may_keep=False, until=101.0), False),
    ],
    ids=["fresh", "stale at once", "with a tag", "with a date", "not to be kept"],
)
def test_bytes_are_kept_that_may_serve_again(headers: dict[str, str], fresh: Freshness, is_worth: bool) -> None:
    assert is_worth_keeping(headers, fresh, now=100.0) is is_worth
