"""Repeated sentences: which of them say again what was said before, about the same thing."""

from collections.abc import Sequence

from gossamer.steps.text.index_text import says_something

Key = tuple[int, str]
"""Under which heading something is said, and the words."""

_LONG = 4
"""So many sentences in the same words and order are a copy, whatever stands before them."""
_BETWEEN = dict.fromkeys(map(ord, ".,;:!?…\"'`*_()[]«»“”„‘’。，、；：！？「」『』（）"), " ")


def said(text: str) -> str:
    """The words in order, whatever their case and the marks between them; empty where nothing is said.

    Signs that mean something stay: `-5` is not `5`, and `a < b` not `a > b`.
    """
    return " ".join(text.casefold().translate(_BETWEEN).split()) if says_something(text) else ""


def firsts(keys: Sequence[Key]) -> list[int]:
    """For each of them the one that it repeats; itself, where it says something of its own.

    The same words under another heading are said of something else, and so are the same words below another sentence.
    A repetition has nothing of its own: it begins where the same heading begins again, right after what it repeats, or
    with several sentences in a row, and goes on as that does.
    """
    found = list(range(len(keys)))
    last: dict[Key, int] = {}
    for at, key in enumerate(keys):
        before = last.get(key)
        if before is not None and _is_copy(keys, found, before, at):
            found[at] = found[before]
        last[key] = at
    return found


def _is_copy(keys: Sequence[Key], found: Sequence[int], before: int, at: int) -> bool:
    if before and (found[at - 1] == found[before - 1] or (_begins(keys, before) and _begins(keys, at))):
        return True
    size = min(at - before, _LONG)
    return keys[before : before + size] == keys[at : at + size]


def _begins(keys: Sequence[Key], at: int) -> bool:
    return keys[at - 1][0] != keys[at][0]
