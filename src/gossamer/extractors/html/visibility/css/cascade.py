"""Computed style: the CSS cascade over the page's own style sheets."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Set
from itertools import chain
from typing import NamedTuple

from gossamer.extractors.html.tree import Element, attr, with_attribute
from gossamer.extractors.html.visibility.css.declarations import (
    DOUBTFUL,
    GLOBAL,
    MAX_INLINE_CHARS,
    MOTION,
    PENDING,
    Declarations,
    declarations,
    is_open,
    is_valid,
    unfolded,
)
from gossamer.extractors.html.visibility.css.rule_filter import COLOURS, hides, live_properties
from gossamer.extractors.html.visibility.css.selector_matching import READING, Matcher
from gossamer.extractors.html.visibility.css.selector_parser import (
    Complex,
    Compound,
    NoSelector,
    Specificity,
    read_selector,
)
from gossamer.extractors.html.visibility.css.stylesheets import Layer, Rule, Sheets
from gossamer.extractors.html.visibility.css.substitution import (
    UNSET,
    Registered,
    SubstitutionBudget,
    Values,
    registered,
)
from gossamer.extractors.html.visibility.css.values import too_complex

Style = dict[str, str]
Rank = tuple[Layer, Specificity, int]
"""Layer, specificity, order: what decides between two declarations."""
_Matched = tuple[Rank, Declarations]

_SIMPLE = re.compile(r"([a-zA-Z][\w-]*)?((?:[.#][a-zA-Z_-][\w-]*)*)")
_MARK = re.compile(r"[.#][\w-]+")
_BRACKETED = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_DRAWN = ("before", "after", "first-line", "first-letter")
_GENERATED = re.compile(rf"(.*?)::?({'|'.join(_DRAWN)})", re.DOTALL | re.IGNORECASE)
_NOTHING: tuple[Specificity, list[Element]] = ((0, 0, 0), [])


class _Merged(NamedTuple):
    style: Style
    doubtful: list[tuple[str, str]]
    is_whole: bool
    """Whether the style is what is meant, with nothing to be put in."""


class Cascade:
    """The page's style sheets, asked element by element.

    Layers, specificity, order and importance decide, the order of layers turned round for what is important; states
    such as `:hover` never are, and generated content is no element. Sheets elsewhere are not fetched. `revert-layer`
    leaves what is said so far, and how near a scope stands does not count.
    """

    def __init__(self, root: Element, sheets: Iterable[str], *, is_moving: bool = False, is_dark: bool = False) -> None:
        self._styled: dict[Element, list[_Matched]] = defaultdict(list)
        self._inline = _inline(root)
        self._merged: dict[tuple[int, ...], _Merged] = {}
        self._budget = SubstitutionBudget()
        self._drawn: list[tuple[str, str, Rule, int]] = []
        """The rules of generated content: whose it is, and what of it."""
        reader = Sheets()
        rules = [rule for sheet in sheets for rule in reader.rules(sheet)]
        self._declared = {name: known for name, matched in reader.declared.items() if (known := registered(matched))}
        self.styled: Set[Element] = self._inline.keys()
        """The elements of which anything is said."""
        if not rules:
            return
        self._live = live_properties(chain(self._inline.values(), (rule.declarations for rule in rules)))
        if is_moving:
            self._live |= set(MOTION)
        if is_dark:
            self._live |= COLOURS
        self._matcher = Matcher(root)
        self._known: dict[str, tuple[Specificity, list[Element]]] = {}
        self._marked: dict[str, list[Element]] = defaultdict(list)
        for el, marks in self._matcher.marks.items():
            for mark in marks:
                self._marked[mark].append(el)
        for order, rule in enumerate(rules):
            if rule.selector[-12:].lower().endswith(_DRAWN) and (drawn := _GENERATED.fullmatch(rule.selector)):
                self._drawn.append((drawn[1] or "*", drawn[2].lower(), rule, order))
            elif not self._live.isdisjoint(rule.declarations) or any(
                name.startswith("--") for name in rule.declarations
            ):
                self._apply(rule, order)
        for matched in self._styled.values():
            matched.sort(key=lambda entry: entry[0])
        self.styled = self._inline.keys() | self._styled.keys()

    def of(self, el: Element, variables: Mapping[str, str] | None = None) -> Style:
        """What the style sheets and the `style` attribute say of an element, variables put in.

        Variables that the element sets itself come along under their own names.
        """
        inline, matched = self._inline.get(el), self._styled.get(el)
        return self._meaning(el, matched or [], inline, variables or {}) if matched or inline else {}

    def drawn(self, which: str, is_wanted: Callable[[Declarations], bool]) -> dict[Element, list[_Matched]]:
        """What is said of `::before` or its like, by element, where some rule says what is wanted."""
        rules = [(base, rule, order) for base, name, rule, order in self._drawn if name == which]
        wanted = {el for base, rule, _ in rules if is_wanted(rule.declarations) for el in self._meant_once(base)[1]}
        by_element: dict[Element, list[_Matched]] = defaultdict(list)
        for base, rule, order in rules if wanted else ():
            specificity, elements = self._meant_once(base)
            self._matcher.spend(len(elements))
            for el in elements:
                if el in wanted:
                    by_element[el].append(((rule.layer, specificity, order), rule.declarations))
        for matched in by_element.values():
            matched.sort(key=lambda entry: entry[0])
        return by_element

    def of_drawn(self, el: Element, matched: list[_Matched], variables: Mapping[str, str]) -> Style:
        """What the style sheets say of content that is generated for an element."""
        return self._meaning(el, matched, None, variables)

    def _meaning(
        self, el: Element, matched: list[_Matched], inline: Declarations | None, variables: Mapping[str, str]
    ) -> Style:
        sources = [declared for _, declared in matched]
        key = tuple(map(id, sources)) if inline is None else (*map(id, sources), id(inline))
        merged = self._merged.get(key)
        if merged is None:
            merged = self._merged[key] = self._merge(matched, inline)
        if merged.is_whole:
            return merged.style
        values = Values(el, merged.style, variables, self._declared, self._budget)
        filled = _filled(merged.style, values)
        for name, value in merged.doubtful:
            meant = _filled({name: value}, values).get(name, "")
            if meant and hides(name, meant):
                filled[name] = meant
        return filled

    def _merge(self, matched: list[_Matched], inline: Declarations | None) -> "_Merged":
        """What declarations come to together, as long as nothing is put in: the same for all that they reach."""
        merged: Style = {}
        has_important = False
        for source in chain((declared for _, declared in matched), (inline,) if inline else ()):
            for name, (value, is_important) in source.items():
                has_important |= is_important
                if value != "revert-layer" and value[:1] != DOUBTFUL and not is_important:
                    merged[name] = value
        if has_important:
            ranked = sorted(matched, key=_importance)
            for source in chain((declared for _, declared in ranked), (inline,) if inline else ()):
                merged.update(
                    (name, value)
                    for name, (value, is_important) in source.items()
                    if is_important and value[:1] != DOUBTFUL
                )
        doubtful = [
            (name, value[1:])
            for _, declared in matched
            for name, (value, _) in declared.items()
            if value[:1] == DOUBTFUL
        ]
        return _Merged(merged, doubtful, is_whole=not doubtful and not _stands_for_others(merged, self._declared))

    def insisted(self, el: Element) -> set[str]:
        """The properties of which something important is said."""
        sources = (*(declared for _, declared in self._styled.get(el, ())), self._inline.get(el, {}))
        return {name for source in sources for name, (_, is_important) in source.items() if is_important}

    def declaring(self, name: str) -> set[Element]:
        """The elements of which a sheet or an attribute says a property, whatever it says."""
        elements = {el for el, declared in self._inline.items() if name in declared}
        elements.update(el for el, matched in self._styled.items() if any(name in declared for _, declared in matched))
        return elements

    def _apply(self, rule: Rule, order: int) -> None:
        selector = rule.selector
        if simple := _SIMPLE.fullmatch(selector):
            self._apply_simple(simple, rule, order)
            return
        specificity, elements = self._meant_once(selector)
        self._matcher.spend(len(elements))
        for el in elements:
            self._styled[el].append(((rule.layer, specificity, order), rule.declarations))

    def _meant_once(self, selector: str) -> tuple[Specificity, list[Element]]:
        if selector not in self._known:
            self._known[selector] = self._matched_elements(selector)
        return self._known[selector]

    def _matched_elements(self, selector: str) -> tuple[Specificity, list[Element]]:
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
        candidates = self._candidates(read.compounds[0])
        matcher.spend(len(candidates) // 4)
        return [el for el in matcher.possible(candidates, read) if matcher.matches(el, read)]

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

    def _candidates(self, last: Compound) -> Collection[Element]:
        """The elements that the last compound of a selector can mean."""
        marks = [*(f"#{name}" for name in last.ids), *(f".{name}" for name in last.classes)]
        keys = [self._matcher.folded(mark) for mark in marks]
        keys += [last.tag] if last.tag else []
        sources: list[Collection[Element]] = [self._marked.get(key, []) for key in keys]
        for pseudo in last.pseudos:
            if pseudo.name == "root":
                sources.append(self._marked.get("html", []))
            elif pseudo.name in {"is", "where"} and len(pseudo.choices) == 1:
                sources.append(self._candidates(pseudo.choices[0].compounds[0]))
        return min(sources, key=len, default=self._matcher.marks)


def _inline(root: Element) -> dict[Element, Declarations]:
    """What the `style` attributes say; of many that say the same, it is read once."""
    read: dict[str, Declarations] = {}
    inline: dict[Element, Declarations] = {}
    for el in with_attribute(root, "style"):
        value = attr(el, "style")[:MAX_INLINE_CHARS]
        if value not in read:
            read[value] = declarations(value)
        inline[el] = read[value]
    return inline


def _importance(entry: _Matched) -> Rank:
    """What decides between important declarations: the first layer wins, and all layers over what stands in none."""
    (layer, specificity, order), _ = entry
    return tuple(-place for place in layer), specificity, order


def _stands_for_others(style: Style, declared: Mapping[str, Registered]) -> bool:
    """Whether some value is not the one that is meant."""
    return any(
        is_open(value) or (name[:2] == "--" and (value in GLOBAL or name in declared)) for name, value in style.items()
    )


def _filled(style: Style, values: Values) -> Style:
    """Put in what values stand for; one that makes no sense then is as if it had not been said."""
    filled: Style = {}
    for name, value in style.items():
        if name.startswith("--"):
            meant = values.variable(name)
            filled[name] = UNSET if meant is None else meant
        elif not is_open(value):
            filled[name] = value
        else:
            short, pending, shorthand_value = value.rpartition(PENDING)
            text = values.put_in(shorthand_value, name)
            parts = dict(unfolded(short if pending else name, text.strip().lower())) if text is not None else {}
            if name in parts and is_valid(name, parts[name]):
                filled[name] = parts[name]
    return filled
