"""Bing, version 7: Microsoft retired it in August 2025, and compatible services still speak it.

There is no address of its own any more, so one must be configured. `webPages` is absent when nothing was found.
"""

from collections.abc import Generator
from dataclasses import replace
from typing import ClassVar, Literal

from pydantic import BaseModel, Field, SecretStr, field_validator

from gossamer.errors import RateLimited, Unreachable
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import Found, Hit, Query
from gossamer.ports import Filter, Terms, retry_after
from gossamer.providers.shared.api_errors import bad_key, bad_query, error_body
from gossamer.providers.shared.hit_fields import day, hit, results_of
from gossamer.providers.shared.request import Keyed, country, language, query_text

_MAX_COUNT = 50
_PATH = "/v7.0/search"
_FRESHNESS = {"day": "Day", "week": "Week", "month": "Month"}
_SAFE = ("Off", "Moderate", "Strict")
_HOMES = {
    **{code: code.upper() for code in ("de", "es", "fi", "fr", "it", "nl", "no", "pl", "pt", "ru", "tr")},
    "da": "DK",
    "en": "US",
    "ja": "JP",
    "ko": "KR",
    "sv": "SE",
    "zh": "CN",
}
"""Where a language is at home: Bing knows markets, not languages."""


class _Row(BaseModel):
    name: str
    url: str
    snippet: str = ""
    published: str | None = Field(default=None, alias="datePublished")


class _Pages(BaseModel):
    value: list[_Row]
    total: int | None = Field(default=None, alias="totalEstimatedMatches")


class _Asked(BaseModel):
    altered: str = Field(default="", alias="alteredQuery")


class _Reply(BaseModel):
    type: Literal["SearchResponse"] = Field(alias="_type")
    pages: _Pages | None = Field(default=None, alias="webPages")
    asked: _Asked = Field(default=_Asked(), alias="queryContext")


class _Error(BaseModel):
    code: str
    message: str = ""


class _Complaint(BaseModel):
    type: Literal["ErrorResponse"] = Field(alias="_type")
    errors: list[_Error] = Field(min_length=1)


class Bing(Keyed):
    """Settings under ``[providers.bing]``."""

    name: ClassVar[str] = "bing"
    title: ClassVar[str] = "Bing"
    filters: ClassVar[frozenset[Filter]] = frozenset({"site", "time_range", "region", "language", "safe_search"})
    terms: ClassVar[Terms] = Terms(
        limits="those of the compatible service; Microsoft's own ended on 2025-08-11",
        privacy="the operator of the compatible service sees the query",
    )

    base_url: str = ""
    """Address of a compatible service, before `/v7.0/search`; empty: not used."""
    api_key: SecretStr = SecretStr("")
    """Its key, where it wants one; sent in a header."""

    @field_validator("base_url")
    @classmethod
    def _without_operation(cls, value: str) -> str:
        return value.removesuffix("/search").removesuffix("/v7.0")

    @property
    def is_ready(self) -> bool:
        """A compatible service must be named."""
        return bool(self.base_url)

    def request(self, query: Query) -> HttpRequest:
        """Ask for everything at once."""
        params: dict[str, str | int] = {
            "q": query_text(query),
            "count": min(query.count, _MAX_COUNT),
            "safeSearch": _SAFE[query.safe_search],
        }
        if market := _market(query):
            params["mkt"] = market
        if query.time_range in _FRESHNESS:
            params["freshness"] = _FRESHNESS[query.time_range]
        key = self.api_key.get_secret_value()
        headers = {"Accept": "application/json", **({"Ocp-Apim-Subscription-Key": key} if key else {})}
        return HttpRequest(url=f"{self.base_url}{_PATH}", params=params, headers=headers)

    def steps(self, query: Query) -> Generator[HttpRequest, HttpReply, Found]:
        """Say so where the time asked for is longer than Bing can tell."""
        results = yield from super().steps(query)
        return replace(results, note="Bing cannot filter by year.") if query.time_range == "year" else results

    def judge(self, reply: HttpReply) -> None:
        """Tell errors apart by their code."""
        complaint = error_body(reply, _Complaint)
        match complaint.errors[0].code if complaint else "":
            case "InvalidAuthorization" | "InsufficientAuthorization":
                raise bad_key(self)
            case "RateLimitExceeded":
                raise RateLimited(self.title, retry_after_s=retry_after(reply))
            case "InvalidRequest" if complaint:
                raise bad_query(self, complaint.errors[0].message)
            case "ServerError":
                raise Unreachable(f"{self.title} failed on its side ({reply.status}).", hint="Try again later.")
            case _:
                super().judge(reply)

    def parse(self, reply: HttpReply) -> Found:
        """Read the pages found; the day of the last crawl is not a date of publication."""
        body = reply.read(_Reply)
        rows, total = (body.pages.value, body.pages.total) if body.pages else ([], None)
        return results_of(self, rows, _hit, total=total, suggestions=[body.asked.altered])


def _market(query: Query) -> str:
    """`de-AT`; nothing for what Bing would choose by itself."""
    spoken, place = language(query), country(query)
    home = place or _HOMES.get(spoken, "")
    return f"{spoken or 'en'}-{home}" if home and (place or spoken != "en") else ""


def _hit(row: _Row) -> Hit | None:
    return hit(Bing.name, row.url, row.name, row.snippet, published=day(row.published))
