"""A part of a text that a judge of single blocks doubts: it stays where the text goes on round it."""

from collections.abc import Sequence
from itertools import accumulate

from gossamer.extractors.content.blocks import Outline

_MOST = 0.8
"""The share of the text round a part that is kept."""
_SOME_TOKENS = 60
_LIKELY = 0.3
_LINKED = 0.6
"""A part with a larger share of its words in links leads elsewhere."""
_FEWEST_BLOCKS = 2
_FEWEST_TOKENS = 20
"""Less is a caption or a label."""


class _Sums:
    """What each element holds: words, kept words, linked words, likelihood by words, blocks with words, cells."""

    def __init__(self, page: Outline, kept: Sequence[bool], likely: Sequence[float]) -> None:
        size = len(page.elements)
        self.words, self.kept, self.linked, self.blocks = ([0] * size for _ in range(4))
        self.cells = [1 if el.tag in {"td", "th"} else 0 for el in page.elements]
        self.likely = [0.0] * size
        for nth, block in enumerate(page.blocks):
            count = len(block.tokens)
            self.words[block.at], self.linked[block.at] = count, block.linked
            self.kept[block.at] = count if kept[nth] else 0
            self.likely[block.at] = likely[nth] * count
            self.blocks[block.at] = min(1, count)
        self.kept_before = [0, *accumulate(self.kept)]
        self.ends = list(range(1, size + 1))
        for at in range(size - 1, 0, -1):
            parent = page.parents[at]
            self.ends[parent] = max(self.ends[parent], self.ends[at])
            self.likely[parent] += self.likely[at]
            for values in (self.words, self.kept, self.linked, self.blocks, self.cells):
                values[parent] += values[at]

    def is_doubtful(self, at: int) -> bool:
        """Whether nothing of a part is kept, though it may be text; tables are judged as tables."""
        is_part = self.blocks[at] >= _FEWEST_BLOCKS and self.words[at] >= _FEWEST_TOKENS
        is_part = is_part and not self.kept[at] and not self.cells[at]
        return is_part and self.likely[at] >= _LIKELY * self.words[at] and self.linked[at] < _LINKED * self.words[at]

    def goes_on(self, at: int, parent: int) -> bool:
        """Whether the element round a part is mostly kept, before the part and after it."""
        rest = self.words[parent] - self.words[at]
        before = self.kept_before[at] - self.kept_before[parent]
        after = self.kept_before[self.ends[parent]] - self.kept_before[self.ends[at]]
        return rest >= _SOME_TOKENS and self.kept[parent] >= _MOST * rest and before > 0 and after > 0


def keep_parts(page: Outline, kept: list[bool], likely: Sequence[float]) -> None:
    """Keep a doubtful part in the middle of kept text."""
    sums = _Sums(page, kept, likely)
    inside = [False] * len(page.elements)
    for at in range(1, len(inside)):
        parent = page.parents[at]
        inside[at] = inside[parent] or (sums.is_doubtful(at) and sums.goes_on(at, parent))
    for nth, block in enumerate(page.blocks):
        kept[nth] |= inside[block.at]
