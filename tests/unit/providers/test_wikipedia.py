from dataclasses import replace

import pytest

from gossamer.errors import BrokenReply, Denied, GossamerError, InvalidArgument, RateLimited, Unreachable
from gossamer.model.http import HttpReply
from gossamer.model.search import Query
from gossamer.providers.wikipedia import Wikipedia

WIKI = Wikipedia()
QUERY = Query(text="tokio rust")


def test_a_query_asks_for_titles_and_snippets() -> None:
    request = WIKI.request(replace(QUERY, count=5))
    assert request.url == "https://en.wikipedia.org/w/api.php"
    assert dict(request.params) == {
        "action": "query",
        "list": "search",
        "format": "json",
        "formatversion": 2,
        "srsearch": "tokio rust",
        "srlimit": 5,
        "srprop": "snippet",
        "srinfo": "totalhits|suggestion",
    }


LANGUAGES = {
    "a plain code": ("ja", "ja"),
    "with a region": ("de-AT", "de"),
    "with a script": ("zh_Hant_TW", "zh"),
    "upper case": ("FR", "fr"),
    "under another name": ("nb", "no"),
    "any language": ("all", "en"),
    "nothing": ("", "en"),
    "an attempt to leave": ("evil.example/", "en"),
}


@pytest.mark.parametrize(("language", "code"), LANGUAGES.values(), ids=LANGUAGES)
def test_the_language_chooses_the_wiki(language: str, code: str) -> None:
    assert WIKI.request(replace(QUERY, language=language)).url == f"https://{code}.wikipedia.org/w/api.php"


def test_another_wiki_can_be_named() -> None:
    assert Wikipedia(base_url="http://127.0.0.1:8080/").request(QUERY).url == "http://127.0.0.1:8080/w/api.php"


LONG = {
    "ends with a whole word": ("word " * 80, ("word " * 60).strip()),
    "one endless word is cut": ("x" * 400, "x" * 300),
    "just short enough": ("y" * 300, "y" * 300),
}


@pytest.mark.parametrize(("text", "kept"), LONG.values(), ids=LONG)
def test_a_long_query_is_cut_to_what_the_search_accepts(text: str, kept: str) -> None:
    assert str(WIKI.request(Query(text=text)).params["srsearch"]).strip() == kept


ERRORS = {
    "ratelimited": RateLimited,
    "maxlag": RateLimited,
    "readapidenied": Denied,
    "blocked": Denied,
    "missingparam": InvalidArgument,
    "toolong": InvalidArgument,
    "readonly": Unreachable,
    "internal_api_error_DBQueryError": Unreachable,
    "something-new": BrokenReply,
}


@pytest.mark.parametrize(("code", "error"), ERRORS.items(), ids=ERRORS)
def test_an_error_object_with_status_200_is_raised_as_what_it_says(code: str, error: type[GossamerError]) -> None:
    body = f'{{"error": {{"code": "{code}", "info": "<b>Oops</b>"}}}}'
    with pytest.raises(error) as caught:
        WIKI.judge(HttpReply(status=200, url="https://en.wikipedia.org/w/api.php", body=body.encode()))
    assert "<b>" not in str(caught.value)
    assert caught.value.hint


def test_a_rate_limit_with_status_200_keeps_its_wait() -> None:
    reply = HttpReply(
        status=200,
        url="https://en.wikipedia.org/w/api.php",
        headers={"retry-after": "5"},
        body=b'{"error": {"code": "ratelimited"}}',
    )
    with pytest.raises(RateLimited) as caught:
        WIKI.judge(reply)
    assert caught.value.retry_after_s == 5


def test_a_page_without_a_title_is_left_out() -> None:
    body = b'{"query": {"search": [{"title": " "}, {"title": "A"}]}}'
    found = WIKI.parse(HttpReply(status=200, url="https://en.wikipedia.org/w/api.php", body=body))
    assert [hit.url for hit in found.hits] == ["https://en.wikipedia.org/wiki/A"]
