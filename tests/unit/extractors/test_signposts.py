"""Markdown that a site serves follows the same rules as a page: links absolute, pictures on request."""

import time

import pytest

from gossamer.extractors.signposts import led
from gossamer.model.page import View

URL = "https://docs.example/guide/start.md"

LINES = {
    "a relative link": ("See [oil](../oil.md#wick).", "See [oil](https://docs.example/oil.md#wick)."),
    "an absolute link": ("[oil](https://a.example/x)", "[oil](https://a.example/x)"),
    "a link with a title": ('[oil](/oil "All of it")', "[oil](https://docs.example/oil)"),
    "a link in angles": ("[oil](</oil>)", "[oil](https://docs.example/oil)"),
    "brackets in an address": ("[oil](/oil_(lamp))", "[oil](https://docs.example/oil_(lamp))"),
    "a link within the page": ("[oil](#oil)", "oil"),
    "a script": ("[run](javascript:alert(1))", "run"),
    "a link without words": ("a [](https://a.example/track)b", "a b"),
    "a picture": ("a ![lamp](lamp.png) b", "a  b"),
    "a picture that leads somewhere": ("[![lamp](lamp.png)](/lamp) b", " b"),
    "an escaped bracket": (r"\\[oil](/oil)", r"\\[oil](/oil)"),
    "code in a line": ("`[oil](/oil)` and [oil](/oil)", "`[oil](/oil)` and [oil](https://docs.example/oil)"),
    "code in a fence": ("```\n[oil](/oil)\n```\n[a](/a)", "```\n[oil](/oil)\n```\n[a](https://docs.example/a)"),
    "another fence inside": ("~~~~\n```\n[a](/a)\n~~~~", "~~~~\n```\n[a](/a)\n~~~~"),
    "no links": ("a (b) [c]", "a (b) [c]"),
}


@pytest.mark.parametrize(("written", "expected"), LINES.values(), ids=LINES)
def test_links_are_absolute_and_pictures_are_left_out(written: str, expected: str) -> None:
    assert led(written, View(), url=URL) == expected


def test_links_are_words_where_none_are_wanted_and_pictures_come_where_they_are() -> None:
    view = View(include_links=False, include_images=True)
    text = "[oil](/oil) ![lamp](lamp.png) ![dot](data:image/png;base64,AA)"
    assert led(text, view, url=URL) == "oil ![lamp](https://docs.example/guide/lamp.png) dot"


@pytest.mark.parametrize("unit", ["[", "[a](", "![", "` ](", "`` ](` ", "[a](b", "](", "![a](b "])
def test_hostile_lines_take_time_in_proportion(unit: str) -> None:
    since = time.process_time()
    led(unit * (400_000 // len(unit)), View(), url=URL)
    assert time.process_time() - since < 5.0
