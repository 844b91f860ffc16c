from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from gossamer.errors import Denied, InvalidArgument, RateLimited, UnexpectedReply, UpstreamError
from gossamer.model.http import HttpReply
from gossamer.model.search import Details, Query
from gossamer.providers.searxng import SearXNG
from gossamer.testing.provider_contract import check_hits
from gossamer.testing.recorded import AS_JSON, dump, replay

INSTANCE = SearXNG(base_url="http://127.0.0.1:8888")
QUERY = Query(text="vacuum full")


def sent(**asked: Any) -> dict[str, str | int]:
    return dict(INSTANCE.request(replace(QUERY, **asked)).params)


@pytest.mark.promise("002.21")
def test_a_plain_query_asks_for_the_first_page_as_json() -> None:
    request = INSTANCE.request(QUERY)
    assert request.url == "http://127.0.0.1:8888/search"
    assert dict(request.params) == {
        "q": "vacuum full",
        "format": "json",
        "categories": "general",
        "language": "en",
        "safesearch": 1,
        "pageno": 1,
    }


def test_the_headers_are_those_that_a_limiter_lets_through() -> None:
    headers = INSTANCE.request(QUERY).headers
    assert headers == {"Accept": "application/json, text/html;q=0.5", "Accept-Language": "en"}


@pytest.mark.promise("002.17", "002.24", "003.139")
def test_every_filter_reaches_the_instance() -> None:
    params = sent(site="postgresql.org", time_range="month", category="it", safe_search=2, language="de", region="at")
    assert params["q"] == "vacuum full site:postgresql.org"
    assert params["time_range"] == "month"
    assert params["categories"] == "it"
    assert params["safesearch"] == 2
    assert params["language"] == "de-AT"


LOCALES = {
    "language alone": ("de", None, "de"),
    "language and region": ("en", "US", "en-US"),
    "a region inside the language": ("pt-br", None, "pt-BR"),
    "the region asked for wins": ("en-GB", "US", "en-US"),
    "a script is left out": ("zh-Hant", None, "zh"),
    "a script before the region": ("zh_Hant_TW", None, "zh-TW"),
    "any language": ("all", "US", "all"),
    "the instance decides": ("auto", None, "auto"),
    "upper case": ("EN", None, "en"),
    "no language at all": ("", "US", "all"),
    "nonsense": ("klingon!", None, "all"),
    "a region that is none": ("en", "Atlantis", "en"),
}


@pytest.mark.parametrize(("language", "region", "locale"), LOCALES.values(), ids=LOCALES)
def test_the_language_is_spelt_as_the_instance_accepts_it(language: str, region: str | None, locale: str) -> None:
    assert sent(language=language, region=region)["language"] == locale


def test_any_language_still_names_one_to_the_limiter() -> None:
    assert INSTANCE.request(replace(QUERY, language="all")).headers["Accept-Language"] == "en"


BANGS = {
    "a detour to another engine": ("!!g python", "g python"),
    "in the middle": ("python !!wiki", "python wiki"),
    "the first result at once": ("!! python", "python"),
    "an exclamation stays": ("hello world!! !important", "hello world!! !important"),
}


@pytest.mark.promise("002.156")
@pytest.mark.parametrize(("text", "words"), BANGS.values(), ids=BANGS)
def test_a_word_that_would_send_the_query_elsewhere_is_defused(text: str, words: str) -> None:
    assert sent(text=text)["q"] == words


ADDRESSES = {
    "as given": ("http://127.0.0.1:8888", "http://127.0.0.1:8888"),
    "a slash at the end": ("https://searx.example/", "https://searx.example"),
    "under a path": ("https://example.org/searx/", "https://example.org/searx"),
    "the address of its search": ("https://searx.example/search", "https://searx.example"),
    "none": ("", ""),
}


@pytest.mark.parametrize(("given", "kept"), ADDRESSES.values(), ids=ADDRESSES)
def test_the_address_of_an_instance_is_kept_in_one_spelling(given: str, kept: str) -> None:
    assert SearXNG(base_url=given).base_url == kept


@pytest.mark.promise("002.106")
@pytest.mark.parametrize("given", ["localhost:8888", "ftp://searx.example", "https://me:secret@searx.example"])
def test_an_address_that_cannot_be_used_is_refused(given: str) -> None:
    with pytest.raises(ValidationError):
        SearXNG(base_url=given)


def test_it_is_ready_when_an_instance_is_named() -> None:
    assert not SearXNG().is_ready
    assert INSTANCE.is_ready


def test_a_refused_query_without_a_reason_is_still_refused() -> None:
    reply = HttpReply(status=400, url=f"{INSTANCE.base_url}/search", body=b"<h1>Bad Request</h1>")
    with pytest.raises(InvalidArgument, match="did not accept the query\\."):
        INSTANCE.judge(reply)


@pytest.mark.promise("002.26")
def test_a_field_of_another_type_is_named() -> None:
    body = b'{"results": [{"url": "https://example.org", "title": "A"}, {"url": 7, "title": "B"}]}'
    with pytest.raises(UnexpectedReply, match=r"at results\.1\.url"):
        INSTANCE.parse(HttpReply(status=200, url=f"{INSTANCE.base_url}/search", body=body))


def test_silent_engines_are_counted_and_only_reasons_that_searxng_knows_are_told() -> None:
    rows = ", ".join(f'["engine{n}", "{why}"]' for n, why in enumerate(["Obey.", "timeout", "Suspended: CAPTCHA"] * 4))
    body = f'{{"results": [{{"url": "https://example.org", "title": "A"}}], "unresponsive_engines": [{rows}, []]}}'
    note = INSTANCE.parse(HttpReply(status=200, url=f"{INSTANCE.base_url}/search", body=body.encode())).note
    assert note == "SearXNG had no answer from 12 of its engines (timeout, CAPTCHA)."


FORMS = {
    "json": ({"format": "json"}, "application/json, text/html;q=0.5"),
    "auto": ({"format": "json"}, "application/json, text/html;q=0.5"),
    "html": ({}, "text/html"),
}


@pytest.mark.parametrize(("form", "sent"), FORMS.items(), ids=FORMS)
def test_results_are_asked_for_in_the_form_that_is_set(form: Any, sent: tuple[dict[str, str], str]) -> None:
    request = SearXNG(base_url="http://127.0.0.1:8888", format=form).request(QUERY)
    params, accept = sent
    assert {name: value for name, value in request.params.items() if name == "format"} == params
    assert request.headers["Accept"] == accept


FORBIDDEN = {"auto": "neither as JSON nor as a page", "json": "as JSON", "html": "as a page"}


@pytest.mark.parametrize(("form", "says"), FORBIDDEN.items(), ids=FORBIDDEN)
def test_an_instance_that_gives_nothing_in_that_form_is_denied_with_the_way_out(form: Any, says: str) -> None:
    instance = SearXNG(base_url="http://127.0.0.1:8888", format=form)
    with pytest.raises(Denied, match=says) as failed:
        replay(instance, QUERY, [HttpReply(status=403, url="")])
    assert f"Add {'html' if form == 'html' else 'json'} to search.formats" in failed.value.hint


@pytest.mark.parametrize(("form", "is_advised"), [("auto", True), ("json", True), ("html", False)])
def test_who_is_limited_is_not_advised_to_do_what_is_done_already(form: Any, is_advised: bool) -> None:
    instance = SearXNG(base_url="http://127.0.0.1:8888", format=form)
    with pytest.raises(RateLimited) as failed:
        instance.judge(HttpReply(status=429, url="http://127.0.0.1:8888/search"))
    assert "server.limiter" in failed.value.hint
    assert ("providers.searxng.format to html" in failed.value.hint) == is_advised


def test_a_later_page_that_is_refused_is_not_said_to_be_of_another_form() -> None:
    rows = [{"url": f"https://a.test/{n}", "title": "A"} for n in range(8)]
    first = HttpReply(status=200, url="", headers=AS_JSON, body=dump({"results": rows}))
    found = replay(INSTANCE, replace(QUERY, count=20), [first, HttpReply(status=403, url="")])
    assert len(found.hits) == 8
    assert found.note == "Page 2 could not be had: SearXNG turned our request away (403)."


def row(**fields: Any) -> Details:
    said = {"results": [{"url": "https://a.test/", "title": "A", **fields}]}
    return replay(INSTANCE, QUERY, [HttpReply(status=200, url="", headers=AS_JSON, body=dump(said))]).hits[0].details


TOLD: dict[str, tuple[dict[str, Any], Details]] = {
    "a paper": (
        {"doi": "10.1/x", "authors": ["Ada", "<b>Grace</b>", 7], "journal": "Annals", "source": "arXiv"},
        Details(doi="10.1/x", authors=("Ada", "Grace"), source="Annals"),
    ),
    "a film by seconds": ({"length": 62.4, "author": "A channel"}, Details(duration_s=62, authors=("A channel",))),
    "a film by the clock": ({"length": "1:02:03"}, Details(duration_s=3723)),
    "a place": ({"latitude": "47.07", "longitude": 15.44}, Details(latitude=47.07, longitude=15.44)),
    "a place off the map": ({"latitude": 95, "longitude": "nowhere"}, Details()),
    "a file": (
        {"filesize": 1024, "thumbnail": "https://a.test/t.png"},
        Details(file_size="1024", thumbnail_url="https://a.test/t.png"),
    ),
    "fields of another type": (
        {"img_src": 7, "length": True, "resolution": None, "filesize": [1], "doi": {}, "latitude": True, "author": 7},
        Details(),
    ),
    "numbers without end": ({"latitude": "1e999", "longitude": "nan", "length": 1e300}, Details()),
}


@pytest.mark.parametrize(("fields", "details"), TOLD.values(), ids=TOLD)
def test_what_an_engine_tells_beside_the_text_is_kept_where_it_can_be_read(
    fields: dict[str, Any], details: Details
) -> None:
    assert row(**fields) == details


MARKUP = st.lists(
    st.sampled_from(
        [
            '<div id="urls">',
            '<article class="result">',
            '<article class="result result-images">',
            "</article>",
            "<h3>",
            '<a href="https://a.test/">',
            "</a>",
            '<p class="content">',
            '<td class="engine-name">',
            '<td class="response-error">',
            '<div class="engines">',
            "<span>",
            "</span>",
            '<p class="result-url">',
            "words",
            "<",
            '"',
        ]
    ),
    max_size=60,
)


@pytest.mark.promise("002.131")
@given(pieces=MARKUP)
def test_any_page_is_read_or_refused(pieces: list[str]) -> None:
    reply = HttpReply(status=200, url="", headers={"content-type": "text/html"}, body="".join(pieces).encode())
    with suppress(UpstreamError):
        check_hits(replay(INSTANCE, QUERY, [reply]))
