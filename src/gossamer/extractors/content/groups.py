"""Tables and lists among kept text, which a judge of single cells and items takes for surroundings."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from gossamer.extractors.content.blocks import HEADINGS, Block, Outline
from gossamer.extractors.content.phrases import TEXT_GROUPS, text_groups
from gossamer.extractors.tree import Element, attr

_LISTS = frozenset({"ul", "ol", "dl"})
_CODE = frozenset({"code", "tt", "samp", "kbd"})
_RELATED = TEXT_GROUPS.index("related")
_LINKED_TABLE = 0.85
"""A table with a larger share of its words in links leads elsewhere."""
_LEVELS = 6
"""How many elements further out the neighbours of a group are looked for."""
_SOME_TOKENS = 20
"""Fewer words round a group say nothing of it."""
_MOST = 0.6
_FEWEST_ROWS = 3
_SAME_CELLS = 0.8
"""The share of a grid's rows that have the same number of cells."""
_CELL_TOKENS = 12
"""Longer cells, on average, hold text that is only laid out in a table."""


class _Neighbours:
    """How much of the text round some groups is kept, the groups themselves and headings aside."""

    def __init__(self, page: Outline, kept: Sequence[bool], groups: Mapping[int, Sequence[int]]) -> None:
        size = len(page.elements)
        self._parents = page.parents
        self._total, self._kept = [0] * size, [0] * size
        grouped = {nth for places in groups.values() for nth in places}
        for nth, block in enumerate(page.blocks):
            if nth not in grouped and block.element.tag not in HEADINGS:
                self._total[block.at] = len(block.tokens)
                self._kept[block.at] = len(block.tokens) if kept[nth] else 0
        for at in range(size - 1, 0, -1):
            self._total[page.parents[at]] += self._total[at]
            self._kept[page.parents[at]] += self._kept[at]

    def are_kept(self, group: int) -> bool:
        """Whether most of the text is kept in the nearest element round a group that has some."""
        at = group
        for _ in range(_LEVELS):
            if at and self._total[at] < _SOME_TOKENS:
                at = self._parents[at]
        return self._total[at] >= _SOME_TOKENS and self._kept[at] >= _MOST * self._total[at]


def keep_tables(page: Outline, kept: list[bool]) -> None:
    """Keep a table of data right after kept text, or among it, unless it leads elsewhere."""
    table_of, data = _data_tables(page)
    by_table: dict[int, list[int]] = {}
    follows: dict[int, bool] = {}
    is_after_kept = False
    for nth, block in enumerate(page.blocks):
        table = table_of[block.at]
        if table in data:
            by_table.setdefault(table, []).append(nth)
            follows.setdefault(table, is_after_kept)
        elif block.tokens and block.element.tag not in HEADINGS:
            is_after_kept = kept[nth]
    near = _Neighbours(page, kept, by_table) if by_table else None
    for table, places in by_table.items():
        if (follows[table] or (near and near.are_kept(table))) and not _leads_away(page, table, places):
            _keep(kept, places)


def keep_code(page: Outline, kept: list[bool]) -> None:
    """Keep code among kept text, and lines that are nothing but code."""
    by_block = {block.at: [nth] for nth, block in enumerate(page.blocks) if _is_code(block)}
    if not by_block:
        return
    near = _Neighbours(page, kept, by_block)
    for at, places in by_block.items():
        if near.are_kept(at):
            _keep(kept, places)


def _is_code(block: Block) -> bool:
    """Whether a block is a listing, or a line with nothing in it but code."""
    el = block.element
    while el.tag != "pre" and el.tag not in _CODE and len(el) == 1 and not (el.text or "").strip():
        el = next(iter(el))
        if (el.tail or "").strip():
            return False
    return el.tag == "pre" or el.tag in _CODE


def keep_lists(page: Outline, kept: list[bool]) -> None:
    """Keep a list among kept text that a kept heading announces, or a kept line that ends in a colon."""
    list_of = [-1] * len(page.elements)
    for at, el in enumerate(page.elements):
        outer = list_of[page.parents[at]] if at else -1
        list_of[at] = at if el.tag in _LISTS and outer < 0 else outer
    by_list: dict[int, list[int]] = {}
    announced: dict[int, bool] = {}
    is_announced = False
    for nth, block in enumerate(page.blocks):
        group = list_of[block.at]
        if group >= 0:
            by_list.setdefault(group, []).append(nth)
            announced.setdefault(group, is_announced)
        if block.tokens:
            is_announced = kept[nth] and _announces(block)
    if not any(announced.values()):
        return
    near = _Neighbours(page, kept, by_list)
    for group, places in by_list.items():
        if announced[group] and near.are_kept(group):
            _keep(kept, places)


def _keep(kept: list[bool], places: Iterable[int]) -> None:
    for nth in places:
        kept[nth] = True


def _announces(block: Block) -> bool:
    """Whether a list below this text belongs to it; related pages do not."""
    is_title = block.element.tag in HEADINGS or block.text.endswith((":", "："))
    return is_title and not text_groups(block.text)[_RELATED]


def _leads_away(page: Outline, table: int, places: Sequence[int]) -> bool:
    linked = sum(page.blocks[nth].linked for nth in places)
    return linked > _LINKED_TABLE * sum(len(page.blocks[nth].tokens) for nth in places) or _is_menu(
        page.elements[table]
    )


def _is_menu(table: Element) -> bool:
    return "nav" in f"{attr(table, 'class')} {attr(table, 'role')}".lower()


def _data_tables(page: Outline) -> tuple[list[int], set[int]]:
    """For each element the nearest table round it, -1 where there is none; and the tables of data.

    Those have head cells, or are a grid of short cells; and they have no table inside them.
    """
    table_of, row_of = [-1] * len(page.elements), [-1] * len(page.elements)
    headed, outer_ones = set[int](), set[int]()
    cells: dict[int, Counter[int]] = {}
    for at, el in enumerate(page.elements):
        parent = page.parents[at]
        outer = table_of[parent] if at else -1
        table_of[at] = at if el.tag == "table" else outer
        row_of[at] = at if el.tag == "tr" else row_of[parent] if at else -1
        if el.tag == "table":
            outer_ones.add(outer)
        elif el.tag in {"td", "th"} and outer >= 0:
            cells.setdefault(outer, Counter())[row_of[at]] += 1
            if el.tag == "th":
                headed.add(outer)
    words = Counter[int]()
    for block in page.blocks:
        words[table_of[block.at]] += len(block.tokens)
    grids = {table for table, rows in cells.items() if _is_grid(list(rows.values()), words[table])}
    return table_of, (headed | grids) - outer_ones


def _is_grid(rows: Sequence[int], words: int) -> bool:
    """Whether rows of so many cells each hold short things side by side."""
    usual, count = Counter(rows).most_common(1)[0]
    is_even = usual > 1 and count >= _SAME_CELLS * len(rows)
    return len(rows) >= _FEWEST_ROWS and is_even and words <= _CELL_TOKENS * sum(rows)
