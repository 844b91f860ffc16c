"""The structured results of `core`: small, and the same facts as the text."""

from typing import Literal

from pydantic import BaseModel, ConfigDict


class Shape(BaseModel):
    """A part of a result; its check is built when the first one is made, not when the server starts."""

    model_config = ConfigDict(defer_build=True)


class ContentOut(Shape):
    """What a result's page holds for the query."""

    markdown: str | None = None
    """The page, or its passages and code for the query, between marks; left out where the budget has no room for it."""
    word_count: int
    """Of the whole page."""
    fetch_time_ms: int
    quality: float
    summary: str | None = None
    """Sentences of the page in one clean line."""


class HitOut(Shape):
    """One result."""

    title: str
    url: str
    description: str
    score: float
    engine: str
    published: str | None = None
    source: str | None = None
    authors: list[str] | None = None
    doi: str | None = None
    image_url: str | None = None
    thumbnail_url: str | None = None
    resolution: str | None = None
    duration_s: int | None = None
    file_size: str | None = None
    latitude: float | None = None
    longitude: float | None = None
    outcome: str | None = None
    """How fetching its page ended, where no content came of it."""
    dropped: Literal["duplicate", "low_quality"] | None = None
    """Why a page that came is not shown."""
    content: ContentOut | None = None


class FetchStats(Shape):
    """How fetching the results' pages went."""

    attempted: int
    successful: int
    failed: int
    dropped: int
    """Pages that came and are not shown: behind a paywall, the same as an earlier one, or without substance."""
    total_time_ms: int
    outcomes: dict[str, int]
    """How many pages ended as which outcome."""


class SearchOut(Shape):
    """A search."""

    query: str
    category: str
    language: str
    results_count: int
    search_time_ms: int
    instance_used: str
    fetch_content: bool
    results: list[HitOut]
    total_results: int
    engines_used: list[str]
    content_fetch_stats: FetchStats | None = None
    suggestions: list[str] | None = None
    note: str | None = None
    cursor: str | None = None


class SearchFailureOut(Shape):
    """A search that nobody could answer."""

    query: str
    error_type: str
    """`no_instances_available` where SearXNG alone could be asked, else the outcome."""
    error_details: str
    attempted_instances: list[str] | None = None
    retry_after: int | None = None
    """Seconds, where trying again may help."""


class CitationOut(Shape):
    """A proven quote: characters `start` to `end` of the page as it was fetched."""

    number: int
    url: str
    title: str
    quote: str
    start: int
    end: int
    fetched: str


class AnswerOut(Shape):
    """An answer."""

    question: str
    answer: str
    citations: list[CitationOut]
    dropped: int
    note: str | None = None
