"""Pages that are hidden as a whole until they have loaded: whether something is there that shows them."""

import re

from gossamer.extractors.sight.cascade import Cascade, Style
from gossamer.extractors.sight.judging import is_marked_hidden, is_out
from gossamer.extractors.sight.look import Seen, is_gone, look
from gossamer.extractors.sight.motion import Steps
from gossamer.extractors.tree import Element, attr, body, children

_PAGE = frozenset({"html", "body"})
_OF_WHOLE_PAGES = frozenset({"display", "visibility", "opacity", "transform", "left", "top", "filter"})
"""What pages use to stay hidden as a whole until they have loaded."""
_EVENT = re.compile(r"on[a-z]{3,20}")
_NAME = re.compile(r"[\w-]+")


def has_scripts(root: Element) -> bool:
    """Whether anything on the page could show what is hidden."""
    kinds = (attr(el, "type").strip().lower() for el in root.iter("script"))
    if any(kind in {"", "module"} or "javascript" in kind for kind in kinds):
        return True
    return any(_EVENT.fullmatch(name) for el in (root, body(root)) for name in el.attrib)


class Curtain:
    """What hides a page as a whole.

    It counts as lifted where a script or an animation can lift it and nothing can be seen while it is down: a page
    that shows some of its text meanwhile means to hide the rest.
    """

    def __init__(self, root: Element, *, is_scripted: bool, steps: Steps) -> None:
        self._root = root
        self._is_scripted = is_scripted
        self._steps = steps
        self._is_liftable = False

    def judge(self, cascade: Cascade, seen: Seen) -> None:
        """Look at the page as it stands; it is left as it is."""
        self._is_liftable = bool(self._is_scripted or self._steps) and not self._shows_text(cascade, seen)

    def lifted(self, el: Element, style: Style, around: Seen) -> Style:
        """The style of an element once the page has been shown."""
        if el.tag not in _PAGE or not self._is_liftable:
            return style
        if not self._is_scripted and not self._is_animated(style, around, tag=el.tag):
            return style
        return {name: value for name, value in style.items() if name not in _OF_WHOLE_PAGES}

    def is_out(self, el: Element, style: Style, around: Seen) -> bool:
        """Whether an element, its style lifted, is out of sight; of the page itself, only what nothing lifts counts."""
        is_by_script = self._is_liftable and self._is_scripted
        if el.tag in _PAGE and (is_by_script or not is_marked_hidden(el, style)):
            return is_gone(style, around, tag=el.tag)
        return is_out(el, style, around)

    def _is_animated(self, style: Style, around: Seen, *, tag: str) -> bool:
        """Whether some step of the element's animation can be seen."""
        for name in set(_NAME.findall(style.get("animation-name", ""))):
            for _, step in self._steps.get(name, ()):
                shown = {**style, **step}
                is_visible = shown.get("visibility", "visible") == "visible"
                if _OF_WHOLE_PAGES & set(step) and is_visible and not is_gone(shown, around, tag=tag):
                    return True
        return False

    def _shows_text(self, cascade: Cascade, seen: Seen) -> bool:
        stack = [(self._root, seen, dict[str, str]())]
        while stack:
            el, around, known = stack.pop()
            style = cascade.of(el, known)
            if self.is_out(el, style, around):
                continue
            own = {name: value for name, value in style.items() if name.startswith("--")}
            here, known = look(el, style, around), {**known, **own} if own else known
            has_text = any(text and text.strip() for text in (el.text, *(child.tail for child in el)))
            if has_text and not here.hides_text:
                return True
            stack.extend((child, here, known) for child in children(el))
        return False
