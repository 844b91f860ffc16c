"""Features: what a statement shares with a question, and what kind of answer it holds; one row of numbers each."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from gossamer.model.page import Passage
from gossamer.steps.answers.question import Question
from gossamer.steps.answers.statements import Statement
from gossamer.steps.retrieval.index import LookUp
from gossamer.steps.text.words import Stem, plain_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

MAX_STATEMENTS = 480
_MAX_WORDS = 48
_STRANGER = 0.3
_ABSENT = 0.6
_NEAR = 0.5
_K1, _B = 1.2, 0.75

_NUMBER = re.compile(r"[0-9०-९٠-٩]+(?:[.,:][0-9]+)*")
_YEAR = re.compile(r"(?<![0-9])(?:1[0-9]{3}|20[0-9]{2})(?![0-9])")
_NAME = re.compile(r"(?<![.!?] )(?<!^)\b[A-ZÀ-ÞΑ-ΩА-Я][\w'’-]+")
_NUMBER_WORD = re.compile(
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|twenty|thirty|forty|fifty|hundred"
    r"|thousand|million|billion|half|third|quarter|once|twice|several|percent|per cent)\b|[%٪]"
    r"|[一二三四五六七八九十百千万兩两]",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december|century|centuries"
    r"|decade|decades|day|days|week|weeks|month|months|year|years|today|monday|tuesday|wednesday|thursday|friday"
    r"|saturday|sunday|bc|ad|bce|ce|spring|summer|autumn|winter|until|since|after|before|during)\b|年|月|日|世紀|世纪",
    re.IGNORECASE,
)
_CAUSE = re.compile(
    r"\b(?:because|due to|owing to|since|so that|in order to|therefore|thus|hence|as a result|result of|caused?|causes"
    r"|leads? to|led to|reasons?|purpose|to (?:avoid|prevent|ensure|allow|reduce|protect|keep|make)|for this)\b",
    re.IGNORECASE,
)
_MEANS = re.compile(
    r"\b(?:by \w+ing|using|use|used|uses|via|through|with the|set|add|run|call|specify|enable|disable|pass|create"
    r"|first|then|must|should|can)\b|`",
    re.IGNORECASE,
)
_DEFINES = re.compile(
    r"\b(?:is|are|was|were|means|refers to|is called|known as|defined as|stands for|describes)\b", re.IGNORECASE
)
_PLACE = re.compile(
    r"\b(?:in|at|near|from|of|to|into|across|on) (?:the )?[A-ZÀ-Þ]|\b(?:located|situated|north|south|east|west)\w*\b"
)
_DANGLES = re.compile(
    r"\W*(?:it|its|this|that|these|those|they|their|them|he|his|him|she|her|such|both|also|however|but|then|thus|another"
    r"|others?|moreover|furthermore|in addition|for example|for instance|therefore|and|or|so)\b",
    re.IGNORECASE,
)
_NEGATES = re.compile(r"\b(?:not|no|never|none|neither|nor|without|cannot|n't)\b|n't\b", re.IGNORECASE)
_SIGN = re.compile(r"[`=(){}\[\]_<>/\\|]")
_COMPARED = (
    "bm25_raw", "exact", "soft", "context_exact", "context_soft", "block_exact", "block_soft", "block_close",
    "passage_soft", "grade", "close", "pairs", "heaviest", "focus",
)  # fmt: skip
"""What is also compared with the other statements: how far from the best, and how far above all."""
_EVEN = 0.05
_KINDS = (
    "person", "time", "place", "number", "reason", "steps", "definition", "yes or no", "difference", "thing", "other",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class Rows:
    """Features by statement, their names in order, and what they were made of."""

    names: tuple[str, ...]
    values: "Floats"
    words: tuple[tuple[str, ...], ...]
    """The words of each statement."""
    cosines: "Floats"
    """How close statements are to one another's whole."""
    weights: "Floats"
    """Of the question's words."""
    near: "Floats"
    """By statement and word of the question, 0..1: how near anything in it comes."""
    context: "Floats"
    """The same with its headings and the statements beside it."""
    asked: tuple[str, ...]
    """The words of the question."""
    heavy: tuple[bool, ...]
    """Which words of the question are names or numbers: without them the question is another one."""


def features(
    question: Question,
    statements: Sequence[Statement],
    passages: Sequence[Passage],
    look_up: LookUp,
    stem: Stem,
) -> Rows:
    """One row for every statement, of which there is at least one.

    `look_up` gives the vectors of words and texts, `stem` what words are found by.
    """
    import numpy as np

    asked = tuple(dict.fromkeys(plain_words(question.about)))[:_MAX_WORDS]
    words = [tuple(plain_words(f"{each.lead} {each.text}" if each.lead else each.text)) for each in statements]
    heads = [tuple(plain_words(" ".join((each.title, *each.section)))) for each in passages]
    whole = [tuple(plain_words(each.shown)) for each in passages]
    distinct = list(dict.fromkeys(word for group in (*words, *heads, *whole, asked) for word in group))
    place = {word: number for number, word in enumerate(distinct)}
    rows = _rows([*distinct, *(each.text for each in statements), question.text, *asked], look_up)
    word_rows, rest = rows[: len(distinct)], rows[len(distinct) :]
    statement_rows, question_row = rest[: len(statements)], rest[len(statements)]
    asked_rows = rest[len(statements) + 1 :]
    stems = [stem(word) for word in distinct]
    asked_stems = [stem(word) for word in asked]
    similar = np.clip((word_rows @ asked_rows.T - _STRANGER) / (1 - _STRANGER), 0, 1)
    of_stem: dict[str, list[int]] = {}
    for row, stemmed in enumerate(stems):
        of_stem.setdefault(stemmed, []).append(row)
    exact = np.zeros_like(similar)
    for column, stemmed in enumerate(asked_stems):
        exact[of_stem.get(stemmed, []), column] = 1
    similar = np.maximum(similar, exact)

    def best(groups: Sequence[tuple[str, ...]], of: "Floats") -> "Floats":
        made = np.zeros((len(groups), len(asked)), np.float32)
        for row, group in enumerate(groups):
            if group and asked:
                made[row] = of[[place[word] for word in group]].max(axis=0)
        return made

    held, held_exact = best(words, similar), best(words, exact)
    head, head_exact = best(heads, similar), best(heads, exact)
    passage, passage_exact = best(whole, similar), best(whole, exact)
    of = np.array([each.passage for each in statements], np.intp)
    context = np.maximum(held, head[of])
    context_exact = np.maximum(held_exact, head_exact[of])
    for row, each in enumerate(statements):
        for other in (row - 1, row + 1):
            if 0 <= other < len(statements) and statements[other].passage == each.passage:
                context[row] = np.maximum(context[row], held[other])
                context_exact[row] = np.maximum(context_exact[row], held_exact[other])

    block_of = _blocks(statements)
    block = np.zeros((int(block_of.max()) + 1, len(asked)), np.float32)
    np.maximum.at(block, block_of, held)
    block_exact = np.zeros_like(block)
    np.maximum.at(block_exact, block_of, held_exact)
    block_rows = np.zeros((len(block), statement_rows.shape[1]), np.float32)
    np.add.at(block_rows, block_of, statement_rows)
    block_rows /= np.maximum(np.sqrt(np.einsum("ij,ij->i", block_rows, block_rows)), _EVEN)[:, None]

    count = len(statements)
    holders = held_exact.sum(axis=0)
    weights = np.log(1 + (count - holders + 0.5) / (holders + 0.5))
    weights = np.where(holders > 0, weights, _ABSENT * math.log(1 + (count + 0.5) / 0.5)).astype(np.float32)
    total = max(float(weights.sum()), 1e-6)

    sizes = np.array([len(group) for group in words], np.float32)
    mean_size = max(1.0, float(sizes.mean()))
    counts = np.zeros((count, len(asked)), np.float32)
    stem_of = dict(zip(distinct, stems, strict=True))
    columns_of: dict[str, list[int]] = {}
    for column, stemmed in enumerate(asked_stems):
        columns_of.setdefault(stemmed, []).append(column)
    for row, group in enumerate(words):
        for word in group:
            counts[row, columns_of.get(stem_of[word], [])] += 1
    bm25 = (weights * counts * (_K1 + 1) / (counts + (_K1 * (1 - _B + _B * sizes / mean_size))[:, None])).sum(axis=1)
    close = statement_rows @ question_row
    heaviest = np.argsort(-weights)[:3]

    own = frozenset(asked_stems)
    columns: dict[str, Floats | list[float]] = {
        "bm25": bm25 / max(1e-6, float(bm25.max(initial=0))),
        "bm25_raw": bm25 / total,
        "exact": held_exact @ weights / total,
        "soft": held @ weights / total,
        "context_exact": context_exact @ weights / total,
        "context_soft": context @ weights / total,
        "passage_exact": (passage_exact @ weights / total)[of],
        "passage_soft": (passage @ weights / total)[of],
        "block_soft": (block @ weights / total)[block_of],
        "block_exact": (block_exact @ weights / total)[block_of],
        "block_close": (block_rows @ question_row)[block_of],
        "head_soft": (head @ weights / total)[of],
        "head_exact": (head_exact @ weights / total)[of],
        "heaviest": held[:, heaviest].min(axis=1, initial=1),
        "heaviest_context": context[:, heaviest].min(axis=1, initial=1),
        "heaviest_passage": passage[:, heaviest].min(axis=1, initial=1)[of],
        "missing": _missing(context, weights),
        "missing_passage": _missing(passage, weights)[of],
        "close": close,
        "grade": _grades(statements, passages),
        "bm25_rank": _ranks(bm25),
        "soft_rank": _ranks(held @ weights),
        "close_rank": _ranks(close),
        "context_rank": _ranks(context @ weights),
        "beside": _beside(close, of),
        "pairs": [_pairs(asked_stems, group, stem_of) for group in words],
    }
    columns |= _forms(question, statements, passages, words, stem_of, own)
    columns["focus"] = _focus(question, asked, words, place, word_rows, asked_rows, own, stem_of)
    for name in _COMPARED:
        column = np.asarray(columns[name], np.float32)
        columns[f"{name}_gap"] = column - column.max(initial=-np.inf)
        columns[f"{name}_above"] = (column - column.mean()) / (column.std() + _EVEN)
    of_question = {"asked": len(asked), "statements": min(count, 60), "has_mark": "?" in question.text}
    columns |= {name: [float(value)] * count for name, value in of_question.items()}
    return Rows(
        names=tuple(columns),
        values=np.stack([np.asarray(column, np.float32) for column in columns.values()], axis=1),
        words=tuple(words),
        cosines=statement_rows @ statement_rows.T,
        weights=weights,
        near=held,
        context=context,
        asked=asked,
        heavy=_heavy(question.text, asked),
    )


def _rows(texts: Sequence[str], look_up: LookUp) -> "Floats":
    import numpy as np

    made = look_up(texts)
    return np.frombuffer(made.data, dtype="<f2").astype(np.float32).reshape(-1, made.dimension)


def _heavy(question: str, asked: Sequence[str]) -> tuple[bool, ...]:
    """Which of the words are written as names, or hold a digit."""
    names = {word.casefold() for word in _NAME.findall(question)}
    return tuple(word in names or any(map(str.isdigit, word)) for word in asked)


def _grades(statements: Sequence[Statement], passages: Sequence[Passage]) -> "Floats":
    """How well the reader found that the best part of each statement suits."""
    import numpy as np

    made = np.zeros(len(statements), np.float32)
    for number, each in enumerate(statements):
        parts = passages[each.passage].grades
        made[number] = max((grade for start, end, grade in parts if start < each.end and end > each.start), default=0.0)
    return made


def _blocks(statements: Sequence[Statement]) -> "NDArray[np.intp]":
    """The number of the paragraph, list or table that each stands in."""
    import numpy as np

    numbers: dict[tuple[int, int], int] = {}
    return np.array([numbers.setdefault((each.passage, each.block), len(numbers)) for each in statements], np.intp)


def _ranks(values: "Floats") -> "Floats":
    """One over the place in the order, best first."""
    import numpy as np

    order = np.argsort(-values, kind="stable")
    ranks = np.empty(len(values), np.float32)
    ranks[order] = 1 / (1 + np.arange(len(values), dtype=np.float32))
    return ranks


def _missing(near: "Floats", weights: "Floats") -> "Floats":
    """The share of the heaviest word that nothing comes near."""
    import numpy as np

    if not len(weights):
        return np.zeros(len(near), np.float32)
    return ((near < _NEAR) * weights).max(axis=1, initial=0) / max(1e-6, float(weights.max()))


def _beside(close: "Floats", of: "NDArray[np.intp]") -> "Floats":
    """How close the nearer neighbour is."""
    import numpy as np

    made = np.zeros(len(close), np.float32)
    for row in range(len(close)):
        sides = [close[n] for n in (row - 1, row + 1) if 0 <= n < len(close) and of[n] == of[row]]
        made[row] = max(sides, default=0.0)
    return made


def _pairs(asked: Sequence[str], words: Sequence[str], stem_of: dict[str, str]) -> float:
    """The share of neighbouring words of the question that stand near one another in the statement."""
    if len(asked) < 2:
        return 0.0
    places: dict[str, list[int]] = {}
    for at, word in enumerate(words):
        places.setdefault(stem_of[word], []).append(at)
    pairs = list(pairwise(asked))
    near = sum(
        any(abs(left - right) <= 2 for left in places.get(one, ()) for right in places.get(other, ()))
        for one, other in pairs
    )
    return near / len(pairs)


def _forms(
    question: Question,
    statements: Sequence[Statement],
    passages: Sequence[Passage],
    words: Sequence[tuple[str, ...]],
    stem_of: dict[str, str],
    own: frozenset[str],
) -> dict[str, "Floats | list[float]"]:
    """What a statement looks like, where it stands, and which kinds of answer it holds."""
    lowered = question.text.casefold()
    orders: dict[int, int] = {}
    pages = {url: number for number, url in enumerate(dict.fromkeys(each.url for each in passages))}
    columns: dict[str, list[float]] = {}

    def put(name: str, value: float) -> None:
        columns.setdefault(name, []).append(float(value))

    for each, group in zip(statements, words, strict=True):
        text = each.text
        nth = orders[each.passage] = orders.get(each.passage, -1) + 1
        where = passages[each.passage]
        numbers = [found for found in _NUMBER.findall(text) if found not in lowered]
        names = {found for found in _NAME.findall(text) if found.casefold() not in lowered}
        put("length", math.log1p(len(group)))
        put("nth", min(nth, 20))
        put("at", math.log1p(each.start))
        put("first", each.is_first)
        put("page", pages[where.url])
        put("passage", min(each.passage, 20))
        put("score", where.score)
        put("row", each.form == "row")
        put("item", each.form == "item")
        put("code", each.form == "code")
        put("dangles", _DANGLES.match(text) is not None)
        put("negates", (_NEGATES.search(text) is not None) - (_NEGATES.search(question.text) is not None))
        put("new", sum(stem_of[word] not in own for word in set(group)) / max(1, len(set(group))))
        put("numbers", min(4, len(numbers)))
        put("year", any(_YEAR.fullmatch(found) for found in numbers))
        put("number_words", _NUMBER_WORD.search(text) is not None)
        put("times", min(3, len(_TIME.findall(text))))
        put("names", min(6, len(names)))
        put("places", min(3, len(_PLACE.findall(text))))
        put("causes", min(2, len(_CAUSE.findall(text))))
        put("means", min(4, len(_MEANS.findall(text))))
        put("defines", _DEFINES.search(text[:120]) is not None)
        put("signs", min(12, len(_SIGN.findall(text))))
        put("quotes", min(2, text.count('"') + text.count("“") + text.count("(")))
        fits = {
            "person": len(names) > 0,
            "time": bool(numbers) or _TIME.search(text) is not None,
            "place": _PLACE.search(text) is not None or len(names) > 0,
            "number": bool(numbers) or _NUMBER_WORD.search(text) is not None,
            "reason": _CAUSE.search(text) is not None,
            "steps": _MEANS.search(text) is not None,
            "definition": _DEFINES.search(text[:120]) is not None,
        }.get(question.kind, 0.5)
        put("fits", fits)
        for kind in _KINDS:
            put(f"asks_{kind}", question.kind == kind)
    return dict(columns)


def _focus(
    question: Question,
    asked: Sequence[str],
    words: Sequence[tuple[str, ...]],
    place: dict[str, int],
    word_rows: "Floats",
    asked_rows: "Floats",
    own: frozenset[str],
    stem_of: dict[str, str],
) -> list[float]:
    """How near any new word comes to what the answer is one of."""
    numbers = [number for number, word in enumerate(asked) if word in question.focus]
    if not numbers:
        return [-1.0] * len(words)
    close = word_rows @ asked_rows[numbers].T
    made: list[float] = []
    for group in words:
        new = [place[word] for word in group if stem_of[word] not in own]
        made.append(float(close[new].max()) if new else 0.0)
    return made
