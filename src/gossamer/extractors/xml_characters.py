"""Characters that a page may hold and XML may not: the tree takes them from its parser and refuses them from us.

Each is replaced by one that the tree takes and that means the same to `characters.clean`, which takes it out later and
counts what it hid: an escape sequence of a terminal stays one, a form feed ends a line.
"""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gossamer.extractors.tree import Element

_REFUSED = re.compile("\x1b([@-_])|[\x01-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_WRITTEN = re.compile(
    r"[\x01-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]"
    r"|&#(?:0*(?:[12]?[0-9]|3[01])(?![0-9])|x0*1?[0-9a-f](?![0-9a-f])|(?:0*5[5-7]|0*6553[45]|x0*d[89a-f]|x0*fff[ef]))",
    re.IGNORECASE,
)
"""How such a character is written in a page: as it is, or by its number; other numbers may fit as well."""
_LINE_ENDS, _BELL = "\x0b\x0c", "\x07"
_TO_ONE_CHARACTER = 0x40
"""From the letter behind an escape to the single character that says the same."""
_INVISIBLE, _ENDS_STRING = "\ufff0", "\x9c"


def replace_refused(page: "Element", source: str) -> None:
    """Make every text and attribute of a page one that can be written into its tree again."""
    if not _WRITTEN.search(source):
        return
    for el in page.iter():
        if el.text and _REFUSED.search(el.text):
            el.text = _REFUSED.sub(_replacement, el.text)
        if el.tail and _REFUSED.search(el.tail):
            el.tail = _REFUSED.sub(_replacement, el.tail)
        for name, value in el.attrib.items():
            if _REFUSED.search(value):
                el.set(name, _REFUSED.sub(_replacement, value))


def _replacement(refused: re.Match[str]) -> str:
    sign = refused[0]
    if refused[1]:
        return chr(ord(refused[1]) + _TO_ONE_CHARACTER)
    if sign == _BELL:
        return _ENDS_STRING
    return "\n" if sign in _LINE_ENDS else _INVISIBLE
