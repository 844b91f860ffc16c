"""What a page is worth: order and floor, on pages anyone would agree on."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.steps.search.page_quality import LEAST, is_primary, page_quality

URL = "https://blog.example.com/post"
ARTICLE = "# Ferries\n\n" + "\n\n".join(
    f"Boat number {n} leaves the harbour of Port Ellery after the tide has turned, and the captain {w} about it."
    for n, w in enumerate(["writes", "sings", "dreams", "argues", "jokes", "worries", "smiles", "reports", "frets"])
)
LINKS = "\n".join(f"- [Cheap ferry offer number {n}](https://spam.test/{n})" for n in range(60))
STUFFED = "ferry ticket cheap ferry ticket best ferry ticket " * 80


def worth(text: str, url: str = URL, query: str = "ferries of Port Ellery") -> float:
    return page_quality(text, url=url, title="A page", query=query)


@pytest.mark.promise("002.85", "002.181")
def test_an_article_is_worth_more_than_a_list_of_links_or_a_text_that_repeats_itself() -> None:
    assert worth(ARTICLE) > 0.7
    assert worth(LINKS) < LEAST
    assert worth(STUFFED, query="ferry ticket") < LEAST


KEPT = {
    "one sentence that answers": "The ferry to Port Ellery leaves at noon.",
    "a table": "| Day | Ferry from Port Ellery |\n|---|---|\n| Monday | 7:30 |",
    "a long log": "Why does the ferry stop?\n\n```\n" + "ERROR in thread main\n" * 300 + "```",
    "links beside a manual in code": LINKS + "\n\n```\n" + ARTICLE * 9 + "\n```",
    "code alone": "```python\nferry = Port('Ellery')\n```",
    "an article of another subject": ARTICLE.replace("Port Ellery", "Mars").replace("Ferries", "Rockets"),
    "an article with links": ARTICLE + "\n\n" + LINKS[:400],
    "Japanese": "灯台守は毎晩らせん階段を登り、大きなランプに火をともした。" * 3,
}


@pytest.mark.parametrize("text", KEPT.values(), ids=KEPT)
def test_nothing_that_says_something_is_dropped(text: str) -> None:
    assert worth(text) >= LEAST


@pytest.mark.promise("002.88", "002.153")
def test_what_the_query_asks_and_where_the_page_comes_from_count() -> None:
    assert worth(ARTICLE) > worth(ARTICLE, query="quantum physics")
    assert worth(ARTICLE, url="https://docs.example.com/post") > worth(ARTICLE)
    assert worth(ARTICLE, query="") == worth(ARTICLE, query="ferries")


PRIMARY = {
    "https://docs.rs/tokio": True,
    "https://docs.python.org/3/": True,
    "https://en.wikipedia.org/wiki/Ferry": True,
    "https://www.nasa.gov/x": True,
    "https://cs.stanford.edu/x": True,
    "https://www.ox.ac.uk/x": True,
    "https://example.com/docs/intro": True,
    "https://example.com/reference": True,
    "https://wikipedia.org.evil.test/": False,
    "https://notgithub.com/x": False,
    "https://blog.example.com/docstrings": False,
    "https://example.com/": False,
    "no address": False,
    "http://[": False,
}


@pytest.mark.promise("002.153")
@pytest.mark.parametrize(("url", "is_one"), PRIMARY.items())
def test_documentation_and_official_pages_are_told_by_their_address(url: str, is_one: bool) -> None:
    assert is_primary(url) is is_one


@settings(deadline=None)
@given(st.text(), st.text(max_size=80), st.text(max_size=40))
def test_any_page_has_a_worth(text: str, url: str, query: str) -> None:
    assert 0 <= page_quality(text, url=url, title=query, query=query) <= 1
