"""Text direction: text that a style reverses is read backwards, and the other way round.

A short piece is told as its reader sees it, which is how some pages write addresses of mail. A long one, or one of
several pieces, breaks into lines that nobody can read.
"""

import unicodedata
from collections.abc import Mapping
from itertools import islice

from gossamer.extractors.html.tree import Element, attr
from gossamer.extractors.html.visibility.css.cascade import Cascade, Style

_OVERRIDES = frozenset({"bidi-override", "isolate-override"})
_LONGEST = 80
_MOST_PIECES = 1_000
_LOOKED_AT = 1_000
_MIRRORED = str.maketrans("()[]{}<>", ")(][}{><")
_LEFT, _RIGHT = frozenset({"L"}), frozenset({"R", "AL"})


def is_turned(el: Element, style: Style) -> bool:
    """Whether the signs of an element follow one another as the style says, whatever they are."""
    return style.get("unicode-bidi", "isolate-override" if el.tag == "bdo" else "") in _OVERRIDES


class Directions:
    """Which way the text of elements runs, asked where it is turned."""

    def __init__(self, cascade: Cascade) -> None:
        self._cascade = cascade
        self._known: dict[Element, str] = {}

    def settle(self, turned: Mapping[Element, Style]) -> int:
        """Show turned text as its reader sees it, or not at all; gives how many texts are gone."""
        hidden = 0
        for el, style in turned.items():
            pieces = _pieces(el)
            if not pieces or not _runs_against("".join(pieces), self._of(el, style)):
                continue
            holder = next((part for part in el.iter("*") if (part.text or "").strip()), None)
            if len(pieces) == 1 and len(pieces[0]) <= _LONGEST and holder is not None:
                holder.text = pieces[0][::-1].translate(_MIRRORED)
                continue
            hidden += 1
            for part in el.iter():
                part.text, part.tail = "", part.tail if part is el else ""
        return hidden

    def _of(self, el: Element, style: Style) -> str:
        if style.get("direction", "") in {"ltr", "rtl"}:
            return style["direction"]
        path, direction = list[Element](), "ltr"
        for up in (el, *el.iterancestors()):
            if up in self._known:
                direction = self._known[up]
                break
            path.append(up)
            declared = self._cascade.of(up).get("direction", "") or attr(up, "dir").strip().lower()
            if declared in {"ltr", "rtl"}:
                direction = declared
                break
        self._known.update(dict.fromkeys(path, direction))
        return direction


def _pieces(el: Element) -> list[str]:
    """The texts in an element; of very many the first."""
    pieces: list[str] = []
    for text in islice(el.itertext(), _MOST_PIECES):
        pieces += [text] if text.strip() else []
        if len(pieces) > 1:
            break
    return pieces


def _runs_against(text: str, direction: str) -> bool:
    """Whether most letters of a text run the other way."""
    kinds = [unicodedata.bidirectional(sign) for sign in text[:_LOOKED_AT]]
    left, right = (sum(kind in way for kind in kinds) for way in (_LEFT, _RIGHT))
    return right > left if direction == "ltr" else left > right
