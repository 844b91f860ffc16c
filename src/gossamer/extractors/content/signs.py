"""Lines without a word: an operator, a drawing of dashes, a cheer.

Nothing in them tells whether they are content, so they go with what stands beside them.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from unicodedata import category

from gossamer.extractors.content.blocks import HEADINGS, Block, Outline

_CODE = ("pre", "code", "tt", "samp", "kbd")
_TERMS = frozenset({"dt", "dd"})
_CELLS = frozenset({"td", "th"})
_LINES = HEADINGS | {"p", "li", "blockquote"}
_TITLES = HEADINGS | {"dt"}
_BARS = frozenset({"nav", "footer", "aside", "dialog", "form"})
_SEPARATORS = re.compile(r"[-\s|¦•·●▪■◦‣›»‹«<>*—–_=+~/\\.,:;#…]+|[←→↑↓▲▼◀▶◄►▴▾×✕✖☰]")
_OPERATOR = re.compile(r"[|<>*=+~/\\#]")
"""A separator that is the name of something where it is a heading."""


def kept_signs(page: Outline, kept: Sequence[bool]) -> list[Block]:
    """The blocks of signs alone that stand among kept text, what only sets things apart left out."""
    worded = [(block.at, keep) for block, keep in zip(page.blocks, kept, strict=True) if block.tokens]
    if not page.signs or not worded:
        return []
    near = _Neighbours(page, [at for at, _ in worded], [keep for _, keep in worded])
    return [
        block
        for block in page.signs
        if not near.in_bar[block.at]
        and (near.in_cell[block.at] or _says_something(block))
        and _belongs(block, *near.beside(block.at))
    ]


class _Neighbours:
    """What stands beside a line in the nearest element round it that has words."""

    def __init__(self, page: Outline, places: Sequence[int], kept: Sequence[bool]) -> None:
        size = len(page.elements)
        self._places, self._kept = places, kept
        self._ends, self._around = list(range(1, size + 1)), [0] * size
        self.in_bar, self.in_cell = [False] * size, [False] * size
        """Whether nothing but signs stands in a bar, or a cell, round each element."""
        for at in range(size - 1, 0, -1):
            self._ends[page.parents[at]] = max(self._ends[page.parents[at]], self._ends[at])
        for at in range(1, size):
            if bisect_left(places, at) < bisect_left(places, self._ends[at]):
                self._around[at] = at
                continue
            tag, parent = page.elements[at].tag, page.parents[at]
            self._around[at] = self._around[parent]
            self.in_bar[at] = tag in _BARS or self.in_bar[parent]
            self.in_cell[at] = tag in _CELLS or self.in_cell[parent]

    def beside(self, at: int) -> tuple[Sequence[bool], Sequence[bool]]:
        """Whether the words before an element and behind it are kept, each empty where there are none."""
        around, here = self._around[at], bisect_left(self._places, at)
        first, end = bisect_left(self._places, around), bisect_left(self._places, self._ends[around])
        return self._kept[max(first, here - 1) : here], self._kept[here : min(end, here + 1)]


def _says_something(block: Block) -> bool:
    """Whether signs are more than a mark between two things, or one that leads elsewhere."""
    tag = block.element.tag
    if tag in _TERMS or next(block.element.iter(*_CODE), None) is not None:
        return True
    if tag not in _LINES or not any(category(sign)[0] in "PS" for sign in block.text):
        return False
    if tag in HEADINGS:
        return _OPERATOR.fullmatch(block.text) is not None or _SEPARATORS.fullmatch(block.text) is None
    return not block.links and _SEPARATORS.fullmatch(block.text) is None


def _belongs(block: Block, before: Sequence[bool], after: Sequence[bool]) -> bool:
    """Whether signs stand by kept text: a title by what it names, code by either side, the rest by both."""
    tag = block.element.tag
    if tag in _TITLES:
        return all(after or before)
    return any((*before, *after)) if tag == "pre" else all((*before, *after))
