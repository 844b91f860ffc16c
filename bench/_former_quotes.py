"""The answerer before statements were judged by what they answer, to be measured beside the present one."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log

from gossamer.model.page import Passage
from gossamer.steps.text.segmentation import sentences
from gossamer.steps.text.words import words

_MOST = 6
_SHORTEST_BYTES = 20
"""In UTF-8: a sentence of Chinese or Japanese says in ten characters what takes thirty letters."""
_LONGEST_CHARS = 600
_HALF = 0.5
_FENCE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)", re.MULTILINE | re.DOTALL)
_LINE = re.compile(
    r"^(?P<indent>[ \t]*+)(?P<sign>\#{1,6}[ ]|\||[-*+][ ]|\d{1,9}[.)][ ]|>[ ])?(?P<text>\S.*)$", re.MULTILINE
)
_CODE_INDENT = 4


@dataclass(frozen=True, kw_only=True, slots=True)
class _Candidate:
    text: str
    score: float
    place: tuple[int, int]


def former(question: str, passages: Sequence[Passage]) -> list[str]:
    """The sentences with most of the question's words; those that say less than half as much are left out."""
    ranked = sorted(_candidates(question, passages), key=lambda candidate: (-candidate.score, candidate.place))
    chosen: dict[str, str] = {}
    for candidate in ranked:
        if candidate.score >= ranked[0].score * _HALF and len(chosen) < _MOST:
            chosen.setdefault(" ".join(words(candidate.text)), candidate.text)
    return [*chosen.values()]


def _candidates(question: str, passages: Sequence[Passage]) -> list[_Candidate]:
    """Every quotable span, scored by the words it shares with the question, rare ones most, and by its passage."""
    spans = [
        (number, start, passage, passage.text[start:end])
        for number, passage in enumerate(passages)
        for start, end in _quotable(passage.text)
    ]
    span_words = [set(words(text)) for *_, text in spans]
    wanted = {
        word: log(1 + len(span_words) / (1 + sum(word in held for held in span_words))) for word in words(question)
    }
    total = sum(wanted.values()) or 1.0
    best = max((passage.score for passage in passages), default=0.0) or 1.0
    return [
        _Candidate(
            text=text,
            score=sum(wanted.get(word, 0.0) for word in shared) / total + passage.score / best / 2,
            place=(number, start),
        )
        for (number, start, passage, text), shared in zip(spans, span_words, strict=True)
    ]


def _quotable(text: str) -> Iterator[tuple[int, int]]:
    """Spans that can stand alone: sentences and table rows; no headings, no code, nothing without a letter."""
    code = [match.span() for match in _FENCE.finditer(text)]
    for line in _LINE.finditer(text):
        if any(start <= line.start() < end for start, end in code):
            continue
        match (line["sign"] or "").strip():
            case "|":
                spans = [(line.start("sign"), line.end())]
            case "" if len(line["indent"].expandtabs(_CODE_INDENT)) >= _CODE_INDENT:
                spans = []
            case sign if sign.startswith("#"):
                spans = []
            case _:
                spans = sentences(text, line.start("text"), line.end("text"))
        yield from (span for span in spans if _says_something(text[span[0] : span[1]]))


def _says_something(text: str) -> bool:
    is_long = len(text.encode("utf-8", "surrogatepass")) >= _SHORTEST_BYTES
    return is_long and len(text) <= _LONGEST_CHARS and any(map(str.isalpha, text))
