"""Completion of the selection: headings, the rest of tables and lists, code and captions rejoin their text.

A judge of single blocks leaves holes that a reader would fall into.
"""

from collections.abc import Collection, Sequence
from itertools import accumulate

from gossamer.extractors.html.content.blocks import BLOCKS, Block, Outline
from gossamer.extractors.html.content.groups import keep_code, keep_lists, keep_panels, keep_tables
from gossamer.extractors.html.content.headings import keep_headings
from gossamer.extractors.html.content.short_blocks import keep_small, kept_signs
from gossamer.extractors.html.tree import Element, drop_trees

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

    def __init__(self, page: Outline, is_kept: Sequence[bool], likely: Sequence[float]) -> None:
        size = len(page.elements)
        self.words, self.kept_words, self.linked, self.blocks = ([0] * size for _ in range(4))
        self.cells = [1 if el.tag in {"td", "th"} else 0 for el in page.elements]
        self.likely = [0.0] * size
        for nth, block in enumerate(page.blocks):
            count = len(block.tokens)
            self.words[block.at], self.linked[block.at] = count, block.linked
            self.kept_words[block.at] = count if is_kept[nth] else 0
            self.likely[block.at] = likely[nth] * count
            self.blocks[block.at] = min(1, count)
        self.kept_before = [0, *accumulate(self.kept_words)]
        self.ends = list(range(1, size + 1))
        for at in range(size - 1, 0, -1):
            parent = page.parents[at]
            self.ends[parent] = max(self.ends[parent], self.ends[at])
            self.likely[parent] += self.likely[at]
            for values in (self.words, self.kept_words, self.linked, self.blocks, self.cells):
                values[parent] += values[at]

    def is_doubtful(self, at: int) -> bool:
        """Whether nothing of a part is kept, though it may be text; tables are judged as tables."""
        is_part = self.blocks[at] >= _FEWEST_BLOCKS and self.words[at] >= _FEWEST_TOKENS
        is_part = is_part and not self.kept_words[at] and not self.cells[at]
        return is_part and self.likely[at] >= _LIKELY * self.words[at] and self.linked[at] < _LINKED * self.words[at]

    def goes_on(self, at: int, parent: int) -> bool:
        """Whether the element round a part is mostly kept, before the part and after it."""
        rest = self.words[parent] - self.words[at]
        before = self.kept_before[at] - self.kept_before[parent]
        after = self.kept_before[self.ends[parent]] - self.kept_before[self.ends[at]]
        return rest >= _SOME_TOKENS and self.kept_words[parent] >= _MOST * rest and before > 0 and after > 0


def keep_parts(page: Outline, is_kept: list[bool], likely: Sequence[float]) -> None:
    """Keep a doubtful part in the middle of kept text."""
    sums = _Sums(page, is_kept, likely)
    inside = [False] * len(page.elements)
    for at in range(1, len(inside)):
        parent = page.parents[at]
        inside[at] = inside[parent] or (sums.is_doubtful(at) and sums.goes_on(at, parent))
    for nth, block in enumerate(page.blocks):
        is_kept[nth] |= inside[block.at]


_GROUPS = frozenset({"table", "ul", "ol", "dl"})
_CELLS = frozenset({"td", "th"})
_ITEMS = frozenset({"li", "td", "th", "dt", "dd"})
_LARGE_ITEM = 60
"""An item of more words that makes up half of its group is text in a layout, and no item of a list."""


def complete(
    page: Outline, is_kept: Sequence[bool], likely: Sequence[float], panels: Collection[Element] = ()
) -> list[bool]:
    """Close the gaps in a choice of blocks; `panels` are the parts of the page that tabs and labels show."""
    out = list(is_kept)
    _whole_groups(page, out)
    keep_tables(page, out)
    keep_lists(page, out)
    keep_parts(page, out, likely)
    keep_panels(page, out, panels)
    keep_code(page, out)
    keep_small(page, out)
    keep_headings(page, out, likely)
    worded = [at for at, block in enumerate(page.blocks) if block.tokens]
    _close_gaps(page.blocks, out, worded)
    _close_gaps(page.blocks, out, range(len(out)))
    return out


def prune(page: Outline, is_kept_block: Sequence[bool]) -> None:
    """Remove what is not kept from the page, from the inside out."""
    size = len(page.elements)
    is_kept, is_needed = [False] * size, [False] * size
    for block, keep in zip(page.blocks, is_kept_block, strict=True):
        is_kept[block.at] = is_needed[block.at] = keep
    for block in kept_signs(page, is_kept_block):
        is_kept[block.at] = is_needed[block.at] = True
    for at in range(size - 1, 0, -1):
        is_needed[page.parents[at]] |= is_needed[at]
    _keep_places(page, is_needed, is_kept)
    _keep_lines(page, is_needed, is_kept)
    for block in page.blocks:
        if is_needed[block.at] and not is_kept[block.at]:
            _strip_own(block.element)
    is_gone = [False] * size
    gone: list[Element] = []
    for at, el in enumerate(page.elements):
        is_gone[at] = at > 0 and (is_gone[page.parents[at]] or (el.tag in BLOCKS and not is_needed[at]))
        if is_gone[at] and not is_gone[page.parents[at]] and el.tag != "hr" and el.getparent() is not None:
            gone.append(el)
    drop_trees(page.elements[0], gone)


def _keep_places(page: Outline, is_needed: list[bool], is_kept: list[bool]) -> None:
    """A cell without words, or without chosen ones, keeps its place in a row: else the rest stands in wrong columns."""
    wordless = {block.at for block in page.blocks if not block.tokens}
    for at, el in enumerate(page.elements):
        if el.tag in _CELLS and not is_needed[at] and is_needed[page.parents[at]]:
            is_needed[at] = True
            is_kept[at] = at in wordless


def _keep_lines(page: Outline, is_needed: list[bool], is_kept: Sequence[bool]) -> None:
    """Code keeps all its lines, those without a word too."""
    own = {block.at for block in page.blocks}
    in_code = [False] * len(page.elements)
    for at, el in enumerate(page.elements):
        in_code[at] = (is_kept[at] and el.tag == "pre") or (at > 0 and in_code[page.parents[at]] and at not in own)
        is_needed[at] |= in_code[at]


def _whole_groups(page: Outline, is_kept: list[bool]) -> None:
    """Keep all of a plain table or list of which half is kept; outer ones see what inner ones gained."""
    size = len(page.elements)
    total, chosen, blocks, items, largest = ([0] * size for _ in range(5))
    for block, keep in zip(page.blocks, is_kept, strict=True):
        total[block.at] = len(block.tokens)
        chosen[block.at] = len(block.tokens) if keep else 0
        blocks[block.at] = 1 if block.tokens else 0
    is_whole = [False] * size
    for at in range(size - 1, -1, -1):
        tag, parent = page.elements[at].tag, page.parents[at]
        if tag in _ITEMS:
            items[at] += 1
            largest[at] = max(largest[at], total[at])
        is_plain = blocks[at] <= 2 * items[at] and (largest[at] <= _LARGE_ITEM or 2 * largest[at] <= total[at])
        if tag in _GROUPS and (is_plain or tag != "table") and 0 < total[at] <= 2 * chosen[at]:
            is_whole[at], chosen[at] = True, total[at]
        if at:
            largest[parent] = max(largest[parent], largest[at])
            for values in (total, chosen, blocks, items):
                values[parent] += values[at]
    in_nav = [False] * size
    for at in range(1, size):
        in_nav[at] = in_nav[page.parents[at]] or page.elements[at].tag == "nav"
        is_whole[at] |= is_whole[page.parents[at]]
    for nth, block in enumerate(page.blocks):
        is_kept[nth] |= is_whole[block.at] and not in_nav[block.at]


def _close_gaps(blocks: Sequence[Block], is_kept: list[bool], places: Sequence[int]) -> None:
    """Keep captions and pictures between kept blocks, and code beside one."""
    for before, at, after in zip(places, places[1:], places[2:], strict=False):
        beside = is_kept[before] + is_kept[after]
        if beside and (blocks[at].element.tag == "pre" or (beside == 2 and _is_minor(blocks[at]))):
            is_kept[at] = True


def _is_minor(block: Block) -> bool:
    return block.element.tag in {"figcaption", "summary", "dt"} or not block.tokens


def _strip_own(block: Element) -> None:
    """Remove the text that stands in a block itself, leaving the blocks inside it."""
    block.text = ""
    for child in list(block):
        child.tail = ""
        if child.tag not in BLOCKS and not any(True for _ in child.iter(*BLOCKS)):
            child.drop_tree()
