"""Characters that a reader cannot see, taken out of text that a model will read."""

import re
from collections.abc import Iterator

_LINE_ENDS = re.compile("\r\n?|[\x0b\x0c\u2028\u2029]")
_ANSI = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|[@-Z\\-_])?")
_INVISIBLE = (
    "\x00-\x08\x0e-\x1f\x7f-\x9f"  # control characters
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0"  # soft hyphen, joiners, fillers
    "\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff"  # zero width, bidi, annotations
    "\ud800-\udfff\ue000-\uf8ff"  # lone surrogates, private use
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff\U000f0000-\U0010ffff"  # tags, variation supplement, private use
)
_RUN = re.compile(f"[{_INVISIBLE}]+")
_JOINER = re.compile("[\u200c\u200d]+")
_SELECTORS = re.compile(
    "(?<=[\ufe00-\ufe0f])[\ufe00-\ufe0f]+|(?:^|(?<=[\\s\x21-\x22\x24-\x29\x2b-\x2f\x3a-\x7e]))[\ufe00-\ufe0f]+"
)
_ANY = re.compile(f"[\r\x0b\x0c\u2028\u2029\u200c\u200d\ufe00-\ufe0f{_INVISIBLE}]")
_WINDOW = 256 * 1024
_SEAM = re.compile(f"[A-Za-z\n\u4e00-\u9fff](?=[^\r\x0b\x0c\u2028\u2029\u200c\u200d\ufe00-\ufe0f{_INVISIBLE}])")
"""A place that nothing taken out reaches across: behind a line or a letter, which end a terminal's command too."""
_MESSAGE_CHARS = 4
"""As many invisible characters in a row can carry a message; a lone one is a line-break hint."""


def clean(text: str) -> tuple[str, int]:
    """Take out what cannot be seen; return the text and how many runs could have held a message.

    Joiners stay where a script or an emoji needs them: between two characters beyond ASCII.
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
    text = _ANSI.sub("", _LINE_ENDS.sub("\n", text))
    hidden = 0

    def gone(match: re.Match[str]) -> str:
        nonlocal hidden
        hidden += len(match[0]) >= _MESSAGE_CHARS
        return ""

    def joined(match: re.Match[str]) -> str:
        before, after = text[max(0, match.start() - 1) : match.start()], text[match.end() : match.end() + 1]
        if len(match[0]) == 1 and before > "\x7f" and after > "\x7f" and not (before + after).isspace():
            return match[0]
        return gone(match)

    text = _SELECTORS.sub(gone, _RUN.sub(gone, text))
    return _JOINER.sub(joined, text), hidden


def clean_line(text: str, *, limit: int = 500) -> str:
    """One clean line of at most `limit` characters, for titles and the like."""
    line = " ".join(clean(text[: limit * 4])[0].split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"
