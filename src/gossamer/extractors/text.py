"""Plain text, Markdown, source code and JSON: shown as they are."""

import json
import re
from html import escape

from gossamer.errors import EmptyPage, Outcome
from gossamer.extractors.characters import clean, clean_line
from gossamer.model.page import Extracted, Format, PageInfo, View

_HEADING = re.compile(r"^#\s+(.+)$", re.MULTILINE)
_FENCE = re.compile(r"^`{3,}", re.MULTILINE)
_MOST_CHARS = 10 * 1024**2
_MOST_SPREAD = 1024**2
"""A longer JSON text is a store of data, and taking it apart takes fifty times its size."""
NO_ELEMENTS = "The document has no elements that a selector could match; without it the whole text is read."


def read_text(text: str, *, view: View, is_markdown: bool = False) -> Extracted:
    """Show text as it came; a Markdown file is titled by its first heading."""
    found = _HEADING.search(text[:10_000]) if is_markdown else None
    return shown(text, view=view, title=clean_line(found[1], limit=300) if found else "")


def read_json(text: str, *, view: View) -> Extracted:
    """Show JSON with one value a line, in a fence; what does not parse or is too large for that is shown as it came."""
    try:
        pretty = _spread(json.loads(text)) if len(text) <= _MOST_SPREAD else ""
    except (ValueError, RecursionError):
        pretty = ""
    pretty = pretty or text.strip()
    if view.format != "markdown" or not clean(pretty)[0].strip():
        return shown(pretty, view=view)
    marks = "`" * max(3, *(len(mark) + 1 for mark in _FENCE.findall(pretty)), 3)
    return shown(f"{marks}json\n{pretty}\n{marks}", view=view)


def _spread(value: object) -> str:
    """One value a line; nothing where indenting makes more of it than a page may hold."""
    pieces: list[str] = []
    room = _MOST_CHARS
    for piece in json.JSONEncoder(ensure_ascii=False, indent=2).iterencode(value):
        room -= len(piece)
        if room < 0:
            return ""
        pieces.append(piece)
    return "".join(pieces)


def shown(text: str, *, view: View, title: str = "", info: PageInfo | None = None) -> Extracted:
    """Clean a text that has no markup and put it into the wanted form."""
    text, hidden = clean(text)
    text = text.strip("\n").rstrip()
    if not text.strip():
        raise EmptyPage("The document holds no text.", hint="Check the address or look for another source.")
    about = info or PageInfo()
    if view.selector:
        return Extracted(outcome=Outcome.NO_MATCH, title=title, info=about, hidden=hidden, message=NO_ELEMENTS)
    return Extracted(title=title, text=_formed(text, view.format), info=about, hidden=hidden)


def _formed(text: str, form: Format) -> str:
    return f"<pre>{escape(text, quote=False)}</pre>" if form == "html" else text
