"""Who may write a file that decides about logins: nobody but the operator, or it is refused."""

import os
import stat
import sys
from collections.abc import Collection
from pathlib import Path

_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def writable_by_others(path: Path, status: os.stat_result, trusted: Collection[int]) -> str:
    """Why somebody else could put tokens into a file, or another file in its place; empty: nobody could.

    `status` is that of the open file; `trusted` are the users who may own it beside root. Its folder counts, and where
    the path is a link also the folder of the file that it leads to. Access lists show in the bits of the group.
    """
    if sys.platform == "win32":
        return ""
    if status.st_uid not in {0, *trusted}:
        return "it belongs to another user"
    if status.st_mode & _OTHERS:
        return "other users may write it"
    for folder in {path.absolute().parent, path.resolve().parent}:
        around = folder.stat()
        if around.st_uid not in {0, *trusted}:
            return "its folder belongs to another user"
        # In a folder with the sticky bit nobody replaces what belongs to somebody else.
        if around.st_mode & _OTHERS and not around.st_mode & stat.S_ISVTX:
            return "other users may write to its folder"
    return ""


def own_user() -> int:
    """The user as whom this process writes; on Windows, which has no such numbers, none."""
    return -1 if sys.platform == "win32" else os.geteuid()
