"""Google Custom Search: the whole web, or images, through a Programmable Search Engine of one's own.

Ten results a request; `items` is absent when nothing was found. Closed to new projects since January 2026, and ends
for everybody on 2027-01-01. The first reply is handed on as it came, with the later pages' items in it.
"""

from collections.abc import Generator
from dataclasses import replace
from datetime import date
from typing import Any, ClassVar, Literal, cast

from pydantic import BaseModel, Field, SecretStr
from pydantic_core import from_json, to_json

from gossamer.errors import Denied, GossamerError, RateLimited
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import Category, Details, Found, Hit, Query
from gossamer.ports import Filter, Terms, retry_after
from gossamer.providers.shared.api_errors import bad_key, error_body, used_up
from gossamer.providers.shared.hit_fields import day, hit, number, size
from gossamer.providers.shared.request import Keyed, country, language, query_text
from gossamer.steps.text.clean_line import plain, plain_address

_PER_PAGE = 10
_MAX_COUNT = 50
_SINCE = {"day": "d1", "week": "w1", "month": "m1", "year": "y1"}
_PLACES = {"GB": "UK"}
"""Countries that Google spells in its own way."""
_CHINESE = {"TW": "zh-TW", "HK": "zh-TW", "MO": "zh-TW"}
_PORTUGUESE = {"BR": "pt-BR", "PT": "pt-PT"}
_TONGUES = {"he": "iw", "nb": "no", "nn": "no"}
"""Languages that Google spells in its own way."""
_LEAD_CHARS = 24
"""Room for a date before a snippet, as in "September 13, 2026 ... The book"."""
_DATES = ("article:published_time", "og:article:published_time", "datepublished", "date")
"""Where the page itself says when it was published; Google has no field of its own for it."""


class _Image(BaseModel):
    page: str = Field(alias="contextLink")
    width: int | None = None
    height: int | None = None
    thumbnail: str = Field(default="", alias="thumbnailLink")


class _PageMap(BaseModel):
    metatags: list[dict[str, Any]] = []


class _Row(BaseModel):
    title: str = ""
    link: str
    site: str = Field(default="", alias="displayLink")
    snippet: str = ""
    image: _Image | None = None
    pagemap: _PageMap = _PageMap()


class _Totals(BaseModel):
    total: str | None = Field(default=None, alias="totalResults")


class _Spelling(BaseModel):
    corrected: str = Field(default="", alias="correctedQuery")


class _Pages(BaseModel):
    next: list[dict[str, Any]] = Field(default=[], alias="nextPage")


class _Reply(BaseModel):
    kind: Literal["customsearch#search"]
    items: list[_Row] = []
    queries: _Pages = _Pages()
    totals: _Totals = Field(default=_Totals(), alias="searchInformation")
    spelling: _Spelling = _Spelling()


class _Reason(BaseModel):
    reason: str = ""
    metadata: dict[str, Any] = {}


class _Error(BaseModel):
    message: str = ""
    status: str = ""
    errors: list[_Reason] = []
    details: list[_Reason] = []


class _Complaint(BaseModel):
    error: _Error


class Google(Keyed):
    """Settings under ``[providers.google]``."""

    name: ClassVar[str] = "google"
    title: ClassVar[str] = "Google Custom Search"
    filters: ClassVar[frozenset[Filter]] = frozenset({"site", "time_range", "region", "language", "safe_search"})
    categories: ClassVar[frozenset[Category]] = frozenset({"general", "images"})
    terms: ClassVar[Terms] = Terms(
        usd_per_1000=5.0,
        limits="100 searches a day for nothing, then paid up to 10,000 a day; ten results a search",
        privacy="Google sees the query and the key's project",
        ends=date(2027, 1, 1),
        ending="Google closes the API; its own replacement covers at most 50 named domains. Use Brave or Serper.",
    )

    base_url: str = "https://customsearch.googleapis.com/customsearch/v1"
    """Address of the API."""
    api_key: SecretStr = SecretStr("")
    """The key of your project; Google takes it nowhere but in the address."""
    engine_id: SecretStr = SecretStr("")
    """The id (`cx`) of your Programmable Search Engine; kept like a key, for it goes where the key goes."""
    safe_search: Literal["off", "moderate", "strict"] = "off"
    """What `web.search` filters where a call does not say; Google knows no difference between the latter two."""

    @property
    def is_ready(self) -> bool:
        """Both the key and a search engine are needed."""
        return bool(self.api_key.get_secret_value() and self.engine_id.get_secret_value())

    def judge(self, reply: HttpReply) -> None:
        """Tell a bad key, a closed project, a pace and a used-up day apart by what Google says, and keep its words."""
        complaint = error_body(reply, _Complaint)
        try:
            if complaint and (error := _meant(self, complaint.error, reply)):
                raise error
            super().judge(reply)
        except GossamerError as error:
            raw = reply.body.decode("utf-8", "replace") if complaint else ""
            raise error.but(raw=raw, status=reply.status) from error

    def steps(self, query: Query) -> Generator[HttpRequest, HttpReply, Found]:
        """Ask for ten at a time; a later page that fails costs only itself."""
        count, start = min(query.count, _MAX_COUNT), 1
        first = yield self._ask(query, start=1, num=min(count, _PER_PAGE))
        body = first.read(_Reply)
        found, rows, raw = _found(body), body.items, cast("dict[str, Any]", from_json(first.body))
        while body.queries.next and body.items and start + _PER_PAGE <= count:
            start += _PER_PAGE
            try:
                reply = yield self._ask(query, start=start, num=min(count - start + 1, _PER_PAGE))
                body = reply.read(_Reply)
            except GossamerError as error:
                note = f"Results from {start} on could not be had: {error.message}"
                found = replace(found, note=note, is_part=True)
                break
            rows = rows + body.items
            raw["items"] += cast("dict[str, Any]", from_json(reply.body)).get("items", [])
        hits = tuple(made for row in rows[:count] if (made := _hit(row)))
        return replace(found, hits=hits, raw=to_json(raw).decode())

    def _ask(self, query: Query, *, start: int, num: int) -> HttpRequest:
        params: dict[str, str | int] = {
            "key": self.api_key.get_secret_value(),
            "cx": self.engine_id.get_secret_value(),
            "q": query_text(replace(query, site=None)),
            "num": num,
            "start": start,
            "safe": "active" if query.safe_search else "off",
        }
        if place := country(query) if query.region else "":
            place = _PLACES.get(place, place)
            params |= {"gl": place.lower(), "cr": f"country{place}"}
        if spoken := language(query):
            params |= _spoken_language(query, spoken)
        if query.time_range:
            params["dateRestrict"] = _SINCE[query.time_range]
        if query.site:
            params |= {"siteSearch": query.site, "siteSearchFilter": "i"}
        if query.category == "images":
            params["searchType"] = "image"
        return HttpRequest(url=self.base_url, params=params, headers={"Accept": "application/json"})


def _spoken_language(query: Query, spoken: str) -> dict[str, str]:
    """The language to answer in, and that of the pages: Google knows Chinese by its script, in both."""
    place = country(replace(query, region=None))
    if spoken == "zh":
        script = "zh-TW" if "hant" in query.language.lower() else _CHINESE.get(place or country(query), "zh-CN")
        return {"hl": script, "lr": f"lang_{script}"}
    spoken = _TONGUES.get(spoken, spoken)
    return {"hl": _PORTUGUESE.get(place, spoken) if spoken == "pt" else spoken, "lr": f"lang_{spoken}"}


def _found(body: _Reply) -> Found:
    suggested = plain(body.spelling.corrected, max_chars=200)
    return Found(
        total=number(body.totals.total),
        suggestions=(suggested,) if suggested else (),
        engines=(Google.name,) if body.items else (),
    )


def _hit(row: _Row) -> Hit | None:
    address = row.image.page if row.image else row.link
    details = _details(row, row.image) if row.image else Details()
    return hit(Google.name, address, row.title, _undated(row.snippet), published=_published(row), details=details)


def _details(row: _Row, image: _Image) -> Details:
    return Details(
        image_url=plain_address(row.link),
        thumbnail_url=plain_address(image.thumbnail),
        resolution=size(image.width, image.height),
        source=plain(row.site, max_chars=100),
    )


def _undated(snippet: str) -> str:
    """The snippet without the date that leads it."""
    lead, gap, rest = snippet.partition(" ... ")
    return rest if gap and len(lead) < _LEAD_CHARS and day(lead) else snippet


def _published(row: _Row) -> str | None:
    """What the page says of itself, else a date that leads the snippet, as in "Nov 3, 2026 ... The book"."""
    for tags in row.pagemap.metatags[:1]:
        for name in _DATES:
            if isinstance(told := tags.get(name), str) and (found := day(told)):
                return found
    return day(row.snippet) if " ..." in row.snippet[:_LEAD_CHARS] else None


def _meant(google: Google, error: _Error, reply: HttpReply) -> GossamerError | None:
    reasons = {reason.reason for reason in (*error.errors, *error.details)}
    limits = " ".join(str(reason.metadata.get("quota_limit", "")) for reason in error.details)
    if reasons & {"API_KEY_INVALID", "keyInvalid"}:
        return bad_key(google)
    if "does not have the access" in error.message:
        return Denied(
            "Google Custom Search is closed to this key's project, as it is to all new ones since January 2026.",
            hint="Use another provider: it ends for everybody on 2027-01-01.",
        )
    is_daily = "per day" in error.message or "PerDay" in limits
    if reasons & {"dailyLimitExceeded", "quotaExceeded"} or (error.status == "RESOURCE_EXHAUSTED" and is_daily):
        return used_up(google)
    if error.status == "RESOURCE_EXHAUSTED" or reasons & {"rateLimitExceeded", "userRateLimitExceeded"}:
        return RateLimited(google.title, retry_after_s=retry_after(reply))
    return None
