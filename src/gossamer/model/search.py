"""A search and what came of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal, get_args

from gossamer.errors import GossamerError, Outcome
from gossamer.model.page import Page, Passage

Category = Literal["general", "images", "videos", "news", "map", "music", "it", "science", "files"]
CATEGORIES: frozenset[Category] = frozenset(get_args(Category))
TimeRange = Literal["day", "week", "month", "year"]
ANY_LANGUAGE = "all"
"""What a query says in which no language was asked for."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Query:
    """What is looked for, and within which bounds."""

    text: str
    count: int = 10
    category: Category = "general"
    language: str = "en"
    region: str | None = None
    site: str | None = None
    time_range: TimeRange | None = None
    safe_search: Literal[0, 1, 2] = 1
    day: date | None = None
    """The day on which it is asked, in UTC; the engine sets it."""

    def filters(self) -> frozenset[str]:
        """Name the optional filters this query asks for; a provider that lacks one is told of in a note."""
        plain = Query(text=self.text)
        names = ("site", "time_range", "region", "category", "language", "safe_search")
        asked = frozenset(name for name in names if getattr(self, name) != getattr(plain, name))
        return asked - {"language"} if self.language == ANY_LANGUAGE else asked


@dataclass(frozen=True, kw_only=True, slots=True)
class Details:
    """What a result holds beside text: pictures, films, papers, places. Empty where it does not apply."""

    image_url: str = ""
    thumbnail_url: str = ""
    resolution: str = ""
    """`1920x1080`."""
    duration_s: int | None = None
    source: str = ""
    """The journal, channel, newspaper or shop."""
    authors: tuple[str, ...] = ()
    doi: str = ""
    latitude: float | None = None
    longitude: float | None = None
    file_size: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Hit:
    """One result: plain text in one line each, the address as the provider gave it."""

    url: str
    title: str
    snippet: str = ""
    engine: str = ""
    published: str | None = None
    score: float = 0.0
    details: Details = field(default_factory=Details)


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """What one provider returned: its hits in its order, and what it said beside them."""

    hits: tuple[Hit, ...] = ()
    total: int | None = None
    suggestions: tuple[str, ...] = ()
    engines: tuple[str, ...] = ()
    note: str = ""
    """What the caller should know of the reply, e.g. engines that did not answer."""
    raw: str = ""
    """The service's own JSON, where a contract hands it on."""
    is_part: bool = False
    """A later page could not be had, so that there is more than this."""
    rest_s: float = 0.0
    """For how long the service asks to be left alone after this answer."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Failure:
    """The failure of one part of a call, beside others that succeeded."""

    who: str
    outcome: Outcome
    message: str
    hint: str = ""
    retry_after_s: float | None = None
    quote: str = ""
    """What it said of that in its own words, which no sentence of ours repeats."""
    position: int | None = None
    """The place, from 1, of a result whose page failed."""

    @classmethod
    def of_result(cls, position: int, url: str, error: GossamerError) -> "Failure":
        """Turn the error of a result's page into data: the outcome alone, since a service chose what a host spells."""
        return cls(who=url, outcome=error.outcome, message="", retry_after_s=error.retry_after_s, position=position)

    @classmethod
    def of(cls, who: str, error: GossamerError) -> "Failure":
        """Turn an error into data."""
        return cls(
            who=who,
            outcome=error.outcome,
            message=error.message,
            hint=error.hint,
            retry_after_s=error.retry_after_s,
            quote=error.quote,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class CodeBlock:
    """A piece of code that stands on a page."""

    language: str
    """As the page names it; empty where it does not."""
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Content:
    """What the page behind a hit holds: the passages that suit the query, or how fetching it failed."""

    page: Page | None = None
    passages: tuple[Passage, ...] = ()
    words: int = 0
    """Of the whole page."""
    summary: str = ""
    """Sentences of the page that say what it is about."""
    code: tuple[CodeBlock, ...] = ()
    """Its code, what suits the query best first."""
    quality: float = 0.0
    """0..1: substance, density, source, closeness to the query."""
    same_as: int | None = None
    """The place of an earlier hit whose page says the same; this one's is not shown."""
    is_poor: bool = False
    """The page was had and is not worth showing."""
    failure: Failure | None = None
    fetch_ms: int = 0

    @property
    def is_shown(self) -> bool:
        """Whether there is a page to show; of one that has to be paid for not even the free part is."""
        has_text = self.page is not None and bool(self.page.text) and self.page.outcome is not Outcome.PAYWALL
        return has_text and self.same_as is None and not self.is_poor

    @property
    def outcome(self) -> Outcome:
        """How fetching the page ended."""
        if self.failure:
            return self.failure.outcome
        return self.page.outcome if self.page else Outcome.EMPTY


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchPage:
    """Search results: hits, their provider, failures, and the services that saw the query."""

    query: Query
    hits: tuple[Hit, ...]
    provider: str
    """The provider whose hits these are."""
    instance: str
    """The address of the instance or service that answered."""
    services: tuple[str, ...]
    """Every service that saw the query, in the order asked."""
    failures: tuple[Failure, ...] = ()
    suggestions: tuple[str, ...] = ()
    engines: tuple[str, ...] = ()
    total: int | None = None
    elapsed_ms: int = 0
    notes: tuple[str, ...] = ()
    contents: tuple[Content, ...] = ()
    """One per hit when content was asked for, else empty."""
    contents_ms: int = 0
    """How long fetching them took in all."""
    raw: str = ""
    """The service's own JSON, where the tool that asks hands that on."""
    kept_since: float | None = None
    """When they were found, in UTC seconds, where they come from an earlier search; None: they were found now."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelQuery:
    """What a model is asked to write, and by which rules it searches."""

    text: str
    """What the user wants, in the user's words."""
    task: str
    """The instruction to the model."""
    country: str = ""
    """Where the user is, as an ISO code; empty: nowhere."""
    model: str = ""
    """The model to ask; empty: the one that the settings name."""
    shape: Mapping[str, Any] | None = None
    """The JSON schema that its text keeps to; None: it writes freely."""
    day: date | None = None
    """The day on which it is asked, in UTC; the engine sets it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Mention:
    """A page that a text cites: `text[start:end]` is the citation, in code points; empty where it stands nowhere."""

    url: str
    title: str
    start: int
    end: int


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelAnswer:
    """What the model wrote."""

    text: str
    mentions: tuple[Mention, ...] = ()
    """The citations in their order."""
    sources: tuple[str, ...] = ()
    """The pages that it looked at, where the service names them."""
    model: str = ""
    """The model that was asked."""
    prompt_tokens: int | None = None
    response_tokens: int | None = None
    written_at: float = 0.0
    """When it came, in UTC seconds; the engine sets it."""
    is_kept: bool = False
    """Whether it was written for an earlier query: this one was sent to no service."""
