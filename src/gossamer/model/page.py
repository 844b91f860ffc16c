"""A page that was read, and exact spans of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Literal, NamedTuple

from gossamer.errors import GossamerError, Outcome

Format = Literal["markdown", "text", "html"]
STAGES = (
    *("streaming", "copies", "metadata", "walls", "visibility", "panels", "controls", "content", "code", "formulas"),
    *("references", "buttons", "links", "tables", "writing", "page"),
)
"""The stages of reading a page, each of which may fail by itself."""
MAX_LINKS = 100
"""How many of its links a page is kept with."""

ID_DIGITS = 32
"""How much of a chunk's id is kept beside its vector."""


@dataclass(frozen=True, kw_only=True, slots=True)
class View:
    """How a page is to be read. The default view is what the library keeps and searches."""

    format: Format = "markdown"
    selector: str = ""
    include_links: bool = True
    include_images: bool = False
    comments: bool = False
    """Whether readers' comments under an article are read too: the operator's choice, the same for every view."""
    identity: str = ""
    """The identity of the request where it is not the usual one: sites may answer each differently."""

    @property
    def key(self) -> str:
        """A short name of this view, empty for the default one: pages are kept per address and view.

        Comments are no part of it: the library searches the default view, with or without them.
        """
        if self == View(comments=self.comments):
            return ""
        said = f"{self.format}|{self.include_links:d}|{self.include_images:d}|{self.identity}|{self.selector}"
        return sha256(said.encode()).hexdigest()[:16]


@dataclass(frozen=True, kw_only=True, slots=True)
class PageInfo:
    """What a page says of itself; empty where it is silent."""

    description: str = ""
    author: str = ""
    published: str = ""
    modified: str = ""
    site_name: str = ""
    language: str = ""
    price: str = ""
    """Price and availability of a product, as one phrase."""
    canonical_url: str = ""
    full_title: str = ""
    """The title as the page writes it, where that holds more than the headline: mostly the site's name."""
    facts: str = ""
    """What somebody wants to know of the page's main entity: a few lines of `Label: value`."""
    structured: str = ""
    """The page's structured data as one small tree of JSON: `items`, the main entity first, and `open_graph`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Link:
    """Where a page's content leads."""

    text: str
    url: str


class LinkSpan(NamedTuple):
    """A part of a text, `text[start:end]`, and the address that it leads to."""

    start: int
    end: int
    target: str


class LeftOut(NamedTuple):
    """How much of a page's body its text leaves out that a reader may look for; menus and footers are not counted."""

    lists: int = 0
    tables: int = 0
    sections: int = 0
    words: int = 0
    """In all of them."""

    @property
    def amount(self) -> str:
        """What it is, as the beginning of a sentence; empty where nothing is."""
        counts = ((self.sections, "section"), (self.lists, "list"), (self.tables, "table"))
        parts = [f"{count:,} {name}{'s' * (count > 1)}" for count, name in counts if count]
        names = " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))
        return f"{names} of the page ({self.words:,} words)" if names else ""

    @property
    def note(self) -> str:
        """The same, and how to get it."""
        return f'Left out: {self.amount}; selector "body" gives all.' if self.amount else ""


_NOTHING = LeftOut()


@dataclass(frozen=True, kw_only=True, slots=True)
class Extracted:
    """What an extractor made of a body."""

    outcome: Outcome = Outcome.OK
    """`ok`, `no_match` (selector) or `paywall`; everything else is raised."""
    title: str = ""
    text: str = ""
    info: PageInfo = field(default_factory=PageInfo)
    links: tuple[Link, ...] = ()
    hidden: int = 0
    """How many pieces of hidden text were removed."""
    left_out: LeftOut = _NOTHING
    message: str = ""
    faults: tuple[str, ...] = ()
    """Those of `STAGES` that failed on this page, and were done without."""


class _Hashed:
    """Room for a hash that is worked out once: a long text is asked for its own many times."""

    __slots__ = ("_content_hash",)
    _content_hash: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Page(_Hashed):
    """A page as it is kept. `text` never changes within a content hash, so spans of it can be proven later.

    The text of the default view is without the targets of its links; that of others is as it was made.
    """

    url: str
    """The address asked for, in its one spelling."""
    final_url: str
    title: str
    text: str
    fetched_at: float
    """UTC seconds of the fetch that last confirmed this text."""
    view: str = ""
    """`View.key`."""
    outcome: Outcome = Outcome.OK
    info: PageInfo = field(default_factory=PageInfo)
    links: tuple[Link, ...] = ()
    """The first links of the content, each address once."""
    targets: tuple[LinkSpan, ...] | None = None
    """Where parts of the text lead, in order; None: the text has its targets in it, if it has any."""
    has_comments: bool = False
    """Whether it was read with readers' comments, if it had any."""
    content_type: str = "text/html"
    body_bytes: int = 0
    body_hash: str = ""
    """Names the bytes that the text was made from, and who read them; the same ones are not read again."""
    hidden: int = 0
    left_out: LeftOut = _NOTHING
    is_cut: bool = False
    message: str = ""
    """What the reader should know, e.g. that the page was cut or is behind a paywall."""
    etag: str = ""
    last_modified: str = ""
    fresh_until: float = 0.0
    """UTC seconds until which the page is used without asking the site again."""
    version: int = 1
    """Counts the different texts this address has had; given by the store."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What whoever is shown the text should know beside it."""
        return tuple(filter(None, (self.message, self.left_out.note)))

    @property
    def content_hash(self) -> str:
        """The hash of the text: names the snapshot."""
        try:
            return self._content_hash
        except AttributeError:
            digits = sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()
            object.__setattr__(self, "_content_hash", digits)
            return digits


@dataclass(frozen=True, kw_only=True, slots=True)
class Chunk:
    """A piece of a page for ranking: `page.text[start:end]`, under its headings."""

    id: str
    section: tuple[str, ...]
    start: int
    end: int
    text: str
    tokens: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Vectors:
    """The packed float16 vectors of a page's chunks, in order, by one model."""

    model: str
    dimension: int
    data: bytes


@dataclass(frozen=True, kw_only=True, slots=True)
class FormerVectors:
    """Vectors that an address was given before, with the chunks they are of: of another text, or by another model."""

    chunk_ids: tuple[str, ...]
    """The first `ID_DIGITS` of each id."""
    vectors: Vectors


@dataclass(frozen=True, kw_only=True, slots=True)
class Passage:
    """An exact span of a page that suits a question: `page.text[start:end] == text`."""

    url: str
    title: str
    section: tuple[str, ...]
    start: int
    end: int
    text: str
    score: float
    """How close it is to the question, 0..1, on a common scale as far as its model is known. Better ones come first,
    and what is better is not told by closeness alone."""
    query: str = ""
    """The question it was found for."""
    also: tuple[str, ...] = ()
    """Further questions that something in it was found for."""
    lead: str = ""
    """What has to be read before it, where it begins in the middle: the header of its table, the opening of its code.
    No part of the span."""
    tail: str = ""
    """What ends the code that it ends within, so that what is shown below it stands outside. No part of the span."""
    grades: tuple[tuple[int, int, float], ...] = ()
    """How well each of its sentences suits among all of the reading, 0..1, with where it stands in the page."""
    batch: int = 0
    """Passages of one batch are shown together: those of the first were chosen to be shown whole."""

    @property
    def shown(self) -> str:
        """The span between what has to be read before it and what ends it."""
        return "\n".join(filter(None, (self.lead, self.text, self.tail)))

    @property
    def id(self) -> str:
        """The hash of what is returned."""
        said = "|".join((self.url, " > ".join(self.section), self.text))
        return sha256(said.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, kw_only=True, slots=True)
class Listed:
    """A kept page in a listing."""

    url: str
    title: str
    fetched_at: float
    version: int
    chars: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Reembedded:
    """What making the library's vectors again has done."""

    models: tuple[str, ...]
    """The models that made the vectors kept now."""
    pages: int
    made: int
    """Pages that were given vectors; the others had them, or have nothing to compare."""
    dropped: tuple[str, ...]
    """Models whose vectors were let go."""
    left: Mapping[str, GossamerError] = field(default_factory=dict[str, GossamerError])
    """By address, why pages were given none; then nobody's vectors are let go."""
