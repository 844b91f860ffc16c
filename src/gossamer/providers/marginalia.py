"""Marginalia: an index of small, text-heavy, non-commercial pages; its errors are plain text.

A key is free for non-commercial use. The shared key `public` works too, but is nearly always over its limit.
"""

from typing import ClassVar

from pydantic import BaseModel, SecretStr

from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import Found, Query
from gossamer.ports import Filter, Terms
from gossamer.providers.shared.api_errors import bad_key, used_up
from gossamer.providers.shared.hit_fields import hit, results_of
from gossamer.providers.shared.request import Keyed, language, query_text

_MAX_COUNT = 100
_SHARED = "public"


class _Row(BaseModel):
    url: str
    title: str = ""
    description: str = ""


class _Reply(BaseModel):
    results: list[_Row]


class Marginalia(Keyed):
    """Settings under ``[providers.marginalia]``."""

    name: ClassVar[str] = "marginalia"
    title: ClassVar[str] = "Marginalia"
    filters: ClassVar[frozenset[Filter]] = frozenset({"site", "language", "safe_search"})
    terms: ClassVar[Terms] = Terms(
        limits="by minute and by day, as the key's owner was told; results under CC-BY-NC-SA 4.0",
        privacy="Marginalia sees the query",
    )

    base_url: str = "https://api2.marginalia-search.com"
    """Address of the API."""
    api_key: SecretStr = SecretStr("")
    """The key of your account, or `public`; sent in a header, never in the address."""

    @property
    def is_own(self) -> bool:
        """A key of one's own has a limit of its own."""
        return self.api_key.get_secret_value() not in {"", _SHARED}

    def request(self, query: Query) -> HttpRequest:
        """Ask for everything at once; of one site as many results as there are, else two of each."""
        count = min(query.count, _MAX_COUNT)
        params: dict[str, str | int] = {"query": query_text(query), "count": count, "nsfw": int(query.safe_search > 0)}
        if spoken := language(query):
            params["lang"] = spoken
        if query.site:
            params["dc"] = count
        headers = {"Accept": "application/json", "API-Key": self.api_key.get_secret_value()}
        return HttpRequest(url=f"{self.base_url}/search", params=params, headers=headers)

    def judge(self, reply: HttpReply) -> None:
        """Tell a missing key from a bad query, and a used-up day from a pace, by the words that came."""
        said = reply.body[:200].decode(errors="replace").lower()
        if reply.status == 401 or (reply.status == 400 and "api-key" in said):
            raise bad_key(self)
        if reply.status == 429 and "daily" in said:
            raise used_up(self)
        super().judge(reply)

    def parse(self, reply: HttpReply) -> Found:
        """Read the pages found, best first as they come."""
        rows = reply.read(_Reply).results
        return results_of(self, rows, lambda row: hit(self.name, row.url, row.title, row.description))
