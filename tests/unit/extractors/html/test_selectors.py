"""Selectors: what is admitted before a fetch can be applied after it."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.errors import InvalidArgument
from gossamer.extractors.html.selectors import MAX_SELECTOR_CHARS, check_selector, matches
from gossamer.extractors.html.tree import parse

PAGE = "<main><p class=a id=b>x</p><svg:rect a:b=c></svg:rect></main>"
PARTS = [
    *("a", "p", "*", "|", ".a", "#b", "[a=b]", "[a|b]", ":not(", ")", " ", ">", "+", "~", ",", "\\", '"', "'", ":is("),
    *(":nth-child(2n)", ":has(", "::", ":", "\x01", "\\2", "é", "[", "=", "]", "2", "-", "@", "^=", "\ufffe", "\ud800"),
]
REFUSED = {
    "a bracket that never closes": "div[",
    "a state of browsers": ":visible",
    "a pseudo-element": "p::text",
    "a namespace": "svg|rect",
    "an attribute's namespace": "[svg|a=b]",
    "any name of a namespace": "svg|*",
    "an escaped control character": "[a='\\2']",
    "a raw one": "#\x01",
    "longer than may be": "p" * (MAX_SELECTOR_CHARS + 1),
    "deeper than may be": ":not(" * 160,
}


@pytest.mark.parametrize("css", REFUSED.values(), ids=REFUSED)
def test_a_selector_that_no_page_can_be_asked_for_is_refused(css: str) -> None:
    with pytest.raises(InvalidArgument, match="selector") as caught:
        check_selector(css)
    assert caught.value.hint


@pytest.mark.parametrize(
    "css", ["*|p", "|p", "p[class~='a:b']", "p:not([a=':'])", "[xlink\\:href]", "main > p:first-child"]
)
def test_an_ordinary_selector_is_admitted(css: str) -> None:
    check_selector(css)


@given(st.lists(st.sampled_from(PARTS), max_size=8).map("".join) | st.text(max_size=20))
def test_whatever_is_admitted_can_be_applied(css: str) -> None:
    with suppress(InvalidArgument):
        check_selector(css)
        root = parse(PAGE)
        assert root is not None
        matches(root, css)
