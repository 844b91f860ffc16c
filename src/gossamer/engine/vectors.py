"""Vectors of chunks and questions: from the library, from an earlier version of the page, or embedded now."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import get_args

from gossamer.engine.chunk_cache import ChunkCache, read_if_possible
from gossamer.errors import (
    BadSettings,
    GossamerError,
    InvalidArgument,
    Outcome,
    StoreError,
    UnexpectedReply,
    UpstreamError,
)
from gossamer.model.page import ID_DIGITS, Chunk, Page, Reembedded, Vectors
from gossamer.ports import Call, Embedder, LanguageMix, Store
from gossamer.resilience.deadline import EMBED, OTHERS_VECTORS
from gossamer.resilience.single_flight import LeasedFlight, SingleFlight
from gossamer.steps.retrieval.chunk import with_headings
from gossamer.steps.text.language_mix import detect_mix
from gossamer.steps.tokens.count import truncate_each

_BYTES = 2
"""Of one float16."""
_QUESTIONS = 256
"""Whose vectors are remembered: who turns a page of results asks the same again."""
_GROUP = 256
"""Chunks that are given to the embedder at a time."""
_NO_VECTORS = "No vectors could be had, so words and the built-in table decided"
MOST_CHARS = 1 << 20
"""Of one page that is given to an embedder: of a longer one the beginning of each chunk stands for it."""
_UNFINISHED = 4096
"""Chunks of pages that an embedder did not finish in time, so that the next call goes on where it stopped."""
REMEMBERED_BYTES = 8 << 20
"""Of either of the two: vectors of some models are long."""

Rows = dict[tuple[str, str], bytes]
"""Packed vectors by model and by what they are of."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ChunkVectors:
    """Asks an embedder for what is not known yet, and for nothing twice.

    Where no vectors can be had the caller is told so by a note and ranks without them: `None`. Nothing that an
    embedder got wrong is ever kept.
    """

    store: Store
    leased_flight: LeasedFlight | None = None
    """Between processes, where embedding a page costs more than asking whether another process is at it."""
    _flights: SingleFlight[Vectors] = field(default_factory=SingleFlight[Vectors])
    _asked: Rows = field(default_factory=Rows)
    _unfinished: Rows = field(default_factory=Rows)

    async def of_chunks(self, page: Page, chunks: Sequence[Chunk], embedder: Embedder, call: Call) -> Vectors | None:
        """One vector per chunk; only chunks that this address never had are given to the embedder."""
        if not chunks:
            return Vectors(model=embedder.name, dimension=1, data=b"")
        kept = await self._kept(page, chunks, embedder, call)
        if kept:
            return kept
        since = call.clock.monotonic()
        name = f"{embedder.name}|{page.url}|{page.content_hash}|{len(chunks)}"
        try:
            vectors = await self._flights.join(name, lambda: self._made(name, page, chunks, embedder, call))
        except BadSettings:
            raise
        except GossamerError as error:
            return _without(error, since, call, told=self._done(chunks, embedder))
        call.record("embed", Outcome.OK, since=since, size=len(vectors.data))
        return vectors

    async def _made(self, name: str, page: Page, chunks: Sequence[Chunk], embedder: Embedder, call: Call) -> Vectors:
        """Make them, or wait for another process that does."""
        if self.leased_flight is None:
            return await self._make_and_keep(page, chunks, embedder, call)
        return await self.leased_flight.take(
            f"embed:{sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}",
            lambda: self._make_and_keep(page, chunks, embedder, call),
            found=lambda: self._kept(page, chunks, embedder, call),
            patience_s=call.remaining_s * OTHERS_VECTORS,
            away=lambda error: call.note_failure("Other processes could not be asked for vectors", error),
        )

    async def _make_and_keep(self, page: Page, chunks: Sequence[Chunk], embedder: Embedder, call: Call) -> Vectors:
        vectors = await self.make(page, chunks, embedder, call)
        await self.keep(page, vectors, call)
        return vectors

    async def of_questions(self, questions: Sequence[str], embedder: Embedder, call: Call) -> Vectors | None:
        """One vector per question, zeros for one that says nothing; `None` where none says anything."""
        since = call.clock.monotonic()
        non_empty = [text for text in dict.fromkeys(questions) if text.strip()]
        if not non_empty:
            return None
        fresh = [text for text in non_empty if (embedder.name, text) not in self._asked]
        asked = {text: self._asked[embedder.name, text] for text in non_empty if text not in fresh}
        dimension = len(next(iter(asked.values()), b"")) // _BYTES
        if fresh:
            try:
                made = await embedder.ask(fresh, EMBED.of(call))
            except GossamerError as error:
                return _without(error, since, call)
            _check(made, await self._dimension(embedder, call))
            dimension = made.dimension
            asked |= dict(zip(fresh, _rows(made), strict=True))
        if any(len(row) != _BYTES * dimension for row in asked.values()):
            self._asked.clear()
            return await self.of_questions(questions, embedder, call)
        _remember(self._asked, {(embedder.name, text): row for text, row in asked.items()}, most=_QUESTIONS)
        rows = (asked.get(text, bytes(_BYTES * dimension)) for text in questions)
        return Vectors(model=embedder.name, dimension=dimension, data=b"".join(rows))

    def check_alike(self, asked: Vectors | None, vectors: Sequence[Vectors | None]) -> None:
        """Stop at a model whose questions have another dimension than its chunks, and forget what it said."""
        made = [each for each in vectors if asked and each and each.model == asked.model]
        other = next((each.dimension for each in made if asked and each.dimension != asked.dimension), None)
        if asked and other is not None:
            self._asked.clear()
            raise BadSettings(
                f"The embedding model {asked.model} answers with {asked.dimension} numbers for a question, but with "
                f"{other} for a page.",
                hint="Check what its server runs: gossamer doctor.",
            )

    async def make(
        self, page: Page, chunks: Sequence[Chunk], embedder: Embedder, call: Call, *, afresh: bool = False
    ) -> Vectors:
        """Make what is missing, or `afresh` everything; what fails is raised, and nothing is kept yet."""
        known = {} if afresh else await self._known(page, embedder, call)
        rows = {chunk.id: _row(chunk, embedder, known, self._unfinished) for chunk in chunks}
        new = [chunk for chunk in {chunk.id: chunk for chunk in chunks}.values() if not rows[chunk.id]]
        texts = truncate_each([with_headings(chunk) for chunk in new], most=MOST_CHARS)
        limit = EMBED.of(call)
        dimension = await self._dimension(embedder, call)
        for first in range(0, len(new), _GROUP):
            group = new[first : first + _GROUP]

            def keep(places: Sequence[int], part: Vectors, group: Sequence[Chunk] = group) -> None:
                _check(part, dimension)
                names = ((embedder.name, group[place].id) for place in places)
                _remember(self._unfinished, dict(zip(names, _rows(part), strict=True)), most=_UNFINISHED)

            vectors = await embedder.embed(texts[first : first + _GROUP], limit, keep)
            keep(range(len(group)), vectors)
            rows |= zip((chunk.id for chunk in group), _rows(vectors), strict=True)
        for id_ in rows:
            self._unfinished.pop((embedder.name, id_), None)
        widths = {len(row) for row in rows.values()}
        if len(widths) > 1:
            raise UnexpectedReply(
                f"The embedding model {embedder.name} answers with vectors of different lengths.",
                hint="Check what its server runs: gossamer doctor.",
            )
        data = b"".join(rows[chunk.id] for chunk in chunks)
        return Vectors(model=embedder.name, dimension=widths.pop() // _BYTES, data=data)

    async def keep(self, page: Page, vectors: Vectors, call: Call) -> None:
        """Put them beside the page, if that is its newest text; a note says when the store could not."""
        try:
            await self.store.save_vectors(page, vectors)
        except StoreError as error:
            call.note_failure("The vectors were not kept", error)

    async def _kept(self, page: Page, chunks: Sequence[Chunk], embedder: Embedder, call: Call) -> Vectors | None:
        kept = await read_if_possible(self.store.vectors(page, embedder.name), call, lacking=None)
        return kept if kept and len(kept.data) == _BYTES * kept.dimension * len(chunks) else None

    async def _known(self, page: Page, embedder: Embedder, call: Call) -> dict[str, bytes]:
        """Vectors of what this address said before, by the beginnings of the chunks' ids."""
        former = await read_if_possible(self.store.former_vectors(page, embedder.name), call, lacking=None)
        if former is None:
            return {}
        if former.vectors.model != embedder.name:
            if former.vectors.model not in kin(embedder):
                call.log.note(
                    f"The page's vectors were made by {former.vectors.model} and are made again by {embedder.name}; "
                    "`gossamer library reembed` does so for all pages at once."
                )
            return {}
        is_alike = former.vectors.dimension == await self._dimension(embedder, call)
        return dict(zip(former.chunk_ids, _rows(former.vectors), strict=True)) if is_alike else {}

    async def _dimension(self, embedder: Embedder, call: Call) -> int | None:
        """That of the vectors which the library keeps by this name."""
        models = await read_if_possible(self.store.models(), call, lacking=dict[str, int]())
        return models.get(embedder.name)

    def _done(self, chunks: Sequence[Chunk], embedder: Embedder) -> str:
        """What a page that could not be finished leaves to the next call."""
        ids = {chunk.id for chunk in chunks}
        done = sum((embedder.name, id_) in self._unfinished for id_ in ids)
        return f"{done} of {len(ids)} chunks have their vectors, and the next call goes on from there." if done else ""


def _check(made: Vectors, known: int | None) -> None:
    """Stop at a model that answers with another dimension than before: old and new could never be compared."""
    if known not in {None, made.dimension}:
        raise BadSettings(
            f"The embedding model {made.model} answers with {made.dimension} numbers per text, but the library "
            f"keeps vectors of {known} by this name.",
            hint="Name the model that made them in EMBEDDING_MODEL_NAME, or make all vectors again with "
            "`gossamer library reembed`.",
        )


def _row(chunk: Chunk, embedder: Embedder, known: dict[str, bytes], unfinished: Rows) -> bytes:
    return known.get(chunk.id[:ID_DIGITS]) or unfinished.get((embedder.name, chunk.id), b"")


def _remember(kept: Rows, rows: Rows, *, most: int) -> None:
    kept.update(rows)
    size = sum(map(len, kept.values()))
    while len(kept) > most or size > REMEMBERED_BYTES:
        size -= len(kept.pop(next(iter(kept))))


def _without(error: GossamerError, since: float, call: Call, *, told: str = "") -> None:
    """Note that ranking goes on without vectors; in a call that is over, raise."""
    if call.cancelled.is_set() or not call.remaining_s:
        raise error
    call.record("embed", error.outcome, since=since)
    if not any(note.startswith(_NO_VECTORS) for note in call.log.notes):
        call.note_failure(_NO_VECTORS, error, told)


def kin(embedder: Embedder) -> frozenset[str]:
    """The models among which the languages of page and question choose; going from one to another is no change."""
    return frozenset(embedder.speaking(mix).name for mix in get_args(LanguageMix))


def _rows(vectors: Vectors) -> list[bytes]:
    width = _BYTES * vectors.dimension
    return [vectors.data[at : at + width] for at in range(0, len(vectors.data), width)]


_ALL = 2**31
_PROBE = "A sentence to see how long the vectors are."


@dataclass(kw_only=True, slots=True)
class _Progress:
    used: dict[str, None] = field(default_factory=dict[str, None])
    made: int = 0
    left: dict[str, GossamerError] = field(default_factory=dict[str, GossamerError])
    unkept: StoreError | None = None
    """Why the store keeps nothing any more."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reembedding:
    """Goes through the library page by page. Whatever stops it, what is done stays done, and the rest can follow."""

    store: Store
    chunk_cache: ChunkCache
    embedder: Embedder

    async def run(self, call: Call, *, afresh: bool) -> Reembedded:
        """Give vectors to every page that has none by the present model, or `afresh` to all; let go of the others.

        A page that the model does not take, or whose vectors could not be kept, is left, and told. Then nobody's
        vectors are let go.
        """
        ours = kin(self.embedder)
        await self._adopt_dimension(call)
        vectors = ChunkVectors(store=self.store)
        listed = await self.store.pages(count=_ALL)
        progress = _Progress()
        for number, each in enumerate(listed):
            await call.progress(number, len(listed), f"page {number + 1} of {len(listed)}")
            try:
                await self._renew(each.url, vectors, progress, call, afresh=afresh)
            except StoreError as error:
                progress.left[each.url] = progress.unkept = error.with_traceback(None)
        dropped = [] if progress.left else [name for name in await self.store.models() if name not in ours]
        for name in dropped:
            await self.store.forget_vectors(name)
        return Reembedded(
            models=tuple(progress.used),
            pages=len(listed),
            made=progress.made,
            dropped=tuple(dropped),
            left=progress.left,
        )

    async def _renew(self, url: str, vectors: ChunkVectors, progress: _Progress, call: Call, *, afresh: bool) -> None:
        """Give one page its vectors, if it needs any. Once the store keeps nothing, no more are paid for."""
        page = await self.store.page(url)
        if page is None or not await self.store.chunks(page):
            return
        speaker = self.embedder.speaking(detect_mix([(page.info.language, page.text)], ()))
        progress.used[speaker.name] = None
        if progress.unkept:
            if afresh or not await self.store.vectors(page, speaker.name):
                progress.left[url] = progress.unkept
            return
        chunks = await self.chunk_cache.renewed(page)
        if not chunks or (not afresh and await self.store.vectors(page, speaker.name)):
            return
        try:
            made = await vectors.make(page, chunks, speaker, call, afresh=afresh)
        except (UpstreamError, InvalidArgument) as error:
            # Who still answers has something against this page; who does not ends it all here.
            await self.embedder.embed([_PROBE], call)
            progress.left[url] = error
            return
        await self.store.save_vectors(page, made)
        if await self.store.vectors(page, speaker.name) == made:
            progress.made += 1
        elif await self.store.page(url):
            progress.left[url] = StoreError(
                "The page changed while its vectors were made, so they were not kept.", hint="Run the command again."
            )

    async def _adopt_dimension(self, call: Call) -> None:
        """Let go of vectors that those to come could not be compared with, now that the model is known to answer."""
        probe = await self.embedder.embed([_PROBE], call)
        if (await self.store.models()).get(probe.model, probe.dimension) != probe.dimension:
            await self.store.forget_vectors(probe.model)
