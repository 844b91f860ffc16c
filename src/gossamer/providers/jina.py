"""Jina: web and news search for models; needs a key, and is paid by the token.

"Nothing found" is an error of its own (422 with the code 42206). Pages are not read on its side: that is our work.
"""

from collections.abc import Generator, Mapping
from typing import ClassVar

from pydantic import BaseModel, Field

from gossamer.errors import RateLimited
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import Category, Details, Found, Hit, Query
from gossamer.ports import Filter, Terms, retry_after
from gossamer.providers.shared.api_errors import bad_key, error_body, used_up
from gossamer.providers.shared.hit_fields import day, hit, results_of
from gossamer.providers.shared.request import Keyed, country, gather, language
from gossamer.steps.text.clean_line import plain

_PER_PAGE = 20
_MAX_PAGES = 3
_LONGEST_WAIT_S = 86_400.0
_TYPES: Mapping[Category, str] = {"general": "web", "news": "news"}
_NOTHING = 42206
"""A failed assertion of any kind; that of an empty search begins with "No"."""


class _Row(BaseModel):
    url: str
    title: str = ""
    description: str | None = None
    date: str | None = None
    source: str | None = None


class _Reply(BaseModel):
    data: list[_Row]


class _Complaint(BaseModel):
    data: None
    status: int
    """The status of HTTP and two digits more."""
    message: str = ""
    wait_s: float | None = Field(default=None, alias="retryAfter", ge=0)


class Jina(Keyed):
    """Settings under ``[providers.jina]``."""

    name: ClassVar[str] = "jina"
    title: ClassVar[str] = "Jina"
    filters: ClassVar[frozenset[Filter]] = frozenset({"site", "region", "language"})
    categories: ClassVar[frozenset[Category]] = frozenset(_TYPES)
    index: ClassVar[str] = "google"
    terms: ClassVar[Terms] = Terms(
        usd_per_1000=0.5,
        limits="at least 10,000 tokens a search; 40 searches a minute, more with premium keys",
        privacy="Jina sees the query and asks Google",
        per_second=0.66,
    )

    base_url: str = "https://s.jina.ai"
    """Address of the search API."""

    def judge(self, reply: HttpReply) -> None:
        """Tell errors apart by their code; an empty search is not one."""
        complaint = error_body(reply, _Complaint)
        match complaint.status // 100 if complaint else 0:
            case 401:
                raise bad_key(self)
            case 402:
                raise used_up(self)
            case 429 if complaint:
                raise RateLimited(self.title, retry_after_s=_wait_s(reply, complaint))
            case _ if complaint and _is_empty(complaint):
                return
            case _:
                super().judge(reply)

    def steps(self, query: Query) -> Generator[HttpRequest, HttpReply, Found]:
        """Ask for twenty at a time, while they come full."""
        return (
            yield from gather(
                lambda page: self._ask(query, page),
                self._read,
                count=query.count,
                max_pages=min(-(-query.count // _PER_PAGE), _MAX_PAGES),
            )
        )

    def _ask(self, query: Query, page: int) -> HttpRequest:
        params: dict[str, str | int] = {
            "q": query.text,
            "type": _TYPES.get(query.category, "web"),
            "num": min(query.count, _PER_PAGE),
        }
        if page:
            params["page"] = page + 1
        if query.site:
            params["site"] = query.site
        if place := country(query):
            params["gl"] = place.lower()
        if spoken := language(query):
            params["hl"] = spoken
        return HttpRequest(
            url=f"{self.base_url}/",
            params=params,
            headers={
                "Accept": "application/json",
                "Authorization": f"Bearer {self.api_key.get_secret_value()}",
                "X-Respond-With": "no-content",
            },
        )

    def _read(self, reply: HttpReply) -> tuple[Found, bool]:
        complaint = error_body(reply, _Complaint)
        if complaint and _is_empty(complaint):
            return Found(), False
        rows = reply.read(_Reply).data
        return results_of(self, rows, _hit), len(rows) >= _PER_PAGE


def _is_empty(complaint: _Complaint) -> bool:
    return complaint.status == _NOTHING and complaint.message.startswith("No ")


def _wait_s(reply: HttpReply, complaint: _Complaint) -> float | None:
    if (named := retry_after(reply)) is not None:
        return named
    return None if complaint.wait_s is None else min(complaint.wait_s, _LONGEST_WAIT_S)


def _hit(row: _Row) -> Hit | None:
    details = Details(source=plain(row.source or "", max_chars=100))
    return hit(Jina.name, row.url, row.title, row.description, published=day(row.date), details=details)
