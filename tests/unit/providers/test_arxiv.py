from dataclasses import replace
from typing import Any

import pytest

from gossamer.errors import UnexpectedReply
from gossamer.model.http import HttpReply
from gossamer.model.search import Query
from gossamer.providers.arxiv import Arxiv
from gossamer.providers.shared.request import since
from tests.patience import in_proportion

ARXIV = Arxiv()
QUERY = Query(text="vacuum full")
HEAD = '<feed xmlns="http://www.w3.org/2005/Atom" xmlns:o="http://a9.com/-/spec/opensearch/1.1/">'
TOTAL = "<o:totalResults>1</o:totalResults>"


def sent(**asked: Any) -> dict[str, str | int]:
    return dict(ARXIV.request(replace(QUERY, **asked)).params)


def test_a_plain_query_asks_for_the_most_relevant_papers() -> None:
    assert ARXIV.request(QUERY).url == "https://export.arxiv.org/api/query"
    assert sent(count=50) == {
        "search_query": "all:vacuum AND all:full",
        "start": 0,
        "max_results": 50,
        "sortBy": "relevance",
        "sortOrder": "descending",
    }


WORDS = {
    "signs mean nothing": ('ti:"x" ANDNOT (y)', "all:ti AND all:x AND all:ANDNOT AND all:y"),
    "a hyphen stays": ("self-attention", "all:self-attention"),
    "many words need not all occur": ("a b c d e f g", "all:a OR all:b OR all:c OR all:d OR all:e OR all:f OR all:g"),
    "no word at all": ("?!", 'all:""'),
}


@pytest.mark.parametrize(("text", "expected"), WORDS.values(), ids=WORDS)
def test_the_words_of_a_query_are_asked_for_in_its_own_language(text: str, expected: str) -> None:
    assert sent(text=text)["search_query"] == expected


def test_a_time_range_bounds_the_day_of_submission() -> None:
    asked = replace(QUERY, time_range="year")
    starts = {since(asked)}
    said = sent(time_range="year")["search_query"]
    starts.add(since(asked))
    assert said in {
        f"(all:vacuum AND all:full) AND submittedDate:[{start:%Y%m%d}0000 TO 999912312359]" for start in starts if start
    }


def answered(text: str) -> HttpReply:
    return HttpReply(status=200, url="", body=text.encode())


def test_an_encoding_that_it_claims_is_not_believed() -> None:
    reply = answered(f'<?xml version="1.0" encoding="x-nonsense"?>{HEAD}{TOTAL}</feed>')
    assert ARXIV.parse(reply).hits == ()


STRANGE = {
    "another document": "<html><body>Hello</body></html>",
    "cut": f"{HEAD}{TOTAL}<entry>",
    "a total that is none": f"{HEAD}<o:totalResults>many</o:totalResults></feed>",
    "an external entity": f'<!DOCTYPE feed SYSTEM "file:///etc/passwd">{HEAD}{TOTAL}</feed>',
}


@pytest.mark.parametrize("text", STRANGE.values(), ids=STRANGE)
def test_what_is_no_feed_is_an_error(text: str) -> None:
    with pytest.raises(UnexpectedReply):
        ARXIV.parse(answered(text))


def test_a_link_before_any_entry_is_nobodys() -> None:
    assert ARXIV.parse(answered(f'{HEAD}<link rel="alternate" href="https://a.example/"/>{TOTAL}</feed>')).hits == ()


HOSTILE = {
    "a deep nest": "<a>" * 200_000,
    "a long text": f"{HEAD}{TOTAL}<entry><id>{'x' * 4_000_000}</id></entry></feed>",
    "many entries": HEAD + TOTAL + "<entry/>" * 200_000 + "</feed>",
}


@pytest.mark.large
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_feed_is_refused_in_time(text: str) -> None:
    with in_proportion(), pytest.raises(UnexpectedReply):
        ARXIV.parse(answered(text))
