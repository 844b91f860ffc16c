"""You.com: an index of its own; answers without a key too, about a hundred searches a day per address.

With and without a key it lives at different addresses that answer alike.
"""

from typing import ClassVar

from pydantic import BaseModel, SecretStr

from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import Found, Hit, Query
from gossamer.ports import Filter, Terms
from gossamer.providers.shared.api_errors import key_refused, quota_spent
from gossamer.providers.shared.hit_fields import day, hit, results_of
from gossamer.providers.shared.request import OptionalKey, country, language, truncate

_KEYED = "https://ydc-index.io/v1"
_KEYLESS = "https://api.you.com/v1/agents"
_MAX_CHARS = 500
_SAFE = ("off", "moderate", "strict")


class _Row(BaseModel):
    url: str
    title: str | None = None
    description: str | None = None
    snippets: list[str] | None = None
    page_age: str | None = None


class _Results(BaseModel):
    web: list[_Row] = []


class _Reply(BaseModel):
    results: _Results


class You(OptionalKey):
    """Settings under ``[providers.you]``."""

    name: ClassVar[str] = "you"
    title: ClassVar[str] = "You.com"
    filters: ClassVar[frozenset[Filter]] = frozenset({"site", "time_range", "region", "language", "safe_search"})
    max_chars: ClassVar[int | None] = _MAX_CHARS
    terms: ClassVar[Terms] = Terms(
        usd_per_1000=5.0,
        limits="about 100 searches a day per address without a key",
        privacy="You.com sees the query, and without a key the address it comes from",
    )

    base_url: str = ""
    """Address of the API; empty: the one that suits having a key or not."""
    api_key: SecretStr = SecretStr("")
    """The key of your account; empty: asked without one, within smaller limits."""

    def instance(self, query: Query) -> str:  # noqa: ARG002  the same for every query
        """The address that suits the key."""
        return self.base_url or (_KEYED if self.is_own else _KEYLESS)

    def request(self, query: Query) -> HttpRequest:
        """Ask for plain bytes where there is no key: what is compressed there is said to come broken."""
        params: dict[str, str | int] = {
            "query": truncate(" ".join(query.text.split()), _MAX_CHARS),
            "count": query.count,
            "safesearch": _SAFE[query.safe_search],
        }
        if place := country(query):
            params["country"] = place
        if spoken := language(query):
            params["language"] = spoken.upper()
        if query.time_range:
            params["freshness"] = query.time_range
        if query.site:
            params["include_domains"] = query.site
        key = self.api_key.get_secret_value()
        headers = {"X-API-Key": key} if key else {"Accept-Encoding": "identity"}
        return HttpRequest(
            url=f"{self.instance(query)}/search", params=params, headers={"Accept": "application/json", **headers}
        )

    def judge(self, reply: HttpReply) -> None:
        """Statuses mean what they usually do; 402 is an account without money."""
        if reply.status in {401, 403}:
            raise key_refused(self)
        if reply.status == 402:
            raise quota_spent(self)
        super().judge(reply)

    def parse(self, reply: HttpReply) -> Found:
        """Read the web section; the first snippet was chosen for the query, the description was not."""
        rows = reply.read(_Reply).results.web
        return results_of(self, rows, _hit)


def _hit(row: _Row) -> Hit | None:
    chosen = next((text for text in row.snippets or [] if text.strip()), row.description)
    return hit(You.name, row.url, row.title, chosen, published=day(row.page_age))
