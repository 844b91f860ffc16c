"""SearXNG: a metasearch engine that people run themselves; no key, one instance.

Its JSON is off by default, its limiter turns away what does not look like a browser, and an instance whose engines
all failed still answers 200 with an empty list: each of these is told apart from "nothing found".
"""

import re
from collections.abc import Generator, Iterable, Sequence
from dataclasses import replace
from datetime import date
from typing import ClassVar
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, field_validator

from gossamer.errors import BrokenReply, Denied, InvalidArgument, UnexpectedReply, Unreachable, UpstreamError
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import CATEGORIES, Category, Found, Hit, Query
from gossamer.ports import Filter, Provider, Terms
from gossamer.steps.plain import plain, plain_address

_MAX_PAGES = 3
_FULL_PAGE = 8
"""A page with fewer results is the last one: asking on would only take time."""
_MAX_NAMED = 10
"""How many engines or suggestions are passed on."""
_ELSEWHERE = re.compile(r"(?<!\S)!!+")
"""A word that would make the instance send us, and the query, to another search engine."""


class _Row(BaseModel):
    url: str
    title: str
    content: str | None = None
    engine: str | None = None
    engines: list[str] = []
    published: str | None = Field(default=None, alias="publishedDate")


class _Reply(BaseModel):
    results: list[_Row]
    number_of_results: float | None = Field(default=None, allow_inf_nan=False)
    """Gone since May 2026."""
    suggestions: list[str] = []
    corrections: list[str] = []
    unresponsive_engines: list[tuple[str, ...]] = []


class _Complaint(BaseModel):
    error: str


class SearXNG(Provider):
    """Settings under ``[providers.searxng]``."""

    name: ClassVar[str] = "searxng"
    title: ClassVar[str] = "SearXNG"
    filters: ClassVar[frozenset[Filter]] = frozenset({"site", "time_range", "region", "language", "safe_search"})
    categories: ClassVar[frozenset[Category]] = CATEGORIES
    terms: ClassVar[Terms] = Terms(
        limits="whatever its operator sets", privacy="the instance's operator and the engines it asks see the query"
    )

    base_url: str = ""
    """Address of the instance, such as http://127.0.0.1:8888; empty: not used."""

    @field_validator("base_url")
    @classmethod
    def _without_operation(cls, value: str) -> str:
        return value.removesuffix("/search")

    @property
    def is_ready(self) -> bool:
        """An instance must be named: public ones are not an API."""
        return bool(self.base_url)

    @property
    def is_own(self) -> bool:
        """It was chosen by name."""
        return True

    def request(self, query: Query) -> HttpRequest:
        """Ask for the first page of results as JSON."""
        return self._ask(query, page=1)

    def judge(self, reply: HttpReply) -> None:
        """Tell a switched-off API, a limiter and a detour from a search that failed."""
        if urlsplit(reply.url).hostname != urlsplit(self.base_url).hostname:
            raise BrokenReply("SearXNG sent us to another site.", hint="Check its base_url, or rephrase the query.")
        if reply.status == 403:
            raise Denied(
                "This SearXNG instance does not give results as JSON (403).",
                hint="Add json to search.formats in its settings.yml, or use another instance.",
            )
        if reply.status == 400:
            raise InvalidArgument(
                f"SearXNG did not accept the query{_said(reply)}.", hint="Rephrase it or drop a filter."
            )
        super().judge(reply)
        if reply.content_type == "text/html":
            raise UnexpectedReply(
                "SearXNG answered with a web page where JSON was expected.",
                hint="Its limiter may have turned us away, or base_url is not that of a SearXNG instance.",
            )

    def parse(self, reply: HttpReply) -> Found:
        """Read one page of results; engines that did not answer are an error only when nobody found anything."""
        said = reply.read(_Reply)
        silent = _named(said.unresponsive_engines)
        hits = tuple(hit for row in said.results if (hit := _hit(row)))
        if silent and not hits:
            raise Unreachable(
                f"No engine of SearXNG found anything; without answer: {silent}.", hint="Try again later."
            )
        return Found(
            hits=hits,
            total=int(said.number_of_results) if said.number_of_results and said.number_of_results >= 1 else None,
            suggestions=_distinct([*said.corrections, *said.suggestions])[:_MAX_NAMED],
            engines=_distinct(name for row in said.results for name in row.engines or [row.engine or ""]),
            note=f"SearXNG had no answer from {silent}." if silent else "",
        )

    def steps(self, query: Query) -> Generator[HttpRequest, HttpReply, Found]:
        """Ask for further pages while they come full and bring something new; one that fails costs only itself."""
        found = self.parse((yield self.request(query)))
        page, brought = 1, len(found.hits)
        while brought >= _FULL_PAGE and len(found.hits) < query.count and page < _MAX_PAGES:
            page += 1
            try:
                more = self.parse((yield self._ask(query, page=page)))
            except UpstreamError as error:
                return replace(found, note=f"{found.note} Page {page} could not be had: {error.message}".strip())
            known = {hit.url for hit in found.hits}
            new = tuple(hit for hit in more.hits if hit.url not in known)
            brought = len(new)
            found = replace(found, hits=found.hits + new, engines=_distinct(found.engines + more.engines))
        if query.time_range and not found.hits:
            return replace(found, note="The engines of this SearXNG instance may not be able to filter by time.")
        return replace(found, hits=found.hits[: query.count])

    def _ask(self, query: Query, *, page: int) -> HttpRequest:
        text = _ELSEWHERE.sub("", query.text).strip()
        locale = _locale(query)
        params: dict[str, str | int] = {
            "q": f"{text} site:{query.site}" if query.site else text,
            "format": "json",
            "categories": query.category,
            "language": locale,
            "safesearch": query.safe_search,
            "pageno": page,
        }
        if query.time_range:
            params["time_range"] = query.time_range
        return HttpRequest(
            url=f"{self.base_url}/search",
            params=params,
            headers={
                "Accept": "application/json, text/html;q=0.5",
                "Accept-Language": "en" if locale in {"all", "auto"} else locale,
            },
        )


def _locale(query: Query) -> str:
    """The language as SearXNG accepts it: `de`, `de-AT`, `all`; anything else would be refused."""
    if query.language in {"all", "auto"}:
        return query.language
    language, *rest = query.language.replace("_", "-").split("-")
    if not re.fullmatch(r"[a-z]{2,3}", language.lower()):
        return "all"
    region = query.region or (rest[-1] if rest else "")
    return f"{language.lower()}-{region.upper()}" if re.fullmatch(r"[a-zA-Z]{2}", region) else language.lower()


def _hit(row: _Row) -> Hit | None:
    url = plain_address(row.url)
    if not url:
        return None
    return Hit(
        url=url,
        title=plain(row.title, max_chars=200) or url,
        snippet=plain(row.content or ""),
        engine=plain(row.engine or "", max_chars=50),
        published=_day(row.published),
    )


def _day(said: str | None) -> str | None:
    try:
        return date.fromisoformat((said or "")[:10]).isoformat()
    except ValueError:
        return None


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    lines = (plain(name, max_chars=100) for name in names)
    return tuple(dict.fromkeys(line for line in lines if line))


def _named(pairs: Sequence[tuple[str, ...]]) -> str:
    """`google (timeout), bing (CAPTCHA)`, as far as a reader cares."""
    said = [[plain(part, max_chars=60) for part in pair] for pair in pairs if pair]
    lines = [f"{who} ({'; '.join(why)})" if why else who for who, *why in said[:_MAX_NAMED]]
    return ", ".join([*lines, "…"] if len(said) > _MAX_NAMED else lines)


def _said(reply: HttpReply) -> str:
    try:
        return ": " + plain(reply.read(_Complaint).error, max_chars=200)
    except UnexpectedReply:
        return ""
