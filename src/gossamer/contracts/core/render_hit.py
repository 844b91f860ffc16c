"""One result, as a row of the list and as data: what it is, beside its title and extract."""

from typing import Literal

from gossamer.contracts.core.shapes import ContentOut, HitOut
from gossamer.contracts.render.envelope import lines
from gossamer.errors import Outcome
from gossamer.model.search import Content, Details, Hit, SearchPage

_MOST_AUTHORS = 10
_NAMED_AUTHORS = 3


def hit_data(
    hit: Hit, *, title: str, engine: str, with_extract: bool, kept: Content | None, content: ContentOut | None
) -> HitOut:
    """The structured form; what a category adds, and why there is no content, goes when the extract does."""
    more = hit.details if with_extract else Details()
    missed = kept if with_extract and kept and not kept.is_shown else None
    return HitOut(
        title=title,
        url=hit.url,
        description=hit.snippet if with_extract else "",
        score=hit.score,
        engine=engine,
        published=hit.published,
        source=more.source or None,
        authors=list(more.authors[:_MOST_AUTHORS]) or None,
        doi=more.doi or None,
        image_url=more.image_url or None,
        thumbnail_url=more.thumbnail_url or None,
        resolution=more.resolution or None,
        duration_s=more.duration_s,
        file_size=more.file_size or None,
        latitude=more.latitude,
        longitude=more.longitude,
        outcome=missed.outcome.value if missed else None,
        dropped=_reason(missed) if missed else None,
        content=content,
    )


def _reason(content: Content) -> Literal["duplicate", "low_quality"] | None:
    if content.same_as is not None:
        return "duplicate"
    return "low_quality" if content.is_poor else None


def content_data(content: Content, *, markdown: str | None, summary: str) -> ContentOut:
    """The structured form of a page that was read."""
    return ContentOut(
        markdown=markdown,
        word_count=content.words,
        fetch_time_ms=content.fetch_ms,
        quality=content.quality,
        summary=summary or None,
    )


def hit_row(number: int, hit: Hit, *, title: str, with_extract: bool, remark: str) -> str:
    """The readable form: a number and a title, the address, the extract, what the category adds."""
    date = f" ({hit.published})" if hit.published else ""
    return lines(
        f"{number}. {title}{date}",
        hit.url,
        hit.snippet if with_extract else "",
        details_line(hit.details) if with_extract else "",
        remark,
    )


def page_remark(content: Content, *, start: int, summary: str) -> str:
    """What is said in the list of a page that is not shown below it."""
    if content.failure:
        return f"(page not read: {content.failure.outcome})"
    if content.outcome is Outcome.PAYWALL:
        return "(page left out: paywall)"
    if content.same_as is not None:
        return f"(page left out: the same as result {start + content.same_as + 1})"
    if content.is_poor:
        return "(page left out: hardly any text of its own)"
    return f"Summary: {summary}" if summary else ""


def details_line(more: Details) -> str:
    """What a picture, a film, a paper, a place or a file has beside text, in one line; empty where nothing is known."""
    people = ", ".join(more.authors[:_NAMED_AUTHORS])
    if len(more.authors) > _NAMED_AUTHORS:
        people += f" and {len(more.authors) - _NAMED_AUTHORS} more"
    size = f" ({more.resolution})" if more.resolution else ""
    picture = f"image {more.image_url}{size}" if more.image_url else more.resolution
    place = "" if more.latitude is None or more.longitude is None else f"at {more.latitude:g}, {more.longitude:g}"
    parts = (
        more.source,
        f"by {people}" if people else "",
        f"doi {more.doi}" if more.doi else "",
        clock(more.duration_s),
        picture,
        more.file_size,
        place,
    )
    return " · ".join(part for part in parts if part)


def seen_by(page: SearchPage, *, now: float) -> str:
    """The services that saw the query; for cached results their age. Empty where the query never left."""
    if page.services:
        return f"Seen by: {', '.join(page.services)}."
    if page.kept_since is None:
        return ""
    return f"Kept from a search {_ago(now - page.kept_since)}; nobody saw the query now."


def _ago(seconds: float) -> str:
    minutes = int(max(0.0, seconds) // 60)
    if minutes < 1:
        return "less than a minute ago"
    return f"{minutes} min ago" if minutes < 120 else f"{minutes // 60} h ago"


def clock(seconds: int | None) -> str:
    """`3:05`, `1:02:03`; nothing where a length is unknown."""
    if seconds is None:
        return ""
    minutes, rest = divmod(max(0, seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
