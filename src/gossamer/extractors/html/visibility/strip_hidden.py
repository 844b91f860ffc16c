"""Hidden-text removal: takes out of a page what its reader cannot see (prompt injection), and counts it."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from gossamer.extractors.html.tree import (
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
from gossamer.extractors.html.visibility.css.cascade import Cascade, Style
from gossamer.extractors.html.visibility.css.stylesheets import sheets
from gossamer.extractors.html.visibility.formulas import is_written_copy, keep_formulas
from gossamer.extractors.html.visibility.layout.element_visibility import (
    DARK,
    FirstLines,
    Seen,
    at_first,
    is_plain,
    is_shut,
    seen_of,
)
from gossamer.extractors.html.visibility.layout.indirect_hiding import (
    Directions,
    References,
    collapsed_cells,
    is_turned,
)
from gossamer.extractors.html.visibility.layout.occlusion import Occlusion
from gossamer.extractors.html.visibility.reveal.by_script import lifted_by_script, shows_little, way_of
from gossamer.extractors.html.visibility.reveal.disclosure import (
    controls_by_name,
    controls_by_place,
    has_words,
    is_controlled,
    labels,
    open_panel,
    opened,
)
from gossamer.extractors.html.visibility.reveal.on_load import (
    Preloader,
    Steps,
    animations,
    at_rest,
    has_scripts,
    is_article_hidden,
    written_for_us,
)

_SHADOW = "shadowrootmode"
_NAMED = re.compile(r"(?:^|\s)(?:token|hljs-|mtk|cm-|pl-|k[a-z]?(?=\s|$)|keyword)")
_SIGN = re.compile(r"[^\w\s]{1,3}")
_LISTED = (
    "abstract and as assert async await bool boolean break case catch char class const continue debugger def default "
    "del double elif else end enum except export extends false final finally float fn for foreach from func function "
    "go goto if impl implements import in input instanceof int interface is lambda let long loop match module mut "
    "namespace new nil none not null nullptr of or package pass private protected pub public raise readonly return "
    "scalar self short signed sizeof static string struct super switch then this throw throws trait true try type "
    "typedef typeof undefined union unsigned use using val var void volatile where while with yield"
)
_WORDS = frozenset(_LISTED.split())
_NEVER_SHOWN_NAMES = (
    *("script", "style", "template", "noscript", "noembed", "noframes", "iframe", "frameset", "object", "embed"),
    *("applet", "svg", "canvas", "audio", "video", "input", "select", "textarea", "datalist", "option", "optgroup"),
    *("link", "meta", "title", "progress", "meter", "param", "source", "track", "area", "basefont", "frame"),
)
NEVER_SHOWN = frozenset(_NEVER_SHOWN_NAMES)
_FALLBACKS = frozenset({"template", "noscript", "noembed", "noframes", "iframe", "object", "canvas", "audio", "video"})
_MESSAGE_WORDS = 5
"""A comment or fallback with as many words is counted as hidden text; shorter ones are marks of tools."""
_UNSTYLED: Style = {}
_MOST_LIFTS = 12
"""So often may a page hide all of its text within what a script has shown."""


class Stripped(NamedTuple):
    """What was taken out of a page."""

    hidden: int
    """How many parts with text."""
    is_lifted: bool = False
    """The page hides its text until a script has run, and was read as it stands after that."""
    is_partial: bool = False
    """So does a large part of it beside text that can be seen; that part is left out."""


def strip_hidden(root: Element, placed: Mapping[Element, Element] | None = None) -> Stripped:
    """Remove hidden parts from the tree.

    What a visible control reveals stays: `details`, panels with a tab, sections with a button. Text is judged by
    colour only where the ground is known: a page with style sheets elsewhere may lie on any ground. A page that a
    script shows as a whole is read as if it had been, where next to nothing else can be read; one that keeps its
    article hidden beside other text is not. A page whose text stands in `noscript` is meant to be read without scripts,
    and that is what we do.
    `placed` are the controls of panels told by their place, where they are known already.
    """
    drop_tags(root, written_for_us(root, NEVER_SHOWN))
    is_scripted = has_scripts(root)
    written = list(sheets(root))
    steps = animations(written)
    curtain = Preloader(root, is_scripted=is_scripted, steps=steps)
    placed = controls_by_place(root) if placed is None else placed
    seen = at_first(root)
    cascade = Cascade(root, written, is_moving=bool(steps), is_dark=seen.ground == DARK)
    hidden = open_shadows(root)
    hidden += keep_formulas(root)
    references = References(root)
    hidden += _strip_unshown(root)
    cells = list(collapsed_cells(root, cascade))
    hidden += sum(bool(words(cell)) for cell in cells)
    drop_trees(root, cells)
    curtain.judge(cascade, seen)

    def walked(lifted: set[Element]) -> "_Walk":
        walk = _Walk(root, cascade, curtain, placed, steps, references, lifted)
        walk.down(root, seen)
        walk.reveal()
        return walk

    walk = walked(set())
    is_unread = is_scripted and is_article_hidden(root, walk.gone, walk.blanked_chars)
    is_partial = is_unread and not shows_little(root, walk.gone)
    is_lifted = False
    if is_unread and not is_partial:
        walk, is_lifted = _lifted(root, walk, walked)
    for el in walk.gone:
        hidden += bool(words(el))
    if root in walk.gone:
        _empty(root)
    else:
        drop_trees(root, walk.gone)
    return Stripped(hidden + walk.blanked + Directions(cascade).settle(walk.turned), is_lifted, is_partial)


def _lifted(root: Element, walk: "_Walk", walked: "Callable[[set[Element]], _Walk]") -> tuple["_Walk", bool]:
    """Judge a page again without what a script takes away, as often as it hides its text once more within that."""
    lifted: set[Element] = set()
    for _ in range(_MOST_LIFTS):
        sizes = walk.hidden_sizes()
        seen = len(words(body(root))) - sum(len(words(el)) for el in walk.gone)
        more = lifted_by_script(walk.ways(sizes), sizes, seen) - lifted
        if not more or (lifted and seen >= sum(sizes.values())):
            break
        lifted |= more
        for el in more:
            open_panel(el)
        walk.restore()
        walk = walked(lifted)
    return walk, bool(lifted)


class _Walk:
    """Goes down the tree once and notes what cannot be seen."""

    def __init__(
        self,
        root: Element,
        cascade: Cascade,
        curtain: Preloader,
        placed: Mapping[Element, Element],
        steps: Steps,
        references: References,
        lifted: set[Element],
    ) -> None:
        self._cascade = cascade
        self._lifted = lifted
        """What a script shows, and is judged as if nothing had hidden it."""
        self._root = root
        self._curtain = curtain
        self._steps = steps
        self._covers = Occlusion(root, cascade)
        self._lines = FirstLines(cascade)
        self._references = references
        self.turned: dict[Element, Style] = {}
        self._placed = placed
        """The control of each panel, matched by position."""
        self.gone: list[Element] = []
        self.blanked = 0
        self.blanked_chars = 0
        self._hiding: dict[Element, Style] = {}
        """The style of each element that is hidden, or with which hiding text began."""
        self._blanks: list[tuple[Element, str | None, list[tuple[Element, str | None]]]] = []
        self._panels: list[tuple[Element, Seen, dict[str, str]]] = []
        self._unseen: set[Element] = set()
        self._out: set[Element] = set()
        """What is gone, and panels that nothing has shown yet."""
        self._opened: set[Element] = set()

    def down(self, top: Element, seen: Seen, variables: Mapping[str, str] | None = None) -> None:
        """Judge an element and all in it."""
        stack = [(top, seen, dict(variables or {}))]
        styled, lines = self._cascade.styled, self._lines.styled
        noted = lines.keys() | self._covers.covered | self._lifted
        last, hides_text = seen, seen.hides_text
        while stack:
            el, inherited, known = stack.pop()
            style = self._cascade.of(el, known) if el in styled else _UNSTYLED
            if not style and inherited.opacity >= 1 and is_plain(el) and not (noted and el in noted):
                if inherited is not last:
                    last, hides_text = inherited, inherited.hides_text
                if hides_text and not (inherited.is_painted_over and is_language_token(el)):
                    self._blank(el)
                stack.extend([(child, inherited, known) for child in el])
                continue
            own = {name: value for name, value in style.items() if name.startswith("--")} if style else {}
            known = {**known, **own} if own else known
            if self._steps and "animation-name" in style:
                style = at_rest(style, self._steps, self._cascade.insisted(el))
            style = self._curtain.lifted(el, opened(style) if el in self._opened else style, inherited)
            if el in self._lifted:
                style = own
                here = seen_of(el, style, inherited)._replace(cover=None, is_invisible=False, frame=None)
            elif self._curtain.is_out(el, style, inherited) or self._references.hide(style):
                self._hiding[el] = style
                self._note(el, inherited, known)
                continue
            else:
                here = seen_of(el, style, inherited)
                if (cover := self._covers.over(el, style, inherited.cover)) is not inherited.cover:
                    here = here._replace(cover=cover)
                if here.hides_text and not inherited.hides_text:
                    self._hiding[el] = style
            if is_turned(el, style):
                self.turned[el] = style
            if el in lines and self._lines.hides(el, here, known):
                if self._lines.is_alone(el):
                    here = here._replace(is_invisible=True)
                else:
                    self.blanked += self._lines.blank(el)
            is_shut = el.tag == "details" and self._is_shut(el, here, known)
            if is_shut or (here.hides_text and not (here.is_painted_over and is_language_token(el))):
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
            for panel, inherited, known in panels:
                if is_controlled(panel, shown) or (panel in self._placed and self._is_seen(self._placed[panel])):
                    self._out.discard(panel)
                    self._opened.add(panel)
                    open_panel(panel)
                    self.down(panel, inherited, known)
                else:
                    self.gone.append(panel)

    def hidden_sizes(self) -> dict[Element, int]:
        """How many characters each element hides that hides anything: it is gone, or its text is blanked."""
        sizes: dict[Element, int] = defaultdict(int)
        for el in self.gone:
            sizes[el] += len(words(el))
        origins: dict[Element, Element] = {}
        for el, text, tails in self._blanks:
            size = sum(len(part.strip()) for part in (text, *(tail for _, tail in tails)) if part)
            sizes[self._origin(el, origins)] += size
        return {el: size for el, size in sizes.items() if size}

    def ways(self, elements: Iterable[Element]) -> dict[Element, frozenset[str]]:
        """How each of some elements is hidden."""
        return {el: way_of(el, self._hiding.get(el, _UNSTYLED)) for el in elements}

    def _origin(self, el: Element, origins: dict[Element, Element]) -> Element:
        """The nearest element, from this one outwards, with which hiding its text began."""
        path: list[Element] = []
        at: Element | None = el
        while at is not None and at not in origins and at not in self._hiding:
            path.append(at)
            at = at.getparent()
        origin = el if at is None else origins.get(at, at)
        origins.update(dict.fromkeys(path, origin))
        return origin

    def restore(self) -> None:
        """Put back the texts that were taken out."""
        for el, text, tails in reversed(self._blanks):
            el.text = text
            for child, tail in tails:
                child.tail = tail

    def _is_shut(self, details: Element, here: Seen, known: Mapping[str, str]) -> bool:
        summary = next((child for child in children(details) if child.tag == "summary"), None)
        return summary is not None and is_shut(details, summary, self._cascade.of(summary, known), here)

    def _is_seen(self, control: Element) -> bool:
        if control in self._unseen or not has_words(control, self._out):
            return False
        return not any(up in self._out for up in (control, *control.iterancestors()))

    def _note(self, el: Element, inherited: Seen, known: dict[str, str]) -> None:
        if is_written_copy(el):
            return
        if inherited.grid is not None and el.getparent() is inherited.grid and len(inherited.grid) == 1:
            el, inherited = inherited.grid, inherited._replace(grid=None)
        self._out.add(el)
        is_named = attr(el, "role") == "tabpanel" or (attr(el, "aria-labelledby") and attr(el, "id"))
        is_panel = (is_named or el in self._placed) and el not in self._opened
        if is_panel and el.tag not in {"dialog", "nav"} and attr(el, "role") not in {"dialog", "menu", "listbox"}:
            self._panels.append((el, inherited, known))
        else:
            self.gone.append(el)

    def _blank(self, el: Element) -> None:
        """Remove the text that stands directly in an element."""
        size = len((el.text or "").strip())
        self._blanks.append((el, el.text, [(child, child.tail) for child in el]))
        el.text = ""
        for child in el:
            size += len((child.tail or "").strip())
            child.tail = ""
        if size:
            self.blanked += 1
            self.blanked_chars += size
            self._unseen.add(el)


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
    unshown = outermost(root, NEVER_SHOWN)
    hidden += sum(len(words(el).split()) >= _MESSAGE_WORDS for el in unshown if el.tag in _FALLBACKS)
    drop_trees(root, unshown)
    return hidden


def open_shadows(root: Element) -> int:
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


def is_language_token(el: Element) -> bool:
    """Whether an element of a code block holds one word or sign of a language and nothing else."""
    text = (el.text or "").strip()
    if len(el) or not _NAMED.search(attr(el, "class")):
        return False
    return (text.lower() in _WORDS or _SIGN.fullmatch(text) is not None) and any(
        True for _ in el.iterancestors("pre", "code")
    )
