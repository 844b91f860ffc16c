"""What a store keeps, as it is counted, listed and carried from one store to another."""

from collections.abc import Mapping
from dataclasses import dataclass

from gossamer.model.page import Chunk, Page, Vectors


@dataclass(frozen=True, kw_only=True, slots=True)
class Version:
    """One text that an address has had; `Store.page` reads it by its hash."""

    version: int
    content_hash: str
    title: str
    fetched_at: float
    """UTC seconds of the fetch that last confirmed this text."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Stats:
    """How much a store holds."""

    pages: int
    """Of every view."""
    versions: int
    """Earlier texts of these pages."""
    chunks: int
    size_bytes: int
    """What they take on disk, free space inside the file left out; in memory roughly."""
    models: Mapping[str, int]
    """How many pages have vectors, by model; they may be of an earlier text."""


@dataclass(frozen=True, kw_only=True, slots=True)
class KeptReply:
    """What a site sent for an address, byte for byte: while it is fresh, other views of the page are made of it."""

    final_url: str
    content_type: str
    """The whole header."""
    body: bytes
    body_hash: str
    """`Page.body_hash` of the pages that are made of it."""
    fetched_at: float
    """UTC seconds of the request that last confirmed it."""
    fresh_until: float
    identity: str = ""
    """The identity of the request where it is not the usual one."""
    serves: tuple[str, ...] = ()
    """The kinds of views that can be made of it; others are asked for in another way."""
    is_cut: bool = False
    message: str = ""
    """What the reader of any view should know of it."""
    etag: str = ""
    last_modified: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Kept:
    """A page with all that is kept beside it: enough to keep it elsewhere."""

    page: Page
    chunks: tuple[Chunk, ...] = ()
    chunk_count: int = 0
    """How many chunks the page was cut into; of a very long page only the first are kept, for finding it."""
    vectors: tuple[Vectors, ...] = ()
    """Of exactly these chunks, the model kept last at the end."""
    former: tuple[Page, ...] = ()
    """Earlier texts, newest first."""
    used_at: float = 0.0
    """UTC seconds of the last use."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Spending:
    """An entry of the ledger: what one attempt may cost, and what it did cost once that is known."""

    op: str
    """Names the attempt; no two have the same."""
    provider: str
    day: str
    """`2026-11-16`, in UTC."""
    amount: int
    """Millionths of a dollar."""
    until: float | None = None
    """UTC seconds when a reservation expires that nobody settles; None: settled, and counted for good."""


Record = Kept | Spending
"""What an export is made of."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WindowCount:
    """A fixed window as it is after an attempt to count in it."""

    is_within: bool
    """Whether the attempt was counted; one beyond the cap is not."""
    count: int
    """What was counted so far."""
    rest_s: float
    """Seconds until the window ends and counting begins anew."""
