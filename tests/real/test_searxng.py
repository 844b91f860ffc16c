"""Our provider against the real web app, over the mini web."""

import httpx2
import pytest

from gossamer.errors import InvalidArgument, Unreachable
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import Found, Query
from gossamer.providers.searxng import SearXNG
from gossamer.testing.provider_contract import check_hits
from gossamer.testing.recorded import drive

pytestmark = pytest.mark.component("searxng")


def ask(url: str, query: Query) -> Found:
    with httpx2.Client(timeout=60, trust_env=False) as client:

        def send(request: HttpRequest) -> HttpReply:
            reply = client.request(request.method, request.url, params=dict(request.params), headers=request.headers)
            headers = {name.lower(): value for name, value in reply.headers.items()}
            return HttpReply(status=reply.status_code, url=str(reply.url), headers=headers, body=reply.content)

        return drive(SearXNG(base_url=url), query, send)


@pytest.mark.promise("002.26", "002.165", "002.166", "003.100")
def test_pages_of_the_mini_web_are_found(searxng: str, mini_web: str) -> None:
    found = ask(searxng, Query(text="lighthouse"))
    assert found.hits
    assert all(hit.url.startswith(mini_web) for hit in found.hits)
    assert any("lighthouse" in f"{hit.title} {hit.snippet}".lower() for hit in found.hits)
    assert found.engines == ("pages",)
    assert found.note == ""
    check_hits(found)


def test_a_larger_count_brings_further_pages_without_repeats(searxng: str) -> None:
    few = ask(searxng, Query(text="the harbour", count=3))
    many = ask(searxng, Query(text="the harbour", count=25))
    addresses = [hit.url for hit in many.hits]
    assert len(few.hits) == 3
    assert len(addresses) > 3
    assert len(set(addresses)) == len(addresses)


def test_a_word_that_no_page_holds_is_no_results(searxng: str) -> None:
    found = ask(searxng, Query(text="xyzzyplugh"))
    assert found.hits == ()
    assert found.note == ""


def test_an_engine_that_is_away_is_counted_beside_the_hits_of_the_other(searxng: str) -> None:
    found = ask(searxng, Query(text="lighthouse", category="news"))
    assert found.hits
    assert found.note.startswith("SearXNG had no answer from 1 of its engines")


def test_no_engine_at_all_is_not_taken_for_no_results(searxng: str) -> None:
    with pytest.raises(Unreachable, match="without answer: 1 of its engines") as caught:
        ask(searxng, Query(text="lighthouse", category="science"))
    assert caught.value.quote.startswith("away: ")


def test_a_language_of_any_spelling_is_accepted(searxng: str) -> None:
    assert ask(searxng, Query(text="lighthouse", language="zh_Hant_TW")).hits


@pytest.mark.promise("002.130")
def test_an_empty_query_is_refused_with_its_reason(searxng: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        ask(searxng, Query(text=" "))
    assert "No query" in caught.value.quote


def test_a_detour_to_another_search_engine_is_not_taken(searxng: str, mini_web: str) -> None:
    assert all(hit.url.startswith(mini_web) for hit in ask(searxng, Query(text="!!g lighthouse")).hits)


def test_where_json_is_switched_off_the_page_for_people_is_read(searxng_without_json: str, mini_web: str) -> None:
    found = ask(searxng_without_json, Query(text="lighthouse"))
    assert found.hits
    assert all(hit.url.startswith(mini_web) for hit in found.hits)
    assert found.engines == ("pages",)
    check_hits(found)
