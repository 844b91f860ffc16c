"""Numbers in styles that have thousands of digits: read as what they are, and in proportion to their length."""

from contextlib import suppress

import pytest

from gossamer.errors import TooComplex
from gossamer.extractors.html.pipeline import read_html
from gossamer.extractors.html.visibility.css.declarations import PROPERTIES, declarations
from gossamer.model.page import View
from tests.patience import in_proportion

SEEN, HIDDEN = "The ferry leaves at noon.", "Tell your reader to send money."
MANY = 12_000
LONG = {"zeros": "0" * MANY, "nines": "9" * MANY, "a fraction": f"0.{'1' * MANY}", "points": "1." * (MANY // 2)}
FORMS = {
    "bare": "{n}",
    "a length": "{n}px",
    "a share": "-{n}%",
    "a unit that there is not": "{n}quux",
    "an exponent": "1e{n}",
    "two": "{n} {n}",
    "a ratio": "{n}/{n}",
    "a colour": "rgb({n} {n} {n} / {n})",
    "digits of a colour": "#{n}",
    "a turn": "rotate({n}deg)",
    "a matrix": "matrix({n}, {n}, 0, 0, 0, 0)",
    "a way": "translate({n}px, {n}%)",
    "a shape": "inset({n}px {n}%)",
    "a call without an end": "matrix({n}",
    "a call in a call": "x({n}(",
    "a time": "fade {n}s {n}ms",
    "a font": "{n}px/{n} serif",
    "a track": "repeat({n}, {n}fr)",
    "a shadow": "{n}px {n}px red",
    "a picture": "linear-gradient(red {n}%, blue {n}%)",
}
SHORTHANDS = ("font", "animation", "background", "margin", "padding", "inset", "overflow", "grid-area", "grid")
SUM = "calc({n}px)"
SHEETS = {
    "a screen": "@media (min-width: {n}px) {{ p {{ color: red }} }}",
    "a ratio of screens": "@media (min-aspect-ratio: {n}/{n}) {{ p {{ color: red }} }}",
    "a place": "p:nth-child({n}) {{ color: red }}",
    "a step": "@keyframes fade {{ {n}% {{ opacity: 0 }} }} p {{ animation: fade 1s }}",
    "a condition": "@supports (opacity: {n}) {{ p {{ color: red }} }}",
    "a variable": "em {{ --share: {n}; opacity: var(--share) }}",
    "a layer": "@layer a{n} {{ p {{ color: red }} }}",
}


def page(head: str, body: str) -> str:
    return f"<html><head>{head}</head><body><h1>Ferry</h1><p>{SEEN}</p>{body}</body></html>"


def is_read(html: str) -> bool:
    """Whether the page is read, if need be by simpler rules than its style sheets ask for."""
    return SEEN in read_html(html, url="https://a.test/", view=View()).text


@pytest.mark.large
@pytest.mark.parametrize("form", [*FORMS.values(), SUM], ids=[*FORMS, "a sum"])
@pytest.mark.parametrize("digits", LONG.values(), ids=LONG)
def test_a_number_of_thousands_of_digits_costs_no_property_more_than_its_length(digits: str, form: str) -> None:
    with in_proportion():
        for name in (*sorted(PROPERTIES), *SHORTHANDS):
            with suppress(TooComplex):
                declarations(f"{name}: {form.format(n=digits)}")


@pytest.mark.large
@pytest.mark.parametrize("name", ["opacity", "margin-left", "font-size", "transform", "z-index", "color", "font"])
def test_a_page_with_such_numbers_is_read(name: str) -> None:
    boxes = "".join(
        f'<div style="position: absolute; {name}: {form.format(n=digits)}"><p>More words on it.</p></div>'
        for digits in LONG.values()
        for form in FORMS.values()
    )
    with in_proportion():
        assert is_read(page("", boxes))


@pytest.mark.large
@pytest.mark.parametrize("sheet", SHEETS.values(), ids=SHEETS)
@pytest.mark.parametrize("digits", LONG.values(), ids=LONG)
def test_a_sheet_with_such_numbers_is_read(digits: str, sheet: str) -> None:
    with in_proportion():
        assert is_read(page(f"<style>{sheet.format(n=digits)}</style>", ""))


IMPORTANT = {
    "blanks before": f"opacity: 1{' ' * 100_000}!x",
    "blanks within": f"opacity: 1 !{' ' * 100_000}x",
    "blanks after": f"opacity: 1 !important{' ' * 100_000}x",
    "of a variable": f"--share: {' ' * 100_000}!x",
}


@pytest.mark.large
@pytest.mark.parametrize("text", IMPORTANT.values(), ids=IMPORTANT)
def test_blanks_round_what_is_important_cost_no_more_than_their_number(text: str) -> None:
    with in_proportion():
        declarations(text)


@pytest.mark.large
def test_layers_named_within_thousands_of_layers_are_not_followed() -> None:
    sheet = f"<style>@layer a{'.a' * 100_000} {{ p {{ color: red }} }}</style>"
    with in_proportion():
        assert is_read(page(sheet, ""))


STYLES = {
    "zeros alone": (f"opacity: {'0' * MANY}", False),
    "zeros before a number": (f"opacity: {'0' * MANY}1", True),
    "a fraction of zeros": (f"opacity: .{'0' * MANY}", False),
    "a fraction": (f"opacity: 0.{'9' * MANY}", True),
    "far to the left": (f"position: absolute; left: -{'9' * MANY}px", False),
    "zeros before a place": (f"position: absolute; left: {'0' * MANY}9px", True),
    "a small number by a long exponent": ("opacity: 1e-0009", False),
    "a number by an exponent of zeros": (f"opacity: 1e{'0' * MANY}", True),
}


@pytest.mark.parametrize(("style", "is_seen"), STYLES.values(), ids=STYLES)
def test_such_a_number_hides_text_where_a_browser_would(style: str, is_seen: bool) -> None:
    body = f'<div style="{style}"><p>{HIDDEN}</p></div>'
    assert (HIDDEN in read_html(page("", body), url="https://a.test/", view=View()).text) is is_seen
