"""Buttons that are words of the page, and those that are not."""

import pytest

from gossamer.extractors.html.pipeline import read_html
from gossamer.model.page import View

SAID = "<p>Lamps are lit at dusk, and a keeper looks after each of them until the first boat is in.</p>" * 4
ANSWER = "Up to two hundred degrees, as long as it is not put in cold."


def read(part: str, selector: str = "") -> str:
    page = f"<title>Lamps</title><article><h1>Lamps</h1>{SAID}{part}</article>"
    return read_html(page, url="https://a.example/", view=View(selector=selector)).text


KEPT = {
    "a heading that is a button": (
        f"<h3><button aria-expanded=true>Is it hot?</button></h3><p>{ANSWER}</p>",
        f"### Is it hot?\n\n{ANSWER}",
    ),
    "a button that names its part": (
        f"<button aria-controls=a aria-expanded=true>Is it hot?</button><div id=a><p>{ANSWER}</p></div>",
        f"Is it hot?\n\n{ANSWER}",
    ),
    "a button that folds": (
        f"<button class=accordion-toggle>Is it hot?</button><div><p>{ANSWER}</p></div>",
        f"Is it hot?\n\n{ANSWER}",
    ),
}
DROPPED = {
    "a copy button": f"<p>{ANSWER}</p><button>Press here</button>",
    "one that shows more": f"<div id=a><p>{ANSWER}</p></div><button aria-controls=a>Show more: Press here</button>",
    "one beside a heading": f"<h3>Heat <button>Press here</button></h3><p>{ANSWER}</p>",
    "one of two in a heading": f"<h3><button>Heat</button><button>Press here</button></h3><p>{ANSWER}</p>",
    "one that shows nothing of the content": f"<button aria-controls=elsewhere>Press here</button><p>{ANSWER}</p>",
    "one that shows an empty box": f"<button aria-controls=a>Press here</button><div id=a> </div><p>{ANSWER}</p>",
}


@pytest.mark.parametrize(("part", "expected"), KEPT.values(), ids=KEPT)
def test_a_button_that_names_a_part_is_its_title(part: str, expected: str) -> None:
    assert expected in read(part)


@pytest.mark.parametrize("part", DROPPED.values(), ids=DROPPED)
def test_other_buttons_go(part: str) -> None:
    text = read(part, selector="article")
    assert ANSWER in text
    assert "Press here" not in text
