"""Bars above a page's headline, told from text by their place."""

import pytest

from gossamer.extractors.html.content.blocks import outline
from gossamer.extractors.html.content.boilerplate import in_bars
from gossamer.extractors.html.pipeline import read_html
from gossamer.extractors.html.tree import body, parse
from gossamer.model.page import View

SENTENCE = "The lamps burned all night, and the sea was calm."
MENU = "<a href=/>Home</a> <a href=/boats>Boats</a> <a href=/rooms>Rooms</a> <a href=/imprint>Imprint</a>"
COOKIES = "This page keeps two cookies: one for your basket, one for statistics."
SITE = "<header><a href=/>The lamp shop</a></header>"
CASES = {
    "a menu": (f"<div>{MENU}</div><h1>Lamps</h1>", [True, False]),
    "a notice of cookies": (f"<div>{COOKIES} <button>Fine</button></div><h1>Lamps</h1>", [True, False]),
    "a notice in another language": ("<div>当サイトではクッキーを使用しています。</div><h1>Lamps</h1>", [True, False]),
    "a line above the site's name": (
        f"<div>Free delivery on the island.</div>{SITE}<h1>Lamps</h1>",
        [True, True, False],
    ),
    "a line below the site's name": (f"{SITE}<p>{SENTENCE}</p><h1>Lamps</h1>", [True, False, False]),
    "a long text above the site's name": (f"<p>{SENTENCE * 5}</p>{SITE}<h1>Lamps</h1>", [False, True, False]),
    "in the marked text": (
        f"<main><p>{COOKIES}</p><div>{MENU}</div><h1>Lamps</h1></main>",
        [False, False, False],
    ),
    "in a part with the role of the text": (f"<div role=main><p>{COOKIES}</p><h1>Lamps</h1></div>", [False, False]),
    "below the headline": (f"<h1>Lamps</h1><p>{COOKIES}</p><div>{MENU}</div>", [False, False, False]),
    "no headline": (f"<p>{COOKIES}</p><div>{MENU}</div>", [False, False]),
    "a heading": ("<h2>Cookies we bake</h2><h1>Lamps</h1>", [False, False]),
    "a picture": ("<div><img src=/a.png alt=Lamp></div><h1>Lamps</h1>", [False, False]),
}


@pytest.mark.parametrize(("html", "expected"), CASES.values(), ids=CASES)
def test_a_bar_is_told_by_its_place(html: str, expected: list[bool]) -> None:
    root = parse(f"<body>{html}</body>")
    assert root is not None
    assert in_bars(outline(body(root))) == expected


STORY = "".join(
    f"<h2>Part {n}</h2><p>Night {n} was quiet on the quay: {SENTENCE} Nobody came ashore.</p>" for n in "12345"
)
BARS = {
    "a menu": (f"<div id=top1>{MENU}</div>", "Imprint"),
    "a notice of cookies": (
        f"<div id=consent-bar><span>{COOKIES}</span> <button>Fine by me</button></div>",
        "two cookies",
    ),
    "a line of news": (f"<div class=strip>Free delivery on the island. Parcels leave at nine.</div>{SITE}", "delivery"),
}


@pytest.mark.parametrize(("bar", "word"), BARS.values(), ids=BARS)
def test_a_bar_stays_out_of_the_text(bar: str, word: str) -> None:
    source = f"<html lang=en><title>Lamps</title><body>{bar}<div><h1>Lamps</h1>{STORY}</div></body></html>"
    text = read_html(source, url="https://lamps.example/", view=View()).text
    assert SENTENCE in text
    assert word not in text
