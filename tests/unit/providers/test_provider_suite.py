"""The suite itself: a careless provider must not pass it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest
from pydantic import BaseModel, SecretStr

from gossamer.errors import GossamerError
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import Found, Hit, Query
from gossamer.ports import Filter, Provider
from gossamer.testing.provider_contract import BROKEN, ProviderContract
from gossamer.testing.recorded import Case


class _Reply(BaseModel):
    results: list[dict[str, Any]] = []


class Careless(Provider):
    name: ClassVar[str] = "careless"
    title: ClassVar[str] = "Careless"
    filters: ClassVar[frozenset[Filter]] = frozenset({"site"})
    base_url: str = "https://careless.example"
    api_key: SecretStr = SecretStr("")

    def request(self, query: Query) -> HttpRequest:
        return HttpRequest(url=self.base_url, params={"key": self.api_key.get_secret_value()})

    def judge(self, reply: HttpReply) -> None:
        pass

    def parse(self, reply: HttpReply) -> Found:
        rows = reply.read(_Reply).results
        return Found(hits=tuple(Hit(url=str(row.get("url")), title=str(row.get("title"))) for row in rows))


class Suite(ProviderContract):
    providers: ClassVar[dict[str, type[Provider]]] = {"careless": Careless}
    cases = Path("nowhere")


def recorded(row: dict[str, Any]) -> Case:
    body = HttpReply(status=200, url="", body=_Reply(results=[row]).model_dump_json().encode())
    return Case(name="x", made=Careless, query=Query(text="x"), replies=(body,), expected={"hits": [row]})


CARELESS: dict[str, Callable[[Suite], None]] = {
    "reads an error as no results": lambda suite: suite.test_a_broken_reply_or_an_error_is_never_no_results(
        Careless, BROKEN["an error in words"]
    ),
    "puts its key into the address": lambda suite: suite.test_a_secret_travels_in_a_header_and_is_never_shown(Careless),
    "does not send the words": lambda suite: suite.test_the_request_carries_the_words_of_the_query(Careless),
    "claims a filter": lambda suite: suite.test_a_filter_it_claims_changes_what_it_sends(Careless),
    "has no case": lambda suite: suite.test_it_has_a_recorded_case_with_hits(Careless),
    "hides a limiting service": lambda suite: suite.test_the_wait_that_a_limiting_service_asks_for_is_passed_on(
        Careless
    ),
    "hands markup on": lambda suite: suite.test_a_recorded_reply_means_what_was_written_beside_it(
        recorded({"url": "https://a.example", "title": "<b>A</b>"})
    ),
    "hands any address on": lambda suite: suite.test_a_recorded_reply_means_what_was_written_beside_it(
        recorded({"url": "javascript:alert(1)", "title": "A"})
    ),
    "has another name than its file": lambda suite: suite.test_it_is_registered_under_its_own_name_and_says_what_it_is(
        Careless
    ),
}


@pytest.mark.parametrize("check", CARELESS.values(), ids=CARELESS)
def test_the_suite_notices_a_provider_that(check: Callable[[Suite], None]) -> None:
    with pytest.raises((AssertionError, pytest.fail.Exception, GossamerError)):
        check(Suite())
