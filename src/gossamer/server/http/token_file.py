"""The file of bearer tokens: callers, expiry dates and tools; it holds only hashes and is replaced whole."""

import hashlib
import json
import os
import re
import secrets
import stat
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from gossamer.errors import BadSettings, InvalidArgument, StoreUnavailable
from gossamer.server.http.permissions import Exposure, exposure_of, exposure_of_way, own_user
from gossamer.settings.model import Settings

PREFIX = "gsm_"
ID_CHARS = 8
_SECRET_BYTES = 32
_MAX_BYTES = 4 * 2**20
_MAX_DAYS = 36_500
_NAME = r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}"
_RESERVED = frozenset({"local", "cli"})
"""Callers that need no token; a token by such a name would be taken for them."""


class Record(BaseModel):
    """One token as it is kept: everything but the token."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Annotated[str, Field(pattern=rf"^[0-9a-f]{{{ID_CHARS}}}$")]
    user: Annotated[str, Field(pattern=rf"^{_NAME}$")]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    tools: tuple[str, ...] | None
    """The tools it opens; None: every one that is published."""
    created: AwareDatetime
    expires: AwareDatetime | None

    def is_valid(self, now: float) -> bool:
        """Whether it still opens anything at a time in UTC seconds."""
        return self.expires is None or now < self.expires.timestamp()


class _Kept(BaseModel):
    model_config = ConfigDict(extra="forbid")

    version: Literal[1]
    tokens: tuple[Record, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Version:
    """The records of one state of the file, and what tells that state from the next."""

    mark: tuple[int, int, int]
    records: tuple[Record, ...]


def token_path(settings: Settings) -> Path:
    """Where tokens are kept: `http.tokens`, else `tokens.json` in the data folder."""
    return settings.http.tokens or settings.data_dir / "tokens.json"


def mark_of(status: os.stat_result) -> tuple[int, int, int]:
    """What changes when a file is replaced or written to."""
    return status.st_mtime_ns, status.st_ino, status.st_size


def read_tokens(path: Path, *, for_server: bool = False) -> Version | None:
    """The records of the file; None when there is no file.

    A file that cannot be read or understood, or that others may write, raises `BadSettings`: it is never taken for an
    empty one. A command may be root's for a service's own file; a server believes its own user and root alone.
    """
    try:
        with open(path, "rb", opener=_open_at_once) as file:
            status = os.fstat(file.fileno())
            trusted = {own_user()} if for_server else {own_user(), path.parent.stat().st_uid}
            exposure = exposure_of(path, status, trusted)
            mark = mark_of(status)
            is_file = stat.S_ISREG(status.st_mode)
            text = file.read(_MAX_BYTES + 1) if is_file else b""
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise _broken(path, error.strerror or type(error).__name__) from error
    if not is_file:
        raise _broken(path, "it is not a regular file")
    if exposure:
        raise _unsafe(path, exposure)
    if len(text) > _MAX_BYTES:
        raise _broken(path, "it is larger than 4 MiB")
    try:
        records = _Kept.model_validate_json(text).tokens
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(str(step) for step in first["loc"])
        raise _broken(path, f"{place}: {first['msg']}" if place else first["msg"]) from error
    if len({record.id for record in records}) < len(records) or any(r.user in _RESERVED for r in records):
        raise _broken(path, "an id stands there twice, or a name is reserved")
    return Version(mark=mark, records=records)


def new_token(
    path: Path, user: str, *, tools: Sequence[str] | None = None, days: int | None = None, now: float
) -> tuple[str, Record]:
    """Add a token to the file and return it with its record: the one time that it is seen."""
    if not re.fullmatch(_NAME, user) or user in _RESERVED or re.fullmatch(f"[0-9a-f]{{{ID_CHARS}}}", user):
        raise InvalidArgument(
            "This cannot be the name of a token's user.",
            hint=f"Use 1 to 64 letters, digits and . _ @ + -, not {' or '.join(sorted(_RESERVED))}, not like an id.",
        )
    if days is not None and not 1 <= days <= _MAX_DAYS:
        raise InvalidArgument("A token is valid for a whole number of days.", hint=f"Give 1 to {_MAX_DAYS} of them.")
    created = datetime.fromtimestamp(int(now), UTC)
    made: list[tuple[str, Record]] = []

    def add(records: tuple[Record, ...]) -> tuple[Record, ...]:
        taken = {record.id for record in records}
        number = next(number for number in iter(lambda: secrets.token_hex(ID_CHARS // 2), "") if number not in taken)
        token = f"{PREFIX}{number}_{secrets.token_urlsafe(_SECRET_BYTES)}"
        record = Record(
            id=number,
            user=user,
            sha256=hashlib.sha256(token.encode()).hexdigest(),
            tools=None if tools is None else tuple(tools),
            created=created,
            expires=None if days is None else created + timedelta(days=days),
        )
        made.append((token, record))
        return (*records, record)

    _change(path, add)
    return made[0]


def revoke_tokens(path: Path, which: str) -> tuple[Record, ...]:
    """Remove the token with this id, or every token of this user, and return what was removed.

    The file stays when its last token goes, so that a server that asks for tokens goes on asking.
    """
    gone: list[Record] = []

    def remove(records: tuple[Record, ...]) -> tuple[Record, ...] | None:
        gone.extend(record for record in records if which in (record.id, record.user))
        return tuple(record for record in records if record not in gone) if gone else None

    _change(path, remove)
    return tuple(gone)


def _change(path: Path, change: Callable[[tuple[Record, ...]], tuple[Record, ...] | None]) -> None:
    """Read, change and replace the file under a lock, so that of two commands at once neither is lost."""
    from gossamer.filedb.lock import FileLock

    try:
        named, path = path, Path(os.path.realpath(path))  # A link stays a link.
        path.parent.parent.mkdir(parents=True, exist_ok=True)
        path.parent.mkdir(mode=0o700, exist_ok=True)
        if not path.exists() and (exposure := exposure_of_way(named, _owners_of_new(path))):
            raise _unsafe_place(named, exposure)
        lock = FileLock(_lock_beside(path))
    except OSError as error:
        raise _unwritable(path, error) from error
    try:
        with lock:
            version = read_tokens(path)
            records = change(version.records if version else ())
            if records is not None:
                _replace(path, records)
    except OSError as error:
        raise _unwritable(path, error) from error
    finally:
        lock.close()


def _open_at_once(path: str, flags: int) -> int:
    """Open a file without waiting for a writer, should it be a pipe."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _owners_of_new(path: Path) -> set[int]:
    """Who may own the folders of a new file: its owner, who is that of the folder where root makes it."""
    return {path.parent.stat().st_uid} if own_user() == 0 else {own_user()}


def _lock_beside(path: Path) -> Path:
    """The lock file, owned by the owner of the tokens, who must be able to lock what they change."""
    lock = path.with_name(f"{path.name}.lock")
    # Only what was just made here is given away: its folder's owner could have put a link to anything there.
    with suppress(FileExistsError), os.fdopen(os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)) as file:
        _dress(file.fileno(), path)
    return lock


def _dress(file: int, path: Path) -> None:
    """Give a new file owner and mode of the tokens, or their folder's owner: a server's file stays that server's."""
    if sys.platform != "win32":
        with suppress(OSError):
            is_new = not path.exists()
            like = (path.parent if is_new else path).lstat()
            os.fchown(file, like.st_uid, like.st_gid)
            if stat.S_ISREG(like.st_mode):
                os.fchmod(file, like.st_mode & 0o644)


def _replace(path: Path, records: tuple[Record, ...]) -> None:
    kept = _Kept(version=1, tokens=records).model_dump(mode="json")
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(json.dumps(kept, indent=1) + "\n")
            file.flush()
            os.fsync(file.fileno())
            _dress(file.fileno(), path)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _broken(path: Path, reason: str) -> BadSettings:
    return BadSettings(
        f"The token file {path} cannot be used: {reason.rstrip('.')}.",
        hint="Nobody is let in until it is mended: restore it from a copy, or move it away and make new tokens.",
    )


def _unsafe(path: Path, exposure: Exposure) -> BadSettings:
    return BadSettings(
        f"The token file {path} cannot be used: {exposure.why}, and could let anybody in.",
        hint=f"Nobody is let in until it is mended: {exposure.mend}, or set http.tokens to a file elsewhere; then see "
        "with `gossamer token list` whether somebody has added a token.",
    )


def _unsafe_place(path: Path, exposure: Exposure) -> BadSettings:
    mend = exposure.mend[:1].upper() + exposure.mend[1:]
    return BadSettings(
        f"No token was made: {exposure.why}, and the server lets nobody in by a token file that others could replace.",
        hint=f"{mend}, or set http.tokens to a file elsewhere than {path}; then make the token.",
    )


def _unwritable(path: Path, error: OSError) -> StoreUnavailable:
    return StoreUnavailable(
        f"The token file {path} cannot be written: {error.strerror or type(error).__name__}.",
        hint="Set http.tokens to a file in a folder that you can write to, or do this as the user who owns it.",
    )
