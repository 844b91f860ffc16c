"""Disagreement: sources that answer one question with different numbers, dates or names."""

import re
from collections.abc import Sequence

from gossamer.steps.answers.choice import Choice
from gossamer.steps.answers.features import Rows
from gossamer.steps.answers.question import Question
from gossamer.steps.answers.statements import Statement
from gossamer.steps.answers.values import Value, agree, values

_LIKELY = 0.5
"""How likely a statement answers at least, as a share of the likeliest, to be set against it."""
_LEAST = 0.12
_ABOUT = 0.6
"""How near each of the question's heaviest words comes to what such a statement is about."""
_HEAVIEST = 4
_WORD = re.compile(r"[\w'’]+")


def differing(
    question: Question, statements: Sequence[Statement], urls: Sequence[str], rows: Rows, likely: Sequence[float]
) -> list[tuple[Choice, str]]:
    """One statement for each different value that sources give, with the value; empty where they agree.

    Of each source the statement counts that most likely answers, if it is about what is asked as a whole. Where any
    value of one can be one of the other, they agree.
    """
    groups: list[tuple[Value, tuple[Value, ...], list[int]]] = []
    known = frozenset(_WORD.findall(question.text.casefold()))
    about = [number for number, word in enumerate(rows.asked) if word not in question.asking]
    for number in _best_of_each(urls, rows, likely, about):
        given = values(question, statements[number].text, known)
        if not given:
            continue
        group = next((each for each in groups if agree(each[1], given)), None)
        if group is None:
            groups.append((given[0], given, [number]))
        else:
            group[2].append(number)
    if len(groups) < 2:
        return []
    return [
        (Choice(statement=first, likely=likely[first], also=tuple(others)), value.text)
        for value, _, (first, *others) in groups
    ]


def _best_of_each(urls: Sequence[str], rows: Rows, likely: Sequence[float], about: Sequence[int]) -> list[int]:
    """The likeliest statement of each source that is about what is asked, likeliest first."""
    heaviest = sorted(about, key=lambda word: -float(rows.weights[word]))[:_HEAVIEST]
    order = sorted(range(len(urls)), key=lambda number: (-likely[number], number))
    least = max(_LEAST, _LIKELY * likely[order[0]])
    best: dict[str, int] = {}
    for number in order:
        if likely[number] >= least and float(rows.context[number, heaviest].min(initial=1)) >= _ABOUT:
            best.setdefault(urls[number], number)
    return list(best.values())
