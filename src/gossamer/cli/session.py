"""One command, one call on one engine: settings in, result out, errors as sentences with an exit code."""

import asyncio
import json
import re
import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from gossamer.compose import SystemClock, open_engine
from gossamer.contracts.arguments import read_arguments
from gossamer.contracts.contract import Tool
from gossamer.contracts.render.envelope import quote_data
from gossamer.engine import Engine
from gossamer.errors import EXIT_BUG, GossamerError, StoreBusy, TimedOut
from gossamer.ports import Call
from gossamer.process import leave_interrupted
from gossamer.settings.environment import limit_blas_threads
from gossamer.settings.load import Loaded, load
from gossamer.steps.text.untrusted_markers import escape

T = TypeVar("T")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""What a terminal may take for a command."""


def settings_or_exit(config: Path | None, *, as_json: bool = False) -> Loaded:
    """The settings of a command that is about to work; the first broken one ends it."""
    limit_blas_threads()
    loaded = load(config=config)
    if loaded.problems:
        fail(loaded.problems[0], as_json=as_json)
    return loaded


def run(
    tool: Tool,
    given: Mapping[str, Any],
    work: Callable[[Engine, Call, Any], Awaitable[T]],
    *,
    config: Path | None,
    as_json: bool,
) -> T:
    """Read arguments as the tool would, open an engine, do the work; whatever fails ends the command."""
    try:
        return asyncio.run(_run(tool, given, work, settings_or_exit(config, as_json=as_json)))
    except GossamerError as error:
        fail(error, as_json=as_json)
    except KeyboardInterrupt:
        leave_interrupted()


async def _run(
    tool: Tool, given: Mapping[str, Any], work: Callable[[Engine, Call, Any], Awaitable[T]], loaded: Loaded
) -> T:
    clock = SystemClock()
    status = Status()
    call = Call(clock=clock, caller="cli", progress=status.report)
    arguments = read_arguments(tool.arguments, {k: v for k, v in given.items() if v is not None}, call.log.note)
    try:
        async with open_engine(loaded.settings) as engine:
            limit_s = tool.timeout_s(engine.policies)
            try:
                async with asyncio.timeout(limit_s):
                    return await work(engine, call.within(limit_s), arguments)
            except TimeoutError as error:
                raise TimedOut(f"Not finished within {limit_s:.0f} s.", hint="Try again, or ask for less.") from error
    finally:
        status.clear()
        for note in call.log.notes:
            say(f"Note: {without_turn(note)}")


def without_turn(note: str) -> str:
    """The note of a command: what waits its turn in a server ends with it."""
    told, waits, _ = note.partition(" It waits its turn")
    return f"{told} It was not done: run the command again once the file is free." if waits else note


class Status:
    """What is being done, on one line of a terminal's stderr; silent elsewhere."""

    def __init__(self) -> None:
        self._shows = sys.stderr.isatty()

    async def report(self, _done: float, _total: float | None, message: str) -> None:
        """Show the newest message in place of the last."""
        if self._shows:
            print(f"\r\x1b[2K{message[:70]} …", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Leave the line empty for what follows."""
        if self._shows:
            print("\r\x1b[2K", end="", file=sys.stderr, flush=True)


def say(text: str) -> None:
    """Tell the person, or the agent that reads the pipe, something that is not the result."""
    print(escape(text), file=sys.stderr)


def show(result: Mapping[str, Any] | str) -> None:
    """Print the result: an object as JSON, whole; a text with its control tokens disarmed, as agents read pipes.

    A terminal gets no command that stands in it.
    """
    text = escape(result) if isinstance(result, str) else json.dumps(result, ensure_ascii=False, indent=2)
    print(_CONTROLS.sub("", text) if sys.stdout.isatty() else text)


def in_words(error: GossamerError) -> str:
    """The error's sentences, and what the other side said of it in quotation marks."""
    return " ".join([str(error), *(f'It was said: "{said}"' for said in quote_data(error.quote).values())])


def fail(error: GossamerError, *, as_json: bool = False) -> NoReturn:
    """End the command with the error's sentence and exit code."""
    if isinstance(error, StoreBusy):
        # What waits its turn in a server ends with a command.
        error = StoreBusy(
            error.message, hint="It was not done to its end: run the command again once the file is free."
        )
    say(f"gossamer: {error.outcome.value}: {in_words(error)}")
    if as_json:
        told = {"code": error.outcome.value, "message": error.message, "hint": error.hint, **quote_data(error.quote)}
        show({"outcome": error.outcome.value, "error": told})
    sys.exit(error.exit_code)


def bug(error: BaseException) -> NoReturn:
    """End the command with the news that we are at fault."""
    say(f"gossamer: error: {type(error).__name__}: {error}. This is a bug: please report it with the command you ran.")
    sys.exit(EXIT_BUG)
