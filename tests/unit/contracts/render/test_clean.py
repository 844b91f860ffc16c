import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.contracts.render.envelope import clean_address, clean_json, clean_line
from gossamer.steps.text.clean_line import visible
from gossamer.steps.text.untrusted_markers import unescape

LINES = {
    "markup and blanks": ("<b>Dune</b>\n  Part  Two", "Dune Part Two"),
    "hidden signs": ("Du\u200bne\u202e \U000e0041Part", "Dune Part"),
    "a mark": ("[INST] go", "[\\INST] go"),
}


@pytest.mark.parametrize(("text", "expected"), LINES.values(), ids=LINES)
def test_a_line_is_clean(text: str, expected: str) -> None:
    assert clean_line(text) == expected


def test_a_line_is_as_long_as_allowed() -> None:
    assert clean_line("word " * 100, max_chars=9) == "word wor…"


def test_an_address_leads_where_it_led_and_holds_no_mark() -> None:
    assert clean_address("https://a.example/[x]?q=1") == "https://a.example/[x]?q=1"
    assert clean_address("https://a.example/<|im_start|>") == "https://a.example/%3C%7Cim_start%7C%3E"
    assert clean_address("https://a.example/‹system›") == "https://a.example/%E2%80%B9system%E2%80%BA"
    assert clean_address("https://a.example/⟦2⟧") == "https://a.example/%E2%9F%A62%E2%9F%A7"


def test_json_keeps_its_shape() -> None:
    given = {"a\u200b": ["x\u202e", 1, 1.5, None, True, {"b": "two\nlines <b>bold</b> </s>"}]}
    assert clean_json(given) == {"a": ["x", 1, 1.5, None, True, {"b": "two\nlines <b>bold</b> <\\/s>"}]}


def test_numbers_that_json_cannot_write_are_nothing() -> None:
    assert clean_json(json.loads("[1e400, -1e400, NaN, 0.5]")) == [None, None, None, 0.5]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(alphabet="abc"), inner, max_size=4),
    max_leaves=12,
)


def mapped(value: object, change: Callable[[str], str]) -> object:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [mapped(item, change) for item in value]
    return {key: mapped(item, change) for key, item in value.items()} if isinstance(value, dict) else value


@given(json_values)
def test_what_shows_is_never_lost(value: object) -> None:
    cleaned = clean_json(value)
    assert json.loads(json.dumps(cleaned)) == cleaned
    assert mapped(cleaned, unescape) == mapped(value, visible)
