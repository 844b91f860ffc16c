"""What belongs to chosen text stays with it: its headings, the rest of its tables and lists, code, captions.

A judge of single blocks leaves holes that a reader would fall into.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from gossamer.extractors.content.blocks import BLOCKS, HEADINGS, Block, Outline
from gossamer.extractors.tree import Element, attr

_GROUPS = frozenset({"table", "ul", "ol", "dl"})
_ITEMS = frozenset({"li", "td", "th", "dt", "dd"})
_LARGE_ITEM = 60
"""An item of more words that makes up half of its group is text in a layout, and no item of a list."""
_NEAR = 3
"""A heading belongs to kept text that begins at most as many blocks after it."""
_LINKED_TABLE = 0.85
"""A table with a larger share of its words in links leads elsewhere."""
_ROUND = 6
"""How far out the neighbours of a table are looked for."""
_SOME_TEXT = 20
_MOSTLY = 0.6
_FEWEST_ROWS = 3
_ALIKE = 0.8
_SHORT_CELL = 12


def mend(page: Outline, kept: Sequence[bool]) -> list[bool]:
    """Close the gaps in a choice of blocks."""
    out = list(kept)
    _whole_groups(page, out)
    _tables(page, out)
    _headings(page.blocks, out)
    worded = [at for at, block in enumerate(page.blocks) if block.tokens]
    _close_gaps(page.blocks, out, worded)
    _close_gaps(page.blocks, out, range(len(out)))
    return out


def prune(page: Outline, kept: Sequence[bool]) -> None:
    """Remove what is not kept from the page, from the inside out."""
    size = len(page.elements)
    is_kept, is_needed = [False] * size, [False] * size
    for block, keep in zip(page.blocks, kept, strict=True):
        is_kept[block.at] = is_needed[block.at] = keep
    for at in range(size - 1, 0, -1):
        is_needed[page.parents[at]] |= is_needed[at]
    for block in page.blocks:
        if is_needed[block.at] and not is_kept[block.at]:
            _strip_own(block.element)
    is_gone = [False] * size
    for at, el in enumerate(page.elements):
        is_gone[at] = at > 0 and (is_gone[page.parents[at]] or (el.tag in BLOCKS and not is_needed[at]))
        if is_gone[at] and not is_gone[page.parents[at]] and el.tag != "hr" and el.getparent() is not None:
            el.drop_tree()


def _whole_groups(page: Outline, kept: list[bool]) -> None:
    """Keep all of a plain table or list of which half is kept; outer ones see what inner ones gained."""
    size = len(page.elements)
    total, chosen, blocks, items, largest = ([0] * size for _ in range(5))
    for block, keep in zip(page.blocks, kept, strict=True):
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
        kept[nth] |= is_whole[block.at] and not in_nav[block.at]


def _tables(page: Outline, kept: list[bool]) -> None:
    """Keep a table of data that stands beside kept text or among it, and does not lead elsewhere."""
    table_of, data = data_tables(page)
    by_table: dict[int, list[int]] = {}
    beside: dict[int, bool] = {}
    is_after_kept = False
    for nth, block in enumerate(page.blocks):
        table = table_of[block.at]
        if table in data:
            by_table.setdefault(table, []).append(nth)
            beside.setdefault(table, is_after_kept)
        elif block.tokens and block.element.tag not in HEADINGS:
            is_after_kept = kept[nth]
    near = _Neighbours(page, kept, by_table)
    for table, places in by_table.items():
        linked = sum(page.blocks[nth].linked for nth in places)
        is_open = linked <= _LINKED_TABLE * sum(len(page.blocks[nth].tokens) for nth in places)
        if is_open and not _leads_away(page.elements[table]) and (beside[table] or near.are_kept(table)):
            for nth in places:
                kept[nth] = True


class _Neighbours:
    """How much of the text round some groups is kept, those groups and the headings aside."""

    def __init__(self, page: Outline, kept: Sequence[bool], groups: Mapping[int, Sequence[int]]) -> None:
        size = len(page.elements)
        self._parents = page.parents
        self._total, self._kept = [0] * size, [0] * size
        inside = {nth for places in groups.values() for nth in places}
        for nth, block in enumerate(page.blocks):
            if nth not in inside and block.element.tag not in HEADINGS:
                self._total[block.at] = len(block.tokens)
                self._kept[block.at] = len(block.tokens) if kept[nth] else 0
        for at in range(size - 1, 0, -1):
            self._total[page.parents[at]] += self._total[at]
            self._kept[page.parents[at]] += self._kept[at]

    def are_kept(self, group: int) -> bool:
        """Whether most of the text in the nearest element round a group that has some is kept."""
        at = group
        for _ in range(_ROUND):
            if at and self._total[at] < _SOME_TEXT:
                at = self._parents[at]
        return self._total[at] >= _SOME_TEXT and self._kept[at] >= _MOSTLY * self._total[at]


def data_tables(page: Outline) -> tuple[list[int], set[int]]:
    """For each element the nearest table round it, -1 where there is none; and the tables that hold data.

    Those have head cells, or three rows or more of the same number of short cells; and no table inside them.
    """
    table_of, row_of = [-1] * len(page.elements), [-1] * len(page.elements)
    headed: set[int] = set()
    layout: set[int] = set()
    cells: dict[int, dict[int, int]] = {}
    for at, el in enumerate(page.elements):
        outer = table_of[page.parents[at]] if at else -1
        table_of[at] = outer
        if el.tag == "table":
            table_of[at] = at
            layout.add(outer)
        elif outer >= 0:
            row_of[at] = at if el.tag == "tr" else row_of[page.parents[at]]
            if el.tag == "th":
                headed.add(outer)
            if el.tag in {"td", "th"}:
                rows = cells.setdefault(outer, {})
                rows[row_of[at]] = rows.get(row_of[at], 0) + 1
    words: dict[int, int] = {}
    for block in page.blocks:
        words[table_of[block.at]] = words.get(table_of[block.at], 0) + len(block.tokens)
    regular = {table for table, rows in cells.items() if _is_regular(list(rows.values()), words.get(table, 0))}
    return table_of, (headed | regular) - layout


def _is_regular(rows: Sequence[int], words: int) -> bool:
    """Whether rows of so many cells each are a grid of short things."""
    usual, count = Counter(rows).most_common(1)[0]
    return len(rows) >= _FEWEST_ROWS and usual > 1 and count >= _ALIKE * len(rows) and words <= _SHORT_CELL * sum(rows)


def _leads_away(table: Element) -> bool:
    return "nav" in f"{attr(table, 'class')} {attr(table, 'role')}".lower()


def _headings(blocks: Sequence[Block], kept: list[bool]) -> None:
    """Keep the headings above kept text, small print between them or not."""
    away = _NEAR + 1
    for at in range(len(blocks) - 1, -1, -1):
        if blocks[at].element.tag in HEADINGS:
            kept[at] |= away <= _NEAR
            away = away if kept[at] else _NEAR + 1
        elif blocks[at].tokens:
            away = 1 if kept[at] else away + 1


def _close_gaps(blocks: Sequence[Block], kept: list[bool], places: Sequence[int]) -> None:
    """Keep captions and pictures between kept blocks, and code beside one."""
    for before, at, after in zip(places, places[1:], places[2:], strict=False):
        beside = kept[before] + kept[after]
        if beside and (blocks[at].element.tag == "pre" or (beside == 2 and _is_minor(blocks[at]))):
            kept[at] = True


def _is_minor(block: Block) -> bool:
    return block.element.tag in {"figcaption", "summary", "dt"} or not block.tokens


def _strip_own(block: Element) -> None:
    """Remove the text that stands in a block itself, leaving the blocks inside it."""
    block.text = ""
    for child in list(block):
        child.tail = ""
        if child.tag not in BLOCKS and not any(True for _ in child.iter(*BLOCKS)):
            child.drop_tree()
