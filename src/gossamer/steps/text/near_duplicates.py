"""Near-duplicate detection: whether two texts are the same page at two addresses."""

from itertools import islice

from gossamer.steps.text.index_text import prepare

_RUN = 5
_MOST_WORDS = 3_000
_MAX_CHARS = 40_000
_SAME = 0.9


def shingles(markdown: str) -> frozenset[int]:
    """What a text is recognised by: its runs of five words, near its beginning."""
    said = list(islice(prepare(markdown[:_MAX_CHARS]).split(), _MOST_WORDS))
    return frozenset(hash(tuple(said[at : at + _RUN])) for at in range(max(1, len(said) - _RUN + 1)) if said)


def resemble(one: frozenset[int], other: frozenset[int]) -> bool:
    """Whether nearly all of what either says is said by both; texts without words resemble nothing."""
    if not one or not other or min(len(one), len(other)) < _SAME * max(len(one), len(other)):
        return False
    return len(one & other) >= _SAME * len(one | other)
