"""Builds requests: query text, language, country, time range and JSON body as search APIs take them."""

import json
import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta

from gossamer.model.http import HttpRequest
from gossamer.model.search import Query

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
