"""Stack Exchange: questions and answers of one of its sites, Stack Overflow unless another is set.

Works without a key, 300 times a day per address. Titles are escaped, and its errors have numbers of their own.
"""

import re
from dataclasses import replace
from typing import ClassVar

from pydantic import BaseModel, Field, SecretStr

from gossamer.errors import GossamerError, RateLimited, Unreachable
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import Category, Details, Found, Hit, Query
from gossamer.ports import Filter, Terms, retry_after
from gossamer.providers.shared.api_errors import bad_query, error_body, key_refused
from gossamer.providers.shared.hit_fields import counted, day_of, hit, names, results_of
from gossamer.providers.shared.request import OptionalKey, since, truncate, unix

_MAX_CHARS = 240
_MAX_COUNT = 100
_WAIT = re.compile(r"available in ([0-9]{1,6}) second")
_LONGEST_WAIT_S = 86_400.0


class _Owner(BaseModel):
    display_name: str | None = None


class _Row(BaseModel):
    link: str
    title: str
    body: str | None = None
    score: int | None = None
    answer_count: int | None = None
    accepted_answer_id: int | None = None
    creation_date: int | None = None
    owner: _Owner | None = None


class _Reply(BaseModel):
    items: list[_Row]
    has_more: bool
    backoff: int = Field(default=0, ge=0)
    """Seconds in which this must not be asked again, if any."""


class _Complaint(BaseModel):
    id: int = Field(alias="error_id")
    name: str = Field(default="", alias="error_name")
    message: str = Field(default="", alias="error_message")


class StackExchange(OptionalKey):
    """Settings under ``[providers.stackexchange]``."""

    name: ClassVar[str] = "stackexchange"
    title: ClassVar[str] = "Stack Exchange"
    filters: ClassVar[frozenset[Filter]] = frozenset({"time_range"})
    is_general: ClassVar[bool] = False
    categories: ClassVar[frozenset[Category]] = frozenset({"it"})
    max_chars: ClassVar[int | None] = _MAX_CHARS
    terms: ClassVar[Terms] = Terms(
        limits="300 searches a day per address, 10,000 with a key", privacy="Stack Exchange sees the query"
    )

    base_url: str = "https://api.stackexchange.com/2.3"
    """Address of the API."""
    api_key: SecretStr = SecretStr("")
    """The key of your app, for more searches a day; Stack Exchange takes it in the address alone."""
    site: str = Field(default="stackoverflow", pattern=r"^[a-z0-9.-]{1,60}$")
    """Which of its sites is searched, such as superuser or unix."""

    def request(self, query: Query) -> HttpRequest:
        """Ask for questions with their text, the most relevant first."""
        params: dict[str, str | int] = {
            "q": truncate(" ".join(query.text.split()), _MAX_CHARS),
            "site": self.site,
            "sort": "relevance",
            "order": "desc",
            "page": 1,
            "pagesize": min(query.count, _MAX_COUNT),
            "filter": "withbody",
        }
        if start := since(query):
            params["fromdate"] = unix(start)
        if self.is_own:
            params["key"] = self.api_key.get_secret_value()
        return HttpRequest(url=f"{self.base_url}/search/advanced", params=params)

    def judge(self, reply: HttpReply) -> None:
        """Tell errors apart by their number, whatever the status."""
        if complaint := error_body(reply, _Complaint):
            raise self._meant(complaint, reply)
        super().judge(reply)

    def parse(self, reply: HttpReply) -> Found:
        """Read the questions."""
        body = reply.read(_Reply)
        results = results_of(self, body.items, lambda row: _hit(row, self.site))
        return replace(results, rest_s=min(float(body.backoff), _LONGEST_WAIT_S))

    def _meant(self, complaint: _Complaint, reply: HttpReply) -> GossamerError:
        match complaint.id:
            case 502:
                match = _WAIT.search(complaint.message[:500])
                wait_s = min(float(match[1]), _LONGEST_WAIT_S) if match else retry_after(reply)
                return RateLimited(self.title, retry_after_s=wait_s)
            case 401 | 402 | 403 | 405 | 406:
                return key_refused(self)
            case 400 | 404 | 407 | 409:
                return bad_query(self, complaint.message)
            case _:
                return Unreachable(
                    f"Stack Exchange failed on its side ({complaint.id}).",
                    hint="Try again later.",
                    retry_after_s=retry_after(reply),
                ).quoting(complaint.name)


def _hit(row: _Row, site: str) -> Hit | None:
    answers = f"{counted(row.answer_count, 'answer')}{', one accepted' if row.accepted_answer_id else ''}"
    writer = row.owner.display_name if row.owner else None
    return hit(
        StackExchange.name,
        row.link,
        row.title,
        f"{counted(row.score, 'vote')}, {answers}. {row.body or ''}",
        published=day_of(row.creation_date),
        details=Details(source=site, authors=names([writer] if writer else [])),
    )
