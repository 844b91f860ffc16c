"""Invisible characters: controls, zero-width and bidi signs (prompt injection) taken out of text for a model."""

import re
from collections.abc import Iterator

_TWICE = "\xc3\xad|[\xc2-\xdf][\x80-\xac\xae-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
"""A sign in UTF-8 that was read as Latin-1: ugly, but browsers show it, and its halves are no controls.

A soft hyphen is one only behind the letter that stands for most accents: it is common behind a sharp s.
"""
_LINE_ENDS = re.compile(f"({_TWICE})|\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_ANSI = re.compile(
    f"({_TWICE})"
    r"|(?:\x1b\[|\x9b)[0-9;:?<=>]*[ -/]*[@-~]"  # colours, movements, hiding
    # Titles, links; one that begins in another ends it, so that every character is looked at once.
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90\x98\x9c-\x9f\n]{0,4000}(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[@-Z\\-_]?"
)
_INVISIBLE = (
    "\x00-\x08\x0e-\x1f\x7f-\x9f"  # control characters
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0"  # soft hyphen, joiners, fillers
    "\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb\ufffe\uffff"  # zero width, bidi, annotations
    "\ufe00-\ufe0d\ufdd0-\ufdef\ud800-\udfff\ue000-\uf8ff"  # variants, no characters, surrogates, private use
    "\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"  # controls of old scripts, shorthand, music
    "\U0001fffe\U0001ffff\U0002fffe\U0002ffff\U0003fffe-\U0010ffff"  # no characters, tags, supplements, private use
)
_RUN = re.compile(f"{_TWICE}|([{_INVISIBLE}]+)")
_EMOJI = "\u00a9\u00ae\u203c\u2049\u20e3\u2122\u2139\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
_SCRIPTS = (
    "\u0600-\u085f\u0870-\u0dff\u0f00-\u109f\u1700-\u18af\u1a00-\u1c4f\ua800-\uabff\ufb50-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc"
    "\U00010a00-\U00010fff\U00011000-\U00011fff\U0001e900-\U0001e95f"
)
"""Scripts in which a joiner changes how its neighbours are written: Arabic, those of India, Mongolian and the like."""
_JOINER = re.compile(
    f"(?<=[{_SCRIPTS}])[\u200c\u200d](?=[{_SCRIPTS}])|(?<=[{_EMOJI}\ufe0f])\u200d(?=[{_EMOJI}])|([\u200c\u200d]+)"
)
_SELECTOR = re.compile(f"(?<=[{_EMOJI}0-9#*])[\ufe0e\ufe0f]|([\ufe0e\ufe0f]+)")
_MARKS = "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
_HEAP = re.compile(f"([{_MARKS}]{{8}})[{_MARKS}]+")
"""More marks on one letter than any script puts there."""
_ANY = re.compile(f"[\r\x0b\x0c\u2028\u2029\u200c\u200d\ufe0e\ufe0f{_MARKS}{_INVISIBLE}]")
UNHELD = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
"""Characters that no tree can hold."""
_SHORT = re.compile(r"\x1b([@-_])")
_HELD_AS = {
    **dict.fromkeys([*range(0x20), 0xFFFE, 0xFFFF], "\u2060"),
    **{ord(sign): sign for sign in "\t\n\r"},
    **dict.fromkeys((0x0B, 0x0C), "\n"),
    0x07: "\x9c",
}
_WINDOW = 256 * 1024
_SEAM = re.compile(f"[A-Za-z \n\u4e00-\u9fff](?=[^\r\x0b\x0c\u2028\u2029\u200c\u200d\ufe0e\ufe0f{_MARKS}{_INVISIBLE}])")
"""A place that nothing taken out reaches across: behind a line, a blank or a letter that carries nothing."""
_MESSAGE_CHARS = 4
"""As many invisible characters in a row can carry a message; a lone one is a line-break hint."""
_MESSAGE_RUNS = 8
"""So can many lone ones; soft hyphens are how long words are set."""


def holdable(text: str) -> str:
    """The text in characters that a tree can hold, to be cleaned as ever.

    Controls that XML has no place for stand as others that mean the same or as little: an escape as the one character
    that it is short for, and what breaks a line as the end of one.
    """
    return _SHORT.sub(lambda match: chr(ord(match[1]) + 0x40), text).translate(_HELD_AS)


def clean(text: str) -> tuple[str, int]:
    """Take out what cannot be seen; return the text and how many runs could have held a message.

    Joiners stay where a script or an emoji needs them, and so does one selector after an emoji. All that is taken out
    one by one counts together when it could spell something.
    """
    if not _ANY.search(text):
        return text, 0
    pieces = [_cleaned(piece) for piece in _windows(text)]
    return "".join(piece for piece, _ in pieces), sum(hidden for _, hidden in pieces)


def _windows(text: str) -> Iterator[str]:
    """The text in pieces, so that what is taken out of one is forgotten before the next: there may be millions."""
    start = 0
    while start < len(text):
        seam = _SEAM.search(text, start + _WINDOW, start + 2 * _WINDOW)
        end = seam.end() if seam else start + 2 * _WINDOW
        yield text[start:end]
        start = end


def _cleaned(text: str) -> tuple[str, int]:
    text = _ANSI.sub(r"\1", _LINE_ENDS.sub(lambda end: end[1] or "\n", text))
    hidden = lone = 0

    def gone(match: re.Match[str]) -> str:
        nonlocal hidden, lone
        if match.lastindex is None:
            return match[0]
        is_message = len(match[0]) >= _MESSAGE_CHARS
        hidden += is_message
        lone += not is_message and match[0] != "\xad"
        return ""

    text = _SELECTOR.sub(gone, _RUN.sub(gone, text))
    text = _HEAP.sub(r"\1", _JOINER.sub(gone, text))
    return text, hidden + (lone >= _MESSAGE_RUNS)


def clean_line(text: str, *, limit: int = 500) -> str:
    """One clean line of at most `limit` characters, for titles and the like."""
    line = " ".join(clean(text[: limit * 4])[0].split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"
