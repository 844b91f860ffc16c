"""SearXNG's reply: rows, suggestions and silent engines, from its JSON; `searxng_page` reads the same from HTML."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, Field

from gossamer.errors import EnginesSilent
from gossamer.model.http import HttpReply
from gossamer.model.search import Details, Found, Hit
from gossamer.providers.shared.hit_fields import day, names, seconds
from gossamer.steps.text.clean_line import plain, plain_address

_REASONS = (
    "timeout",
    "CAPTCHA",
    "access denied",
    "too many requests",
    "HTTP error",
    "HTTP connection error",
    "HTTP protocol error",
    "network error",
    "proxy error",
    "SSL error: certificate validation has failed",
    "server API error",
    "parsing error",
    "unexpected crash",
)
"""Why an engine did not answer, as SearXNG tells it (searx/webutils.py)."""
_MAX_NAMED = 10
"""How many engines or suggestions are passed on."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One result, its words as they came."""

    url: str
    title: str
    content: str = ""
    engines: tuple[str, ...] = ()
    published: str | None = None
    details: Details = field(default_factory=Details)


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """One page of results."""

    rows: tuple[Row, ...]
    total: int | None = None
    suggestions: tuple[str, ...] = ()
    silent: tuple[tuple[str, ...], ...] = ()
    """Engines that had no answer, each with its reason."""

    def found(self) -> Found:
        """Engines that did not answer are an error only when nobody found anything."""
        silent = [tuple(plain(part, max_chars=60) for part in pair) for pair in self.silent if pair]
        hits = tuple(hit for row in self.rows if (hit := _hit(row)))
        if silent and not hits:
            error = EnginesSilent(
                f"No engine of SearXNG found anything; without answer: {_counted(silent)}.", hint="Try again later."
            )
            raise error.quoting(", ".join(": ".join(pair) for pair in silent))
        return Found(
            hits=hits,
            total=self.total,
            suggestions=distinct(self.suggestions)[:_MAX_NAMED],
            engines=distinct(name for row in self.rows for name in row.engines),
            note=f"SearXNG had no answer from {_counted(silent)}." if silent else "",
        )


class _Row(BaseModel):
    """Engines of the old kind leave fields out or fill them with what they have: all but the address is optional."""

    url: str
    title: str
    content: str | None = None
    engine: str | None = None
    engines: list[str] = []
    published: str | None = Field(default=None, alias="publishedDate")
    pubdate: str | None = None
    """Where old versions have the date alone."""
    image: Any = Field(default=None, alias="img_src")
    thumbnail_src: Any = None
    thumbnail: Any = None
    resolution: Any = None
    length: Any = None
    source: Any = None
    journal: Any = None
    author: Any = None
    authors: list[Any] | None = None
    doi: Any = None
    filesize: Any = None
    latitude: Any = None
    longitude: Any = None


class _Json(BaseModel):
    results: list[_Row]
    number_of_results: float | None = Field(default=None, allow_inf_nan=False)
    """Gone since May 2026."""
    suggestions: list[str] = []
    corrections: list[str] = []
    unresponsive_engines: list[tuple[str, ...]] = []


def read_json(reply: HttpReply) -> Reply:
    """Read what came as JSON."""
    page = reply.read(_Json)
    return Reply(
        rows=tuple(_row(row) for row in page.results),
        total=int(page.number_of_results) if page.number_of_results and page.number_of_results >= 1 else None,
        suggestions=(*page.corrections, *page.suggestions),
        silent=tuple(page.unresponsive_engines),
    )


def _row(row: _Row) -> Row:
    first = [row.engine] if row.engine else []
    return Row(
        url=row.url,
        title=row.title,
        content=row.content or "",
        engines=tuple(dict.fromkeys([*first, *row.engines])),
        published=day(row.published) or day(row.pubdate),
        details=_details(row),
    )


def _details(row: _Row) -> Details:
    people = [row.author] if row.authors is None else row.authors
    return Details(
        image_url=_address(row.image),
        thumbnail_url=_address(row.thumbnail_src) or _address(row.thumbnail),
        resolution=_line(row.resolution, max_chars=40),
        duration_s=_length(row.length),
        source=_line(row.journal) or _line(row.source),
        authors=names([name for name in people if isinstance(name, str)]),
        doi=_line(row.doi),
        latitude=_degrees(row.latitude, most=90),
        longitude=_degrees(row.longitude, most=180),
        file_size=_line(row.filesize, max_chars=40),
    )


def _hit(row: Row) -> Hit | None:
    url = plain_address(row.url)
    if not url:
        return None
    return Hit(
        url=url,
        title=plain(row.title, max_chars=200) or plain(url, max_chars=200),
        snippet=plain(row.content),
        engine=plain(row.engines[0], max_chars=50) if row.engines else "",
        published=row.published,
        details=row.details,
    )


def _address(value: object) -> str:
    return plain_address(value) if isinstance(value, str) else ""


def _line(value: object, *, max_chars: int = 100) -> str:
    is_told = isinstance(value, str) or (isinstance(value, int | float) and not isinstance(value, bool))
    return plain(str(value), max_chars=max_chars) if is_told else ""


def _length(value: object) -> int | None:
    """Seconds, as a number or as a clock shows them."""
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 10**7:
        return round(value)
    return seconds(value) if isinstance(value, str) else None


def _degrees(value: object, *, most: int) -> float | None:
    try:
        degrees = float(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else None
    except (ValueError, OverflowError):
        return None
    return degrees if degrees is not None and -most <= degrees <= most else None


def distinct(texts: Iterable[str]) -> tuple[str, ...]:
    """Each clean line once, in its order."""
    lines = (plain(name, max_chars=100) for name in texts)
    return tuple(dict.fromkeys(line for line in lines if line))


def _counted(silent: Sequence[tuple[str, ...]]) -> str:
    """`3 of its engines (timeout, CAPTCHA)`: other names and reasons are the instance's words."""
    reasons = {why.removeprefix("Suspended: ") for _, *whys in silent for why in whys}
    known = [why for why in _REASONS if why in reasons]
    return f"{len(silent)} of its engines" + (f" ({', '.join(known)})" if known else "")
