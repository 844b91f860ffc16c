"""Less common ways to hide text: paint, paths, spacing, states of fields, features of screens."""

import pytest

from tests.unit.extractors.html.visibility.test_hidden_ways import KEPT, SECRET, page, text_of

INLINE = {
    "a column of a table": "display:table-column",
    "columns of a table": "display:table-column-group",
    "a low box that scrolls": "overflow:auto;height:0",
    "a box without height that scrolls": "overflow:scroll;max-height:0",
    "a box of three pixels": "overflow:hidden;height:3px",
    "no line in a box of any height": "line-height:0;overflow:hidden;height:auto",
    "no height, by a logical name": "height:0;overflow-block:hidden",
    "no room to grow": "flex:0 0 0;overflow:hidden",
    "sides that meet": "position:absolute;top:0;bottom:100%;overflow:hidden",
    "beyond the screen": "position:fixed;left:100vw",
    "beyond the other side of the screen": "position:fixed;right:100%",
    "beyond the page": "position:absolute;right:100vw",
    "words on one spot": "word-spacing:-9999px",
    "letters adjusted to nothing": "font-size-adjust:0",
    "a mask without size": "mask:linear-gradient(#000,#000) no-repeat;mask-size:0 0",
    "a mask without size, in one": "mask:linear-gradient(#000 0 0) 0 0/0 0 no-repeat",
    "a clip of nothing": "position:absolute;clip:rect(auto,0,auto,auto)",
    "a shape beside the box": "clip-path:polygon(-10px -10px,-5px -10px,-5px -5px)",
    "a circle beside the box": "clip-path:circle(10px at -50px -50px)",
    "a shape of one point": "clip-path:shape(from 0 0, line to 0 0)",
    "a path far away": 'offset-path:path("M-9999 0 L-9999 1")',
    "turned round a point far away": "transform-origin:-9999px 0;transform:rotate(180deg)",
    "slanted to a line": "transform:skewX(90deg)",
    "a picture in its place": "content:url(data:,)",
    "white from white": "color:rgb(from white r g b)",
    "nothing from black": "color:rgb(from black r g b / 0)",
    "white by a sum": "color:rgb(calc(255) 255 255)",
    "white by the system": "color:Window",
    "on a ground of its own colour": "color:red;background:currentcolor",
    "on a plain gradient": "color:#c00;background:linear-gradient(#c00,#c00)",
    "light added": "mix-blend-mode:screen",
    "turned white": "filter:invert(1)",
}
SHEETS = {
    "a scope and its own sign": "@scope (article){:scope .x{display:none}}",
    "a scope and the nesting sign": "@scope (article){& > .x{display:none}}",
    "a dark page": ":root{color-scheme:dark} .x{color:#121212}",
    "a sum of the screen": "@media (min-width:calc(1px*100)){.x{display:none}}",
    "no screen of a terminal": "@media (grid:0){.x{display:none}}",
    "one screen": "@media (horizontal-viewport-segments:1){.x{display:none}}",
    "an ordinary film": "@media (video-dynamic-range:standard){.x{display:none}}",
    "a field that shows what to write": "input:placeholder-shown ~ .x{display:none}",
    "a field that must be filled in": "input:invalid ~ .x{display:none}",
    "a field that is filled in": "input:not(:valid) ~ .x{display:none}",
    "a choice made at first": "input:default ~ .x{display:none}",
    "a number in bounds": "input:in-range ~ .x{display:none}",
    "no choice made": "input:indeterminate ~ .x{display:none}",
    "after a heading": ":heading ~ .x{display:none}",
}
SEEN_INLINE = {
    "a box that scrolls": "overflow:auto;height:90px",
    "a line of five pixels more": "overflow:hidden;height:1.4em",
    "a field of white on a gradient": "color:#fff;background:linear-gradient(#000,#c00)",
    "on a gradient over a picture": "color:#fff;background:linear-gradient(#fff,#fff),url(x.png)",
    "a mask of its size": "mask:linear-gradient(#000 0 0) 0 0/100% 100% no-repeat",
    "a clip of all": "position:absolute;clip:rect(auto,auto,auto,auto)",
    "a shape in the box": "clip-path:polygon(0 0,100% 0,100% 100%,0 100%)",
    "a large circle": "clip-path:circle(75%)",
    "turned round its corner": "transform-origin:0 100%;transform:rotate(2deg)",
    "slanted": "transform:skewX(-10deg)",
    "spaced": "word-spacing:-1px;letter-spacing:-.5px",
    "adjusted": "font-size-adjust:.5",
    "darkened": "mix-blend-mode:multiply",
    "turned white on black": "filter:invert(1);background:#fff",
    "black from black": "color:rgb(from black r g b / 1)",
    "some colour from another": "color:oklch(from white calc(l - .6) c h)",
    "on the screen": "position:fixed;left:10vw",
    "between its sides": "position:absolute;top:0;bottom:0;overflow:hidden",
    "nothing said of content": "content:none",
}
SEEN_SHEETS = {
    "white on a dark page": ":root{color-scheme:dark} .x{color:#fff}",
    "white on a dark page, by the page": ":root{color-scheme:only dark} body{color:white}",
    "light and dark": ":root{color-scheme:light dark} .x{color:#111}",
    "in a terminal": "@media (grid){.x{display:none}}",
    "two screens": "@media (horizontal-viewport-segments:2){.x{display:none}}",
    "after a field nobody must fill in": "input:disabled ~ .x, textarea:invalid ~ .x{display:none}",
    "another scope's sign": "@scope (.none){:scope .x{display:none}}",
}
_FIELDS = (
    "<h2>Fields</h2><input placeholder=Name><input required><input type=radio name=a><input type=checkbox checked>"
    "<input type=number min=1 max=3 value=2>"
)


@pytest.mark.parametrize("css", INLINE.values(), ids=INLINE)
def test_an_uncommon_style_that_hides_is_understood(css: str) -> None:
    assert "SECRET-WORD" not in text_of(page(f"<p style='{css}'>{SECRET}</p>"))


@pytest.mark.parametrize("css", SHEETS.values(), ids=SHEETS)
def test_an_uncommon_sheet_that_hides_is_understood(css: str) -> None:
    assert "SECRET-WORD" not in text_of(page(f"{_FIELDS}<p class=x>{SECRET}</p>", f"<style>{css}</style>"))


@pytest.mark.parametrize("css", SEEN_INLINE.values(), ids=SEEN_INLINE)
def test_an_uncommon_style_that_hides_nothing_costs_nothing(css: str) -> None:
    assert KEPT in text_of(page(f"<p style='{css}'>{KEPT}</p>"))


@pytest.mark.parametrize("css", SEEN_SHEETS.values(), ids=SEEN_SHEETS)
def test_an_uncommon_sheet_that_hides_nothing_costs_nothing(css: str) -> None:
    assert KEPT in text_of(page(f"{_FIELDS}<p class=x>{KEPT}</p>", f"<style>{css}</style>"))


def test_a_sheet_in_an_address_moves_as_well() -> None:
    sheet = "@keyframes h{to{opacity:0}} .x{animation:h 1s forwards}"
    head = f"<link rel=stylesheet href='data:text/css,{sheet}'>"
    assert "SECRET-WORD" not in text_of(page(f"<p class=x>{SECRET}</p>", head))
