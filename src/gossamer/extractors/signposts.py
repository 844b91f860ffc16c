"""Links and pictures that stand in Markdown, as the view wants them: absolute, or as their words alone."""

import re

from gossamer.extractors.writing.tidy import absolute
from gossamer.model.page import View

_FENCE = re.compile(r"[ \t]{0,3}(`{3,}|~{3,})")
_CODE = re.compile(r"(`+)(?!`).{0,2000}?(?<!`)\1(?!`)")
_TARGET = r"""\(\s?<?([^\s()<>]{0,2000}(?:\([^\s()<>]{0,200}\))?)>?(?:\s(?:"[^"\n]{0,300}"|'[^'\n]{0,300}'))?\s?\)"""
_IMAGE = re.compile(rf"!\[([^\[\]\n]{{0,500}})\]{_TARGET}")
_LINK = re.compile(rf"(?<![!\\])\[([^\[\]\n]{{0,500}})\]{_TARGET}")


def led(text: str, view: View, *, url: str) -> str:
    """The same text with every link absolute or plain, and every picture as it is wanted; code is left alone."""
    lines: list[str] = []
    fence = ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
            lines.append(line)
        else:
            lines.append(_led_line(line, view, url) if not fence and "](" in line else line)
    return "\n".join(lines)


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
