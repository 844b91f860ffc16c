"""Hacker News: stories and what people said of them, through Algolia's search; no key."""

from typing import ClassVar

from pydantic import BaseModel, Field

from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import Category, Details, Found, Hit, Query
from gossamer.ports import Filter, Provider, Terms
from gossamer.providers.shared.hit_fields import counted, day, day_of, first_address, hit, names, results_of
from gossamer.providers.shared.request import since, truncate, unix

_MAX_CHARS = 500
_DISCUSSION = "https://news.ycombinator.com/item?id="


class _Row(BaseModel):
    id: str = Field(alias="objectID", pattern=r"^[0-9]{1,20}$")
    title: str | None = None
    url: str | None = None
    author: str | None = None
    points: int | None = None
    num_comments: int | None = None
    created_at: str | None = None
    created_at_i: int | None = None
    story_text: str | None = None


class _Reply(BaseModel):
    hits: list[_Row]
    total: int = Field(alias="nbHits")


class HackerNews(Provider):
    """Settings under ``[providers.hackernews]``."""

    name: ClassVar[str] = "hackernews"
    title: ClassVar[str] = "Hacker News"
    filters: ClassVar[frozenset[Filter]] = frozenset({"time_range"})
    is_general: ClassVar[bool] = False
    categories: ClassVar[frozenset[Category]] = frozenset({"it"})
    max_chars: ClassVar[int | None] = _MAX_CHARS
    terms: ClassVar[Terms] = Terms(limits="none published", privacy="Algolia, which runs the search, sees the query")

    base_url: str = "https://hn.algolia.com/api/v1"
    """Address of the API."""

    def request(self, query: Query) -> HttpRequest:
        """Ask for stories, the most relevant first; comments without their story say little."""
        params: dict[str, str | int] = {
            "query": truncate(" ".join(query.text.split()), _MAX_CHARS),
            "tags": "story",
            "hitsPerPage": query.count,
            "page": 0,
        }
        if start := since(query):
            params["numericFilters"] = f"created_at_i>={unix(start)}"
        return HttpRequest(url=f"{self.base_url}/search", params=params)

    def parse(self, reply: HttpReply) -> Found:
        """Read the stories; one without an address of its own is its discussion."""
        body = reply.read(_Reply)
        return results_of(self, body.hits, _hit, total=body.total)


def _hit(row: _Row) -> Hit | None:
    discussion = f"{_DISCUSSION}{row.id}"
    address = first_address(row.url, discussion)
    standing = f"{counted(row.points, 'point')}, {counted(row.num_comments, 'comment')}"
    if address != discussion:
        standing = f"{standing}: {discussion}"
    return hit(
        HackerNews.name,
        address,
        row.title,
        f"{standing}. {row.story_text}" if row.story_text else standing,
        published=day(row.created_at) or day_of(row.created_at_i),
        details=Details(source=HackerNews.title, authors=names([row.author] if row.author else [])),
    )
