"""SearXNG: a metasearch engine that people run themselves; no key, one instance.

Its JSON is off by default (then its results page is read), its limiter turns away what does not look like a browser,
and an instance whose engines all failed still answers 200 with an empty list: each is told apart from "nothing found".
"""

import re
from collections.abc import Generator
from dataclasses import replace
from typing import ClassVar, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, field_validator

from gossamer.errors import BrokenReply, Denied, RateLimited, UpstreamError
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import CATEGORIES, Category, Found, Query
from gossamer.ports import Filter, Provider, Terms, retry_after
from gossamer.providers.searxng_page import read_page
from gossamer.providers.searxng_reply import distinct, read_json
from gossamer.providers.shared.api_errors import bad_query, error_body

_MAX_PAGES = 3
_FULL_PAGE = 8
"""A page with fewer results is the last one: asking on would only take time."""
_FORBIDDEN = 403
"""What an instance says whose JSON is switched off, and one that turns us away."""
_Form = Literal["auto", "json", "html"]
_LIMITED = 429
_FORMS = {"json": "JSON", "html": "a page"}
_ELSEWHERE = re.compile(r"(?<!\S)!!+")
"""A word that would make the instance send us, and the query, to another search engine."""


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
    format: _Form = "auto"
    """How results come: as `json`, as the page for people (`html`), or as JSON and, where that is off, as the page."""

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
        """Ask for the first page of results, as JSON if that may be had."""
        return self._ask(query, page=1, form=self.format)

    def judge(self, reply: HttpReply) -> None:
        """Tell a limiter and a detour from a search that failed; a 403 is left to `steps`, which has another way."""
        if urlsplit(reply.url).hostname != urlsplit(self.base_url).hostname:
            raise BrokenReply("SearXNG sent us to another site.", hint="Check its base_url, or rephrase the query.")
        if reply.status == 400:
            complaint = error_body(reply, _Complaint)
            raise bad_query(self, complaint.error if complaint else "")
        if reply.status == _LIMITED and retry_after(reply) is None:
            raise self._limited()
        if reply.status != _FORBIDDEN:
            super().judge(reply)

    def _limited(self) -> RateLimited:
        """The limiter names no time; its count of JSON replies is over in an hour."""
        otherwise = (
            ", or wait a while."
            if self.format == "html"
            else ", or providers.searxng.format to html: its limiter lets few replies through that are no pages."
        )
        return RateLimited(self.title).but(
            hint=f"If the instance is yours, set server.limiter to false in its settings.yml{otherwise}"
        )

    def _forbidden(self) -> Denied:
        """In which form results cannot be had, and the way out."""
        form = _FORMS.get(self.format)
        enabled = "html" if self.format == "html" else "json"
        return Denied(
            f"This SearXNG instance does not give results as {form} (403)."
            if form
            else "This SearXNG instance gives results neither as JSON nor as a page (403).",
            hint=f"Add {enabled} to search.formats in its settings.yml, or use another instance.",
        )

    def parse(self, reply: HttpReply) -> Found:
        """Read one page of results, in whichever form it came."""
        super().judge(reply)
        return (read_page(reply) if reply.content_type == "text/html" else read_json(reply)).found()

    def steps(self, query: Query) -> Generator[HttpRequest, HttpReply, Found]:
        """Ask for further pages while they come full and bring something new; one that fails costs only itself."""
        form = self.format
        reply = yield self.request(query)
        if reply.status == _FORBIDDEN and form == "auto":
            form = "html"
            reply = yield self._ask(query, page=1, form=form)
        if reply.status == _FORBIDDEN:
            raise self._forbidden()
        results = self.parse(reply)
        page, brought = 1, len(results.hits)
        while brought >= _FULL_PAGE and len(results.hits) < query.count and page < _MAX_PAGES:
            page += 1
            try:
                more = self.parse((yield self._ask(query, page=page, form=form)))
            except UpstreamError as error:
                note = f"{results.note} Page {page} could not be had: {error.message}".strip()
                return replace(results, note=note, hits=results.hits[: query.count])
            known = {hit.url for hit in results.hits}
            new = tuple(hit for hit in more.hits if hit.url not in known)
            brought = len(new)
            results = replace(results, hits=results.hits + new, engines=distinct(results.engines + more.engines))
        if query.time_range and not results.hits:
            return replace(results, note="The engines of this SearXNG instance may not be able to filter by time.")
        return replace(results, hits=results.hits[: query.count])

    def _ask(self, query: Query, *, page: int, form: _Form) -> HttpRequest:
        text = _ELSEWHERE.sub("", query.text).strip()
        locale = _locale(query)
        params: dict[str, str | int] = {
            "q": f"{text} site:{query.site}" if query.site else text,
            "categories": query.category,
            "language": locale,
            "safesearch": query.safe_search,
            "pageno": page,
        }
        if form != "html":
            params["format"] = "json"
        if query.time_range:
            params["time_range"] = query.time_range
        return HttpRequest(
            url=f"{self.base_url}/search",
            params=params,
            headers={
                "Accept": "application/json, text/html;q=0.5" if form != "html" else "text/html",
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
