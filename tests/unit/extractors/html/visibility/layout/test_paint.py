"""Text hidden by what letters are painted with: their fill, their outline, the scheme of the page."""

import pytest

from tests.unit.extractors.html.visibility.test_hidden_ways import KEPT, SECRET, page, text_of

_FILL = "-webkit-text-fill-color"
_LIGHT = "<style>html{background:#fff;color:#000}</style>"
_DARK = "<meta name=color-scheme content=dark>"
HIDING = {
    "a white fill": "<p style='-webkit-text-fill-color:white'>?</p>",
    "a white fill of the part round it": "<div style='-webkit-text-fill-color:#fff'><p style='color:#000'>?</p></div>",
    "a fill taken over": (
        "<div style='-webkit-text-fill-color:#fff'><p style='color:#000;-webkit-text-fill-color:inherit'>?</p></div>"
    ),
    "a fill of its own white ink": (
        f"<div style='{_FILL}:#000'><p style='color:#fff;{_FILL}:currentcolor'>?</p></div>"
    ),
    "no fill": "<div style='-webkit-text-fill-color:transparent'><p style='color:#000'>?</p></div>",
    "a thick outline": "<p style='-webkit-text-stroke:20px #fff'>?</p>",
    "a thick outline, colour first": "<p style='-webkit-text-stroke:white 4px'>?</p>",
    "a thick outline in two": "<p style='-webkit-text-stroke-width:thick;-webkit-text-stroke-color:white'>?</p>",
    "a thick outline by the size of letters": "<p style='-webkit-text-stroke:.5em #fff'>?</p>",
    "a thick outline of the part round it": "<div style='-webkit-text-stroke:9px #fff'><p>?</p></div>",
    "a thick outline on a ground": "<p style='background:#123;color:#fff;-webkit-text-stroke:9px #123'>?</p>",
    "an outline that is hardly there": "<p style='color:transparent;-webkit-text-stroke:.01px #000'>?</p>",
    "an outline without ink": "<p style='color:transparent;-webkit-text-stroke:1px'>?</p>",
    "a thick outline in a sheet": "<style>.x{-webkit-text-stroke:9px #fff}</style><p class=x>?</p>",
    "a dark page": f"{_DARK}<p style='color:#121212'>?</p>",
    "a dark page, in a sheet": f"{_DARK}<style>.x{{color:#121212}}</style><p class=x>?</p>",
    "a dark page made light": f"{_DARK}<style>:root{{color-scheme:light}}</style><p style='color:#fff'>?</p>",
    "a page of either kind": "<meta name=color-scheme content='light dark'><p style='color:#fff'>?</p>",
    "a white page that would be dark": f"{_DARK}{_LIGHT}<p style='color:#fff'>?</p>",
}
SHOWING = {
    "a dark fill on white ink": "<p style='color:#fff;-webkit-text-fill-color:#000'>?</p>",
    "a dark fill of the part round it": "<div style='-webkit-text-fill-color:#000'><p style='color:#fff'>?</p></div>",
    "a fill of its own ink": (f"<div style='{_FILL}:#fff'><p style='color:#000;{_FILL}:currentcolor'>?</p></div>"),
    "a fill by its lightness": "<p style='color:#fff;-webkit-text-fill-color:oklch(50% .2 30)'>?</p>",
    "letters of an outline": "<p style='color:transparent;-webkit-text-stroke:1px #000'>?</p>",
    "white letters of an outline": "<p style='color:#fff;-webkit-text-stroke:1px #c00'>?</p>",
    "a thin outline": "<p style='-webkit-text-stroke:1px #fff'>?</p>",
    "a thick outline below the letters": "<p style='-webkit-text-stroke:6px #fff;paint-order:stroke fill'>?</p>",
    "a thick outline in sight": "<p style='-webkit-text-stroke:6px #c00'>?</p>",
    "an outline taken back": "<div style='-webkit-text-stroke:9px #fff'><p style='-webkit-text-stroke:0'>?</p></div>",
    "a thick outline on another ground": "<p style='background:#123;color:#fc0;-webkit-text-stroke:9px #fff'>?</p>",
    "a dark page": f"{_DARK}<p style='color:#fff'>?</p>",
    "a dark page that says nothing": f"{_DARK}<p>?</p>",
    "a dark page, painted white": f"{_DARK}{_LIGHT}<p style='color:#000'>?</p>",
    "a page of either kind": "<meta name=color-scheme content='light dark'><p style='color:#111'>?</p>",
}


@pytest.mark.parametrize("inside", HIDING.values(), ids=HIDING)
def test_letters_painted_away_are_hidden(inside: str) -> None:
    assert "SECRET-WORD" not in text_of(_page(inside, SECRET))


@pytest.mark.parametrize("inside", SHOWING.values(), ids=SHOWING)
def test_letters_that_can_be_seen_stay(inside: str) -> None:
    assert KEPT in text_of(_page(inside, KEPT))


def _page(inside: str, text: str) -> str:
    """The page, what it says of itself in its head."""
    head, _, part = inside.rpartition("><")
    is_head = head.startswith(("<meta", "<style"))
    return page(f"<{part}".replace("?", text), f"{head}>") if is_head else page(inside.replace("?", text))
