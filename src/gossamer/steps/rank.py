"""Closeness and words -> order: which chunks suit a question, and which spans of the page to return."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gossamer.model.page import Chunk, Vectors
from gossamer.steps.chunk import with_headings
from gossamer.steps.words import words

Ranked = list[tuple[int, float]]
"""Numbers of chunks with their scores (0..1), best first."""

_K1, _B = 1.2, 0.75  # the usual constants of BM25


@dataclass(frozen=True, kw_only=True, slots=True)
class Picked:
    """A span to return: one chunk, or neighbours under one heading. `page.text[start:end]` is its text."""

    first: int
    """The number of its first chunk."""
    start: int
    end: int
    section: tuple[str, ...]
    tokens: int
    """The sum over its chunks."""
    score: float
    """The best of its chunks."""
    query: int
    """The number of the question that its best chunk was picked for."""


def rank(
    queries: Sequence[str],
    chunks: Sequence[Chunk],
    chunk_vectors: Vectors | None = None,
    query_vectors: Vectors | None = None,
) -> list[Ranked]:
    """Order all chunks for every query: half by shared words (BM25), half by closeness of vectors.

    Chunks are judged `with_headings`, and their vectors should be made of the same. Both halves are scaled to 0..1
    over the given chunks, so that they weigh the same on every page. Words decide alone unless both sides have
    vectors of one model. Where no chunk shares a word either, the longest come first, all with score 0. Ties keep
    the order of the page.
    """
    close = _closeness(chunk_vectors, query_vectors, len(queries), len(chunks))
    ranked: list[Ranked] = []
    for number, shared in enumerate(_bm25(queries, chunks)):
        scores = _scaled(shared)
        if close:
            scores = [(word + near) / 2 for word, near in zip(scores, _scaled(close[number]), strict=True)]
        value = scores if any(scores) else [chunk.tokens for chunk in chunks]
        order = sorted(range(len(chunks)), key=lambda i, value=value: -value[i])
        ranked.append([(i, scores[i]) for i in order])
    return ranked


def pick(
    ranked: Sequence[Ranked],
    chunks: Sequence[Chunk],
    *,
    max_results: int,
    budget_tokens: int,
    page_starts: Sequence[int] = (),
) -> list[Picked]:
    """Choose at most `max_results` spans to return, best first; showing them within the budget is the caller's.

    Chunks are taken by value, the best of each question in turn, and touching ones become one span. The budget
    says how much is shown at once: only chunks that are shown together are joined, so a small budget begins with
    the very best ones, and what remains of a large one extends the spans already chosen. The list is the same for
    the same arguments, so "after the first N" is a slice of it. A text that was chosen is not chosen again, and
    chunks that nothing speaks for (score 0) only where nothing better exists. When `chunks` are those of several
    pages, `page_starts` names the numbers at which a page begins.
    """
    walls = frozenset(page_starts)
    spans: list[Picked] = []
    group: dict[int, tuple[float, int]] = {}
    used = runs = 0
    for number, score, query in _in_turn(ranked, chunks):
        tokens = chunks[number].tokens
        is_over = bool(group) and used + tokens > budget_tokens
        if is_over and len(spans) + runs < max_results:
            spans += _joined(group, chunks, walls)
            group, used, runs, is_over = {}, 0, 0, False
        before = number - 1 in group and _touches(number, chunks, walls)
        after = number + 1 in group and _touches(number + 1, chunks, walls)
        added = 1 - before - after
        if not is_over and len(spans) + runs + added <= max_results:
            group[number] = score, query
            used += tokens
            runs += added
    return spans + _joined(group, chunks, walls)


def _in_turn(ranked: Sequence[Ranked], chunks: Sequence[Chunk]) -> Iterator[tuple[int, float, int]]:
    """Chunks with score and question, the best of each question first; no chunk and no text twice."""
    least = 0.0 if any(order and order[0][1] > 0 for order in ranked) else -1.0
    seen: set[str] = set()
    for place in range(len(chunks)):
        for query, order in enumerate(ranked):
            number, score = order[place] if place < len(order) else (0, least)
            text = chunks[number].text
            if score > least and text not in seen:
                seen.add(text)
                yield number, score, query


def _touches(number: int, chunks: Sequence[Chunk], walls: frozenset[int]) -> bool:
    return number not in walls and chunks[number].section == chunks[number - 1].section


def _joined(group: dict[int, tuple[float, int]], chunks: Sequence[Chunk], walls: frozenset[int]) -> list[Picked]:
    """The spans of chosen chunks, in the order in which the best chunk of each was chosen."""
    runs: list[list[int]] = []
    for number in sorted(group):
        if number - 1 in group and _touches(number, chunks, walls):
            runs[-1].append(number)
        else:
            runs.append([number])
    chosen = {number: turn for turn, number in enumerate(group)}
    runs.sort(key=lambda run: min(chosen[number] for number in run))
    return [_span(run, group, chunks) for run in runs]


def _span(run: list[int], group: dict[int, tuple[float, int]], chunks: Sequence[Chunk]) -> Picked:
    first, last = chunks[run[0]], chunks[run[-1]]
    score, query = max((group[number] for number in run), key=lambda value: value[0])
    tokens = sum(chunks[number].tokens for number in run)
    return Picked(
        first=run[0],
        start=first.start,
        end=last.end,
        section=first.section,
        tokens=tokens,
        score=score,
        query=query,
    )


def _bm25(queries: Sequence[str], chunks: Sequence[Chunk]) -> Iterator[list[float]]:
    counts = [Counter(words(with_headings(chunk))) for chunk in chunks]
    sizes = [count.total() for count in counts]
    mean = sum(sizes) / max(1, len(sizes)) or 1.0
    weights = [_K1 * (1 - _B + _B * size / mean) for size in sizes]
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for number, count in enumerate(counts):
        for word in count:
            holders[word].append(number)
    for query in queries:
        scores = [0.0] * len(chunks)
        for word in words(query):
            numbers = holders.get(word, ())
            rarity = math.log(1 + (len(chunks) - len(numbers) + 0.5) / (len(numbers) + 0.5))
            for number in numbers:
                often = counts[number][word]
                scores[number] += rarity * often * (_K1 + 1) / (often + weights[number])
        yield scores


def _closeness(
    chunk_vectors: Vectors | None, query_vectors: Vectors | None, queries: int, chunks: int
) -> list[list[float]] | None:
    """Cosines by query and chunk, or None where the two sides cannot be compared."""
    if chunk_vectors is None or query_vectors is None:
        return None
    model, dimension = chunk_vectors.model, chunk_vectors.dimension
    if (model, dimension) != (query_vectors.model, query_vectors.dimension):
        return None
    if (len(query_vectors.data), len(chunk_vectors.data)) != (2 * queries * dimension, 2 * chunks * dimension):
        return None
    import numpy as np

    left = np.frombuffer(query_vectors.data, dtype="<f2").astype(np.float32).reshape(queries, dimension)
    right = np.frombuffer(chunk_vectors.data, dtype="<f2").astype(np.float32).reshape(chunks, dimension)
    return (left @ right.T).tolist()


def _scaled(values: Sequence[float]) -> list[float]:
    """Stretch to 0..1; equal values are all 1, or all 0 where there is nothing."""
    low, high = min(values, default=0.0), max(values, default=0.0)
    if high == low:
        return [float(high > 0)] * len(values)
    return [(value - low) / (high - low) for value in values]
