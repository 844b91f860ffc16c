"""One event per request on stderr: what was done, how it ended, how long it took; never what was asked."""

import contextlib
import hashlib
import importlib
import logging
import os
import sys
from typing import Any

from gossamer.ports import Call

_LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40}
_SALT = os.urandom(16)
CANCELLED = "cancelled"
"""How a request ended that its client gave up: no outcome of ours."""


class EventLog:
    """Writes structured events from a level on; events without a reader are dropped and nothing fails."""

    def __init__(self, level: str) -> None:
        self._least = _LEVELS[level]
        self._logger: Any = None

    @property
    def tells_requests(self) -> bool:
        """Whether every request leaves an event."""
        return self._least <= _LEVELS["info"]

    def prepare(self) -> None:
        """Load now what writes events, so that no request has to."""
        importlib.import_module("structlog")

    def request(
        self, *, call: Call, tool: str, outcome: str, started: float, asked: str, count: int | None = None
    ) -> None:
        """The event of one finished request; `asked` leaves only a salted hash behind, `count` says how many came."""
        self._write(
            "info",
            "request",
            request=call.request,
            tool=tool,
            **({} if call.caller == "local" else {"caller": call.caller}),
            outcome=outcome,
            ms=round((call.clock.monotonic() - started) * 1000),
            parts=[{"name": p.name, "outcome": p.outcome.value, "ms": p.ms, "bytes": p.bytes} for p in call.log.parts],
            query_hash=query_hash(asked),
            **({} if count is None else {"results": count}),
        )

    def problem(self, text: str) -> None:
        """Something the operator should mend."""
        self._write("warning", "problem", message=text)

    def bug(self, tool: str, error: BaseException) -> None:
        """An error that should not have been possible: its kind and place, not its text, which may quote a page."""
        trace = error.__traceback__
        while trace and trace.tb_next:
            trace = trace.tb_next
        place = f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}" if trace else ""  # noqa: PTH119  no need for a Path
        self._write("error", "bug", tool=tool, kind=type(error).__name__, place=place)

    def _write(self, level: str, event: str, **fields: Any) -> None:
        if _LEVELS[level] < self._least:
            return
        with contextlib.suppress(OSError, ValueError, ImportError):  # nobody reads stderr, or it is full or closed
            self._logger = self._logger or _json_lines()
            getattr(self._logger, level)(event, **fields)


class LogBridge(logging.Handler):
    """Turns what our parts log by the standard library's way into events."""

    def __init__(self, log: EventLog) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record as an event; one whose words cannot be put together is lost."""
        with contextlib.suppress(Exception):
            self._log.problem(record.getMessage())


def query_hash(asked: str) -> str:
    """A keyed digest: equal for equal words within one process, meaningless elsewhere."""
    return hashlib.blake2b(asked.encode("utf-8", "replace"), key=_SALT, digest_size=8).hexdigest()


def _json_lines() -> Any:
    import structlog

    return structlog.wrap_logger(
        structlog.WriteLogger(sys.stderr) if sys.stderr else structlog.ReturnLogger(),  # the first would take stdout
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True, key="ts"),
            structlog.processors.JSONRenderer(),
        ],
    )
