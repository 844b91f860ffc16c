"""GitHub: its search for repositories; works without a key, ten times a minute.

A used-up pace is a 403 as often as a 429, told by its headers.
"""

from dataclasses import replace
from email.utils import parsedate_to_datetime
from typing import ClassVar

from pydantic import BaseModel, SecretStr

from gossamer.errors import RateLimited
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import Category, Details, Found, Hit, Query
from gossamer.ports import Filter, Terms, retry_after
from gossamer.providers.shared.api_errors import error_body, judge_keyed
from gossamer.providers.shared.hit_fields import counted, day, hit, names, number, results_of
from gossamer.providers.shared.request import OptionalKey, since, truncate

_MAX_CHARS = 256
_MAX_COUNT = 100
_LONGEST_WAIT_S = 86_400.0


class _Owner(BaseModel):
    login: str


class _Row(BaseModel):
    html_url: str
    full_name: str
    description: str | None = None
    language: str | None = None
    stargazers_count: int | None = None
    created_at: str | None = None
    pushed_at: str | None = None
    owner: _Owner | None = None


class _Reply(BaseModel):
    total_count: int
    incomplete_results: bool = False
    items: list[_Row]


class _Complaint(BaseModel):
    message: str


class GitHub(OptionalKey):
    """Settings under ``[providers.github]``."""

    name: ClassVar[str] = "github"
    title: ClassVar[str] = "GitHub"
    filters: ClassVar[frozenset[Filter]] = frozenset({"time_range"})
    is_general: ClassVar[bool] = False
    categories: ClassVar[frozenset[Category]] = frozenset({"it"})
    max_chars: ClassVar[int | None] = _MAX_CHARS
    terms: ClassVar[Terms] = Terms(
        limits="10 searches a minute without a token, 30 with one", privacy="GitHub sees the query"
    )

    base_url: str = "https://api.github.com"
    """Address of the API."""
    api_key: SecretStr = SecretStr("")
    """A personal access token, for more searches a minute; it needs no permission."""

    def request(self, query: Query) -> HttpRequest:
        """Ask for repositories by best match; those without a push in the time asked for are left out."""
        pushed = f" pushed:>={start.isoformat()}" if (start := since(query)) else ""
        headers = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
        if self.is_own:
            headers["Authorization"] = f"Bearer {self.api_key.get_secret_value()}"
        return HttpRequest(
            url=f"{self.base_url}/search/repositories",
            params={
                "q": truncate(" ".join(query.text.split()), _MAX_CHARS - len(pushed)) + pushed,
                "per_page": min(query.count, _MAX_COUNT),
                "page": 1,
            },
            headers=headers,
        )

    def judge(self, reply: HttpReply) -> None:
        """Tell a pace from a closed door: the first names what is left, or when to come again."""
        complaint = error_body(reply, _Complaint)
        message = complaint.message if complaint else ""
        is_paced = reply.headers.get("x-ratelimit-remaining") == "0" or "rate limit" in message.lower()
        if reply.status == 429 or (reply.status == 403 and (is_paced or "retry-after" in reply.headers)):
            raise RateLimited(self.title, retry_after_s=_wait_s(reply))
        judge_keyed(self, reply, message)

    def parse(self, reply: HttpReply) -> Found:
        """Read the repositories; a search that ran out of time says so."""
        body = reply.read(_Reply)
        note = "GitHub's search ran out of time and is incomplete." if body.incomplete_results else ""
        return replace(results_of(self, body.items, _hit, total=body.total_count), note=note)


def _hit(row: _Row) -> Hit | None:
    facts = [counted(row.stargazers_count, "star")]
    facts += [row.language] if row.language else []
    facts += [f"last push {pushed}"] if (pushed := day(row.pushed_at)) else []
    return hit(
        GitHub.name,
        row.html_url,
        row.full_name,
        f"{row.description or ''} ({', '.join(facts)})",
        published=pushed or day(row.created_at),
        details=Details(source=GitHub.title, authors=names([row.owner.login] if row.owner else [])),
    )


def _wait_s(reply: HttpReply) -> float | None:
    """By `Retry-After`, else from the reply's own date to the second at which the pace begins anew."""
    if (named := retry_after(reply)) is not None:
        return named
    reset = number(reply.headers.get("x-ratelimit-reset"))
    try:
        now = parsedate_to_datetime(reply.headers.get("date", "")).timestamp()
    except (ValueError, OverflowError):
        return None
    return None if reset is None else min(max(0.0, reset - now), _LONGEST_WAIT_S)
