"""Occlusion: text that a painted box lies over, on all of what it stands in or over a sibling.

Only what is certain counts: the box covers all of its anchor, has a colour of its own and nothing that lets light
through; text that is raised above it stays. A cover over the page's main part that leaves nothing to be seen is a
curtain of a page that is still loading, and lies over nothing. A box of the flow is painted below the text of others
unless it is placed; one of a grid is painted over those before it.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Set
from itertools import chain, islice

from gossamer.extractors.html.tree import Element, children, is_element
from gossamer.extractors.html.visibility.css.cascade import Cascade, Style
from gossamer.extractors.html.visibility.css.colours import OPAQUE_FROM, ink_of, stops
from gossamer.extractors.html.visibility.css.declarations import Declarations, is_open
from gossamer.extractors.html.visibility.css.values import number, pixels
from gossamer.extractors.html.visibility.layout.element_visibility import Cover, Seen, is_gone, is_marked_hidden

Look = Callable[[Element], Style]
CELL = ("grid-row", "grid-column")
_PLACED = frozenset({"relative", "sticky", "-webkit-sticky"})
_GRIDS = frozenset({"grid", "inline-grid"})
_SIZED_NAMES = "width max-width height max-height float align-self justify-self margin-top margin-left"
_SIZED = frozenset(_SIZED_NAMES.split())
_LINE_PX, _LINE_CHARS = 24.0, 60
"""Text of a narrow page: so high is a line, and so much stands on it."""
_HIGHEST_PX, _MOST_PIECES = 2_000.0, 2_000
_ANCHORS = frozenset({"relative", "absolute", "fixed", "sticky", "-webkit-sticky"})
_MAIN = ("main", "article", "h1")
_LETTING_THROUGH = ("transform", "clip-path", "mask-image", "filter", "translate", "scale", "rotate", "clip")
_MAX_RAISED = 5_000
_WHOLE = 1_000.0
"""What `100%` comes to."""


class Occlusion:
    """The covers of a page, by the element that each lies over."""

    def __init__(self, root: Element, cascade: Cascade) -> None:
        self._cascade = cascade
        self._over: dict[Element, Cover] = {}
        self._order: dict[Element, int] = {}
        self._styles: dict[Element, Style] = {}
        self._anchors: dict[Element, Element | None] = {}
        self.covered: Set[Element] = frozenset()
        """The elements that a cover lies over, and all in them."""
        placed = cascade.declaring("position")
        painted = cascade.declaring("background-color")
        candidates = painted & placed
        celled = painted & cascade.declaring(CELL[0])
        drawn = [
            (name, el, matched) for name in ("before", "after") for el, matched in cascade.drawn(name, _paints).items()
        ]
        if not candidates and not drawn and not celled:
            return
        self._order = {el: 2 * place for place, el in enumerate(root.iter("*"))}
        self._variables = self._of_page(root)
        candidates, celled = (those & self._order.keys() for those in (candidates, celled))
        for el in candidates:
            if _is_cover(self._style(el)) and not is_marked_hidden(el, self._style(el)):
                self._put(el.iterancestors(), self._style(el), self._order[el])
        for name, el, matched in (each for each in drawn if each[1] in self._order):
            style = cascade.of_drawn(el, matched, self._variables)
            if style.get("content", "none") not in {"none", "normal"} and _is_cover(style):
                last = el if name == "before" else _last(el)
                self._put(chain((el,), el.iterancestors()), style, self._order[last] + 1)
        for el in candidates:
            style = self._style(el)
            if _hides_what_is_behind(style) and (below := pulled_over(el, style, self._style)) is not None:
                self._lay(below, self._item_layer(below), (_z(style), self._order[el]))
        self._stack({el for el in celled if _hides_what_is_behind(self._style(el))})
        self._lift(placed)
        self.covered = self._over.keys()

    def _stack(self, painted: set[Element]) -> None:
        """Lay boxes over what shares a cell of a grid with them."""
        grids = {self._grid(el) for el in painted} - {None}
        for cell in (cell for grid in grids if grid is not None for cell in cells(grid, self._style)):
            layers = [self._item_layer(el) for el in cell]
            filling = [at for at, el in enumerate(cell) if el in painted and self._grid(el) is not None]
            top = max(filling, key=lambda at: (layers[at], at), default=0)
            for at, el in enumerate(cell):
                if filling and (layers[at], at) < (layers[top], top):
                    self._lay(el, layers[at], layers[top])

    def _grid(self, el: Element) -> Element | None:
        return grid_of(el, self._style(el), self._style)

    def _item_layer(self, el: Element) -> tuple[int, int]:
        """How near a box is that need not be placed: below those that are, unless it says more."""
        style = self._style(el)
        return self._layer(el, style) or ((_z(style), -1) if "z-index" in style else (0, -1))

    def _lay(self, below: Element, own: tuple[int, int], layer: tuple[int, int]) -> None:
        if own <= layer and (below not in self._over or layer > self._over[below].layer):
            self._over[below] = Cover(layer)

    def _put(self, ancestors: Iterable[Element], style: Style, order: int) -> None:
        """Lay a cover over what it is placed on."""
        anchor = self._anchor(ancestors)
        layer = (_z(style), order)
        if anchor is not None and (anchor not in self._over or layer > self._over[anchor].layer):
            self._over[anchor] = Cover(layer)

    def over(self, el: Element, style: Style, inherited: Cover | None) -> Cover | None:
        """What covers the text of an element, where `inherited` covers that of the one round it."""
        if not self._over:
            return None
        cover = inherited
        if cover and not cover.is_sealed and (layer := self._layer(el, style)):
            cover = None if layer >= cover.layer else cover._replace(is_sealed=_is_context(style))
        own = self._over.get(el)
        return own if own and (cover is None or (not cover.is_sealed and own.layer > cover.layer)) else cover

    def _of_page(self, root: Element) -> dict[str, str]:
        """The variables that all of a page knows."""
        known: dict[str, str] = {}
        for el in (root, *root.iter("body")):
            known |= {name: value for name, value in self._cascade.of(el, known).items() if name.startswith("--")}
        return known

    def _style(self, el: Element) -> Style:
        if el not in self._styles:
            self._styles[el] = self._cascade.of(el, self._variables)
        return self._styles[el]

    def _anchor(self, ancestors: Iterable[Element]) -> Element | None:
        """The element that a cover lies over, of those round it; None when that is not certain."""
        path: list[Element] = []
        anchor: Element | None = None
        for up in ancestors:
            if up in self._anchors:
                anchor = self._anchors[up]
                break
            path.append(up)
            style = self._style(up)
            is_hidden = is_marked_hidden(up, style) or style.get("visibility") == "hidden"
            if is_hidden or is_gone(style, Seen(), tag=up.tag):
                break
            if style.get("position") in _ANCHORS or _is_context(style):
                anchor = up if style.get("position") in _ANCHORS else None
                break
        self._anchors.update(dict.fromkeys(path, anchor))
        return anchor

    def _layer(self, el: Element, style: Style) -> tuple[int, int] | None:
        """How near an element is that does not lie in the flow of the text."""
        if el in self._order and (style.get("position") in _ANCHORS or _is_context(style)):
            return _z(style), self._order[el]
        return None  # also for what stands in the place of a removed element

    def _lift(self, placed: set[Element]) -> None:
        """Take away covers of a main part that nothing rises above."""
        curtains = {anchor for anchor in self._over if any(True for _ in anchor.iter(*_MAIN))}
        if not curtains:
            return
        shown: set[Element] = set()
        for el in list(placed)[:_MAX_RAISED]:
            layer = self._layer(el, self._style(el))
            if layer and any(text.strip() for text in el.itertext()):
                shown.update(up for up in self._around(el, curtains) if layer > self._over[up].layer)
        for anchor in curtains - shown:
            del self._over[anchor]

    def _around(self, el: Element, curtains: set[Element]) -> Iterator[Element]:
        return (up for up in el.iterancestors() if up in curtains)


def _paints(declared: Declarations) -> bool:
    """Whether a rule paints a box so that nothing shows through it."""
    return "background-image" in declared or any(
        is_open(value) or ((ink := ink_of(value)) is not None and ink[3] > OPAQUE_FROM)
        for value, _ in (declared[name] for name in ("background-color",) if name in declared)
    )


def _last(el: Element) -> Element:
    """The last element within one, or that one."""
    while (inside := next((child for child in reversed(el) if is_element(child)), None)) is not None:
        el = inside
    return el


def _z(style: Style) -> int:
    value = style.get("z-index", "auto")
    return int(value[:10]) if value.lstrip("+-").isdigit() else 0


def _is_context(style: Style) -> bool:
    """Whether an element and all in it are painted as one."""
    if style.get("position") in _ANCHORS and style.get("z-index", "auto") != "auto":
        return True
    opacity = number(style.get("opacity", "1"))
    return (opacity is not None and opacity < 1) or any(style.get(name, "none") != "none" for name in _LETTING_THROUGH)


def _is_cover(style: Style) -> bool:
    """Whether a box lies on all of its anchor and lets nothing through."""
    if style.get("position") != "absolute":
        return False
    is_whole = _reaches(style, "left", "right", "width") and _reaches(style, "top", "bottom", "height")
    return is_whole and _hides_what_is_behind(style)


def _hides_what_is_behind(style: Style) -> bool:
    opacity = number(style.get("opacity", "1"))
    if not _is_painted(style) or (opacity is not None and opacity <= OPAQUE_FROM):
        return False
    if style.get("mix-blend-mode", "normal") != "normal" or style.get("visibility") == "hidden":
        return False
    return all(style.get(name, "none") == "none" for name in _LETTING_THROUGH) and not is_gone(style, Seen(), tag="div")


def _is_painted(style: Style) -> bool:
    """Whether the ground of a box hides what is behind it."""
    ink = ink_of(style.get("background-color", ""))
    inks = [ink] if ink and ink[3] > OPAQUE_FROM else stops(style.get("background-image", ""))
    return bool(inks) and all(each[3] > OPAQUE_FROM for each in inks) and "background-clip" not in style


def _reaches(style: Style, near: str, far: str, size: str) -> bool:
    """Whether a placed box reaches from one side of its anchor to the other."""
    start, end = (pixels(style.get(side, "")) for side in (near, far))
    if start is not None and end is not None:
        return start <= 0 and end <= 0
    value = style.get(size, "")
    length = pixels(value) if value.endswith("%") else None
    if length is None or (start is None and end is None):
        return False
    before = start if start is not None else end or 0.0
    return before <= 0 and before + length >= _WHOLE


def grid_of(box: Element, style: Style, of: Look) -> Element | None:
    """The grid that a box fills a cell of; None when that is not certain."""
    grid = box.getparent()
    if _cell(style) is None or not _SIZED.isdisjoint(style) or style.get("position", "") in {"absolute", "fixed"}:
        return None
    return grid if grid is not None and of(grid).get("display", "") in _GRIDS else None


def cells(grid: Element, of: Look) -> list[list[Element]]:
    """What stands in the same cells of a grid, in the order of the page."""
    by_cell: dict[tuple[str, str], list[Element]] = defaultdict(list)
    for el in children(grid):
        if cell := _cell(of(el)):
            by_cell[cell].append(el)
    return [inside for inside in by_cell.values() if len(inside) > 1]


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
    value = style.get(name, "")
    return (pixels(value) or 0.0) if value and "%" not in value else 0.0


def _height(el: Element, style: Style) -> float:
    """How high an element is at most, by what it says or by its text; more than any pull where it is long."""
    height = _length(style, "height") or _length(style, "max-height")
    if height and style.get("overflow-y", "visible") != "visible":
        return height
    lines, pieces = 0.0, list(islice(el.itertext(), _MOST_PIECES))
    for text in pieces:
        lines += 1 + len(text) // _LINE_CHARS if text.strip() else 0
    return max(height, lines * _LINE_PX) if len(pieces) < _MOST_PIECES else 2 * _HIGHEST_PX
