"""Semantic Scholar: papers of every field; works without a key in a pool that all share, so it often says "later"."""

from typing import ClassVar

from pydantic import BaseModel, Field, SecretStr

from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import Category, Details, Found, Hit, Query
from gossamer.ports import Filter, Terms
from gossamer.providers.shared.api_errors import error_body, judge_keyed
from gossamer.providers.shared.hit_fields import day, first_address, hit, names, results_of
from gossamer.providers.shared.request import OptionalKey, since, truncate
from gossamer.steps.text.clean_line import plain

_MAX_CHARS = 300
_MAX_COUNT = 100
_YEARS = range(1000, 10_000)
_FIELDS = "title,url,abstract,venue,authors,externalIds,publicationDate,year"


class _Author(BaseModel):
    name: str | None = None


class _Ids(BaseModel):
    doi: str | None = Field(default=None, alias="DOI")


class _Row(BaseModel):
    id: str = Field(alias="paperId", pattern=r"^[0-9A-Za-z]{1,64}$")
    title: str | None = None
    url: str | None = None
    abstract: str | None = None
    venue: str | None = None
    authors: list[_Author] | None = None
    ids: _Ids | None = Field(default=None, alias="externalIds")
    published: str | None = Field(default=None, alias="publicationDate")
    year: int | None = None


class _Reply(BaseModel):
    total: int
    offset: int
    data: list[_Row] = []
    """Absent when nothing was found."""


class _Complaint(BaseModel):
    error: str = ""
    message: str = ""


class SemanticScholar(OptionalKey):
    """Settings under ``[providers.semantic_scholar]``."""

    name: ClassVar[str] = "semantic_scholar"
    title: ClassVar[str] = "Semantic Scholar"
    filters: ClassVar[frozenset[Filter]] = frozenset({"time_range"})
    is_general: ClassVar[bool] = False
    categories: ClassVar[frozenset[Category]] = frozenset({"science"})
    max_chars: ClassVar[int | None] = _MAX_CHARS
    terms: ClassVar[Terms] = Terms(
        limits="1 request a second with a key; without one a pool that all users share",
        privacy="the Allen Institute for AI sees the query",
        per_second=1.0,
    )

    base_url: str = "https://api.semanticscholar.org/graph/v1"
    """Address of the API."""
    api_key: SecretStr = SecretStr("")
    """A key, for a pace of your own; sent in a header, never in the address."""

    def request(self, query: Query) -> HttpRequest:
        """Ask for the fields that a result shows; a hyphen would match nothing, so words are sent without."""
        params: dict[str, str | int] = {
            "query": truncate(" ".join(query.text.replace("-", " ").split()), _MAX_CHARS),
            "offset": 0,
            "limit": min(query.count, _MAX_COUNT),
            "fields": _FIELDS,
        }
        if start := since(query):
            params["publicationDateOrYear"] = f"{start.isoformat()}:"
        headers = {"x-api-key": self.api_key.get_secret_value()} if self.is_own else {}
        return HttpRequest(url=f"{self.base_url}/paper/search", params=params, headers=headers)

    def judge(self, reply: HttpReply) -> None:
        """Statuses mean what they usually do."""
        complaint = error_body(reply, _Complaint)
        judge_keyed(self, reply, complaint.error or complaint.message if complaint else "")

    def parse(self, reply: HttpReply) -> Found:
        """Read the papers."""
        body = reply.read(_Reply)
        return results_of(self, body.data, _hit, total=body.total)


def _hit(row: _Row) -> Hit | None:
    return hit(
        SemanticScholar.name,
        first_address(row.url, f"https://www.semanticscholar.org/paper/{row.id}"),
        row.title,
        row.abstract,
        published=day(row.published) or (str(row.year) if row.year in _YEARS else None),
        details=Details(
            source=plain(row.venue or "", max_chars=100),
            authors=names([author.name or "" for author in row.authors or []]),
            doi=plain((row.ids.doi if row.ids else None) or "", max_chars=200),
        ),
    )
