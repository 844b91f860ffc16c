"""Pages in this process alone: the reference that the other stores are compared with."""

import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count as numbers
from typing import Self

from gossamer.model.page import Chunk, FormerVectors, Listed, Page, Vectors
from gossamer.model.records import Kept, Record, Spending, Stats, Version
from gossamer.model.search import Hit
from gossamer.ports import Clock
from gossamer.ports.addresses import Addressed
from gossamer.stores.shared.page_rows import (
    MAX_CHUNKS,
    SNAPSHOTS,
    USED_GRAIN_S,
    check_chunks,
    host_of,
    indexed_chunks,
    short_ids,
)
from gossamer.stores.shared.spend_ledger import Ledger
from gossamer.stores.shared.words import asked, bm25, hit, suffix_of


@dataclass(kw_only=True, slots=True)
class _Kept:
    number: int
    page: Page
    used_at: float
    chunks: tuple[Chunk, ...] = ()
    """The first `MAX_CHUNKS`."""
    chunk_count: int = 0
    vectors: dict[str, FormerVectors] = field(default_factory=dict[str, FormerVectors])
    """By model, the one kept last at the end."""
    snapshots: list[Page] = field(default_factory=list[Page])
    """Earlier texts, newest first."""

    @property
    def present(self) -> Iterator[Vectors]:
        """The vectors of the chunks as they are now, the model kept last at the end."""
        ids = short_ids(self.chunks)
        is_whole = 0 < self.chunk_count <= MAX_CHUNKS
        return (vector.vectors for vector in self.vectors.values() if is_whole and vector.chunk_ids == ids)

    @property
    def size(self) -> int:
        texts = sum(len(page.text) for page in (self.page, *self.snapshots))
        vectors = sum(len(vector.vectors.data) for vector in self.vectors.values())
        return texts + vectors + sum(len(chunk.text) for chunk in self.chunks)


class MemoryStore(Addressed):
    """Every method runs without awaiting, so each is one step. Beyond `most_pages` the first ones kept go."""

    def __init__(self, *, most_pages: int = 1000, now: Callable[[], float] = time.time) -> None:
        self._most_pages = most_pages
        self._now = now
        self._kept: dict[tuple[str, str], _Kept] = {}
        self._numbers = numbers()
        self._models: dict[str, int] = {}
        self._ledger = Ledger()

    @classmethod
    def exists(cls, address: str) -> bool:  # noqa: ARG003  what is kept in memory is gone with its process
        """Nothing is there before it is opened."""
        return False

    @classmethod
    async def open(cls, _address: str, *, clock: Clock) -> Self:
        """An empty store."""
        return cls(now=clock.now)

    async def page(self, url: str, view: str = "", *, content_hash: str = "") -> Page | None:
        """The newest text of an address in a view, or the snapshot with this hash (its beginning will do)."""
        kept = self._kept.get((url, view))
        if kept and not content_hash and self._now() - kept.used_at >= USED_GRAIN_S:
            kept.used_at = self._now()
        texts = (kept.page, *kept.snapshots) if kept else ()
        return next((page for page in texts if page.content_hash.startswith(content_hash)), None)

    async def save(self, page: Page, chunks: Sequence[Chunk]) -> Page:
        """Keep a page and its chunks in one step, and return it with its version."""
        check_chunks(page, chunks)
        kept = self._kept.get((page.url, page.view))
        if kept is None:
            kept = self._begin(replace(page, version=1))
        elif kept.page.fetched_at > page.fetched_at:
            return kept.page
        is_new_text = kept.page.text != page.text
        if is_new_text:
            others = [old for old in kept.snapshots if old.text != page.text]
            kept.snapshots = [kept.page, *others][:SNAPSHOTS]
        kept.page = replace(page, version=kept.page.version + is_new_text)
        kept.used_at = self._now()
        if (chunks or is_new_text) and not page.view:
            kept.chunks, kept.chunk_count = tuple(chunks[:MAX_CHUNKS]), len(chunks)
        return kept.page

    async def chunks(self, page: Page) -> tuple[Chunk, ...]:
        """The chunks kept with exactly this text, in page order; empty when there are none."""
        kept = self._same_text(page)
        return kept.chunks if kept and kept.chunk_count <= MAX_CHUNKS else ()

    async def vectors(self, page: Page, model: str) -> Vectors | None:
        """The vectors of exactly this text by this model."""
        kept = self._same_text(page)
        return next((it for it in kept.present if it.model == model), None) if kept else None

    async def save_vectors(self, page: Page, vectors: Vectors) -> None:
        """Keep the vectors of a page's chunks; ignored when the page has another text or other chunks by now."""
        chunks = await self.chunks(page)
        kept = self._same_text(page)
        is_fitting = len(vectors.data) == 2 * vectors.dimension * len(chunks)
        if kept and chunks and is_fitting and self._models.get(vectors.model, vectors.dimension) == vectors.dimension:
            self._models[vectors.model] = vectors.dimension
            kept.vectors.pop(vectors.model, None)
            kept.vectors[vectors.model] = FormerVectors(chunk_ids=short_ids(chunks), vectors=vectors)

    async def former_vectors(self, page: Page, model: str) -> FormerVectors | None:
        """What was last kept for this address by this model, whatever its text was; else by another model."""
        kept = self._kept.get((page.url, page.view))
        others = list(kept.vectors.values()) if kept else []
        return kept.vectors.get(model, others[-1]) if kept and others else None

    async def models(self) -> Mapping[str, int]:
        """The models whose vectors are kept, each with its dimension."""
        return dict(self._models)

    async def forget_vectors(self, model: str) -> None:
        """Let go of all vectors of a model, and of its dimension."""
        self._models.pop(model, None)
        for kept in self._kept.values():
            kept.vectors.pop(model, None)

    async def find(self, text: str, *, count: int, site: str = "") -> tuple[Hit, ...]:
        """Kept pages (default view) that hold words of `text`, best first, with the best chunk as snippet."""
        chunks = [
            (kept, chunk, Counter(words.split()))
            for kept in self._kept.values()
            for chunk, words in zip(kept.chunks, indexed_chunks(kept.page.title, kept.chunks), strict=True)
        ]
        score = bm25(asked(text), [words for *_, words in chunks])
        best: dict[int, tuple[float, _Kept, Chunk]] = {}
        for kept, chunk, words in chunks:
            value = score(words)
            if value > 0 and (kept.number not in best or value > best[kept.number][0]):
                best[kept.number] = (value, kept, chunk)
        return tuple(
            hit(rank, url=kept.page.url, title=kept.page.title, text=chunk.text, published=kept.page.info.published)
            for rank, (_, kept, chunk) in enumerate(_best(best.values(), count, site))
        )

    async def nearest(self, asked: Vectors, *, count: int, site: str = "") -> tuple[Hit, ...]:
        """Kept pages (default view) whose chunks are closest to one vector, by its model; `score` is the cosine."""
        from gossamer.stores.shared.cosine import closest, direction_of

        direction = direction_of(asked)
        if self._models.get(asked.model) != asked.dimension:
            return ()
        found: list[tuple[float, _Kept, Chunk]] = []
        for kept in self._kept.values():
            for vectors in kept.present:
                if vectors.model == asked.model:
                    cosine, place = closest(vectors.data, vectors.dimension, direction)
                    found.append((cosine, kept, kept.chunks[place]))
        return tuple(
            hit(
                rank,
                url=kept.page.url,
                title=kept.page.title,
                text=chunk.text,
                published=kept.page.info.published,
                score=cosine,
            )
            for rank, (cosine, kept, chunk) in enumerate(_best((it for it in found if it[0] > 0), count, site))
        )

    async def pages(self, *, count: int) -> tuple[Listed, ...]:
        """Kept pages (default view), newest first."""
        pages = [kept.page for (_, view), kept in self._kept.items() if not view]
        pages.sort(key=lambda page: (-page.fetched_at, page.url))
        return tuple(
            Listed(url=it.url, title=it.title, fetched_at=it.fetched_at, version=it.version, chars=len(it.text))
            for it in pages[: max(count, 0)]
        )

    async def remove(self, url: str) -> bool:
        """Forget an address in every view and version."""
        gone = [key for key in self._kept if key[0] == url]
        for key in gone:
            del self._kept[key]
        return bool(gone)

    async def versions(self, url: str, view: str = "") -> tuple[Version, ...]:
        """The texts of an address, newest first."""
        kept = self._kept.get((url, view))
        return tuple(
            Version(version=it.version, content_hash=it.content_hash, title=it.title, fetched_at=it.fetched_at)
            for it in ((kept.page, *kept.snapshots) if kept else ())
        )

    async def reserve(self, op: str, *, provider: str, day: str, amount: int, cap: int, ttl_s: float) -> bool:
        """Set `amount` aside for one attempt if the day's sum stays within `cap`."""
        now = self._now()
        entry = Spending(op=op, provider=provider, day=day, amount=amount, until=now + ttl_s)
        return self._ledger.reserve(entry, cap=cap, now=now)

    async def settle(self, op: str, amount: int) -> None:
        """Put what an attempt did cost in place of what was set aside."""
        self._ledger.settle(op, amount)

    async def spent(self, provider: str, day: str) -> int:
        """What a day has cost so far, with what is set aside."""
        return self._ledger.spent(provider, day, self._now())

    async def stats(self) -> Stats:
        """How much is kept."""
        kept = self._kept.values()
        return Stats(
            pages=len(kept),
            versions=sum(len(it.snapshots) for it in kept),
            chunks=sum(len(it.chunks) for it in kept),
            size_bytes=sum(it.size for it in kept),
            models=dict(Counter(model for it in kept for model in it.vectors)),
        )

    async def trim(self, *, most_bytes: int) -> int:
        """Let go of earlier texts, then of whole pages, unused for longest first."""
        by_use = sorted(self._kept.values(), key=lambda kept: (kept.used_at, kept.number))
        left, gone = sum(kept.size for kept in by_use), 0
        for kept in by_use:
            while kept.snapshots and left > most_bytes:
                left -= len(kept.snapshots.pop().text)
                gone += 1
        for kept in by_use:
            if left <= most_bytes:
                break
            left -= kept.size
            gone += 1
            del self._kept[kept.page.url, kept.page.view]
        return gone

    async def export(self) -> AsyncIterator[Record]:
        """The ledger, then every page of every view."""
        for entry in self._ledger.entries():
            yield entry
        for key in list(self._kept):
            if kept := self._kept.get(key):
                yield Kept(
                    page=kept.page,
                    chunks=kept.chunks,
                    chunk_count=kept.chunk_count,
                    vectors=tuple(kept.present),
                    former=tuple(kept.snapshots),
                    used_at=kept.used_at,
                )

    async def restore(self, record: Record) -> bool:
        """Keep a record of an export as it is, unless as new a one is there."""
        if isinstance(record, Spending):
            return self._ledger.restore(record)
        page = record.page
        check_chunks(page, record.chunks)
        kept = self._kept.get((page.url, page.view))
        if kept and kept.page.fetched_at >= page.fetched_at:
            return False
        if kept is None:
            kept = self._begin(page)
        kept.page, kept.used_at, kept.snapshots = page, record.used_at, list(record.former[:SNAPSHOTS])
        kept.chunks, kept.chunk_count = ((), 0) if page.view else (record.chunks[:MAX_CHUNKS], record.chunk_count)
        kept.vectors.clear()
        for vectors in record.vectors:
            await self.save_vectors(page, vectors)
        return True

    async def close(self) -> None:
        """Forget everything."""
        self._kept.clear()

    def _begin(self, page: Page) -> _Kept:
        if len(self._kept) >= self._most_pages:
            self._kept.pop(next(iter(self._kept)))
        kept = self._kept[page.url, page.view] = _Kept(number=next(self._numbers), page=page, used_at=self._now())
        return kept

    def _same_text(self, page: Page) -> _Kept | None:
        kept = self._kept.get((page.url, page.view))
        return kept if kept and kept.page.text == page.text else None


def _best(found: Iterable[tuple[float, _Kept, Chunk]], count: int, site: str) -> Sequence[tuple[float, _Kept, Chunk]]:
    """The best pages of a site; of equals the one kept first."""
    suffix = suffix_of(site)
    on_site = [it for it in found if f".{host_of(it[1].page.url)}".endswith(suffix)]
    on_site.sort(key=lambda it: (-it[0], it[1].number))
    return on_site[: max(count, 0)]
