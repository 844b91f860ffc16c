"""OpenAlex: an open index of scholarly works; a few searches a day without a key, many more with a free one.

Its abstracts come as the places of their words, its DOIs as addresses, and its key goes into the address.
"""

from typing import ClassVar

from pydantic import BaseModel, SecretStr

from gossamer.errors import RateLimited
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import Category, Details, Found, Hit, Query
from gossamer.ports import Filter, Terms, retry_after
from gossamer.providers.shared.api_errors import error_body, judge_keyed, quota_spent
from gossamer.providers.shared.hit_fields import day, first_address, hit, names, results_of
from gossamer.providers.shared.request import OptionalKey, since, truncate
from gossamer.steps.text.clean_line import plain

_MAX_CHARS = 500
_MAX_COUNT = 100
_MAX_ABSTRACT_WORDS = 200
_DOI = "https://doi.org/"


class _Journal(BaseModel):
    display_name: str | None = None


class _Place(BaseModel):
    landing_page_url: str | None = None
    source: _Journal | None = None


class _Author(BaseModel):
    display_name: str | None = None


class _Authorship(BaseModel):
    author: _Author


class _Row(BaseModel):
    id: str
    doi: str | None = None
    display_name: str | None = None
    publication_date: str | None = None
    primary_location: _Place | None = None
    authorships: list[_Authorship] = []
    abstract_inverted_index: dict[str, list[int]] | None = None


class _Meta(BaseModel):
    count: int


class _Reply(BaseModel):
    meta: _Meta
    results: list[_Row]


class _Complaint(BaseModel):
    error: str
    message: str = ""


class OpenAlex(OptionalKey):
    """Settings under ``[providers.openalex]``."""

    name: ClassVar[str] = "openalex"
    title: ClassVar[str] = "OpenAlex"
    filters: ClassVar[frozenset[Filter]] = frozenset({"time_range"})
    is_general: ClassVar[bool] = False
    categories: ClassVar[frozenset[Category]] = frozenset({"science"})
    max_chars: ClassVar[int | None] = _MAX_CHARS
    terms: ClassVar[Terms] = Terms(
        usd_per_1000=1.0,
        limits="about 100 searches a day without a key, 1,000 with a free one",
        privacy="OpenAlex sees the query",
    )

    base_url: str = "https://api.openalex.org"
    """Address of the API."""
    api_key: SecretStr = SecretStr("")
    """The key of your account, for more searches a day; OpenAlex takes it in the address alone."""

    def request(self, query: Query) -> HttpRequest:
        """Ask for works by relevance."""
        params: dict[str, str | int] = {
            "search": truncate(" ".join(query.text.split()), _MAX_CHARS),
            "per_page": min(query.count, _MAX_COUNT),
            "page": 1,
        }
        if start := since(query):
            params["filter"] = f"from_publication_date:{start.isoformat()}"
        if self.is_own:
            params["api_key"] = self.api_key.get_secret_value()
        return HttpRequest(url=f"{self.base_url}/works", params=params)

    def judge(self, reply: HttpReply) -> None:
        """A 429 is a pace, or a day that is used up: the words tell."""
        complaint = error_body(reply, _Complaint)
        if reply.status == 429:
            if complaint and "daily" in f"{complaint.error} {complaint.message}".lower():
                raise quota_spent(self, retry_after_s=retry_after(reply))
            raise RateLimited(self.title, retry_after_s=retry_after(reply))
        judge_keyed(self, reply, (complaint.message or complaint.error) if complaint else "")

    def parse(self, reply: HttpReply) -> Found:
        """Read the works."""
        body = reply.read(_Reply)
        return results_of(self, body.results, _hit, total=body.meta.count)


def _hit(row: _Row) -> Hit | None:
    place = row.primary_location or _Place()
    people = [authorship.author.display_name or "" for authorship in row.authorships]
    return hit(
        OpenAlex.name,
        first_address(place.landing_page_url, row.doi, row.id),
        row.display_name,
        _abstract(row.abstract_inverted_index or {}),
        published=day(row.publication_date),
        details=Details(
            source=plain((place.source.display_name if place.source else None) or "", max_chars=100),
            authors=names(people),
            doi=plain((row.doi or "").removeprefix(_DOI), max_chars=200),
        ),
    )


def _abstract(places: dict[str, list[int]]) -> str:
    """The words in their order again, as far as a snippet goes."""
    words = sorted((at, word) for word, positions in places.items() for at in positions)
    return " ".join(word for _, word in words[:_MAX_ABSTRACT_WORDS])
