import pytest

from gossamer.extractors.cascade import Cascade
from gossamer.extractors.styles import colour, declarations, is_clear, is_close, pixels, rules
from gossamer.extractors.tree import parse

APPLIED = {
    "plain rule": ".a{display:none}",
    "comment inside": "/* {} */ .a /* x */ {display:none}",
    "screen media": "@media screen{.a{display:none}}",
    "wide screens": "@media (min-width: 40em){.a{display:none}}",
    "layers and supports": "@layer x{@supports (display:grid){.a{display:none}}}",
    "behind an import": '@charset "utf-8";@import "x.css";.a{display:none}',
    "behind print rules": "@media print{.b{display:none}} .a{display:none}",
    "behind keyframes": "@keyframes k{from{opacity:0}to{opacity:1}} .a{display:none}",
}
LEFT_OUT = {
    "print": "@media print{.a{display:none}}",
    "narrow screens": "@media screen and (max-width:600px){.a{display:none}}",
    "very wide screens": "@media (min-width:3000px){.a{display:none}}",
    "font faces": "@font-face{.a{display:none}}",
    "nothing we know": ".a{cursor:pointer}",
}
COLOURS = {
    "short hex": ("#fff", (255, 255, 255)),
    "long hex": ("#fefefe url(x)", (254, 254, 254)),
    "hex with alpha": ("#ff000080", (255, 0, 0)),
    "hex that is clear": ("#ff000000", None),
    "rgb": ("rgb(1, 2, 3)", (1, 2, 3)),
    "rgb that is clear": ("rgba(1,2,3,0)", None),
    "name": ("white none", (255, 255, 255)),
    "no colour": ("inherit", None),
}
LENGTHS = {
    "pixels": ("-9999px", -9999),
    "bare number": ("0", 0),
    "em": ("2em", 32),
    "percent": ("-100%", -1000),
    "views": ("-1000vh", -10000),
    "none": ("auto", None),
    "broken": ("1.2.3px", None),
    "sign alone": ("-", None),
}


@pytest.mark.parametrize("css", APPLIED.values(), ids=APPLIED)
def test_rules_for_an_ordinary_screen_apply(css: str) -> None:
    assert (".a", {"display": "none"}) in list(rules(css))


@pytest.mark.parametrize("css", LEFT_OUT.values(), ids=LEFT_OUT)
def test_rules_for_other_media_do_not(css: str) -> None:
    assert not list(rules(css))


def test_a_sheet_of_braces_alone_is_read_in_no_time() -> None:
    assert not list(rules("{" * 200_000))
    assert not list(rules("}" * 200_000))


@pytest.mark.parametrize(("text", "expected"), COLOURS.values(), ids=COLOURS)
def test_colours(text: str, expected: tuple[int, int, int] | None) -> None:
    assert colour(text) == expected


@pytest.mark.parametrize(("text", "expected"), LENGTHS.values(), ids=LENGTHS)
def test_lengths(text: str, expected: float | None) -> None:
    assert pixels(text) == expected


def test_clear_and_close_colours() -> None:
    assert is_clear("rgba(0, 0, 0, 5%)")
    assert is_clear("transparent")
    assert not is_clear("rgba(0,0,0,.)")
    assert is_close((255, 255, 255), (250, 251, 252))
    assert not is_close((255, 255, 255), (200, 255, 255))


def test_an_important_declaration_is_not_overridden_by_a_plain_one() -> None:
    assert declarations("display:none !important; display:block") == {"display": "none !important"}
    assert declarations("display:none; display:block; nonsense") == {"display": "block"}


CASCADES = {
    "later wins": ("<style>.a{display:none}.a{display:block}</style><p id=x class=a>", "block"),
    "id wins over class": ("<style>#x{display:none}.a{display:block}</style><p id=x class=a>", "none"),
    "tag and class": ("<style>p.a{display:none}div.a{display:block}</style><p id=x class=a>", "none"),
    "both classes": ("<style>.a.b{display:none}</style><p id=x class='b a'>", "none"),
    "one of two classes": ("<style>.a.b{display:none}</style><p id=x class=a>", ""),
    "descendant": ("<style>div > p{display:none}</style><div><p id=x>", "none"),
    "attribute": ("<style>[data-h]{display:none}</style><p id=x data-h>", "none"),
    "list of selectors": ("<style>i, #x, b{display:none}</style><p id=x>", "none"),
    "inline wins": ("<style>#x{display:none}</style><p id=x style='display:block'>", "block"),
    "important sheet wins over inline": (
        "<style>#x{display:none!important}</style><p id=x style='display:block'>",
        "none!important",
    ),
    "print sheet": ("<style media=print>#x{display:none}</style><p id=x>", ""),
    "a state": ("<style>#x:hover{display:none}</style><p id=x>", ""),
    "generated content": ("<style>#x::after{display:none}</style><p id=x>", ""),
    "nonsense": ("<style>#x >{display:none} {display:none} ,{display:none}</style><p id=x>", ""),
    "a selector without end": (f"<style>#x{' #x' * 300}{{display:none}}</style><p id=x>", ""),
}


@pytest.mark.parametrize(("page", "display"), CASCADES.values(), ids=CASCADES)
def test_declarations_reach_elements_as_in_a_browser(page: str, display: str) -> None:
    root = parse(page)
    assert root is not None
    found = next(el for el in root.iter("p"))
    assert Cascade(root).of(found).get("display", "") == display


def test_a_sheet_with_more_paths_than_a_page_is_worth_is_read_in_part() -> None:
    many = "".join(f"div > p:nth-child({n}){{display:none}}" for n in range(1, 2_900))
    root = parse(f"<style>{many}</style>" + "<div><p>x</div>" * 1_000)
    assert root is not None
    first = next(el for el in root.iter("p"))
    assert Cascade(root).of(first) == {"display": "none"}
