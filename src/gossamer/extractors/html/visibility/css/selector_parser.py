"""Selector parser: what an element must be, and what must stand around it."""

import re
from dataclasses import dataclass, field

from gossamer.extractors.html.visibility.css.values import too_complex

OLD_GENERATED = frozenset({"before", "after", "first-line", "first-letter"})
"""Generated content that old sheets name with one colon."""
_GENERATED_NAMES = (
    "before after first-line first-letter placeholder selection marker backdrop file-selector-button cue slotted part "
    "highlight grammar-error spelling-error target-text view-transition view-transition-group view-transition-old "
    "view-transition-image-pair view-transition-new details-content scroll-marker scroll-marker-group scroll-button "
    "column picker picker-icon checkmark"
)
GENERATED = frozenset(_GENERATED_NAMES.split())
LISTS = frozenset({"is", "where", "matches", "-webkit-any", "-moz-any", "not", "has"})
COUNTED = frozenset({"nth-child", "nth-last-child", "nth-of-type", "nth-last-of-type"})
_NEVER_NAMES = (
    "hover active focus focus-within focus-visible target target-within visited "
    "user-invalid user-valid popover-open modal fullscreen playing autofill -webkit-autofill current past future "
    "host host-context state muted paused seeking stalled buffering volume-locked picture-in-picture "
    "out-of-range -webkit-full-screen -webkit-any-link target-current has-slotted xr-overlay "
    "active-view-transition active-view-transition-type"
)
_ALWAYS_NAMES = (
    "defined scope any-link link enabled valid read-only read-write root empty first-child last-child only-child"
    " first-of-type last-of-type only-of-type disabled required optional dir lang checked open"
    " placeholder-shown default in-range indeterminate invalid heading"
)
NEVER = frozenset(_NEVER_NAMES.split())
"""Pseudo-classes that match nothing in a page that has just loaded."""
KNOWN = NEVER | frozenset(_ALWAYS_NAMES.split())
MAX_CHARS = 10_000
_MAX_DEPTH = 12
_NAME = re.compile(r"(?!-?\d)(?:[\w-]|[^\x00-\x7f]|\\.)+")
_COMBINATOR = re.compile(r"\s*([>+~]|\|\|)\s*|\s+")
_ATTRIBUTE = re.compile(
    r"\[\s*(?:[\w*-]*\|)?([\w:.-]+)\s*(?:([~|^$*]?=)\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\]\"']+))\s*([isIS])?\s*)?\]"
)
_ESCAPED = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))", re.DOTALL)
_NTH = re.compile(r"([+-]?\d*)n(?:\s*([+-])\s*(\d+))?|([+-]?\d+)")
_PLACE = re.compile(r"\s*((?:[+-]?\d*n(?:\s*[+-]\s*\d+)?|[+-]?\d+|odd|even))\s*(?:\b(of)\s)?", re.IGNORECASE)
_SPACE = re.compile(r"\s*")
_SIMPLE = re.compile(r"(?:[a-zA-Z][\w-]*|\*)?(?:[.#][a-zA-Z_-][\w-]*)?(?:[.#][a-zA-Z_-][\w-]*)?")
_STATES = r":(?:hover|focus|active|visited|first-child|last-child|link|disabled|focus-within)(?![\w\\(-])"
_COMPOUND = rf"(?:[a-zA-Z][\w-]*|(?=[.#:]))(?:[.#](?:[a-zA-Z_]|-[a-zA-Z_-])[\w-]*)*(?:{_STATES})*"
_PLAIN = re.compile(rf"{_COMPOUND}(?:(?:\s*[>+~]\s*|\s+){_COMPOUND})*(?:::?(?:before|after))?", re.ASCII)
"""Selectors that any browser takes, as most are."""
Specificity = tuple[int, int, int]


class NoSelector(ValueError):
    """A selector that no browser would take, or one of generated content."""


class Generated(NoSelector):
    """A selector of generated content: a browser takes it, and it means no element."""


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
    value: str = ""
    """The language or direction that is asked for."""


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
        raise too_complex()
    reader = _Reader(text)
    selector = reader.complex(0)
    if reader.at != len(text):
        raise NoSelector
    if reader.is_generated:
        raise Generated
    return selector


def is_selector(text: str) -> bool:
    """Whether a browser takes a selector, whatever it means."""
    if text and (_SIMPLE.fullmatch(text) or (len(text) <= MAX_CHARS and _PLAIN.fullmatch(text))):
        return True
    try:
        read_selector(text)
    except Generated:
        return True
    except NoSelector:
        return False
    return True


class _Reader:
    """Goes through a selector once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.is_generated = False

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
            if self.is_generated:
                raise NoSelector
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
            if self.is_generated and self.text[self.at] in ".#[&":
                raise NoSelector
            if self._take("::") or self._is_old_generated():
                self._pass_generated(depth)
            elif self._take("."):
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
        if not self._take("("):
            if name not in KNOWN:
                raise NoSelector
            return Pseudo(name)
        if name in LISTS:
            return Pseudo(name, choices=self._choices(depth + 1, is_forgiving=name not in {"not", "has"}, name=name))
        if name in COUNTED:
            return self._counted(name, depth)
        if name not in KNOWN:
            raise NoSelector
        return Pseudo(name, value=self._until_bracket())

    def _counted(self, name: str, depth: int) -> Pseudo:
        """A place among siblings, all or those `of` some kind."""
        match = _PLACE.match(self.text, self.at)
        if match is None:
            raise NoSelector
        self.at = match.end()
        choices: tuple[Complex, ...] = ()
        if match[2] and name in {"nth-child", "nth-last-child"}:
            choices = self._choices(depth + 1, is_forgiving=False, name=name)
        elif match[2] or not self._take(")"):
            raise NoSelector
        return _counted(name, match[1].lower(), choices)

    def _is_old_generated(self) -> bool:
        match = _NAME.match(self.text, self.at + 1) if self.text[self.at] == ":" else None
        is_old = match is not None and match[0].lower() in OLD_GENERATED
        self.at += is_old
        return is_old

    def _pass_generated(self, depth: int) -> None:
        """Generated content has no place within a list of choices; those of other makers' browsers are unknown."""
        name = self._needed().lower()
        if depth or (name not in GENERATED and not name.startswith("-webkit-")):
            raise NoSelector
        if self._take("("):
            self._until_bracket()
        self.is_generated = True

    def _until_bracket(self) -> str:
        end = self.text.find(")", self.at)
        if end < 0:
            raise NoSelector
        inside, self.at = self.text[self.at : end].strip().lower(), end + 1
        return inside

    def _choices(self, depth: int, *, is_forgiving: bool, name: str) -> tuple[Complex, ...]:
        if depth > _MAX_DEPTH:
            raise too_complex()
        choices = list[Complex]()
        while True:
            start = self.at = self._past_space()
            try:
                choices.append(self.complex(depth, is_relative=name == "has"))
            except NoSelector:
                if not is_forgiving:
                    raise
                self.at = self._end_of_choice(start)
            if self._take(")"):
                return tuple(choices)
            if not self._take(","):
                raise NoSelector

    def _past_space(self) -> int:
        space = _SPACE.match(self.text, self.at)
        return space.end() if space else self.at

    def _end_of_choice(self, start: int) -> int:
        depth = 0
        for at in range(start, len(self.text)):
            sign = self.text[at]
            if not depth and sign in ",)":
                return at
            depth += (sign in "([") - (sign in ")]")
        return len(self.text)

    def _attribute(self) -> Attribute:
        match = _ATTRIBUTE.match(self.text, self.at)
        if match is None:
            raise NoSelector
        self.at = match.end()
        name, operator, *values, flag = match.groups("")
        return Attribute(name.lower(), operator, _unescaped("".join(values)), flag.lower() == "i")

    def _take(self, sign: str) -> bool:
        is_there = self.text.startswith(sign, self.at)
        self.at += len(sign) if is_there else 0
        return is_there

    def _name(self) -> str:
        match = _NAME.match(self.text, self.at)
        self.at = match.end() if match else self.at
        return _unescaped(match[0]) if match else ""

    def _needed(self) -> str:
        if name := self._name():
            return name
        raise NoSelector


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(_sign, text) if "\\" in text else text


def _sign(match: re.Match[str]) -> str:
    code = int(match[1], 16) if match[1] else 0
    return match[2] or (chr(code) if code < 0x110000 else "\ufffd")


def _counted(name: str, inside: str, choices: tuple[Complex, ...]) -> Pseudo:
    inside = {"odd": "2n+1", "even": "2n"}.get(inside, inside)
    match = _NTH.fullmatch(inside)
    if match is None:
        raise NoSelector
    if match[4]:
        return Pseudo(name, choices, step=0, offset=_bounded(match[4]))
    step = {"": 1, "+": 1, "-": -1}.get(match[1]) or _bounded(match[1])
    return Pseudo(name, choices, step=step, offset=_bounded(f"{match[2] or ''}{match[3] or 0}"))


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
            if pseudo.name in LISTS or pseudo.choices:
                largest = max((choice.specificity for choice in pseudo.choices), default=(0, 0, 0))
                ids, classes, tags = ids + largest[0], classes + largest[1], tags + largest[2]
            classes += pseudo.name not in LISTS
    return ids, classes, tags
