"""Where things are kept: pages in a store, small shared records in a state."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from gossamer.model.page import Chunk, FormerVectors, Listed, Page, Vectors
from gossamer.model.search import Hit


class Store(Protocol):
    """Where pages are kept, with their versions, chunks and vectors. All methods are safe to call at once."""

    async def page(self, url: str, view: str = "", *, content_hash: str = "") -> Page | None:
        """The newest text of an address in a view, or exactly the snapshot with this hash."""
        ...

    async def save(self, page: Page, chunks: Sequence[Chunk]) -> Page:
        """Keep a page and its chunks in one step, and return it with its version.

        The same text again renews the dates and keeps the vectors; another text is a new version, and the one
        before stays readable by its hash. An older fetch never overwrites a newer one.
        """
        ...

    async def chunks(self, page: Page) -> tuple[Chunk, ...]:
        """The chunks kept with exactly this text, in page order; empty when there are none."""
        ...

    async def vectors(self, page: Page, model: str) -> Vectors | None:
        """The vectors of exactly this text by this model."""
        ...

    async def save_vectors(self, page: Page, vectors: Vectors) -> None:
        """Keep the vectors of a page's chunks, which may be those of `former_vectors` from now on.

        Ignored when the page has another text or other chunks by now, or the model is known by another dimension.
        """
        ...

    async def former_vectors(self, page: Page, model: str) -> FormerVectors | None:
        """What was last kept for this address by this model, whatever its text was; else by another model."""
        ...

    async def models(self) -> Mapping[str, int]:
        """The models whose vectors are kept, each with its dimension."""
        ...

    async def forget_vectors(self, model: str) -> None:
        """Let go of all vectors of a model, and of its dimension."""
        ...

    async def find(self, text: str, *, count: int, site: str = "") -> tuple[Hit, ...]:
        """Kept pages (default view) that hold the words of `text`, best first, with the best chunk as snippet."""
        ...

    async def pages(self, *, count: int) -> tuple[Listed, ...]:
        """Kept pages (default view), newest first."""
        ...

    async def remove(self, url: str) -> bool:
        """Forget an address in every view and version."""
        ...

    async def close(self) -> None:
        """Finish what was begun and let go of files."""
        ...


class State(Protocol):
    """Small keyed records with expiry, shared by all that use the same state: limits, leases, caches."""

    async def get(self, key: str) -> str | None:
        """The value, unless it has expired."""
        ...

    async def put(self, key: str, value: str, *, ttl_s: float) -> None:
        """Set a value for `ttl_s` seconds."""
        ...

    async def add(self, key: str, amount: int = 1, *, ttl_s: float) -> int:
        """Add to a counter atomically and return the sum; the first addition starts its `ttl_s` seconds."""
        ...

    async def swap(self, key: str, old: str | None, new: str | None, *, ttl_s: float) -> bool:
        """Set `new` (None removes) only if the value is `old` (None: absent); tell whether it was."""
        ...

    async def lease(self, name: str, holder: str, *, ttl_s: float) -> bool:
        """Take or renew a lease; False while another holder has it."""
        ...

    async def release(self, name: str, holder: str) -> None:
        """Give a lease back; nothing happens when another holds it."""
        ...

    async def close(self) -> None:
        """Let go of files and connections."""
        ...
