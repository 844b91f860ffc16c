"""First reads and cached ones, told apart in the log."""

from collections.abc import Sequence
from dataclasses import dataclass

from gossamer.errors import Outcome
from gossamer.model.page import Page
from gossamer.ports import Call

_WORK = frozenset({"page", "embed"})
"""Parts of a call that a page read before does without."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Watch:
    """A reading under way."""

    call: Call
    began: float
    parts: int
    """How many parts the call had before."""

    @classmethod
    def start(cls, call: Call) -> "Watch":
        """From now on."""
        return cls(call=call, began=call.clock.monotonic(), parts=len(call.log.parts))

    def stop(self, pages: Sequence[Page]) -> None:
        """Add the reading to the log event: `first_read` if a page was fetched or given vectors, else `cached_read`."""
        is_first = any(part.name in _WORK for part in self.call.log.parts[self.parts :])
        name = "first_read" if is_first else "cached_read"
        self.call.record(name, Outcome.OK, since=self.began, size=sum(len(page.text) for page in pages))
