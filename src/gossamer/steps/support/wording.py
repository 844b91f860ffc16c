"""Wording: what a claim that repeats a sentence has changed in it: a word put in, left out, or of another sentence."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from gossamer.steps.support.logic_words import HEDGES, is_negation
from gossamer.steps.text.words import Stem, plain_words

MAX_TOKENS = 300
REPEATS = 0.72
"""The share of a claim's words that stand in a sentence in the same order, from which on it is taken to repeat it."""
_HALF = 4
"""Words that a half of a stitched claim has at least."""
_JOINTS = 2
"""Words between the halves of a stitched claim that may be of neither."""
_PRONOUN_WORDS = """
it its he his him she her they them their this these that those er sie es ihr seine ihre il elle ils elles su sus ele
ela lui lei он она оно они его её их
"""
_PRONOUNS = frozenset(_PRONOUN_WORDS.split())
_HAN = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\u0e00-\u0eff"
_TOKEN = re.compile(rf"[{_HAN}]|[^\W_{_HAN}]+(?:['’][^\W_{_HAN}]+)?")


@dataclass(frozen=True, kw_only=True, slots=True)
class Wording:
    """How a claim repeats a sentence."""

    share: float
    """Of the claim's words."""
    changed: tuple[str, ...] = ()
    """Words of the claim that the sentence has not there, or lacks the claim by."""


def tokens(text: str) -> list[str]:
    """The words of a text as they are written, its first ones; characters where a script parts no words."""
    return _TOKEN.findall(text)[:MAX_TOKENS]


def compare(claim: str, sentence: str, stem: Stem, before: str = "") -> Wording:
    """Lay a claim beside a sentence, word for word; what stands `before` the sentence tells what its pronoun means."""
    ours, theirs = tokens(claim), tokens(sentence)
    our_stems, their_stems = ([stem(each.casefold()) for each in side] for side in (ours, theirs))
    matched = _common(our_stems, their_stems)
    share = len(matched) / max(1, len(ours))
    if share < REPEATS or not matched:
        return Wording(share=share)
    mine, its = {a for a, _ in matched}, {b for _, b in matched}
    there = set(their_stems)
    meant: set[str] = set()
    if any(word.casefold() in _PRONOUNS for place, word in enumerate(theirs) if place not in its):
        meant = {stem(word.casefold()) for word in _TOKEN.findall(before)}
    put_in = [
        word
        for place, word in enumerate(ours)
        if place not in mine
        and _says(word)
        and our_stems[place] not in meant
        and (our_stems[place] not in there or _decides(word))
    ]
    first, last = matched[0][1], matched[-1][1]
    left_out = [
        word
        for place, word in enumerate(theirs)
        if place not in its and first - 3 <= place <= last + 2 and _limits(word.casefold(), is_before=place < last)
    ]
    return Wording(share=share, changed=tuple(dict.fromkeys((*put_in, *left_out))))


def _decides(word: str) -> bool:
    """Whether it matters where in a sentence a word stands: a name, a number, a negation."""
    return word[:1].isupper() or word[0].isdigit() or is_negation(word.casefold())


def _limits(word: str, *, is_before: bool) -> bool:
    """Whether a sentence says something else without a word."""
    return is_negation(word) or (is_before and word in HEDGES)


def _says(word: str) -> bool:
    return bool(plain_words(word)) or is_negation(word.casefold()) or word.casefold() in HEDGES


def _common(ours: Sequence[str], theirs: Sequence[str]) -> list[tuple[int, int]]:
    """The longest run of words that both have in the same order, as pairs of places."""
    rows = [[0] * (len(theirs) + 1)]
    for word in ours:
        above, row = rows[-1], [0]
        for place, other in enumerate(theirs):
            row.append(above[place] + 1 if word == other else max(above[place + 1], row[-1]))
        rows.append(row)
    pairs: list[tuple[int, int]] = []
    a, b = len(ours), len(theirs)
    while a and b:
        if ours[a - 1] == theirs[b - 1] and rows[a][b] == rows[a - 1][b - 1] + 1:
            a, b = a - 1, b - 1
            pairs.append((a, b))
        elif rows[a - 1][b] >= rows[a][b - 1]:
            a -= 1
        else:
            b -= 1
    return pairs[::-1]


def stitched(claim: str, sentences: Sequence[str]) -> str:
    """The second half of a claim that is the beginning of one sentence and the end of another; empty: it is not."""
    ours = [each.casefold() for each in tokens(claim)]
    sides = [[each.casefold() for each in tokens(sentence)] for sentence in sentences]
    heads = [_run(ours, side) for side in sides]
    tails = [_run(ours[::-1], side[::-1]) for side in sides]
    if not sides or max(heads) >= len(ours) or max(tails) >= len(ours):
        return ""
    for head, size in enumerate(heads):
        for tail, length in enumerate(tails):
            is_whole = size >= len(sides[head]) or length >= len(sides[tail])
            if head == tail or is_whole or min(size, length) < _HALF or size + length < len(ours) - _JOINTS:
                continue
            return " ".join(tokens(claim)[min(size, len(ours) - length) :])
    return ""


def _run(ours: Sequence[str], side: Sequence[str]) -> int:
    """How many words from the beginning stand in a sentence in one piece."""
    best = 0
    for start, word in enumerate(side):
        if word != ours[0]:
            continue
        size = next((n for n in range(len(ours)) if start + n >= len(side) or side[start + n] != ours[n]), len(ours))
        best = max(best, size)
    return best
