"""An answer: search, read the best pages at once, draft, prove."""

from dataclasses import dataclass, replace

from gossamer.engine.reading import Reader
from gossamer.engine.searching import Searching
from gossamer.model.answer import Answer
from gossamer.model.search import Query
from gossamer.ports import Answerer, Call
from gossamer.resilience.deadline import FETCH
from gossamer.steps.retrieval.cite import cite

_PASSAGES_PER_SOURCE = 3
_READ_TOKENS = 2000


@dataclass(frozen=True, kw_only=True, slots=True)
class Answering:
    """Answers questions from the web, with citations that are proven."""

    searching: Searching
    reader: Reader
    answerer: Answerer

    async def answer(self, query: Query, call: Call, *, max_sources: int) -> Answer:
        """An answer whose every sentence is carried by exact quotes; no sentences when no page says anything."""
        found = await self.searching.search(replace(query, count=max_sources), call)
        if not found.hits:
            return Answer(
                question=query.text,
                sentences=(),
                citations=(),
                services=found.services,
                failures=found.failures,
                notes=found.notes,
            )
        await call.progress(1, 3, f"reading {len(found.hits)} pages")
        reading = await self.reader.read(
            [hit.url for hit in found.hits],
            [query.text],
            FETCH.of(call),
            max_results=max_sources * _PASSAGES_PER_SOURCE,
            budget_tokens=_READ_TOKENS,
            are_results=True,
        )
        await call.progress(2, 3, "writing the answer")
        drafts = await self.answerer.write(query.text, reading.passages, call)
        sentences, citations, dropped = cite(drafts, {page.url: page for page in reading.pages})
        return Answer(
            question=query.text,
            sentences=sentences,
            citations=citations,
            services=found.services,
            dropped=dropped,
            failures=(*found.failures, *reading.failures),
            notes=found.notes,
        )
