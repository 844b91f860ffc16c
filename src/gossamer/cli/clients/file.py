"""Rewrites a file of somebody else's program: whole or not at all, with a backup, and never over a newer one."""

import contextlib
import os
import stat
import sys
import tempfile
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path

from gossamer.cli.clients.refusal import Refused

Edit = Callable[[str], str]
MAX_BYTES = 5_000_000
_TRIES = 20
_NEW_MODE = 0o600
"""Keys may be put into a file that we made."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """What a file said, what it says or would say, and where the old text is kept."""

    before: str
    after: str
    is_new: bool
    backup: Path | None = None

    @property
    def is_changed(self) -> bool:
        """Whether there was anything to do."""
        return self.before != self.after


def preview(path: Path, edit: Edit) -> Change:
    """What `rewrite` would do."""
    with _sentences():
        before = _read(_target(path))
        text = _text(before)
        return Change(before=text, after=edit(text), is_new=before is None)


def rewrite(path: Path, edit: Edit) -> Change:
    """Put `edit`'s text in the place of the file's; links are followed, mode and owner kept.

    Another of us waits its turn. A program that writes in between is noticed, and its text is edited instead.
    """
    with _sentences():
        target = _target(path)
        for _ in range(_TRIES):
            before = _read(target)
            text = _text(before)
            after = edit(text)
            planned = Change(before=text, after=after, is_new=before is None)
            if not planned.is_changed:
                return planned
            content = after.encode()
            target.parent.mkdir(parents=True, exist_ok=True)
            with _turn(target.parent):
                is_ours, backup = _replaced(target, before, content)
            if is_ours:
                return Change(before=text, after=after, is_new=before is None, backup=backup)
        raise Refused("another program keeps changing it; close that program and try again")


def _replaced(target: Path, before: bytes | None, after: bytes) -> tuple[bool, Path | None]:
    """Replace the file if it still says what it did; else leave it, and say so."""
    if before is not None and not os.access(target, os.W_OK, effective_ids=os.access in os.supports_effective_ids):
        raise Refused("it may not be written")
    number, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    new = Path(name)
    try:
        with open(number, "wb") as file:  # noqa: PTH123  a descriptor has no path
            file.write(after)
            file.flush()
            os.fsync(number)
        _dress(new, target)
        if _read(target) != before:
            return False, None
        backup = None if before is None else _backed_up(target, before)
        new.replace(target)
    finally:
        new.unlink(missing_ok=True)
    return True, backup


def _backed_up(target: Path, content: bytes) -> Path:
    """A copy beside the file, under a name that nobody has."""
    for number in range(10_000):
        backup = target.with_name(f"{target.name}.bak{f'.{number}' if number else ''}")
        with contextlib.suppress(FileExistsError):
            with open(os.open(backup, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _NEW_MODE), "wb") as file:  # noqa: PTH123
                file.write(content)
            _dress(backup, target)
            return backup
    raise Refused("there are 10,000 backups beside it; remove some")


def _dress(new: Path, like: Path) -> None:
    """Give a file the mode and owner of another; the owner only where we may."""
    if not like.exists():
        new.chmod(_NEW_MODE)
        return
    old = like.stat()
    if hasattr(os, "chown"):
        with contextlib.suppress(PermissionError):
            os.chown(new, old.st_uid, old.st_gid)
    new.chmod(stat.S_IMODE(old.st_mode))


def _target(path: Path) -> Path:
    """The file behind all links; it need not exist."""
    try:
        target = path.resolve()
    except RuntimeError as error:
        raise Refused("it is a link that leads back to itself") from error
    if target.is_symlink():
        raise Refused("it is a link that leads back to itself")
    if target.exists() and not target.is_file():
        raise Refused("it is a folder" if target.is_dir() else "it is not a regular file")
    return target


def _read(target: Path) -> bytes | None:
    """The file's bytes; None when there is none."""
    try:
        with target.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    if len(content) > MAX_BYTES:
        raise Refused(f"it is larger than {MAX_BYTES // 1_000_000} MB")
    return content


def _text(content: bytes | None) -> str:
    try:
        return (content or b"").decode()
    except UnicodeDecodeError as error:
        raise Refused(f"it is not UTF-8 text (byte {error.start})") from error


@contextlib.contextmanager
def _sentences() -> Generator[None]:
    """Trouble of the system's, told as a refusal."""
    try:
        yield
    except OSError as error:
        raise Refused(f"it cannot be read or written: {error.strerror or error}") from error
    except UnicodeEncodeError as error:
        raise Refused("the path of this installation is no text that a file could hold") from error


if sys.platform == "win32":

    @contextlib.contextmanager
    def _turn(folder: Path) -> Generator[None]:
        """Only one of us at a time, in a folder: Windows locks no folders, so a file stands for it."""
        from gossamer.sqlite.lock import FileLock

        lock = FileLock(folder / ".gossamer.lock")
        try:
            with lock:
                yield
        finally:
            lock.close()
else:
    import fcntl

    @contextlib.contextmanager
    def _turn(folder: Path) -> Generator[None]:
        """Only one of us at a time, in a folder: its lock leaves nothing behind, and ends with the process."""
        number = os.open(folder, os.O_RDONLY)
        try:
            with contextlib.suppress(OSError):  # a file system without locks: the comparison still protects
                fcntl.flock(number, fcntl.LOCK_EX)
            yield
        finally:
            os.close(number)
