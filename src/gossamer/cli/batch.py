"""`gossamer extract --jsonl`: many files to text, one JSON object per line in and out.

Each line is written as soon as its page is read, so lines come out in the order in which pages are ready; their `id`
says which is which. A line that fails becomes an object with `outcome`, `message` and `hint`, and the batch goes on.
"""

import asyncio
import json
import os
import sys
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any, cast

from gossamer.cli.files import reply_of
from gossamer.cli.lines import MAX_LINE_BYTES, Lines
from gossamer.cli.session import Status, say
from gossamer.errors import EXIT_INTERRUPTED, GossamerError, InvalidArgument, Outcome
from gossamer.model.page import Extracted, View
from gossamer.ports import Call, Extractor
from gossamer.steps.walls import judge_reply
from gossamer.wiring import SystemClock

_MOST_AT_ONCE = 8
_TIMEOUT_S = 120.0
_EVERY = 20
_HINT = 'Write one object per line, such as {"id": "1", "path": "page.html", "url": "https://example.org/"}.'


def extract_lines(file: str, view: View) -> int:
    """Read every line of a file; return the exit code: of the first failure, but only if nothing could be read."""
    try:
        source = sys.stdin.fileno() if file == "-" else os.open(file, os.O_RDONLY)
        return asyncio.run(_Batch(view).run(source))
    except KeyboardInterrupt:
        say("Interrupted.")
    except BrokenPipeError:
        # Whoever read our output has left; Python would complain about what it still wanted to write.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        raise InvalidArgument(f"{file} cannot be read: {error.strerror}.", hint="Check the path.") from error
    return EXIT_INTERRUPTED


class _Batch:
    """As many pages at once as the machine has processors, and no more lines in hand than that."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._clock = SystemClock()
        self._status = Status()
        self._ended: Counter[Outcome] = Counter()
        self._first_failure = 0

    async def run(self, source: int) -> int:
        from gossamer.extractors.workers.pool import WorkerPool

        at_once = max(1, min(os.cpu_count() or 1, _MOST_AT_ONCE))
        pool = WorkerPool(size=at_once, clock=self._clock)
        lines = _Numbered(Lines(source))
        tasks = [asyncio.create_task(self._work(lines, pool)) for _ in range(at_once)]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._status.clear()
            await pool.close()
        self._sum_up()
        return 0 if any(outcome.is_result for outcome in self._ended) else self._first_failure

    async def _work(self, lines: "_Numbered", pool: Extractor) -> None:
        while (item := await lines.next()) is not None:
            told = await self._told(*item, pool)
            sys.stdout.write(json.dumps(told, ensure_ascii=False) + "\n")
            sys.stdout.flush()
            done = self._ended.total()
            if done % _EVERY == 0:
                await self._status.report(done, None, f"{done} pages")

    async def _told(self, number: int, line: bytes | None, pool: Extractor) -> dict[str, Any]:
        name: dict[str, Any] = {"id": None, "line": number}
        try:
            asked = _asked(line)
            if isinstance(asked.get("id"), str | int):
                name = {"id": asked["id"]}
            extracted = await self._extract(asked, pool)
        except GossamerError as error:
            self._ended[error.outcome] += 1
            self._first_failure = self._first_failure or error.exit_code
            return {**name, "outcome": error.outcome.value, "message": error.message, "hint": error.hint}
        self._ended[extracted.outcome] += 1
        return {**name, "text": extracted.text, "title": extracted.title, **_said_of(extracted)}

    async def _extract(self, asked: dict[str, Any], pool: Extractor) -> Extracted:
        path, url = asked.get("path"), asked.get("url") or ""
        if not isinstance(path, str) or not path or not isinstance(url, str):
            raise InvalidArgument("path must be text, and url as well where there is one.", hint=_HINT)
        reply = await asyncio.to_thread(reply_of, path, url)
        judge_reply(reply)
        return await pool.extract(reply, self._view, Call(clock=self._clock, caller="cli").within(_TIMEOUT_S))

    def _sum_up(self) -> None:
        failed = sorted((outcome.value, count) for outcome, count in self._ended.items() if not outcome.is_result)
        if failed:
            every, lost = self._ended.total(), sum(count for _, count in failed)
            say(f"{every - lost} of {every} read; not read: {', '.join(f'{n} {name}' for name, n in failed)}.")


class _Numbered:
    """Lines with their numbers, for several who take turns; empty ones are passed over."""

    def __init__(self, lines: Lines) -> None:
        self._lines: AsyncIterator[bytes | None] = aiter(lines)
        self._turn = asyncio.Lock()
        self._number = 0

    async def next(self) -> tuple[int, bytes | None] | None:
        """The next line, None at the end."""
        async with self._turn:
            async for line in self._lines:
                self._number += 1
                if line is None or line.strip():
                    return self._number, line
            return None


def _said_of(extracted: Extracted) -> dict[str, str]:
    """What a reader has to know of a text that is not simply the whole page: how it ended, and in a sentence why."""
    outcome = {"outcome": extracted.outcome.value} if extracted.outcome is not Outcome.OK else {}
    return outcome | ({"message": extracted.message} if extracted.message else {})


def _asked(line: bytes | None) -> dict[str, Any]:
    if line is None:
        raise InvalidArgument(f"The line is longer than {MAX_LINE_BYTES:,} bytes.", hint=_HINT)
    try:
        said = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InvalidArgument("The line is not JSON.", hint=_HINT) from error
    if not isinstance(said, dict):
        raise InvalidArgument("The line is not a JSON object.", hint=_HINT)
    return cast("dict[str, Any]", said)
