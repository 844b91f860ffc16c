"""Untrusted-content markers: page text stands between marks that nothing inside a page can forge.

Wherever page text stands, what looks like a mark or like a control token (`control_tokens`) gets one backslash
after its first character; `unescape` takes exactly that one away again, so nothing is lost.
"""

import re
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from urllib.parse import quote

from gossamer.steps.text.control_tokens import sites
from gossamer.steps.text.look_alikes import BARS, CLOSING, DISGUISED, FOLDING, LESS, MORE, OPENING

_NONCE_DIGITS = 32
_TOKEN_SIGNS = re.compile(f"[{OPENING}{CLOSING}{BARS}]")
_ARMED, _DISARMED = r"\\*+", r"\\++"
"""How many backslashes stand behind the first character of a token."""


def escape(text: str) -> str:
    """Disarm look-alike marks and control tokens."""
    return inserted(text, escapes(text))


def escapes(text: str) -> list[int]:
    """Before which characters of a text `escape` puts a backslash, in order."""
    return _ends(text, _ARMED)


def unescape(text: str) -> str:
    """Undo `escape` exactly."""
    return _pieced(text, _ends(text, _DISARMED), "", 1)


def _ends(text: str, backslashes: str) -> list[int]:
    """Where tokens may be cut, in order; the end of a line before the text makes its first line one like the others."""
    lines = _undisguised(f"\n{text}")
    return sorted({match.end() - 1 for pattern in _patterns(backslashes) for match in pattern.finditer(lines)})


@cache
def _patterns(backslashes: str) -> list[re.Pattern[str]]:
    return [re.compile(site) for site in sites(backslashes)]


def _undisguised(text: str) -> str:
    """The text, character by character, with ASCII letters and hyphens in the place of their look-alikes.

    Patterns of plain letters are small: with every look-alike in every class they took a fifth of a second to compile.
    """
    return text if text.isascii() or not DISGUISED.search(text) else text.translate(FOLDING)


def inserted(text: str, places: Sequence[int]) -> str:
    """A text with a backslash at each of these places."""
    return _pieced(text, places, "\\", 0)


def _pieced(text: str, ends: Sequence[int], between: str, without: int) -> str:
    """A text cut at some places, each piece but the last `without` its last characters."""
    if not ends:
        return text
    starts = [0, *ends]
    pieces = [text[start : end - without] for start, end in zip(starts, ends, strict=False)]
    return between.join([*pieces, text[ends[-1] :]])


def unescaped_length(text: str, end: int) -> int:
    """How many characters of `text` fill the first `end` characters of `escape(text)`, and no more when cut there.

    A cut can make a token of what was none: `AI:` begins a turn at the end of a text, and not before a letter.
    """
    length = uninserted_length(text, escapes(text), end)
    while len(escape(text[:length])) > end:
        length -= 1
    return length


def uninserted_length(text: str, places: Sequence[int], end: int) -> int:
    """How many characters of `text` fill the first `end` characters of `inserted(text, places)`."""
    added = next((n for n, place in enumerate(places) if place + n >= end), len(places))
    return min(end - added, len(text))


def new_nonce() -> str:
    """32 random digits for one call's marks: no page guesses 106 bits, and digits cost a model half of what a-f do."""
    return f"{secrets.randbelow(10**_NONCE_DIGITS):0{_NONCE_DIGITS}d}"


def mark(text: str, *, source: str, fetched_at: float, nonce: str, is_terse: bool = False) -> str:
    """Put page text between marks. The text is escaped here and nowhere else; the source keeps what can be seen.

    To a Markdown client our first mark is a tag, and HTML until the next empty line: behind one, what a page shows as
    code or escaped stays so. Terse marks name the day without the time.
    """
    when = iso_time(fetched_at)
    when = when.partition("T")[0] if is_terse else when
    opening = f'<untrusted-web-content id="{nonce}" source="{_safe_source(source)}" fetched="{when}">'
    return f'{opening}\n\n{escape(text)}\n</untrusted-web-content id="{nonce}">'


def _safe_source(url: str) -> str:
    """An address within our own mark: what a control token could be made of is written in percent."""
    shown = "".join(sign for sign in url[:2048] if sign.isprintable() and sign not in f' "{LESS}{MORE}')
    return _TOKEN_SIGNS.sub(lambda sign: quote(sign[0], safe=""), shown) if escape(shown) != shown else shown


def iso_time(seconds: float) -> str:
    """UTC seconds as people and programs read them."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
