"""Duplicates: the same page at two addresses (near-duplicate detection), and sentences that a page repeats."""

from collections.abc import Sequence
from itertools import islice

from gossamer.steps.text.index_text import prepare, says_something

_SHINGLE_WORDS = 5
_MOST_WORDS = 3_000
_MAX_CHARS = 40_000
_SAME_SHARE = 0.9
Key = tuple[int, str]
"""Under which heading something is said, and the words."""

_COPIED_SENTENCES = 4
"""So many sentences in the same words and order are a copy, whatever stands before them."""
_BETWEEN = dict.fromkeys(map(ord, ".,;:!?…\"'`*_()[]«»“”„‘’。，、；：！？「」『』（）"), " ")


def shingles(markdown: str) -> frozenset[int]:
    """What a text is recognised by: its runs of five words, near its beginning."""
    words = list(islice(prepare(markdown[:_MAX_CHARS]).split(), _MOST_WORDS))
    return frozenset(
        hash(tuple(words[at : at + _SHINGLE_WORDS])) for at in range(max(1, len(words) - _SHINGLE_WORDS + 1)) if words
    )


def are_near_duplicates(left: frozenset[int], right: frozenset[int]) -> bool:
    """Whether nearly all of what either says is said by both; texts without words resemble nothing."""
    if not left or not right or min(len(left), len(right)) < _SAME_SHARE * max(len(left), len(right)):
        return False
    return len(left & right) >= _SAME_SHARE * len(left | right)


def comparable_words(text: str) -> str:
    """The words in order, whatever their case and the marks between them; empty where nothing is said.

    Signs that mean something stay: `-5` is not `5`, and `a < b` not `a > b`.
    """
    return " ".join(text.casefold().translate(_BETWEEN).split()) if says_something(text) else ""


def first_occurrences(keys: Sequence[Key]) -> list[int]:
    """For each of them the one that it repeats; itself, where it says something of its own.

    The same words under another heading are said of something else, and so are the same words below another sentence.
    A repetition has nothing of its own: it begins where the same heading begins again, right after what it repeats, or
    with several sentences in a row, and goes on as that does.
    """
    first_of = list(range(len(keys)))
    last: dict[Key, int] = {}
    for at, key in enumerate(keys):
        before = last.get(key)
        if before is not None and _is_copy(keys, first_of, before, at):
            first_of[at] = first_of[before]
        last[key] = at
    return first_of


def _is_copy(keys: Sequence[Key], first_of: Sequence[int], before: int, at: int) -> bool:
    if before and (first_of[at - 1] == first_of[before - 1] or (_begins(keys, before) and _begins(keys, at))):
        return True
    size = min(at - before, _COPIED_SENTENCES)
    return keys[before : before + size] == keys[at : at + size]


def _begins(keys: Sequence[Key], at: int) -> bool:
    return keys[at - 1][0] != keys[at][0]
