"""Selector matching: whether an element is what a selector asks for, at a bounded cost for a whole page."""

import re
from collections.abc import Callable, Iterable, Iterator

from gossamer.extractors.html.tree import Element, attr, children, doctype, is_element
from gossamer.extractors.html.visibility.css.selector_parser import NEVER, Attribute, Complex, Compound, Pseudo
from gossamer.extractors.html.visibility.css.values import too_complex

_FIELDS = frozenset({"input", "select", "textarea", "button", "option", "optgroup", "fieldset"})
_FILLED_IN = frozenset({"input", "select", "textarea"})
_CHECKED = frozenset({*_FILLED_IN, "button", "form", "fieldset", "output", "object"})
BUDGET = 1_000_000
"""Steps that the style sheets of one page may cost; a step takes about a microsecond."""
_BUDGET_PER_ELEMENT = 20
READING = 30
"""What reading a selector costs, in steps."""
_BITS = 509
_FROM_END = frozenset({"nth-last-child", "nth-last-of-type", "last-child", "last-of-type"})
_OF_TYPE = frozenset({"nth-of-type", "nth-last-of-type", "first-of-type", "last-of-type", "only-of-type"})
_PLACES = frozenset({"first-child", "first-of-type", "last-child", "last-of-type", "nth-child", "nth-last-child"}) | {
    *("nth-of-type", "nth-last-of-type")
}
_QUIRKS = re.compile(r"html public \W*//(?:w3c|ietf|netscape)[^\"']*html (?:[23]|4\.0 transitional|4\.0 frameset)")
"""The document types of old pages; the parser gives one of them to pages without any."""
_NO_MARKS = frozenset[str]()
_ANCHOR = Compound()
"""Stands for the element of which `:has()` asks what it holds."""


class Matcher:
    """Matches selectors from their end, as browsers do.

    It knows the marks (tag, classes, id) of every element and, as bits that may collide but never miss, those of all
    elements round it: most selectors fail there.
    """

    def __init__(self, root: Element) -> None:
        is_quirky = _QUIRKS.search(doctype(root).lower()) is not None
        self.folded: Callable[[str], str] = str.lower if is_quirky else str
        """Names of classes and ids as they are compared: pages of old kinds do not mind capitals."""
        self._left = BUDGET
        self._anchor: Element | None = None
        self._places: dict[tuple[Element, bool, bool], dict[Element, int]] = {}
        self._inner: dict[int, Complex] = {}
        self._wanted: dict[int, frozenset[str]] = {}
        self._firsts: dict[tuple[int, int, Element, Element | None], int] = {}
        self._kinds: dict[tuple[int, Element], dict[Element, int]] = {}
        self.marks: dict[Element, frozenset[str]] = {}
        self._around: dict[Element, int] = {}
        self._bits: dict[str, int] = {}
        known: dict[tuple[str, str | None, str | None], tuple[frozenset[str], int]] = {}
        stack = [(root, 0)]
        while stack:
            el, inherited = stack.pop()
            named = (el.tag, el.get("class"), el.get("id"))
            if named not in known:
                known[named] = self._named(*named)
            self.marks[el], own = known[named]
            self._around[el] = inherited
            if len(el):
                inherited |= own
                stack.extend([(child, inherited) for child in children(el)])
        self._left += _BUDGET_PER_ELEMENT * len(self.marks)

    def spend(self, steps: int) -> None:
        """Count steps; a page that asks for more than any honest one is not read."""
        self._left -= steps
        if self._left < 0:
            raise too_complex()

    def possible(self, candidates: Iterable[Element], selector: Complex) -> list[Element]:
        """The candidates round which all may stand that a selector asks for; asked once, before it is matched."""
        needed, bits = self._needed_around(selector), self._around
        return [el for el in candidates if bits[el] & needed == needed]

    def _needed_around(self, selector: Complex) -> int:
        """The bits of what must stand round an element for a selector to match it."""
        self._firsts.clear()
        self._inner.clear()
        self._wanted.clear()
        self._kinds.clear()
        needed = 0
        for compound, combinator in zip(selector.compounds[1:], selector.combinators, strict=False):
            if combinator in "+~":
                break
            for mark in _marks_in(compound):
                needed |= self._bits.get(mark if mark == compound.tag else self.folded(mark), 0)
        return needed

    def matches(self, el: Element, selector: Complex, at: int = 0) -> bool:
        """Whether an element matches a selector from its `at`-th compound, counted from the end."""
        self._left -= 1
        if self._left < 0:
            raise too_complex()
        if not self._is(el, selector.compounds[at]):
            return False
        if at + 1 >= len(selector.compounds):
            return True
        combinator = selector.combinators[at]
        if combinator == "~":
            return self._follows(el, selector, at + 1)
        for other in el.iterancestors() if combinator == " " else _next_to(el, combinator, self):
            if self.matches(other, selector, at + 1):
                return True
        return False

    def _follows(self, el: Element, selector: Complex, at: int) -> bool:
        """Whether a sibling before the element matches the rest; the first one that does is sought once."""
        parent = el.getparent()
        if parent is None:
            return False
        key = (id(selector), at, parent, self._anchor)
        if key not in self._firsts:
            self._firsts[key] = 0
            for child in children(parent):
                if self.matches(child, selector, at):
                    self._firsts[key] = self._place(child, is_of_type=False, is_from_end=False)
                    break
        return 0 < self._firsts[key] < self._place(el, is_of_type=False, is_from_end=False)

    def _is(self, el: Element, compound: Compound) -> bool:
        if compound is _ANCHOR:
            return el is self._anchor
        if compound.tag and el.tag != compound.tag:
            return False
        if (compound.ids or compound.classes) and not self._names(compound) <= self.marks.get(el, _NO_MARKS):
            return False
        for attribute in compound.attributes:
            if not has_attribute(el, attribute):
                return False
        return all(self._state(el, pseudo) for pseudo in compound.pseudos) if compound.pseudos else True

    def _names(self, compound: Compound) -> frozenset[str]:
        """The classes and ids that a compound of the selector in hand asks for, put together once."""
        wanted = self._wanted.get(id(compound))
        if wanted is None:
            names = [*(f"#{name}" for name in compound.ids), *(f".{name}" for name in compound.classes)]
            wanted = self._wanted[id(compound)] = frozenset(map(self.folded, names))
        return wanted

    def _state(self, el: Element, pseudo: Pseudo) -> bool:
        name = pseudo.name
        if name == "has":
            return any(self._holds(el, choice) for choice in pseudo.choices)
        if name.startswith("nth") and pseudo.choices:
            return _counts(self._place_of_kind(el, pseudo), pseudo)
        if pseudo.choices or name in {"is", "where", "not", "matches", "-webkit-any", "-moz-any"}:
            for choice in pseudo.choices:
                if self.matches(el, choice):
                    return name != "not"
            return name == "not"
        if name in NEVER:
            return False
        if name in _PLACES:
            place = self._place(el, is_of_type=name in _OF_TYPE, is_from_end=name in _FROM_END)
            return place == 1 if not name.startswith("nth") else _counts(place, pseudo)
        if name in {"only-child", "only-of-type"}:
            is_of_type = name == "only-of-type"
            return all(self._place(el, is_of_type=is_of_type, is_from_end=end) == 1 for end in (False, True))
        return simple_state(el, name, pseudo.value)

    def _place_of_kind(self, el: Element, pseudo: Pseudo) -> int:
        """The place of an element among those siblings that match one of the choices, from 1; 0 when it does not."""
        parent = el.getparent()
        siblings = [el] if parent is None else list(children(parent))
        key = (id(pseudo), siblings[0] if parent is None else parent)
        if key not in self._kinds:
            self.spend(len(siblings))
            alike = [other for other in siblings if any(self.matches(other, choice) for choice in pseudo.choices)]
            alike = alike[::-1] if pseudo.name in _FROM_END else alike
            self._kinds[key] = {other: place for place, other in enumerate(alike, 1)}
        return self._kinds[key].get(el, 0)

    def _holds(self, el: Element, wanted: Complex) -> bool:
        """Whether something below or behind the element matches; the last combinator says where it starts.

        The element itself is put at the beginning of what is to match, and kept for the id of what is so made.
        """
        if id(wanted) not in self._inner:
            self._inner[id(wanted)] = Complex((*wanted.compounds, _ANCHOR), wanted.combinators, wanted.specificity)
        whole, first = self._inner[id(wanted)], wanted.combinators[-1]
        outer, self._anchor = self._anchor, el
        try:
            places = _after(el) if first in "+~" else children(el) if whole.combinators == (">",) else el.iter("*")
            return any(other is not el and is_element(other) and self.matches(other, whole) for other in places)
        finally:
            self._anchor = outer

    def _named(self, tag: str, class_names: str | None, id_name: str | None) -> tuple[frozenset[str], int]:
        """The marks of an element of such a tag, class and id, written as a selector writes them, and their bits."""
        marks = [tag]
        if class_names:
            marks += [f".{name}" for name in self.folded(class_names).split()]
        if id_name:
            marks.append(f"#{self.folded(id_name)}")
        bits = 0
        for mark in marks:
            bits |= self._bits.setdefault(mark, 1 << hash(mark) % _BITS)
        return frozenset(marks), bits

    def _place(self, el: Element, *, is_of_type: bool, is_from_end: bool) -> int:
        """The place of an element among its siblings, from 1."""
        parent = el.getparent()
        if parent is None:
            return 1
        key = (parent, is_of_type, is_from_end)
        if key not in self._places:
            siblings = list(children(parent))
            self.spend(len(siblings))
            counts: dict[str, int] = {}
            places: dict[Element, int] = {}
            for child in reversed(siblings) if is_from_end else siblings:
                group = child.tag if is_of_type else ""
                places[child] = counts[group] = counts.get(group, 0) + 1
            self._places[key] = places
        return self._places[key].get(el, 0)


def _marks_in(compound: Compound) -> Iterator[str]:
    if compound.tag:
        yield compound.tag
    yield from (f"#{name}" for name in compound.ids)
    yield from (f".{name}" for name in compound.classes)


def _next_to(el: Element, combinator: str, matcher: Matcher) -> Iterator[Element]:
    """The element round this one, or the one before it, as a combinator says."""
    if combinator == ">":
        parent = el.getparent()
        yield from () if parent is None else (parent,)
    elif combinator == "+":
        other = el.getprevious()
        while other is not None and not is_element(other):
            matcher.spend(1)
            other = other.getprevious()
        yield from () if other is None else (other,)


def _after(el: Element) -> Iterator[Element]:
    """The siblings behind an element, and all in them."""
    other = el.getnext()
    while other is not None:
        yield from other.iter("*")
        other = other.getnext()


def _counts(place: int, pseudo: Pseudo) -> bool:
    if pseudo.step == 0:
        return place == pseudo.offset
    if not place:
        return False
    turns, rest = divmod(place - pseudo.offset, pseudo.step)
    return rest == 0 and turns >= 0


def simple_state(el: Element, name: str, value: str = "") -> bool:
    """Whether an element of an untouched page is in a state."""
    if name in {"link", "any-link"}:
        return el.tag in {"a", "area"} and "href" in el.attrib
    if name in {"root", "scope"}:
        return el.tag == "html"
    if name == "empty":
        return not len(el) and not el.text
    if name in {"disabled", "enabled"}:
        return el.tag in _FIELDS and ("disabled" in el.attrib) == (name == "disabled")
    if name in {"required", "optional"}:
        return el.tag in _FILLED_IN and ("required" in el.attrib) == (name == "required")
    if name in {"read-only", "read-write"}:
        return _can_be_written(el) == (name == "read-write")
    if name in {"valid", "invalid"}:
        return el.tag in _CHECKED and _is_missing(el) == (name == "invalid")
    if name in _OF_FIELDS:
        return _OF_FIELDS[name](el)
    if name == "lang":
        return _speaks(_taken_over(el, "lang"), value)
    if name == "dir":
        return (_taken_over(el, "dir") == "rtl") == (value == "rtl") and value in {"ltr", "rtl"}
    return name == "defined"


def _is_missing(el: Element) -> bool:
    """Whether a field must be filled in and is not."""
    return el.tag in _FILLED_IN and "required" in el.attrib and not (attr(el, "value") or "checked" in el.attrib)


_OF_FIELDS: dict[str, Callable[[Element], bool]] = {
    "open": lambda el: "open" in el.attrib,
    "heading": lambda el: len(el.tag) == 2 and el.tag[0] == "h" and el.tag[1] in "123456",
    "checked": lambda el: "checked" in el.attrib or "selected" in el.attrib,
    "default": lambda el: "checked" in el.attrib or "selected" in el.attrib or attr(el, "type").lower() == "submit",
    "placeholder-shown": lambda el: bool(attr(el, "placeholder")) and not attr(el, "value"),
    "in-range": lambda el: el.tag == "input" and ("min" in el.attrib or "max" in el.attrib),
    "indeterminate": lambda el: attr(el, "type").lower() == "radio" and "checked" not in el.attrib,
}


def _can_be_written(el: Element) -> bool:
    if el.tag in {"input", "textarea"}:
        return "readonly" not in el.attrib and "disabled" not in el.attrib
    return _taken_over(el, "contenteditable", default="false") in {"", "true", "plaintext-only"}


def _taken_over(el: Element, name: str, *, default: str = "") -> str:
    """An attribute of the element, or of the nearest one round it that has it."""
    for up in (el, *el.iterancestors()):
        if name in up.attrib:
            return attr(up, name).strip().lower()
    return default


def _speaks(spoken: str, asked: str) -> bool:
    """Whether a language is one of those asked for, or a kind of one."""
    for part in asked.split(","):
        wanted = part.strip().strip("\"'").removesuffix("-*")
        if wanted and spoken and (wanted == "*" or spoken == wanted or spoken.startswith(f"{wanted}-")):
            return True
    return False


def has_attribute(el: Element, wanted_attribute: Attribute) -> bool:
    """Whether an element's attribute is as a selector demands."""
    value = el.get(wanted_attribute.name)
    if value is None:
        return False
    wanted = wanted_attribute.value
    if wanted_attribute.is_folded or wanted_attribute.name in {"type", "dir", "hidden"}:
        value, wanted = value.lower(), wanted.lower()
    if wanted_attribute.operator == "":
        return True
    if wanted_attribute.operator == "=":
        return value == wanted
    if wanted_attribute.operator == "~=":
        return bool(wanted) and wanted in value.split()
    if wanted_attribute.operator == "|=":
        return value == wanted or value.startswith(f"{wanted}-")
    if not wanted:
        return False
    return {"^=": value.startswith, "$=": value.endswith, "*=": value.__contains__}[wanted_attribute.operator](wanted)
