"""Who a bearer token belongs to: asked on every request, so it costs microseconds and forgets no revocation."""

import hashlib
import hmac
import logging
from dataclasses import dataclass
from pathlib import Path

from gossamer.errors import BadSettings
from gossamer.ports import Clock
from gossamer.server.caller import Caller
from gossamer.server.http.token_file import ID_CHARS, PREFIX, Record, Version, mark_of, read_tokens

_LOG = logging.getLogger("gossamer")
_MAX_CHARS = 200
_LOOK_S = 2.0
"""Seconds between two looks at whether the file has changed."""
_NO_HASH = hashlib.sha256().hexdigest()
"""What a token with an unknown id is compared with, so that it takes as long as any other."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Verified:
    caller: Caller
    record: Record


class Tokens:
    """The token file as a server sees it; changes are seen within two seconds.

    It fails closed. A file that cannot be read lets nobody in, and once there was a file in the life of this server
    tokens stay required, whatever becomes of it.
    """

    def __init__(self, path: Path, *, clock: Clock) -> None:
        self._path = path
        self._clock = clock
        self._version: Version | None = None
        self._by_id: dict[str, Record] = {}
        self._verified: dict[bytes, _Verified] = {}
        self._is_required = False
        self._problem = ""
        self._next_look = -1.0
        self._look()

    @property
    def problem(self) -> str:
        """Why nobody can come in, for the log and `/ready`; empty when the file can be used."""
        self._look()
        return self._problem

    def required(self) -> bool:
        """Whether callers need a token: there is a file, even an empty or a broken one, or there was one."""
        self._look()
        return self._is_required

    def check(self, presented: str) -> Caller | None:
        """The caller to whom a token belongs; None for anything else, without saying why."""
        self._look()
        if len(presented) > _MAX_CHARS or not presented.isascii():
            return None
        digest = hashlib.sha256(presented.encode())
        known = self._verified.get(digest.digest())
        if known is None:
            number = presented[len(PREFIX) : len(PREFIX) + ID_CHARS]
            record = self._by_id.get(number)
            is_same = hmac.compare_digest(digest.hexdigest(), record.sha256 if record else _NO_HASH)
            if record is None or not is_same:
                return None
            tools = None if record.tools is None else frozenset(record.tools)
            known = _Verified(caller=Caller(name=record.user, tools=tools), record=record)
            self._verified[digest.digest()] = known
        return known.caller if known.record.is_valid(self._clock.now()) else None

    def _look(self) -> None:
        """Read the file again if it has changed since the last look, at most every two seconds."""
        now = self._clock.monotonic()
        if now < self._next_look:
            return
        self._next_look = now + _LOOK_S
        try:
            if self._version and self._version.mark == mark_of(self._path.stat()):
                return
        except OSError:
            pass  # Reading it tells which kind of absence this is.
        try:
            version, problem = read_tokens(self._path), ""
        except BadSettings as error:
            version, problem = None, str(error)
            self._is_required = True
        if version:
            self._is_required = True
        elif self._is_required and not problem:
            problem = f"The token file {self._path} is gone. Nobody is let in until there is one, or a new start."
        if problem and problem != self._problem:
            _LOG.warning("%s", problem)
        self._problem = problem
        self._version = version
        self._by_id = {record.id: record for record in version.records} if version else {}
        self._verified = {}
