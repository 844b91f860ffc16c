"""Firecrawl: web, news and image search; answers without a key too, within a limit per address.

Its results are keyed by source, and a list that is empty may be left out.
"""

from collections.abc import Generator, Mapping
from datetime import date
from typing import ClassVar, Literal, cast

from pydantic import BaseModel, Field, SecretStr, model_validator

from gossamer.errors import BrokenReply
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import Category, Details, Found, Hit, Query
from gossamer.ports import Filter, Terms
from gossamer.providers.shared.api_errors import error_body, judge_keyed
from gossamer.providers.shared.hit_fields import day, hit, results_of, size
from gossamer.providers.shared.request import OptionalKey, country, json_post, truncate
from gossamer.steps.text.clean_line import plain_address

_MAX_CHARS = 500
_MAX_COUNT = 100
_SOURCES: Mapping[Category, str] = {"general": "web", "news": "news", "images": "images"}
_SPANS = {"day": "qdr:d", "week": "qdr:w", "month": "qdr:m", "year": "qdr:y"}


class _Page(BaseModel):
    url: str
    title: str | None = None
    description: str | None = None


class _Story(BaseModel):
    url: str
    title: str | None = None
    snippet: str | None = None
    date: str | None = None
    image: str | None = Field(default=None, alias="imageUrl")


class _Picture(BaseModel):
    url: str
    title: str | None = None
    image: str = Field(alias="imageUrl")
    width: int | None = Field(default=None, alias="imageWidth")
    height: int | None = Field(default=None, alias="imageHeight")


class _Data(BaseModel):
    web: list[_Page] = []
    news: list[_Story] = []
    images: list[_Picture] = []

    @model_validator(mode="before")
    @classmethod
    def _holds_a_source(cls, value: object) -> object:
        if isinstance(value, dict) and value and not cls.model_fields.keys() & set(cast("dict[str, object]", value)):
            raise ValueError("none of web, news, images")
        return cast("object", value)


class _Reply(BaseModel):
    success: Literal[True]
    data: _Data


class _Complaint(BaseModel):
    success: Literal[False]
    error: str = ""


class Firecrawl(OptionalKey):
    """Settings under ``[providers.firecrawl]``."""

    name: ClassVar[str] = "firecrawl"
    title: ClassVar[str] = "Firecrawl"
    filters: ClassVar[frozenset[Filter]] = frozenset({"site", "time_range", "region"})
    categories: ClassVar[frozenset[Category]] = frozenset(_SOURCES)
    max_chars: ClassVar[int | None] = _MAX_CHARS
    terms: ClassVar[Terms] = Terms(
        usd_per_1000=10.7,
        limits="2 credits for 10 results; without a key a limit per address, not published",
        privacy="Firecrawl sees the query, and without a key the address it comes from",
    )

    base_url: str = "https://api.firecrawl.dev/v2"
    """Address of the API."""
    api_key: SecretStr = SecretStr("")
    """The key of your account; empty: asked without one, within smaller limits."""

    def request(self, query: Query) -> HttpRequest:
        """Ask one source and have no page scraped: pages are ours to fetch."""
        asked: dict[str, object] = {
            "query": truncate(" ".join(query.text.split()), _MAX_CHARS),
            "limit": min(query.count, _MAX_COUNT),
            "sources": [{"type": _SOURCES.get(query.category, "web")}],
        }
        if query.time_range:
            asked["tbs"] = _SPANS[query.time_range]
        if place := country(query):
            asked["country"] = place
        if query.site:
            asked["includeDomains"] = [query.site]
        key = self.api_key.get_secret_value()
        return json_post(f"{self.base_url}/search", asked, {"Authorization": f"Bearer {key}"} if key else {})

    def judge(self, reply: HttpReply) -> None:
        """Its error object says little more than the status, except where the status says that all is well."""
        complaint = error_body(reply, _Complaint)
        judge_keyed(self, reply, complaint.error if complaint else "", spent={402})
        if complaint:
            error = BrokenReply(f"{self.title} could not search.", hint="Try again, or use another provider.")
            raise error.quoting(complaint.error)

    def steps(self, query: Query) -> Generator[HttpRequest, HttpReply, Found]:
        """Read whatever source answered: only one was asked. News tell their age, which counts from today."""
        reply = yield self.request(query)
        data = reply.read(_Reply).data
        stories = [_story(row, query.day) for row in data.news]
        return results_of(self, [*map(_page, data.web), *stories, *map(_picture, data.images)], lambda result: result)


def _page(row: _Page) -> Hit | None:
    return hit(Firecrawl.name, row.url, row.title, row.description)


def _story(row: _Story, today: date | None) -> Hit | None:
    details = Details(thumbnail_url=plain_address(row.image or ""))
    return hit(Firecrawl.name, row.url, row.title, row.snippet, published=day(row.date, today), details=details)


def _picture(row: _Picture) -> Hit | None:
    details = Details(image_url=plain_address(row.image), resolution=size(row.width, row.height))
    return hit(Firecrawl.name, row.url, row.title, details=details)
