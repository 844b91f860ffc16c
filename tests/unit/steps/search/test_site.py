"""Which sites can be asked for, and which addresses lie on them."""

import pytest

from gossamer.steps.search.domains import is_on_site, is_site

SITES = [
    "imdb.com",
    "gov",
    "localhost",
    "www.bbc.co.uk",
    "münchen.de",
    "xn--mnchen-3ya.de",
    "127.0.0.1",
    "例え.jp",
    "a.b.",
]
NONE = [
    "not a site",
    "imdb.com, rottentomatoes.com",
    "imdb.com/title",
    "a..b",
    "-a.com",
    "a-.com",
    "",
    ".com",
    "a" * 64,
]


@pytest.mark.parametrize("text", SITES)
def test_a_name_is_a_site(text: str) -> None:
    assert is_site(text)


@pytest.mark.parametrize("text", [*NONE, ".".join(["a" * 60] * 5)])
def test_what_is_no_single_name_is_none(text: str) -> None:
    assert not is_site(text)


PLACES = {
    "itself": ("https://imdb.com/a", "imdb.com", True),
    "below it": ("https://www.imdb.com/a", "IMDB.com", True),
    "another that ends alike": ("https://notimdb.com/", "imdb.com", False),
    "by its machine name": ("https://xn--mnchen-3ya.de/a", "münchen.de", True),
    "by its spoken name": ("https://www.münchen.de/a", "xn--mnchen-3ya.de", True),
    "a name that cannot be spelt": ("https://example.org/", "\u2f26\u0300\uffff.de", False),
    "with a dot at its end": ("https://imdb.com./a", "imdb.com", True),
    "no address": ("mailto:a@imdb.com", "imdb.com", False),
}


@pytest.mark.parametrize(("url", "site", "expected"), PLACES.values(), ids=PLACES)
def test_an_address_lies_on_a_site_in_any_spelling(url: str, site: str, expected: bool) -> None:
    assert is_on_site(url, site) is expected
