"""Builds requests: query text, language, country, time range and JSON body as search APIs take them."""

import json
import re
from collections.abc import Callable, Generator, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

from pydantic import SecretStr

from gossamer.errors import GossamerError
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import Found, Query
from gossamer.ports import Provider

_LANGUAGE = re.compile(r"[a-z]{2,3}")
_COUNTRY = re.compile(r"[A-Z]{2}")
_DAYS = {"day": 1, "week": 7, "month": 31, "year": 366}


def query_text(query: Query, *, max_chars: int | None = None, max_words: int | None = None) -> str:
    """The text of a query with its site as an operator, cut at a word where the service takes no more.

    The operator is never cut: a search of the whole web would not be what was asked for.
    """
    site = f" site:{query.site}" if query.site else ""
    text = " ".join(query.text.split())
    if max_words is not None:
        text = " ".join(text.split()[: max_words - bool(site)])
    return (text if max_chars is None else truncate(text, max_chars - len(site))) + site


def truncate(text: str, max_chars: int) -> str:
    """The text up to its last whole word within the bound; one endless word is cut."""
    if len(text) <= max_chars:
        return text
    cut = text[:max_chars]
    return (cut if text[max_chars].isspace() else cut.rpartition(" ")[0] or cut).rstrip()


def language(query: Query) -> str:
    """The language alone, such as `de`; nothing when any will do or it is no code."""
    code = query.language.replace("_", "-").partition("-")[0].lower()
    return code if _LANGUAGE.fullmatch(code) and code != "all" else ""


def country(query: Query) -> str:
    """The country, such as `AT`: the region asked for, else the one inside the language; nothing when there is none."""
    inside = query.language.replace("_", "-").rpartition("-")[2] if "-" in query.language.replace("_", "-") else ""
    code = (query.region or inside).upper()
    return code if code.isascii() and _COUNTRY.fullmatch(code) else ""


def query_day(query: Query) -> date:
    """The day on which a query is asked: by the engine's clock, or now where no engine asks."""
    return query.day or datetime.now(UTC).date()


def since(query: Query) -> date | None:
    """The first day that a query's time range holds; whole days, so that the same query stays the same all day."""
    return query_day(query) - timedelta(days=_DAYS[query.time_range]) if query.time_range else None


def unix(day: date) -> int:
    """The second at which a day begins, in UTC."""
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())


def json_post(url: str, value: Mapping[str, object], headers: Mapping[str, str]) -> HttpRequest:
    """The same value is always the same request."""
    return HttpRequest(
        url=url,
        method="POST",
        headers={"Accept": "application/json", "Content-Type": "application/json", **headers},
        body=json.dumps(value).encode(),
    )


def table(pairs: str) -> dict[str, str]:
    """`AT:austria GB:united_kingdom` as a table; an underscore stands for a space."""
    split = (pair.partition(":") for pair in pairs.split())
    return {code: spelling.replace("_", " ") for code, _, spelling in split}


class OptionalKey(Provider):
    """A provider that takes a key, and with one is the operator's own."""

    api_key: SecretStr = SecretStr("")
    """The key of your account; sent in a header where the service takes it there, and never shown."""

    @property
    def is_own(self) -> bool:
        """Whether there is a key."""
        return bool(self.api_key.get_secret_value())


class Keyed(OptionalKey):
    """A provider that is ready when it has a key, and then the operator's own."""

    @property
    def is_ready(self) -> bool:
        """The service requires a key."""
        return bool(self.api_key.get_secret_value())

    @property
    def is_own(self) -> bool:
        """The operator pays for it, or chose it by name."""
        return self.is_ready


def gather(
    ask: Callable[[int], HttpRequest],
    read: Callable[[HttpReply], tuple[Found, bool]],
    *,
    count: int,
    max_pages: int,
) -> Generator[HttpRequest, HttpReply, Found]:
    """Ask for page 0, 1, … until `count` hits are there; what the first page says beside its hits counts for all.

    `read` also tells whether it is worth asking on. Each page costs a request, so one that brings nothing new is the
    last; one that fails costs only itself.
    """
    results, is_more = read((yield ask(0)))
    page = 0
    while is_more and len(results.hits) < count and page + 1 < max_pages:
        page += 1
        try:
            more, is_more = read((yield ask(page)))
        except GossamerError as error:
            note = f"Page {page + 1} could not be had: {error.message}"
            return replace(results, hits=results.hits[:count], note=f"{results.note} {note}".strip(), is_part=True)
        known = {hit.url for hit in results.hits}
        new = tuple(hit for hit in more.hits if hit.url not in known)
        is_more = is_more and bool(new)
        results = replace(results, hits=results.hits + new)
    return replace(results, hits=results.hits[:count])
