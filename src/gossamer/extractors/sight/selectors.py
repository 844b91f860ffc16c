"""Selectors of style sheets, read into values: what an element must be, and what must stand round it."""

import re
from dataclasses import dataclass, field

MAX_CHARS = 1_000
_MAX_DEPTH = 4
_NAME = re.compile(r"(?:[\w-]|[^\x00-\x7f]|\\.)+")
_COMBINATOR = re.compile(r"\s*([>+~]|\|\|)\s*|\s+")
_ATTRIBUTE = re.compile(
    r"\[\s*(?:[\w*-]*\|)?([\w:.-]+)\s*(?:([~|^$*]?=)\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\]\"']+))\s*([isIS])?\s*)?\]"
)
_ESCAPED = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))", re.DOTALL)
_NTH = re.compile(r"([+-]?\d*)n(?:\s*([+-])\s*(\d+))?|([+-]?\d+)")
_NOT_ELEMENTS = frozenset({"before", "after", "first-line", "first-letter"})
_LISTS = frozenset({"is", "where", "matches", "-webkit-any", "-moz-any", "not", "has"})
_COUNTED = frozenset({"nth-child", "nth-last-child", "nth-of-type", "nth-last-of-type"})
_NEVER_NAMES = (
    "hover active focus focus-within focus-visible target target-within visited checked indeterminate invalid "
    "user-invalid user-valid open popover-open modal fullscreen playing autofill -webkit-autofill current past future "
    "host host-context"
)
_ALWAYS_NAMES = (
    "defined scope any-link link enabled valid read-only root empty first-child last-child only-child"
    " first-of-type last-of-type only-of-type disabled required optional placeholder-shown dir lang"
)
NEVER = frozenset(_NEVER_NAMES.split())
"""States that nothing is in when a page has loaded and nobody has touched it."""
_KNOWN = NEVER | frozenset(_ALWAYS_NAMES.split())

Specificity = tuple[int, int, int]


class NoSelector(ValueError):
    """A selector that no browser would take, or one of generated content."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """A demand on an attribute."""

    name: str
    operator: str
    value: str
    is_folded: bool


@dataclass(frozen=True, slots=True)
class Pseudo:
    """A state, a place among siblings, or a list of selectors of which one must match."""

    name: str
    choices: "tuple[Complex, ...]" = ()
    step: int = 0
    offset: int = 0


@dataclass(slots=True)
class Compound:
    """What one element must be."""

    tag: str = ""
    ids: list[str] = field(default_factory=list[str])
    classes: list[str] = field(default_factory=list[str])
    attributes: list[Attribute] = field(default_factory=list[Attribute])
    pseudos: list[Pseudo] = field(default_factory=list[Pseudo])


@dataclass(frozen=True, slots=True)
class Complex:
    """Compounds from the last to the first; each but the last with how it stands to the one before it here."""

    compounds: tuple[Compound, ...]
    combinators: tuple[str, ...]
    specificity: Specificity


def read_selector(text: str) -> Complex:
    """Read one selector without commas."""
    if len(text) > MAX_CHARS:
        raise NoSelector
    reader = _Reader(text)
    found = reader.complex(0)
    if reader.at != len(text):
        raise NoSelector
    return found


class _Reader:
    """Goes through a selector once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def complex(self, depth: int, *, is_relative: bool = False) -> Complex:
        compounds, combinators = list[Compound](), list[str]()
        leading = _COMBINATOR.match(self.text, self.at) if is_relative else None
        first = (leading[1] or " ") if leading else " "
        self.at = leading.end() if leading else self.at
        while True:
            compounds.append(self._compound(depth))
            joined = _COMBINATOR.match(self.text, self.at)
            if joined is None or joined.end() == len(self.text) or self.text[joined.end()] in ",)":
                self.at = joined.end() if joined and not joined[1] else self.at
                break
            combinators.append(joined[1] or " ")
            self.at = joined.end()
        if is_relative:
            combinators.insert(0, first)
        return Complex(tuple(reversed(compounds)), tuple(reversed(combinators)), _specificity(compounds))

    def _compound(self, depth: int) -> Compound:
        made, start = Compound(), self.at
        if self._take("*"):
            pass
        elif name := self._name():
            made.tag = name.lower()
        if self._take("|"):
            made.tag = "" if self._take("*") else self._needed().lower()
        while self.at < len(self.text):
            if self._take("."):
                made.classes.append(self._needed())
            elif self._take("#"):
                made.ids.append(self._needed())
            elif self.text[self.at] == "[":
                made.attributes.append(self._attribute())
            elif self._take(":"):
                made.pseudos.append(self._pseudo(depth))
            elif not self._take("&"):
                break
        if self.at == start:
            raise NoSelector
        return made

    def _pseudo(self, depth: int) -> Pseudo:
        name = self._needed().lower()
        if name in _NOT_ELEMENTS:
            raise NoSelector
        if not self._take("("):
            if name not in _KNOWN:
                raise NoSelector
            return Pseudo(name)
        if name in _LISTS:
            return Pseudo(name, choices=self._choices(depth + 1, is_forgiving=name not in {"not", "has"}, name=name))
        end = self.text.find(")", self.at)
        inside, self.at = self.text[self.at : end].strip().lower(), end + 1
        if end < 0 or (name not in _COUNTED and name not in _KNOWN):
            raise NoSelector
        return _counted(name, inside) if name in _COUNTED else Pseudo(name)

    def _choices(self, depth: int, *, is_forgiving: bool, name: str) -> tuple[Complex, ...]:
        if depth > _MAX_DEPTH:
            raise NoSelector
        found = list[Complex]()
        while True:
            self.at = re.compile(r"\s*").match(self.text, self.at).end()  # pyright: ignore[reportOptionalMemberAccess]
            try:
                found.append(self.complex(depth, is_relative=name == "has"))
            except NoSelector:
                if not is_forgiving:
                    raise
                self.at = min((end for end in map(self._find, ",)") if end >= 0), default=len(self.text))
            if self._take(")"):
                return tuple(found)
            if not self._take(","):
                raise NoSelector

    def _find(self, sign: str) -> int:
        return self.text.find(sign, self.at)

    def _attribute(self) -> Attribute:
        found = _ATTRIBUTE.match(self.text, self.at)
        if found is None:
            raise NoSelector
        self.at = found.end()
        name, operator, *values, flag = found.groups("")
        return Attribute(name.lower(), operator, _unescaped("".join(values)), flag.lower() == "i")

    def _take(self, sign: str) -> bool:
        is_there = self.text.startswith(sign, self.at)
        self.at += is_there
        return is_there

    def _name(self) -> str:
        found = _NAME.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return _unescaped(found[0]) if found else ""

    def _needed(self) -> str:
        if name := self._name():
            return name
        raise NoSelector


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(_sign, text) if "\\" in text else text


def _sign(match: re.Match[str]) -> str:
    code = int(match[1], 16) if match[1] else 0
    return match[2] or (chr(code) if code < 0x110000 else "\ufffd")


def _counted(name: str, inside: str) -> Pseudo:
    inside = {"odd": "2n+1", "even": "2n"}.get(inside, inside)
    found = _NTH.fullmatch(inside)
    if found is None:
        raise NoSelector
    if found[4]:
        return Pseudo(name, step=0, offset=_bounded(found[4]))
    step = {"": 1, "+": 1, "-": -1}.get(found[1]) or _bounded(found[1])
    return Pseudo(name, step=step, offset=_bounded(f"{found[2] or ''}{found[3] or 0}"))


def _bounded(digits: str) -> int:
    return int(digits[:9])


def _specificity(compounds: list[Compound]) -> Specificity:
    ids, classes, tags = 0, 0, 0
    for compound in compounds:
        ids += len(compound.ids)
        classes += len(compound.classes) + len(compound.attributes)
        tags += bool(compound.tag)
        for pseudo in compound.pseudos:
            if pseudo.name == "where":
                continue
            if pseudo.name in _LISTS:
                one = max((choice.specificity for choice in pseudo.choices), default=(0, 0, 0))
                ids, classes, tags = ids + one[0], classes + one[1], tags + one[2]
            else:
                classes += 1
    return ids, classes, tags
