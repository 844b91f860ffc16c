"""Whether the server should be sent requests, and if not, why: in words that tell strangers nothing."""

import asyncio
from collections.abc import Awaitable, Callable

from gossamer.errors import GossamerError
from gossamer.server.log import EventLog

_AGAIN_S = 5.0
_UNUSABLE = "the place where pages are kept cannot be used"


class Health:
    """Readiness, and the drain at the end.

    `checks` and `doubts` are asked each time, and each gives a reason or nothing. A check that finds something keeps
    requests away; a doubt is only told, since a server that does less than it should is better than none.
    """

    def __init__(self, log: EventLog, *, again_s: float = _AGAIN_S) -> None:
        self.checks: list[Callable[[], str | None]] = []
        self.doubts: list[Callable[[], str | None]] = []
        self.is_draining = False
        self._log = log
        self._again_s = again_s
        self._opening: str | None = "still starting"

    def reasons(self) -> list[str]:
        """Why no request should come here now; empty: it should."""
        found = ["draining: the server is about to end"] if self.is_draining else []
        found += [reason for check in self.checks if (reason := check())]
        return [*found, self._opening] if self._opening else found

    def remarks(self) -> list[str]:
        """What is not as it should be, although requests are welcome."""
        return [remark for doubt in self.doubts if (remark := doubt())]

    async def keep_opening(self, open_parts: Callable[[], Awaitable[object]]) -> None:
        """Open the engine's parts, again and again until it works; calls that come meanwhile try by themselves."""
        while True:
            try:
                await open_parts()
            except Exception as error:  # noqa: BLE001  the server goes on and says that it is not ready
                if self._opening != _UNUSABLE:
                    self._tell(error)
                self._opening = _UNUSABLE
                await asyncio.sleep(self._again_s)
            else:
                self._opening = None
                return

    def _tell(self, error: Exception) -> None:
        if isinstance(error, GossamerError):
            self._log.problem(str(error))
        else:
            self._log.bug("opening", error)
