"""Page choice: of many pages at hand, which are worth reading for a question; the pages are indexed once."""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

from gossamer.model.page import Page
from gossamer.ports import Lexicon
from gossamer.steps.retrieval.chunk import chunk
from gossamer.steps.retrieval.collection import Collection, collect
from gossamer.steps.text.language_mix import detect_mix
from gossamer.steps.text.words import stemmer

_KEPT = 2
"""Collections that are at hand: a batch mostly asks about one."""

Key = tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class PageChoice:
    """Chooses pages, and remembers the collections asked last."""

    lexicon: Lexicon
    chunk_tokens: int
    _kept: "OrderedDict[Key, asyncio.Task[Collection]]" = field(
        default_factory=OrderedDict[Key, asyncio.Task[Collection]]
    )

    async def best(self, pages: Sequence[Page], questions: Sequence[str], *, count: int) -> list[Page]:
        """At most `count` of the pages, best first; all of them, as they came, where there are no more than that."""
        if len(pages) <= count:
            return list(pages)
        key = tuple((page.url, page.content_hash) for page in pages)
        if key not in self._kept:
            self._kept[key] = asyncio.create_task(asyncio.to_thread(self._collected, tuple(pages)))
        self._kept.move_to_end(key)
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        collection = await asyncio.shield(self._kept[key])
        return await asyncio.to_thread(collection.best, questions, count=count)

    def _collected(self, pages: Sequence[Page]) -> Collection:
        mix = detect_mix([(page.info.language, page.text) for page in pages], [])
        chunks = [chunk(page.url, page.text, size=self.chunk_tokens) for page in pages]
        return collect(pages, chunks, lambda texts: self.lexicon.look_up(texts, mix), stemmer(mix))
