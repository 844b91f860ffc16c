"""Brave Search: an independent index of the whole web, with pages, news, images and videos.

A bad key is a 422, a per-second limit and a used-up month are both a 429, and `web` is absent when nothing was found.
Pages are counted, not items, and images come all at once.
"""

from collections.abc import Generator, Mapping
from dataclasses import replace
from datetime import date
from typing import ClassVar, Literal, NamedTuple

from pydantic import BaseModel

from gossamer.errors import RateLimited
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import Category, Details, Found, Hit, Query
from gossamer.ports import Filter, Terms, retry_after
from gossamer.providers.shared.api_errors import bad_key, bad_query, error_body, used_up
from gossamer.providers.shared.hit_fields import day, hit, number, results_of, seconds, size
from gossamer.providers.shared.request import Keyed, country, gather, language, query_text
from gossamer.steps.text.clean_line import plain, plain_address

_MAX_CHARS = 400
_MAX_WORDS = 50
_MAX_PAGES = 10
_LONGEST_WAIT_S = 60.0
"""The window that a pace is counted in is a second; more than this is no pace."""


class _Kind(NamedTuple):
    """One of its searches."""

    path: str
    max_count: int
    type: str
    """What its replies call themselves."""


_KINDS: Mapping[Category, _Kind] = {
    "general": _Kind("web/search", 20, "search"),
    "news": _Kind("news/search", 50, "news"),
    "videos": _Kind("videos/search", 50, "videos"),
    "images": _Kind("images/search", 200, "images"),
}
_FRESHNESS = {"day": "pd", "week": "pw", "month": "pm", "year": "py"}
_SAFE = ("off", "moderate", "strict")
_COUNTRIES = frozenset(
    {
        *("AR", "AU", "AT", "BE", "BR", "CA", "CL", "DK", "FI", "FR", "DE", "HK", "IN", "ID", "IT", "JP", "KR", "MY"),
        *("MX", "NL", "NZ", "NO", "CN", "PL", "PT", "PH", "RU", "SA", "ZA", "ES", "SE", "CH", "TW", "TR", "GB", "US"),
    }
)
_LANGUAGES = frozenset(
    {
        *("ar", "eu", "bn", "bg", "ca", "hr", "cs", "da", "nl", "en", "et", "fi", "fr", "gl", "de", "gu", "he", "hi"),
        *("hu", "is", "it", "kn", "ko", "lv", "lt", "ms", "ml", "mr", "nb", "pl", "pa", "ro", "ru", "sr", "sk", "sl"),
        *("es", "sv", "ta", "te", "th", "tr", "uk", "vi", "jp"),
    }
)
_OTHER_NAMES = {"ja": "jp", "no": "nb", "nn": "nb", "iw": "he"}


class _Address(BaseModel):
    hostname: str | None = None


class _Thumbnail(BaseModel):
    src: str | None = None


class _Picture(BaseModel):
    url: str
    width: int | None = None
    height: int | None = None


class _Video(BaseModel):
    duration: str | None = None
    creator: str | None = None
    publisher: str | None = None


class _Row(BaseModel):
    url: str
    title: str
    description: str | None = None
    age: str | None = None
    page_age: str | None = None
    source: str | None = None
    meta_url: _Address | None = None
    thumbnail: _Thumbnail | None = None
    properties: _Picture | None = None
    video: _Video | None = None


class _Asked(BaseModel):
    altered: str | None = None
    more_results_available: bool | None = None


class _Web(BaseModel):
    results: list[_Row]


class _Reply(BaseModel):
    type: Literal["search", "news", "images", "videos"]
    query: _Asked | None = None
    web: _Web | None = None
    results: list[_Row] | None = None


class _Fault(BaseModel):
    loc: list[str | int] = []
    msg: str = ""


class _Meta(BaseModel):
    errors: list[_Fault] = []


class _Error(BaseModel):
    code: str
    detail: str = ""
    meta: _Meta | None = None


class _Complaint(BaseModel):
    type: Literal["ErrorResponse"]
    error: _Error


class Brave(Keyed):
    """Settings under ``[providers.brave]``."""

    name: ClassVar[str] = "brave"
    title: ClassVar[str] = "Brave Search"
    filters: ClassVar[frozenset[Filter]] = frozenset({"site", "time_range", "region", "language", "safe_search"})
    categories: ClassVar[frozenset[Category]] = frozenset(_KINDS)
    max_chars: ClassVar[int | None] = _MAX_CHARS
    max_words: ClassVar[int | None] = _MAX_WORDS
    terms: ClassVar[Terms] = Terms(
        usd_per_1000=5.0,
        limits="50 requests a second and $5 of credit a month; older free keys 1 a second and 2,000 a month",
        privacy="Brave sees the query; results may be stored no longer than they are in use",
        per_second=1.0,
        keep_s=0.0,
    )

    base_url: str = "https://api.search.brave.com/res/v1"
    """Address of the API."""

    def judge(self, reply: HttpReply) -> None:
        """Tell errors apart by their code: 422 is a bad key as well as a bad parameter, 429 a pace or a month.

        After a 429 the circuit breaker (`resilience/breaker.py`) leaves Brave alone for the time that it named, or for
        an hour where the month's quota is spent, and failover asks the next provider. The request is retried only where
        the `RetryPolicy` of the tool says so, by `when_limited`.
        """
        complaint = error_body(reply, _Complaint)
        match complaint.error.code if complaint else "":
            case "SUBSCRIPTION_TOKEN_INVALID":
                raise bad_key(self)
            case "QUOTA_LIMITED":
                raise used_up(self)
            case "RATE_LIMITED":
                raise RateLimited(self.title, retry_after_s=_wait_s(reply))
            case "VALIDATION" if complaint:
                faults = complaint.error.meta.errors if complaint.error.meta else []
                if any("x-subscription-token" in fault.loc for fault in faults):
                    raise bad_key(self)
                raise bad_query(self, "; ".join(_told(fault) for fault in faults[:3]) or complaint.error.detail)
            case _:
                super().judge(reply)

    def steps(self, query: Query) -> Generator[HttpRequest, HttpReply, Found]:
        """Ask for further pages while Brave says that there are more."""
        kind = _KINDS.get(query.category, _KINDS["general"])
        results = yield from gather(
            lambda page: self._ask(query, kind, page),
            lambda reply: self._read(reply, kind, query.day),
            count=query.count,
            max_pages=min(-(-query.count // kind.max_count), _MAX_PAGES),
        )
        if kind.type == "images" and query.time_range:
            return replace(results, note=f"{results.note} {self.title} cannot filter images by time.".strip())
        return results

    def _ask(self, query: Query, kind: _Kind, page: int) -> HttpRequest:
        safe = _SAFE[query.safe_search]
        params: dict[str, str | int] = {
            "q": query_text(query, max_chars=_MAX_CHARS, max_words=_MAX_WORDS),
            "count": min(query.count, kind.max_count),
            "safesearch": "strict" if kind.type == "images" and safe == "moderate" else safe,
        }
        if (place := country(query)) in _COUNTRIES:
            params["country"] = place
        if spoken := _language(query):
            params["search_lang"] = spoken
        if query.time_range and kind.type != "images":
            params["freshness"] = _FRESHNESS[query.time_range]
        if kind.type == "search":
            params |= {"text_decorations": "false", "result_filter": "web,query"}
        if page:
            params["offset"] = page
        return HttpRequest(
            url=f"{self.base_url}/{kind.path}",
            params=params,
            headers={"Accept": "application/json", "X-Subscription-Token": self.api_key.get_secret_value()},
        )

    def _read(self, reply: HttpReply, kind: _Kind, today: date | None) -> tuple[Found, bool]:
        body = reply.read(_Reply)
        rows = (body.web.results if body.web else []) if body.type == "search" else body.results or []
        asked = body.query or _Asked()
        is_full = len(rows) >= kind.max_count
        results = results_of(self, rows, lambda row: _hit(row, body.type, today), suggestions=[asked.altered or ""])
        return results, is_full if asked.more_results_available is None else asked.more_results_available


def _language(query: Query) -> str:
    """The language as Brave spells it: `jp` for Japanese, and two kinds each of Chinese and Portuguese."""
    code, place = language(query), country(query)
    if code == "zh":
        is_traditional = place in {"TW", "HK", "MO"} or "hant" in query.language.lower()
        return "zh-hant" if is_traditional else "zh-hans"
    if code == "pt":
        return "pt-pt" if place == "PT" else "pt-br"
    if code == "en" and place == "GB":
        return "en-gb"
    code = _OTHER_NAMES.get(code, code)
    return code if code in _LANGUAGES else ""


def _hit(row: _Row, type_: str, today: date | None) -> Hit | None:
    details = Details() if type_ == "search" else _details(row)
    published = day(row.page_age) or day(row.age, today)
    return hit(Brave.name, row.url, row.title, row.description, published=published, details=details)


def _details(row: _Row) -> Details:
    picture, video = row.properties, row.video or _Video()
    source = row.source or video.creator or video.publisher or (row.meta_url.hostname if row.meta_url else "")
    return Details(
        image_url=plain_address(picture.url) if picture else "",
        thumbnail_url=plain_address(row.thumbnail.src or "") if row.thumbnail else "",
        resolution=size(picture.width, picture.height) if picture else "",
        duration_s=seconds(video.duration),
        source=plain(source or "", max_chars=100),
    )


def _wait_s(reply: HttpReply) -> float | None:
    """Brave sends no Retry-After: the first window of its reset header is that of the second."""
    if (named := retry_after(reply)) is not None:
        return named
    reset = number(reply.headers.get("x-ratelimit-reset", "").partition(",")[0].strip())
    return None if reset is None else min(float(reset), _LONGEST_WAIT_S)


def _told(fault: _Fault) -> str:
    where = fault.loc[-1] if fault.loc else "parameter"
    return f"{where}: {fault.msg}"
