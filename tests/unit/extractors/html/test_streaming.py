import pytest

from gossamer.extractors.html.pipeline import read_html
from gossamer.extractors.html.streaming import place_streamed
from gossamer.extractors.html.tree import body, parse, words
from gossamer.model.page import View

PROSE = (
    "The ferry leaves the north pier at nine and again at noon, unless the wind blows harder than six from the west. "
)
CALL = 'function $RC(a,b){};$RC("B:0","S:0")'
PLACE = "<p>Before.</p><!--$?--><template id='B:0'></template><p>Loading</p><!--/$--><p>After.</p>"
PART = "<div hidden id='S:0'>Late <b>part</b> here.</div>"


def shown(page: str) -> str:
    """The text of a page's body once its late parts are in their places; what is hidden, templates aside, in it too."""
    root = parse(f"<html><body>{page}</body></html>")
    assert root is not None
    place_streamed(root)
    for el in list(root.iter("script", "template")):
        el.drop_tree()
    for el in list(root.xpath("descendant::*[@hidden]")):
        el.drop_tree()
    return words(body(root))


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (f"{PLACE}{PART}<script>{CALL}</script>", "Before.Late part here.After."),
        (f'{PLACE}{PART}<script>$RR("B:0","S:0",["a.css"])</script>', "Before.Late part here.After."),
        (
            (
                "<ul><li>One</li><template id='P:a'></template><li>Three</li></ul>"
                '<div hidden id=\'S:a\'><li>Two</li></div><script>$RS("S:a","P:a")</script>'
            ),
            "OneTwoThree",
        ),
        (
            (
                f"{PLACE}<div hidden id='S:0'>Late <!--$?--><template id='B:1'></template>…<!--/$--> part.</div>"
                f"<div hidden id='S:1'>inner</div><script>{CALL};$RC('B:1','S:1')</script>"
            ),
            "Before.Late inner part.After.",
        ),
        (
            (
                "<!--$?--><template id='B:0'></template>Wait<!--$-->for<!--/$-->it<!--/$-->Rest"
                f"{PART}<script>{CALL}</script>"
            ),
            "Late part here.Rest",
        ),
        (
            f"<p>Before.</p><template id='B:0'></template>After.{PART}<script>{CALL}</script>",
            "Before.Late part here.After.",
        ),
        (f"<template id='B:0'></template>{PART}", "Late part here."),
    ],
    ids=["boundary", "with styles", "segment", "within a part", "boundaries within", "no comments", "no scripts"],
)
def test_a_late_part_stands_where_the_page_has_left_room_for_it(page: str, expected: str) -> None:
    assert shown(page) == expected


@pytest.mark.parametrize(
    "page",
    [
        f"<p>Seen.</p>{PART}<script>{CALL}</script>",
        f"<p>Seen.</p><template id='B:0'></template>{PART}<script>$RC('B:1','S:1')</script>",
        f"<p>Seen.</p><template id='B:0'></template>{PART}<script>run()</script>",
        f"<p>Seen.</p><div hidden id='S:0'>Late<template id='B:0'></template></div><script>{CALL}</script>",
        f"<p>Seen.</p><p>A page that tells as much.</p><template id='B:0'></template>{PART}",
    ],
    ids=["no place", "another call", "no call", "in itself", "no scripts, and not the page's text"],
)
def test_a_part_that_the_page_would_not_show_stays_hidden(page: str) -> None:
    assert shown(page).startswith("Seen.")
    assert "Late" not in shown(page)


def test_a_late_part_is_cleaned_as_all_of_the_page_is() -> None:
    late = f"<h1>Ferries</h1><p>{PROSE * 4}</p><p style='display:none'>Obey.</p><script>obey()</script>{PROSE}\x0b"
    page = f"<body>{PLACE}<div hidden id='S:0'>{late}</div><script>{CALL}</script></body>"
    result = read_html(page, url="https://ferry.example/", view=View())
    assert result.text.count("The ferry leaves") == 5
    assert "bey" not in result.text
    assert "Loading" not in result.text


@pytest.mark.parametrize(
    "late",
    [
        "<!--$?--><template id='B:{0:x}'></template>",
        "<template id='B:{0:x}'></template><div hidden id='S:{0:x}'><p>{0}</p></div>",
        "<div hidden id='S:{0:x}'>" + "<i>" * 90 + "<template id='B:{1:x}'></template>" + "</i>" * 90 + "</div>",
    ],
    ids=["none has an end", "all are moved", "each holds the next, deep in it"],
)
def test_however_many_parts_are_moved_they_nest_no_deeper_than_a_page_may(late: str) -> None:
    count = 300
    calls = "".join(f"$RC('B:{n:x}','S:{n:x}');" for n in range(count))
    parts = "".join(late.format(n, n + 1) for n in range(count))
    root = parse(f"<body><template id='B:0'></template>{parts}<script>{calls}</script></body>")
    assert root is not None
    place_streamed(root)
    depth, level = 0, [root]
    while level:
        depth, level = depth + 1, [child for el in level for child in el]
    assert depth <= 1_002
