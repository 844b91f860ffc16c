"""Mojeek: an independent index of the web, without tracking; needs a key, which it takes in the address alone.

Errors may come with status 200: they stand in `status`, in words.
"""

from typing import ClassVar, Literal

from pydantic import BaseModel

from gossamer.errors import BrokenReply
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import Found, Hit, Query
from gossamer.ports import Filter, Terms
from gossamer.providers.shared.api_errors import bad_key, error_body, used_up
from gossamer.providers.shared.hit_fields import day_of, hit, results_of
from gossamer.providers.shared.request import Keyed, country, language, query_text, since

_MAX_COUNT = 50
_BOOST = 10
"""How much pages in the language or from the region asked for rise, of 100."""


class _Row(BaseModel):
    url: str
    title: str = ""
    desc: str = ""
    pdate: float | None = None
    """When the page was published, in Unix seconds; its other dates are those of crawls."""


class _Head(BaseModel):
    results: int | None = None


class _Results(BaseModel):
    status: Literal["OK"]
    head: _Head | None = None
    results: list[_Row] = []


class _Reply(BaseModel):
    response: _Results


class _Status(BaseModel):
    status: str


class _Complaint(BaseModel):
    response: _Status


class Mojeek(Keyed):
    """Settings under ``[providers.mojeek]``."""

    name: ClassVar[str] = "mojeek"
    title: ClassVar[str] = "Mojeek"
    filters: ClassVar[frozenset[Filter]] = frozenset({"site", "time_range", "region", "language", "safe_search"})
    terms: ClassVar[Terms] = Terms(
        usd_per_1000=3.0,
        limits="as the plan says, counted by day; paid keys only",
        privacy="Mojeek sees the query and keeps no profile",
    )

    base_url: str = "https://api.mojeek.com"
    """Address of the API."""

    def request(self, query: Query) -> HttpRequest:
        """Ask for everything at once; language and region raise pages, they shut none out."""
        params: dict[str, str | int] = {
            "q": query_text(query),
            "fmt": "json",
            "t": min(query.count, _MAX_COUNT),
            "safe": int(query.safe_search > 0),
            "api_key": self.api_key.get_secret_value(),
        }
        if spoken := language(query):
            params |= {"lb": spoken.upper(), "lbb": _BOOST}
        if place := country(query):
            params |= {"rb": place, "rbb": _BOOST}
        if first := since(query):
            params["since"] = first.strftime("%Y%m%d")
        return HttpRequest(url=f"{self.base_url}/search", params=params, headers={"Accept": "application/json"})

    def judge(self, reply: HttpReply) -> None:
        """Raise for an error in words as well: it may come with status 200."""
        complaint = error_body(reply, _Complaint)
        status = complaint.response.status if complaint else "OK"
        if "limit" in status.lower():
            raise used_up(self)
        if "key" in status.lower():
            raise bad_key(self)
        super().judge(reply)
        if status != "OK":
            error = BrokenReply(f"{self.title} answered with an error.", hint="Try another provider.")
            raise error.quoting(status)

    def parse(self, reply: HttpReply) -> Found:
        """Read the pages found."""
        body = reply.read(_Reply).response
        return results_of(self, body.results, _hit, total=body.head.results if body.head else None)


def _hit(row: _Row) -> Hit | None:
    return hit(Mojeek.name, row.url, row.title, row.desc, published=day_of(row.pdate))
