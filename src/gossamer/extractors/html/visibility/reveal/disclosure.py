"""Disclosure widgets: parts of a page that stay shut until somebody presses the control right beside them.

A control is believed where a reader would find it: it has words, stands right before what it opens, right behind it,
or in a row of its like before a row of what they open, and opens one part only. Menus, searches and whatever floats
over a page are opened likewise, but are no text of it. Whether a control can be seen is judged elsewhere.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from gossamer.extractors.html.tree import Element, attr, children, is_element

_CONTROLS = "//*[@aria-controls or @aria-expanded or @data-toggle or @data-bs-toggle]"
_TOGGLES = ("data-toggle", "data-bs-toggle")
_FOLDING = frozenset({"collapse", "tab", "pill"})
_TARGETS = ("data-bs-target", "data-target", "href")
_PRESSED = frozenset({"button", "tab"})
_SILENT = frozenset({"script", "style", "template", "noscript", "select", "textarea", "svg", "object", "iframe"})
_BARRED = frozenset({"nav", "dialog", "menu"})
_BARRED_ROLES_NAMES = (
    "navigation menu menubar dialog alertdialog search banner contentinfo listbox tooltip toolbar tree"
)
_BARRED_ROLES = frozenset(_BARRED_ROLES_NAMES.split())
_EDGES = frozenset({"header", "footer"})
"""Barred where they are those of the page."""
_INSIDE = frozenset({"main", "article", "section"})
_NEAR, _TOUCHING = 60, 10
"""So many characters may stand between a control and what it opens: a badge, or a sign."""
_FEWEST_LETTERS, _TITLE_CHARS = 2, 300
_UNNAMED_CHARS = 20
_MAX_UP = 3
_LINKED = 0.5


class _Span(NamedTuple):
    """Where an element stands in the text of its page, counted in characters, and how many of links are before."""

    start: int
    end: int
    linked: int
    is_barred: bool

    def gap(self, after: "_Span") -> int:
        """How much stands between this one and another behind it; less than nothing where it is not behind."""
        return after.start - self.end


class _Pair(NamedTuple):
    control: Element
    panel: Element
    at: _Span
    opened: _Span

    @property
    def is_near(self) -> bool:
        """Whether the control stands right before what it opens, or right behind it."""
        return 0 <= self.at.gap(self.opened) <= _NEAR or 0 <= self.opened.gap(self.at) <= _TOUCHING


def folds(root: Element) -> dict[Element, Element]:
    """The control of each part that one opens; what is open already is among them."""
    controls = [el for el in root.xpath(_CONTROLS) if _is_control(el)]
    if not controls:
        return {}
    spans = _spans(root)
    ids = {attr(el, "id"): el for el in reversed(root.xpath("//*[@id]"))}
    pairs = list[_Pair]()
    opened_by: dict[Element, Element] = {}
    for control in controls:
        at = spans.get(control)
        if at is None or at.is_barred or not _has_title(control, at):
            continue
        if names := _targets(control):
            panel = ids.get(names[0]) if len(names) == 1 else None
            if panel is not None and panel in spans and _is_text(panel, spans[panel]):
                pairs.append(_Pair(control, panel, at, spans[panel]))
        elif attr(control, "aria-expanded") == "false":
            opened_by.update((panel, control) for panel in _behind(control, spans))
    for pair in (*(pair for pair in pairs if pair.is_near), *_in_rows(pairs)):
        opened_by.setdefault(pair.panel, pair.control)
    return opened_by


def _is_control(el: Element) -> bool:
    toggles = {attr(el, name) for name in _TOGGLES} - {""}
    if attr(el, "aria-haspopup") not in {"", "false"} or not toggles <= _FOLDING:
        return False
    return bool(toggles) or el.tag == "button" or "aria-expanded" in el.attrib or attr(el, "role") in _PRESSED


def _has_title(control: Element, at: _Span) -> bool:
    """Whether a control says what it is for."""
    if not 0 < at.end - at.start <= _TITLE_CHARS:
        return False
    return sum(map(str.isalnum, "".join(control.itertext()))) >= _FEWEST_LETTERS


def _targets(control: Element) -> list[str]:
    """The names of what a control opens."""
    if named := attr(control, "aria-controls").split():
        return named
    references = (attr(control, name) for name in (_TARGETS if any(attr(control, name) for name in _TOGGLES) else ()))
    return next(([name[1:]] for name in references if name.startswith("#") and len(name) > 1), list[str]())


def _is_text(panel: Element, at: _Span) -> bool:
    """Whether a part is text of the page, and not a list of links."""
    return not at.is_barred and panel.tag not in {"body", "main"} and at.linked <= _LINKED * (at.end - at.start)


def _in_rows(pairs: list[_Pair]) -> Iterator[_Pair]:
    """Controls one behind the other, and right behind the last of them what they open, in the same order."""
    row = pairs[:1]
    for before, pair in pairwise(pairs):
        if 0 <= before.at.gap(pair.at) <= _NEAR and 0 <= before.opened.gap(pair.opened) <= _NEAR:
            row.append(pair)
        else:
            yield from row if _is_row(row) else ()
            row = [pair]
    yield from row if _is_row(row) else ()


def _is_row(row: list[_Pair]) -> bool:
    return len(row) > 1 and 0 <= row[-1].at.gap(row[0].opened) <= _NEAR


def _behind(control: Element, spans: dict[Element, _Span]) -> Iterator[Element]:
    """What stands right behind a control that names nothing, or behind the box or heading that holds it alone."""
    span = spans[control]
    node, after = control, _next(control)
    for _ in range(_MAX_UP):
        parent = node.getparent()
        if after is not None or parent is None or _size(spans[parent]) != _size(span):
            break
        node, after = parent, _next(parent)
    while after is not None and _is_text(after, spans[after]) and _size(spans[after]) >= _UNNAMED_CHARS:
        if not 0 <= span.gap(spans[after]) <= _TOUCHING:
            return
        yield after
        inside = list(children(after))
        after = inside[0] if len(inside) == 1 and _size(spans[inside[0]]) == _size(spans[after]) else None


def _size(at: _Span) -> int:
    return at.end - at.start


def _next(el: Element) -> Element | None:
    """The element behind another one, silent ones passed over."""
    after = el.getnext()
    while after is not None and (not is_element(after) or after.tag in _SILENT):
        after = after.getnext()
    return after


def _spans(root: Element) -> dict[Element, _Span]:
    """Where each element stands, from one walk through the page."""
    spans: dict[Element, _Span] = {}
    starts: dict[Element, tuple[int, int]] = {}
    at = linked = 0
    stack = [(root, False, False, False, False)]
    while stack:
        el, is_end, is_barred, is_inside, is_linked = stack.pop()
        if is_end:
            start, before = starts.pop(el)
            spans[el] = _Span(start, at, linked - before, is_barred)
            at, linked = _counted(el.tail, at, linked, is_linked=is_linked)
            continue
        starts[el] = (at, linked)
        within = is_linked or el.tag == "a"
        here = is_barred or _bars(el, is_inside=is_inside)
        stack.append((el, True, here, is_inside, is_linked))
        at, linked = _counted(el.text, at, linked, is_linked=within)
        inside = [child for child in el if is_element(child) and child.tag not in _SILENT]
        stack.extend((child, False, here, is_inside or el.tag in _INSIDE, within) for child in reversed(inside))
    return spans


def _counted(text: str | None, at: int, linked: int, *, is_linked: bool) -> tuple[int, int]:
    size = len(text.strip()) if text else 0
    return at + size, linked + size * is_linked


def _bars(el: Element, *, is_inside: bool) -> bool:
    if el.tag in _BARRED or (el.tag in _EDGES and not is_inside):
        return True
    return attr(el, "role") in _BARRED_ROLES
