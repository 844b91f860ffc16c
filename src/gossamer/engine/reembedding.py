"""Re-embedding: makes the library's vectors again after the model was changed."""

from dataclasses import dataclass, field

from gossamer.engine.chunk_cache import ChunkCache
from gossamer.engine.vectors import ChunkVectors, kin
from gossamer.errors import GossamerError, InvalidArgument, StoreError, UpstreamError
from gossamer.model.page import Reembedded
from gossamer.ports import Call, Embedder, Store
from gossamer.steps.text.language_mix import tongue

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
    cutting: ChunkCache
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
        speaker = self.embedder.speaking(tongue([(page.info.language, page.text)], ()))
        progress.used[speaker.name] = None
        if progress.unkept:
            if afresh or not await self.store.vectors(page, speaker.name):
                progress.left[url] = progress.unkept
            return
        chunks = await self.cutting.renewed(page)
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
