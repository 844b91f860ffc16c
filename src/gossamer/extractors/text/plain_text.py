"""Plain text, Markdown and source code: shown as they are, without what their reader would not see."""

import re
from html import escape

from gossamer.errors import EmptyPage, Outcome
from gossamer.extractors.html.metadata.head import iso_date
from gossamer.extractors.html.walls import bot_block_in
from gossamer.extractors.invisible_characters import clean, clean_line
from gossamer.extractors.text.disarm import disarmed
from gossamer.extractors.text.link_references import rewrite_links, take_definitions
from gossamer.extractors.text.markdown_hidden import strip_hidden_markup
from gossamer.model.page import Extracted, Format, PageInfo, View

_HEADING = re.compile(r"^#\s+(.+)$", re.MULTILINE)
_FIRST_CHARS = 1_000
_UNDERLINED = re.compile(
    r"(?:[=~*#^\"-]{3,200}[ \t]*\r?\n)?[ \t]*(\S[^\r\n]{2,200})\r?\n([=~*#^\"-])\2{2,200}[ \t]*(?:\r?\n|$)"
)
"""How reStructuredText, and many a plain text, write their title."""
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})", re.MULTILINE)
_FRONT_CHARS = 20_000
_FIELD = re.compile(r"(title|date|published|author|description|lang|language)\s*[:=]\s*(.+)", re.IGNORECASE)
NO_ELEMENTS = "The document has no elements that a selector could match; without it the whole text is read."


def read_text(text: str, *, view: View) -> Extracted:
    """Show text as it came, unless it is nothing but a word to be gone."""
    wall = bot_block_in(text)
    if wall is not None:
        raise wall
    named = _UNDERLINED.match(text[:_FIRST_CHARS].lstrip("\ufeff\r\n"))
    return shown(text, view=view, title=clean_line(named[1], limit=300) if named else "")


def read_markdown(text: str, *, view: View, url: str = "") -> Extracted:
    """Show Markdown without its comments; front matter or the first heading names it, front matter dates it.

    With the address it came from its links are absolute, as those of a web page are.
    """
    fields, text = front_matter(text.replace("\r\n", "\n"))
    text, unseen = clean(text)
    text, hidden = strip_hidden_markup(text)
    if url:
        text, defined, untold = take_definitions(text)
        text, hidden = rewrite_links(text, view, url=url, defined=defined), hidden + untold
    match = _HEADING.search(text[:10_000])
    info = PageInfo(
        author=clean_line(fields.get("author", ""), limit=200),
        description=clean_line(fields.get("description", ""), limit=1000),
        published=iso_date(fields.get("date", "") or fields.get("published", "")),
        language=clean_line(fields.get("lang", "") or fields.get("language", ""), limit=35),
    )
    title = clean_line(fields.get("title", ""), limit=300) or (clean_line(match[1], limit=300) if match else "")
    return shown(text, view=view, title=title, info=info, hidden=hidden + unseen, is_markdown=True)


def read_source(text: str, *, view: View, language: str) -> Extracted:
    """Show code in a fence that names its language; not a blank of it is changed."""
    text, hidden = clean(text)
    if view.format == "markdown" and text.strip():
        text = fenced(text.strip("\n").rstrip(), language)
    return shown(text, view=view, hidden=hidden)


def fenced(text: str, language: str) -> str:
    """Text in a fence that it cannot close itself."""
    marks = "`" * max((3, *(len(match[1]) + 1 for match in _FENCE.finditer(text) if match[1][0] == "`")))
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
        if match := _FIELD.fullmatch(line.rstrip()):
            fields.setdefault(match[1].lower(), match[2].strip().strip("\"'[]"))
    return (fields, text[end + len(mark) + 2 :]) if ":" in text[:end] or "=" in text[:end] else ({}, text)


def shown(
    text: str,
    *,
    view: View,
    title: str = "",
    info: PageInfo | None = None,
    hidden: int = 0,
    is_markdown: bool = False,
) -> Extracted:
    """Clean a text and put it into the wanted form; what is no Markdown stays text where Markdown is wanted."""
    text, unseen = clean(text)
    text = text.strip("\n").rstrip()
    if view.format == "markdown" and not (is_markdown and view.include_images):
        text = disarmed(text, is_markdown=is_markdown)
    if not text.strip():
        raise EmptyPage("The document holds no text.", hint="Check the address or look for another source.")
    about, hidden = info or PageInfo(), hidden + unseen
    if view.selector:
        return Extracted(outcome=Outcome.NO_MATCH, title=title, info=about, hidden=hidden, message=NO_ELEMENTS)
    return Extracted(title=title, text=_formed(text, view.format), info=about, hidden=hidden)


def _formed(text: str, form: Format) -> str:
    return f"<pre>{escape(text, quote=False)}</pre>" if form == "html" else text
