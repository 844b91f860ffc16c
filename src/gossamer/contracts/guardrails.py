"""Queries that a specialised server answers better: told by weighed words and phrases, kept as data."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gossamer.contracts.guardrail_rules import OTHER, SUBJECT, Rule, Rules, read_rules
from gossamer.engine.model_search_policy import Guardrails


@dataclass(frozen=True, kw_only=True, slots=True)
class Rejection:
    """Why a query is refused: who is for it, and by which words that was seen."""

    rule: str
    server: str
    message: str
    matched: tuple[str, ...]


def rejection(query: str, by: Guardrails, file: Path | None = None) -> Rejection | None:
    """The rule that refuses a query, or nothing: by `ours`, by the specification's `literal` lists, or `off`.

    The rules are the package's, or those of the operator's file.
    """
    if by == "off":
        return None
    rules = read_rules(file)
    if by == "literal":
        lowered = query.lower()
        found = ((rule, [word for word in rule.literal if word in lowered]) for rule in rules.each)
        return next((_told(rule, matched) for rule, matched in found if matched), None)
    words = list(rules.spelling.words(query))
    return next((told for rule in rules.each if (told := _weighed(rule, words, rules))), None)


def _weighed(rule: Rule, words: list[str], rules: Rules) -> Rejection | None:
    """Weigh the strongest subject, what is said around it, and what else hints at it."""
    subjects, rest = _subjects(rule, words)
    if not subjects:
        return None
    hints = list(dict.fromkeys(word for word in rest if word in rule.hints))
    score = max(rule.subjects[phrase] for phrase in subjects)
    score += sum(rule.signs[sign] for sign in set(_spans(["^", *rest, "$"], rule.longest_sign)) & rule.signs.keys())
    score += rules.hint_weight * min(len(hints) + len(set(subjects)) - 1, rules.most_hints)
    if score < rules.threshold:
        return None
    return _told(rule, [*dict.fromkeys(" ".join(phrase) for phrase in subjects), *hints])


def _subjects(rule: Rule, words: list[str]) -> tuple[list[tuple[str, ...]], list[str]]:
    """The subjects in a query, the longest at every place, and its words with a mark where each subject was."""
    subjects: list[tuple[str, ...]] = []
    rest: list[str] = []
    place = 0
    while place < len(words):
        at_place = (tuple(words[place : place + size]) for size in range(rule.longest_subject, 0, -1))
        phrase = next((phrase for phrase in at_place if phrase in rule.subjects), ())
        place += len(phrase) or 1
        if not phrase:
            rest.append(words[place - 1])
        elif not rule.subjects[phrase]:
            rest.append(OTHER)
        else:
            subjects.append(phrase)
            rest += [SUBJECT] if rest[-1:] != [SUBJECT] else []
    return subjects, rest


def _spans(words: list[str], longest: int) -> Iterator[tuple[str, ...]]:
    return (tuple(words[at : at + size]) for at in range(len(words)) for size in range(1, longest + 1))


def _told(rule: Rule, matched: list[str]) -> Rejection:
    return Rejection(rule=rule.name, server=rule.server, message=rule.message, matched=tuple(matched))
