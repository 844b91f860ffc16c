"""OpenAlex: an open index of scholarly works; a few searches a day without a key, many more with a free one.

Its abstracts come as the places of their words, its DOIs as addresses, and its key goes into the address.
"""

from typing import ClassVar

from pydantic import BaseModel, SecretStr

from gossamer.errors import RateLimited
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import Category, Details, Found, Hit, Query
from gossamer.ports import Filter, Provider, Terms, retry_after
from gossamer.providers.shared.api_errors import bad_query, error_body, key_refused, quota_spent
from gossamer.providers.shared.hit_fields import day, first_address, hit, names
from gossamer.providers.shared.request import since, truncate
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


class OpenAlex(Provider):
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

    @property
    def is_own(self) -> bool:
        """Whether there is a key."""
        return bool(self.api_key.get_secret_value())

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
        said = error_body(reply, _Complaint)
        if reply.status == 429:
            if said and "daily" in f"{said.error} {said.message}".lower():
                raise quota_spent(self, retry_after_s=retry_after(reply))
            raise RateLimited(self.title, retry_after_s=retry_after(reply))
        if reply.status in {401, 403}:
            raise key_refused(self)
        if reply.status in {400, 422}:
            raise bad_query(self, (said.message or said.error) if said else "")
        super().judge(reply)

    def parse(self, reply: HttpReply) -> Found:
        """Read the works."""
        said = reply.read(_Reply)
        return Found(
            hits=tuple(one for row in said.results if (one := _hit(row))),
            total=said.meta.count,
            engines=(self.name,) if said.results else (),
        )


def _hit(row: _Row) -> Hit | None:
    place = row.primary_location or _Place()
    people = [one.author.display_name or "" for one in row.authorships]
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
    words = sorted((at, word) for word, found in places.items() for at in found)
    return " ".join(word for _, word in words[:_MAX_ABSTRACT_WORDS])
