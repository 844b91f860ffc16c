"""Reranking: the best chunks, judged once more by a model that reads question and chunk together."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gossamer.errors import GossamerError, Outcome
from gossamer.model.page import Chunk
from gossamer.ports import Call, Reranker
from gossamer.resilience.deadline import RERANK
from gossamer.steps.retrieval.chunk import with_headings
from gossamer.steps.retrieval.index import PageIndex
from gossamer.steps.retrieval.rank import Ranked
from gossamer.steps.retrieval.scores import apply_rerank, best_chunks

_JUDGED = 16
"""Chunks of each question: beyond them a judge finds hardly anything, and each takes it 40 ms."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reranking:
    """Asks the judge, if there is one; without an answer the order stays as it was."""

    reranker: Reranker | None

    async def order(
        self, queries: Sequence[str], indexes: Sequence[PageIndex], ranked: Sequence[Ranked], call: Call
    ) -> tuple[list[Ranked], bool]:
        """The rankings of all queries, the chunks that the judge prefers first; and whether it has judged."""
        if self.reranker is None:
            return list(ranked), False
        since = call.clock.monotonic()
        limit = RERANK.of(call)
        chunks, owners = _row(indexes)
        found: list[Ranked] = []
        try:
            for query, each in zip(queries, ranked, strict=True):
                best = best_chunks(each.scores, owners, most=_JUDGED)
                shares = await self.reranker.scores(query, [with_headings(chunks[number]) for number in best], limit)
                judged = dict(zip(best, shares, strict=True))
                found.append(replace(each, scores=apply_rerank(each.scores, owners, judged)))
        except GossamerError as error:
            call.record("rerank", error.outcome, since=since)
            call.note_failure("The passages were not ranked again", error)
            return list(ranked), False
        call.record("rerank", Outcome.OK, since=since)
        return found, True


def _row(indexes: Sequence[PageIndex]) -> tuple[list[Chunk], list[int]]:
    """The chunks of all pages, and the number of each sentence's chunk among them."""
    chunks: list[Chunk] = []
    owners: list[int] = []
    for index in indexes:
        owners += [len(chunks) + unit.chunk for unit in index.units]
        chunks += index.chunks
    return chunks, owners
