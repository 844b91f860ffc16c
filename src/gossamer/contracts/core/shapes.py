"""The structured results of `core`: small, and the same facts as the text."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from gossamer.contracts.render.envelope import Ours, QuotedAddress, QuotedLine, QuotedText


class Shape(BaseModel):
    """A part of a result; its check is built when the first one is made, not when the server starts."""

    model_config = ConfigDict(defer_build=True)


class ContentOut(Shape):
    """What a result's page holds for the query."""

    markdown: QuotedText | None = None
    """The page, or its passages and code for the query, between marks; left out where the budget has no room for it."""
    word_count: int
    """Of the whole page."""
    fetch_time_ms: int
    quality: float
    summary: QuotedLine | None = None
    """Sentences of the page in one clean line."""


class HitOut(Shape):
    """One result."""

    title: QuotedLine
    url: QuotedAddress
    description: QuotedLine
    score: float
    engine: QuotedLine
    published: QuotedLine | None = None
    source: QuotedLine | None = None
    authors: list[QuotedLine] | None = None
    doi: QuotedLine | None = None
    image_url: QuotedAddress | None = None
    thumbnail_url: QuotedAddress | None = None
    resolution: QuotedLine | None = None
    duration_s: int | None = None
    file_size: QuotedLine | None = None
    latitude: float | None = None
    longitude: float | None = None
    outcome: Ours | None = None
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
    outcomes: dict[Ours, int]
    """How many pages ended as which outcome."""


class SearchOut(Shape):
    """A search."""

    query: QuotedLine
    category: Ours
    language: Ours
    results_count: int
    search_time_ms: int
    instance_used: QuotedAddress
    fetch_content: bool
    results: list[HitOut]
    total_results: int
    engines_used: list[QuotedLine]
    content_fetch_stats: FetchStats | None = None
    suggestions: list[QuotedLine] | None = None
    note: Ours | None = None
    cursor: Ours | None = None


class SearchFailureOut(Shape):
    """A search that nobody could answer."""

    query: QuotedLine
    error_type: Ours
    """`no_instances_available` where SearXNG alone could be asked, else the outcome."""
    error_details: Ours
    attempted_instances: list[QuotedAddress] | None = None
    retry_after: int | None = None
    """Seconds, where trying again may help."""


class CitationOut(Shape):
    """A proven quote: characters `start` to `end` of the page as it was fetched, in one clean line."""

    number: int
    url: QuotedAddress
    title: QuotedLine
    quote: QuotedText
    start: int
    end: int
    published: QuotedLine | None = None
    fetched: Ours


class AnswerOut(Shape):
    """An answer."""

    question: QuotedLine
    answer: QuotedText
    citations: list[CitationOut]
    """Where nothing answers: the beginnings of the passages that come closest."""
    dropped: int
    note: Ours | None = None
