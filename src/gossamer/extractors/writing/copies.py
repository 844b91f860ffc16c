"""Tables that a page holds twice, for two widths of screen: the same cells, one table right behind the other."""

from itertools import pairwise

from gossamer.extractors.tree import Element, children, words

_FEWEST_CELLS = 4
_STEPS = 50
"""How many elements the next table is looked for behind."""


def drop_copies(top: Element) -> None:
    """Leave out a table whose cells the next one says again, with not a word between the two."""
    for first, second in pairwise(list(top.iter("table"))):
        if _is_next(first, second):
            cells = _cells(first)
            if len(cells) >= _FEWEST_CELLS and cells == _cells(second):
                first.drop_tree()


def _cells(table: Element) -> list[str]:
    return sorted(text for cell in table.iter("td", "th") if (text := words(cell)))


def _is_next(first: Element, second: Element) -> bool:
    """Whether nothing that can be read stands between the end of a table and the begin of another."""
    el: Element | None = first
    is_behind = True
    for _ in range(_STEPS):
        if el is None or el is second:
            return el is second
        if ((el.tail if is_behind else el.text) or "").strip():
            return False
        inside = None if is_behind else next(iter(children(el)), None)
        if inside is not None:
            el = inside
        elif not is_behind:
            is_behind = True
        elif (after := el.getnext()) is not None:
            el, is_behind = after, False
        else:
            el = el.getparent()
    return False
