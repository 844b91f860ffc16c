"""A call: who asks, until when, within which budget; the clock it is measured by, and the log of what happened."""

import math
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Protocol

from gossamer.errors import GossamerError, Outcome
from gossamer.ports.redact import redacted

OWNERS = frozenset({"local", "cli"})
"""The user of this machine; every other caller shares the server, and with it the store, with strangers."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Caller:
    """One user of a server: a name for limits, cursors and logs, and the tools it may call."""

    name: str = "local"
    tools: frozenset[str] | None = None
    """Names of the tools it may call; None: every one that is published."""

    def may_call(self, tool: str) -> bool:
        """Whether a tool is open to this caller."""
        return self.tools is None or tool in self.tools

    @property
    def is_owner(self) -> bool:
        """Whether this is the machine's own user, to whom the kept pages belong and whom no limit per user binds."""
        return self.name in OWNERS


LOCAL = Caller()
"""The user of this machine, who started the server: stdio, and whoever reaches HTTP on loopback without tokens."""


class Clock(Protocol):
    """The time, as tests may set it."""

    def now(self) -> float:
        """UTC seconds, for what is written down."""
        ...

    def monotonic(self) -> float:
        """Seconds that never jump, for deadlines."""
        ...


Progress = Callable[[float, float | None, str], Awaitable[None]]


async def no_progress(_done: float, _total: float | None, _message: str) -> None:
    """Report to nobody."""


STAGE_PART = "stage."
"""Begins the name of a part that is a stage of reading a page, recorded where it failed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """One piece of work inside a call, for the log event."""

    name: str
    outcome: Outcome
    ms: int
    bytes: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelUse:
    """What a call had a model write, and what that took."""

    model: str
    service: str
    """Who saw the question."""
    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


class CallLog:
    """What happened during a call: its parts for the log event, and notes for the caller."""

    def __init__(self, parts: list[Part] | None = None) -> None:
        self.parts = [] if parts is None else parts
        self.model_use: ModelUse | None = None
        """Set where a model was asked to write."""
        self.notes: list[str] = []
        """What the caller should hear beside the result: readings of arguments, stale pages, unsaved pages."""

    def note(self, text: str) -> None:
        """Add a note beside the result, once; notes with one cause, in whole sentences, are joined."""
        if text in self.notes:
            return
        lack, _, cause = text.partition(": ")
        for place, known in enumerate(self.notes):
            lacks, _, same = known.partition(": ")
            if cause == same and ". " in cause:
                noted = lacks.split("; ")
                known_lacks = {each.casefold() for each in noted}
                more = [each for each in lack.split("; ") if each.casefold() not in known_lacks]
                self.notes[place] = f"{'; '.join([*noted, *map(_inner, more)])}: {cause}"
                return
        self.notes.append(text)


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """Who asks, until when, within which budget; handed through every engine method.

    Cancelling the task that runs a call stops all that awaits; `cancelled` tells the same to work in threads.
    """

    clock: Clock
    caller: str = "local"
    request: str = ""
    """The id of the request, for the log."""
    deadline: float = math.inf
    """On the clock's monotonic scale."""
    time_setting: str = ""
    """The operator's setting that the deadline follows from, for messages that name it."""
    max_tokens: int = 20_000
    progress: Progress = no_progress
    cancelled: threading.Event = field(default_factory=threading.Event)
    log: CallLog = field(default_factory=CallLog)

    @property
    def remaining_s(self) -> float:
        """Seconds left, never negative."""
        return max(0.0, self.deadline - self.clock.monotonic())

    @property
    def is_owner(self) -> bool:
        """Whether the user of this machine asks, who may hear all about it."""
        return self.caller in OWNERS

    @property
    def tenant(self) -> str:
        """The name that keeps one user's records apart from another's; empty for the owner of the machine."""
        return "" if self.is_owner else self.caller

    def within(self, seconds: float) -> "Call":
        """The same call with at most `seconds` left; it shares log and cancellation."""
        return replace(self, deadline=min(self.deadline, self.clock.monotonic() + seconds))

    def note_failure(self, lack: str, error: GossamerError, more: str = "") -> None:
        """Say what an error is to blame for, as far as this caller may hear of it."""
        self.log.note(f"{lack}: {error if self.is_owner else redacted(error)} {more}".strip())

    def record(self, name: str, outcome: Outcome, *, since: float, size: int = 0) -> None:
        """Add a part that began at `since` (monotonic) to the log event."""
        self.log.parts.append(Part(name=name, outcome=outcome, ms=self.ms_since(since), bytes=size))

    def ms_since(self, started: float) -> int:
        """Milliseconds since a moment of the monotonic clock."""
        return round((self.clock.monotonic() - started) * 1000)


def _inner(lack: str) -> str:
    """As it is said within a sentence."""
    return lack[0].lower() + lack[1:] if lack.startswith(("The ", "Other ")) else lack
