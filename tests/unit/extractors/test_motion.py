"""Animations: those that end in hiding, or never show, hide; those that only pass through it do not."""

import pytest

from gossamer.extractors.html import read_html
from gossamer.model.page import View

SAID = "<p>Lamps are lit at dusk, and a keeper looks after each of them until the first boat is in.</p>" * 4
LINE = "The harbour master keeps his dog in the lighthouse all winter."
OUT = "@keyframes out{to{opacity:0}}"
IN = "@keyframes in{from{opacity:0}to{opacity:1}}"


def shows(css: str) -> bool:
    page = f"<title>Lamps</title><style>{css}</style><article><h1>Lamps</h1>{SAID}<p class=x>{LINE}</p>{SAID}</article>"
    return LINE in read_html(page, url="https://a.example/", view=View(selector="article")).text


HIDING = {
    "it ends unseen and stays so": f"{OUT}.x{{animation:out 0s forwards}}",
    "in words of their own": f"{OUT}.x{{animation-name:out;animation-fill-mode:both}}",
    "another name for it": "@-webkit-keyframes out{100%{visibility:hidden}}.x{-webkit-animation:1s out forwards}",
    "every step hides": "@keyframes never{0%,100%{opacity:0}50%{opacity:0}}.x{animation:never 3s infinite}",
    "it never begins": f"{IN}.x{{animation:in 1s paused both}}",
    "far away in the end": "@keyframes off{to{transform:translateX(-9999px)}}.x{animation:off 1s forwards}",
}
SHOWING = {
    "it ends and is undone": f"{OUT}.x{{animation:out 1s}}",
    "it comes and goes": f"{OUT}.x{{animation:out 1s infinite forwards}}",
    "it fades in": f"{IN}.x{{animation:in 1s both}}",
    "one step in between hides": "@keyframes blink{0%,100%{opacity:1}50%{opacity:0}}.x{animation:blink 1s forwards}",
    "another part is animated": f"{OUT}.y{{animation:out 1s forwards}}",
    "nothing of that name": ".x{animation:out 1s forwards}",
    "it waits to begin, and is seen meanwhile": f"{IN}.x{{animation:in 1s paused}}",
}


@pytest.mark.parametrize("css", HIDING.values(), ids=HIDING)
def test_an_animation_that_comes_to_hiding_hides(css: str) -> None:
    assert not shows(css)


@pytest.mark.parametrize("css", SHOWING.values(), ids=SHOWING)
def test_an_animation_that_shows_in_the_end_does_not(css: str) -> None:
    assert shows(css)
