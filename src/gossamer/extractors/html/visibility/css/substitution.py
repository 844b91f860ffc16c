"""Substitution functions `var()`, `env()`, `attr()` and `if()`: put in as a browser puts them.

Where nobody can tell which branch of an `if()` applies, the one that hides does.
"""

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from gossamer.extractors.html.tree import Element
from gossamer.extractors.html.visibility.css.colours import ink_of
from gossamer.extractors.html.visibility.css.conditions import is_for_screen, is_supported
from gossamer.extractors.html.visibility.css.declarations import GLOBAL, is_open
from gossamer.extractors.html.visibility.css.rule_filter import hides_somehow
from gossamer.extractors.html.visibility.css.values import number, pixels, split_outside, too_complex

UNSET = "initial"
"""What stands for a variable that has no value, though one round it may have."""
_CALL = re.compile(r"(?<![\w-])(var|env|attr|if)\(", re.IGNORECASE)
_EDGE = re.compile(r"[()]|\"(?:[^\"\\]|\\.)*\"?|'(?:[^'\\]|\\.)*'?", re.DOTALL)
_TEST = re.compile(r"(style|media|supports)\(", re.IGNORECASE)
_ENVIRONMENT = {f"safe-area-inset-{side}": "0px" for side in ("top", "right", "bottom", "left")}
_MAX_CHARS = 20_000
_MAX_DEPTH = 200
_MAX_WORK = 50_000_000
"""Characters that are looked through for all elements of a page."""
_FITS: dict[str, Callable[[str], bool]] = {
    "<number>": lambda value: number(value) is not None and "%" not in value,
    "<integer>": lambda value: number(value) is not None and "%" not in value,
    "<percentage>": lambda value: number(value) is not None and "%" in value,
    "<length>": lambda value: pixels(value) is not None and "%" not in value,
    "<length-percentage>": lambda value: pixels(value) is not None,
    "<color>": lambda value: ink_of(value) is not None,
}


class Registered(NamedTuple):
    """A variable that the page declares with `@property`."""

    syntax: str
    inherits: bool
    initial: str | None


def registered(descriptors: Mapping[str, str]) -> Registered | None:
    """What the lines of an `@property` rule say; None for a rule that a browser passes over."""
    syntax, inherits = descriptors.get("syntax", "").strip("\"' "), descriptors.get("inherits", "").lower()
    initial = descriptors.get("initial-value")
    if not syntax or inherits not in {"true", "false"}:
        return None
    if syntax != "*" and (initial is None or not _fits(initial, syntax)):
        return None
    return Registered(syntax, inherits == "true", initial)


def _fits(value: str, syntax: str) -> bool:
    """Whether a value is of a kind; a kind that we do not know takes any."""
    for kind in (part.strip().rstrip("+#") for part in syntax.split("|")):
        if kind == value.strip() or (kind in _FITS and _FITS[kind](value.strip().lower())):
            return True
        if kind == "*" or (kind.startswith("<") and kind not in _FITS):
            return True
    return False


class SubstitutionBudget:
    """What the values of a page may cost, all elements together."""

    def __init__(self) -> None:
        self.left = _MAX_WORK

    def pay(self, chars: int) -> None:
        """Spend; a page that asks for more than any honest one is not read."""
        self.left -= chars
        if self.left < 0 or chars > _MAX_CHARS:
            raise too_complex()


class Values:
    """The variables of one element: its own, those it takes over, and those declared with a first value."""

    def __init__(
        self,
        el: Element,
        own: Mapping[str, str],
        inherited: Mapping[str, str],
        declared: Mapping[str, Registered],
        budget: SubstitutionBudget,
    ) -> None:
        self._el = el
        self._own = own
        self._around = inherited
        self._declared = declared
        self._budget = budget
        self._known: dict[str, str | None] = {}
        self._asked: list[str] = []
        self._circular: set[str] = set()

    def variable(self, name: str) -> str | None:
        """The value of a variable; None when it has none."""
        if name in self._known:
            return self._known[name]
        if name in self._asked:
            self._circular.update(self._asked[self._asked.index(name) :])
            return None
        self._asked.append(name)
        value = self._valued(name)
        self._asked.pop()
        if name in self._circular:
            value = None
        if not self._asked or name not in self._circular:
            self._known[name] = value
        return value

    def _valued(self, name: str) -> str | None:
        declared = self._declared.get(name)
        first = declared.initial if declared else None
        above = self._around.get(name, UNSET) if declared is None or declared.inherits else UNSET
        above = first if above == UNSET else above
        value = self._own.get(name, "inherit" if declared is None or declared.inherits else UNSET)
        if value in GLOBAL:
            is_first = value == UNSET or (value != "inherit" and declared is not None and not declared.inherits)
            return first if is_first else above
        meant = self.put_in(value, name)
        if meant is None or (declared and not _fits(meant, declared.syntax)):
            return above if declared else None
        return meant

    def put_in(self, value: str, name: str) -> str | None:
        """A value of a property with all that it stands for; None where that has no value."""
        if not is_open(value):
            return value
        if len(self._asked) > _MAX_DEPTH:
            raise too_complex()
        self._budget.pay(len(value))
        pieces, at = list[str](), 0
        while match := _CALL.search(value, at):
            end = _closing(value, match.end())
            text = self._called(match[1].lower(), value[match.end() : end], name)
            if text is None:
                return None
            pieces += (value[at : match.start()], text)
            at = end + 1
        whole = "".join((*pieces, value[at:]))
        self._budget.pay(len(whole))
        return whole

    def _called(self, call: str, inside: str, name: str) -> str | None:
        self._asked.append("")  # one deeper
        text = self._chosen(inside, name) if call == "if" else self._named(call, inside, name)
        self._asked.pop()
        return text

    def _named(self, call: str, inside: str, name: str) -> str | None:
        asked, comma, rest = inside.partition(",")
        asked = asked.strip()
        text = self._attribute(asked) if call == "attr" else self.variable(asked) if call == "var" else None
        text = _ENVIRONMENT.get(asked) if call == "env" else text
        if text is None and comma:
            return self.put_in(rest, name)
        return text

    def _attribute(self, asked: str) -> str | None:
        """`attr(data-n type(<number>))`, `attr(data-n px)`; without a type it is a text in quotes."""
        attribute, _, kind = asked.partition(" ")
        value, kind = self._el.get(attribute.lower()), kind.strip().lower()
        if value is None:
            return None
        if kind.startswith("type("):
            return value if _fits(value, kind[5:].removesuffix(")")) else None
        if kind in {"", "raw-string", "string"}:
            return '"' + value.replace('"', "'") + '"'
        return f"{value}{kind}" if number(value) is not None else None

    def _chosen(self, inside: str, name: str) -> str | None:
        """The first branch that holds; of those that may, one that hides."""
        maybe: str | None = None
        for branch in split_outside(inside, ";"):
            parts = split_outside(branch, ":")
            condition, value = parts[0], self.put_in(":".join(parts[1:]).strip(), name)
            answer = self._holds(condition)
            if answer is not False and value is not None and (answer or hides_somehow(name, value.strip().lower())):
                maybe = value if maybe is None else maybe
            if answer:
                return maybe if maybe is not None else value
        return maybe

    def _holds(self, condition: str) -> bool | None:
        """Whether a condition holds; None when that is unknown."""
        condition = condition.strip()
        if condition.lower() == "else":
            return True
        if condition.lower().startswith(("not ", "not(")):
            answer = self._holds(condition[3:])
            return None if answer is None else not answer
        terms = [term for term in split_outside(condition, " ") if term]
        joints = {term.lower() for term in terms[1::2]}
        answers = [self._term(term) for term in terms[::2]]
        if joints <= {"and"}:
            return False if False in answers else None if None in answers else bool(answers)
        if joints == {"or"}:
            return True if True in answers else None if None in answers else False
        return None

    def _term(self, term: str) -> bool | None:
        match = _TEST.match(term)
        if match is None:
            return None
        inside = term[match.end() :].removesuffix(")").strip()
        if match[1].lower() == "media":
            return is_for_screen(inside if inside.isalpha() or inside[:1] == "(" else f"({inside})")
        if match[1].lower() == "supports":
            return is_supported(inside if inside.startswith(("(", "selector(")) else f"({inside})")
        asked, colon, wanted = (part.strip() for part in inside.partition(":"))
        if not re.fullmatch(r"--[\w-]+", asked):
            return None
        value = self.variable(asked)
        return value is not None and (not colon or value.strip() == (self.put_in(wanted, asked) or "").strip())


def _closing(value: str, start: int) -> int:
    """Where the bracket that was opened before `start` closes; the end where it never does."""
    depth = 1
    for match in _EDGE.finditer(value, start):
        depth += (match[0] == "(") - (match[0] == ")")
        if not depth:
            return match.start()
    return len(value)
