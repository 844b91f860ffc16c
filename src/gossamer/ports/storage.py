"""Where things are kept: pages in a store, small shared records in a state."""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Protocol

from gossamer.model.page import Chunk, FormerVectors, Listed, Page, Vectors
from gossamer.model.records import KeptReply, Record, Stats, Version, WindowCount
from gossamer.model.search import Hit


class Store(Protocol):
    """Where pages are kept, with their versions, chunks and vectors. All methods are safe to call at once."""

    async def page(self, url: str, view: str = "", *, content_hash: str = "") -> Page | None:
        """The newest text of an address in a view, or exactly the snapshot with this hash."""
        ...

    async def save(self, page: Page, chunks: Sequence[Chunk], reply: KeptReply | None = None) -> Page:
        """Keep a page and its chunks in one step, and return it with its version.

        The same text again renews the dates and keeps the vectors; another text is a new version, and the one
        before stays readable by its hash. An older fetch never overwrites a newer one.

        The `reply` that the page was made of is kept with it, in the place of any other for the address and identity.
        Without one, the reply that is kept has its dates renewed where the page was made of the same bytes.
        """
        ...

    async def reply(self, url: str, identity: str = "") -> KeptReply | None:
        """The reply that is kept for an address, whichever view it was fetched for; no other method reads its bytes.

        It goes with the page it was kept with, and is not part of an export.
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

    async def nearest(self, asked: Vectors, *, count: int, site: str = "") -> tuple[Hit, ...]:
        """Kept pages (default view) whose chunks are closest to one vector, by its model; `score` is the cosine.

        Each page comes once with its closest chunk as snippet, and those that point another way (cosine 0 or less)
        not at all. Nothing is found by a model, or with a dimension, that the store does not know.
        """
        ...

    async def pages(self, *, count: int) -> tuple[Listed, ...]:
        """Kept pages (default view), newest first."""
        ...

    async def versions(self, url: str, view: str = "") -> tuple[Version, ...]:
        """The texts of an address that can be read by their hash, newest first: the present one and earlier ones."""
        ...

    async def remove(self, url: str) -> bool:
        """Forget an address in every view and version."""
        ...

    async def reserve(self, op: str, *, provider: str, day: str, amount: int, cap: int, ttl_s: float) -> bool:
        """Set `amount` aside for one attempt if the day's sum stays within `cap`; tell whether it is set aside.

        Amounts are millionths of a dollar, `day` is `2026-11-16`. An `op` that is set aside or settled already stays
        as it is, so repeating is harmless. A reservation that is not settled within `ttl_s` counts no longer.
        """
        ...

    async def settle(self, op: str, amount: int) -> None:
        """Put what an attempt did cost in place of what was set aside, for good; an unknown one is ignored.

        This holds after the reservation has expired too, and beyond the cap: what is spent is spent.
        """
        ...

    async def spent(self, provider: str, day: str) -> int:
        """What a day has cost so far, with what is set aside, in millionths of a dollar."""
        ...

    async def stats(self) -> Stats:
        """How much is kept."""
        ...

    async def trim(self, *, most_bytes: int) -> int:
        """Let go of the least useful until at most `most_bytes` are used; tell how many texts went.

        Replies of sites go first, and those that have not been fresh for a day always; they do not count as texts.
        Then earlier texts go, those of the pages unused for longest before others; then whole pages in the same order.
        The ledger stays. Free space is given back to the disk. Others read and write in between.
        """
        ...

    def export(self) -> AsyncIterator[Record]:
        """The ledger, then every page of every view, each as it is when its turn comes; damaged ones are left out."""
        ...

    async def restore(self, record: Record) -> bool:
        """Keep a record of an export as it is; False when its page is kept from as new a fetch, or its op is known.

        Of an attempt that both ledgers know, what is settled counts for certain, and of two amounts the larger: what
        a day has cost never shrinks. The page takes the place of an older one with all its versions. Vectors of
        another dimension than the model's are left out.
        """
        ...

    async def close(self) -> None:
        """Finish what was begun and let go of files."""
        ...


class State(Protocol):
    """Small keyed records with expiry, shared by all that use the same state: limits, leases, caches.

    Times are those of the clock, which processes and restarts have in common, and which may jump. When it goes
    forward, or the machine has slept, what ended meanwhile has ended; the number of a lease tells who lost it. When
    it is set back, nothing ends before its time, and nothing lasts longer than it was given, counted from the next
    change that anybody makes, or is refused.
    """

    async def get(self, key: str) -> str | None:
        """The value, unless it has expired."""
        ...

    async def put(self, key: str, value: str, *, ttl_s: float) -> None:
        """Set a value for `ttl_s` seconds."""
        ...

    async def add(self, key: str, amount: int = 1, *, ttl_s: float) -> int:
        """Add to a counter atomically and return the sum; the first addition starts its `ttl_s` seconds."""
        ...

    async def window(self, key: str, amount: int = 1, *, cap: int, window_s: float, keep_s: float = 0.0) -> WindowCount:
        """Count at most `cap` in each fixed window; windows begin at multiples of their length, for every key.

        What would exceed the cap is not counted. Less than nothing can always be: that gives back what was taken.
        When the clock is set back, the count goes on for as long as its window was to last, and is not begun anew.
        Where every window has a key of its own, `keep_s` keeps the count for so long after the window ended: a clock
        that is set back into it finds it as full as it was.
        """
        ...

    async def swap(self, key: str, old: str | None, new: str | None, *, ttl_s: float) -> bool:
        """Set `new` (None removes) only if the value is `old` (None: absent); tell whether it was."""
        ...

    async def lease(self, name: str, holder: str, *, ttl_s: float) -> int:
        """Take or renew a lease: the number of the grant, or 0 while another holder has it.

        Each grant has a larger number than all before it, whoever held them; renewing in time keeps the number.
        """
        ...

    async def put_under(self, name: str, grant: int, key: str, value: str, *, ttl_s: float) -> bool:
        """Set a value only while this grant of the lease `name` holds; tell whether it was set.

        Who was stopped or slept past the end of a lease cannot overwrite what its next holder wrote.
        """
        ...

    async def release(self, name: str, holder: str) -> None:
        """Give a lease back; nothing happens when another holds it."""
        ...

    async def close(self) -> None:
        """Let go of files and connections."""
        ...
