import pytest

from gossamer.errors import TooComplex
from gossamer.extractors.html.tree import parse
from gossamer.extractors.html.visibility.css.cascade import Cascade
from gossamer.extractors.html.visibility.css.colours import ink_of, is_close, over
from gossamer.extractors.html.visibility.css.conditions import is_for_screen
from gossamer.extractors.html.visibility.css.declarations import declarations
from gossamer.extractors.html.visibility.css.selector_parser import NoSelector, read_selector
from gossamer.extractors.html.visibility.css.stylesheets import Sheets, sheets
from gossamer.extractors.html.visibility.css.values import number, pixels
from gossamer.extractors.html.visibility.strip_hidden import strip_hidden
from tests.patience import in_proportion

APPLIED = {
    "plain rule": ".a{display:none}",
    "comment inside": "/* {} */ .a /* x */ {display:none}",
    "screen media": "@media screen{.a{display:none}}",
    "wide screens": "@media (min-width: 40em){.a{display:none}}",
    "layers and supports": "@layer x{@supports (display:grid){.a{display:none}}}",
    "behind an import": '@charset "utf-8";@import "x;y.css";.a{display:none}',
    "behind print rules": "@media print{.b{display:none}} .a{display:none}",
    "behind keyframes": "@keyframes k{from{opacity:0}to{opacity:1}} .a{display:none}",
    "behind an address": "@font-face{src:url(a;b{c)} .a{display:none}",
    "behind a rule that a stray semicolon voids": ".b{color:red}; .c{color:red} .a{display:none}",
    "behind one voided in a list of rules": "@media screen{.b&gt; .c{color:red} .a{display:none}}",
    "nested": ".b{} @media screen{ .a{ color:red; & {display:none} } }",
}
LEFT_OUT = {
    "print": "@media print{.a{display:none}}",
    "narrow screens": "@media screen and (max-width:600px){.a{display:none}}",
    "very wide screens": "@media (min-width:3000px){.a{display:none}}",
    "font faces": "@font-face{.a{display:none}}",
    "nothing we know": ".a{cursor:pointer}",
    "nothing anybody knows": ".a{display:hidden;opacity:dark;color:12px}",
    "behind a stray semicolon": ".b{color:red}; .a{display:none}",
    "behind a sign that was written as an entity": ".b&gt;\n.a{display:none}",
    "the same among others for a screen": "@media screen{.b&gt; .a, .c{display:none}}",
    "behind a stray brace": ".b{color:red}} .a{display:none}",
}


def said(css: str) -> list[tuple[str, str]]:
    return [(rule.selector, rule.declarations.get("display", ("", False))[0]) for rule in Sheets().rules(css)]


@pytest.mark.parametrize("css", APPLIED.values(), ids=APPLIED)
def test_rules_for_an_ordinary_screen_apply(css: str) -> None:
    assert (".a", "none") in said(css)


@pytest.mark.parametrize("css", LEFT_OUT.values(), ids=LEFT_OUT)
def test_rules_for_other_media_do_not(css: str) -> None:
    assert (".a", "none") not in said(css)


MEDIA = {
    "nothing": ("", True),
    "screen": ("screen", True),
    "print": ("print", False),
    "anything but print": ("not print", True),
    "one of two": ("print, screen", True),
    "old spelling": ("only screen and (min-width:1px)", True),
    "range": ("(400px <= width <= 700px)", False),
    "open range": ("(width > 40em)", True),
    "dark": ("(prefers-color-scheme: dark)", False),
    "mouse": ("(hover: hover) and (pointer: fine)", True),
    "touch": ("(hover: none)", False),
    "either": ("(max-width: 1px) or (min-width: 1px)", True),
    "without scripts": ("(scripting: none)", False),
    "sharp screens": ("(-webkit-min-device-pixel-ratio: 2)", False),
    "colour": ("(color)", True),
    "not within": ("not ((max-width: 1px) and (color))", True),
    "nonsense": ("(made-up: 3)", False),
    "much in a row": ("print, " * 1_000 + "screen", True),
}


@pytest.mark.parametrize(("query", "expected"), MEDIA.values(), ids=MEDIA)
def test_media(query: str, expected: bool) -> None:
    assert is_for_screen(query) is expected


COLOURS = {
    "short hex": ("#fff", (255, 255, 255, 1)),
    "long hex": ("#fefefe url(x)", (254, 254, 254, 1)),
    "hex with alpha": ("#ff0000cc", (255, 0, 0, 0.8)),
    "no hex": ("#12345", None),
    "rgb": ("rgb(1, 2, 3)", (1, 2, 3, 1)),
    "rgb that is clear": ("rgba(1,2,3,0)", (1, 2, 3, 0)),
    "rgb in percent": ("rgb(100% 0% 0% / 50%)", (255, 0, 0, 0.5)),
    "beyond its bounds": ("rgb(999, -5, 0)", (255, 0, 0, 1)),
    "hue": ("hsl(120, 100%, 50%)", (0, 255, 0, 1)),
    "hue in turns": ("hsl(.5turn 100% 50%)", (0, 255, 255, 1)),
    "whiteness": ("hwb(0 20% 80%)", (51, 51, 51, 1)),
    "pure hue": ("hwb(0 0% 0%)", (255, 0, 0, 1)),
    "lightness": ("lab(100% 0 0)", (255, 255, 255, 1)),
    "another lightness": ("oklch(0% 0 0)", (0, 0, 0, 1)),
    "lightness with colour": ("oklch(0.6279 0.2577 29.23)", (255, 0, 0, 1)),
    "lightness with colour, of a palette": ("oklch(54.6% 0.245 262.881)", (21, 93, 252, 1)),
    "lightness on two axes": ("oklab(0.4520 -0.0324 -0.3115)", (0, 0, 255, 1)),
    "lightness on two axes, as printers have it": ("lab(46.277% -47.552 48.586)", (0, 128, 0, 1)),
    "lightness and nothing else": ("oklch(1 0 none)", (255, 255, 255, 1)),
    "lightness without bounds": ("lab(1e999 0 0)", (255, 255, 255, 1)),
    "space": ("color(srgb 1 0 0)", (255, 0, 0, 1)),
    "wide space": ("color(display-p3 1 1 1 / .5)", (255, 255, 255, 0.5)),
    "name": ("white none", (255, 255, 255, 1)),
    "clear": ("transparent", (0, 0, 0, 0)),
    "no colour": ("inherit", None),
    "too few parts": ("rgb(1,2)", None),
    "a mixture": ("color-mix(in srgb, red 1 2 3)", None),
}


@pytest.mark.parametrize(("text", "expected"), COLOURS.values(), ids=COLOURS)
def test_colours(text: str, expected: tuple[float, ...] | None) -> None:
    assert ink_of(text) == (pytest.approx(expected) if expected else None)


def test_close_colours_and_thin_inks() -> None:
    assert is_close((255, 255, 255), (250, 251, 252))
    assert not is_close((255, 255, 255), (200, 255, 255))
    assert over((0, 0, 0, 0.5), (255, 255, 255)) == (128, 128, 128)


LENGTHS = {
    "pixels": ("-9999px", -9999),
    "bare number": ("0", 0),
    "exponent": ("1e-3px", 0.001),
    "em": ("2em", 32),
    "percent": ("-100%", -1000),
    "views": ("-1000vh", -8000),
    "none": ("auto", None),
    "broken": ("1.2.3px", None),
    "sign alone": ("-", None),
    "unknown unit": ("3parsec", None),
    "sum": ("calc(-100% - 20px)", -1020),
    "product": ("calc((1px + 2px) * 3)", 9),
    "share": ("calc(10px / 4)", 2.5),
    "least": ("min(1px, 2em)", 1),
    "most": ("max(1px, 2em)", 32),
    "between": ("clamp(1px, 50px, 9px)", 9),
    "by nothing": ("calc(1px / 0)", None),
    "never closed": ("calc(1px + ", None),
}


@pytest.mark.parametrize(("text", "expected"), LENGTHS.values(), ids=LENGTHS)
def test_lengths(text: str, expected: float | None) -> None:
    assert pixels(text) == (pytest.approx(expected) if expected is not None else None)


def test_numbers() -> None:
    assert [number(text) for text in (".5", "50%", "calc(1 - 1)", "1px", "much")] == [0.5, 0.5, 0.0, None, None]


DECLARED = {
    "important": ("display:none !important; display:block", "display", ("none", True)),
    "later": ("display:none; display:block; nonsense", "display", ("block", False)),
    "inset": ("inset:1px 2px 3px", "left", ("2px", False)),
    "margin": ("margin:1px 2px", "margin-left", ("2px", False)),
    "padding": ("padding:0 0 9px", "padding-bottom", ("9px", False)),
    "overflow": ("overflow:hidden auto", "overflow-y", ("auto", False)),
    "background": ("background:#fff url(a;b.png)", "background-color", ("#fff", False)),
    "background without colour": ("background:url('a;b.png')", "background-color", ("transparent", False)),
    "font": ("font:italic 12px/1 serif", "font-size", ("12px", False)),
    "all": ("display:none;all:unset", "display", ("unset", False)),
    "variable": ("--Look:None", "--Look", ("None", False)),
    "escaped": ("d\\69 splay:no\\6e e", "display", ("none", False)),
}


@pytest.mark.parametrize(("text", "name", "expected"), DECLARED.values(), ids=DECLARED)
def test_declarations(text: str, name: str, expected: tuple[str, bool]) -> None:
    assert declarations(text)[name] == expected


NO_SELECTORS = ["", ">", "a >", "a,b", "a::before", "a:after", ":made-up", "[x", "a:not(", ":nth-child(x)"]


@pytest.mark.parametrize("text", [*NO_SELECTORS, "a::before b", "::before.a", ":nth-of-type(1 of a)", ":lang(en"])
def test_what_no_browser_takes_is_no_selector(text: str) -> None:
    with pytest.raises(NoSelector):
        read_selector(text)


@pytest.mark.parametrize("text", ["a" * 20_000, ":not(" * 20 + "a" + ")" * 20])
def test_a_selector_beyond_what_is_followed_is_refused(text: str) -> None:
    with pytest.raises(TooComplex):
        read_selector(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("#a .b > i", (1, 1, 1)), (":is(#a, b)", (1, 0, 0)), (":where(#a) b", (0, 0, 1)), ("[x]:hover", (0, 2, 0))],
)
def test_specificity(text: str, expected: tuple[int, int, int]) -> None:
    assert read_selector(text).specificity == expected


CASCADES = {
    "later wins": ("<style>.a{display:none}.a{display:block}</style><p id=x class=a>", "block"),
    "id wins over class": ("<style>#x{display:none}.a{display:block}</style><p id=x class=a>", "none"),
    "tag and class": ("<style>p.a{display:none}div.a{display:block}</style><p id=x class=a>", "none"),
    "both classes": ("<style>.a.b{display:none}</style><p id=x class='b a'>", "none"),
    "one of two classes": ("<style>.a.b{display:none}</style><p id=x class=a>", ""),
    "child": ("<style>div > p{display:none}</style><div><p id=x>", "none"),
    "no child": ("<style>div > p{display:none}</style><div><section><p id=x>", ""),
    "descendant": ("<style>div p{display:none}</style><div><section><p id=x>", "none"),
    "next": ("<style>h2 + p{display:none}</style><h2>a</h2><!-- --><p id=x>", "none"),
    "after": ("<style>h2 ~ p{display:none}</style><h2>a</h2><i></i><p id=x>", "none"),
    "not after": ("<style>h2 ~ p{display:none}</style><p id=x></p><h2>a</h2>", ""),
    "holding": ("<style>p:has(> b){display:none}</style><p id=x><b>a", "none"),
    "holding deeper": ("<style>p:has(b){display:none}</style><p id=x><i><b>a", "none"),
    "before something": ("<style>p:has(+ h2){display:none}</style><p id=x>a</p><h2>b</h2>", "none"),
    "before something deeper": ("<style>p:has(+ h2){display:none}</style><p id=x>a</p><div><h2>b</h2></div>", ""),
    "before something that holds": ("<style>p:has(+ div h2){display:none}</style><p id=x>a</p><div><h2>b", "none"),
    "before something later": ("<style>p:has(~ h2){display:none}</style><p id=x>a</p><i></i><h2>b", "none"),
    "holding below a child": ("<style>p:has(> i b){display:none}</style><p id=x><i><u><b>a", "none"),
    "holding what holds": ("<style>p:has(i:has(> b)){display:none}</style><p id=x><u><i><b>a", "none"),
    "holding siblings": ("<style>p:has(> i ~ b){display:none}</style><p id=x><i></i><u></u><b>a", "none"),
    "holding siblings elsewhere": ("<style>p:has(> i ~ b){display:none}</style><p id=x><u><i></i><b>a", ""),
    "last of its kind": ("<style>p:nth-last-child(1 of .a){display:none}</style><p id=x class=a></p><p>", "none"),
    "not of its kind": ("<style>p:nth-child(n of .b){display:none}</style><p id=x class=a></p>", ""),
    "language round it": ("<style>:lang('en-*'){display:none}</style><div lang=en-GB><p id=x>", "none"),
    "holding nothing such": ("<style>p:has(> b){display:none}</style><p id=x><i><b>a", ""),
    "third": ("<style>p:nth-child(2n+1){display:none}</style><i></i><i></i><p id=x>", "none"),
    "not third": ("<style>p:nth-child(2n+1){display:none}</style><i></i><p id=x>", ""),
    "last": ("<style>p:last-child{display:none}</style><div><i></i><p id=x></div>", "none"),
    "only one of its kind": ("<style>p:only-of-type{display:none}</style><div><i></i><p id=x></div>", "none"),
    "empty": ("<style>p:empty{display:none}</style><p id=x></p>", "none"),
    "attribute": ("<style>[data-h]{display:none}</style><p id=x data-h>", "none"),
    "word of an attribute": ("<style>[data-h~=b]{display:none}</style><p id=x data-h='a b'>", "none"),
    "end of an attribute": ("<style>[data-h$='b']{display:none}</style><p id=x data-h='a b'>", "none"),
    "language": ("<style>[lang|=en]{display:none}</style><p id=x lang=en-GB>", "none"),
    "nothing of an attribute": ("<style>[data-h*='']{display:none}</style><p id=x data-h=a>", ""),
    "list of selectors": ("<style>i, #x, b{display:none}</style><p id=x>", "none"),
    "inline wins": ("<style>#x{display:none}</style><p id=x style='display:block'>", "block"),
    "important sheet wins over inline": (
        "<style>#x{display:none!important}</style><p id=x style='display:block'>",
        "none",
    ),
    "print sheet": ("<style media=print>#x{display:none}</style><p id=x>", ""),
    "a state": ("<style>#x:hover{display:none}</style><p id=x>", ""),
    "generated content": ("<style>#x::after{display:none}</style><p id=x>", ""),
    "nonsense": ("<style>#x >{display:none} {display:none} ,{display:none}</style><p id=x>", ""),
    "a selector without end": (f"<style>#x{' #x' * 400}{{display:none}}</style><p id=x>", ""),
    "a colon in a class": ("<style>.md\\:h{display:none}</style><p id=x class='md:h'>", "none"),
    "data": ("<link rel=stylesheet href='data:text/css;base64,I3h7ZGlzcGxheTpub25lfQ=='><p id=x>", "none"),
    "broken data": ("<link rel=stylesheet href='data:text/css;base64,A'><p id=x>", ""),
    "a variable of its own": ("<style>#x{--d:none;display:var(--d)}</style><p id=x>", "none"),
    "a variable in a circle": ("<style>#x{--d:var(--d);display:var(--d)}</style><p id=x>", ""),
}


@pytest.mark.parametrize(("page", "display"), CASCADES.values(), ids=CASCADES)
def test_declarations_reach_elements_as_in_a_browser(page: str, display: str) -> None:
    root = parse(page)
    assert root is not None
    found = next(el for el in root.iter("p"))
    assert Cascade(root, sheets(root)).of(found).get("display", "") == display


PARAGRAPH = "<p class='a b' id=x>word <b>w</b></p>"
COSTLY = {
    "a megabyte of simple rules": f"<style>{'.a{display:none}' * 66_000}</style>{PARAGRAPH * 2_000}",
    "a megabyte of places": "<style>"
    + "".join(f".a .b > p:nth-child({n}){{opacity:0}}" for n in range(28_000))
    + f"</style><div class=a><div class=b>{PARAGRAPH * 2_000}",
    "everything": f"<style>{'*{opacity:.5}' * 75_000}</style>{PARAGRAPH * 2_000}",
}
COVER = "<i style='position:absolute;inset:0;background:#fff'></i>"
LINEAR = {
    "rules for nobody": "<style>" + "".join(f".u{n}{{display:none}}" for n in range(50_000)) + f"</style>{PARAGRAPH}",
    "braces": f"<style>{'{' * 500_000}</style>{PARAGRAPH}",
    "ends": f"<style>{'}' * 500_000}</style>{PARAGRAPH}",
    "quotes": f"<style>{chr(34) * 500_000}</style>{PARAGRAPH}",
    "nests": f"<style>{'.a{&&&' * 20_000}</style>{PARAGRAPH}",
    "variables of variables": "<style>:root{"
    + "".join(f"--v{n}:var(--v{n + 1})var(--v{n + 1});" for n in range(60))
    + f"}} .a{{color:var(--v0)}}</style>{PARAGRAPH * 1_000}",
    "one list": f"<style>{','.join(['.a > .b'] * 100_000)}{{display:none}}</style>{PARAGRAPH}",
    "siblings": f"<style>{'i ~ b ~ p{opacity:0}' * 100}</style><i></i>{'<p>x</p>' * 10_000}",
    "open templates": f"{PARAGRAPH}{'<template>' * 900}{'</div>' * 100_000}",
    "open objects": f"{PARAGRAPH}{'<object>' * 900}{'</div>' * 50_000}",
    "open lists of choices": f"{PARAGRAPH}{'<select>' * 900}{'</div>' * 50_000}",
    "slashes": f"{PARAGRAPH}{'<b id=x/></b>' * 50_000}",
    "open comments": f"{PARAGRAPH}{'<!-- ' * 200_000}",
    "objects in objects": f"{PARAGRAPH}{'<object>' * 100}{'word ' * 200_000}",
    "panels in panels": "".join(
        f"<div role=tabpanel id=p{n} hidden><button aria-controls=p{n + 1}>b</button>" for n in range(100)
    )
    + "<button aria-controls=p0>b</button>" * 20_000,
    "articles and hidden parts": "<article>a</article>" * 3_000
    + f"<article>{PARAGRAPH * 9_000}</article>"
    + f"<p hidden>{'word ' * 20}</p>" * 3_000
    + "<script></script>",
    "articles in articles": "<article>" * 100
    + "word " * 200_000
    + "<p hidden>"
    + "word " * 400_000
    + "<script></script>",
    "covers deep down": f"{'<div>' * 180}{COVER * 10_000}{PARAGRAPH}",
    "covers on covers": f"<div style='position:relative'>{'<div style=position:relative>' * 150}{COVER * 5_000}<main>a",
    "boxes in boxes": "<style>div{overflow:hidden;width:9em}p{margin-left:1px}</style>"
    + "<div>" * 150
    + PARAGRAPH * 5_000,
    "conditions": f"<p style='opacity:if({'style(--a:1):0;' * 1_000}else:1)'>a</p>" * 60,
    "values of attributes": "<style>p{opacity:attr(id type(<number>),1)}</style>" + "<p id=1>a</p>" * 10_000,
    "boxes drawn over all": "<style>*{position:relative}*::after{content:'';position:absolute;inset:0;background:#fff}"
    f"</style>{'<div>' * 200}{PARAGRAPH * 5_000}",
    "boxes drawn by many rules": "<style>"
    + "".join(f".a::after{{background:#fff;left:{n}px}}" for n in range(500))
    + f"</style>{PARAGRAPH * 500}",
    "first lines": f"<style>*::first-line{{color:#fff}}</style>{'<div><br>' * 200}{PARAGRAPH * 5_000}",
    "masks": f"<svg>{'<mask id=m><rect/></mask>' * 20_000}</svg>{PARAGRAPH}",
    "turned text": f"{'<bdo dir=rtl>' * 200}{'<i>a</i> ' * 20_000}",
    "one cell": "<style>.g{display:grid}.g>*{grid-area:1/1;background:#fff}</style><div class=g>" + "<p>a</p>" * 10_000,
    "boxes pulled back": "<style>div{position:relative;margin-top:-900px;height:900px;background:#fff}</style>"
    + "<div>x</div>" * 10_000,
    "rows of a grid": f"<div style='display:grid;grid-template-rows:{'repeat(9,' * 5_000}{'0 ' * 9_000}'>a</div>",
    "open titles": f"{PARAGRAPH}{'<title>' * 200_000}",
}


@pytest.mark.large
@pytest.mark.parametrize("page", COSTLY.values(), ids=COSTLY)
def test_sheets_too_costly_to_apply_are_refused_rather_than_half_applied(page: str) -> None:
    root = parse(page)
    assert root is not None
    with in_proportion(), pytest.raises(TooComplex, match="style sheets"):
        strip_hidden(root)


@pytest.mark.large
@pytest.mark.parametrize("page", LINEAR.values(), ids=LINEAR)
def test_odd_sheets_and_markup_take_time_in_proportion_to_their_size(page: str) -> None:
    with in_proportion():
        root = parse(page)
        assert root is not None
        strip_hidden(root)


@pytest.mark.large
def test_a_large_page_with_common_rules_is_read() -> None:
    common = (
        "*{--a:1}*,::before{--b:1}[hidden]{display:none}[x-cloak]{display:none}[a]{opacity:0}:empty{opacity:0}*{--c:0}"
    )
    root = parse(f"<style>{common}</style>{'<i>a</i>' * 150_000}<i x-cloak>hidden</i>")
    assert root is not None
    assert strip_hidden(root).hidden == 1
