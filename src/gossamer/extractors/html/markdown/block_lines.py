"""Block lines: quotes and list items around a block become the prefixes of its lines."""

from collections.abc import Sequence
from dataclasses import dataclass

MAX_FRAMES = 12
"""Quotes and items nested deeper than this are written at this depth: each level makes every line longer."""


@dataclass(slots=True)
class Numbering:
    """A list that is being written."""

    number: int | None
    """The number of the next item; None in a list without numbers."""
    is_nested: bool
    is_loose: bool = False
    """Whether an item held several blocks, so that items are set apart."""
    has_items: bool = False

    def marker(self) -> str:
        """What the next item begins with."""
        if self.number is None:
            return "- "
        self.number += 1
        return f"{self.number - 1}. "


@dataclass(slots=True)
class Frame:
    """A quote or a list item: what its first line begins with, and what every later one does."""

    first: str
    rest: str
    list: Numbering | None = None
    is_used: bool = False


class Lines:
    """The lines written so far, and the frames that the next ones stand in."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._frames: list[Frame | None] = []
        self._depth = 0

    def enter(self, frame: Frame) -> None:
        """Open a frame; its first line comes with the first block in it."""
        if self._depth >= MAX_FRAMES:
            self._frames.append(None)
            return
        enclosing = self._frames[-1] if self._frames else None
        if enclosing and frame.list and enclosing.list and not enclosing.is_used:
            enclosing.first = enclosing.rest = ""  # an item that begins with a list is that list
            enclosing.is_used = True
        self._frames.append(frame)
        self._depth += 1

    def leave(self) -> None:
        """Close the frame opened last."""
        if self._frames.pop():
            self._depth -= 1

    @property
    def is_empty(self) -> bool:
        """Whether nothing was written yet."""
        return not self._lines

    @property
    def is_in_item(self) -> bool:
        """Whether the next block stands in a list item."""
        return any(frame and frame.list for frame in self._frames[-1:])

    def add(self, lines: Sequence[str]) -> None:
        """Write a block, a blank line before it unless it is the next item of a dense list."""
        frames = [frame for frame in self._frames[: MAX_FRAMES * 2] if frame]
        is_dense = self._is_dense(frames)
        if self._lines and not is_dense:
            self._lines.append("".join(frame.rest for frame in frames if frame.is_used).rstrip())
        first = "".join(frame.rest if frame.is_used else frame.first for frame in frames)
        rest = "".join(frame.rest for frame in frames)
        bare = rest.rstrip()
        for frame in frames:
            frame.is_used = True
        self._lines.append(f"{first}{lines[0]}" if lines[0] else first.rstrip())
        self._lines.extend(f"{rest}{line}" if line else bare for line in lines[1:])

    def _is_dense(self, frames: Sequence[Frame]) -> bool:
        new = next((frame for frame in frames if not frame.is_used), None)
        if new is None:
            if frames and (numbering := frames[-1].list):
                numbering.is_loose = True
            return False
        numbering = new.list
        if numbering is None:
            return False
        is_first, numbering.has_items = not numbering.has_items, True
        return numbering.is_nested if is_first else not numbering.is_loose

    def text(self) -> str:
        """All of it."""
        return "\n".join(self._lines)
