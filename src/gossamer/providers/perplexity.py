"""Perplexity: its search API, ranked pages without an answer.

Needs a key, and gives at most 20 results.
"""

from typing import ClassVar

from pydantic import BaseModel

from gossamer.errors import RateLimited
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import Category, Found, Query
from gossamer.ports import Filter, Terms, retry_after
from gossamer.providers.shared.api_errors import bad_key, bad_query, error_body, used_up
from gossamer.providers.shared.hit_fields import day, hit, results_of
from gossamer.providers.shared.request import Keyed, country, json_post

_MAX_COUNT = 20


class _Row(BaseModel):
    url: str
    title: str | None = None
    snippet: str | None = None
    date: str | None = None


class _Reply(BaseModel):
    results: list[_Row]


class _Error(BaseModel):
    message: str = ""
    type: str | None = None


class _Complaint(BaseModel):
    error: _Error


class Perplexity(Keyed):
    """Settings under ``[providers.perplexity]``."""

    name: ClassVar[str] = "perplexity"
    title: ClassVar[str] = "Perplexity"
    filters: ClassVar[frozenset[Filter]] = frozenset({"site", "time_range", "region"})
    categories: ClassVar[frozenset[Category]] = frozenset({"general", "science"})
    terms: ClassVar[Terms] = Terms(
        usd_per_1000=5.0,
        limits="20 results a search; requests are limited per key",
        privacy="Perplexity sees the query",
    )

    base_url: str = "https://api.perplexity.ai"
    """Address of the API."""

    def request(self, query: Query) -> HttpRequest:
        """Ask for pages of the web, or for papers."""
        asked: dict[str, object] = {
            "query": " ".join(query.text.split()),
            "max_results": min(query.count, _MAX_COUNT),
            "search_mode": "academic" if query.category == "science" else "web",
        }
        if query.site:
            asked["search_domain_filter"] = [query.site]
        if query.time_range:
            asked["search_recency_filter"] = query.time_range
        if place := country(query):
            asked["country"] = place
        key = self.api_key.get_secret_value()
        return json_post(f"{self.base_url}/search", asked, {"Authorization": f"Bearer {key}"})

    def judge(self, reply: HttpReply) -> None:
        """Tell errors apart by their type, then by their status."""
        complaint = error_body(reply, _Complaint)
        kind = (complaint.error.type or "") if complaint else ""
        if kind == "insufficient_quota" or reply.status == 402:
            raise used_up(self)
        if kind == "invalid_api_key" or reply.status == 401:
            raise bad_key(self)
        if kind == "request_rate_limit_exceeded":
            raise RateLimited(self.title, retry_after_s=retry_after(reply))
        if reply.status in {400, 422}:
            raise bad_query(self, complaint.error.message if complaint else "")
        super().judge(reply)

    def parse(self, reply: HttpReply) -> Found:
        """Read the results; the day of the last change is not that of publication."""
        rows = reply.read(_Reply).results
        return results_of(
            self, rows, lambda row: hit(self.name, row.url, row.title, row.snippet, published=day(row.date))
        )
