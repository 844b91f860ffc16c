"""Permissions of files that decide about logins: only the operator may write them, or they are refused."""

import errno
import os
import shlex
import stat
import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

_OTHERS = stat.S_IWGRP | stat.S_IWOTH
_MOST_LINKS = 40
"""As many as Linux follows."""


class Exposure(NamedTuple):
    """How another user could change a file or replace it."""

    why: str
    mend: str
    """What the operator does about it."""


def exposure_of(path: Path, status: os.stat_result, trusted: Collection[int]) -> Exposure | None:
    """How another user could write tokens into a file or replace it; None: no other user can.

    `status` is that of the open file; `trusted` are the users who may own it beside root.
    """
    if sys.platform == "win32":
        return None
    if status.st_uid not in {0, *trusted}:
        return _belongs(path)
    return _is_written(path) if status.st_mode & _OTHERS else exposure_of_way(path, trusted)


def exposure_of_way(path: Path, trusted: Collection[int]) -> Exposure | None:
    """How another user could create or replace the file at a path.

    Every folder and link on the way belongs to root or a trusted user, and no stranger may write to one. The group may
    not write to the folder of the file, nor to that of a link which is its name; access lists show in the bits of the
    group. In a folder with the sticky bit nobody replaces what belongs to somebody else.
    """
    if sys.platform == "win32":
        return None
    holding = {Path(os.path.realpath(path.absolute().parent)), Path(os.path.realpath(path)).parent}
    for place, status in _way(path):
        if status.st_uid not in {0, *trusted}:
            return _belongs(place)
        writers = _OTHERS if place in holding else stat.S_IWOTH
        if stat.S_ISDIR(status.st_mode) and status.st_mode & writers and not status.st_mode & stat.S_ISVTX:
            return _is_written(place)
    return None


def own_user() -> int:
    """The user as whom this process writes; on Windows, which has no such numbers, none."""
    return -1 if sys.platform == "win32" else os.geteuid()


def _way(path: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """The folders and links that the system passes on the way to a file, each with its own status."""
    path = path.absolute()
    folder, steps, links = Path(path.anchor), list(reversed(path.parts[1:])), 0
    yield folder, folder.lstat()
    while steps:
        step = steps.pop()
        place = folder.parent if step == ".." else folder / step
        try:
            status = place.lstat()
        except FileNotFoundError:
            return
        if stat.S_ISLNK(status.st_mode):
            links += 1
            if links > _MOST_LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
            target = place.readlink()
            folder = Path(target.anchor) if target.is_absolute() else folder
            steps += reversed(target.parts[1:] if target.is_absolute() else target.parts)
            yield place, status
        elif stat.S_ISDIR(status.st_mode):
            folder = place
            yield place, status


def _belongs(place: Path) -> Exposure:
    return Exposure(f"{place} belongs to another user", f"`chown` {place} to the server's user")


def _is_written(place: Path) -> Exposure:
    return Exposure(f"other users may write {place}", f"`chmod go-w {shlex.quote(str(place))}`")
