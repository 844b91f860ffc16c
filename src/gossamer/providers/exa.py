"""Exa: a search by meaning over an index of its own, for pages, news and papers.

Needs a key. Its errors carry a tag, except some of those about pace; no text comes unless it is asked for.
"""

from collections.abc import Mapping
from typing import ClassVar

from pydantic import BaseModel, Field

from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import Category, Details, Found, Hit, Query
from gossamer.ports import Filter, Terms
from gossamer.providers.shared.api_errors import bad_key, bad_query, error_body, used_up
from gossamer.providers.shared.hit_fields import day, hit, names, results_of
from gossamer.providers.shared.request import Keyed, country, json_post, since

_MAX_COUNT = 100
_KINDS: Mapping[Category, str] = {"general": "", "news": "news", "science": "research paper"}


class _Row(BaseModel):
    url: str
    title: str | None = None
    author: str | None = None
    published: str | None = Field(default=None, alias="publishedDate")
    highlights: list[str] | None = None


class _Reply(BaseModel):
    results: list[_Row]


class _Complaint(BaseModel):
    error: str
    tag: str | None = None


class Exa(Keyed):
    """Settings under ``[providers.exa]``."""

    name: ClassVar[str] = "exa"
    title: ClassVar[str] = "Exa"
    filters: ClassVar[frozenset[Filter]] = frozenset({"site", "time_range", "region", "safe_search"})
    categories: ClassVar[frozenset[Category]] = frozenset(_KINDS)
    terms: ClassVar[Terms] = Terms(
        usd_per_1000=7.0, limits="10 searches a second", privacy="Exa sees the query", per_second=10.0
    )

    base_url: str = "https://api.exa.ai"
    """Address of the API."""

    def request(self, query: Query) -> HttpRequest:
        """Ask for highlights, which become the snippets; its moderation is on or off."""
        asked: dict[str, object] = {
            "query": " ".join(query.text.split()),
            "type": "auto",
            "numResults": min(query.count, _MAX_COUNT),
            "moderation": query.safe_search > 0,
            "contents": {"highlights": True},
        }
        if kind := _KINDS.get(query.category):
            asked["category"] = kind
        if query.site:
            asked["includeDomains"] = [query.site]
        if start := since(query):
            asked["startPublishedDate"] = f"{start.isoformat()}T00:00:00.000Z"
        if place := country(query):
            asked["userLocation"] = place
        return json_post(f"{self.base_url}/search", asked, {"x-api-key": self.api_key.get_secret_value()})

    def judge(self, reply: HttpReply) -> None:
        """Tell errors apart by their tag, then by their status."""
        complaint = error_body(reply, _Complaint)
        tag = (complaint.tag or "") if complaint else ""
        if tag == "INVALID_API_KEY" or reply.status == 401:
            raise bad_key(self)
        if tag == "NO_MORE_CREDITS" or reply.status == 402:
            raise used_up(self)
        if reply.status in {400, 422}:
            raise bad_query(self, complaint.error if complaint else "")
        super().judge(reply)

    def parse(self, reply: HttpReply) -> Found:
        """Read the results in their order; scores are not comparable between searches, so none is passed on."""
        return results_of(self, reply.read(_Reply).results, _hit)


def _hit(row: _Row) -> Hit | None:
    return hit(
        Exa.name,
        row.url,
        row.title,
        " … ".join(row.highlights or []),
        published=day(row.published),
        details=Details(authors=names([row.author] if row.author else [])),
    )
