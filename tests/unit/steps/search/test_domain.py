import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.steps.search.domains import domain
from gossamer.steps.web.urls import host_of

DOMAINS = {
    "a host below it": ("https://en.wikipedia.org/wiki/Dune:_Part_Two", "wikipedia.org"),
    "www": ("https://www.imdb.com/title/tt15239678/releaseinfo/", "imdb.com"),
    "itself": ("https://dunemovie.com", "dunemovie.com"),
    "two labels under an ending of two": ("https://news.bbc.co.uk/a", "bbc.co.uk"),
    "an ending with any name below it": ("https://a.b.c.kawasaki.jp/", "b.c.kawasaki.jp"),
    "its exception": ("https://www.city.kawasaki.jp/", "city.kawasaki.jp"),
    "somebody's pages on a shared host": ("https://rust-lang.github.io/async-book/", "rust-lang.github.io"),
    "capitals and a port": ("HTTPS://EN.Wikipedia.ORG:8443/", "wikipedia.org"),
    "a full stop at the end": ("https://en.wikipedia.org./", "wikipedia.org"),
    "another script": ("https://www.foo.рф/", "foo.рф"),
    "another script in letters": ("https://www.foo.xn--p1ai/", "foo.xn--p1ai"),
    "an ending that nobody knows": ("https://wiki.team.corp.internal/", "corp.internal"),
    "a bare name": ("http://localhost:3000/", "localhost"),
    "an address": ("http://192.168.0.1/", "192.168.0.1"),
    "an address of the sixth version": ("http://[2001:db8::1]/", "2001:db8::1"),
    "no address at all": ("dune", ""),
}


@pytest.mark.parametrize(("url", "expected"), DOMAINS.values(), ids=DOMAINS)
def test_the_domain_is_what_somebody_owns(url: str, expected: str) -> None:
    assert domain(url) == expected


@given(st.text(alphabet="ab.-:[]@/\u3002é", max_size=30))
def test_a_domain_is_always_the_end_of_its_host(rest: str) -> None:
    url = f"https://{rest}"
    assert host_of(url).rstrip(".").endswith(domain(url))
