"""Making the library's vectors again: after another model was chosen, or the same one has changed."""

from dataclasses import dataclass

from gossamer.engine.cutting import Cutting
from gossamer.engine.vectors import ChunkVectors, kin
from gossamer.errors import GossamerError, InvalidArgument, UpstreamError
from gossamer.model.page import Reembedded
from gossamer.ports import Call, Embedder, Store
from gossamer.steps.tongue import tongue

_ALL = 2**31
_PROBE = "A sentence to see how long the vectors are."


@dataclass(frozen=True, kw_only=True, slots=True)
class Reembedding:
    """Goes through the library page by page. Whatever stops it, what is done stays done, and the rest can follow."""

    store: Store
    cutting: Cutting
    embedder: Embedder

    async def run(self, call: Call, *, afresh: bool) -> Reembedded:
        """Give vectors to every page that has none by the present model, or `afresh` to all; let go of the others.

        A page that the model does not take is left, and told.
        """
        ours = kin(self.embedder)
        await self._adopt_dimension(call)
        vectors = ChunkVectors(store=self.store)
        listed = await self.store.pages(count=_ALL)
        used: dict[str, None] = {}
        left: dict[str, GossamerError] = {}
        made = 0
        for number, each in enumerate(listed):
            await call.progress(number, len(listed), f"page {number + 1} of {len(listed)}")
            page = await self.store.page(each.url)
            if page is None or not await self.store.chunks(page):
                continue
            chunks = await self.cutting.chunks(page, call)
            speaker = self.embedder.speaking(tongue([(page.info.language, page.text)], ()))
            used[speaker.name] = None
            if afresh or await self.store.vectors(page, speaker.name) is None:
                try:
                    await vectors.make(page, chunks, speaker, call, afresh=afresh)
                    made += 1
                except (UpstreamError, InvalidArgument) as error:
                    # Who still answers has something against this page; who does not ends it all here.
                    await self.embedder.embed([_PROBE], call)
                    left[page.url] = error
        dropped = [] if left else [name for name in await self.store.models() if name not in ours]
        for name in dropped:
            await self.store.forget_vectors(name)
        return Reembedded(models=tuple(used), pages=len(listed), made=made, dropped=tuple(dropped), left=left)

    async def _adopt_dimension(self, call: Call) -> None:
        """Let go of vectors that those to come could not be compared with, now that the model is known to answer."""
        probe = await self.embedder.embed([_PROBE], call)
        if (await self.store.models()).get(probe.model, probe.dimension) != probe.dimension:
            await self.store.forget_vectors(probe.model)
