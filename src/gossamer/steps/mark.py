"""Page text is quoted material: it stands between marks that nothing inside a page can forge.

Wherever page text stands, what looks like a mark or like a control token (`steps/control_tokens.py`) gets one backslash
after its first character; `unescape` takes exactly that one away again, so nothing is lost.
"""

import re
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from gossamer.steps.control_tokens import CONTROL_TOKENS

_NONCE_DIGITS = 32


@dataclass(frozen=True, kw_only=True, slots=True)
class _Seeker:
    """Finds control tokens that begin alike: up to their first character and the backslashes behind it."""

    armed: re.Pattern[str]
    disarmed: re.Pattern[str]
    rest: re.Pattern[str] | None
    """What a text has in small letters that holds one at all, where looking for that is quicker."""

    def ends(self, text: str, *, are_armed: bool) -> Iterator[int]:
        """Where the backslash of each belongs, or where it ends."""
        if self.rest is None or self.rest.search(text.lower()):
            yield from (match.end() for match in (self.armed if are_armed else self.disarmed).finditer(text))


def _seekers() -> Iterator[_Seeker]:
    rests: dict[tuple[str, bool], list[str]] = {}
    for token in CONTROL_TOKENS:
        for begin in token.begins:
            rests.setdefault((begin, token.is_rare), []).append(token.rest)
    for (begin, is_rare), listed in rests.items():
        rest = "|".join(listed)
        yield _Seeker(
            # No token goes on with the sign that begins one: a page of nothing else is passed over quickly.
            armed=re.compile(rf"{begin}\\*(?![<\[])(?={rest})", re.IGNORECASE),
            disarmed=re.compile(rf"{begin}\\*\\(?![<\[])(?={rest})", re.IGNORECASE),
            rest=re.compile(rest) if is_rare else None,
        )


_SEEKERS = tuple(_seekers())


def escape(text: str) -> str:
    """Disarm look-alike marks and control tokens."""
    return _pieced(text, escapes(text), "\\", 0)


def escapes(text: str) -> list[int]:
    """Before which characters of a text `escape` puts a backslash, in order."""
    return sorted(end for seeker in _SEEKERS for end in seeker.ends(text, are_armed=True))


def unescape(text: str) -> str:
    """Undo `escape` exactly."""
    return _pieced(text, sorted(end for seeker in _SEEKERS for end in seeker.ends(text, are_armed=False)), "", 1)


def _pieced(text: str, ends: Sequence[int], between: str, without: int) -> str:
    """A text cut at some places, each piece but the last `without` its last characters."""
    if not ends:
        return text
    starts = [0, *ends]
    pieces = [text[start : end - without] for start, end in zip(starts, ends, strict=False)]
    return between.join([*pieces, text[ends[-1] :]])


def unescaped_length(text: str, end: int) -> int:
    """How many characters of `text` fill the first `end` characters of `escape(text)`."""
    places = escapes(text)
    added = next((n for n, place in enumerate(places) if place + n >= end), len(places))
    return min(end - added, len(text))


def new_nonce() -> str:
    """32 random digits for one call's marks: no page guesses 106 bits, and digits cost a model half of what a-f do."""
    return f"{secrets.randbelow(10**_NONCE_DIGITS):0{_NONCE_DIGITS}d}"


def mark(text: str, *, source: str, fetched_at: float, nonce: str, is_terse: bool = False) -> str:
    """Put page text between marks. The text is escaped here and nowhere else; the source keeps what can be seen.

    Terse marks name the day without the time.
    """
    when = iso_time(fetched_at)
    when = when.partition("T")[0] if is_terse else when
    safe_source = "".join(sign for sign in source[:2048] if sign.isprintable() and sign not in ' "<>')
    opening = f'<untrusted-web-content id="{nonce}" source="{safe_source}" fetched="{when}">'
    return f'{opening}\n{escape(text)}\n</untrusted-web-content id="{nonce}">'


def iso_time(seconds: float) -> str:
    """UTC seconds as people and programs read them."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
