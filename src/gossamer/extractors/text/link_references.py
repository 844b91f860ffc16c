"""Links and images in Markdown, as the view wants them: absolute, or as their words alone.

Reference links become inline links. The definitions they name are shown to nobody, and go.
"""

import re
from collections.abc import Iterator, Mapping

from gossamer.extractors.html.markdown.normalise import absolute
from gossamer.model.page import View

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
"""A name that nothing refers to and that has as many words is a message to somebody."""


def take_definitions(text: str) -> tuple[str, dict[str, str], int]:
    """The text without definitions of links, their addresses by name, and how many of them told something unseen.

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
