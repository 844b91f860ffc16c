"""Tab panels: which tab, button or label shows which hidden part of a page."""

from collections import defaultdict
from collections.abc import Collection, Mapping

from gossamer.extractors.html.tree import Element, attr, children, element, is_element
from gossamer.extractors.html.visibility.css.cascade import Style
from gossamer.extractors.html.visibility.layout.element_visibility import NOT_DISPLAYED
from gossamer.extractors.html.visibility.reveal.disclosure import folds

_CONTROLS = frozenset({"tab", "button"})
_MAX_CONTROLS = 20
"""So many controls of one name are looked at."""
_TAB_LISTS = "//*[@role='tablist']"
_PANELS = "//*[@role='tabpanel']"
_FOLDS = "//div[contains(@class, 'is-collapsible')]"
_TABS = (
    "//*[@role='tab' or @data-toggle='tab' or @data-toggle='pill' or @data-bs-toggle='tab' or @data-bs-toggle='pill']"
)
_TARGETS = ("href", "data-target", "data-bs-target")
_MAX_TITLE_CHARS = 60
_SWITCHES = frozenset({"radio", "checkbox"})
_SHUT_BY = frozenset({"opacity", "height", "max-height", "content-visibility", "grid-template-rows"})
_NO_BLOCKS = frozenset({"input", "label", "script", "style", "br"})


def labels(panel: Element) -> list[str]:
    """The names of what a panel says it is labelled by."""
    return attr(panel, "aria-labelledby").split()


def controls_by_name(root: Element) -> dict[str, list[Element]]:
    """The controls of a page by the names they go by, and by those of what they control; not all of very many."""
    controls: dict[str, list[Element]] = defaultdict(list)
    for el in root.iter("*"):
        if el.tag in {"button", "summary"} or attr(el, "role") in _CONTROLS:
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
    """The control of each panel that is told by its place alone: the second tab shows the second panel.

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
    """The tab of each panel that a visible one names; `placed` are the controls that are told by their place."""
    panels = dict.fromkeys((*root.xpath(_PANELS), *(panel for panel, control in placed.items() if _is_tab(control))))
    tabs: dict[str, Element] = {}
    for el in root.xpath(_TABS) if panels else ():
        names = (attr(el, "id"), attr(el, "aria-controls"), *(attr(el, key).partition("#")[2] for key in _TARGETS))
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
