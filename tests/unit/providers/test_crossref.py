from dataclasses import replace
from typing import Any

import pytest
from pydantic import ValidationError

from gossamer.model.search import Query
from gossamer.providers.crossref import Crossref
from gossamer.providers.shared.request import since

QUERY = Query(text="vacuum  full")


def sent(provider: Crossref | None = None, **asked: Any) -> dict[str, str | int]:
    return dict((provider or Crossref()).request(replace(QUERY, **asked)).params)


def test_a_plain_query_asks_for_what_a_result_shows() -> None:
    assert Crossref().request(QUERY).url == "https://api.crossref.org/works"
    assert sent(count=50) == {
        "query": "vacuum full",
        "rows": 50,
        "select": "DOI,title,container-title,author,URL,published,abstract",
    }


def test_a_mail_address_is_named_only_when_it_was_set() -> None:
    assert sent(Crossref(mailto="me@example.org"))["mailto"] == "me@example.org"
    with pytest.raises(ValidationError):
        Crossref(mailto="me")


def test_a_time_range_is_one_of_publication() -> None:
    asked = replace(QUERY, time_range="month")
    starts = {since(asked)}
    said = sent(time_range="month")["filter"]
    assert said in {f"from-pub-date:{start}" for start in {*starts, since(asked)}}
