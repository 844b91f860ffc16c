"""Bearer tokens to callers: looked up on every request, in microseconds, and heeding every revocation."""

import asyncio
import hashlib
import hmac
import logging
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from gossamer.errors import BadSettings
from gossamer.ports import Clock
from gossamer.ports.call import Caller
from gossamer.server.http.permissions import exposure_of, own_user
from gossamer.server.http.token_file import ID_CHARS, PREFIX, Record, Version, mark_of, read_tokens

_LOG = logging.getLogger("gossamer")
_MAX_CHARS = 200
_LOOK_S = 2.0
"""Seconds between two looks at whether the file has changed."""
_PATIENCE_S = 2.0
"""Seconds that a look may take; with those between two looks this is how late a revocation can be."""
_READ = partial(read_tokens, for_server=True)
_NO_HASH = hashlib.sha256().hexdigest()
"""What a token with an unknown id is compared with, so that it takes as long as any other."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Seen:
    """The file as the last look found it."""

    mark: tuple[int, int, int] | None = None
    known: Mapping[str, tuple[Record, Caller]] = field(default_factory=dict[str, tuple[Record, Caller]])
    is_required: bool = False
    problem: str = ""


class Tokens:
    """The token file as a server sees it: looked at when made, then by `keep_looking`, so that nobody waits for a disk.

    It fails closed. A file that cannot be read, or not in time, lets nobody in, and once there was a file in the life
    of this server tokens stay required, whatever becomes of it.
    """

    def __init__(
        self,
        path: Path,
        *,
        clock: Clock,
        look_s: float = _LOOK_S,
        patience_s: float = _PATIENCE_S,
        read: Callable[[Path], Version | None] = _READ,
    ) -> None:
        self._path = path
        self._read = read
        self._clock = clock
        self._look_s = look_s
        self._patience_s = patience_s
        self._seen = _Seen()
        self.look()

    @property
    def problem(self) -> str:
        """Why every login is refused, for the log and `/ready`; empty when the file can be used."""
        return self._seen.problem

    def required(self) -> bool:
        """Whether callers need a token: there is a file, even an empty or a broken one, or there was one."""
        return self._seen.is_required

    def check(self, presented: str) -> Caller | None:
        """The caller to whom a token belongs; None for anything else, without saying why."""
        if len(presented) > _MAX_CHARS or not presented.isascii():
            return None
        number = presented[len(PREFIX) : len(PREFIX) + ID_CHARS]
        record, caller = self._seen.known.get(number, (None, None))
        digest = hashlib.sha256(presented.encode()).hexdigest()
        is_same = hmac.compare_digest(digest, record.sha256 if record else _NO_HASH)
        return caller if record and is_same and record.is_valid(self._clock.now()) else None

    async def keep_looking(self) -> None:
        """Look every two seconds, in a thread of its own, for as long as the server runs."""
        threads = ThreadPoolExecutor(1, "tokens")
        try:
            while True:
                await asyncio.sleep(self._look_s)
                looking = asyncio.get_running_loop().run_in_executor(threads, self.look)
                _, late = await asyncio.wait([looking], timeout=self._patience_s)
                if late:
                    self._fail(f"The token file {self._path} takes too long to be read. Nobody is let in meanwhile.")
                try:
                    await looking
                except Exception as error:  # noqa: BLE001  whatever it was, nobody may come in unchecked
                    self._fail(f"The token file {self._path} cannot be looked at: {type(error).__name__}.")
        finally:
            threads.shutdown(wait=False, cancel_futures=True)

    def look(self) -> None:
        """Read the file again if it has changed since the last look, or others may write it by now."""
        try:
            status = self._path.stat()
            if self._seen.mark == mark_of(status) and not exposure_of(self._path, status, {own_user()}):
                return
        except OSError:
            pass  # Reading it tells which kind of absence this is.
        try:
            version = self._read(self._path)
        except BadSettings as error:
            self._fail(str(error))
            return
        if version:
            self._seen = _Seen(mark=version.mark, known=_known(version), is_required=True)
        elif self._seen.is_required:
            self._fail(f"The token file {self._path} is gone. Nobody is let in until there is one, or a new start.")

    def _fail(self, problem: str) -> None:
        if problem != self._seen.problem:
            _LOG.warning("%s", problem)
        self._seen = _Seen(is_required=True, problem=problem)


def _known(version: Version) -> dict[str, tuple[Record, Caller]]:
    def caller(record: Record) -> Caller:
        return Caller(name=record.user, tools=None if record.tools is None else frozenset(record.tools))

    return {record.id: (record, caller(record)) for record in version.records}
