"""One page as text within a budget; what does not fit is reached with the cursor."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any, cast

from gossamer.contracts.contract import Reply
from gossamer.contracts.render.envelope import WIDEST, Envelope, fit, lines, more, note_line, room, too_small
from gossamer.model.page import Page
from gossamer.steps.text.backslashes import is_escaped
from gossamer.steps.text.clean_line import plain
from gossamer.steps.text.link_targets import markdown_hash, markdown_of
from gossamer.steps.text.untrusted_markers import iso_time
from gossamer.steps.tokens.count import count
from gossamer.steps.tokens.cursor import expired
from gossamer.steps.web.freshness import age_of

FETCH_TOKENS = 8000
"""What a page may cost where nobody says."""
_LEAST = 8
"""A slice of fewer tokens is not worth a call."""
_FACTS_SHARE = 8
"""Facts take at most this part of the room."""
_MOST_FACTS, _FACT_CHARS = 10, 1_000
_MOST_LEVELS, _MOST_OPENED = 24, 8_000
_TEXT_DIGITS, _TARGET_DIGITS = 12, 6
_MARKUP = re.compile(r"(?<!\\)(\\*)(!(?=\[)|\](?=[(\[])|<(?=[a-zA-Z][\w+.-]*:))")
"""What would make a picture or a link of a title: how they begin, the end of their words, an address in brackets."""
_NAMED = re.compile(r"(?<!\\)(\\*)(\[)")
"""What would make a link of one word in brackets, where the text below says what that leads to."""

_LOADING = re.compile(r"(?<!\\)(?:\\\\)*!\[|<[a-zA-Z/!?]")
"""What a client would load, were it not code: pictures and tags."""
_CODE = re.compile(r"`{3}|~{3}")
_TILDES = re.compile(r"~{3,}")


def page_reply(page: Page, *, start: int, max_length: int, frame: Envelope) -> Reply[None]:
    """One slice of a page between marks, headed by what the page says of itself where that leaves room for text."""
    notes = [*frame.notes, *(page.notes if start == 0 else filter(None, [page.message]))]
    note = note_line(notes, frame.max_tokens)
    around = (frame.marked("", url=page.final_url, fetched_at=page.fetched_at), note)
    whole = markdown_of(page)
    size = len(whole)
    way_on = more(frame.cursor_at(size), _covers(size, size, size))
    left = room(frame.max_tokens, *around, way_on)
    head = page_head(page, facts_budget=left // _FACTS_SHARE) if start == 0 else ""
    if len(head) > max_length // 2:
        head = page_head(page, facts_budget=0)
    if room(left, head) < left // 2 or len(head) > max_length // 2:
        head = ""
    fence = "" if head else _own_fence(whole, start, min(max_length, frame.max_tokens * WIDEST))
    around = (*around, fence, fence)
    left = room(frame.max_tokens, *around, way_on)
    max_chars = max_length - len(head) - 2 * bool(head)
    end = start + max_chars
    if end >= size:
        end = fit(whole, start, room(frame.max_tokens, *around, head), max_chars)
    if end < size:
        if left < 2 * _LEAST:
            raise too_small(frame.max_tokens - left + 4 * _LEAST)
        end = fit(whole, start, room(frame.max_tokens, *around, way_on, head), end - start)
    body = whole[start:end]
    cursor = frame.cursor_at(end) if end < size else ""
    text = lines(
        fence,
        frame.marked(f"{head}\n\n{body}" if head else body, url=page.final_url, fetched_at=page.fetched_at),
        fence,
        note,
        more(cursor, _covers(start, end, size)) if cursor else "",
    )
    meta = {
        **page_meta(page, notes, now=frame.now),
        "gossamer/span": [start, end, size],
        **({"gossamer/cursor": cursor} if cursor else {}),
    }
    return Reply(text=text, data=None, outcome=page.outcome, meta=meta)


def named(page: Page) -> tuple[str, ...]:
    """What a cursor calls the text that is shown of a page, and where its links lead."""
    targets = (markdown_hash(page)[:_TARGET_DIGITS],) if page.targets else ()
    return (page.content_hash[:_TEXT_DIGITS], *targets)


def check_named(page: Page, snapshots: Sequence[str]) -> None:
    """Stop where the links lead elsewhere by now: what was shown of the page ended at another place of it."""
    if snapshots[1:] and snapshots[1:] != named(page)[1:]:
        raise expired()


def _own_fence(whole: str, start: int, most_chars: int) -> str:
    """The fence that stands before and behind the marks of a slice without a head; empty where none is needed.

    Such a slice may begin within code, or behind a backslash that was a slice of its own. And whoever renders it takes
    our first mark for a tag that lasts until the next empty line, so that a fence right below it opens nothing. What
    the page shows as code then looks like pictures and tags, and a client would load them. The text itself stays.
    """
    text = whole[start : start + most_chars]
    may_be_code = _CODE.search(whole) is not None or is_escaped(whole, start)
    if not may_be_code or _LOADING.search(text) is None:
        return ""
    return "~" * max((3, *(len(run[0]) + 1 for run in _TILDES.finditer(text))))


def page_meta(page: Page, notes: Sequence[str], *, now: float) -> dict[str, Any]:
    """What programs may want to know of a page beside its text."""
    info, structured = page_info(page), structured_data(page)
    return {
        "gossamer/url": page.url,
        "gossamer/final_url": page.final_url,
        "gossamer/title": page.title,
        "gossamer/content_hash": page.content_hash,
        "gossamer/fetched": iso_time(page.fetched_at),
        "gossamer/age_s": age_of(page.fetched_at, now=now),
        "gossamer/hidden": page.hidden,
        **({"gossamer/info": info} if info else {}),
        **({"gossamer/structured": structured} if structured else {}),
        **({"gossamer/note": list(notes)} if notes else {}),
    }


def page_info(page: Page) -> dict[str, str]:
    """What a page says of itself, where it says something."""
    return {name: value for name, value in asdict(page.info).items() if value and name != "structured"}


def structured_data(page: Page) -> dict[str, Any]:
    """The page's structured data as one tree: `items`, the main entity first, and `open_graph`.

    A worker that a page has taken over may have written anything: what is no object or nested too deep is nothing.
    """
    written = page.info.structured
    if not written or sum(map(written.count, "[{")) > _MOST_OPENED:
        return {}
    try:
        tree: Any = json.loads(written)
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", tree) if isinstance(tree, dict) and _is_shallow(cast("dict[str, Any]", tree)) else {}


def _is_shallow(tree: dict[str, Any]) -> bool:
    level: list[Any] = [tree]
    for _ in range(_MOST_LEVELS):
        level = [
            part
            for value in level
            if isinstance(value, dict | list)
            for part in cast("Iterable[Any]", value.values() if isinstance(value, dict) else value)
        ]
    return not level


def page_head(page: Page, *, facts_budget: int = FETCH_TOKENS) -> str:
    """Title, author, date, site, price, and as many facts of the main entity as fit: what stands above the text."""
    info = page.info
    rows = {
        "Title": plain(page.title, max_chars=200) or plain(page.final_url, max_chars=200),
        "Author": plain(info.author, max_chars=100),
        "Date": plain(info.published, max_chars=40),
        "Site": plain(info.site_name, max_chars=100),
        "Price": plain(info.price, max_chars=100) if f"Price: {info.price}" not in page.text[:1_000] else "",
    }
    defines = "]:" in page.text or "]:" in info.facts
    lines = [f"{name}: {_inert(value, defines=defines)}" for name, value in rows.items() if value]
    for fact in info.facts.split("\n")[:_MOST_FACTS]:
        line = _inert(plain(fact, max_chars=_FACT_CHARS), defines=defines)
        facts_budget -= count(line) + 1
        if facts_budget < 0:
            break
        lines += [line] if line else []
    return "\n".join(lines)


def _inert(line: str, *, defines: bool) -> str:
    """A line of the head without pictures and links, also those whose words are defined below it."""
    line = _MARKUP.sub(_kept_text, line)
    return _NAMED.sub(_kept_text, line) if defines else line


def _kept_text(found: re.Match[str]) -> str:
    """The sign behind a backslash, unless it has one: a title is text, whatever it looks like."""
    return found[0] if len(found[1]) % 2 else f"{found[1]}\\{found[2]}"


def _covers(start: int, end: int, size: int) -> str:
    return f"characters {start}-{end} of {size}"
