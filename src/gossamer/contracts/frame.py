"""What surrounds page text in every result: budget, marks, notes, and the way to the rest."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from gossamer.errors import InvalidArgument
from gossamer.steps.cursor import Cursor, write_cursor
from gossamer.steps.mark import escape, unescaped_length
from gossamer.steps.tokens import count, cut

_SEAM = 2
"""Counting parts apart can miss this many tokens where two of them meet."""
_WIDEST = 12
"""Characters per token beyond which a text is not looked at: no prose or code comes near it."""
_SMALL = 600
"""Below this budget addresses are shortened in what is shown; `_meta` has them whole."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Frame:
    """The budget of a result and what it needs to be continued."""

    max_tokens: int
    notes: tuple[str, ...]
    key: bytes
    now: float
    cursor: Cursor

    def cursor_at(self, offset: int, **arguments: Any) -> str:
        """A signed cursor that goes on at `offset`."""
        return write_cursor(
            replace(self.cursor, offset=offset, arguments={**self.cursor.arguments, **arguments}), self.key
        )

    def source(self, url: str) -> str:
        """An address as the marks show it within this budget."""
        return url[:60] if self.max_tokens < _SMALL else url[:300]


def fit(text: str, start: int, budget: int, max_length: int) -> int:
    """The end of the longest slice from `start` that, escaped, stays within `budget` tokens and `max_length`."""
    window = text[start : start + min(max_length, budget * _WIDEST)]
    return start + unescaped_length(window, cut(escape(window), budget))


def note_lines(notes: Sequence[str], budget: int) -> str:
    """The notes as one line, cut to a share of the budget; empty when there are none."""
    if not notes:
        return ""
    line = f"Note: {' '.join(dict.fromkeys(notes))}"
    return line[: cut(line, max(32, budget // 6))]


def room(budget: int, *around: str) -> int:
    """The tokens that are left for page text between the parts around it."""
    return budget - sum(count(part) + _SEAM for part in around if part)


def too_small(needed: int) -> InvalidArgument:
    """The error for a budget that cannot hold a single item."""
    return InvalidArgument(
        "max_tokens is too small to show anything here.", hint=f"Give at least {min(20_000, needed)}."
    )
