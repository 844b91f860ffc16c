"""A minimal HTML tag scanner for results pages: finds elements by name and class, in linear time."""

import html
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)(?![a-zA-Z0-9])([^<>]*)>")
"""A name is never cut short to try again: one without end would be gone through once for each of its letters."""
_ATTRIBUTE = re.compile(r'(?<![a-zA-Z-])([a-zA-Z-]+)="([^"]*)"')


class Tag(NamedTuple):
    """A tag of the page, and where it stands."""

    name: str
    is_end: bool
    attributes: Mapping[str, str]
    start: int
    end: int

    @property
    def classes(self) -> frozenset[str]:
        """The classes it has."""
        return frozenset(self.attributes.get("class", "").split())


def tags_of(text: str) -> list[Tag]:
    """Every tag in its order."""
    return [
        Tag(match[2].lower(), bool(match[1]), _attributes(match[3]), match.start(), match.end())
        for match in _TAG.finditer(text)
    ]


def inside(tags: Sequence[Tag], place: int, text: str) -> str:
    """What stands between a tag and the next of its name; nothing when there is none."""
    start, name = tags[place].end, tags[place].name
    return text[start : next((tags[at].start for at in range(place + 1, len(tags)) if tags[at].name == name), start)]


def _attributes(text: str) -> dict[str, str]:
    return {name.lower(): html.unescape(value) for name, value in _ATTRIBUTE.findall(text)}
