import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.steps.web.urls import canonical, fingerprint, host_of

SPELLINGS = {
    "scheme and host in lower case, path untouched": ("HTTPS://Example.ORG/Path", "https://example.org/Path"),
    "default port of http": ("http://a.test:80/x", "http://a.test/x"),
    "default port of https": ("https://a.test:443/x", "https://a.test/x"),
    "another port stays": ("https://a.test:8443/x", "https://a.test:8443/x"),
    "the other scheme's port stays": ("http://a.test:443/", "http://a.test:443/"),
    "no path is the root": ("https://a.test", "https://a.test/"),
    "no path but a query": ("https://a.test?q=1", "https://a.test/?q=1"),
    "fragment goes": ("https://a.test/x#part", "https://a.test/x"),
    "query stays as it is": ("https://a.test/x?B=2&a=%20+&b", "https://a.test/x?B=2&a=%20+&b"),
    "an empty query goes": ("https://a.test/x?", "https://a.test/x"),
    "address of six groups": ("http://[2001:DB8::1]:80/", "http://[2001:db8::1]/"),
    "user and password keep their case": ("https://User:Pw@A.test/", "https://User:Pw@a.test/"),
    "another scheme stays": ("ftp://A.test/x#y", "ftp://A.test/x#y"),
    "no host": ("https:///x", "https:///x"),
    "no address": ("just words", "just words"),
    "a blank inside is left for the guard": ("https://A.test/a b", "https://A.test/a b"),
    "a backslash is left for the guard": ("https://A.test\\@b.test/", "https://A.test\\@b.test/"),
    "a port that is no number": ("https://A.test:http/", "https://A.test:http/"),
    "a bracket that never closes": ("http://[::1", "http://[::1"),
    "half a surrogate pair": ("https://A.test/\ud800", "https://A.test/\ud800"),
}


@pytest.mark.parametrize(("url", "expected"), SPELLINGS.values(), ids=SPELLINGS)
def test_an_address_has_one_spelling(url: str, expected: str) -> None:
    assert canonical(url) == expected


URLISH = st.one_of(
    st.text(st.characters()),
    st.from_regex(r"(?i)https?://([a-z@.:\[\]]|\d){0,12}[/?#]?[a-z&=#?/;+%]{0,12}", fullmatch=True),
    st.text("htps:/.ab?&=#@[]0128\\ \t\ud800é％İ", max_size=40).map("http://".__add__),
)


@given(URLISH)
def test_the_one_spelling_is_its_own_spelling(url: str) -> None:
    assert canonical(canonical(url)) == canonical(url)


@given(URLISH)
def test_no_text_is_too_odd_to_be_looked_at(url: str) -> None:
    assert isinstance(fingerprint(url), str)
    assert isinstance(host_of(url), str)


SAME_PAGE = {
    "schemes": ("http://a.test/x", "https://a.test/x"),
    "www": ("https://www.a.test/x", "https://a.test/x"),
    "last slash": ("https://a.test/x/", "https://a.test/x"),
    "root": ("https://a.test", "https://a.test/"),
    "campaigns": ("https://a.test/x?utm_source=n&id=1&fbclid=2", "https://a.test/x?id=1"),
    "only campaigns": ("https://a.test/x?UTM_Medium=mail&gclid=1", "https://a.test/x"),
    "fragments": ("https://a.test/x#a", "https://a.test/x#b"),
}


@pytest.mark.parametrize(("one", "other"), SAME_PAGE.values(), ids=SAME_PAGE)
def test_hits_on_the_same_page_have_one_fingerprint(one: str, other: str) -> None:
    assert fingerprint(one) == fingerprint(other)


OTHER_PAGE = {
    "another path": ("https://a.test/x", "https://a.test/y"),
    "another query": ("https://a.test/?id=1", "https://a.test/?id=2"),
    "a blank value counts": ("https://a.test/?id=1&print=", "https://a.test/?id=1"),
    "a port": ("https://a.test:8443/", "https://a.test/"),
    "case of the path": ("https://a.test/X", "https://a.test/x"),
}


@pytest.mark.parametrize(("one", "other"), OTHER_PAGE.values(), ids=OTHER_PAGE)
def test_hits_on_other_pages_have_other_fingerprints(one: str, other: str) -> None:
    assert fingerprint(one) != fingerprint(other)


def test_the_host_of_an_address_is_its_name_alone() -> None:
    assert host_of("https://me@Docs.A.test:8443/x") == "docs.a.test"
    assert host_of("http://[::1]:8000/") == "::1"
    assert host_of("no address") == ""
