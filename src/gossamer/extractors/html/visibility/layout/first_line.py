"""`::first-line` and `::first-letter` with a style of their own, as far as that hides them."""

from collections.abc import Mapping

from gossamer.extractors.html.tree import Element, words
from gossamer.extractors.html.visibility.css.cascade import Cascade, Style
from gossamer.extractors.html.visibility.css.colours import CLEAR
from gossamer.extractors.html.visibility.css.declarations import Declarations
from gossamer.extractors.html.visibility.css.lengths import number
from gossamer.extractors.html.visibility.layout.element_visibility import Seen, seen_of

_HIDING = frozenset({"color", "-webkit-text-fill-color", "font-size", "opacity", "background-color"})
"""What browsers let a first line have of what can hide it."""
_LINE_CHARS = 250
"""So much stands on one line of a wide screen."""
_LETTER_CHARS = 2


def _may_hide(declared: Declarations) -> bool:
    return not _HIDING.isdisjoint(declared)


class FirstLines:
    """The elements of a page whose first line, or first letter, is styled by itself."""

    def __init__(self, cascade: Cascade) -> None:
        self._cascade = cascade
        lines, letters = (cascade.drawn(name, _may_hide) for name in ("first-line", "first-letter"))
        single = {
            el: matched
            for el, matched in letters.items()
            if not len(el) and len((el.text or "").strip()) <= _LETTER_CHARS
        }
        self.styled = {**single, **lines}

    def hides(self, el: Element, here: Seen, variables: Mapping[str, str]) -> bool:
        """Whether the first line of an element cannot be seen, and that by its own style."""
        if here.hides_text:
            return False
        line_style = self._cascade.of_drawn(el, self.styled[el], variables)
        style: Style = {name: value for name, value in line_style.items() if name in _HIDING}
        share = number(style.get("opacity", "1"))
        return (share is not None and share < CLEAR) or seen_of(el, style, here).hides_text

    def is_alone(self, el: Element) -> bool:
        """Whether an element may have no other line."""
        size = 0
        for text in el.itertext():
            size += len(text.strip())
            if size > _LINE_CHARS:
                return False
        return True

    def blank(self, el: Element) -> int:
        """Take out what stands before the first break of an element with more lines; gives how many texts that was.

        Without one nobody can tell where the line ends, and all that may be on it goes.
        """
        hidden = bool((el.text or "").strip())
        el.text = ""
        for child in list(el):
            if child.tag == "br":
                break
            hidden = hidden or bool(words(child)) or bool((child.tail or "").strip())
            child.tail = ""
            child.drop_tree()
        return int(hidden)
