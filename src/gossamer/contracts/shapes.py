"""The structured results of `core`: small, and the same facts as the text."""

from pydantic import BaseModel


class ContentOut(BaseModel):
    """What a result's page holds for the query, between marks."""

    markdown: str
    word_count: int
    fetch_time_ms: int


class HitOut(BaseModel):
    """One result."""

    title: str
    url: str
    description: str
    score: float
    engine: str
    published: str | None = None
    content: ContentOut | None = None


class FetchStats(BaseModel):
    """How fetching the results' pages went."""

    attempted: int
    successful: int
    failed: int
    total_time_ms: int
    outcomes: dict[str, int]
    """How many pages ended as which outcome."""


class SearchOut(BaseModel):
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


class CitationOut(BaseModel):
    """A proven quote: characters `start` to `end` of the page as it was fetched."""

    number: int
    url: str
    title: str
    quote: str
    start: int
    end: int
    fetched: str


class AnswerOut(BaseModel):
    """An answer."""

    question: str
    answer: str
    citations: list[CitationOut]
    dropped: int
    note: str | None = None
