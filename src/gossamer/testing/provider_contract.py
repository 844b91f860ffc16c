"""The promises of every provider, as a suite that anyone can inherit.

Give it providers and a folder of recorded cases; each `<provider>/<case>/` holds what was asked (`query.json`), what
came (`reply.json`) and what that means (`hits.json`). docs/adding-a-provider.md shows one.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import date
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from gossamer import errors
from gossamer.errors import GossamerError, Outcome, RateLimited, UnexpectedReply, UpstreamError
from gossamer.model.http import HttpReply
from gossamer.model.search import CATEGORIES, Details, Found, Hit, Query
from gossamer.ports import Filter, Provider
from gossamer.steps.text.clean_line import plain, plain_address
from gossamer.testing.recorded import AS_JSON, SECRET, Case, bent, dump, folders, replay, sample

ASKED = Query(text="python asyncio", day=date(2026, 11, 15))

STATUSES = {
    302: Outcome.ERROR,
    400: Outcome.INVALID,
    401: Outcome.DENIED,
    403: Outcome.DENIED,
    404: Outcome.NOT_FOUND,
    408: Outcome.TIMEOUT,
    410: Outcome.NOT_FOUND,
    418: Outcome.ERROR,
    422: Outcome.INVALID,
    429: Outcome.RATE_LIMITED,
    500: Outcome.UNREACHABLE,
    502: Outcome.UNREACHABLE,
    503: Outcome.UNREACHABLE,
    504: Outcome.TIMEOUT,
}
BROKEN = {
    "nothing": b"",
    "a web page": b"<!doctype html><title>Welcome</title>",
    "half an object": b'{"results": [{"url": "https://exa',
    "bytes that are no text": b"\xff\xfe\x00{}",
    "a nest without end": b"[" * 100_000,
    "an empty object": b"{}",
    "an empty list": b"[]",
    "null": b"null",
    "an error in words": b'{"error": "something went wrong"}',
    "an error object": b'{"error": {"code": "internal", "info": "broken", "message": "broken"}}',
    "a list of errors": b'{"errors": [{"code": "internal", "message": "broken"}]}',
    "a message": b'{"message": "Unauthorized.", "statusCode": 403}',
}
FILTERED: dict[Filter, tuple[dict[str, Any], ...]] = {
    "site": ({"site": "docs.python.org"},),
    "time_range": ({"time_range": "week"},),
    "region": ({"region": "AT"},),
    "language": ({"language": "de"},),
    "safe_search": ({"safe_search": 0}, {"safe_search": 2}),
}
"""What asks for a filter; one of the ways must make a difference: some services know two levels of safety only."""

_LEAF = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
JSON = st.recursive(
    _LEAF, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
)
QUERIES = st.builds(
    Query,
    text=st.text(min_size=1, max_size=500),
    count=st.integers(1, 50),
    language=st.sampled_from(["en", "de-AT", "zh_Hant_TW", "all", "", "☃"]),
    region=st.sampled_from([None, "US", "atlantis"]),
    time_range=st.sampled_from([None, "day", "year"]),
    day=st.just(ASKED.day),
)
_quick = settings(
    max_examples=50,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.differing_executors],
)


class ProviderContract:
    """Inherit it and set `providers` and `cases`."""

    providers: ClassVar[Mapping[str, type[Provider]]]
    cases: ClassVar[Path]
    keys_in_address: ClassVar[frozenset[str]] = frozenset()
    """Providers whose service takes its key nowhere but in the address."""

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Give each test every provider, every case, or every case with hits or an error in JSON, as it asks."""
        if "made" in metafunc.fixturenames:
            metafunc.parametrize("made", list(self.providers.values()), ids=list(self.providers))
        found = [
            Case.load(folder, made) for name, made in self.providers.items() for folder in folders(self.cases / name)
        ]
        if "case" in metafunc.fixturenames:
            metafunc.parametrize("case", found, ids=[case.name for case in found])
        if "good" in metafunc.fixturenames:
            good = [case for case in found if case.expected.get("hits") and "json" in case.replies[0].content_type]
            metafunc.parametrize("good", good, ids=[case.name for case in good])
        if "bad" in metafunc.fixturenames:
            bad = [case for case in found if case.replies[0].status >= 400 and "json" in case.replies[0].content_type]
            bad = [case for case in bad if "error" in case.expected]
            metafunc.parametrize("bad", bad, ids=[case.name for case in bad])

    def test_it_is_registered_under_its_own_name_and_says_what_it_is(self, made: type[Provider]) -> None:
        assert self.providers[made.name] is made
        assert made.__module__.rpartition(".")[2] == made.name
        assert made.title
        assert made.__doc__
        assert made.filters <= FILTERED.keys()

    def test_it_has_a_recorded_case_with_hits(self, made: type[Provider]) -> None:
        folder = self.cases / made.name
        assert any(Case.load(case, made).expected.get("hits") for case in folders(folder)), f"record one in {folder}"

    def test_a_recorded_reply_means_what_was_written_beside_it(self, case: Case) -> None:
        provider = sample(case.made)
        if "error" in case.expected:
            with pytest.raises(getattr(errors, case.expected["error"])) as caught:
                replay(provider, case.query, case.replies)
            assert case.expected.get("says", "") in str(caught.value)
            assert case.expected.get("quotes", "") in caught.value.quote
            return
        found = replay(provider, case.query, case.replies)
        assert [asdict(hit) for hit in found.hits] == [asdict(written(hit)) for hit in case.expected["hits"]]
        assert {key: json.loads(dump(getattr(found, key))) for key in case.expected if key != "hits"} == {
            key: value for key, value in case.expected.items() if key != "hits"
        }
        check_hits(found)

    def test_its_settings_are_frozen(self, made: type[Provider]) -> None:
        provider = sample(made)
        for name in made.model_fields:
            with pytest.raises(ValidationError):
                setattr(provider, name, getattr(provider, name))

    def test_a_setting_it_does_not_have_is_refused(self, made: type[Provider]) -> None:
        with pytest.raises(ValidationError, match="no_such_setting"):
            made.model_validate({**sample(made).model_dump(), "no_such_setting": 1})

    def test_its_settings_suffice_when_all_are_given(self, made: type[Provider]) -> None:
        assert sample(made).is_ready

    def test_a_secret_travels_in_a_header_and_is_never_shown(self, made: type[Provider]) -> None:
        provider = sample(made)
        request = next(provider.steps(ASKED))
        address = f"{request.url} {dict(request.params)}"
        assert SECRET not in repr(provider)
        assert SECRET not in address or made.name in self.keys_in_address

    @_quick
    @given(query=QUERIES)
    def test_the_same_query_makes_the_same_request(self, made: type[Provider], query: Query) -> None:
        provider = sample(made)
        request = next(provider.steps(query))
        assert request == next(provider.steps(query))
        assert plain_address(request.url)
        assert not any("\n" in value or "\r" in value for value in request.headers.values())

    def test_the_request_carries_the_words_of_the_query(self, made: type[Provider]) -> None:
        request = next(sample(made).steps(ASKED))
        sent = f"{request.url} {dict(request.params)} {(request.body or b'').decode()}"
        assert all(word in sent for word in ASKED.text.split())

    def test_a_filter_it_claims_changes_what_it_sends(self, made: type[Provider]) -> None:
        provider = sample(made)
        bare = next(provider.steps(ASKED))
        for name in made.filters:
            assert any(next(provider.steps(replace(ASKED, **asked))) != bare for asked in FILTERED[name]), name

    def test_each_category_it_claims_is_asked_for_in_its_own_way(self, made: type[Provider]) -> None:
        provider = sample(made)
        asked = [next(provider.steps(replace(ASKED, category=category))) for category in sorted(made.categories)]
        assert made.categories
        assert made.categories <= CATEGORIES
        assert not made.is_general or len({repr(request) for request in asked}) == len(asked)

    def test_what_using_it_means_is_said(self, made: type[Provider]) -> None:
        assert made.terms.limits
        assert made.terms.privacy
        assert (made.terms.ends is None) == (not made.terms.ending)

    @pytest.mark.parametrize(("status", "outcome"), STATUSES.items(), ids=map(str, STATUSES))
    def test_a_bad_status_is_never_read(self, made: type[Provider], status: int, outcome: Outcome) -> None:
        for body in (b"", BROKEN["a web page"]):
            with pytest.raises(GossamerError) as caught:
                replay(sample(made), ASKED, [HttpReply(status=status, url="", body=body)])
            assert caught.value.outcome == outcome
            assert caught.value.hint

    def test_the_wait_that_a_limiting_service_asks_for_is_passed_on(self, made: type[Provider]) -> None:
        with pytest.raises(RateLimited) as caught:
            replay(sample(made), ASKED, [HttpReply(status=429, url="", headers={"retry-after": "7"})])
        assert caught.value.retry_after_s == 7

    @pytest.mark.parametrize("body", BROKEN.values(), ids=BROKEN)
    def test_a_broken_reply_or_an_error_is_never_no_results(self, made: type[Provider], body: bytes) -> None:
        with pytest.raises(UpstreamError) as caught:
            replay(sample(made), ASKED, [HttpReply(status=200, url="", headers=AS_JSON, body=body)])
        assert caught.value.hint

    @_quick
    @given(value=JSON)
    def test_json_of_any_other_shape_is_an_error(self, made: type[Provider], value: object) -> None:
        with pytest.raises(UpstreamError):
            replay(sample(made), ASKED, [HttpReply(status=200, url="", headers=AS_JSON, body=dump(value))])

    def test_a_field_of_another_type_is_named_or_harmless_but_never_no_results(self, good: Case) -> None:
        named = 0
        first, *rest = good.replies
        for other in bent(json.loads(first.body)):
            try:
                found = replay(sample(good.made), good.query, [replace(first, body=dump(other)), *rest])
            except UpstreamError as error:
                named += isinstance(error, UnexpectedReply) and " at " in error.message
            else:
                assert found.hits, f"read as no results: {other}"
                check_hits(found)
        assert named, "no wrong type was noticed: declare the shape of the reply"

    def test_an_error_of_another_shape_is_still_an_error(self, bad: Case) -> None:
        first, *rest = bad.replies
        for other in bent(json.loads(first.body)):
            with pytest.raises(GossamerError) as caught:
                replay(sample(bad.made), bad.query, [replace(first, body=dump(other)), *rest])
            assert caught.value.hint


def written(hit: dict[str, Any]) -> Hit:
    """A hit as a case writes it down; what it leaves out is empty."""
    fields = dict(hit)
    more: dict[str, Any] = dict(fields.pop("details", {}))
    more["authors"] = tuple(more.get("authors", ()))
    return Hit(**fields, details=Details(**more))


def check_hits(found: Found) -> None:
    """Hold every hit to what the rest of the product relies on."""
    for hit in found.hits:
        assert plain_address(hit.url) == hit.url
        assert hit.title
        more = hit.details
        for address in (more.image_url, more.thumbnail_url):
            assert not address or plain_address(address) == address
        for line in (hit.title, hit.snippet, hit.engine, more.resolution, more.source, more.doi, *more.authors):
            assert plain(line, max_chars=len(line) + 1) == line
        assert len(hit.title) <= 300
        assert len(hit.snippet) <= 1000
        # A day, or a year where a service knows no more.
        assert hit.published is None or date.fromisoformat(f"{hit.published}-01-01"[:10])
