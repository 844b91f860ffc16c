"""Takes out of a page what its reader cannot see, and counts it."""

from collections import defaultdict
from collections.abc import Mapping

from gossamer.errors import NeedsScript
from gossamer.extractors.sight.cascade import Cascade
from gossamer.extractors.sight.curtain import Curtain, has_scripts
from gossamer.extractors.sight.formulas import is_written_copy, keep_formulas
from gossamer.extractors.sight.judging import is_plain, is_shut
from gossamer.extractors.sight.look import WHITE, Seen, look
from gossamer.extractors.sight.motion import Steps, animations, at_rest
from gossamer.extractors.sight.panels import controls_by_name, controls_by_place, is_controlled, labels
from gossamer.extractors.sight.tokens import is_of_a_language
from gossamer.extractors.sight.unscripted import written_for_us
from gossamer.extractors.tree import (
    Element,
    attr,
    body,
    children,
    comments,
    drop_comments,
    drop_tags,
    drop_trees,
    is_element,
    outermost,
    words,
)

_NEVER_SHOWN_NAMES = (
    *("script", "style", "template", "noscript", "noembed", "noframes", "iframe", "frameset", "object", "embed"),
    *("applet", "svg", "canvas", "audio", "video", "input", "select", "textarea", "datalist", "option", "optgroup"),
    *("link", "meta", "title", "progress", "meter", "param", "source", "track", "area", "basefont", "frame"),
)
_NEVER_SHOWN = frozenset(_NEVER_SHOWN_NAMES)
_FALLBACKS = frozenset({"template", "noscript", "noembed", "noframes", "iframe", "object", "canvas", "audio", "video"})
_MESSAGE_WORDS = 5
"""A comment or fallback with as many words is counted as hidden text; shorter ones are marks of tools."""
_WHOLE_PAGE_CHARS = 600
_ARTICLE_CHARS = 200
"""What is shorter is the head of an article, or its place."""
_SHADOW = "shadowrootmode"
_MAIN = ("main", "article", "h1")


def strip_hidden(root: Element, placed: Mapping[Element, Element] | None = None) -> int:
    """Remove hidden parts from the tree and return how many of them held text.

    What a visible control reveals stays: `details`, panels with a tab, sections with a button. Text is judged by
    colour only where the ground is known: a page with style sheets elsewhere may lie on any ground. A page that a
    script shows as a whole is read as if it had been; one that keeps its article hidden beside other text is not. A
    page whose text stands in `noscript` is meant to be read without scripts, and that is what we do.
    `placed` are the controls of panels told by their place, where they are known already.
    """
    drop_tags(root, written_for_us(root, _NEVER_SHOWN))
    is_scripted = has_scripts(root)
    steps = animations(root)
    curtain = Curtain(root, is_scripted=is_scripted, steps=steps)
    placed = controls_by_place(root) if placed is None else placed
    cascade = Cascade(root, is_moving=bool(steps))
    hidden = _open_shadows(root)
    hidden += keep_formulas(root)
    is_ground_known = not any("stylesheet" in attr(el, "rel").lower() for el in root.iter("link"))
    hidden += _strip_unshown(root)
    seen = Seen(ground=WHITE if is_ground_known else None)
    curtain.judge(cascade, seen)
    walk = _Walk(cascade, root, curtain, placed, steps)
    walk.down(root, seen)
    walk.reveal()
    if is_scripted and _is_article_hidden(root, walk):
        raise NeedsScript(
            "The page hides its text until a script has run, and none was run.",
            hint="Look for another source of the same information.",
        )
    for el in walk.gone:
        hidden += bool(words(el))
    if root in walk.gone:
        _empty(root)
    else:
        drop_trees(root, walk.gone)
    return hidden + walk.blanked


class _Walk:
    """Goes down the tree once and notes what cannot be seen."""

    def __init__(
        self, cascade: Cascade, root: Element, curtain: Curtain, placed: Mapping[Element, Element], steps: Steps
    ) -> None:
        self._cascade = cascade
        self._root = root
        self._curtain = curtain
        self._steps = steps
        self._placed = placed
        """The control of each panel that is told by its place."""
        self.gone: list[Element] = []
        self.blanked = 0
        self.blanked_chars = 0
        self._panels: list[tuple[Element, Seen, dict[str, str]]] = []
        self._unseen: set[Element] = set()
        self._out: set[Element] = set()
        """What is gone, and panels that nothing has shown yet."""

    def down(self, top: Element, seen: Seen, variables: Mapping[str, str] | None = None) -> None:
        """Judge an element and all in it."""
        stack = [(top, seen, dict(variables or {}))]
        while stack:
            el, around, known = stack.pop()
            style = self._cascade.of(el, known)
            if not style and around.opacity >= 1 and is_plain(el):
                if around.hides_text and not (around.is_painted_over and is_of_a_language(el)):
                    self._blank(el)
                stack.extend((child, around, known) for child in el)
                continue
            own = {name: value for name, value in style.items() if name.startswith("--")} if style else {}
            known = {**known, **own} if own else known
            if self._steps and "animation" in style:
                style = at_rest(style, self._steps)
            style = self._curtain.lifted(el, style, around)
            if self._curtain.is_out(el, style, around):
                self._note(el, around, known)
                continue
            here = look(el, style, around)
            is_shut = el.tag == "details" and self._is_shut(el, here, known)
            if is_shut or (here.hides_text and not (here.is_painted_over and is_of_a_language(el))):
                self._blank(el)
            if is_shut:
                for child in children(el):
                    self._out.add(child)
                    self.gone.append(child)
                continue
            stack.extend((child, here, known) for child in children(el))

    def reveal(self) -> None:
        """Take back the panels that a control, itself to be seen, shows; then those within them."""
        known_controls = controls_by_name(self._root) if self._panels else {}
        while self._panels:
            panels, self._panels = self._panels, []
            named = {name for panel, _, _ in panels for name in (attr(panel, "id"), *labels(panel))}
            shown = {name for name in named if any(self._is_seen(el) for el in known_controls.get(name, ()))}
            for panel, around, known in panels:
                if is_controlled(panel, shown) or (panel in self._placed and self._is_seen(self._placed[panel])):
                    self._out.discard(panel)
                    for child in children(panel):
                        self.down(child, around, known)
                else:
                    self.gone.append(panel)

    def _is_shut(self, details: Element, here: Seen, known: Mapping[str, str]) -> bool:
        summary = next((child for child in children(details) if child.tag == "summary"), None)
        return summary is not None and is_shut(details, summary, self._cascade.of(summary, known), here)

    def _is_seen(self, control: Element) -> bool:
        if control in self._unseen or not any(text.strip() for text in control.itertext()):
            return False
        return not any(up in self._out for up in (control, *control.iterancestors()))

    def _note(self, el: Element, around: Seen, known: dict[str, str]) -> None:
        if is_written_copy(el):
            return
        self._out.add(el)
        is_named = attr(el, "role") == "tabpanel" or (attr(el, "aria-labelledby") and attr(el, "id"))
        is_panel = is_named or el in self._placed
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


def _open_shadows(root: Element) -> int:
    """Show declared shadow roots in place of what they stand before, which shows only through a slot.

    Returns how many parts with text that hides.
    """
    hidden = 0
    for shadow in [el for el in root.iter("template") if _SHADOW in el.attrib]:
        host = shadow.getparent()
        if host is None:
            continue
        if not any(True for _ in shadow.iter("slot")):
            hidden += bool((host.text or "").strip()) + bool((shadow.tail or "").strip())
            for child in [child for child in host if child is not shadow]:
                hidden += (is_element(child) and bool(words(child))) or bool((child.tail or "").strip())
                child.tail = ""
                child.drop_tree()
            host.text, shadow.tail = "", ""
        shadow.drop_tag()
    return hidden


def _empty(page: Element) -> None:
    """Take out all but the head of a page."""
    page.text = ""
    for child in list(page):
        child.tail = ""
        if child.tag != "head":
            child.drop_tree()


def _strip_unshown(root: Element) -> int:
    """Remove elements that are never text on the page, and comments."""
    hidden = 0
    for el in comments(root):
        hidden += len((el.text or "").split()) >= _MESSAGE_WORDS
    drop_comments(root)
    unshown = outermost(root, _NEVER_SHOWN)
    hidden += sum(len(words(el).split()) >= _MESSAGE_WORDS for el in unshown if el.tag in _FALLBACKS)
    drop_trees(root, unshown)
    return hidden


def _is_article_hidden(root: Element, walk: _Walk) -> bool:
    """Whether the main part of the page is among what is hidden, and nothing like it can be seen."""
    if walk.blanked_chars < _WHOLE_PAGE_CHARS and all(_is_small(el) for el in walk.gone):
        return False
    sizes = _sizes(root)
    largest = max(walk.gone, key=sizes.__getitem__, default=None)
    is_main = largest is not None and (largest.tag in _MAIN or any(True for _ in largest.iter(*_MAIN)))
    left = sizes[body(root)] - sum(sizes[el] for el in walk.gone)
    is_alone = largest is not None and left < sizes[largest] / 10
    hidden = max(sizes[largest] if largest is not None and (is_main or is_alone) else 0, walk.blanked_chars)
    if hidden < _WHOLE_PAGE_CHARS or left >= hidden:
        return False
    return not _is_article_seen(root, set(walk.gone), sizes)


def _is_small(el: Element) -> bool:
    return sum(map(len, el.itertext())) < _WHOLE_PAGE_CHARS


def _is_article_seen(root: Element, gone: set[Element], sizes: Mapping[Element, int]) -> bool:
    """Whether some article can be seen for the most part."""
    unseen: dict[Element, int] = defaultdict(int)
    for part in gone:
        for up in part.iterancestors("main", "article"):
            unseen[up] += sizes[part]
    articles = list(root.iter("main", "article")) if sizes[root] > _ARTICLE_CHARS else []
    large = [el for el in articles if sizes[el] > _ARTICLE_CHARS + 2 * unseen[el]]
    return any(el not in gone and not any(up in gone for up in el.iterancestors()) for el in large)


def _sizes(root: Element) -> dict[Element, int]:
    """How many characters stand in each element and all in it, runs of blanks as one."""
    sizes: dict[Element, int] = {}
    for el in reversed(list(root.iter("*"))):
        sizes[el] = _size(el.text) + sum(sizes[child] + _size(child.tail) for child in children(el))
    return sizes


def _size(text: str | None) -> int:
    return len(" ".join(text.split())) + (text[-1:].isspace() or text[:1].isspace()) if text and text.strip() else 0
