from dataclasses import replace
from typing import Any

import pytest
from pydantic import SecretStr

from gossamer.errors import Denied, InvalidArgument
from gossamer.model.http import HttpReply
from gossamer.model.search import Query
from gossamer.providers.semantic_scholar import SemanticScholar
from gossamer.providers.shared.request import since

SCHOLAR = SemanticScholar()
QUERY = Query(text="self-attention  heads")


def sent(**asked: Any) -> dict[str, str | int]:
    return dict(SCHOLAR.request(replace(QUERY, **asked)).params)


def test_a_plain_query_asks_for_papers_without_hyphens() -> None:
    request = SCHOLAR.request(QUERY)
    assert request.url == "https://api.semanticscholar.org/graph/v1/paper/search"
    assert dict(request.params) == {
        "query": "self attention heads",
        "offset": 0,
        "limit": 10,
        "fields": "title,url,abstract,venue,authors,externalIds,publicationDate,year",
    }
    assert "x-api-key" not in request.headers


def test_a_key_travels_in_a_header() -> None:
    made = SemanticScholar(api_key=SecretStr("k"))
    assert made.request(QUERY).headers["x-api-key"] == "k"
    assert made.is_own


def test_a_time_range_has_no_end() -> None:
    asked = replace(QUERY, time_range="year")
    starts = {since(asked)}
    said = sent(time_range="year")["publicationDateOrYear"]
    assert said in {f"{start}:" for start in {*starts, since(asked)}}


def test_who_has_no_key_is_told_to_get_one() -> None:
    with pytest.raises(Denied, match="without a key"):
        SCHOLAR.judge(HttpReply(status=403, url=""))


def test_a_query_that_is_refused_without_a_reason_is_invalid() -> None:
    with pytest.raises(InvalidArgument):
        SCHOLAR.judge(HttpReply(status=400, url=""))
