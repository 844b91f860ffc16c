"""The verdict on a claim: supported, partly, or not, and what of it the cited text does not state."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from gossamer.model.page import Passage
from gossamer.model.verification import Verdict
from gossamer.ports import LanguageMix
from gossamer.steps.retrieval.index import LookUp
from gossamer.steps.support.alignment import Alignment, Span, align, beside, spans
from gossamer.steps.support.logic_words import OPPOSITES, negations, unstated
from gossamer.steps.support.numbers_and_dates import facts, states
from gossamer.steps.support.weights import BIAS, NOT_BELOW, OTHERS_PARTLY_BELOW, PARTLY_BELOW, WEIGHTS
from gossamer.steps.support.wording import REPEATS, compare, stitched
from gossamer.steps.text.segmentation import sentences
from gossamer.steps.text.words import Stem, plain_words, stemmer

MOST_MISSING = 8
_QUOTES = 3
_NAME = re.compile(r"(?<![\w'’])[A-ZÀ-ÖØ-ÞΑ-ΩА-ЯЁ][\w'’-]*")
_RUN = re.compile(r"(?:[A-Z][\w-]{0,40}\s){1,5}[A-Z][\w-]{0,40}")
_MOST_CHARS = 400_000
_SAME = 0.5
"""From here on, a sentence says so much of a claim that a negation in one of them alone turns it round."""
_NEARLY = 0.45
"""A word of the claim that nothing comes nearer to is named as missing."""
_REFUTED = 0.3
"""How much of its score a claim keeps that a sentence nearly repeats and contradicts."""
_FOREIGN_FAR, _FOREIGN_NEAR = 0.35, 0.62
"""Between two languages: how close a claim is to a sentence that says something else, and to one that says it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Judged:
    """How a claim stands to a text."""

    verdict: Verdict
    score: float
    """How well the text supports it, 0..1."""
    missing: tuple[str, ...]
    """Words of the claim that the text does not bear out; a negation or a limit that the claim leaves out."""
    spans: tuple[Span, ...]
    """The sentences that say most of it, the best first."""


class _Ground:
    """A text by what it states: its facts and its words."""

    def __init__(self, text: str, stem: Stem) -> None:
        self.stem = stem
        self._facts = facts(text)
        self._words = {stem(word) for word in plain_words(text)}
        self._initials = {"".join(word[0] for word in run[0].split()).casefold() for run in _RUN.finditer(text)}

    def lacks_facts(self, claim: str) -> list[str]:
        """The numbers and dates of the claim that it does not state."""
        return [fact.text for fact in facts(claim) if not states(self._facts, fact)]

    def lacks_names(self, claim: str, aligned: Alignment | None = None) -> list[str]:
        """The names of the claim that are not whole in it; the first word is one only where nothing aligned is near."""
        near = dict(zip(aligned.words, aligned.near.tolist(), strict=True)) if aligned else {}
        made: list[str] = []
        for match in _NAME.finditer(claim):
            absent = [word for word in plain_words(match[0]) if self.stem(word) not in self._words | self._initials]
            is_first = not claim[: match.start()].strip(" \"'“‘«([")
            if absent and (not is_first or (aligned and all(near.get(word, 0.0) < _NEARLY for word in absent))):
                made.append(match[0])
        return made


def judge(
    claim: str, passages: Sequence[Passage], look_up: LookUp, mix: LanguageMix, whole: Sequence[str] = ()
) -> Judged:
    """Judge a claim, sentence by sentence, by passages of what it cites; it is as good as its weakest sentence.

    `whole` is the text that the passages are from, where there is more of it.
    """
    told = spans(passages)
    parts = [claim[start:end] for start, end in sentences(claim)]
    if not told or not parts:
        return Judged(verdict="not_supported", score=0.0, missing=(), spans=())
    heads = [" ".join((passage.title, *passage.section)) for passage in passages]
    page = _Ground("\n".join((*heads, *(whole or [passage.text for passage in passages])))[:_MOST_CHARS], stemmer(mix))
    judged = [_judge(part, told, heads, page, look_up, mix) for part in parts]
    verdicts = {each.verdict for each in judged}
    verdict: Verdict = judged[0].verdict if len(verdicts) == 1 else "partly"
    return Judged(
        verdict=verdict,
        score=min(each.score for each in judged),
        missing=tuple(dict.fromkeys(word for each in judged for word in each.missing))[:MOST_MISSING],
        spans=tuple(dict.fromkeys(span for each in judged for span in each.spans)),
    )


def _judge(
    claim: str, told: Sequence[Span], heads: Sequence[str], page: _Ground, look_up: LookUp, mix: LanguageMix
) -> Judged:
    stem = page.stem
    aligned = align(claim, told, heads, look_up, mix)
    best = aligned.chosen[0]
    candidates = sorted({*aligned.chosen[:3], *aligned.closest})
    wordings = {n: compare(claim, told[n].text, stem, beside(told, n, heads)) for n in candidates}
    nearest = max(wordings, key=lambda n: (wordings[n].share, -len(wordings[n].changed)))
    repeated = wordings[nearest].share >= REPEATS
    ground = [nearest] if repeated else list(aligned.around)
    above = sorted({heads[told[n].passage] for n in ground})
    text = "\n".join((*(told[n].text for n in ground), *above))
    near = _Ground(text, stem)
    foreign = mix == "mixed"
    is_other_script = foreign and not _shares_letters(claim, text)
    unstated_facts = near.lacks_facts(claim)
    unstated_names = [] if is_other_script else near.lacks_names(claim, aligned)
    base = told[nearest if repeated else best].text
    changed = list(wordings[nearest].changed) if repeated else []
    turned = [] if repeated else _turned(claim, base, aligned.single, is_close=foreign)
    opposed = [] if foreign else _opposed(claim, base, stem, is_close=aligned.single >= _SAME)
    limits = [] if foreign else unstated(claim, text)
    half = "" if repeated or foreign else stitched(claim, [each.text for each in told])
    hard: list[str] = list(dict.fromkeys([*unstated_facts, *turned, *changed, *opposed, *filter(None, [half])]))
    numbers = len(page.lacks_facts(claim))
    names = 0 if is_other_script else len(page.lacks_names(claim))
    score = _score(aligned, numbers=numbers, names=names, is_foreign=foreign)
    if hard and (repeated or half):
        score *= _REFUTED
    elif repeated and not unstated_names:
        score = max(score, wordings[nearest].share)
    missing: list[str] = [*hard, *unstated_names, *limits]
    verdict: Verdict = "supported"
    if score < NOT_BELOW and not repeated:
        verdict = "not_supported"
    elif missing or score < (PARTLY_BELOW if mix == "english" else OTHERS_PARTLY_BELOW):
        verdict = "partly"
    if verdict != "supported" and not missing:
        missing = [word for word, near in zip(aligned.words, aligned.near.tolist(), strict=True) if near < _NEARLY]
    chosen = [nearest, *(n for n in aligned.chosen if n != nearest)] if repeated else list(aligned.chosen)
    return Judged(
        verdict=verdict,
        score=round(min(1.0, max(0.0, score)), 4),
        missing=_named(missing),
        spans=tuple(told[n] for n in chosen[:_QUOTES]),
    )


def _named(missing: Sequence[str]) -> tuple[str, ...]:
    """What is missing, each once: `6` goes without saying beside `6 euros`."""
    parts = dict.fromkeys(part.strip(" .,;:!?") for part in missing)
    return tuple(part for part in parts if not any(part != other and f" {part} " in f" {other} " for other in parts))[
        :MOST_MISSING
    ]


def _score(aligned: Alignment, *, numbers: int, names: int, is_foreign: bool) -> float:
    """How likely the text supports the claim: what was learnt from claims that people judged."""
    if is_foreign:
        close = (aligned.close - _FOREIGN_FAR) / (_FOREIGN_NEAR - _FOREIGN_FAR)
        return min(1.0, max(0.0, close)) * 0.6 ** (numbers + names)
    row = {"gathered": aligned.gathered, "numbers": numbers, "names": names}
    return 1 / (1 + math.exp(-BIAS - sum(weight * row[name] for name, weight in WEIGHTS.items())))


def _shares_letters(claim: str, text: str) -> bool:
    return claim.isascii() == text.isascii() or any("a" <= char <= "z" for char in text.casefold())


def _turned(claim: str, sentence: str, single: float, *, is_close: bool) -> list[str]:
    """A negation that only one of the two has, where they speak of the same."""
    ours, theirs = negations(claim), negations(sentence)
    if ours and not theirs:
        return ["not"]
    return ["not"] if is_close and theirs > ours and single >= _SAME else []


def _opposed(claim: str, sentence: str, stem: Stem, *, is_close: bool) -> list[str]:
    """Words of the claim whose opposite stands in the sentence in their place."""
    if not is_close:
        return []
    there = set(re.findall(r"[a-z]+", sentence.casefold()))
    stems = {stem(word) for word in there}
    claimed = set(re.findall(r"[a-z]+", claim.casefold()))
    return sorted(
        word
        for word in claimed
        if word in OPPOSITES and stem(word) not in stems and (OPPOSITES[word] & there) - claimed
    )
