"""Serper: Google's results as JSON, with pages, news, images and videos; needs a key.

A bad key is a 403 and spent credit a 400 with words of its own. Dates are human text, or ages.
"""

from collections.abc import Generator, Mapping
from datetime import date
from typing import ClassVar, NamedTuple

from pydantic import BaseModel, Field

from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import Category, Details, Found, Hit, Query
from gossamer.ports import Filter, Terms
from gossamer.providers.shared.api_errors import bad_key, error_body, used_up
from gossamer.providers.shared.hit_fields import day, hit, results_of, seconds, size
from gossamer.providers.shared.request import Keyed, country, gather, json_post, language, query_text
from gossamer.steps.text.clean_line import plain, plain_address

_PER_PAGE = 10
"""Google gives no more at a time, whatever is asked for."""
_MAX_PAGES = 5
_MAX_SUGGESTIONS = 10
_SINCE = {"day": "qdr:d", "week": "qdr:w", "month": "qdr:m", "year": "qdr:y"}


class _Kind(NamedTuple):
    """One of its searches: its path, and the list that its replies carry."""

    path: str
    listed: str


_KINDS: Mapping[Category, _Kind] = {
    "general": _Kind("search", "organic"),
    "news": _Kind("news", "news"),
    "images": _Kind("images", "images"),
    "videos": _Kind("videos", "videos"),
}


class _Row(BaseModel):
    title: str
    link: str
    snippet: str = ""
    date: str | None = None
    source: str = ""
    channel: str = ""
    duration: str | None = None
    image: str = Field(default="", alias="imageUrl")
    width: int | None = Field(default=None, alias="imageWidth")
    height: int | None = Field(default=None, alias="imageHeight")
    thumbnail: str = Field(default="", alias="thumbnailUrl")


class _Asked(BaseModel):
    q: str


class _Related(BaseModel):
    query: str = ""


class _Reply(BaseModel):
    asked: _Asked = Field(alias="searchParameters")
    organic: list[_Row] = []
    news: list[_Row] = []
    images: list[_Row] = []
    videos: list[_Row] = []
    related: list[_Related] = Field(default=[], alias="relatedSearches")


class _Complaint(BaseModel):
    message: str
    status: int = Field(alias="statusCode")


class Serper(Keyed):
    """Settings under ``[providers.serper]``."""

    name: ClassVar[str] = "serper"
    title: ClassVar[str] = "Serper"
    filters: ClassVar[frozenset[Filter]] = frozenset({"site", "time_range", "region", "language"})
    categories: ClassVar[frozenset[Category]] = frozenset(_KINDS)
    index: ClassVar[str] = "google"
    terms: ClassVar[Terms] = Terms(
        usd_per_1000=1.0,
        limits="2,500 searches for nothing, once; 50 a second and more with paid credit; ten results a search",
        privacy="Serper sees the query and asks Google",
        per_second=50.0,
    )

    base_url: str = "https://google.serper.dev"
    """Address of the API."""

    def judge(self, reply: HttpReply) -> None:
        """Tell a spent account, which may come as 400, from a bad query."""
        complaint = error_body(reply, _Complaint)
        if complaint and "credit" in complaint.message.lower():
            raise used_up(self)
        if complaint and reply.status == 403:
            raise bad_key(self)
        super().judge(reply)

    def steps(self, query: Query) -> Generator[HttpRequest, HttpReply, Found]:
        """Ask for ten at a time, while they come full."""
        kind = _KINDS.get(query.category, _KINDS["general"])
        return (
            yield from gather(
                lambda page: self._ask(query, kind, page),
                lambda reply: self._read(reply, kind, query.day),
                count=query.count,
                max_pages=min(-(-query.count // _PER_PAGE), _MAX_PAGES),
            )
        )

    def _ask(self, query: Query, kind: _Kind, page: int) -> HttpRequest:
        asked: dict[str, str | int] = {"q": query_text(query), "num": min(query.count, _PER_PAGE), "page": page + 1}
        if place := country(query):
            asked["gl"] = place.lower()
        if spoken := language(query):
            asked["hl"] = f"zh-{'tw' if place in {'TW', 'HK', 'MO'} else 'cn'}" if spoken == "zh" else spoken
        if query.time_range:
            asked["tbs"] = _SINCE[query.time_range]
        return json_post(f"{self.base_url}/{kind.path}", asked, {"X-API-KEY": self.api_key.get_secret_value()})

    def _read(self, reply: HttpReply, kind: _Kind, today: date | None) -> tuple[Found, bool]:
        body = reply.read(_Reply)
        rows: list[_Row] = getattr(body, kind.listed)
        suggestions = [related.query for related in body.related[:_MAX_SUGGESTIONS]]
        results = results_of(self, rows, lambda row: _hit(row, kind, today), suggestions=suggestions)
        return results, len(rows) >= _PER_PAGE


def _hit(row: _Row, kind: _Kind, today: date | None) -> Hit | None:
    details = Details() if kind.listed == "organic" else _details(row, kind)
    return hit(Serper.name, row.link, row.title, row.snippet, published=day(row.date, today), details=details)


def _details(row: _Row, kind: _Kind) -> Details:
    is_image = kind.listed == "images"
    return Details(
        image_url=plain_address(row.image) if is_image else "",
        thumbnail_url=plain_address(row.thumbnail or ("" if is_image else row.image)),
        resolution=size(row.width, row.height),
        duration_s=seconds(row.duration),
        source=plain(row.channel or row.source, max_chars=100),
    )
