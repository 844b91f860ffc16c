"""Disclosure: parts of a page that stay shut until a tab, a button or a label is pressed.

A control is believed where a reader would find it: it has words, stands right before what it opens, right behind it,
or in a row of its like before a row of what they open, and opens one part only. Menus, searches and whatever floats
over a page are opened likewise, but are no text of it. Whether a control can be seen is judged elsewhere.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from gossamer.extractors.html.tree import Element, attr, children, element, is_element
from gossamer.extractors.html.visibility.css.cascade import Style
from gossamer.extractors.html.visibility.layout.element_visibility import NOT_DISPLAYED

_CONTROLS_PATH = "//*[@aria-controls or @aria-expanded or @data-toggle or @data-bs-toggle]"
_TOGGLES = ("data-toggle", "data-bs-toggle")
_FOLDING = frozenset({"collapse", "tab", "pill"})
_TOGGLE_TARGETS = ("data-bs-target", "data-target", "href")
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
_CONTROL_ROLES = frozenset({"tab", "button"})
_MAX_CONTROLS = 20
"""So many controls of one name are looked at."""
_TAB_LISTS = "//*[@role='tablist']"
_PANELS = "//*[@role='tabpanel']"
_FOLDS = "//div[contains(@class, 'is-collapsible')]"
_TABS = (
    "//*[@role='tab' or @data-toggle='tab' or @data-toggle='pill' or @data-bs-toggle='tab' or @data-bs-toggle='pill']"
)
_PANEL_TARGETS = ("href", "data-target", "data-bs-target")
_MAX_TITLE_CHARS = 60
_SWITCHES = frozenset({"radio", "checkbox"})
_SHUT_BY = frozenset({"opacity", "height", "max-height", "content-visibility", "grid-template-rows"})
_NO_BLOCKS = frozenset({"input", "label", "script", "style", "br"})


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
    controls = [el for el in root.xpath(_CONTROLS_PATH) if _is_control(el)]
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
    references = (
        attr(control, name) for name in (_TOGGLE_TARGETS if any(attr(control, name) for name in _TOGGLES) else ())
    )
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
    node, after = control, _next_spoken(control)
    for _ in range(_MAX_UP):
        parent = node.getparent()
        if after is not None or parent is None or _size(spans[parent]) != _size(span):
            break
        node, after = parent, _next_spoken(parent)
    while after is not None and _is_text(after, spans[after]) and _size(spans[after]) >= _UNNAMED_CHARS:
        if not 0 <= span.gap(spans[after]) <= _TOUCHING:
            return
        yield after
        inside = list(children(after))
        after = inside[0] if len(inside) == 1 and _size(spans[inside[0]]) == _size(spans[after]) else None


def _size(at: _Span) -> int:
    return at.end - at.start


def _next_spoken(el: Element) -> Element | None:
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
        if not len(el):
            continue
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


def labels(panel: Element) -> list[str]:
    """The names of what a panel says it is labelled by."""
    return attr(panel, "aria-labelledby").split()


def controls_by_name(root: Element) -> dict[str, list[Element]]:
    """The controls of a page by the names they go by, and by those of what they control; not all of very many."""
    controls: dict[str, list[Element]] = defaultdict(list)
    for el in root.iter("*"):
        if el.tag in {"button", "summary"} or attr(el, "role") in _CONTROL_ROLES:
            for name in {attr(el, "id"), attr(el, "aria-controls"), attr(el, "href").removeprefix("#")} - {""}:
                if len(controls[name]) < _MAX_CONTROLS:
                    controls[name].append(el)
    return controls


def is_controlled(panel: Element, controls: set[str]) -> bool:
    """Whether a visible control names the panel, or, for a tab's panel, the panel names its tab."""
    named = set(labels(panel))
    if attr(panel, "role") == "tabpanel":
        return attr(panel, "id") in controls or bool(named & controls)
    return attr(panel, "id") in controls and bool(named & controls)


def open_panel(panel: Element) -> None:
    """Take away what marks a panel as shut."""
    for name in {"hidden", "aria-hidden"} & set(panel.attrib):
        del panel.attrib[name]


def opened(style: Style) -> Style:
    """The style of a panel once its control has shown it; what hides it by other means than controls use still does."""
    is_shut = {
        "display": style.get("display") in NOT_DISPLAYED,
        "visibility": style.get("visibility") in {"hidden", "collapse"},
    }
    return {name: value for name, value in style.items() if name not in _SHUT_BY and not is_shut.get(name)}


def has_words(control: Element, out: Collection[Element]) -> bool:
    """Whether a control says anything besides what is out of sight."""
    stack = [control]
    while stack:
        el = stack.pop()
        if (el.text or "").strip() or any((child.tail or "").strip() for child in el):
            return True
        stack.extend(child for child in children(el) if child not in out)
    return False


def controls_by_place(root: Element) -> dict[Element, Element]:
    """The control of each panel, matched by position alone: the second tab shows the second panel.

    Must be asked while the page still has its fields: a label shows something only if it turns a switch.
    """
    controls = folds(root)
    for tabs in root.xpath(_TAB_LISTS):
        controls.update(_by_tabs(tabs))
    for callout in root.xpath(_FOLDS):
        controls.update(_by_fold(callout))
    switches = {
        attr(el, "id"): el
        for el in root.iter("input")
        if attr(el, "type").strip().lower() in _SWITCHES and attr(el, "id")
    }
    if switches:
        is_shown_by_style = any(":checked" in (el.text or "") for el in root.iter("style"))
        marked = [el for el in root.iter("label") if attr(el, "for") in switches]
        if is_shown_by_style:
            controls.update(_by_neighbours(marked, switches))
        controls.update(_by_rows(marked, switches))
    return controls


def _by_fold(callout: Element) -> dict[Element, Element]:
    """A note that folds: the title that stays, and the content behind it."""
    parts = {name: child for child in children(callout) for name in attr(child, "class").split()}
    title, content = parts.get("callout-title"), parts.get("callout-content")
    return {content: title} if title is not None and content is not None else {}


def _by_tabs(tabs: Element) -> dict[Element, Element]:
    """Tabs that name no panel, and the panels that stand right behind them, alone or in a box of their own."""
    near = [el for child in children(tabs) for el in (child, *children(child)) if attr(el, "role") == "tab"]
    if any(attr(tab, "aria-controls") for tab in near):
        return {}
    after = _next(tabs)
    parent = tabs.getparent()
    if after is None and parent is not None:
        after = _next(parent)
    if after is None:
        return {}
    panels = [] if _is_panel(after) else [el for el in children(after) if _is_panel(el)]
    while after is not None and _is_panel(after):
        panels.append(after)
        after = _next(after)
    return dict(zip(panels, near, strict=False))


def _is_panel(el: Element) -> bool:
    return attr(el, "role") == "tabpanel"


def _next(el: Element) -> Element | None:
    """The element behind another one."""
    after = el.getnext()
    while after is not None and not is_element(after):
        after = after.getnext()
    return after


def _by_neighbours(marked: list[Element], switches: dict[str, Element]) -> dict[Element, Element]:
    """A switch, its label and what it shows, one behind the other."""
    controls: dict[Element, Element] = {}
    for label in marked:
        block = _next(label)
        if _next(switches[attr(label, "for")]) is label and block is not None and _is_block(block):
            controls[block] = label
    return controls


def _by_rows(marked: list[Element], switches: dict[str, Element]) -> dict[Element, Element]:
    """A row of labels, each for one of a group of switches, and behind it a box with just as many blocks."""
    rows: dict[Element, list[Element]] = defaultdict(list)
    for label in marked:
        parent = label.getparent()
        if parent is not None:
            rows[parent].append(label)
    controls: dict[Element, Element] = {}
    for row, inside in rows.items():
        groups = {attr(switches[attr(label, "for")], "name") for label in inside}
        box = _next(row)
        if len(inside) < 2 or len(groups) != 1 or groups == {""} or box is None:
            continue
        blocks = list(children(box))
        if len(blocks) == len(inside) and all(el.tag not in _NO_BLOCKS for el in blocks):
            controls.update((el, label) for el, label in zip(blocks, inside, strict=True) if _is_block(el))
    return controls


def _is_block(el: Element) -> bool:
    """Whether a switch can show an element: what its own attributes hide stays hidden."""
    return el.tag not in _NO_BLOCKS and not {"hidden", "style", "aria-hidden"} & set(el.attrib)


def named_panels(root: Element, placed: Mapping[Element, Element]) -> dict[Element, Element]:
    """The tab of each panel that a visible one names; `placed` are the controls matched by position."""
    panels = dict.fromkeys((*root.xpath(_PANELS), *(panel for panel, control in placed.items() if _is_tab(control))))
    tabs: dict[str, Element] = {}
    for el in root.xpath(_TABS) if panels else ():
        names = (
            attr(el, "id"),
            attr(el, "aria-controls"),
            *(attr(el, key).partition("#")[2] for key in _PANEL_TARGETS),
        )
        for name in names:
            tabs.setdefault(name, el)
    tabs.pop("", None)
    titled = {panel: placed[panel] for panel in panels if panel in placed and not _only_folds(placed[panel])}
    for panel in panels if tabs else ():
        named = (tabs[name] for name in (*labels(panel), attr(panel, "id")) if name in tabs)
        if (tab := next(named, None)) is not None:
            titled[panel] = tab
    return titled


def _is_tab(control: Element) -> bool:
    return any(attr(control, name) in {"tab", "pill"} for name in ("data-toggle", "data-bs-toggle"))


def _only_folds(control: Element) -> bool:
    """Whether a control is the heading of what it opens, and stays above it."""
    is_folding = "aria-expanded" in control.attrib or control.tag == "button"
    return is_folding and attr(control, "role") != "tab" and not _is_tab(control)


def write_titles(panels: Mapping[Element, Element], *, are_tabs_needed: bool) -> None:
    """Put the name of its tab above each panel that has text and does not begin with that name.

    The tab itself then says nothing more, unless somebody asked for this part of the page.
    """
    for panel, tab in panels.items():
        title = _title(tab)
        first = next((text for text in panel.itertext() if text.strip()), "")
        if not first or not 0 < len(title) <= _MAX_TITLE_CHARS:
            continue
        heading = next(panel.iter("h1", "h2", "h3", "h4", "h5", "h6"), None)
        texts = {_squeezed(first), _squeezed("".join(heading.itertext())) if heading is not None else ""}
        if _squeezed(title) not in texts:
            line, words = element("p"), element("strong")
            words.text = title
            line.append(words)
            line.tail, panel.text = panel.text, ""
            panel.insert(0, line)
        if not are_tabs_needed and tab.getparent() is not None:
            tab.drop_tree()


def _title(tab: Element) -> str:
    """What a tab says; said twice, for two widths of screen, it counts once."""
    words = "".join(tab.itertext()).split()
    half = len(words) // 2
    return " ".join(words[:half] if half and words[:half] == words[half:] else words)


def _squeezed(text: str) -> str:
    return "".join(char for char in text.lower() if char.isalnum())
