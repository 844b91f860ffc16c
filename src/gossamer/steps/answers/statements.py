"""Statements: the spans of passages that can be told as an answer; no heading, question, label or bare word is one."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from gossamer.model.page import Passage
from gossamer.steps.text.index_text import says_something
from gossamer.steps.text.segmentation import Block, blocks, phrases, text_lines

Form = Literal["sentence", "item", "row", "code"]

_LONGEST_CHARS = 800
_CODE_LINES = 16
_LONGEST_LABEL_CHARS = 160
_FEWEST_BYTES = 12
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+")
_QUOTE_MARK = re.compile(r"(?:[ \t]*>)+[ \t]?")
_ENDED = re.compile(r"[.!…。！｡۔।॥։។៕;；][\"')\]}”’»」』）】〉》*_`]*\Z")
_ASKS = re.compile(r"[?？؟][\"')\]}”’»」』）】〉》*_`]*\Z")
_ANNOUNCES = re.compile(r"[:：][*_`\"')]*\Z")
_LABEL = re.compile(r"(?:\*\*|__|`)[^\n]*")
_RULE = re.compile(r"[ \t:|]*-[ \t:|-]*")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_PHRASED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
"""Scripts that write many letters' worth in one, or mark no end of a sentence."""
_WORD = re.compile(r"[^\W_]+")
_FEWEST_WORDS = 4
_INDENT = 4
_HIDDEN = re.compile(r"\\(?=[\\`*_{}\[\]()#+.!<>|-])")


@dataclass(frozen=True, kw_only=True, slots=True)
class Statement:
    """An exact span of a page that can be told: `page.text[start:end] == text`."""

    passage: int
    """The number of the passage it stands in."""
    start: int
    end: int
    text: str
    form: Form
    lead: str = ""
    """What it cannot be understood without: the header of its table."""
    block: int = 0
    """Counts the blocks of the passage: sentences of one paragraph share a number."""
    is_first: bool = False
    """Whether it begins its block."""


def statements(passages: Sequence[Passage]) -> list[Statement]:
    """Every statement of the passages, in order, each span of a page once."""
    seen: set[tuple[str, int, int]] = set()
    made: list[Statement] = []
    for number, passage in enumerate(passages):
        for statement in _of_passage(number, passage):
            span = (passage.url, statement.start, statement.end)
            if span not in seen:
                seen.add(span)
                made.append(statement)
    return made


def _of_passage(number: int, passage: Passage) -> Iterator[Statement]:
    text = passage.text
    opening = _FENCE.match(passage.lead)
    label: Block | None = None
    header = "" if opening else passage.lead
    for count, block in enumerate(blocks(text, opening[1] if opening else "")):
        spans: list[tuple[int, int, Form, str]] = []
        match block.kind:
            case "heading":
                label = None
                continue
            case "fence":
                first = label.start if label else block.start
                spans = [(first, block.end, "code", "")] if _is_told_code(text, first, block) else []
            case "table":
                rows, header = _rows(text, block, header if count == 0 else "")
                spans = [(start, end, "row", header) for start, end in rows]
            case _:
                if _is_label(text[block.start : block.end]):
                    label = Block(block.kind, label.start if label else block.start, block.end, "")
                    if block.end - label.start > _LONGEST_LABEL_CHARS:
                        label = block if block.end - block.start <= _LONGEST_LABEL_CHARS else None
                    continue
                spans = list(_sentences(text, block, label))
        label = None
        for start, end, form, lead in spans:
            if _is_told(text[start:end], form):
                yield Statement(
                    passage=number,
                    start=passage.start + start,
                    end=passage.start + end,
                    text=text[start:end],
                    form=form,
                    lead=lead,
                    block=count,
                    is_first=start <= block.start + 6,
                )


def _sentences(text: str, block: Block, label: Block | None) -> Iterator[tuple[int, int, Form, str]]:
    """The sentences of a paragraph or an item; a label above it comes with the first."""
    form: Form = "item" if block.kind == "item" else "sentence"
    for count, (first, end) in enumerate(phrases(text, block.start, block.end)):
        start = label.start if label and count == 0 else first
        marker = (_ITEM if count == 0 else _QUOTE_MARK).match(text, start, end) or _QUOTE_MARK.match(text, start, end)
        yield marker.end() if marker else start, end, form, ""


def _rows(text: str, block: Block, header: str) -> tuple[list[tuple[int, int]], str]:
    lines = list(text_lines(text, block.start, block.end))
    if len(lines) > 1 and _RULE.fullmatch(text, *lines[1]):
        head = text[slice(*lines[0])]
        if says_something(head):
            return lines[2:], head
        return lines[2:], ""
    return [line for line in lines if not _RULE.fullmatch(text, *line)], header.partition("\n")[0]


def _is_label(text: str) -> bool:
    """Whether a block only announces what follows: it ends in a colon, or is a bold or coded name without an end."""
    if len(text) > _LONGEST_LABEL_CHARS:
        return False
    return _ANNOUNCES.search(text) is not None or (_LABEL.match(text) is not None and not _ENDED.search(text))


def _is_told_code(text: str, start: int, block: Block) -> bool:
    """Whether code is whole and short, with what announces it."""
    is_whole = not block.fence and _FENCE.match(text, block.start, block.end) is not None
    is_short = block.end - start <= _LONGEST_CHARS and text.count("\n", start, block.end) <= _CODE_LINES
    return is_whole and is_short


def _is_told(text: str, form: Form) -> bool:
    """Whether a span says something by itself."""
    if len(text) > _LONGEST_CHARS or not any(map(str.isalpha, text)):
        return False
    if form in {"row", "code"}:
        return says_something(text)
    if len(text.encode("utf-8", "surrogatepass")) < _FEWEST_BYTES or len(text) > _LONGEST_CHARS:
        return False
    if _ASKS.search(text):
        return False
    if _PHRASED.search(text) or _ENDED.search(text):
        return True
    return len(_WORD.findall(text)) >= _FEWEST_WORDS + (form == "sentence") and not text.isupper()
