import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.steps.search.locale_codes import read_language
from gossamer.steps.web.urls import read_address, read_site
from tests.patience import in_proportion

ADDRESSES = {
    "whole": ("https://a.test/x?y#z", "https://a.test/x?y#z"),
    "blanks round it": ("  https://a.test/ \n", "https://a.test/"),
    "no scheme": ("example.com/docs", "https://example.com/docs"),
    "no scheme, a port": ("example.com:8080", "https://example.com:8080"),
    "no scheme, a port and a path": ("example.com:8080/x", "https://example.com:8080/x"),
    "no scheme, a port and a query": ("example.com:8080?q=1", "https://example.com:8080?q=1"),
    "no scheme, a query": ("example.com?q=a:b", "https://example.com?q=a:b"),
    "no scheme, a colon in the path": ("example.com/a:b", "https://example.com/a:b"),
    "a name of another script": ("müller.example/ü", "https://müller.example/ü"),
    "two slashes first": ("//a.test/x", "https://a.test/x"),
    "localhost": ("localhost", "http://localhost"),
    "localhost with a port": ("localhost:3000/x", "http://localhost:3000/x"),
    "a name that begins like it": ("localhost.example/x", "https://localhost.example/x"),
    "numbers": ("127.0.0.1:8000/x", "http://127.0.0.1:8000/x"),
    "groups in brackets": ("[::1]:8080/x", "http://[::1]:8080/x"),
    "more groups in brackets": ("[2001:db8::1]", "http://[2001:db8::1]"),
    "angle brackets": ("<https://a.test/x>", "https://a.test/x"),
    "angle brackets, no scheme": ("<a.test/x>", "https://a.test/x"),
    "quotes": ('"https://a.test/x"', "https://a.test/x"),
    "backticks": ("`https://a.test/x`", "https://a.test/x"),
    "a Markdown link": ("[the page](https://a.test/x)", "https://a.test/x"),
    "a Markdown link with a title": ('[the page](<https://a.test/x> "Title")', "https://a.test/x"),
    "a Markdown link without a scheme": ("[](a.test)", "https://a.test"),
    "a Markdown link with brackets in it": ("[Rust](https://a.test/Rust_(language))", "https://a.test/Rust_(language)"),
    "a Markdown image": ("![alt](https://a.test/x.png)", "https://a.test/x.png"),
}
LEFT_ALONE = {
    "another scheme": "ftp://x",
    "a script": "javascript:alert(1)",
    "a script that begins with a number": "javascript:1",
    "a mail address with its scheme": "mailto:me@a.test",
    "a mail address": "me@a.test",
    "data": "data:text/html,x",
    "a file": "file:///etc/passwd",
    "a telephone": "tel:123",
    "groups without brackets": "fe80::1",
    "a word": "example",
    "words": "what is a.test",
    "a path": "/docs/index.html",
    "one slash": "http:/a.test",
    "a dot alone": ".",
    "nothing": "",
}


@pytest.mark.parametrize(("text", "expected"), ADDRESSES.values(), ids=ADDRESSES)
def test_an_address_is_read_for_what_was_meant(text: str, expected: str) -> None:
    assert read_address(text) == expected


@pytest.mark.parametrize("text", LEFT_ALONE.values(), ids=LEFT_ALONE)
def test_what_is_no_web_address_stays_for_the_guard_to_refuse(text: str) -> None:
    assert read_address(text) == text


SITES = {
    "a name": ("docs.example.org", "docs.example.org"),
    "an address": ("https://docs.example.org/3/?q=1", "docs.example.org"),
    "a name with a path": ("example.org/docs", "example.org"),
    "a name with a port": ("example.org:8080", "example.org"),
    "an operator": ("site:example.org", "example.org"),
    "capitals": ("Example.ORG", "example.org"),
    "any name below": ("*.example.org", "example.org"),
    "www": ("https://www.example.org/", "example.org"),
    "blanks": ("  example.org ", "example.org"),
    "a name of another script": ("müller.example", "müller.example"),
    "groups in brackets": ("http://[2001:db8::1]/", "2001:db8::1"),
    "a bracket that never closes": ("http://[x", "http://[x"),
    "a sign that means another": ("http://a\u2100b/", "http://a\u2100b/"),
    "a line break inside": ("a\nb.test", "a\nb.test"),
    "nothing": ("", ""),
}


@pytest.mark.parametrize(("text", "expected"), SITES.values(), ids=SITES)
def test_a_site_is_a_bare_name(text: str, expected: str) -> None:
    assert read_site(text) == expected


LANGUAGES = {
    "as it should be": ("de", "de"),
    "with a country": ("pt-BR", "pt-BR"),
    "small country": ("zh-cn", "zh-CN"),
    "underscore": ("zh_CN", "zh-CN"),
    "capitals": ("EN", "en"),
    "blanks": (" de ", "de"),
    "a script stays": ("zh-Hans", "zh-Hans"),
    "three letters stay": ("yue", "yue"),
    "a locale stays": ("en_US.UTF-8", "en_US.UTF-8"),
    "a word stays": ("German", "German"),
    "nothing": ("", ""),
}


@pytest.mark.parametrize(("text", "expected"), LANGUAGES.values(), ids=LANGUAGES)
def test_a_language_is_a_code(text: str, expected: str) -> None:
    assert read_language(text) == expected


READERS = (read_address, read_site, read_language)
ODD = st.text(st.characters(), max_size=60) | st.text("htps:/.[]()<>@# a1é℀\\\n", max_size=60)


@given(ODD)
def test_no_text_is_too_odd_to_be_read(text: str) -> None:
    for reader in READERS:
        assert isinstance(reader(text), str)


@given(st.from_regex(r"https?://[a-z]{1,9}\.test(:\d{1,5})?(/[a-z()&=%]{0,9})?", fullmatch=True))
def test_a_whole_address_is_never_changed(url: str) -> None:
    assert read_address(url) == url


LONG = {
    "an endless link": "[a](" + "x" * 500_000,
    "an endless title": "[a](b " + " " * 500_000,
    "brackets": "[" * 500_000,
    "parentheses": "[a](" + "(" * 500_000,
    "open parentheses": "[a](" + "(a" * 250_000,
    "dots": "a." * 250_000 + ":x",
    "a port": "a.test:" + "1" * 500_000 + "x",
    "a scheme": "a-" * 250_000,
}


@pytest.mark.large
@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_reading_takes_time_in_proportion_to_the_text(text: str) -> None:
    with in_proportion():
        for reader in READERS:
            reader(text)
