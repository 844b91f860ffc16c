"""Groups: tables, lists and tab panels among kept text, which a judge of single blocks takes for surroundings."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from gossamer.extractors.html.content.blocks import HEADINGS, Block, Outline
from gossamer.extractors.html.content.vocabulary import TEXT_GROUPS, text_groups
from gossamer.extractors.html.tree import Element, attr

_SHORT_TOKENS = 20
"""A judge of single blocks is right about longer panels: the reviews of a product, the terms of its shop."""
_LINKED = 0.5
_APART = frozenset({"aside", "footer", "form", "nav"})
_LISTS = frozenset({"ul", "ol", "dl"})
_CODE = frozenset({"code", "tt", "samp", "kbd"})
_RELATED = TEXT_GROUPS.index("related")
_ASIDE = tuple(TEXT_GROUPS.index(name) for name in ("related", "comments", "share", "sales", "rights"))
_TEXT = frozenset({"main", "article"})
_LIKELY_LIST = 0.35
"""A list below a heading stays from this likelihood on, the mean of its words."""
_FEWEST_SECTIONS = 3
"""A single one may be the page's list of related ones."""
_LINKED_TABLE = 0.85
"""A table with a larger share of its words in links leads elsewhere."""
_LEVELS = 6
"""How many elements further out the neighbours of a group are looked for."""
_SOME_TOKENS = 20
"""Fewer words round a group say nothing of it."""
_MOST = 0.6
_PROSE_TOKENS = 6
_ENUMERATED = 0.8
"""The share of a list's items that end as parts of a sentence where the list is one."""
_FEWEST_ROWS = 3
_SAME_CELLS = 0.8
"""The share of a grid's rows that have the same number of cells."""
_CELL_TOKENS = 12
"""Longer cells, on average, hold text that is only laid out in a table."""


class _Neighbours:
    """How much of the text round some groups is kept, the groups themselves and headings aside."""

    def __init__(self, page: Outline, is_kept: Sequence[bool], groups: Mapping[int, Sequence[int]]) -> None:
        size = len(page.elements)
        self._parents = page.parents
        self._total, self._kept = [0] * size, [0] * size
        grouped = {nth for places in groups.values() for nth in places}
        for nth, block in enumerate(page.blocks):
            if nth not in grouped and block.element.tag not in HEADINGS:
                self._total[block.at] = len(block.tokens)
                self._kept[block.at] = len(block.tokens) if is_kept[nth] else 0
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


def keep_tables(page: Outline, is_kept: list[bool]) -> None:
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
            is_after_kept = is_kept[nth]
    near = _Neighbours(page, is_kept, by_table) if by_table else None
    for table, places in by_table.items():
        if (follows[table] or (near and near.are_kept(table))) and not _leads_away(page, table, places):
            _keep(is_kept, places)


def keep_code(page: Outline, is_kept: list[bool]) -> None:
    """Keep code among kept text, and lines that are nothing but code."""
    by_block = {block.at: [nth] for nth, block in enumerate(page.blocks) if _is_code(block)}
    if not by_block:
        return
    near = _Neighbours(page, is_kept, by_block)
    for at, places in by_block.items():
        if near.are_kept(at):
            _keep(is_kept, places)


def _is_code(block: Block) -> bool:
    """Whether a block is a listing, or a line with nothing in it but code."""
    el = block.element
    while el.tag != "pre" and el.tag not in _CODE and len(el) == 1 and not (el.text or "").strip():
        el = next(iter(el))
        if (el.tail or "").strip():
            return False
    return el.tag == "pre" or el.tag in _CODE


def keep_lists(page: Outline, is_kept: list[bool]) -> None:
    """Keep a list among kept text that a kept heading announces, a line that ends in a colon, or half a sentence."""
    list_of = [-1] * len(page.elements)
    for at, el in enumerate(page.elements):
        outer = list_of[page.parents[at]] if at else -1
        list_of[at] = at if el.tag in _LISTS and outer < 0 else outer
    by_list: dict[int, list[int]] = {}
    announced: dict[int, bool] = {}
    goes_on: dict[int, bool] = {}
    is_announced = is_begun = False
    for nth, block in enumerate(page.blocks):
        group = list_of[block.at]
        if group >= 0:
            by_list.setdefault(group, []).append(nth)
            announced.setdefault(group, is_announced)
            goes_on.setdefault(group, is_begun)
        if block.tokens:
            is_announced = is_kept[nth] and _announces(block)
            is_begun = is_kept[nth] and _is_begun(block)
    for group in (group for group, is_rest in goes_on.items() if is_rest):
        announced[group] |= _is_enumeration([page.blocks[nth] for nth in by_list[group]])
    if not any(announced.values()):
        return
    near = _Neighbours(page, is_kept, by_list)
    for group, places in by_list.items():
        if announced[group] and near.are_kept(group):
            _keep(is_kept, places)


def keep_sections(page: Outline, is_kept: list[bool], likely: Sequence[float]) -> None:
    """Keep lists and the headings right above them where several stand in the text and may well be content.

    An index of documentation is made of such sections, and has nothing beside them that could be kept first.
    """
    list_of, is_in_text = _places_in_text(page)
    by_list: dict[int, list[int]] = {}
    heading_of: dict[int, int] = {}
    before = -1
    for nth, block in enumerate(page.blocks):
        if not block.tokens:
            continue
        group = list_of[block.at]
        if group >= 0 and is_in_text[group]:
            by_list.setdefault(group, []).append(nth)
            heading_of.setdefault(group, before)
        before = nth
    sections: list[tuple[int, ...]] = []
    for group, places in by_list.items():
        above = heading_of[group]
        if above < 0 or page.blocks[above].element.tag not in HEADINGS or _is_aside(page.blocks[above]):
            continue
        words = sum(len(page.blocks[nth].tokens) for nth in places)
        if sum(likely[nth] * len(page.blocks[nth].tokens) for nth in places) >= _LIKELY_LIST * words:
            sections.append((above, *places))
    if len(sections) >= _FEWEST_SECTIONS:
        _keep(is_kept, (nth for section in sections for nth in section))


def _places_in_text(page: Outline) -> tuple[list[int], list[bool]]:
    """For each element the outermost list round it, -1 where there is none, and whether it stands in the text."""
    list_of, is_in_text = [-1] * len(page.elements), [False] * len(page.elements)
    for at, el in enumerate(page.elements):
        outer = list_of[page.parents[at]] if at else -1
        list_of[at] = at if el.tag in _LISTS and outer < 0 else outer
        is_text = el.tag in _TEXT or page.roles[at] == "main"
        is_in_text[at] = (is_text or (at > 0 and is_in_text[page.parents[at]])) and el.tag not in _APART
    return list_of, is_in_text


def _is_aside(block: Block) -> bool:
    return any(text_groups(block.text)[at] for at in _ASIDE)


def keep_attributions(page: Outline, is_kept: list[bool]) -> None:
    """Keep the short lines of a quotation whose text is kept: who is quoted, and from where."""
    quote = [-1] * len(page.elements)
    for at, el in enumerate(page.elements):
        outer = quote[page.parents[at]] if at else -1
        quote[at] = at if el.tag == "blockquote" and outer < 0 else outer
    kept_in = {quote[block.at] for block, keep in zip(page.blocks, is_kept, strict=True) if keep and block.tokens}
    for nth, block in enumerate(page.blocks):
        is_quoted = quote[block.at] >= 0 and quote[block.at] in kept_in
        is_kept[nth] |= is_quoted and 0 < len(block.tokens) <= _SHORT_TOKENS


def _keep(is_kept: list[bool], places: Iterable[int]) -> None:
    for nth in places:
        is_kept[nth] = True


def _announces(block: Block) -> bool:
    """Whether a list below this text belongs to it; related pages do not."""
    is_title = block.element.tag in HEADINGS or block.text.endswith((":", "："))
    return is_title and not text_groups(block.text)[_RELATED]


def _is_begun(block: Block) -> bool:
    """Whether a line of prose ends in the middle of a sentence, as before the things that it goes on to name."""
    is_prose = len(block.tokens) >= _PROSE_TOKENS and block.element.tag not in HEADINGS
    return is_prose and (block.text[-1].isalnum() or block.text[-1] in ",)")


def _is_enumeration(items: Sequence[Block]) -> bool:
    """Whether most items end as the parts of a sentence do."""
    ends = sum(item.text.endswith((",", ";", ".", ", or", ", and")) for item in items)
    return len(items) > 1 and ends >= _ENUMERATED * len(items)


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


def keep_panels(page: Outline, is_kept: list[bool], panels: Collection[Element]) -> None:
    """Keep a short panel beside one that is kept, and a short fold in an article, unless it only leads elsewhere."""
    _keep_beside(page, is_kept, panels)
    _keep_folds(page, is_kept)


def _keep_folds(page: Outline, is_kept: list[bool]) -> None:
    """Keep a short fold that follows kept text in the article round it."""
    if next(page.elements[0].iter("details"), None) is None:
        return
    fold, article = [-1] * len(page.elements), [-1] * len(page.elements)
    for at in range(1, len(fold)):
        tag, parent = page.elements[at].tag, page.parents[at]
        fold[at] = at if tag == "details" else fold[parent]
        article[at] = at if tag == "article" else -1 if tag in _APART else article[parent]
    blocks: dict[int, list[int]] = {}
    before: dict[int, int] = {}
    last = -1
    for nth, block in enumerate(page.blocks):
        if block.tokens and (at := fold[block.at]) >= 0 and article[at] >= 0:
            blocks.setdefault(at, []).append(nth)
            before.setdefault(at, last)
        last = nth if block.tokens else last
    for at, held in blocks.items():
        above = before[at]
        follows = above >= 0 and is_kept[above] and article[page.blocks[above].at] == article[at]
        if follows and _is_short(page, held):
            for nth in held:
                is_kept[nth] = True


def _is_short(page: Outline, held: Sequence[int]) -> bool:
    """Whether blocks are few words, and not links for the most part."""
    size = sum(len(page.blocks[nth].tokens) for nth in held)
    return size <= _SHORT_TOKENS and sum(page.blocks[nth].linked for nth in held) <= _LINKED * size


def _keep_beside(page: Outline, is_kept: list[bool], panels: Collection[Element]) -> None:
    own = set(panels)
    places = [at for at, el in enumerate(page.elements) if el in own] if own else []
    if len(places) < 2:
        return
    inside = [-1] * len(page.elements)
    for at in range(1, len(inside)):
        inside[at] = at if page.elements[at] in own else inside[page.parents[at]]
    blocks: dict[int, list[int]] = {at: [] for at in places}
    for nth, block in enumerate(page.blocks):
        if inside[block.at] >= 0 and block.tokens:
            blocks[inside[block.at]].append(nth)
    with_kept_text = {page.parents[at] for at, held in blocks.items() if any(is_kept[nth] for nth in held)}
    for at, held in blocks.items():
        if page.parents[at] in with_kept_text and _is_short(page, held):
            for nth in held:
                is_kept[nth] = True
