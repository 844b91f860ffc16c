"""Panels that a control shows: which tab, button or label stands for which hidden part of a page."""

from collections import defaultdict

from gossamer.extractors.tree import Element, attr, children, is_element

_CONTROLS = frozenset({"tab", "button"})
_MAX_CONTROLS = 20
"""So many controls of one name are looked at."""
_SWITCHES = frozenset({"radio", "checkbox"})
_NO_BLOCKS = frozenset({"input", "label", "script", "style", "br"})


def labels(panel: Element) -> list[str]:
    """The names of what a panel says it is labelled by."""
    return attr(panel, "aria-labelledby").split()


def controls_by_name(root: Element) -> dict[str, list[Element]]:
    """The controls of a page by the names they go by, and by those of what they control; not all of very many."""
    found: dict[str, list[Element]] = defaultdict(list)
    for el in root.iter("*"):
        if el.tag in {"button", "summary"} or attr(el, "role") in _CONTROLS:
            for name in {attr(el, "id"), attr(el, "aria-controls"), attr(el, "href").removeprefix("#")} - {""}:
                if len(found[name]) < _MAX_CONTROLS:
                    found[name].append(el)
    return found


def is_controlled(panel: Element, controls: set[str]) -> bool:
    """Whether a visible control names the panel, or, for a tab's panel, the panel names its tab."""
    named = set(labels(panel))
    if attr(panel, "role") == "tabpanel":
        return attr(panel, "id") in controls or bool(named & controls)
    return attr(panel, "id") in controls and bool(named & controls)


def controls_by_place(root: Element) -> dict[Element, Element]:
    """The control of each panel that is told by its place alone: the second tab shows the second panel.

    Must be asked while the page still has its fields: a label shows something only if it turns a switch.
    """
    found: dict[Element, Element] = {}
    for tabs in root.iter("*"):
        if attr(tabs, "role") == "tablist":
            found.update(_by_tabs(tabs))
    switches = {
        attr(el, "id"): el
        for el in root.iter("input")
        if attr(el, "type").strip().lower() in _SWITCHES and attr(el, "id")
    }
    if switches:
        is_shown_by_style = any(":checked" in (el.text or "") for el in root.iter("style"))
        marked = [el for el in root.iter("label") if attr(el, "for") in switches]
        if is_shown_by_style:
            found.update(_by_neighbours(marked, switches))
        found.update(_by_rows(marked, switches))
    return found


def _by_tabs(tabs: Element) -> dict[Element, Element]:
    """Tabs that name no panel, and the panels that stand right behind them, alone or in a box of their own."""
    near = [el for child in children(tabs) for el in (child, *children(child)) if attr(el, "role") == "tab"]
    if any(attr(tab, "aria-controls") for tab in near):
        return {}
    after = _next(tabs)
    around = tabs.getparent()
    if after is None and around is not None:
        after = _next(around)
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
    found: dict[Element, Element] = {}
    for label in marked:
        block = _next(label)
        if _next(switches[attr(label, "for")]) is label and block is not None and _is_block(block):
            found[block] = label
    return found


def _by_rows(marked: list[Element], switches: dict[str, Element]) -> dict[Element, Element]:
    """A row of labels, each for one of a group of switches, and behind it a box with just as many blocks."""
    rows: dict[Element, list[Element]] = defaultdict(list)
    for label in marked:
        around = label.getparent()
        if around is not None:
            rows[around].append(label)
    found: dict[Element, Element] = {}
    for row, inside in rows.items():
        groups = {attr(switches[attr(label, "for")], "name") for label in inside}
        box = _next(row)
        if len(inside) < 2 or len(groups) != 1 or groups == {""} or box is None:
            continue
        blocks = list(children(box))
        if len(blocks) == len(inside) and all(el.tag not in _NO_BLOCKS for el in blocks):
            found.update((el, label) for el, label in zip(blocks, inside, strict=True) if _is_block(el))
    return found


def _is_block(el: Element) -> bool:
    """Whether a switch can show an element: what its own attributes hide stays hidden."""
    return el.tag not in _NO_BLOCKS and not {"hidden", "style", "aria-hidden"} & set(el.attrib)
