from collections.abc import Generator
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs

import pytest

from gossamer.errors import Captcha
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import Found, Query
from gossamer.providers.duckduckgo import DuckDuckGo
from tests.patience import in_proportion

DUCK = DuckDuckGo()
QUERY = Query(text="vacuum full")


def sent(**asked: Any) -> dict[str, list[str]]:
    return fields(next(DUCK.steps(replace(QUERY, **asked))))


def fields(request: HttpRequest) -> dict[str, list[str]]:
    return parse_qs((request.body or b"").decode(), keep_blank_values=True)


def page(inner: str) -> HttpReply:
    return HttpReply(status=200, url="", body=f'<div id="links">{inner}</div>'.encode())


def result(url: str) -> str:
    return f'<div class="result web-result"><h2><a href="{url}">A title</a></h2></div>'


def found(reply: HttpReply) -> Found:
    steps = DUCK.steps(replace(QUERY, count=1))
    next(steps)
    with pytest.raises(StopIteration) as end:
        steps.send(reply)
    return end.value.value


def test_a_plain_query_is_a_form_like_that_of_the_page() -> None:
    request = next(DUCK.steps(QUERY))
    assert (request.method, request.url) == ("POST", "https://html.duckduckgo.com/html/")
    assert request.headers["Content-Type"] == "application/x-www-form-urlencoded"
    assert request.headers["Referer"] == "https://html.duckduckgo.com/html/"
    assert fields(request) == {"q": ["vacuum full"], "b": [""], "kl": ["wt-wt"]}


def test_every_filter_reaches_the_page() -> None:
    form = sent(site="postgresql.org", time_range="month", region="AT", language="de")
    assert form["q"] == ["vacuum full site:postgresql.org"]
    assert form["df"] == ["m"]
    assert form["kl"] == ["at-de"]


REGIONS = {
    "English is everywhere": ("en", None, "wt-wt"),
    "a language at home": ("de", None, "de-de"),
    "a language inside another country": ("en", "DE", "de-de"),
    "the one of two that fits": ("fr", "CA", "ca-fr"),
    "the first of two when none fits": ("de", "CA", "ca-en"),
    "Britain has its own code": ("en", "GB", "uk-en"),
    "so has Slovenia": ("sl", "SI", "sl-sl"),
    "Japanese": ("ja", None, "jp-jp"),
    "a country inside the language": ("pt-BR", None, "br-pt"),
    "a country it does not know": ("en", "ZZ", "wt-wt"),
    "any language": ("all", None, "wt-wt"),
}


@pytest.mark.parametrize(("language", "region", "expected"), REGIONS.values(), ids=REGIONS)
def test_languages_and_countries_become_regions(language: str, region: str | None, expected: str) -> None:
    assert sent(language=language, region=region)["kl"] == [expected]


def test_a_long_query_ends_at_a_word_and_keeps_its_site() -> None:
    text = sent(text="word " * 200, site="a.example")["q"][0]
    assert len(text) <= 499
    assert text.endswith("word site:a.example")


def test_half_a_sign_in_a_query_is_sent_as_a_question_mark() -> None:
    assert sent(text="a \ud83d b")["q"] == ["a ? b"]


def turned(steps: Generator[HttpRequest, HttpReply, Found], inner: str) -> dict[str, list[str]]:
    return fields(steps.send(page(inner)))


def hidden(**values: str) -> str:
    return "<form>" + "".join(f'<input type="hidden" name="{n}" value="{v}">' for n, v in values.items()) + "</form>"


def test_the_next_page_is_asked_for_with_the_hidden_fields_of_this_one() -> None:
    steps = DUCK.steps(replace(QUERY, count=50, time_range="day"))
    next(steps)
    leads_on = hidden(
        q="something else", s="10", dc="11", v="l", o="json", api="d.js", vqd="4-12", nextParams="", x="y"
    )
    assert turned(steps, result("https://a.example/") + leads_on) == {
        "q": ["vacuum full"],
        "s": ["10"],
        "dc": ["11"],
        "v": ["l"],
        "o": ["json"],
        "api": ["d.js"],
        "vqd": ["4-12"],
        "nextParams": [""],
        "kl": ["wt-wt"],
        "df": ["d"],
    }
    leads_back, leads_on = hidden(s="0", vqd="4-12"), hidden(s="25", vqd="4-13")
    assert turned(steps, result("https://b.example/") + leads_back + leads_on)["s"] == ["25"]


NO_NEXT_PAGE = {
    "there is no form": "",
    "the form leads back": hidden(s="0", vqd="4-1"),
    "the token is missing": hidden(s="10"),
    "the number is none": hidden(s="ten", vqd="4-1"),
    "the form is not closed": '<form><input name="s" value="10"><input name="vqd" value="4-1">',
}


@pytest.mark.parametrize("form", NO_NEXT_PAGE.values(), ids=NO_NEXT_PAGE)
def test_a_page_that_leads_nowhere_is_the_last(form: str) -> None:
    steps = DUCK.steps(replace(QUERY, count=50))
    next(steps)
    with pytest.raises(StopIteration) as end:
        steps.send(page(result("https://a.example/") + form))
    assert [hit.url for hit in end.value.value.hits] == ["https://a.example/"]


LINKS = {
    "an ordinary one": ("https://a.example/x", "https://a.example/x"),
    "counted": ("//duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example%2F&amp;rut=1", "https://a.example/"),
    "counted in full": ("https://duckduckgo.com/l/?uddg=http%3A%2F%2Fa.example%2F", "http://a.example/"),
    "counted, to a script": ("//duckduckgo.com/l/?uddg=javascript%3Aalert(1)", None),
    "an advert": ("https://duckduckgo.com/y.js?ad_domain=a.example", None),
    "a look-alike": ("https://notduckduckgo.com/l/?uddg=x", "https://notduckduckgo.com/l/?uddg=x"),
    "no address": ("/html/?q=more", None),
    "broken": ("http://[::1/", None),
    "too many fields": ("//duckduckgo.com/l/?" + "a=1&amp;" * 30, None),
}


@pytest.mark.parametrize(("href", "expected"), LINKS.values(), ids=LINKS)
def test_a_link_is_read_as_where_it_leads(href: str, expected: str | None) -> None:
    assert [hit.url for hit in found(page(result(href))).hits] == ([expected] if expected else [])


def test_a_link_that_is_not_closed_has_no_text() -> None:
    hits = found(page('<div class="result web-result"><h2><a href="https://a.example/">never closed')).hits
    assert [hit.title for hit in hits] == ["https://a.example/"]


@pytest.mark.parametrize("sign", ["anomaly.js", '<form id="challenge-form">', '<div class="anomaly-modal__title">'])
def test_a_challenge_is_told_by_its_signs_and_how_long_it_lasts(sign: str) -> None:
    with pytest.raises(Captcha) as caught:
        DUCK.judge(page(sign))
    assert caught.value.retry_after_s == 3600


def test_a_result_about_challenges_is_no_challenge() -> None:
    reply = page(result("https://a.example/").replace("A title", "What anomaly.js does"))
    DUCK.judge(reply)
    assert [hit.title for hit in found(reply).hits] == ["What anomaly.js does"]


HOSTILE = {
    "tags without end": "<a" * 400_000,
    "one box of links": '<div class="result web-result">' + "<a href=x>" * 100_000,
    "headings": '<div class="result web-result">' + "<h2><a>" * 100_000,
    "a long attribute": "<a " + "x" * 900_000 + ">",
    "many attributes": "<a " + 'x="" ' * 150_000 + ">",
    "quotes": '<a x="' * 150_000,
    "boxes": '<div class="result web-result">' * 30_000,
    "forms": "<form>" * 100_000,
}


@pytest.mark.large
@pytest.mark.parametrize("inner", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_page_is_read_in_time(inner: str) -> None:
    with in_proportion():
        assert not found(page(inner)).hits
