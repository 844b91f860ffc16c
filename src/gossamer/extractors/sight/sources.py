"""Where a page's style sheets stand: in its text, and in addresses that hold their own content."""

import base64
import binascii
import re
from collections.abc import Iterator
from urllib.parse import unquote_to_bytes

from gossamer.extractors.sight.media import is_for_screen
from gossamer.extractors.sight.styles import unescaped
from gossamer.extractors.tree import Element, attr

_DATA = re.compile(r"data:text/css[^,]{0,100},", re.IGNORECASE)
_BEFORE_IMPORT = re.compile(r"(?:\s|/\*.*?\*/|<!--|-->|@(?:charset|layer)\b[^;{}]*;)*", re.DOTALL | re.IGNORECASE)
_IMPORT = re.compile(
    r"@import\s*(?:url\(\s*)?(?:\"([^\"\n]*)\"|'([^'\n]*)'|([^\s\"'();]+(?:;base64,[^\s\"'();]+)?))\s*\)?([^;{}]*)(?:;|\Z)",
    re.IGNORECASE,
)
_CONDITION = re.compile(r"\b(?:layer|supports)\b(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?", re.IGNORECASE)
_MAX_IMPORTS = 20


def sheets(root: Element) -> Iterator[str]:
    """The text of the page's style sheets for screens: those of a browser that runs scripts."""
    for el in root.iter("style", "link"):
        if not is_for_screen(attr(el, "media")) or any(True for _ in el.iterancestors("noscript", "template")):
            continue
        if el.tag == "style" and attr(el, "type").strip().lower() in {"", "text/css"}:
            yield from _with_imports(el.text or "")
        elif "stylesheet" in attr(el, "rel").lower().split():
            yield from _with_imports(_data(attr(el, "href")))


def _with_imports(css: str) -> list[str]:
    """A sheet behind those that it imports, as far as their addresses hold them; the first of very many."""
    found: list[str] = []
    waiting = [css]
    while waiting and len(found) < _MAX_IMPORTS:
        sheet = waiting.pop()
        found.append(sheet)
        waiting.extend(_imported(sheet))
    found.reverse()
    return found


def _imported(css: str) -> list[str]:
    found: list[str] = []
    at = _end(_BEFORE_IMPORT.match(css))
    if css[at : at + 2].lower() not in {"@i", "@\\"}:
        return found
    css = unescaped(css)
    at = _end(_BEFORE_IMPORT.match(css))
    while len(found) < _MAX_IMPORTS and (said := _IMPORT.match(css, at)):
        address, condition = said[1] or said[2] or said[3] or "", _CONDITION.sub(" ", said[4])
        if is_for_screen(condition.strip()) and (sheet := _data(address)):
            found.append(sheet)
        at = _end(_BEFORE_IMPORT.match(css, said.end()))
    return found


def _end(found: re.Match[str] | None) -> int:
    return found.end() if found else 0


def _data(address: str) -> str:
    """The sheet inside a `data:` address; empty for any other."""
    head = _DATA.match(address.strip())
    if head is None:
        return ""
    body = unquote_to_bytes(address.strip()[head.end() :])
    if "base64" in head[0].lower():
        try:
            body = base64.b64decode(body, validate=False)
        except (binascii.Error, ValueError):
            return ""
    return body.decode("utf-8", "replace")
