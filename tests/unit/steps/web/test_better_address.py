import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.steps.web.urls import better_addresses

RAW = "https://raw.githubusercontent.com/"
KNOWN: dict[str, tuple[str, tuple[str, ...]]] = {
    "a file on GitHub": (
        "https://github.com/psf/requests/blob/main/README.md",
        (f"{RAW}psf/requests/main/README.md",),
    ),
    "a branch with a slash, a line, a query": (
        "https://www.github.com/a/b.c/blob/feature/x/src/d%20e.py?plain=1",
        (f"{RAW}a/b.c/feature/x/src/d%20e.py",),
    ),
    "a folder": ("https://github.com/psf/requests/tree/main/docs", ()),
    "a repository": ("https://github.com/psf/requests", ()),
    "a branch without a file": ("https://github.com/psf/requests/blob/main", ()),
    "another host of that name": ("https://github.com.evil.example/a/b/blob/main/c", ()),
    "another port": ("https://github.com:8443/a/b/blob/main/c", ()),
    "a user name": ("https://me@github.com/a/b/blob/main/c", ()),
    "a gist": ("https://gist.github.com/a/0123456789abcdef", ()),
    "a paper": (
        "https://arxiv.org/abs/1706.03762",
        ("https://arxiv.org/html/1706.03762", "https://arxiv.org/pdf/1706.03762"),
    ),
    "a version of a paper, plain HTTP": (
        "http://www.arxiv.org/abs/1706.03762v7",
        ("http://arxiv.org/html/1706.03762v7", "http://arxiv.org/pdf/1706.03762v7"),
    ),
    "a paper of old": (
        "https://arxiv.org/abs/math.GT/0309136",
        ("https://arxiv.org/html/math.GT/0309136", "https://arxiv.org/pdf/math.GT/0309136"),
    ),
    "the documentation of a Postman collection": (
        "https://documenter.getpostman.com/view/1566360/SWTD6vnC",
        ("https://documenter.gw.postman.com/api/collections/1566360/SWTD6vnC",),
    ),
    "another page of Postman's": ("https://documenter.getpostman.com/view/x/../y", ()),
    "no paper": ("https://arxiv.org/abs/../admin", ()),
    "a list of papers": ("https://arxiv.org/list/cs.CL/recent", ()),
    "another scheme": ("ftp://arxiv.org/abs/1706.03762", ()),
    "no address": ("http://[", ()),
}


@pytest.mark.parametrize(("url", "wanted"), KNOWN.values(), ids=KNOWN)
def test_where_the_same_text_is_better_to_read(url: str, wanted: tuple[str, ...]) -> None:
    assert better_addresses(url) == wanted


@given(st.text(), st.sampled_from(["https://github.com/", "https://arxiv.org/", ""]))
def test_whatever_the_address_it_leads_to_no_other_place(rest: str, start: str) -> None:
    hosts = ("https://raw.githubusercontent.com/", "https://arxiv.org/html/", "https://arxiv.org/pdf/")
    assert all(url.startswith(hosts) for url in better_addresses(start + rest))
