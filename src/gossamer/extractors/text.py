"""Plain text, Markdown and source code: shown as they are, without what their reader would not see."""

import re
from html import escape

from gossamer.errors import EmptyPage, Outcome
from gossamer.extractors.about.meta import iso_date
from gossamer.extractors.characters import clean, clean_line
from gossamer.model.page import Extracted, Format, PageInfo, View

_HEADING = re.compile(r"^#\s+(.+)$", re.MULTILINE)
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})", re.MULTILINE)
_COMMENT = re.compile(
    r"<!--|^[ ]{0,3}\[(?://|comment)\]:[ ]*(?:#|<>)[^\n]*$|<([a-z][a-z0-9]{0,15})\s[^<>]{0,500}>",
    re.MULTILINE | re.IGNORECASE,
)
_HIDES = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(?![.\d])|font-size\s*:\s*0(?![.\d])|\shidden(?=[\s=>/])",
    re.IGNORECASE,
)
_VOID = frozenset({"img", "br", "hr", "input", "meta", "link", "source", "wbr"})
_FRONT_CHARS = 20_000
_FIELD = re.compile(r"(title|date|published|author|description|lang|language)\s*[:=]\s*(.+)", re.IGNORECASE)
NO_ELEMENTS = "The document has no elements that a selector could match; without it the whole text is read."


def read_text(text: str, *, view: View) -> Extracted:
    """Show text as it came."""
    return shown(text, view=view)


def read_markdown(text: str, *, view: View) -> Extracted:
    """Show Markdown without its comments; front matter or the first heading names it, front matter dates it."""
    said, text = front_matter(text.replace("\r\n", "\n"))
    text, hidden = uncommented(text)
    found = _HEADING.search(text[:10_000])
    info = PageInfo(
        author=clean_line(said.get("author", ""), limit=200),
        description=clean_line(said.get("description", ""), limit=1000),
        published=iso_date(said.get("date", "") or said.get("published", "")),
        language=clean_line(said.get("lang", "") or said.get("language", ""), limit=35),
    )
    title = clean_line(said.get("title", ""), limit=300) or (clean_line(found[1], limit=300) if found else "")
    return shown(text, view=view, title=title, info=info, hidden=hidden)


def read_source(text: str, *, view: View, language: str) -> Extracted:
    """Show code in a fence that names its language; not a blank of it is changed."""
    text, hidden = clean(text)
    if view.format == "markdown" and text.strip():
        text = fenced(text.strip("\n").rstrip(), language)
    return shown(text, view=view, hidden=hidden)


def fenced(text: str, language: str) -> str:
    """Text in a fence that it cannot close itself."""
    marks = "`" * max((3, *(len(found[1]) + 1 for found in _FENCE.finditer(text) if found[1][0] == "`")))
    return f"{marks}{language}\n{text}\n{marks}"


def front_matter(text: str) -> tuple[dict[str, str], str]:
    """The plain fields that stand before a text between two marks, and the text behind them."""
    text = text.removeprefix("\ufeff")
    mark = text[:3]
    if mark not in {"---", "+++"} or text[3:4] != "\n":
        return {}, text
    end = text.find(f"\n{mark}\n", 3, _FRONT_CHARS)
    if end < 0:
        return {}, text
    fields: dict[str, str] = {}
    for line in text[4:end].splitlines():
        if found := _FIELD.fullmatch(line.rstrip()):
            fields.setdefault(found[1].lower(), found[2].strip().strip("\"'[]"))
    return (fields, text[end + len(mark) + 2 :]) if ":" in text[:end] or "=" in text[:end] else ({}, text)


def uncommented(text: str) -> tuple[str, int]:
    """Markdown without comments and hidden elements, which no reader of the page sees, and how many; code keeps all."""
    kept: list[str] = []
    hidden, at = 0, 0
    while found := _COMMENT.search(text, at):
        start = found.start()
        opened = _fence_before(text, at, start)
        end = _fence_end(text, *opened) if opened else found.end()
        if not opened and not _is_in_code(text, at, start) and (not found[1] or _HIDES.search(found[0])):
            end = _end_of(text, found)
            kept.append(text[at:start])
            hidden += 1
        else:
            kept.append(text[at:end])
        at = end
    kept.append(text[at:])
    return "".join(kept), hidden


def _end_of(text: str, found: re.Match[str]) -> int:
    """The place behind a comment or an element; one that is never closed takes the rest along, as in a browser."""
    if found[0] == "<!--":
        end = text.find("-->", found.start())
        return len(text) if end < 0 else end + 3
    if not found[1] or found[1].lower() in _VOID:
        return found.end()
    closed = re.compile(rf"</{found[1]}\s*>", re.IGNORECASE).search(text, found.end())
    return closed.end() if closed else len(text)


def _is_in_code(text: str, start: int, stop: int) -> bool:
    """Whether a comment's first sign stands in code within its line."""
    line = text[max(text.rfind("\n", max(start, stop - 500), stop) + 1, start) : stop]
    return line.count("`") % 2 == 1 and "```" not in line


def _fence_before(text: str, start: int, stop: int) -> tuple[int, str] | None:
    """The fence that is open at `stop`: the end of its opening marks, and the marks."""
    opened: tuple[int, str] | None = None
    for mark in _FENCE.finditer(text, start, stop):
        if opened is None:
            opened = mark.end(), mark[1]
        elif mark[1].startswith(opened[1]):
            opened = None
    return opened


def _fence_end(text: str, start: int, marks: str) -> int:
    """The place behind the fence that began before `start`."""
    return next((mark.end() for mark in _FENCE.finditer(text, start) if mark[1].startswith(marks)), len(text))


def shown(text: str, *, view: View, title: str = "", info: PageInfo | None = None, hidden: int = 0) -> Extracted:
    """Clean a text that has no markup and put it into the wanted form."""
    text, unseen = clean(text)
    text = text.strip("\n").rstrip()
    if not text.strip():
        raise EmptyPage("The document holds no text.", hint="Check the address or look for another source.")
    about, hidden = info or PageInfo(), hidden + unseen
    if view.selector:
        return Extracted(outcome=Outcome.NO_MATCH, title=title, info=about, hidden=hidden, message=NO_ELEMENTS)
    return Extracted(title=title, text=_formed(text, view.format), info=about, hidden=hidden)


def _formed(text: str, form: Format) -> str:
    return f"<pre>{escape(text, quote=False)}</pre>" if form == "html" else text
