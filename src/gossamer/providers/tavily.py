"""Tavily: a search made for agents; answers without a key too, within caps per hour, day and month.

Its plan limits have statuses of their own (432, 433), and its keyless caps an error object of another shape.
"""

from email.utils import parsedate_to_datetime
from typing import ClassVar

from pydantic import BaseModel, Field, SecretStr

from gossamer.errors import RateLimited
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import Category, Found, Query
from gossamer.ports import Filter, Terms, retry_after
from gossamer.providers.shared.api_errors import error_body, judge_keyed, quota_spent
from gossamer.providers.shared.hit_fields import day, hit, results_of
from gossamer.providers.shared.request import OptionalKey, country, json_post, table, truncate
from gossamer.steps.text.clean_line import plain

_MAX_CHARS = 400
_MAX_COUNT = 20
_LONGEST_WAIT_S = 86_400.0
_LONG_WINDOWS = frozenset({"day", "daily", "month", "monthly"})
"""Waiting for an hour is a pace, waiting for tomorrow is a quota."""
_COUNTRIES = table(
    "AR:argentina AT:austria AU:australia BE:belgium BG:bulgaria BR:brazil CA:canada CH:switzerland CL:chile "
    "CN:china CO:colombia CZ:czech_republic DE:germany DK:denmark EE:estonia EG:egypt ES:spain FI:finland "
    "FR:france GB:united_kingdom GR:greece HR:croatia HU:hungary ID:indonesia IE:ireland IL:israel IN:india "
    "IS:iceland IT:italy JP:japan KE:kenya KR:south_korea LT:lithuania LU:luxembourg LV:latvia MX:mexico "
    "MY:malaysia NG:nigeria NL:netherlands NO:norway NZ:new_zealand PE:peru PH:philippines PK:pakistan PL:poland "
    "PT:portugal RO:romania RS:serbia RU:russia SA:saudi_arabia SE:sweden SG:singapore SI:slovenia SK:slovakia "
    "TH:thailand TR:turkey TW:taiwan UA:ukraine US:united_states VN:vietnam ZA:south_africa"
)
"""Tavily wants the name of a country, not its code."""


class _Row(BaseModel):
    url: str
    title: str | None = None
    content: str | None = None
    published_date: str | None = None


class _Reply(BaseModel):
    results: list[_Row]


class _Said(BaseModel):
    error: str


class _Complaint(BaseModel):
    detail: _Said


class _Fault(BaseModel):
    loc: list[str | int] = []
    msg: str


class _Faults(BaseModel):
    detail: list[_Fault]


class _Cap(BaseModel):
    code: str = Field(pattern="^keyless")
    window: str = ""
    retry_after_seconds: float | None = None


class _Capped(BaseModel):
    error: _Cap


class Tavily(OptionalKey):
    """Settings under ``[providers.tavily]``."""

    name: ClassVar[str] = "tavily"
    title: ClassVar[str] = "Tavily"
    filters: ClassVar[frozenset[Filter]] = frozenset({"site", "time_range", "region"})
    categories: ClassVar[frozenset[Category]] = frozenset({"general", "news"})
    max_chars: ClassVar[int | None] = _MAX_CHARS
    terms: ClassVar[Terms] = Terms(
        usd_per_1000=8.0,
        limits="1,000 searches a month free with a key; without one hourly, daily and monthly caps, not published",
        privacy="Tavily sees the query, and without a key the address it comes from",
    )

    base_url: str = "https://api.tavily.com"
    """Address of the API."""
    api_key: SecretStr = SecretStr("")
    """The key of your account; empty: asked without one, within smaller limits."""

    def request(self, query: Query) -> HttpRequest:
        """Ask for a basic search, which costs one credit; a country is taken for web pages alone."""
        is_news = query.category == "news"
        asked: dict[str, object] = {
            "query": truncate(" ".join(query.text.split()), _MAX_CHARS),
            "topic": "news" if is_news else "general",
            "search_depth": "basic",
            "max_results": min(query.count, _MAX_COUNT),
        }
        if query.time_range:
            asked["time_range"] = query.time_range
        if query.site:
            asked["include_domains"] = [query.site]
        if not is_news and (place := _COUNTRIES.get(country(query))):
            asked["country"] = place
        key = self.api_key.get_secret_value()
        login = {"Authorization": f"Bearer {key}"} if key else {"X-Tavily-Access-Mode": "keyless"}
        return json_post(f"{self.base_url}/search", asked, login)

    def judge(self, reply: HttpReply) -> None:
        """A keyless cap is told by its error object, whatever its status; the others by statuses of Tavily's own."""
        if capped := error_body(reply, _Capped):
            wait_s = _wait_s(reply, capped.error)
            if capped.error.window.lower() in _LONG_WINDOWS:
                raise quota_spent(self, retry_after_s=wait_s)
            raise RateLimited(self.title, retry_after_s=wait_s)
        judge_keyed(self, reply, _complaint(reply), spent={432, 433})

    def parse(self, reply: HttpReply) -> Found:
        """Read the results; the date comes with news alone."""
        rows = reply.read(_Reply).results
        return results_of(
            self, rows, lambda row: hit(self.name, row.url, row.title, row.content, published=_day(row.published_date))
        )


def _complaint(reply: HttpReply) -> str:
    """What was wrong: one sentence, or a list of faults with their places."""
    if complaint := error_body(reply, _Complaint):
        return complaint.detail.error
    faults = error_body(reply, _Faults)
    return (
        "; ".join(f"{fault.loc[-1] if fault.loc else 'body'}: {fault.msg}" for fault in faults.detail[:3])
        if faults
        else ""
    )


def _wait_s(reply: HttpReply, cap: _Cap) -> float | None:
    said = cap.retry_after_seconds
    return retry_after(reply) if said is None or not 0 <= said <= _LONGEST_WAIT_S else said


def _day(said: str | None) -> str | None:
    """News carry the date of a mail header, `Tue, 03 Nov 2026 08:00:00 GMT`, or an ISO one."""
    try:
        return day(said) or parsedate_to_datetime(plain(said or "", max_chars=100)).date().isoformat()
    except (ValueError, OverflowError):
        return None
