"""Result envelope: clean strings, and what surrounds page text in a result (budget, marks, notes, failures, cursor).

Some clients show a model the structured result alone. So every string of it has one of four kinds, which its field
names: a clean line or an address, which the field itself makes of what it is given; text, which stands between marks
or was disarmed when it was cut to size; and our own words. Nothing foreign in it is hidden, or could be taken for our
marks or our words.
"""

import hmac
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, cast
from urllib.parse import quote

from pydantic import AfterValidator

from gossamer.errors import GossamerError, InvalidArgument
from gossamer.model.search import Failure, SearchPage
from gossamer.ports import Call
from gossamer.steps.retrieval.cite import escape_citations, label_escapes
from gossamer.steps.text.clean_line import plain, visible
from gossamer.steps.text.look_alikes import BARS, CLOSING, LESS, LINE_BREAKS, MORE, OPENING
from gossamer.steps.text.untrusted_markers import (
    escape,
    escapes,
    inserted,
    iso_time,
    mark,
    new_nonce,
    uninserted_length,
)
from gossamer.steps.tokens.count import count, cut, cut_point
from gossamer.steps.tokens.cursor import Cursor, write_cursor

SEAM = 3
"""Counting parts apart can miss this many tokens where they meet."""
WIDEST = 12
"""Characters per token beyond which a text is not looked at: no prose or code comes near it."""
_SLACK = 12
_MOST_FAILURES = 10
_QUOTE_CHARS = 400
_COUNTED = 10
"""Tokens of the line that counts the failures for which there is no line."""
_LEAST_SOURCE, _MOST_SOURCE = 24, 300
"""The tokens that an address may cost in any marks, and the characters that it may have in none but the widest."""
_TERSE = 1000
"""Budgets below this have the day in their marks, not the time."""
READ_AS = "was read as"
"""What a note says of an argument that was changed: the first to give way to content, since `_meta` has it too."""

_LINE_BREAK = re.compile(f"[{LINE_BREAKS}]")
_MARKING = re.compile(f"[{LESS}{MORE}{OPENING}{CLOSING}{BARS}]")
_LOADING = re.compile(r"(?<!\\)((?:\\\\)*)(?=!\[|<[a-zA-Z/!?])")


@dataclass(frozen=True, kw_only=True, slots=True)
class Envelope:
    """The budget of a result, what it needs to be continued, and the one nonce of its marks."""

    max_tokens: int
    notes: tuple[str, ...]
    key: bytes
    now: float
    cursor: Cursor
    nonce: str = field(default_factory=new_nonce)

    def cursor_at(self, offset: int, **arguments: Any) -> str:
        """A signed cursor that goes on at `offset`."""
        return write_cursor(
            replace(self.cursor, offset=offset, arguments={**self.cursor.arguments, **arguments}), self.key
        )

    def marked(self, text: str, *, url: str, fetched_at: float) -> str:
        """Page text between marks. What is long for the budget is short there, since `_meta` has it whole.

        An address ends in `…`, a time is a day.
        """
        share = max(_LEAST_SOURCE, self.max_tokens // 10)
        source = url if len(url) <= _MOST_SOURCE and count(url) <= share else ended(url[:_MOST_SOURCE], share)
        is_terse = self.max_tokens < _TERSE
        return mark(text, source=source, fetched_at=fetched_at, nonce=self.nonce, is_terse=is_terse)


def cursor_key_of(caller: str, key: bytes) -> bytes:
    """The key that signs one caller's cursors: what one user was shown, another cannot walk on from."""
    return hmac.digest(key, caller.encode("utf-8", "surrogatepass"), "sha256")


def fit(text: str, start: int, budget: int, max_length: int, *, is_labelled: bool = False) -> int:
    """The end of a long slice from `start` that, escaped, stays within `budget` tokens and `max_length`.

    It ends between blocks, or at least words, where that leaves it nearly as long as it could be. A text that stands
    below a label of ours is escaped for that too.
    """
    window = text[start : start + min(max_length, budget * WIDEST)]
    labels = label_escapes(window) if is_labelled else []
    unlabelled = inserted(window, labels)
    places = escapes(unlabelled)
    length = uninserted_length(unlabelled, places, cut(inserted(unlabelled, places), budget))
    return cut_point(text, start, start + uninserted_length(window, labels, length))


def shortened(text: str, budget: int) -> str:
    """The beginning of a text that costs at most `budget` tokens."""
    return text[: cut(text, budget)]


def ended(text: str, budget: int) -> str:
    """The beginning of a text that goes on, within `budget` tokens and to be seen as such."""
    return f"{shortened(text, budget - 2).rstrip()}…"


def room(budget: int, *around: str, seam: int = SEAM) -> int:
    """The tokens that are left for page text between the parts around it.

    Who counts the whole afterwards may leave the `seam` out.
    """
    return budget - count(lines(*around)) - seam


def lines(*parts: str) -> str:
    """The parts that hold something, one below the other."""
    return "\n".join(part for part in parts if part)


def more(cursor: str, what: str) -> str:
    """The last line of a result that was cut."""
    return f'More: cursor="{cursor}" ({what})'


def note_line(notes: Sequence[str], budget: int) -> str:
    """The notes as one line, within a share of the budget; empty when there are none.

    What happened comes before how arguments were read, which is said only where there is plenty of room. A note that
    is too long loses its last sentences, and words only where not even its first one fits.
    """
    told = dict.fromkeys(map(escape, notes))
    line = _whole_sentences(_joined("", *(note for note in told if READ_AS not in note)), max(32, budget // 6))
    for note in told:
        longer = _joined(line, note)
        if READ_AS in note and count(longer) <= budget // 8:
            line = longer
    return line


def _joined(line: str, *notes: str) -> str:
    return " ".join((line or "Note:", *notes)) if notes else line


def _whole_sentences(line: str, budget: int) -> str:
    """As many of a line's first sentences as fit; a first one that does not is seen to go on."""
    end = cut(line, budget)
    if end == len(line):
        return line
    full_stop = line.rfind(". ", 0, end + 1)
    return line[: full_stop + 1] if full_stop >= 0 else ended(line, budget)


def failure_lines(failures: Sequence[Failure], budget: int, what: str = "Not read") -> str:
    """One line per part that could not deliver, within a share of the budget; the reasons go first.

    How many there was no room for is told too. Of a result's page its place and the outcome are told: what its
    address spells is somebody else's.
    """
    left = max(40, budget // 6) - (_COUNTED if len(failures) > 1 else 0)
    shown: list[str] = []
    for failure in failures[:_MOST_FAILURES]:
        who = f"result {failure.position}" if failure.position else escape(plain(failure.who, max_chars=120))
        why = escape(plain(f"{failure.message} {failure.hint}", max_chars=200))
        line = f"{what}: {who} ({failure.outcome}: {why})"
        if failure.position or count(line) >= left:
            line = f"{what}: {plain(who, max_chars=60)} ({failure.outcome})"
        if count(line) < left:
            shown.append(line)
            left -= count(line) + 1
    if (rest := len(failures) - len(shown)) and len(failures) > 1:
        shown.append(f"{what}: {rest} {'more' if shown else 'in all'}.")
    return "\n".join(shown)


def failure_data(failures: Sequence[Failure]) -> list[dict[str, str]]:
    """The same for programs, whole."""
    return [
        {"who": f.who, "outcome": f.outcome.value, "message": f.message, "hint": f.hint, **quote_data(f.quote)}
        for f in failures
    ]


def quote_data(quote: str) -> dict[str, str]:
    """What the other side said of a failure, for programs; nothing where it said nothing."""
    line = plain(quote, max_chars=_QUOTE_CHARS)
    return {"quote": line} if line else {}


def error_text(error: GossamerError, *, now: float) -> str:
    """A failure in our own words; below them, between marks, what the other side said of it."""
    line = plain(error.quote, max_chars=_QUOTE_CHARS)
    quote = mark(inert(line), source="failure", fetched_at=now, nonce=new_nonce()) if line else ""
    return lines(escape(f"{error.outcome.value}: {error}"), quote)


def too_small(needed: int) -> InvalidArgument:
    """The error for a budget that cannot hold a single item: names the next fifty, since marks do not cost the same."""
    enough = min(20_000, (needed + _SLACK) // 50 * 50 + 50)
    return InvalidArgument("max_tokens is too small to show anything here.", hint=f"Give at least {enough}.")


def search_meta(pages: Sequence[SearchPage], call: Call) -> dict[str, Any]:
    """The `_meta` beside a contract's object: services that saw the queries, notes, failures, age."""
    notes = list(dict.fromkeys([*call.log.notes, *(note for page in pages for note in page.notes)]))
    failures = [failure for page in pages for failure in page.failures]
    suggestions = list(dict.fromkeys(plain(text, max_chars=200) for page in pages for text in page.suggestions))
    kept = [page.kept_since for page in pages if page.kept_since is not None]
    return {
        "gossamer/services": list(dict.fromkeys(name for page in pages for name in page.services)),
        **({"gossamer/note": notes} if notes else {}),
        **({"gossamer/failures": failure_data(failures)} if failures else {}),
        **({"gossamer/suggestions": suggestions} if suggestions else {}),
        **({"gossamer/kept_since": iso_time(min(kept))} if kept else {}),
    }


def services_meta(services: Sequence[str]) -> dict[str, Any]:
    """The services outside this process that have seen the queries, if any."""
    return {"gossamer/services": list(services)} if services else {}


def model_meta(call: Call) -> dict[str, Any]:
    """What a model was asked to write, and what that took; nothing where none was."""
    use = call.log.model_use
    if use is None:
        return {}
    counts = {"requests": use.requests, "input_tokens": use.input_tokens, "output_tokens": use.output_tokens}
    return {"gossamer/model": {"model": use.model, **counts}}


def clean_line(text: str, *, max_chars: int = 1000) -> str:
    """One clean line of a title, a name or a sentence that may hold markup."""
    return escape(plain(text, max_chars=max_chars))


def one_line(text: str) -> str:
    """What is text already, in one clean line."""
    return escape(" ".join(visible(text).split()))


def inert(text: str) -> str:
    """Lines that no page wrote as Markdown, or that were code: a client that renders them shows no picture or tag."""
    return _LOADING.sub(r"\1\\", text)


def unbroken(text: str) -> str:
    """A quote in one line: line breaks are blanks, so that each character stays where it was."""
    return _LINE_BREAK.sub(" ", text)


def clean_address(url: str) -> str:
    """An address that still leads there; what a mark or a citation could be made of is written in percent."""
    url = " ".join(visible(url).split())
    is_armed = escape_citations(escape(url)) != url
    return escape(_MARKING.sub(lambda sign: quote(sign[0], safe=""), url)) if is_armed else url


QuotedLine = Annotated[str, AfterValidator(one_line)]
QuotedAddress = Annotated[str, AfterValidator(clean_address)]
QUOTED, OURS = "quoted", "ours"
QuotedText = Annotated[str, QUOTED]
Ours = Annotated[str, OURS]


def clean_json(value: Any) -> Any:
    """JSON of the same shape whose strings hold nothing hidden and nothing that looks like a mark.

    Markup, line breaks and numbers stay, except those that JSON cannot write. How deep it goes was bounded when it was
    read.
    """
    if isinstance(value, str):
        return escape(visible(value))
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list | tuple):
        return [clean_json(item) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {escape(visible(name)): clean_json(item) for name, item in cast("dict[str, Any]", value).items()}
    return value
