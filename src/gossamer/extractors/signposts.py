"""Links and pictures that stand in Markdown, as the view wants them: absolute, or as their words alone."""

import re

from gossamer.extractors.writing.tidy import absolute
from gossamer.model.page import View

_LINE = re.compile(r"[^\n]+")
_FENCE = re.compile(r"[ \t]{0,3}(`{3,}|~{3,})")
_CODE = re.compile(r"(`+)(?!`).{0,2000}?(?<!`)\1(?!`)")
_TARGET = r"""\(\s?<?([^\s()<>]{0,2000}(?:\([^\s()<>]{0,200}\))?)>?(?:\s(?:"[^"\n]{0,300}"|'[^'\n]{0,300}'))?\s?\)"""
_IMAGE = re.compile(rf"!\[([^\[\]\n]{{0,500}})\]{_TARGET}")
_LINK = re.compile(rf"(?<![!\\])\[([^\[\]\n]{{0,500}})\]{_TARGET}")


def led(text: str, view: View, *, url: str) -> str:
    """The same text with every link absolute or plain, and every picture as it is wanted; code is left alone."""
    pieces: list[str] = []
    fence, kept = "", 0
    for line in _LINE.finditer(text) if "](" in text else ():
        start, end = line.span()
        mark = _FENCE.match(text, start, end)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        elif not fence and "](" in line[0]:
            pieces += [text[kept:start], _led_line(line[0], view, url)]
            kept = end
    return "".join((*pieces, text[kept:]))


def _led_line(line: str, view: View, url: str) -> str:
    def picture(found: re.Match[str]) -> str:
        address = absolute(found[2], url) if view.include_images else ""
        return f"![{found[1]}]({address})" if address else found[1] if view.include_images else ""

    def link(found: re.Match[str]) -> str:
        is_near = not found[2] or found[2].startswith("#")
        address = absolute(found[2], url) if view.include_links and not is_near and found[1] else ""
        return f"[{found[1]}]({address})" if address else found[1]

    pieces: list[str] = []
    at = 0
    for code in _CODE.finditer(line):
        pieces += [_LINK.sub(link, _IMAGE.sub(picture, line[at : code.start()])), code[0]]
        at = code.end()
    return "".join((*pieces, _LINK.sub(link, _IMAGE.sub(picture, line[at:]))))
