"""Readings and answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from gossamer.errors import Outcome
from gossamer.model.page import Page, Passage
from gossamer.model.search import Failure


@dataclass(frozen=True, kw_only=True, slots=True)
class Ranking:
    """What ordered the passages of a reading."""

    model: str = ""
    """Whose vectors had a say; empty: words alone."""
    is_judged: bool = False
    """Whether a model that reads question and passage together had the last word."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Former:
    """An earlier reading that a cursor continues: the same snapshots, ranked in the same way."""

    snapshots: Mapping[str, str]
    """By address, how the hash of its text begins."""
    has_vectors: bool
    is_judged: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """The passages of one or several pages that suit the questions, best first, and the pages that failed."""

    pages: tuple[Page, ...]
    passages: tuple[Passage, ...]
    queries: tuple[str, ...] = ()
    """The questions, as they were asked."""
    failures: tuple[Failure, ...] = ()
    notes: tuple[str, ...] = ()
    """What pages say of themselves, such as that they are cut, and what else the reader should know."""
    budget_tokens: int = 0
    """How much text of passages it was chosen to be shown at once."""
    far: Mapping[str, float] = field(default_factory=dict[str, float])
    """Questions that no passage was close enough to, with how close the best one came."""
    ranking: Ranking = Ranking()

    @property
    def outcome(self) -> Outcome:
        """How it ended: what stands behind a paywall is a part, whatever was found in it."""
        if self.pages and all(page.outcome is Outcome.PAYWALL for page in self.pages):
            return Outcome.PAYWALL
        return Outcome.OK if self.passages else Outcome.NO_MATCH


@dataclass(frozen=True, kw_only=True, slots=True)
class Draft:
    """A sentence that an answerer wrote, with the quotes it leans on: not yet proven."""

    text: str
    quotes: tuple[tuple[str, str], ...]
    """Pairs of (page address, quoted text)."""
    places: tuple[int, ...] = ()
    """Where each quote begins, as far as that is known; else it is looked for."""
    value: str = ""
    """What it gives as an answer that another source answers otherwise: a number, a date, a name."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Citation:
    """A proven quote: `page.text[start:end] == quote` in the page kept under `url`."""

    url: str
    title: str
    quote: str
    start: int
    end: int
    content_hash: str
    fetched_at: float
    markdown: str = ""
    """The quote with the targets of its links, where it has any."""
    published: str = ""
    """When the page was published or last changed, as it says itself."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sentence:
    """A sentence of an answer, with the numbers (from 1) of the citations that carry it."""

    text: str
    citations: tuple[int, ...]
    value: str = ""
    """What it answers, where sources answer differently."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """An answer in which every sentence is carried by proven citations."""

    question: str
    sentences: tuple[Sentence, ...]
    citations: tuple[Citation, ...]
    services: tuple[str, ...]
    dropped: int = 0
    """How many drafted sentences were dropped because a quote could not be found again."""
    failures: tuple[Failure, ...] = ()
    notes: tuple[str, ...] = ()
    read: int = 0
    """How many different pages were read for it."""
    closest: tuple[Citation, ...] = ()
    """Where nothing answers: the beginnings of the passages that come closest."""

    @property
    def outcome(self) -> Outcome:
        """Whether anything that was read answers."""
        return Outcome.OK if self.sentences else Outcome.NO_MATCH
