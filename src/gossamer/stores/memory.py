"""Pages in this process alone: the reference that the other stores are compared with."""

import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count as numbers
from typing import Self

from gossamer.model.page import Chunk, FormerVectors, Listed, Page, Vectors
from gossamer.model.records import Kept, KeptReply, Record, Spending, Stats, Version
from gossamer.model.search import Hit
from gossamer.ports import Clock
from gossamer.ports.addresses import Addressed
from gossamer.stores.shared.chunk_rows import MAX_CHUNKS, check_chunks, indexed_chunks, short_ids
from gossamer.stores.shared.page_rows import SNAPSHOTS, USED_GRAIN_S, host_of, is_another_text
from gossamer.stores.shared.reply_rows import STALE_S, ReplyRow, decode_reply, encode_reply
from gossamer.stores.shared.spend_ledger import Ledger
from gossamer.stores.shared.words import asked, bm25, hit, suffix_of


@dataclass(kw_only=True, slots=True)
class _Entry:
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
    reply: ReplyRow | None = None

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
        return texts + vectors + sum(len(chunk.text) for chunk in self.chunks) + self.reply_size

    @property
    def reply_size(self) -> int:
        return self.reply.size if self.reply else 0


_MOST_REPLY_BYTES = 64 * 1024 * 1024
"""Of all replies together: what is in memory alone is not to fill it."""
_Match = tuple[float, _Entry, Chunk]
"""A score, the page that has it and its best chunk."""


class MemoryStore(Addressed):
    """Every method runs without awaiting, so each is one step. Beyond `most_pages` the first ones kept go."""

    def __init__(self, *, most_pages: int = 1000, now: Callable[[], float] = time.time) -> None:
        self._most_pages = most_pages
        self._now = now
        self._entries: dict[tuple[str, str], _Entry] = {}
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
        entry = self._entries.get((url, view))
        if entry and not content_hash and self._now() - entry.used_at >= USED_GRAIN_S:
            entry.used_at = self._now()
        texts = (entry.page, *entry.snapshots) if entry else ()
        return next((page for page in texts if page.content_hash.startswith(content_hash)), None)

    async def reply(self, url: str, identity: str = "") -> KeptReply | None:
        """The reply that is kept for an address."""
        return next(
            (
                decode_reply(url, identity, (row.fetched_at, row.fresh_until, row.body_hash, row.details, row.body))
                for entry in self._entries.values()
                if entry.page.url == url and (row := entry.reply) and row.identity == identity
            ),
            None,
        )

    async def save(self, page: Page, chunks: Sequence[Chunk], reply: KeptReply | None = None) -> Page:
        """Keep a page, its chunks and the reply it was made of in one step, and return it with its version."""
        check_chunks(page, chunks)
        entry = self._entries.get((page.url, page.view))
        if entry is None:
            entry = self._begin(replace(page, version=1))
        elif entry.page.fetched_at > page.fetched_at:
            return entry.page
        is_new_text, has_chunks_of_it = is_another_text(entry.page, page), entry.page.text == page.text
        if is_new_text:
            others = [old for old in entry.snapshots if old.text != page.text]
            entry.snapshots = [entry.page, *others][:SNAPSHOTS]
        entry.page = replace(page, version=entry.page.version + is_new_text)
        entry.used_at = self._now()
        if (chunks or not has_chunks_of_it) and not page.view:
            entry.chunks, entry.chunk_count = tuple(chunks[:MAX_CHUNKS]), len(chunks)
        self._put_reply(entry, reply)
        return entry.page

    async def chunks(self, page: Page) -> tuple[Chunk, ...]:
        """The chunks kept with exactly this text, in page order; empty when there are none."""
        entry = self._same_text(page)
        return entry.chunks if entry and entry.chunk_count <= MAX_CHUNKS else ()

    async def vectors(self, page: Page, model: str) -> Vectors | None:
        """The vectors of exactly this text by this model."""
        entry = self._same_text(page)
        return next((vectors for vectors in entry.present if vectors.model == model), None) if entry else None

    async def save_vectors(self, page: Page, vectors: Vectors) -> None:
        """Keep the vectors of a page's chunks; ignored when the page has another text or other chunks by now."""
        chunks = await self.chunks(page)
        entry = self._same_text(page)
        is_fitting = len(vectors.data) == 2 * vectors.dimension * len(chunks)
        if entry and chunks and is_fitting and self._models.get(vectors.model, vectors.dimension) == vectors.dimension:
            self._models[vectors.model] = vectors.dimension
            entry.vectors.pop(vectors.model, None)
            entry.vectors[vectors.model] = FormerVectors(chunk_ids=short_ids(chunks), vectors=vectors)

    async def former_vectors(self, page: Page, model: str) -> FormerVectors | None:
        """What was last kept for this address by this model, whatever its text was; else by another model."""
        entry = self._entries.get((page.url, page.view))
        others = list(entry.vectors.values()) if entry else []
        return entry.vectors.get(model, others[-1]) if entry and others else None

    async def models(self) -> Mapping[str, int]:
        """The models whose vectors are kept, each with its dimension."""
        return dict(self._models)

    async def forget_vectors(self, model: str) -> None:
        """Let go of all vectors of a model, and of its dimension."""
        self._models.pop(model, None)
        for entry in self._entries.values():
            entry.vectors.pop(model, None)

    async def find(self, text: str, *, count: int, site: str = "") -> tuple[Hit, ...]:
        """Kept pages (default view) that hold words of `text`, best first, with the best chunk as snippet."""
        chunks = [
            (entry, chunk, Counter(words.split()))
            for entry in self._entries.values()
            for chunk, words in zip(entry.chunks, indexed_chunks(entry.page.title, entry.chunks), strict=True)
        ]
        score = bm25(asked(text), [words for *_, words in chunks])
        best: dict[int, _Match] = {}
        for entry, chunk, words in chunks:
            value = score(words)
            if value > 0 and (entry.number not in best or value > best[entry.number][0]):
                best[entry.number] = (value, entry, chunk)
        return _hits(best.values(), count, site)

    async def nearest(self, asked: Vectors, *, count: int, site: str = "") -> tuple[Hit, ...]:
        """Kept pages (default view) whose chunks are closest to one vector, by its model; `score` is the cosine."""
        from gossamer.stores.shared.cosine import closest, direction_of

        direction = direction_of(asked)
        if self._models.get(asked.model) != asked.dimension:
            return ()
        scored: list[_Match] = []
        for entry in self._entries.values():
            for vectors in entry.present:
                if vectors.model == asked.model:
                    cosine, place = closest(vectors.data, vectors.dimension, direction)
                    scored.append((cosine, entry, entry.chunks[place]))
        return _hits((match for match in scored if match[0] > 0), count, site, is_cosine=True)

    async def pages(self, *, count: int) -> tuple[Listed, ...]:
        """Kept pages (default view), newest first."""
        pages = [entry.page for (_, view), entry in self._entries.items() if not view]
        pages.sort(key=lambda page: (-page.fetched_at, page.url))
        return tuple(
            Listed(
                url=page.url, title=page.title, fetched_at=page.fetched_at, version=page.version, chars=len(page.text)
            )
            for page in pages[: max(count, 0)]
        )

    async def remove(self, url: str) -> bool:
        """Forget an address in every view and version."""
        gone = [key for key in self._entries if key[0] == url]
        for key in gone:
            del self._entries[key]
        return bool(gone)

    async def versions(self, url: str, view: str = "") -> tuple[Version, ...]:
        """The texts of an address, newest first."""
        entry = self._entries.get((url, view))
        return tuple(
            Version(version=page.version, content_hash=page.content_hash, title=page.title, fetched_at=page.fetched_at)
            for page in ((entry.page, *entry.snapshots) if entry else ())
        )

    async def reserve(self, op: str, *, provider: str, day: str, amount: int, cap: int, ttl_s: float) -> bool:
        """Set `amount` aside for one attempt if the day's sum stays within `cap`."""
        now = self._now()
        spending = Spending(op=op, provider=provider, day=day, amount=amount, until=now + ttl_s)
        return self._ledger.reserve(spending, cap=cap, now=now)

    async def settle(self, op: str, amount: int) -> None:
        """Put what an attempt did cost in place of what was set aside."""
        self._ledger.settle(op, amount)

    async def spent(self, provider: str, day: str) -> int:
        """What a day has cost so far, with what is set aside."""
        return self._ledger.spent(provider, day, self._now())

    async def stats(self) -> Stats:
        """How much is kept."""
        entries = self._entries.values()
        return Stats(
            pages=len(entries),
            versions=sum(len(entry.snapshots) for entry in entries),
            chunks=sum(len(entry.chunks) for entry in entries),
            size_bytes=sum(entry.size for entry in entries),
            models=dict(Counter(model for entry in entries for model in entry.vectors)),
        )

    async def trim(self, *, most_bytes: int) -> int:
        """Let go of earlier texts, then of whole pages, unused for longest first."""
        by_use = sorted(self._entries.values(), key=lambda entry: (entry.used_at, entry.number))
        left, gone = sum(entry.size for entry in by_use), 0
        for entry in by_use:
            if entry.reply and (left > most_bytes or entry.reply.fresh_until < self._now() - STALE_S):
                left -= entry.reply_size
                entry.reply = None
        for entry in by_use:
            while entry.snapshots and left > most_bytes:
                left -= len(entry.snapshots.pop().text)
                gone += 1
        for entry in by_use:
            if left <= most_bytes:
                break
            left -= entry.size
            gone += 1
            del self._entries[entry.page.url, entry.page.view]
        return gone

    async def export(self) -> AsyncIterator[Record]:
        """The ledger, then every page of every view."""
        for spending in self._ledger.entries():
            yield spending
        for key in list(self._entries):
            if entry := self._entries.get(key):
                yield Kept(
                    page=entry.page,
                    chunks=entry.chunks,
                    chunk_count=entry.chunk_count,
                    vectors=tuple(entry.present),
                    former=tuple(entry.snapshots),
                    used_at=entry.used_at,
                )

    async def restore(self, record: Record) -> bool:
        """Keep a record of an export as it is, unless as new a one is there."""
        if isinstance(record, Spending):
            return self._ledger.restore(record)
        page = record.page
        check_chunks(page, record.chunks)
        entry = self._entries.get((page.url, page.view))
        if entry and entry.page.fetched_at >= page.fetched_at:
            return False
        if entry is None:
            entry = self._begin(page)
        entry.page, entry.used_at, entry.snapshots = page, record.used_at, list(record.former[:SNAPSHOTS])
        entry.chunks, entry.chunk_count = ((), 0) if page.view else (record.chunks[:MAX_CHUNKS], record.chunk_count)
        entry.vectors.clear()
        entry.reply = None
        for vectors in record.vectors:
            await self.save_vectors(page, vectors)
        return True

    async def close(self) -> None:
        """Forget everything."""
        self._entries.clear()

    def _begin(self, page: Page) -> _Entry:
        if len(self._entries) >= self._most_pages:
            self._entries.pop(next(iter(self._entries)))
        entry = self._entries[page.url, page.view] = _Entry(number=next(self._numbers), page=page, used_at=self._now())
        return entry

    def _put_reply(self, entry: _Entry, reply: KeptReply | None) -> None:
        """Keep a reply in the place of the one there is for its address; without one, renew that of the same bytes."""
        page = entry.page
        of_address = [other for other in self._entries.values() if other.page.url == page.url and other.reply]
        if reply is None:
            for other in of_address:
                row = other.reply
                if row and row.body_hash == page.body_hash != "" and row.fetched_at < page.fetched_at:
                    other.reply = replace(row, fetched_at=page.fetched_at, fresh_until=page.fresh_until)
            return
        for other in of_address:
            if other.reply and other.reply.identity == reply.identity:
                other.reply = None
        entry.reply = encode_reply(page.url, reply)
        by_use = sorted((it for it in self._entries.values() if it.reply), key=lambda it: (it.used_at, it.number))
        left = sum(it.reply_size for it in by_use)
        for it in by_use:
            if left <= _MOST_REPLY_BYTES:
                break
            left -= it.reply_size
            it.reply = None

    def _same_text(self, page: Page) -> _Entry | None:
        entry = self._entries.get((page.url, page.view))
        return entry if entry and entry.page.text == page.text else None


def _hits(scored: Iterable[_Match], count: int, site: str, *, is_cosine: bool = False) -> tuple[Hit, ...]:
    """The best pages of a site; of equals the one kept first."""
    suffix = suffix_of(site)
    on_site = [match for match in scored if f".{host_of(match[1].page.url)}".endswith(suffix)]
    on_site.sort(key=lambda match: (-match[0], match[1].number))
    return tuple(
        hit(
            rank,
            url=entry.page.url,
            title=entry.page.title,
            text=chunk.text,
            published=entry.page.info.published,
            score=score if is_cosine else None,
        )
        for rank, (score, entry, chunk) in enumerate(on_site[: max(count, 0)])
    )
