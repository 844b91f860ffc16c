"""Pages in this process alone: the reference that the other stores are compared with."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count as numbers
from typing import Self

from gossamer.model.page import Chunk, FormerVectors, Listed, Page, Vectors
from gossamer.model.search import Hit
from gossamer.ports import Clock
from gossamer.steps.prepare import is_lone
from gossamer.stores.rows import MAX_CHUNKS, SNAPSHOTS, check_chunks, short_ids
from gossamer.stores.words import asked, hit, host_of, indexed_chunks, suffix_of, telling


@dataclass(kw_only=True, slots=True)
class _Kept:
    number: int
    page: Page
    chunks: tuple[Chunk, ...] = ()
    vectors: dict[str, FormerVectors] = field(default_factory=dict[str, FormerVectors])
    """By model, the one kept last at the end."""
    snapshots: list[Page] = field(default_factory=list[Page])
    """Earlier texts, newest first."""


class MemoryStore:
    """Every method runs without awaiting, so each is one step. Beyond `most_pages` the first ones kept go."""

    def __init__(self, *, most_pages: int = 1000) -> None:
        self._most_pages = most_pages
        self._kept: dict[tuple[str, str], _Kept] = {}
        self._numbers = numbers()
        self._models: dict[str, int] = {}

    @classmethod
    async def open(cls, _address: str, *, clock: Clock) -> Self:  # noqa: ARG003 - every store is given one
        """An empty store."""
        return cls()

    async def page(self, url: str, view: str = "", *, content_hash: str = "") -> Page | None:
        """The newest text of an address in a view, or the snapshot with this hash (its beginning will do)."""
        kept = self._kept.get((url, view))
        texts = (kept.page, *kept.snapshots) if kept else ()
        return next((page for page in texts if page.content_hash.startswith(content_hash)), None)

    async def save(self, page: Page, chunks: Sequence[Chunk]) -> Page:
        """Keep a page and its chunks in one step, and return it with its version."""
        check_chunks(page, chunks)
        kept = self._kept.get((page.url, page.view))
        if kept is None:
            if len(self._kept) >= self._most_pages:
                self._kept.pop(next(iter(self._kept)))
            kept = self._kept[page.url, page.view] = _Kept(number=next(self._numbers), page=replace(page, version=1))
        elif kept.page.fetched_at > page.fetched_at:
            return kept.page
        is_new_text = kept.page.text != page.text
        if is_new_text:
            others = [old for old in kept.snapshots if old.text != page.text]
            kept.snapshots = [kept.page, *others][:SNAPSHOTS]
        kept.page = replace(page, version=kept.page.version + is_new_text)
        if (chunks or is_new_text) and not page.view:
            kept.chunks = tuple(chunks)
        return kept.page

    async def chunks(self, page: Page) -> tuple[Chunk, ...]:
        """The chunks kept with exactly this text, in page order; empty when there are none."""
        kept = self._same_text(page)
        return kept.chunks if kept and len(kept.chunks) <= MAX_CHUNKS else ()

    async def vectors(self, page: Page, model: str) -> Vectors | None:
        """The vectors of exactly this text by this model."""
        kept = self._same_text(page)
        found = kept.vectors.get(model) if kept else None
        return found.vectors if kept and found and found.chunk_ids == short_ids(kept.chunks) else None

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
            for chunk, words in zip(
                kept.chunks, indexed_chunks(kept.page.title, kept.chunks[:MAX_CHUNKS]), strict=False
            )
        ]
        score = _bm25(asked(text), [words for *_, words in chunks])
        best: dict[int, tuple[float, _Kept, Chunk]] = {}
        for kept, chunk, words in chunks:
            value = score(words)
            if value > 0 and (kept.number not in best or value > best[kept.number][0]):
                best[kept.number] = (value, kept, chunk)
        suffix = suffix_of(site)
        found = [it for it in best.values() if f".{host_of(it[1].page.url)}".endswith(suffix)]
        found.sort(key=lambda it: (-it[0], it[1].number))
        return tuple(
            hit(rank, url=kept.page.url, title=kept.page.title, text=chunk.text, published=kept.page.info.published)
            for rank, (_, kept, chunk) in enumerate(found[: max(count, 0)])
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

    async def close(self) -> None:
        """Forget everything."""
        self._kept.clear()

    def _same_text(self, page: Page) -> _Kept | None:
        kept = self._kept.get((page.url, page.view))
        return kept if kept and kept.page.text == page.text else None


def _bm25(words: Sequence[str], chunks: Sequence[Counter[str]]) -> Callable[[Counter[str]], float]:
    """Okapi BM25 as SQLite's full-text index computes it; a word of every chunk still counts a little."""

    def times(word: str, chunk: Counter[str]) -> int:
        if is_lone(word):
            return sum(number for other, number in chunk.items() if other.startswith(word))
        return chunk[word]

    counts = {word: sum(1 for chunk in chunks if times(word, chunk)) for word in words}
    total, length = len(chunks), sum(chunk.total() for chunk in chunks) / max(len(chunks), 1)
    weights = {
        word: max(math.log((total - counts[word] + 0.5) / (counts[word] + 0.5)), 1e-6)
        for word in telling(words, counts, total)
    }

    def score(chunk: Counter[str]) -> float:
        spread = 1.2 * (0.25 + 0.75 * chunk.total() / (length or 1))
        found = ((times(word, chunk), weight) for word, weight in weights.items())
        return sum(weight * number * 2.2 / (number + spread) for number, weight in found)

    return score
