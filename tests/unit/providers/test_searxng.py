from dataclasses import replace
from typing import Any

import pytest
from pydantic import ValidationError

from gossamer.errors import InvalidArgument, UnexpectedReply
from gossamer.model.http import HttpReply
from gossamer.model.search import Query
from gossamer.providers.searxng import SearXNG

INSTANCE = SearXNG(base_url="http://127.0.0.1:8888")
QUERY = Query(text="vacuum full")


def sent(**asked: Any) -> dict[str, str | int]:
    return dict(INSTANCE.request(replace(QUERY, **asked)).params)


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


def test_a_field_of_another_type_is_named() -> None:
    body = b'{"results": [{"url": "https://example.org", "title": "A"}, {"url": 7, "title": "B"}]}'
    with pytest.raises(UnexpectedReply, match=r"at results\.1\.url"):
        INSTANCE.parse(HttpReply(status=200, url=f"{INSTANCE.base_url}/search", body=body))


def test_many_silent_engines_are_named_up_to_a_bound() -> None:
    rows = ", ".join(f'["engine{n}"]' for n in range(12))
    body = f'{{"results": [{{"url": "https://example.org", "title": "A"}}], "unresponsive_engines": [{rows}, []]}}'
    note = INSTANCE.parse(HttpReply(status=200, url=f"{INSTANCE.base_url}/search", body=body.encode())).note
    assert note.startswith("SearXNG had no answer from engine0, engine1,")
    assert note.endswith("engine9, ….")
