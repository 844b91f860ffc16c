"""Choice: which statements are told, in which order, and which of them say the same."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from gossamer.steps.answers.features import Rows
from gossamer.steps.answers.statements import Statement
from gossamer.steps.text.duplicates import comparable_words
from gossamer.steps.tokens.count import roughly

_LIKELY = 0.33
"""From here on a statement is told in any case: it is as likely to answer as not to, beside a better one."""
_SETTLED = 0.06
"""Others are told while it is less certain than this that one of those before answers."""
_LEAST = 0.04
"""What is less likely is not told beside anything better."""
_MOST = 8
_MOST_TOKENS = 340
_ALIKE = 0.93
"""How close two statements are that may say the same."""
_SHARED = 0.7
"""Which share of all their words such statements have in common."""
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_NEGATES = re.compile(r"\b(?:not|no|never|none|without|cannot)\b|n't\b", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """A statement that is told, by its number, with those of other pages that say the same."""

    statement: int
    likely: float
    also: tuple[int, ...] = ()


def choose(
    statements: Sequence[Statement],
    urls: Sequence[str],
    rows: Rows,
    likely: Sequence[float],
    told: Collection[int] = (),
) -> list[Choice]:
    """The statements to tell, best first, beside those that are `told` already; `urls` names the page of each.

    What several pages say nearly in the same words is told once, in the words of the best. As few are told as answer:
    all that are likely, then others as long as it is in doubt whether any of those answers.
    """
    order = sorted(range(len(statements)), key=lambda number: (-likely[number], number))
    chosen: list[int] = list(told)
    also: dict[int, list[int]] = {}
    doubt, used = 1.0, 0
    for number in chosen:
        used += roughly(statements[number].text)
        doubt *= 1 - likely[number]
    for number in order:
        if number in told:
            continue
        same = next((other for other in chosen if _say_the_same(number, other, statements, rows)), None)
        if same is not None:
            if urls[number] not in (urls[same], *(urls[other] for other in also.get(same, ()))):
                also.setdefault(same, []).append(number)
            continue
        tokens = roughly(statements[number].text)
        is_wanted = likely[number] >= _LIKELY or (doubt > _SETTLED and likely[number] >= _LEAST)
        fits = len(chosen) < _MOST and used + tokens <= _MOST_TOKENS
        if not chosen or (is_wanted and fits):
            chosen.append(number)
            used += tokens
            doubt *= 1 - likely[number]
    return [
        Choice(statement=number, likely=likely[number], also=tuple(also.get(number, ())))
        for number in chosen
        if number not in told
    ]


def _say_the_same(one: int, other: int, statements: Sequence[Statement], rows: Rows) -> bool:
    left, right = statements[one].text, statements[other].text
    if comparable_words(left) == comparable_words(right):
        return True
    if rows.cosines[one, other] < _ALIKE:
        return False
    left_words, right_words = set(rows.words[one]), set(rows.words[other])
    if len(left_words & right_words) < _SHARED * len(left_words | right_words):
        return False
    same_numbers = set(_NUMBER.findall(left)) == set(_NUMBER.findall(right))
    return same_numbers and (_NEGATES.search(left) is None) == (_NEGATES.search(right) is None)
