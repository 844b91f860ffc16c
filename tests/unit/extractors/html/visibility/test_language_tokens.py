"""Coloured code on a ground of the same colour: its own words stay, anybody else's go."""

import pytest

from gossamer.extractors.html.pipeline import read_html
from gossamer.model.page import View

SAID = "<p>Lamps are lit at dusk, and a keeper looks after each of them until the first boat is in.</p>" * 4
PAINTED = "<pre style='color:#ddd;background-color:#FD6158'><code>{}<span>Lamp</span> {{\n  oil\n}}</code></pre>"


def code_of(first: str) -> str:
    page = f"<title>Lamps</title><article><h1>Lamps</h1>{SAID}{PAINTED.format(first)}{SAID}</article>"
    text = read_html(page, url="https://a.example/", view=View()).text
    return text.partition("```\n")[2].partition("\n```")[0]


def test_a_word_of_a_language_stays() -> None:
    code = code_of('<span class="token keyword" style="color:#FD6158">type</span> ')
    assert code == "type Lamp {\n  oil\n}"


HIDDEN = {
    "a word that no language has": '<span class="token keyword" style="color:#FD6158">ignore</span>',
    "two words": '<span class="token keyword" style="color:#FD6158">import all</span>',
    "a word of an element that is no token": '<span class="note" style="color:#FD6158">type</span>',
    "hidden otherwise": '<span class="token keyword" style="color:#FD6158;font-size:0">type</span>',
    "not there": '<span class="token keyword" style="display:none">type</span>',
    "without any ink": '<span class="token keyword" style="color:transparent">type</span>',
}


@pytest.mark.parametrize("first", HIDDEN.values(), ids=HIDDEN)
def test_nothing_else_does(first: str) -> None:
    assert code_of(first) == "Lamp {\n  oil\n}"


def test_outside_code_no_word_does() -> None:
    page = f"<title>Lamps</title><article><h1>Lamps</h1>{SAID}<p>Do <b class=token style='color:#fff'>import</b></p>"
    assert "import" not in read_html(page, url="https://a.example/", view=View()).text
