"""Text that a painted box lies over: one that is placed on all of what it stands in, and nearer to the reader.

Only what is certain counts: the box covers all of its anchor, has a colour of its own and nothing that lets light
through; text that is raised above it stays. A cover over the page's main part that leaves nothing to be seen is a
curtain of a page that is still loading, and lies over nothing.
"""

from collections.abc import Iterable, Iterator, Set
from itertools import chain

from gossamer.extractors.sight.cascade import Cascade, Style
from gossamer.extractors.sight.colours import CLEAR, ink_of, stops
from gossamer.extractors.sight.judging import is_marked_hidden
from gossamer.extractors.sight.lengths import number, pixels
from gossamer.extractors.sight.look import Cover, Seen, is_gone
from gossamer.extractors.sight.overlaps import CELL, cells, grid_of, pulled_over
from gossamer.extractors.sight.styles import Declarations, is_open
from gossamer.extractors.tree import Element, is_element

_ANCHORS = frozenset({"relative", "absolute", "fixed", "sticky", "-webkit-sticky"})
_MAIN = ("main", "article", "h1")
_LETTING_THROUGH = ("transform", "clip-path", "mask-image", "filter", "translate", "scale", "rotate", "clip")
_MAX_RAISED = 5_000
_WHOLE = 1_000.0
"""What `100%` comes to."""


class Covers:
    """The covers of a page, by the element that each lies over."""

    def __init__(self, root: Element, cascade: Cascade) -> None:
        self._cascade = cascade
        self._over: dict[Element, Cover] = {}
        self._order: dict[Element, int] = {}
        self._styles: dict[Element, Style] = {}
        self._anchors: dict[Element, Element | None] = {}
        self.covered: Set[Element] = frozenset()
        """The elements that a cover lies over, and all in them."""
        placed = cascade.saying("position")
        painted = cascade.saying("background-color")
        candidates = painted & placed
        celled = painted & cascade.saying(CELL[0])
        drawn = [(name, el, said) for name in ("before", "after") for el, said in cascade.drawn(name, _paints).items()]
        if not candidates and not drawn and not celled:
            return
        self._order = {el: 2 * place for place, el in enumerate(root.iter("*"))}
        self._variables = self._of_page(root)
        candidates, celled = (those & self._order.keys() for those in (candidates, celled))
        for el in candidates:
            if _is_cover(self._style(el)) and not is_marked_hidden(el, self._style(el)):
                self._put(el.iterancestors(), self._style(el), self._order[el])
        for name, el, said in (each for each in drawn if each[1] in self._order):
            style = cascade.of_drawn(el, said, self._variables)
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

    def _put(self, around: Iterable[Element], style: Style, order: int) -> None:
        """Lay a cover over what it is placed on."""
        anchor = self._anchor(around)
        layer = (_z(style), order)
        if anchor is not None and (anchor not in self._over or layer > self._over[anchor].layer):
            self._over[anchor] = Cover(layer)

    def over(self, el: Element, style: Style, around: Cover | None) -> Cover | None:
        """What covers the text of an element, where `around` covers that of the one round it."""
        if not self._over:
            return None
        cover = around
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

    def _anchor(self, around: Iterable[Element]) -> Element | None:
        """The element that a cover lies over, of those round it; None when that is not certain."""
        path: list[Element] = []
        found: Element | None = None
        for up in around:
            if up in self._anchors:
                found = self._anchors[up]
                break
            path.append(up)
            style = self._style(up)
            is_hidden = is_marked_hidden(up, style) or style.get("visibility") == "hidden"
            if is_hidden or is_gone(style, Seen(), tag=up.tag):
                break
            if style.get("position") in _ANCHORS or _is_context(style):
                found = up if style.get("position") in _ANCHORS else None
                break
        self._anchors.update(dict.fromkeys(path, found))
        return found

    def _layer(self, el: Element, style: Style) -> tuple[int, int] | None:
        """How near an element is that does not lie in the flow of the text."""
        if style.get("position") in _ANCHORS or _is_context(style):
            return _z(style), self._order[el]
        return None

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


def _paints(said: Declarations) -> bool:
    """Whether a rule paints a box so that nothing shows through it."""
    return "background-image" in said or any(
        is_open(value) or ((ink := ink_of(value)) is not None and ink[3] > 1 - CLEAR)
        for value, _ in (said[name] for name in ("background-color",) if name in said)
    )


def _last(el: Element) -> Element:
    """The last element within one, or that one."""
    while (inside := next((child for child in reversed(el) if is_element(child)), None)) is not None:
        el = inside
    return el


def _z(style: Style) -> int:
    said = style.get("z-index", "auto")
    return int(said[:10]) if said.lstrip("+-").isdigit() else 0


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
    if not _is_painted(style) or (opacity is not None and opacity <= 1 - CLEAR):
        return False
    if style.get("mix-blend-mode", "normal") != "normal" or style.get("visibility") == "hidden":
        return False
    return all(style.get(name, "none") == "none" for name in _LETTING_THROUGH) and not is_gone(style, Seen(), tag="div")


def _is_painted(style: Style) -> bool:
    """Whether the ground of a box hides what is behind it."""
    ink = ink_of(style.get("background-color", ""))
    inks = [ink] if ink and ink[3] > 1 - CLEAR else stops(style.get("background-image", ""))
    return bool(inks) and all(each[3] > 1 - CLEAR for each in inks) and "background-clip" not in style


def _reaches(style: Style, near: str, far: str, size: str) -> bool:
    """Whether a placed box reaches from one side of its anchor to the other."""
    start, end = (pixels(style.get(side, "")) for side in (near, far))
    if start is not None and end is not None:
        return start <= 0 and end <= 0
    said = style.get(size, "")
    length = pixels(said) if said.endswith("%") else None
    if length is None or (start is None and end is None):
        return False
    before = start if start is not None else end or 0.0
    return before <= 0 and before + length >= _WHOLE
