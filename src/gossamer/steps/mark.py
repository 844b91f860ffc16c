"""Page text is quoted material: it stands between marks that nothing inside a page can forge.

Inside, what looks like a mark or like the control tokens of chat models gets one backslash after its first
character; `unescape` takes exactly that one away again, so nothing is lost.
"""

import re
import secrets
from datetime import UTC, datetime

_NONCE_DIGITS = 32
_HYPHEN = "[-_\u2010-\u2015\u2212\ufe63\uff0d]"
_LOOKALIKE = (
    rf"(?i:/?\s*untrusted{_HYPHEN}(?:web{_HYPHEN})?content|[|｜]"
    r"|/?(?:INST|SYSTEM_PROMPT|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS)\]|/?SYS>>|/?s>|(?:bos|eos)>"
    r"|(?:start|end)_of_turn>|/?(?:tool_call|tool_response|function_calls|function_results)>)"
)
"""Marks in any spelling that a reader takes for them, and what the templates of chat models put between turns."""
_OPENING = "[<\\[\uff1c\ufe64]"
_ESCAPE = re.compile(rf"({_OPENING}\\*)(?={_LOOKALIKE})")
_UNESCAPE = re.compile(rf"({_OPENING}\\*)\\(?={_LOOKALIKE})")


def escape(text: str) -> str:
    """Disarm look-alike marks and chat-template tokens."""
    return _ESCAPE.sub(r"\1\\", text)


def escapes(text: str) -> list[int]:
    """Before which characters of a text `escape` puts a backslash, in order."""
    return [match.end() for match in _ESCAPE.finditer(text)]


def unescape(text: str) -> str:
    """Undo `escape` exactly."""
    return _UNESCAPE.sub(r"\1", text)


def unescaped_length(text: str, end: int) -> int:
    """How many characters of `text` fill the first `end` characters of `escape(text)`."""
    added = 0
    for match in _ESCAPE.finditer(text):
        if match.end() + added >= end:
            break
        added += 1
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
