"""Plain text, Markdown and source code: shown as they are, without what their reader would not see.

Links and images in Markdown become what the view wants: absolute, or their words alone. Reference links become inline
links. The definitions they name are shown to nobody, and go.
"""

import re
from collections.abc import Iterator, Mapping
from html import escape

from gossamer.errors import EmptyPage, Outcome
from gossamer.extractors.html.markdown.normalise import absolute
from gossamer.extractors.html.metadata.head import iso_date
from gossamer.extractors.html.walls import bot_block_in
from gossamer.extractors.invisible_characters import clean, clean_line
from gossamer.extractors.text.markdown_hidden import strip_hidden_markup
from gossamer.extractors.text.sanitise import sanitised
from gossamer.model.page import Extracted, Format, PageInfo, View

_FENCE = re.compile(r"[ \t]{0,3}(`{3,}|~{3,})")
_CODE = re.compile(r"(`+)(?!`).{0,2000}?(?<!`)\1(?!`)")
_TARGET = r"""\(\s?<?([^\s()<>]{0,2000}(?:\([^\s()<>]{0,200}\))?)>?(?:\s(?:"[^"\n]{0,300}"|'[^'\n]{0,300}'))?\s?\)"""
_IMAGE = re.compile(rf"!\[([^\[\]\n]{{0,500}})\]{_TARGET}")
_LINK = re.compile(rf"(?<![!\\])\[([^\[\]\n]{{0,500}})\]{_TARGET}")


_LABEL = r"[ ]{0,3}\[(?!\^)([^\[\]\n]{1,999})\]:[ \t]*"
_TITLE = r"(?:\"[^\"\n]{0,2000}\"|'[^'\n]{0,2000}'|\([^()\n]{0,2000}\))"
_DEFINITION = re.compile(rf"{_LABEL}<?([^\s<>]{{1,2000}})>?(?:[ \t]+({_TITLE}))?[ \t]*")
_BEGUN = re.compile(_LABEL)
_ON_ITS_OWN = re.compile(rf"[ \t]+{_TITLE}[ \t]*")
_NAMED = re.compile(r"\[([^\[\]\n]{1,500})\]")
_BY_NAME = re.compile(r"(!?)(?<!\\)\[([^\[\]\n]{0,500})\](?:\[([^\[\]\n]{0,500})\])?(?![\[(:])")
_ANGLED = re.compile(r"(?<![\\\w])<((?!https?:|mailto:)[a-z][a-z0-9+.-]{1,31}:(?!:)[^\s<>]{0,2000})>", re.IGNORECASE)
_MESSAGE_WORDS = 5
"""A name that nothing refers to and that has as many words is a message to a reader."""
_HEADING = re.compile(r"^#\s+(.+)$", re.MULTILINE)
_FIRST_CHARS = 1_000
_UNDERLINED = re.compile(
    r"(?:[=~*#^\"-]{3,200}[ \t]*\r?\n)?[ \t]*(\S[^\r\n]{2,200})\r?\n([=~*#^\"-])\2{2,200}[ \t]*(?:\r?\n|$)"
)
"""How reStructuredText, and many a plain text, write their title."""
_FENCE_LINE = re.compile(r"^[ \t]*(`{3,}|~{3,})", re.MULTILINE)
_FRONT_CHARS = 20_000
_FIELD = re.compile(r"(title|date|published|author|description|lang|language)\s*[:=]\s*(.+)", re.IGNORECASE)
NO_ELEMENTS = "The document has no elements that a selector could match; without it the whole text is read."


def take_definitions(text: str) -> tuple[str, dict[str, str], int]:
    """The text without definitions of links, their addresses by name, and how many of them carried a hidden message.

    A definition stands behind an empty line, a heading or another one; its address and title may stand on their own.
    """
    if "]:" not in text:
        return text, {}, 0
    lines, defined, begun = list[str](), dict[str, str](), ""
    is_free, may_be_title = True, False
    for line, is_code in _lines(text):
        content = line.rstrip("\r\n")
        match = (
            _DEFINITION.fullmatch(begun + content.lstrip() if begun else content) if not is_code and is_free else None
        )
        if match:
            defined.setdefault(_name(match[1]), match[2])
            begun, may_be_title = "", not match[3]
        elif not is_code and may_be_title and _ON_ITS_OWN.fullmatch(content):
            may_be_title = False
        else:
            lines.append(f"{begun}\n" if begun else "")
            is_begun = not is_code and is_free and not begun and _BEGUN.fullmatch(content) is not None
            begun, may_be_title = content if is_begun else "", False
            lines.append("" if is_begun else line)
            is_free = is_begun or is_code or not content.strip() or content.startswith("#")
    lines.append(begun)
    text = "".join(lines)
    used = {_name(match[1]) for match in _NAMED.finditer(text)} if defined else set[str]()
    return text, defined, sum(len(name.split()) >= _MESSAGE_WORDS for name in defined if name not in used)


def _name(label: str) -> str:
    return " ".join(label.casefold().split())


def _lines(text: str) -> Iterator[tuple[str, bool]]:
    """The lines of a text, each with its end, and whether it is one of code between fences."""
    fence = ""
    for line in text.splitlines(keepends=True):
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
            yield line, True
        else:
            yield line, bool(fence)


def rewrite_links(text: str, view: View, *, url: str, defined: Mapping[str, str] | None = None) -> str:
    """The same text with every link absolute or plain, and every picture as it is wanted; code is left alone.

    `defined` are the addresses of links by reference.
    """
    named = defined or {}
    if "](" not in text and not named and not _ANGLED.search(text):
        return text
    return "".join(
        line
        if is_code or not ("](" in line or "<" in line or (named and "[" in line))
        else _led_line(line, view, url, named)
        for line, is_code in _lines(text)
    )


def _led_line(line: str, view: View, url: str, named: Mapping[str, str]) -> str:
    def pictured(words: str, target: str) -> str:
        address = absolute(target, url) if view.include_images else ""
        return f"![{words}]({address})" if address else words if view.include_images else ""

    def linked(words: str, target: str) -> str:
        is_near = not target or target.startswith("#")
        address = absolute(target, url) if view.include_links and not is_near and words else ""
        return f"[{words}]({address})" if address else words

    def by_name(match: re.Match[str]) -> str:
        name = _name(match[3] or match[2])
        if name not in named:
            return match[0]
        return (pictured if match[1] else linked)(match[2], named[name])

    def written(part: str) -> str:
        part = _IMAGE.sub(lambda match: pictured(match[1], match[2]), part)
        part = _ANGLED.sub(r"\1", part)
        part = _BY_NAME.sub(by_name, part) if named else part
        return _LINK.sub(lambda match: linked(match[1], match[2]), part)

    pieces: list[str] = []
    at = 0
    for code in _CODE.finditer(line):
        pieces += [written(line[at : code.start()]), code[0]]
        at = code.end()
    return "".join((*pieces, written(line[at:])))


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
    marks = "`" * max((3, *(len(match[1]) + 1 for match in _FENCE_LINE.finditer(text) if match[1][0] == "`")))
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
        text = sanitised(text, is_markdown=is_markdown)
    if not text.strip():
        raise EmptyPage("The document holds no text.", hint="Check the address or look for another source.")
    about, hidden = info or PageInfo(), hidden + unseen
    if view.selector:
        return Extracted(outcome=Outcome.NO_MATCH, title=title, info=about, hidden=hidden, message=NO_ELEMENTS)
    return Extracted(title=title, text=_formed(text, view.format), info=about, hidden=hidden)


def _formed(text: str, form: Format) -> str:
    return f"<pre>{escape(text, quote=False)}</pre>" if form == "html" else text
