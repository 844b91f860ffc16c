"""Crossref: the registry of scholarly works and their DOIs; no key, faster for who names a mail address.

Titles are lists, abstracts are XML, and a date may be a year alone.
"""

import re
from typing import ClassVar, Literal

from pydantic import BaseModel, Field

from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import Category, Details, Found, Hit, Query
from gossamer.ports import Filter, Provider, Terms
from gossamer.providers.shared.hit_fields import day, first_address, hit, names, results_of
from gossamer.providers.shared.request import since, truncate
from gossamer.steps.text.clean_line import plain

_MAX_CHARS = 500
_FIELDS = "DOI,title,container-title,author,URL,published,abstract"
_JATS = re.compile(r"<(/?)jats:([a-z0-9-]+)([^<>]*)>", re.IGNORECASE)
_HEADING = re.compile(r"^\s*<jats:title>\s*abstract\s*</jats:title>", re.IGNORECASE)
"""What every abstract may be headed with; a heading of its own stays."""
_INLINE = frozenset({"bold", "italic", "sub", "sup", "sc", "monospace", "underline"})


class _Author(BaseModel):
    given: str | None = None
    family: str | None = None
    name: str | None = None
    """Of a group."""


class _When(BaseModel):
    parts: list[list[int | None]] = Field(default=[], alias="date-parts")


class _Row(BaseModel):
    doi: str = Field(alias="DOI")
    url: str | None = Field(default=None, alias="URL")
    titles: list[str] = Field(default=[], alias="title")
    journals: list[str] = Field(default=[], alias="container-title")
    authors: list[_Author] = Field(default=[], alias="author")
    published: _When | None = None
    abstract: str | None = None


class _Works(BaseModel):
    total: int = Field(alias="total-results")
    items: list[_Row]


class _Reply(BaseModel):
    status: Literal["ok"]
    message: _Works


class Crossref(Provider):
    """Settings under ``[providers.crossref]``."""

    name: ClassVar[str] = "crossref"
    title: ClassVar[str] = "Crossref"
    filters: ClassVar[frozenset[Filter]] = frozenset({"time_range"})
    is_general: ClassVar[bool] = False
    categories: ClassVar[frozenset[Category]] = frozenset({"science"})
    max_chars: ClassVar[int | None] = _MAX_CHARS
    terms: ClassVar[Terms] = Terms(
        limits="as its replies say; more for who names a mail address", privacy="Crossref sees the query and mailto"
    )

    base_url: str = "https://api.crossref.org"
    """Address of the API."""
    mailto: str = Field(default="", pattern=r"^([^@\s]+@[^@\s]+)?$")
    """A mail address at which Crossref may reach you; empty: asked without one, in the slower pool."""

    def request(self, query: Query) -> HttpRequest:
        """Ask for what a result shows, and no more: whole records are long."""
        params: dict[str, str | int] = {
            "query": truncate(" ".join(query.text.split()), _MAX_CHARS),
            "rows": query.count,
            "select": _FIELDS,
        }
        if start := since(query):
            params["filter"] = f"from-pub-date:{start.isoformat()}"
        if self.mailto:
            params["mailto"] = self.mailto
        return HttpRequest(url=f"{self.base_url}/works", params=params)

    def parse(self, reply: HttpReply) -> Found:
        """Read the works."""
        works = reply.read(_Reply).message
        return results_of(self, works.items, _hit, total=works.total)


def _hit(row: _Row) -> Hit | None:
    doi = plain(row.doi, max_chars=200)
    people = [a.name or f"{a.given or ''} {a.family or ''}" for a in row.authors]
    return hit(
        Crossref.name,
        first_address(row.url, f"https://doi.org/{doi}"),
        next(iter(row.titles), ""),
        _JATS.sub(_left, _HEADING.sub("", row.abstract or "", count=1)),
        published=_day(row.published),
        details=Details(source=plain(next(iter(row.journals), ""), max_chars=100), authors=names(people), doi=doi),
    )


def _left(match: re.Match[str]) -> str:
    """What a tag of an abstract leaves behind: nothing inside a word, a space around a paragraph."""
    return "" if match[2].lower() in _INLINE else " "


def _day(when: _When | None) -> str | None:
    """A day only where the registry knows one."""
    year, month, of_month = [*(when.parts[0] if when and when.parts else []), None, None, None][:3]
    return day(f"{year or 0:04}-{month or 0:02}-{of_month or 0:02}")
