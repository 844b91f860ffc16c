"""Kagi: a paid search without advertising, with pages, news, images and videos.

Version 1 posts JSON and leaves a list out when it is empty; an address that ends in `/v0` is asked in the older way,
which knows pages alone and sends results and related searches in one list.
"""

from collections.abc import Generator, Mapping
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, model_validator

from gossamer.errors import Unreachable
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import Category, Details, Found, Hit, Query
from gossamer.ports import Filter, Terms
from gossamer.providers.shared.api_errors import bad_key, bad_query, error_body, used_up
from gossamer.providers.shared.hit_fields import day, hit, results_of, seconds, size
from gossamer.providers.shared.request import Keyed, country, gather, json_post, query_text, since
from gossamer.steps.text.clean_line import plain, plain_address

_PER_PAGE = 10
"""About as many come at a time; Kagi promises no number."""
_MAX_PAGES = 5
_MAX_SUGGESTIONS = 10


class _Kind(NamedTuple):
    """One of its searches: its name, and the list that its replies carry."""

    workflow: str
    listed: str


_KINDS: Mapping[Category, _Kind] = {
    "general": _Kind("search", "search"),
    "news": _Kind("news", "news"),
    "images": _Kind("images", "image"),
    "videos": _Kind("videos", "video"),
}


class _Picture(BaseModel):
    url: str = ""
    width: int | None = None
    height: int | None = None


class _Props(BaseModel):
    thumbnail: _Picture | None = None
    duration: str | int | None = None
    creator: str | None = Field(default=None, alias="creator_name")


class _Row(BaseModel):
    url: str
    title: str = ""
    snippet: str | None = None
    time: str | None = None
    image: _Picture | None = None
    props: _Props | None = None


class _Related(BaseModel):
    title: str = ""


class _Data(BaseModel):
    model_config = ConfigDict(extra="allow")

    search: list[_Row] = []
    news: list[_Row] = []
    image: list[_Row] = []
    video: list[_Row] = []
    related: list[_Related] = Field(default=[], alias="related_search")

    @model_validator(mode="after")
    def _knows_a_list(self) -> "_Data":
        if not self.model_fields_set & _Data.model_fields.keys() and self.model_extra:
            raise ValueError("no list of results that we know")
        return self


class _Reply(BaseModel):
    data: _Data


class _OldRow(BaseModel):
    t: int
    """0: a result, 1: related searches."""
    url: str = ""
    title: str = ""
    snippet: str | None = None
    published: str | None = None
    related: list[str] = Field(default=[], alias="list")


class _OldReply(BaseModel):
    data: list[_OldRow]


class _Error(BaseModel):
    code: int
    msg: str = ""


class _Complaint(BaseModel):
    error: list[_Error] = Field(min_length=1)


class Kagi(Keyed):
    """Settings under ``[providers.kagi]``."""

    name: ClassVar[str] = "kagi"
    title: ClassVar[str] = "Kagi"
    filters: ClassVar[frozenset[Filter]] = frozenset({"site", "time_range", "region", "safe_search"})
    categories: ClassVar[frozenset[Category]] = frozenset(_KINDS)
    terms: ClassVar[Terms] = Terms(
        usd_per_1000=12.0,
        limits="as far as the prepaid balance goes",
        privacy="Kagi sees the query and the account",
    )

    base_url: str = "https://kagi.com/api/v1"
    """Address of the API; `https://kagi.com/api/v0` is the older one."""

    def judge(self, reply: HttpReply) -> None:
        """Tell errors apart by their number: an empty balance comes as 400."""
        complaint = error_body(reply, _Complaint)
        match complaint.error[0].code if complaint else None:
            case 2:
                raise bad_key(self)
            case 100 | 101:
                raise used_up(self)
            case 1 if complaint:
                raise bad_query(self, complaint.error[0].msg)
            case 0:
                raise Unreachable(f"{self.title} failed on its side ({reply.status}).", hint="Try again later.")
            case _:
                super().judge(reply)

    def steps(self, query: Query) -> Generator[HttpRequest, HttpReply, Found]:
        """Ask for further pages while they come full; images come all at once."""
        if self.base_url.endswith("/v0"):
            found = self._read_old((yield self._ask_old(query)))
            lost = ", ".join(sorted(query.filters() - {"site", "language"}))
            return replace(found, note=f"Kagi's older API could not apply: {lost}.") if lost else found
        kind = _KINDS.get(query.category, _KINDS["general"])
        pages = 1 if kind.listed == "image" else -(-query.count // _PER_PAGE)
        return (
            yield from gather(
                lambda page: self._ask(query, kind, page),
                lambda reply: self._read(reply, kind),
                count=query.count,
                max_pages=min(pages, _MAX_PAGES),
            )
        )

    def _ask(self, query: Query, kind: _Kind, page: int) -> HttpRequest:
        limits: dict[str, str] = {}
        if first := since(query):
            limits["after"] = first.isoformat()
        if place := country(query):
            limits["region"] = place.lower()
        asked: dict[str, Any] = {
            "query": query_text(query),
            "workflow": kind.workflow,
            "page": page + 1,
            "safe_search": query.safe_search > 0,
            **({"filters": limits} if limits else {}),
        }
        return json_post(f"{self.base_url}/search", asked, self._headers("Bearer"))

    def _read(self, reply: HttpReply, kind: _Kind) -> tuple[Found, bool]:
        data = reply.read(_Reply).data
        rows: list[_Row] = getattr(data, kind.listed)
        suggestions = [related.title for related in data.related[:_MAX_SUGGESTIONS]]
        return results_of(self, rows, lambda row: _hit(row, kind), suggestions=suggestions), len(rows) >= _PER_PAGE

    def _ask_old(self, query: Query) -> HttpRequest:
        params: dict[str, str | int] = {"q": query_text(query), "limit": query.count}
        return HttpRequest(url=f"{self.base_url}/search", params=params, headers=self._headers("Bot"))

    def _read_old(self, reply: HttpReply) -> Found:
        rows = reply.read(_OldReply).data
        related = [line for row in rows if row.t == 1 for line in row.related]
        pages = [
            _Row(url=row.url, title=row.title, snippet=row.snippet, time=row.published) for row in rows if not row.t
        ]
        suggestions = related[:_MAX_SUGGESTIONS]
        return results_of(self, pages, lambda row: _hit(row, _KINDS["general"]), suggestions=suggestions)

    def _headers(self, scheme: str) -> dict[str, str]:
        return {"Accept": "application/json", "Authorization": f"{scheme} {self.api_key.get_secret_value()}"}


def _hit(row: _Row, kind: _Kind) -> Hit | None:
    details = Details() if kind.listed == "search" else _details(row, kind)
    return hit(Kagi.name, row.url, row.title, row.snippet, published=day(row.time), details=details)


def _details(row: _Row, kind: _Kind) -> Details:
    picture, more = row.image or _Picture(), row.props or _Props()
    is_image = kind.listed == "image"
    small = more.thumbnail.url if more.thumbnail else "" if is_image else picture.url
    length = more.duration
    return Details(
        image_url=plain_address(picture.url) if is_image else "",
        thumbnail_url=plain_address(small),
        resolution=size(picture.width, picture.height) if is_image else "",
        duration_s=length if isinstance(length, int) else seconds(length),
        source=plain(more.creator or "", max_chars=100),
    )
