"""Addresses without what only says who sent the reader."""

import pytest

from gossamer.steps.web.urls import untracked

A = "https://a.test/p"
STRIPPED = {
    "nothing to strip": (f"{A}?id=7&x=%20#part", f"{A}?id=7&x=%20#part"),
    "no query": (A, A),
    "an empty query": (f"{A}?", f"{A}?"),
    "the mark of OpenAI": (f"{A}?utm_source=openai", A),
    "each of the specification's": (
        f"{A}?utm_source=a&utm_medium=b&utm_campaign=c&utm_term=d&utm_content=e&ref=f&fbclid=g",
        A,
    ),
    "any utm": (f"{A}?utm_id=1&id=7", f"{A}?id=7"),
    "others that track": (f"{A}?gclid=1&msclkid=2&mc_eid=3&ref_src=4&id=7", f"{A}?id=7"),
    "in capitals": (f"{A}?UTM_Source=x&Ref=y", A),
    "escaped": (f"{A}?utm%5Fsource=x", A),
    "the order and spelling of others": (f"{A}?b=%C3%A4+1&ref=x&a=&c", f"{A}?b=%C3%A4+1&a=&c"),
    "what only begins so": (f"{A}?reference=1&refs=2&utm=3", f"{A}?reference=1&refs=2&utm=3"),
    "the fragment": (f"{A}?ref=x#utm_source=y", f"{A}#utm_source=y"),
    "a question in the fragment": (f"{A}#a?ref=x", f"{A}#a?ref=x"),
    "no address at all": ("not an address", "not an address"),
}


@pytest.mark.promise("000.48", "000.91", "000.92", "000.104")
@pytest.mark.parametrize(("url", "expected"), STRIPPED.values(), ids=STRIPPED)
def test_tracking_goes_and_all_else_stays(url: str, expected: str) -> None:
    assert untracked(url) == expected
