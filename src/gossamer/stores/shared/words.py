"""Word search: the words of a query, common words, BM25, snippets; the same in all stores."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from gossamer.model.search import Hit
from gossamer.steps.text.index_text import is_lone, prepare

SNIPPET_CHARS = 300
COMMON_FROM = 500
"""A word in fewer chunks than this is never too common."""

_MAX_WORDS = 32


def asked(text: str) -> tuple[str, ...]:
    """The different words of a query, in order; more than a question holds are ignored."""
    return tuple(dict.fromkeys(prepare(text).split()))[:_MAX_WORDS]


def telling(words: Sequence[str], counts: Mapping[str, int], total: int) -> tuple[str, ...]:
    """Leave out words found in more than a tenth of all chunks, unless nothing would be found by those left.

    They cost most and say least: "the" alone would rank the whole library.
    """
    limit = max(COMMON_FROM, total / 10)
    rare = tuple(word for word in words if counts.get(word, 0) <= limit)
    return rare if any(counts.get(word) or is_lone(word) for word in rare) else tuple(words)


def suffix_of(site: str) -> str:
    """What `.host` must end with to belong to a site; empty for any."""
    name = site.strip().strip(".").lower()
    return f".{name}" if name else ""


def hit(rank: int, *, url: str, title: str, text: str, published: str, score: float | None = None) -> Hit:
    """Show a page found at `rank` (from 0) by the beginning of its best chunk, in one line."""
    snippet = " ".join(text.split())
    if len(snippet) > SNIPPET_CHARS:
        snippet = f"{snippet[: SNIPPET_CHARS - 1].rstrip()}…"
    return Hit(
        url=url,
        title=" ".join(title.split()),
        snippet=snippet,
        engine="library",
        published=published or None,
        score=1 / (1 + rank) if score is None else score,
    )


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
