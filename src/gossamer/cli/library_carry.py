"""`gossamer library export` and `import`: the library as a file of lines, from one store to another."""

import asyncio
import contextlib
import errno
import math
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Generator
from pathlib import Path
from typing import Annotated, TextIO

import typer

from gossamer.cli import session
from gossamer.compose import SystemClock, open_library
from gossamer.engine.library import LibraryAccess
from gossamer.errors import GossamerError, InvalidArgument, StoreUnavailable
from gossamer.model.records import Record
from gossamer.ports import Call
from gossamer.process import leave_interrupted
from gossamer.settings.model import Settings
from gossamer.stores import store_class

Config = Annotated[Path | None, typer.Option("--config", help="Settings file.", show_default=False)]
_TRIM_EACH = 200
"""Records taken in between two looks at the size."""
_FULL = {errno.ENOSPC, errno.EDQUOT}
AsJson = Annotated[bool, typer.Option("--json", help="Print the result object.")]


def export(
    file: Annotated[str, typer.Argument(help="Where to write it; `-` for standard output.")] = "-",
    config: Config = None,
) -> None:
    """Write all that the library holds as lines of JSON: pages with their versions, chunks and vectors."""
    settings = session.settings_or_exit(config, as_json=False).settings
    with _run(as_json=False):
        count = asyncio.run(_export(settings, file))
        session.say(f"{count} records were written.")


def take_in(
    file: Annotated[str, typer.Argument(help="What `library export` wrote; `-` for standard input.")],
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Take in an export of this or another store; pages that are here from as new a fetch stay as they are."""
    settings = session.settings_or_exit(config, as_json=as_json).settings
    with _run(as_json=as_json):
        taken, known, gone = asyncio.run(_import(settings, file))
        if as_json:
            session.show({"taken": taken, "known": known, "gone": gone})
        session.say(f"{taken} records were taken in; {known} were here already.")
        if gone:
            session.say(f"{gone} texts unused for longest had to go: library.max_bytes allows no more.")


async def _export(settings: Settings, file: str) -> int:
    from gossamer.stores.shared.jsonl import line_of

    count = 0
    status = session.Status()
    call = Call(clock=SystemClock(), caller="cli", progress=status.report)
    async with open_library(settings, clock=call.clock) as library:
        try:
            if not await is_whole(library, settings, call):
                raise partial()
        finally:
            status.clear()
        with _written(file) as out:
            async for record in library.store.export() if library.store else _nothing():
                out.write(f"{line_of(record)}\n")
                count += 1
    return count


async def _nothing() -> AsyncIterator[Record]:
    """The export of a library that was never made."""
    for record in ():
        yield record


async def _import(settings: Settings, file: str) -> tuple[int, int, int]:
    from gossamer.stores import open_store
    from gossamer.stores.shared.jsonl import record_of

    taken = known = gone = 0
    most_bytes = settings.library.max_bytes
    store = await open_store(settings.store_address, clock=SystemClock())
    try:
        async for number, line in _lines(file):
            try:
                is_new = await store.restore(record_of(line))
            except InvalidArgument as error:
                raise InvalidArgument(f"Line {number} of {file}: {error.message}", hint=error.hint) from error
            taken, known = taken + is_new, known + (not is_new)
            if is_new and taken % _TRIM_EACH == 0:
                gone += await store.trim(most_bytes=most_bytes)
        gone += await store.trim(most_bytes=most_bytes)
    finally:
        await store.close()
    return taken, known, gone


async def _lines(file: str) -> AsyncIterator[tuple[int, str]]:
    with _read(file) as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield number, line


@contextlib.contextmanager
def _written(file: str) -> Generator[TextIO]:
    """Where an export goes: a file is its owner's alone, since it says what was read, and it is whole or as it was."""
    path = Path(file)
    if file == "-":
        with _standard_output() as out:
            yield out
        return
    try:
        if path.exists() and not path.is_file():
            # Neither a pipe nor a device can be put in its place in one step.
            with path.open("w", encoding="ascii", newline="\n") as out:
                yield out
        else:
            with _replaced(path.resolve()) as out:
                yield out
    except OSError as error:
        raise _unusable(file, error) from error


@contextlib.contextmanager
def _standard_output() -> Generator[TextIO]:
    try:
        yield sys.stdout
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        # Python would complain at its end about what it still wanted to write.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise _unusable("Standard output", error) from error


@contextlib.contextmanager
def _replaced(path: Path) -> Generator[TextIO]:
    """A file for its owner alone that takes the place of another one once it is written to its end."""
    number, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    new = Path(name)
    try:
        with os.fdopen(number, "w", encoding="ascii", newline="\n") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        new.replace(path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def _read(file: str) -> Generator[TextIO]:
    if file == "-":
        yield sys.stdin
        return
    try:
        with Path(file).open(encoding="ascii", errors="replace") as lines:
            yield lines
    except OSError as error:
        raise _unusable(file, error) from error


def _unusable(file: str, error: OSError) -> GossamerError:
    told = f"{file} could not be written to its end: {error.strerror}."
    if error.errno in _FULL:
        return StoreUnavailable(told, hint="Free some space there, or name a file on another disk.")
    if error.errno == errno.EFBIG:
        return StoreUnavailable(told, hint="Raise the limit for a file (`ulimit -f`), or name one on another disk.")
    return InvalidArgument(f"{file} cannot be used: {error.strerror}.", hint="Name another file.")


@contextlib.contextmanager
def _run(*, as_json: bool) -> Generator[None]:
    try:
        yield
    except GossamerError as error:
        session.fail(error, as_json=as_json)
    except KeyboardInterrupt:
        leave_interrupted("Interrupted. What was done is kept.")


_LOOK_S = 0.1
_STILL_S = 10.0
"""Where no page has come for so long none may ever come: the disk is full, or who takes them over was stopped."""


async def is_whole(library: LibraryAccess, settings: Settings, call: Call, *, within_s: float = math.inf) -> bool:
    """Wait for the pages of a damaged library as long as they come, `within_s` at most; tell whether all are here."""
    address = settings.store_address
    kind = store_class(address)
    count, came_at = -1, call.clock.monotonic()
    until = came_at + within_s
    while kind.is_recovering(address) and library.store:
        found, now = (await library.store.stats()).pages, call.clock.monotonic()
        if found != count:
            count, came_at = found, now
            await call.progress(count, None, f"{count} pages of a damaged library are taken over")
        if now >= min(until, came_at + _STILL_S):
            return False
        await asyncio.sleep(_LOOK_S)
    return not kind.is_recovering(address)


async def must_be_whole(settings: Settings, call: Call) -> None:
    """Wait until all pages of a damaged library are here, for work that would pass by those that are not."""
    async with open_library(settings, clock=call.clock) as library:
        if not await is_whole(library, settings, call):
            raise partial()


def partial() -> StoreUnavailable:
    """The message for a transfer that is, or would have been, only a part."""
    return StoreUnavailable(
        "Not all pages of a damaged library had been taken over yet.",
        hint="Run the command again in a moment: it goes on with them.",
    )
