"""Whether the text of a Word document can be seen: switched off, too small, or in the colour of its ground."""

import re
from dataclasses import dataclass

from gossamer.extractors.documents.xml import child, is_on, value, whole
from gossamer.extractors.sight.colours import Colour, ink_of, is_close
from gossamer.extractors.tree import Element

WHITE: Colour = (255, 255, 255)
_BLACK: Colour = (0, 0, 0)
_TINY = 4
"""In half points: no reader sees smaller letters."""
_HEX = re.compile(r"[0-9a-fA-F]{6}")
_BYTE = re.compile(r"[0-9a-fA-F]{2}")
_PAPER = frozenset({"background1", "light1", "bg1", "lt1"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Sight:
    """How text looks as far as it is known: what nothing is said of is None, and so is a ground of unknown colour."""

    is_hidden: bool | None = None
    ink: Colour | None = None
    ground: Colour | None = None
    size: int | None = None

    def over(self, around: "Sight") -> "Sight":
        """This look where it says something, else the one around it."""
        return Sight(
            is_hidden=around.is_hidden if self.is_hidden is None else self.is_hidden,
            ink=self.ink or around.ink,
            ground=self.ground or around.ground,
            size=around.size if self.size is None else self.size,
        )

    @property
    def is_unseen(self) -> bool:
        """Whether no reader sees text that looks so; a text of no colour of its own is set off by every program."""
        if self.is_hidden or (self.size is not None and self.size <= _TINY):
            return True
        return self.ink is not None and is_close(self.ink, self.ground or WHITE)


PLAIN = Sight()


def look_of(said: Element | None) -> Sight:
    """What the properties of a run, a paragraph or a cell say."""
    if said is None:
        return PLAIN
    hides, size, colour = child(said, "vanish"), child(said, "sz"), child(said, "color")
    return Sight(
        is_hidden=is_on(hides) if hides is not None else None,
        ink=_ink(colour) if colour is not None else None,
        ground=_marked(child(said, "highlight")) or _ground(child(said, "shd")),
        size=whole(value(size, "val"), otherwise=2 * _TINY) if size is not None else None,
    )


def _ink(colour: Element) -> Colour | None:
    """A colour of text; the paper's own by its name in the theme, unless it is darkened there."""
    if value(colour, "themeColor") in _PAPER:
        shade = value(colour, "themeShade")
        grey = int(shade, 16) if _BYTE.fullmatch(shade) else 255
        return grey, grey, grey
    return _colour(value(colour, "val"))


def _ground(shading: Element | None) -> Colour | None:
    """What text stands on; a pattern counts as the colour under it, unless it covers all of that."""
    kind = value(shading, "val") if shading is not None else "nil"
    if shading is None or kind == "nil":
        return None
    return _colour(value(shading, "color" if kind == "solid" else "fill")) or (_BLACK if kind == "solid" else None)


def _marked(highlight: Element | None) -> Colour | None:
    """The colour of a marker, of which Word knows sixteen by name."""
    name = value(highlight, "val").lower() if highlight is not None else "none"
    if name == "none":
        return None
    found = ink_of({"darkyellow": "olive"}.get(name, name))
    return found[:3] if found else None


def _colour(said: str) -> Colour | None:
    found = ink_of(f"#{said.lower()}") if _HEX.fullmatch(said) else None
    return found[:3] if found else None
