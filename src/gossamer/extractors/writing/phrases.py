"""What stands within a line: emphasis, code, links, pictures, breaks, and signs raised above it."""

from collections.abc import Callable, Mapping
from itertools import islice
from typing import ClassVar

from gossamer.extractors.tree import Element, attr
from gossamer.extractors.writing.inline import Inline

_MARKS: Mapping[str, str] = {
    "b": "**",
    "strong": "**",
    "i": "*",
    "em": "*",
    "var": "*",
    "cite": "*",
    "dfn": "*",
    "del": "~~",
    "s": "~~",
    "strike": "~~",
}
_CODES = frozenset({"code", "kbd", "samp", "tt"})
_MAX_PIECES = 20
"""A raised text of more pieces is no power."""


class Phrases:
    """Writes the elements of a line. Where one begins, the answer says whether to look inside it."""

    def __init__(self, *, is_plain: bool) -> None:
        self.inline = Inline(is_plain=is_plain)

    def _mark(self, el: Element) -> bool:
        self.inline.start(_MARKS[el.tag])
        return True

    def _mark_ends(self, _: Element) -> None:
        self.inline.end()

    def _code(self, el: Element) -> bool:
        """Code in a line; a link round all of it goes outside, since nothing is marked inside code."""
        text = "".join(el.itertext())
        link = next(el.iter("a"), None)
        is_linked = link is not None and attr(link, "href") and "".join(link.itertext()).strip() == text.strip()
        self.inline.start("[" if is_linked else "", attr(link, "href") if link is not None else "")
        self.inline.code(text)
        self.inline.end()
        return False

    def _link(self, el: Element) -> bool:
        self.inline.start("[" if attr(el, "href") else "", attr(el, "href"))
        return True

    def _image(self, el: Element) -> bool:
        self.inline.image(attr(el, "alt"), attr(el, "src"))
        return False

    def _break(self, _: Element) -> bool:
        self.inline.line_break()
        return False

    def _raised(self, el: Element) -> bool:
        """A power is told from a number by its sign; endings and notes stand as they are."""
        pieces = list(islice(el.itertext(), _MAX_PIECES + 1))
        text = "".join(pieces).strip() if len(pieces) <= _MAX_PIECES else ""
        is_power = (
            text and not text.startswith(("[", "(")) and "<" not in text and "]" not in text and not _is_ending(text)
        )
        if is_power and next(el.iter("a"), None) is None:
            self.inline.literal(f"^{text}" if text.isalnum() else f"^({text})")
            return False
        return True

    def _quoted(self, _: Element) -> bool:
        self.inline.literal("“")
        return True

    def _quoted_ends(self, _: Element) -> None:
        self.inline.literal("”")

    def _reading(self, _: Element) -> bool:
        self.inline.literal("(")
        return True

    def _reading_ends(self, _: Element) -> None:
        self.inline.literal(")")

    BEGIN: ClassVar[Mapping[str, Callable[..., bool]]] = {
        **dict.fromkeys(_MARKS, _mark),
        **dict.fromkeys(_CODES, _code),
        "a": _link,
        "img": _image,
        "br": _break,
        "sup": _raised,
        "q": _quoted,
        "rt": _reading,
    }
    END: ClassVar[Mapping[str, Callable[..., None]]] = {
        **dict.fromkeys((*_MARKS, "a"), _mark_ends),
        "q": _quoted_ends,
        "rt": _reading_ends,
    }


def _is_ending(text: str) -> bool:
    """Whether raised text is an ending like `th`, or a sign like `TM`."""
    return (len(text) > 1 and text.isalpha()) or text in {"®", "©", "™", "*", "†", "‡", "°"}
