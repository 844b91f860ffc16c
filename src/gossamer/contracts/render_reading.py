"""Passages as text within a budget: each once, in order, under its page; the rest behind the cursor."""

from dataclasses import dataclass, field
from typing import Any

from gossamer.contracts.contract import Reply
from gossamer.contracts.frame import (
    Frame,
    failure_data,
    failure_lines,
    fit,
    lines,
    more,
    note_line,
    room,
    shortened,
    too_small,
)
from gossamer.errors import Outcome
from gossamer.model.answer import Reading
from gossamer.model.page import Page, Passage
from gossamer.steps.mark import iso_time
from gossamer.steps.plain import plain

_LEAST = 16
"""A slice of fewer tokens is not worth a call."""
_FRAGMENT = 40
"""Another passage is begun only where this many tokens of it can be shown."""


def reading_reply(reading: Reading, *, start: int, skip: int, with_metadata: bool, frame: Frame) -> Reply[None]:
    """The passages from `start` on between marks, by page; `skip` characters of the first were shown before."""
    sheet = _Sheet(reading=reading, with_metadata=with_metadata, frame=frame)
    notes = [*frame.notes, *reading.notes]
    tail = lines(failure_lines(reading.failures, frame.max_tokens), note_line(notes, frame.max_tokens))
    total = len(reading.passages)
    shown = sheet.fill(start, skip, room(frame.max_tokens, tail))
    if shown.at < total:
        way_on = more(frame.cursor_at(total, skip=999_999), f"passages left: {total}")
        shown = sheet.fill(start, skip, room(frame.max_tokens, tail, way_on))
    if start < total and not shown.blocks:
        raise too_small(frame.max_tokens - shown.left + _FRAGMENT)
    cursor = frame.cursor_at(shown.at, **({"skip": shown.skip} if shown.skip else {})) if shown.at < total else ""
    text = lines(
        "" if reading.passages else "No passage of these pages suits the question.",
        *(frame.marked("\n\n".join(b.parts), url=b.page.final_url, fetched_at=b.page.fetched_at) for b in shown.blocks),
        tail,
        more(cursor, f"passages left: {total - shown.at}") if cursor else "",
    )
    meta: dict[str, Any] = {
        "gossamer/pages": [
            {"url": page.url, "final_url": page.final_url, "title": page.title, "fetched": iso_time(page.fetched_at)}
            for page in reading.pages
        ],
        "gossamer/passages": [
            {"id": p.id[:16], "url": p.url, "start": p.start, "end": p.end, "score": round(p.score, 3)}
            for p in reading.passages[start : shown.at + (shown.skip > 0)]
        ],
        **({"gossamer/cursor": cursor} if cursor else {}),
        **({"gossamer/note": notes} if notes else {}),
        **({"gossamer/failures": failure_data(reading.failures)} if reading.failures else {}),
    }
    return Reply(text=text, data=None, outcome=Outcome.OK if reading.passages else Outcome.NO_MATCH, meta=meta)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Block:
    """Passages of one page that stand together."""

    page: Page
    parts: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, kw_only=True, slots=True)
class _Shown:
    """What fits, where to go on, and how many tokens were left for a passage that did not fit."""

    blocks: list[_Block]
    at: int
    skip: int
    left: int


@dataclass(frozen=True, kw_only=True, slots=True)
class _Sheet:
    """One reading, laid out."""

    reading: Reading
    with_metadata: bool
    frame: Frame

    def fill(self, start: int, skip: int, left: int) -> _Shown:
        """As many passages as fit into `left` tokens; the last may be cut."""
        pages = {page.url: page for page in self.reading.pages}
        blocks: list[_Block] = []
        for at in range(start, len(self.reading.passages)):
            passage = self.reading.passages[at]
            page = pages[passage.url]
            is_new = not blocks or blocks[-1].page is not page
            opening = self.frame.marked("", url=page.final_url, fetched_at=page.fetched_at) if is_new else ""
            label = self._label(at, passage, is_rest=skip > 0)
            left = room(left, opening, label)
            if left < (_FRAGMENT if blocks else _LEAST):
                return _Shown(blocks=blocks, at=at, skip=skip, left=left)
            if is_new:
                blocks.append(_Block(page=page))
            end = fit(passage.text, skip, left, len(passage.text))
            piece = passage.text[skip:end]
            blocks[-1].parts.append(f"{label}\n{piece}")
            left = room(left, piece)
            if end < len(passage.text):
                return _Shown(blocks=blocks, at=at, skip=end, left=left)
            skip = 0
        return _Shown(blocks=blocks, at=len(self.reading.passages), skip=0, left=left)

    def _label(self, at: int, passage: Passage, *, is_rest: bool) -> str:
        queries = list(dict.fromkeys(one.query for one in self.reading.passages))
        label = f"[{at + 1}]"
        if len(queries) > 1:
            label += f" (query {queries.index(passage.query) + 1})"
        if is_rest:
            label += " (continued)"
        if self.with_metadata:
            names = dict.fromkeys(plain(name, max_chars=80) for name in (passage.title, *passage.section))
            label += f" (score {passage.score:.2f}) {' > '.join(name for name in names if name)}"
        return shortened(label, max(24, self.frame.max_tokens // 8))
