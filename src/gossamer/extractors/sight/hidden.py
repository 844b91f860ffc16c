"""Takes out of a page what its reader cannot see, and counts it."""

import re
from collections.abc import Mapping

from gossamer.errors import NeedsScript
from gossamer.extractors.sight.cascade import Cascade, Style
from gossamer.extractors.sight.formulas import is_written_copy, keep_formulas
from gossamer.extractors.sight.look import WHITE, Seen, is_gone, look
from gossamer.extractors.tree import Element, attr, body, children, comments, words

_NEVER_SHOWN = (
    *("script", "style", "template", "noscript", "noembed", "noframes", "iframe", "frameset", "object", "embed"),
    *("applet", "svg", "canvas", "audio", "video", "input", "select", "textarea", "datalist", "option", "optgroup"),
    *("link", "meta", "title", "progress", "meter", "param", "source", "track", "area", "basefont", "frame"),
)
_FALLBACKS = frozenset({"template", "noscript", "noembed", "noframes", "iframe", "object", "canvas", "audio", "video"})
_MESSAGE_WORDS = 5
"""A comment or fallback with as many words is counted as hidden text; shorter ones are marks of tools."""
_WHOLE_PAGE_CHARS = 600
_ARTICLE_CHARS = 200
"""What is shorter is the head of an article, or its place."""
_SHADOW = "shadowrootmode"
_CONTROLS = frozenset({"tab", "button"})
_EVENT = re.compile(r"on[a-z]{3,20}")
_MAIN = ("main", "article", "h1")


def strip_hidden(root: Element) -> int:
    """Remove hidden parts from the tree and return how many of them held text.

    What a visible control reveals stays: `details`, panels with a tab, sections with a button. Text is judged by
    colour only where the ground is known: a page with style sheets elsewhere may lie on any ground. A page that a
    script shows as a whole is read as if it had been; one that keeps its article hidden beside other text is not.
    """
    has_scripts = _has_scripts(root)
    cascade = Cascade(root)
    _open_shadows(root)
    hidden = keep_formulas(root)
    is_ground_known = not any("stylesheet" in attr(el, "rel").lower() for el in root.iter("link"))
    hidden += _strip_unshown(root)
    walk = _Walk(cascade, is_revealed=has_scripts)
    walk.down(root, Seen(ground=WHITE if is_ground_known else None))
    walk.reveal(root)
    if has_scripts and _is_article_hidden(root, walk):
        raise NeedsScript(
            "The page hides its text until a script has run, and none was run.",
            hint="Look for another source of the same information.",
        )
    for el in walk.gone:
        hidden += bool(words(el))
    for el in walk.gone:
        el.drop_tree()
    return hidden + walk.blanked


class _Walk:
    """Goes down the tree once and notes what cannot be seen."""

    def __init__(self, cascade: Cascade, *, is_revealed: bool) -> None:
        self._cascade = cascade
        self._is_revealed = is_revealed
        self.gone: list[Element] = []
        self.blanked = 0
        self.blanked_chars = 0
        self._panels: list[tuple[Element, Seen, dict[str, str]]] = []
        self._unseen: set[Element] = set()

    def down(self, top: Element, seen: Seen, variables: Mapping[str, str] | None = None) -> None:
        """Judge an element and all in it."""
        stack = [(top, seen, dict(variables or {}))]
        while stack:
            el, around, known = stack.pop()
            style = self._cascade.of(el, known)
            own = {name: value for name, value in style.items() if name.startswith("--")} if style else {}
            known = {**known, **own} if own else known
            is_page = el.tag in {"html", "body"}
            if is_page and (self._is_revealed or "animation" in style):
                style = {name: value for name, value in style.items() if name not in _OF_WHOLE_PAGES}
            if (not is_page and _is_out(el, style, around)) or (is_page and is_gone(style, around, tag=el.tag)):
                self._note(el, around, known)
                continue
            here = look(el, style, around)
            if here.hides_text:
                self._blank(el)
            stack.extend((child, here, known) for child in children(el))

    def reveal(self, root: Element) -> None:
        """Take back the panels that a control, itself to be seen, shows; then those within them."""
        while self._panels:
            named = {attr(panel, "id") for panel, _, _ in self._panels} | {
                name for panel, _, _ in self._panels for name in attr(panel, "aria-labelledby").split()
            }
            controls = self._controls(root, named)
            panels, self._panels = self._panels, []
            for panel, around, known in panels:
                if _is_controlled(panel, controls):
                    for child in children(panel):
                        self.down(child, around, known)
                else:
                    self.gone.append(panel)

    def _controls(self, root: Element, named: set[str]) -> set[str]:
        """The names that visible controls go by, and of what they control."""
        out = set(self.gone) | {panel for panel, _, _ in self._panels}
        found: set[str] = set()
        for el in root.iter("*"):
            is_control = el.tag in {"button", "summary"} or attr(el, "role") in _CONTROLS
            names = {attr(el, "id"), attr(el, "aria-controls"), attr(el, "href").removeprefix("#")} & named - {""}
            if not is_control or not names or el in self._unseen or not words(el):
                continue
            if not any(up in out for up in (el, *el.iterancestors())):
                found |= names
        return found

    def _note(self, el: Element, around: Seen, known: dict[str, str]) -> None:
        if is_written_copy(el):
            return
        is_panel = attr(el, "role") == "tabpanel" or (attr(el, "aria-labelledby") and attr(el, "id"))
        if is_panel and el.tag not in {"dialog", "nav"} and attr(el, "role") not in {"dialog", "menu", "listbox"}:
            self._panels.append((el, around, known))
        else:
            self.gone.append(el)

    def _blank(self, el: Element) -> None:
        """Remove the text that stands directly in an element."""
        size = len((el.text or "").strip())
        el.text = ""
        for child in el:
            size += len((child.tail or "").strip())
            child.tail = ""
        if size:
            self.blanked += 1
            self.blanked_chars += size
            self._unseen.add(el)


_OF_WHOLE_PAGES = frozenset({"display", "visibility", "opacity", "transform", "left", "top", "filter"})
"""What pages use to stay hidden as a whole until they have loaded."""


def _is_controlled(panel: Element, controls: set[str]) -> bool:
    """Whether a visible control names the panel, or, for a tab's panel, the panel names its tab."""
    labels = set(attr(panel, "aria-labelledby").split())
    if attr(panel, "role") == "tabpanel":
        return attr(panel, "id") in controls or bool(labels & controls)
    return attr(panel, "id") in controls and bool(labels & controls)


def _is_out(el: Element, style: Style, around: Seen) -> bool:
    """Whether the element and all in it are out of sight."""
    if attr(el, "aria-hidden").strip().lower() == "true":
        return True
    if "hidden" in el.attrib and attr(el, "hidden").lower() != "until-found" and "display" not in style:
        return True
    if (el.tag == "dialog" and "open" not in el.attrib) or "popover" in el.attrib:
        return True
    if el.tag == "rp":
        return len(words(el)) > 1
    return bool(style or around.opacity < 1) and is_gone(style, around, tag=el.tag)


def _has_scripts(root: Element) -> bool:
    """Whether anything on the page could show what is hidden."""
    kinds = (attr(el, "type").strip().lower() for el in root.iter("script"))
    if any(kind in {"", "module"} or "javascript" in kind for kind in kinds):
        return True
    return any(_EVENT.fullmatch(name) for el in (root, body(root)) for name in el.attrib)


def _open_shadows(root: Element) -> None:
    """Show declared shadow roots in place of what they stand before, which shows only through a slot."""
    for shadow in [el for el in root.iter("template") if _SHADOW in el.attrib]:
        host = shadow.getparent()
        if host is None:
            continue
        if not any(True for _ in shadow.iter("slot")):
            for child in [child for child in host if child is not shadow]:
                child.tail = ""
                child.set("hidden", "")
            host.text, shadow.tail = "", ""
        shadow.drop_tag()


def _strip_unshown(root: Element) -> int:
    """Remove elements that are never text on the page, and comments.

    A page whose whole text stands in `noscript` is meant to be read without scripts, and that is what we do.
    """
    hidden = 0
    for el in comments(root):
        hidden += len((el.text or "").split()) >= _MESSAGE_WORDS
        el.drop_tree()
    for el in list(root.iter("noscript")) if _is_written_for_us(root) else []:
        el.drop_tag()
    for el in list(root.iter(*_NEVER_SHOWN)):
        if el.tag in _FALLBACKS:
            hidden += len(words(el).split()) >= _MESSAGE_WORDS
        el.drop_tree()
    return hidden


def _is_written_for_us(root: Element) -> bool:
    """Whether a page has next to no text but in `noscript`."""
    inside = max((len(words(el)) for el in body(root).iter("noscript")), default=0)
    if inside < _WHOLE_PAGE_CHARS:
        return False
    unshown = sum(len(words(el)) for el in body(root).iter(*_NEVER_SHOWN))
    return len(words(body(root))) - unshown < inside / 10


def _is_article_hidden(root: Element, walk: _Walk) -> bool:
    """Whether the main part of the page is among what is hidden, and nothing like it can be seen."""
    sizes = {el: len(words(el)) for el in walk.gone}
    largest = max(walk.gone, key=sizes.__getitem__, default=None)
    is_main = largest is not None and (largest.tag in _MAIN or any(True for _ in largest.iter(*_MAIN)))
    left = len(words(body(root))) - sum(sizes.values())
    is_alone = largest is not None and left < sizes[largest] / 10
    hidden = max(sizes[largest] if largest is not None and (is_main or is_alone) else 0, walk.blanked_chars)
    if hidden < _WHOLE_PAGE_CHARS or left >= hidden:
        return False
    return not any(_is_mostly_seen(el, sizes) for el in root.iter("main", "article"))


def _is_mostly_seen(el: Element, gone: Mapping[Element, int]) -> bool:
    if el in gone or any(up in gone for up in el.iterancestors()):
        return False
    return len(words(el)) > _ARTICLE_CHARS + 2 * sum(size for part, size in gone.items() if el in part.iterancestors())
