"""Markdown escaping: text of a page that looks like Markdown or HTML stays text.

Signs of the page's own text that could make a mark are tagged while a paragraph is put together, since its pieces
may come from several elements; when it is whole, each becomes itself again, or itself behind a backslash.
"""

import re

from gossamer.extractors.invisible_characters import clean
from gossamer.steps.text.clean_line import HTML_NAMES

_CLOSE, _LESS = "\x02", "\x03"
_SIGN = re.compile(f"([{_CLOSE}{_LESS}])")
_LINKS = re.compile(_CLOSE + r"(?=\()")
_TARGET = re.compile(r"\(\s{0,50}(\S{0,300})\s{0,50}(.?)", re.DOTALL)
_LONG = 300
_DEFINES = re.compile(
    r"(?m)^(\[(?!\^)[^\[\]\n" + _CLOSE + r"]{1,999})" + _CLOSE + r"(?=:[ \t]*\S{1,2000}[ \t]*(?:[\"'(][^\n]{0,500})?$)"
)
_NAME = re.compile(r"/?([a-zA-Z][\w-]*)")
_SCHEME = re.compile(r"(?!https?:|mailto:)[a-zA-Z][a-zA-Z0-9+.-]{1,31}:[^\s<>" + _LESS + r"]*(?:>|\Z)", re.IGNORECASE)
_LOOKED_AT_CHARS = 300
_LINE_CHARS = 80
_CONTAINER = " \t>*+-.)0123456789"
"""The marks of quotes and lists, behind which a line begins anew."""


def marked(text: str) -> str:
    """Text of the page, its signs marked."""
    return text.replace("]", _CLOSE).replace("<", _LESS) if "]" in text or "<" in text else text


def settled(text: str) -> str:
    """Text with marked signs as themselves, or escaped where they would begin a tag or end the text of a link.

    What nobody sees goes before: it would otherwise stand between two signs until the page is cleaned.
    """
    if _CLOSE not in text and _LESS not in text:
        return text
    text = "".join(part if _SIGN.fullmatch(part) else clean(part)[0] for part in _SIGN.split(text))
    if "[" in text:
        text = _DEFINES.sub(_close, _LINKS.sub(_link, text))
    return re.sub(_LESS, _less, text.replace(_CLOSE, "]"))


def _link(match: re.Match[str]) -> str:
    """A bracket before another one: one word in that, alone or with a title in quotes, makes a link."""
    target = _TARGET.match(match.string, match.end())
    if target is None:
        return match[0]
    word, after = target.groups()
    is_link = ")" in word or after in {")", '"', "'", "("} or len(word) == _LONG or word.startswith(_LESS)
    return _close(match) if is_link else match[0]


def _close(match: re.Match[str]) -> str:
    """A bracket behind a backslash; one that has one already is no end of a text."""
    before = match[0][:-1]
    return f"{before}]" if is_escaped(match.string, match.end() - 1) else f"{before}\\]"


def _less(sign: re.Match[str]) -> str:
    is_tag = begins_a_tag(sign.string, sign.start()) and not is_escaped(sign.string, sign.start())
    return "\\<" if is_tag else "<"


def is_escaped(text: str, at: int) -> bool:
    """Whether an odd number of backslashes stands right before a place."""
    start = at
    while start and text[start - 1] == "\\":
        start -= 1
    return (at - start) % 2 == 1


def _is_alone(text: str, start: int, end: int) -> bool:
    """Whether a sign begins a line and its end ends it: of whatever name, such a tag makes what follows it HTML."""
    before = text[max(0, start - _LINE_CHARS) : start].rpartition("\n")[2]
    after = text[end + 1 : end + 1 + _LINE_CHARS].partition("\n")[0]
    return not before.strip(_CONTAINER) and not after.strip()


def begins_a_tag(text: str, at: int) -> bool:
    """Whether what follows is a tag, a comment or an address in angle brackets; `Vec<T>` and `a < b` are none."""
    if not (text[at + 1 : at + 2].isalpha() or text[at + 1 : at + 2] in {"/", "!", "?"}):
        return False
    rest = text[at + 1 : at + 1 + _LOOKED_AT_CHARS]
    if rest[0] in "!?":
        return rest[0] == "?" or rest[1:2].isalpha() or rest.startswith(("!--", "![CDATA["))
    name = _NAME.match(rest)
    if name is None:
        return False
    after, end = rest[name.end() : name.end() + 1], rest.find(">")
    if end >= 0 and _is_alone(text, at, at + 1 + end):
        return True
    is_open = end < 0 and len(rest) < _LOOKED_AT_CHARS
    if name[1].lower() in HTML_NAMES and (not after or after.isspace() or after in "/>"):
        return not is_open or at == 0 or text[at - 1] == "\n"
    if after.isspace():
        return not is_open and "=" in (rest[: end + 1] if end >= 0 else rest)
    return _SCHEME.match(rest) is not None and not is_open
