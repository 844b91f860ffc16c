"""Which declarations of the page's own style sheets reach which element."""

import re
from collections import defaultdict
from collections.abc import Collection, Mapping
from itertools import chain

from gossamer.extractors.sight.limits import too_complex
from gossamer.extractors.sight.matching import READING, Matcher
from gossamer.extractors.sight.selectors import Complex, NoSelector, Specificity, read_selector
from gossamer.extractors.sight.sources import sheets
from gossamer.extractors.sight.styles import (
    DOUBTFUL,
    MAX_INLINE_CHARS,
    MOTION,
    PENDING,
    Declarations,
    declarations,
    is_valid,
    unfolded,
)
from gossamer.extractors.sight.stylesheets import Layer, Rule, Sheets
from gossamer.extractors.sight.suspicion import hides, live_properties
from gossamer.extractors.tree import Element, attr

Style = dict[str, str]
Rank = tuple[Layer, Specificity, int]
"""Layer, specificity, order: what decides between two declarations."""

_SIMPLE = re.compile(r"([a-zA-Z][\w-]*)?((?:[.#][a-zA-Z_-][\w-]*)*)")
_MARK = re.compile(r"[.#][\w-]+")
_BRACKETED = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_VAR = re.compile(r"(?:var|env)\(\s*([^\s,()]+)\s*(?:,([^()]*(?:\([^()]*\)[^()]*)*))?\)")
_NOTHING: tuple[Specificity, list[Element]] = ((0, 0, 0), [])
_ENVIRONMENT = {f"safe-area-inset-{side}": "0px" for side in ("top", "right", "bottom", "left")}
_MAX_VALUE_CHARS = 2_000
_ROUNDS = 8
"""A variable may name another one, which may name another one."""


class Cascade:
    """The page's style sheets, asked element by element.

    Layers, specificity, order and importance decide, the order of layers turned round for what is important; states
    such as `:hover` never are, and generated content is no element. Sheets elsewhere are not fetched. `revert-layer`
    leaves what is said so far, and how near a scope stands does not count.
    """

    def __init__(self, root: Element, *, is_moving: bool = False) -> None:
        self._styled: dict[Element, list[tuple[Rank, Declarations]]] = defaultdict(list)
        self._inline = {
            el: declarations(said[:MAX_INLINE_CHARS]) for el in root.iter("*") if (said := attr(el, "style"))
        }
        reader = Sheets()
        found = [rule for sheet in sheets(root) for rule in reader.rules(sheet)]
        if not found:
            return
        self._live = live_properties(chain(self._inline.values(), (rule.declarations for rule in found)))
        if is_moving:
            self._live |= set(MOTION)
        self._matcher = Matcher(root)
        self._known: dict[str, tuple[Specificity, list[Element]]] = {}
        self._marked: dict[str, list[Element]] = defaultdict(list)
        for el, marks in self._matcher.marks.items():
            for mark in marks:
                self._marked[mark].append(el)
        for order, rule in enumerate(found):
            if not self._live.isdisjoint(rule.declarations) or any(name.startswith("--") for name in rule.declarations):
                self._apply(rule, order)
        for said in self._styled.values():
            said.sort(key=lambda entry: entry[0])

    def of(self, el: Element, variables: Mapping[str, str] | None = None) -> Style:
        """What the style sheets and the `style` attribute say of an element, variables put in.

        Variables that the element sets itself come along under their own names.
        """
        inline, said = self._inline.get(el), self._styled.get(el)
        if not said and not inline:
            return {}
        found: Style = {}
        has_important = False
        for source in chain((declared for _, declared in said or ()), (inline,) if inline else ()):
            for name, (value, is_important) in source.items():
                has_important |= is_important
                if value != "revert-layer" and value[:1] != DOUBTFUL and not is_important:
                    found[name] = value
        if has_important:
            ranked = sorted(said or (), key=_importance)
            for source in chain((declared for _, declared in ranked), (inline,) if inline else ()):
                found.update(
                    (name, value)
                    for name, (value, is_important) in source.items()
                    if is_important and value[:1] != DOUBTFUL
                )
        doubtful = [
            (name, value[1:])
            for _, declared in said or ()
            for name, (value, _) in declared.items()
            if value[:1] == DOUBTFUL
        ]
        return _doubted(_filled(found, variables or {}), doubtful, variables or {})

    def _apply(self, rule: Rule, order: int) -> None:
        selector = rule.selector
        if simple := _SIMPLE.fullmatch(selector):
            self._apply_simple(simple, rule, order)
            return
        if selector not in self._known:
            self._known[selector] = self._found(selector)
        specificity, elements = self._known[selector]
        self._matcher.spend(len(elements))
        for el in elements:
            self._styled[el].append(((rule.layer, specificity, order), rule.declarations))

    def _found(self, selector: str) -> tuple[Specificity, list[Element]]:
        """The elements that a selector means."""
        matcher = self._matcher
        plain = "" if "\\" in selector else matcher.folded(_BRACKETED.sub("", selector))
        if "(" not in plain and any(mark not in self._marked for mark in _MARK.findall(plain)):
            return _NOTHING
        matcher.spend(READING + len(selector))
        try:
            read = read_selector(selector)
        except NoSelector:
            return _NOTHING
        try:
            return read.specificity, self._meant(read)
        except RecursionError:
            raise too_complex() from None

    def _meant(self, read: Complex) -> list[Element]:
        matcher = self._matcher
        needed = matcher.needed_around(read)
        candidates = self._candidates(read)
        matcher.spend(len(candidates) // 4)
        return [el for el in candidates if matcher.is_possible(el, needed) and matcher.matches(el, read)]

    def _apply_simple(self, simple: re.Match[str], rule: Rule, order: int) -> None:
        tag, marks = (simple[1] or "").lower(), _MARK.findall(self._matcher.folded(simple[2]))
        ids = sum(mark[0] == "#" for mark in marks)
        wanted = frozenset((*marks, *((tag,) if tag else ())))
        rank = (rule.layer, (ids, len(marks) - ids, int(bool(tag))), order)
        candidates = min((self._marked.get(key, []) for key in wanted), key=len, default=list[Element]())
        self._matcher.spend(len(candidates))
        for el in candidates:
            if len(wanted) == 1 or wanted <= self._matcher.marks[el]:
                self._styled[el].append((rank, rule.declarations))

    def _candidates(self, read: Complex) -> Collection[Element]:
        """The elements that the last compound can mean."""
        last = read.compounds[0]
        marks = [*(f"#{name}" for name in last.ids), *(f".{name}" for name in last.classes)]
        keys = [self._matcher.folded(mark) for mark in marks]
        keys += [last.tag] if last.tag else []
        if not keys:
            return self._matcher.marks
        return min((self._marked.get(key, []) for key in keys), key=len)


def _importance(entry: tuple[Rank, Declarations]) -> Rank:
    """What decides between important declarations: the first layer wins, and all layers over what stands in none."""
    (layer, specificity, order), _ = entry
    return tuple(-place for place in layer), specificity, order


def _filled(found: Style, around: Mapping[str, str]) -> Style:
    """Put variables in; a value that makes no sense with them is as if it had not been said."""
    if not any("var(" in value or "env(" in value for value in found.values()):
        return found
    known = {**around, **{name: value for name, value in found.items() if name.startswith("--")}}
    filled: Style = {}
    for name, value in found.items():
        if "var(" not in value and "env(" not in value:
            filled[name] = value
            continue
        short, pending, said = value.rpartition(PENDING)
        text = _resolved(said, known)
        if name.startswith("--"):
            filled[name] = text or ""
        elif text is not None:
            parts = dict(unfolded(short if pending else name, text.strip().lower()))
            if name in parts and is_valid(name, parts[name]):
                filled[name] = parts[name]
    return filled


def _doubted(found: Style, doubtful: list[tuple[str, str]], around: Mapping[str, str]) -> Style:
    """Add what may apply and, its variables put in, would hide."""
    if not doubtful:
        return found
    known = {**around, **{name: value for name, value in found.items() if name.startswith("--")}}
    for name, value in doubtful:
        meant = _filled({name: value}, known).get(name, "")
        if meant and hides(name, meant):
            found[name] = meant
    return found


def _resolved(value: str, known: Mapping[str, str]) -> str | None:
    for _ in range(_ROUNDS):
        if "var(" not in value and "env(" not in value:
            return value
        if len(value) > _MAX_VALUE_CHARS:
            return None
        value = _VAR.sub(lambda match: known.get(match[1], _ENVIRONMENT.get(match[1], match[2] or "")), value)
    return None
