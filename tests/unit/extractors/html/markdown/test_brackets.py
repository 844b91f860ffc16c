"""Braces within brackets of a style sheet: they end no rule, as in a browser, so they void none either."""

import pytest

from gossamer.extractors.html.pipeline import read_html
from gossamer.model.page import View

SAID = "<p>Lamps are lit at dusk, and a keeper looks after each of them until the first boat is in.</p>" * 4
LINE = "The harbour master keeps his dog in the lighthouse all winter."


def shows(css: str) -> bool:
    page = f"<title>Lamps</title><style>{css}</style><article><h1>Lamps</h1>{SAID}<p class=x>{LINE}</p></article>"
    return LINE in read_html(page, url="https://a.example/", view=View(selector="article")).text


HIDING = {
    "in round ones": "a{b:(})} .x{display:none}",
    "in square ones": "a{b:[}]} .x{display:none}",
    "in both": "a{b:([}])} .x{display:none}",
    "a pair": "a{b:({)})} .x{display:none}",
    "with a rule among them": "a{b:(} .x{display:block} )} .x{display:none}",
    "in the rule itself": ".x{b:(;}); display:none}",
    "in a selector": "a(}){} .x{display:none}",
    "a bracket that was never opened": "a{b:)} .x{display:none}",
    "a name with brackets": ".w-\\[1px\\]{color:red} .x{display:none}",
    "a bracket in a text": "a{content:'('} .x{display:none}",
}
SHOWING = {
    "a bracket without end": "a{b:(} .x{display:none}",
    "a brace that holds the end of a bracket": "a{b:({)} .x{display:none}",
    "a declaration that is swallowed": ".x{b:(};display:none}",
}


@pytest.mark.parametrize("css", HIDING.values(), ids=HIDING)
def test_a_rule_behind_brackets_hides(css: str) -> None:
    assert not shows(css)


@pytest.mark.parametrize("css", SHOWING.values(), ids=SHOWING)
def test_a_rule_within_brackets_is_none(css: str) -> None:
    assert shows(css)
