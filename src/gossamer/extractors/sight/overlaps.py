"""Painted boxes that lie over a sibling: laid into the same cell of a grid, or pulled back over the one before.

Only what is certain counts. A box of the flow is painted below the text of others unless it is placed; one of a grid is
painted over those before it.
"""

from collections import defaultdict
from collections.abc import Callable
from itertools import islice

from gossamer.extractors.sight.cascade import Style
from gossamer.extractors.sight.lengths import pixels
from gossamer.extractors.tree import Element, children

Look = Callable[[Element], Style]
CELL = ("grid-row", "grid-column")
_PLACED = frozenset({"relative", "sticky", "-webkit-sticky"})
_GRIDS = frozenset({"grid", "inline-grid"})
_SIZED_NAMES = "width max-width height max-height float align-self justify-self margin-top margin-left"
_SIZED = frozenset(_SIZED_NAMES.split())
_LINE_PX, _LINE_CHARS = 24.0, 60
"""Text of a narrow page: so high is a line, and so much stands on it."""
_HIGHEST_PX, _MOST_PIECES = 2_000.0, 2_000


def grid_of(box: Element, style: Style, of: Look) -> Element | None:
    """The grid that a box fills a cell of; None when that is not certain."""
    grid = box.getparent()
    if _cell(style) is None or not _SIZED.isdisjoint(style) or style.get("position", "") in {"absolute", "fixed"}:
        return None
    return grid if grid is not None and of(grid).get("display", "") in _GRIDS else None


def cells(grid: Element, of: Look) -> list[list[Element]]:
    """What stands in the same cells of a grid, in the order of the page."""
    found: dict[tuple[str, str], list[Element]] = defaultdict(list)
    for el in children(grid):
        if cell := _cell(of(el)):
            found[cell].append(el)
    return [inside for inside in found.values() if len(inside) > 1]


def _cell(style: Style) -> tuple[str, str] | None:
    row, column = (style.get(name, "auto").partition("/")[0].strip() for name in CELL)
    return (row, column) if "auto" not in {row, column} and "span" not in f"{row}{column}" else None


def pulled_over(box: Element, style: Style, of: Look) -> Element | None:
    """The sibling before a placed box, if that is pulled back over all of it."""
    if style.get("position", "") not in _PLACED or not {"width", "max-width", "float"}.isdisjoint(style):
        return None
    pull = -sum(_length(style, name) for name in ("margin-top", "top"))
    height = max(_length(style, name) for name in ("height", "min-height"))
    before = box.getprevious()
    if not 0 < pull <= _HIGHEST_PX or height < pull or before is None or (before.tail or "").strip():
        return None
    return before if _height(before, of(before)) <= pull else None


def _length(style: Style, name: str) -> float:
    said = style.get(name, "")
    return (pixels(said) or 0.0) if said and "%" not in said else 0.0


def _height(el: Element, style: Style) -> float:
    """How high an element is at most, by what it says or by its text; more than any pull where it is long."""
    said = _length(style, "height") or _length(style, "max-height")
    if said and style.get("overflow-y", "visible") != "visible":
        return said
    lines, pieces = 0.0, list(islice(el.itertext(), _MOST_PIECES))
    for text in pieces:
        lines += 1 + len(text) // _LINE_CHARS if text.strip() else 0
    return max(said, lines * _LINE_PX) if len(pieces) < _MOST_PIECES else 2 * _HIGHEST_PX
