"""Alignment: what of a claim stands in the sentences of the cited text, word by word, and how near the rest comes."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from gossamer.model.page import Passage
from gossamer.ports import LanguageMix
from gossamer.steps.retrieval.index import LookUp
from gossamer.steps.text.segmentation import blocks, phrases, text_lines
from gossamer.steps.text.words import plain_words, stemmer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

MAX_SENTENCES = 400
MAX_WORDS = 160
_STRANGERS: dict[LanguageMix, float] = {"english": 0.2, "other": 0.55, "mixed": 0.2}
"""How close words are by chance that have nothing to do with one another, by the table for these languages."""
_BEGINNING = 5
"""Letters that two forms of one word have in common, where their endings are not the same."""
_CHOSEN = 6
"""Sentences that together have to say what is claimed."""
_GAIN = 0.02
"""What a further sentence has to add to be one of them, as a share of the claim."""
_AROUND = 0.8
"""What a word counts that stands in the sentences beside the chosen ones, or in the headings above."""
_DECAY = 0.93
"""What is left of a word's share with each sentence that lies between it and the others."""
_CLOSEST = 2


@dataclass(frozen=True, kw_only=True, slots=True)
class Span:
    """A sentence, row or line of a passage: `page.text[start:end] == text`."""

    passage: int
    source: int
    """The number of its page."""
    start: int
    end: int
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Alignment:
    """A claim beside the sentences that come nearest to it."""

    words: tuple[str, ...]
    """The claim's words that say something, each once."""
    near: "Floats"
    """How near each comes in the chosen sentences and round them, 0..1."""
    chosen: tuple[int, ...]
    """The sentences that say most of the claim, the best first."""
    around: tuple[int, ...]
    """Those right beside them, and themselves."""
    closest: tuple[int, ...]
    """Those whose whole is closest to the claim's, by their vectors."""
    single: float
    """How much of the claim the best sentence says alone."""
    close: float
    """How close the closest sentence is."""
    gathered: float
    """How much of the claim stands together somewhere, what is further apart counting less."""


def spans(passages: Sequence[Passage]) -> list[Span]:
    """The sentences of the passages, a row of a table and a line of code each as one, headings left out."""
    made: list[Span] = []
    sources: dict[str, int] = {}
    for number, passage in enumerate(passages):
        for block in blocks(passage.text):
            if block.kind == "heading":
                continue
            cut = phrases if block.kind in {"text", "item"} else text_lines
            for start, end in cut(passage.text, block.start, block.end):
                made.append(
                    Span(
                        passage=number,
                        source=sources.setdefault(passage.url, len(sources)),
                        start=passage.start + start,
                        end=passage.start + end,
                        text=passage.text[start:end],
                    )
                )
    return sorted(made[:MAX_SENTENCES], key=lambda span: (span.source, span.start))


def beside(told: Sequence[Span], place: int, heads: Sequence[str]) -> str:
    """What stands right before a sentence in its passage, and above it."""
    span = told[place]
    before = told[place - 1].text if place and told[place - 1].passage == span.passage else ""
    return f"{heads[span.passage]}\n{before}"


def align(claim: str, told: Sequence[Span], heads: Sequence[str], look_up: LookUp, mix: LanguageMix) -> Alignment:
    """Compare a claim with at least one sentence; `heads` are the titles and headings above each passage."""
    import numpy as np

    stem, stranger = stemmer(mix), _STRANGERS[mix]
    words = tuple(dict.fromkeys(plain_words(claim)))[:MAX_WORDS] or (claim.strip().casefold(),)
    groups = [plain_words(each.text) for each in told]
    head_groups = [plain_words(head) for head in heads]
    distinct = list(dict.fromkeys(word for group in (*groups, *head_groups) for word in group))
    data = look_up([*distinct, *words, claim, *(each.text for each in told)])
    rows = np.frombuffer(data.data, dtype="<f2").reshape(-1, data.dimension).astype(np.float32)
    known, rest = rows[: len(distinct)], rows[len(distinct) :]
    claimed, claim_row, told_rows = rest[: len(words)], rest[len(words)], rest[len(words) + 1 :]

    similar = np.clip((known @ claimed.T - stranger) / (1 - stranger), 0, 1)
    for column, word in enumerate(words):
        same = {stem(word), word[:_BEGINNING]} if word.isalpha() and len(word) >= _BEGINNING else {stem(word)}
        similar[
            [n for n, other in enumerate(distinct) if stem(other) in same or other[:_BEGINNING] in same], column
        ] = 1
    place = {word: number for number, word in enumerate(distinct)}

    def best(group: Sequence[str]) -> "Floats":
        return similar[[place[word] for word in group]].max(axis=0) if group else np.zeros(len(words), np.float32)

    held = np.stack([best(group) for group in groups])
    head = np.stack([best(group) for group in head_groups])[[each.passage for each in told]]
    weights = np.array([_weight(word) for word in words], np.float32)
    weights /= weights.sum()
    single, close = held @ weights, told_rows @ claim_row
    chosen = _chosen(held, weights, single + _AROUND * close)
    around = _around(chosen, told)
    near = np.maximum(held[around].max(axis=0), head[chosen].max(axis=0))
    return Alignment(
        words=words,
        near=np.maximum(held[chosen].max(axis=0), _AROUND * near),
        chosen=tuple(chosen),
        around=tuple(around),
        closest=tuple(np.argsort(-close)[:_CLOSEST].tolist()),
        single=float(single.max()),
        close=float(close.max()),
        gathered=float((_spread(held, told) @ weights).max()),
    )


def _spread(held: "Floats", told: Sequence[Span]) -> "Floats":
    """How near each word comes in a sentence, or with a loss in those before and after it on the same page."""
    import numpy as np

    def carried(order: Sequence[int]) -> "Floats":
        made = held.copy()
        for before, at in pairwise(order):
            if told[before].source == told[at].source:
                made[at] = np.maximum(made[at], _DECAY * made[before])
        return made

    order = range(len(held))
    return np.maximum(carried(order), carried(order[::-1]))


def _weight(word: str) -> float:
    return 1.0 if any(map(str.isdigit, word)) or not word.isascii() else min(1.0, 0.4 + 0.1 * len(word))


def _chosen(held: "Floats", weights: "Floats", score: "Floats") -> list[int]:
    """The best sentence, then those that add most of what is still missing."""
    import numpy as np

    chosen = [int(score.argmax())]
    have = held[chosen[0]]
    while len(chosen) < _CHOSEN:
        gains = np.maximum(held - have, 0) @ weights
        gain = int(gains.argmax())
        if gains[gain] < _GAIN:
            break
        chosen.append(gain)
        have = np.maximum(have, held[gain])
    return chosen


def _around(chosen: Sequence[int], told: Sequence[Span]) -> list[int]:
    """The chosen sentences and those beside them in the same passage, in order."""
    beside = {n + step for n in chosen for step in (-1, 0, 1) if 0 <= n + step < len(told)}
    return sorted(n for n in beside if any(abs(n - c) <= 1 and told[n].passage == told[c].passage for c in chosen))
