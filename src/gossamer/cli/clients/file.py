"""Rewrites a file of another program: whole or not at all, with a backup, and never over a newer one."""

import contextlib
import os
import stat
import sys
import tempfile
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from pathlib import Path

from gossamer.cli.clients.table import Refused

Edit = Callable[[str], str]
MAX_BYTES = 50_000_000
"""Some clients keep whole histories in the file; the bound is for what cannot be one at all."""
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
    """What `rewrite` would do; what may not be written is refused here too."""
    with _sentences():
        return _planned(_target(path), edit)[1]


def rewrite(path: Path, edit: Edit) -> Change:
    """Put `edit`'s text in the place of the file's; links are followed, mode and owner kept.

    Another of us waits its turn. A program that writes in between is noticed, and its text is edited instead.
    """
    with _sentences():
        target = _target(path)
        for _ in range(_TRIES):
            before, planned = _planned(target, edit)
            if not planned.is_changed:
                return planned
            content = planned.after.encode()
            target.parent.mkdir(parents=True, exist_ok=True)
            with _turn(target.parent):
                is_ours, backup = _replaced(target, before, content)
            if is_ours:
                return replace(planned, backup=backup)
        raise Refused("another program keeps changing it; close that program and try again")


def take_back(path: Path, change: Change) -> None:
    """Undo what `rewrite` did, unless the file has changed since."""
    with _sentences():
        target = _target(path)
        if not change.is_changed:
            return
        with _turn(target.parent):
            if _read(target) != change.after.encode():
                return
            if change.backup:
                change.backup.replace(target)
            else:
                target.unlink()


def _planned(target: Path, edit: Edit) -> tuple[bytes | None, Change]:
    """What the file holds, and what is to be made of it, once it is known that we may."""
    before = _read(target)
    text = _text(before)
    planned = Change(before=text, after=edit(text), is_new=before is None)
    if planned.is_changed:
        if before is not None and not _may(target, os.W_OK):
            raise Refused("it may not be written")
        folder = next(parent for parent in target.parents if parent.exists())
        if not _may(folder, os.R_OK | os.W_OK | os.X_OK):
            raise Refused(f"nothing may be put into {folder}")
    return before, planned


def _may(path: Path, mode: int) -> bool:
    return os.access(path, mode, effective_ids=os.access in os.supports_effective_ids)


def _replaced(target: Path, before: bytes | None, after: bytes) -> tuple[bool, Path | None]:
    """Replace the file if it still says what it did; else leave it, and say so."""
    with contextlib.ExitStack() as undo:
        number, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        new = Path(name)
        undo.callback(new.unlink, missing_ok=True)
        _fill(number, after)
        _dress(new, target)
        if before is None:
            return _placed(new, target), None
        backup, number = _backup(target)
        undo.callback(backup.unlink)
        _fill(number, before)
        _dress(backup, target)
        # Last, so that as little time as can be passes between this look and the replacing.
        if _read(target) != before:
            return False, None
        new.replace(target)
        undo.pop_all()
        return True, backup


def _placed(new: Path, target: Path) -> bool:
    """Put a file where none is; False when there is one by now."""
    try:
        os.link(new, target)
    except FileExistsError:
        return False
    except OSError:  # a file system without links
        if target.exists():
            return False
        new.replace(target)
    return True


def _fill(number: int, content: bytes) -> None:
    """Write to a descriptor, down to the disk, and close it."""
    with open(number, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(number)


def _backup(target: Path) -> tuple[Path, int]:
    """An empty file beside another, under a name that nobody has, and its descriptor."""
    for number in range(10_000):
        backup = target.with_name(f"{target.name}.bak{f'.{number}' if number else ''}")
        with contextlib.suppress(FileExistsError):
            return backup, os.open(backup, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _NEW_MODE)
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
    """An error of the system, raised as a refusal."""
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
        from gossamer.filedb.lock import FileLock

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
