"""Ranking by words where no index does it."""

import math
from collections import Counter
from collections.abc import Callable, Sequence

from gossamer.steps.prepare import is_lone
from gossamer.stores.words import telling


def bm25(words: Sequence[str], chunks: Sequence[Counter[str]]) -> Callable[[Counter[str]], float]:
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
