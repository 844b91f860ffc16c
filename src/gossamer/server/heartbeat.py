"""Progress heartbeat of a call, as its client hears it."""

import asyncio

from gossamer.ports import Progress


class Counter:
    """Progress that only grows, with a beat when there is nothing else to say."""

    def __init__(self, progress: Progress, beat_s: float) -> None:
        self._progress = progress
        self._beat_s = beat_s
        self._steps = 0
        self._telling: asyncio.Task[None] | None = None

    async def report(self, _done: float, _total: float | None, message: str) -> None:
        """One step more, whatever its number was."""
        self._steps += 1
        await self._progress(self._steps, None, message)

    def start(self) -> None:
        """Beat from now on: by a timer, since most calls end before the first."""
        self._timer = asyncio.get_running_loop().call_later(self._beat_s, self._beat)

    def stop(self) -> None:
        """Beat no more."""
        self._timer.cancel()
        if self._telling:
            self._telling.cancel()

    def _beat(self) -> None:
        if self._telling is None or self._telling.done():
            self._telling = asyncio.create_task(self.report(0, None, "still working"))
        self.start()
