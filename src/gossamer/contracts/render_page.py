"""Pages and passages as text within a budget; what does not fit is reached with the cursor."""

from collections.abc import Sequence
from typing import Any

from gossamer.contracts.contract import Reply
from gossamer.contracts.frame import Frame, fit, note_lines, room, too_small
from gossamer.errors import Outcome
from gossamer.model.answer import Reading
from gossamer.model.page import Page, Passage
from gossamer.model.search import Failure
from gossamer.steps.mark import iso_time, mark, new_nonce
from gossamer.steps.plain import plain

_LEAST = 16
"""A slice of fewer tokens is not worth a call."""


def page_reply(page: Page, *, start: int, max_length: int, frame: Frame) -> Reply[None]:
    """One slice of a page between marks, headed by what the page says of itself."""
    head = page_head(page) if start == 0 else ""
    source = frame.source(page.final_url)
    notes = note_lines([*frame.notes, *([page.message] if page.message else [])], frame.max_tokens)
    longest_end = frame.cursor_at(len(page.text))
    frame_parts = (
        mark("", source=source, fetched_at=page.fetched_at, nonce="0" * 32),
        _more(longest_end, len(page.text), len(page.text), len(page.text)),
        notes,
    )
    budget = room(frame.max_tokens, *frame_parts, head)
    if budget < _LEAST:
        head = ""
        budget = room(frame.max_tokens, *frame_parts)
    if budget < _LEAST:
        raise too_small(frame.max_tokens - budget + 64)
    end = fit(page.text, start, budget, max_length)
    body = page.text[start:end]
    has_more = end < len(page.text)
    cursor = frame.cursor_at(end) if has_more else ""
    shown = f"{head}\n\n{body}" if head else body
    text = "\n".join(
        part
        for part in (
            mark(shown, source=source, fetched_at=page.fetched_at, nonce=_nonce(shown)),
            _more(cursor, start, end, len(page.text)) if has_more else "",
            notes,
        )
        if part
    )
    meta = {
        "gossamer/url": page.url,
        "gossamer/final_url": page.final_url,
        "gossamer/title": page.title,
        "gossamer/span": [start, end, len(page.text)],
        "gossamer/content_hash": page.content_hash,
        "gossamer/fetched": iso_time(page.fetched_at),
        "gossamer/hidden": page.hidden,
        **({"gossamer/cursor": cursor} if cursor else {}),
        **({"gossamer/note": list(frame.notes)} if frame.notes else {}),
    }
    return Reply(text=text, data=None, outcome=page.outcome, meta=meta)


def reading_reply(reading: Reading, *, start: int, skip: int, with_metadata: bool, frame: Frame) -> Reply[None]:
    """The best passages between marks, grouped by page; `skip` characters of the first were shown before."""
    failures = failure_lines(reading.failures)
    tail = "\n".join(part for part in (failures, note_lines([*frame.notes, *reading.notes], frame.max_tokens)) if part)
    pages = {page.url: page for page in reading.pages}
    numbers = {text: n for n, text in enumerate(dict.fromkeys(p.query for p in reading.passages), 1)}
    more = _more_passages(frame.cursor_at(999, skip=99_999), 999)
    budget = room(frame.max_tokens, tail, more)
    blocks: list[_Block] = []
    at, done = start, False
    while at < len(reading.passages) and not done:
        passage = reading.passages[at]
        page = pages[passage.url]
        if not blocks or blocks[-1].page is not page:
            opening = mark("", source=frame.source(page.final_url), fetched_at=page.fetched_at, nonce="0" * 32)
            if room(budget, opening) < _LEAST * 2:
                break
            budget = room(budget, opening)
            blocks.append(_Block(page))
        label = _label(at + 1, passage, page, with_metadata=with_metadata, number=numbers if len(numbers) > 1 else {})
        left = room(budget, label)
        end = fit(passage.text, skip, left, len(passage.text)) if left >= _LEAST else skip
        if end == skip or (end < len(passage.text) and len(blocks[-1].parts) > 0):
            break
        piece = f"{label}\n{passage.text[skip:end]}"
        blocks[-1].parts.append(piece)
        budget = room(budget, piece)
        done = end < len(passage.text)
        at, skip = (at, end) if done else (at + 1, 0)
    blocks = [block for block in blocks if block.parts]
    if reading.passages[start:] and not blocks:
        raise too_small(frame.max_tokens + 64)
    has_more = at < len(reading.passages)
    cursor = frame.cursor_at(at, **({"skip": skip} if skip else {})) if has_more else ""
    texts = [
        mark(body, source=frame.source(b.page.final_url), fetched_at=b.page.fetched_at, nonce=_nonce(body))
        for b in blocks
        for body in ["\n\n".join(b.parts)]
    ]
    nothing = "" if reading.passages else "No passage of these pages suits the question."
    text = "\n".join(
        part
        for part in (nothing, *texts, _more_passages(cursor, len(reading.passages) - at) if has_more else "", tail)
        if part
    )
    meta: dict[str, Any] = {
        "gossamer/pages": [
            {"url": page.url, "final_url": page.final_url, "title": page.title, "fetched": iso_time(page.fetched_at)}
            for page in reading.pages
        ],
        "gossamer/passages": [
            {"id": p.id[:16], "url": p.url, "start": p.start, "end": p.end, "score": round(p.score, 3)}
            for p in reading.passages[start:at]
        ],
        **({"gossamer/cursor": cursor} if cursor else {}),
        **({"gossamer/note": list(frame.notes)} if frame.notes else {}),
        **({"gossamer/failures": failure_data(reading.failures)} if reading.failures else {}),
    }
    return Reply(text=text, data=None, outcome=Outcome.OK if reading.passages else Outcome.NO_MATCH, meta=meta)


class _Block:
    """The passages of one page that stand together."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.parts: list[str] = []


def page_head(page: Page) -> str:
    """Title, author, date, site, price: what stands above a page's text."""
    info = page.info
    rows = {
        "Title": plain(page.title, max_chars=200) or plain(page.final_url, max_chars=200),
        "Author": plain(info.author, max_chars=100),
        "Date": plain(info.published, max_chars=40),
        "Site": plain(info.site_name, max_chars=100),
        "Price": plain(info.price, max_chars=100),
    }
    return "\n".join(f"{name}: {value}" for name, value in rows.items() if value)


def failure_lines(failures: Sequence[Failure], limit: int = 10) -> str:
    """One short line per part that could not deliver."""
    return "\n".join(
        f"Not read: {plain(f.who, max_chars=120)} ({f.outcome}: {plain(f'{f.message} {f.hint}', max_chars=200)})"
        for f in failures[:limit]
    )


def failure_data(failures: Sequence[Failure]) -> list[dict[str, str]]:
    """The same for programs."""
    return [{"who": f.who, "outcome": f.outcome.value, "message": f.message, "hint": f.hint} for f in failures]


def _label(number_shown: int, passage: Passage, page: Page, *, with_metadata: bool, number: dict[str, int]) -> str:
    label = f"[{number_shown}]"
    if number:
        label += f" (query {number[passage.query]})"
    if with_metadata:
        place = " > ".join(
            dict.fromkeys((plain(page.title, max_chars=80), *(plain(name, max_chars=80) for name in passage.section)))
        )
        label += f" {place} (score {passage.score:.2f})"
    return label


def _more(cursor: str, start: int, end: int, total: int) -> str:
    return f'More: cursor="{cursor}" (shown: characters {start}-{end} of {total})'


def _more_passages(cursor: str, left: int) -> str:
    return f'More: cursor="{cursor}" (passages left: {left})'


def _nonce(text: str) -> str:
    """Random bits that the text does not hold."""
    while (nonce := new_nonce()) in text:  # pragma: no cover  # one in 2**128
        continue
    return nonce
