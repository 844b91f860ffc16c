"""Which declarations of the page's own style sheets reach which element."""

import re
from collections import defaultdict

from cssselect import HTMLTranslator, SelectorError, parse
from cssselect.parser import Selector

from gossamer.extractors.styles import Declarations, Rule, declarations, rules
from gossamer.extractors.tree import Element, attr, classes

MAX_ELEMENTS = 100_000
MAX_SELECTOR_CHARS = 400
_XPATH_BUDGET = 3_000_000
"""Elements looked at by selectors that need a path, over the whole page."""
_SIMPLE = re.compile(r"(?:[a-zA-Z][\w-]*)?(?:[.#][\w-]+)+")
_MARK = re.compile(r"[.#][\w-]+")
_ARGUMENT = re.compile(r"\([^()]*\)")

Styled = dict[Element, list[tuple[tuple[int, int, int], Declarations]]]


class Cascade:
    """The page's style sheets, asked element by element.

    Specificity and order decide as in a browser; states such as `:hover` and generated content are left out. A page
    too large for its style sheets is judged by its inline styles alone.
    """

    def __init__(self, root: Element) -> None:
        self._styled: Styled = defaultdict(list)
        sheets = [el for el in root.iter("style") if "print" not in attr(el, "media")]
        self._size = sum(1 for _ in root.iter("*")) if sheets else 0
        if not sheets or self._size > MAX_ELEMENTS:
            return
        self._root = root
        self._budget = _XPATH_BUDGET
        self._marked: dict[str, list[Element]] = defaultdict(list)
        for el in root.iter("*"):
            for mark in _marks(el):
                self._marked[mark].append(el)
        for rule in rules("\n".join(el.text or "" for el in sheets)):
            for part in rule.selector.split(","):
                self._apply(part.strip(), rule)

    def of(self, el: Element) -> Declarations:
        """What the style sheets and the `style` attribute say of an element."""
        found: Declarations = {}
        for _, said in sorted(self._styled.get(el, ()), key=lambda entry: entry[0]):
            _merge(found, said)
        inline = attr(el, "style")
        if inline:
            _merge(found, declarations(inline[:2000]))
        return found

    def _apply(self, selector: str, rule: Rule) -> None:
        if len(selector) > MAX_SELECTOR_CHARS:
            return
        plain = _ARGUMENT.sub("", selector)
        marks = _MARK.findall(plain)
        if any(mark not in self._marked for mark in marks):
            return
        if _SIMPLE.fullmatch(selector):
            tag = selector[: selector.index(marks[0])].lower()
            rank = (sum(mark[0] == "#" for mark in marks), sum(mark[0] == "." for mark in marks), int(bool(tag)))
            for el in self._marked[marks[0]]:
                if (not tag or el.tag == tag) and set(marks) <= set(_marks(el)):
                    self._styled[el].append((rank, rule.declarations))
        else:
            self._apply_path(selector, rule)

    def _apply_path(self, selector: str, rule: Rule) -> None:
        self._budget -= self._size
        if self._budget < 0:
            return
        try:
            parsed: Selector = parse(selector)[0]
            if parsed.pseudo_element is not None:
                return
            path = HTMLTranslator().selector_to_xpath(parsed)
        except (SelectorError, IndexError):
            return
        for el in self._root.xpath(path):
            self._styled[el].append((parsed.specificity(), rule.declarations))


def _marks(el: Element) -> list[str]:
    """Class names and id, written as a selector writes them."""
    return [f".{name}" for name in classes(el)] + ([f"#{attr(el, 'id')}"] if attr(el, "id") else [])


def _merge(found: Declarations, said: Declarations) -> None:
    """Let later declarations win over earlier ones, unless only the earlier is important."""
    for name, value in said.items():
        if value.endswith("!important") or not found.get(name, "").endswith("!important"):
            found[name] = value
