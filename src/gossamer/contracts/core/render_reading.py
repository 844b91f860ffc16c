"""Passages as text within a budget: each once, numbered, under its page; the rest behind the cursor."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from gossamer.contracts.contract import Reply
from gossamer.contracts.render.envelope import (
    SEAM,
    Envelope,
    failure_data,
    failure_lines,
    fit,
    inert,
    lines,
    more,
    note_line,
    room,
    shortened,
    too_small,
)
from gossamer.model.answer import Reading
from gossamer.model.page import Page, Passage
from gossamer.steps.retrieval.cite import escape_citations, escape_labels
from gossamer.steps.retrieval.passage_context import closing, has_unrepeated_code
from gossamer.steps.retrieval.scores import is_far
from gossamer.steps.text.clean_line import plain
from gossamer.steps.text.link_targets import place_in_text, with_targets
from gossamer.steps.text.untrusted_markers import iso_time
from gossamer.steps.tokens.count import count, roughly
from gossamer.steps.web.freshness import age_of

FAR = "Nothing here seems to answer; these passages come closest."
_LEAST = 16
"""A slice of fewer tokens is not worth a call."""
_FRAGMENT = 40
"""Another passage is begun only where this many tokens of it, or a twentieth of the budget, can be shown."""


def reading_reply(
    reading: Reading, *, start: int, skip: int, with_metadata: bool, frame: Envelope, with_links: bool = False
) -> Reply[None]:
    """The passages from `start` on between marks, by page; `skip` characters of the first were shown before."""
    reading = _with_inert_code(reading_with_links(reading) if with_links else reading)
    layout = _ReadingLayout(
        reading=reading, with_metadata=with_metadata, frame=frame, with_links=with_links, is_first=not (start or skip)
    )
    total = len(reading.passages)
    shown = layout.shown(start, skip)
    if start < total and not shown.blocks:
        raise too_small(frame.max_tokens - shown.left + _FRAGMENT)
    cursor = layout.cursor(shown)
    text = lines("" if reading.passages else "No passage of these pages suits the question.", layout.laid_out(shown))
    notes = list(dict.fromkeys(layout.notes))
    meta: dict[str, Any] = {
        "gossamer/pages": [
            {
                "url": page.url,
                "final_url": page.final_url,
                "title": page.title,
                "fetched": iso_time(page.fetched_at),
                "age_s": age_of(page.fetched_at, now=frame.now),
            }
            for page in reading.pages
        ],
        "gossamer/passages": [
            {"id": p.id[:16], "url": p.url, "start": p.start, "end": p.end, "score": round(p.score, 3)}
            for p in shown.spans
        ],
        **({"gossamer/cursor": cursor} if cursor else {}),
        **({"gossamer/note": notes} if notes else {}),
        **({"gossamer/failures": failure_data(reading.failures)} if reading.failures else {}),
    }
    return Reply(text=text, data=None, outcome=reading.outcome, meta=meta)


def room_for(reading: Reading, *, with_metadata: bool, frame: Envelope, with_links: bool = False) -> int:
    """How much text of passages the first batch may hold so that every passage of it is shown whole."""
    shown = reading_with_links(reading) if with_links else reading
    layout = _ReadingLayout(reading=shown, with_metadata=with_metadata, frame=frame)
    together = [passage for passage in shown.passages if not passage.batch]
    if layout.shown(0, 0).at >= len(together):
        return frame.max_tokens
    size = _tokens(together)
    left = size + room(frame.max_tokens, layout.whole(len(together)))
    # Passages are chosen by their text; what is written into it takes as much of the room as it does here.
    return (
        left * _tokens([passage for passage in reading.passages if not passage.batch]) // size if with_links else left
    )


def _tokens(passages: Sequence[Passage]) -> int:
    return sum(roughly(passage.text) + roughly(passage.lead) + roughly(passage.tail) for passage in passages)


def reading_with_links(reading: Reading) -> Reading:
    """The same where the text of passages has the targets of its links; their spans are those of the text without."""
    targets = {page.url: page.targets for page in reading.pages if page.targets}
    texts = {page.url: page.text for page in reading.pages}
    passages = (
        replace(p, text=with_targets(texts[p.url], spans, p.start, p.end)) if (spans := targets.get(p.url)) else p
        for p in reading.passages
    )
    return replace(reading, passages=tuple(passages))


def _with_inert_code(reading: Reading) -> Reading:
    """The same where passages that may begin within code, and cannot show its fence, show no picture or tag."""
    risky = {page.url for page in reading.pages if has_unrepeated_code(page.text)}
    if not risky:
        return reading
    passages = (replace(p, text=inert(p.text)) if p.url in risky else p for p in reading.passages)
    return replace(reading, passages=tuple(passages))


@dataclass(frozen=True, kw_only=True, slots=True)
class _PageBlock:
    """Passages of one page that stand together."""

    page: Page
    parts: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Shown:
    """What fits, where to go on, and how many tokens were left for the passage that was looked at last."""

    blocks: tuple[_PageBlock, ...]
    at: int
    skip: int
    left: int
    spans: tuple[Passage, ...]
    """Exactly what is shown of each passage."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _ReadingLayout:
    """One reading, laid out."""

    reading: Reading
    with_metadata: bool
    frame: Envelope
    with_links: bool = False
    """Whether passages have the targets of their links in their text."""
    is_first: bool = True
    seam: int = SEAM

    def marked(self, blocks: tuple[_PageBlock, ...]) -> str:
        """The blocks between marks."""
        return lines(
            *(
                self.frame.marked("\n\n".join(block.parts), url=block.page.final_url, fetched_at=block.page.fetched_at)
                for block in blocks
            )
        )

    @property
    def tail(self) -> str:
        """What is said below the passages."""
        budget = self.frame.max_tokens
        return lines(failure_lines(self.reading.failures, budget), note_line(self.notes, budget))

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reader should know; in the first reply also that nothing seems to answer, and what was not read."""
        far = is_far([passage.score for passage in self.reading.passages], self.reading.ranking.model)
        is_missed = self.is_first and (far or not self.reading.passages)
        unread = _unread(self.reading.pages) if is_missed else ()
        return (*self.frame.notes, *self.reading.notes, *([FAR] if far and self.is_first else []), *unread)

    def way_on(self, **arguments: int) -> str:
        """The widest line that leads to the rest."""
        total = len(self.reading.passages)
        return more(self.frame.cursor_at(total, **arguments), _left(total))

    def shown(self, start: int, skip: int) -> _Shown:
        """As many passages as fit above the tail, and above the way on if they are not all.

        Counted as a whole, they mostly fit without what parts that are counted apart have in reserve.
        """
        shown = replace(self, seam=0).filled(start, skip)
        return shown if count(self.laid_out(shown)) <= self.frame.max_tokens else self.filled(start, skip)

    def cursor(self, shown: _Shown) -> str:
        """The way to what is not shown; empty where there is nothing."""
        if shown.at == len(self.reading.passages):
            return ""
        return self.frame.cursor_at(shown.at, **({"s": shown.skip} if shown.skip else {}))

    def laid_out(self, shown: _Shown) -> str:
        """All that a reply says of these passages."""
        cursor = self.cursor(shown)
        way_on = more(cursor, _left(len(self.reading.passages) - shown.at)) if cursor else ""
        return lines(self.marked(shown.blocks), self.tail, way_on)

    def filled(self, start: int, skip: int) -> _Shown:
        """The same, counted apart. The way on is shorter where no passage is cut, so that one more may fit."""
        shown = self.fill(start, skip, self.tail)
        if shown.at == len(self.reading.passages):
            return shown
        cut = self.fill(start, skip, lines(self.tail, self.way_on(s=999_999)))
        uncut = self.fill(start, skip, lines(self.tail, self.way_on()), may_cut=False)
        return uncut if uncut.at > cut.at else cut

    def whole(self, most: int) -> str:
        """The first passages, uncut, and all that would stand round them."""
        pages = {page.url: page for page in self.reading.pages}
        blocks: tuple[_PageBlock, ...] = ()
        for at, passage in enumerate(self.reading.passages[:most]):
            part = f"{self._label(0, at, is_rest=False)}\n{escape_labels(passage.shown)}"
            blocks = _added(blocks, pages[passage.url], part)
        return lines(self.marked(blocks), self.tail, self.way_on())

    def fill(self, start: int, skip: int, tail: str, *, may_cut: bool = True) -> _Shown:
        """As many passages as fit above `tail`; the last may be cut."""
        pages = {page.url: page for page in self.reading.pages}
        budget = self.frame.max_tokens
        blocks: tuple[_PageBlock, ...] = ()
        left = budget
        spans: tuple[Passage, ...] = ()
        for at in range(start, len(self.reading.passages)):
            passage = self.reading.passages[at]
            label = self._label(start, at, is_rest=skip > 0)
            before = closing(f"{passage.lead}\n{passage.text[:skip]}") if skip else passage.lead
            label = f"{label}\n{escape_labels(before)}" if before else label
            left = room(budget, self.marked(_added(blocks, pages[passage.url], label)), tail, seam=self.seam)
            if left < (min(_FRAGMENT, budget // 20) if blocks else _LEAST):
                return _Shown(blocks=blocks, at=at, skip=skip, left=left, spans=spans)
            end, after = _end(passage, skip, left, before)
            is_cut = end < len(passage.text)
            if is_cut and (not may_cut or (blocks and _row(passage.text, end) < end)):
                return _Shown(blocks=blocks, at=at, skip=skip, left=left, spans=spans)
            spans = (*spans, self._slice(passage, skip, end, pages[passage.url]))
            blocks = _added(blocks, pages[passage.url], f"{label}\n{escape_labels(passage.text[skip:end])}{after}")
            if is_cut:
                return _Shown(blocks=blocks, at=at, skip=end, left=left, spans=spans)
            skip = 0
        return _Shown(blocks=blocks, at=len(self.reading.passages), skip=0, left=left, spans=spans)

    def _slice(self, passage: Passage, start: int, end: int, page: Page) -> Passage:
        """A part of a passage as a passage of its own."""
        targets = (page.targets if self.with_links else None) or ()
        first, last = (place_in_text(targets, passage.start, passage.end, length) for length in (start, end))
        return replace(passage, start=first, end=last, text=passage.text[start:end])

    def _label(self, start: int, at: int, *, is_rest: bool) -> str:
        """The number of a passage, what it is for and what it is about, in a reply that begins with another.

        The headings are told where they are others than those of the passage above.
        """
        queries, passage = self.reading.queries, self.reading.passages[at]
        label = f"[{at + 1}]"
        if len(queries) > 1:
            numbers = sorted({queries.index(query) + 1 for query in (passage.query, *passage.also)})
            label += f" (query {', '.join(map(str, numbers))})"
        if is_rest:
            label += " (continued)"
        if self.with_metadata:
            told = dict.fromkeys((line(passage.title), *names(passage)))
            label += escape_citations(f" (score {passage.score:.2f}) {' > '.join(filter(None, told))}")
        else:
            above = next((one for one in reversed(self.reading.passages[start:at]) if one.url == passage.url), None)
            if above is None or above.section != passage.section:
                has_heading_above = above is not None and above.section != ()
                label += escape_citations(about(passage, is_rest=is_rest, has_heading_above=has_heading_above))
        return shortened(inert(label), max(24, self.frame.max_tokens // 8))


def _unread(pages: Sequence[Page]) -> tuple[str, ...]:
    """What was not looked at, since the text of its page leaves it out."""
    amounts = [(f"{page.url}: " if len(pages) > 1 else "", page.left_out.amount) for page in pages]
    return tuple(
        f'{name}Not read: {amount}; fetched with selector "body" it has all.' for name, amount in amounts if amount
    )


def _end(passage: Passage, skip: int, left: int, before: str) -> tuple[int, str]:
    """Where what fits of a passage ends, and the line that ends the code in which that is."""
    end = fit(passage.text, skip, left, len(passage.text), is_labelled=True)
    if skip < (row := _row(passage.text, end)):
        end = row
    if fence := closing(f"{before}\n{passage.text[skip:end]}"):
        shorter = fit(passage.text, skip, left - count(f"\n{fence}"), len(passage.text), is_labelled=True)
        fence = closing(f"{before}\n{passage.text[skip:shorter]}")
        end, fence = (shorter, fence) if shorter > skip else (end, "")
    return end, f"\n{fence}" if fence else ""


def _row(text: str, end: int) -> int:
    """Where the row of a table begins that would be cut at `end`; `end` itself, where none would be."""
    begin = text.rfind("\n", 0, end) + 1
    return begin if end < len(text) and text.startswith("|", begin) and text[end - 1] != "\n" else end


def _left(count: int) -> str:
    return f"{count} passage{'s' * (count > 1)}"


def _added(blocks: tuple[_PageBlock, ...], page: Page, part: str) -> tuple[_PageBlock, ...]:
    """Each page has one pair of marks in a reply, which costs as much as two sentences; numbers tell the order."""
    for at, block in enumerate(blocks):
        if block.page is page:
            return (*blocks[:at], _PageBlock(page=page, parts=(*block.parts, part)), *blocks[at + 1 :])
    return (*blocks, _PageBlock(page=page, parts=(part,)))


_MOST_TOKENS = 16
_LEAST_TOKENS = 5
"""Fewer do not tell one release, or one product, from another."""
_HEADING = re.compile(r"#{1,6} +(.+)")


def about(passage: Passage, *, is_rest: bool, has_heading_above: bool) -> str:
    """The headings above a passage, the nearest at least: what it says may be true of its own section alone.

    The one above that is told too, if only its beginning: "Fixed" stands below every release. Headings that it begins
    with go without saying, and so does the title of the page, unless nothing else tells that the section above has
    ended.
    """
    own = set[str]() if is_rest else _own_headings(passage.text)
    every = [name for name in names(passage) if name not in own]
    path = [name for name in every if name != line(passage.title)]
    if not path and has_heading_above and not own:
        path = every or ["(no heading)"]
    if not path:
        return ""
    told = _begun(path.pop(), _MOST_TOKENS)
    if path and (left := _MOST_TOKENS - count(f" > {told}")) >= _LEAST_TOKENS:
        told = f"{_begun(path.pop(), left)} > {told}"
    while path and count(longer := f"{path.pop()} > {told}") <= _MOST_TOKENS:
        told = longer
    return f" {told}"


def _begun(name: str, tokens: int) -> str:
    """A heading, or as much of it as fits: of a long one the beginning tells most."""
    return name if count(name) <= tokens else f"{shortened(name, tokens - 2).rsplit(' ', 1)[0]}…"


def _own_headings(text: str) -> set[str]:
    """The headings that a text begins with."""
    found: set[str] = set()
    for each in filter(None, text.split("\n")):
        if not (heading := _HEADING.fullmatch(each)):
            break
        found.add(line(heading[1]))
    return found


def names(passage: Passage) -> list[str]:
    """The headings above a passage that show anything, each in one line."""
    return [name for name in map(line, passage.section) if name]


def line(text: str) -> str:
    """A heading or title in one short line."""
    return plain(text, max_chars=80)
