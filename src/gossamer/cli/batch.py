"""Many pages in one command: one JSON object per line in and out.

As many lines are worked on at once as the machine has processors, and no more are held than that. A line that fails
becomes an object with `outcome`, `message` and `hint`, and the batch goes on.
"""

import asyncio
import json
import os
import sys
import threading
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from math import isfinite
from typing import Any, cast

from gossamer.cli.session import Status, say
from gossamer.errors import GossamerError, InvalidArgument, Outcome
from gossamer.process import EXIT_INTERRUPTED

MAX_LINE_BYTES = 1024 * 1024
_PIECE_BYTES = 64 * 1024


class Lines:
    """Reads in a thread of its own, which nobody waits for: an interrupted command ends although nothing comes.

    Only as much is read as is asked for, so that a long input is never held. A longer line than any of use is told
    as None.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._wanted = threading.Semaphore(0)
        self._ready: asyncio.Queue[bytes | EOFError | OSError | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, daemon=True, name="gossamer-lines").start()

    async def __aiter__(self) -> AsyncIterator[bytes | None]:
        while True:
            self._wanted.release()
            line = await self._ready.get()
            if isinstance(line, EOFError):
                return
            if isinstance(line, OSError):
                raise line
            yield line

    def _read(self) -> None:
        try:
            for line in self._split():
                self._wanted.acquire()
                self._tell(line)
            end: EOFError | OSError = EOFError()
        except OSError as error:
            end = error
        self._wanted.acquire()
        self._tell(end)

    def _tell(self, what: bytes | EOFError | OSError | None) -> None:
        try:
            self._loop.call_soon_threadsafe(self._ready.put_nowait, what)
        except RuntimeError:  # the loop has ended, and with it everybody who would listen
            return

    def _split(self) -> Iterator[bytes | None]:
        held, is_long = b"", False
        while piece := os.read(self._descriptor, _PIECE_BYTES):
            *whole, rest = piece.split(b"\n")
            for part in whole:
                line = held + part
                yield None if is_long or len(line) > MAX_LINE_BYTES else line
                held, is_long = b"", False
            is_long = is_long or len(held) + len(rest) > MAX_LINE_BYTES
            held = b"" if is_long else held + rest
        if held or is_long:
            yield None if is_long else held


_MOST_AT_ONCE = 8
_EVERY = 20

Told = tuple[Outcome, dict[str, Any]]
"""How a line ended, and what is written of it beside its id."""


Answer = Callable[[dict[str, Any]], Awaitable[Told]]
"""Does what a line asks for; what fails is raised as ours."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Batch:
    """What a batch does with each line."""

    example: str
    """A line as it should be, for who wrote another."""
    opened: Callable[[int], AbstractAsyncContextManager[Answer]]
    """Opens what is needed to answer so many lines at once."""
    keeps_order: bool = False
    """Whether lines come out in the order of the input, or each as soon as it is ready."""

    @property
    def hint(self) -> str:
        """What to do about a line that cannot be understood."""
        return f"Write one object per line, such as {self.example}."


def run_batch(batch: Batch, file: str) -> int:
    """Work on every line of a file; return the exit code: of the first failure, but only if nothing could be read."""
    try:
        source = sys.stdin.fileno() if file == "-" else os.open(file, os.O_RDONLY)
        return asyncio.run(_Run(batch).run(source))
    except KeyboardInterrupt:
        say("Interrupted.")
    except BrokenPipeError:
        # Whoever read our output has left; Python would complain about what it still wanted to write.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        raise InvalidArgument(f"{file} cannot be read: {error.strerror}.", hint="Check the path.") from error
    return EXIT_INTERRUPTED


class _Run:
    """One pass over the lines."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        self._status = Status()
        self._ended: Counter[Outcome] = Counter()
        self._first_failure = 0
        self._written = 0
        self._progress = asyncio.Condition()

    async def run(self, source: int) -> int:
        at_once = max(1, min(os.cpu_count() or 1, _MOST_AT_ONCE))
        async with self._batch.opened(at_once) as answer:
            lines = _Numbered(Lines(source))
            tasks = [asyncio.create_task(self._work(lines, answer)) for _ in range(at_once)]
            try:
                await asyncio.gather(*tasks)
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
                self._status.clear()
        self._sum_up()
        return 0 if any(outcome.is_result for outcome in self._ended) else self._first_failure

    async def _work(self, lines: "_Numbered", answer: Answer) -> None:
        while (item := await lines.next()) is not None:
            turn, number, line = item
            told = await self._told(number, line, answer)
            async with self._progress:
                while self._batch.keeps_order and self._written < turn:
                    await self._progress.wait()
                sys.stdout.write(json.dumps(told, ensure_ascii=False) + "\n")
                sys.stdout.flush()
                self._written += 1
                self._progress.notify_all()
            done = self._ended.total()
            if done % _EVERY == 0:
                await self._status.report(done, None, f"{done} pages")

    async def _told(self, number: int, line: bytes | None, answer: Answer) -> dict[str, Any]:
        name: dict[str, Any] = {"id": None, "line": number}
        try:
            asked = _asked(line, hint=self._batch.hint)
            if _is_id(asked.get("id")):
                name = {"id": asked["id"]}
            outcome, said = await answer(asked)
        except GossamerError as error:
            self._ended[error.outcome] += 1
            self._first_failure = self._first_failure or error.exit_code
            return {**name, "outcome": error.outcome.value, "message": error.message, "hint": error.hint}
        self._ended[outcome] += 1
        return {**name, **said, **({"outcome": outcome.value} if outcome is not Outcome.OK else {})}

    def _sum_up(self) -> None:
        failed = sorted((outcome.value, count) for outcome, count in self._ended.items() if not outcome.is_result)
        if failed:
            every, lost = self._ended.total(), sum(count for _, count in failed)
            say(f"{every - lost} of {every} read; not read: {', '.join(f'{n} {name}' for name, n in failed)}.")


class _Numbered:
    """Lines for several who take turns, each with its turn and its number in the input; empty ones are passed over."""

    def __init__(self, lines: Lines) -> None:
        self._lines: AsyncIterator[bytes | None] = aiter(lines)
        self._turn = asyncio.Lock()
        self._taken = 0
        self._number = 0

    async def next(self) -> tuple[int, int, bytes | None] | None:
        """The next line, None at the end."""
        async with self._turn:
            async for line in self._lines:
                self._number += 1
                if line is None or line.strip():
                    self._taken += 1
                    return self._taken - 1, self._number, line
            return None


def _is_id(said: object) -> bool:
    """Whether it can be written again as it was: text or a number."""
    match said:
        case bool():
            return False
        case float():
            return isfinite(said)
        case _:
            return isinstance(said, str | int)


def _asked(line: bytes | None, *, hint: str) -> dict[str, Any]:
    if line is None:
        raise InvalidArgument(f"The line is longer than {MAX_LINE_BYTES:,} bytes.", hint=hint)
    try:
        said = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InvalidArgument("The line is not JSON.", hint=hint) from error
    if not isinstance(said, dict):
        raise InvalidArgument("The line is not a JSON object.", hint=hint)
    return cast("dict[str, Any]", said)
