"""A file as the reply of a site, so that it is read like a page."""

import mimetypes
import stat
from pathlib import Path

from gossamer.errors import InvalidArgument, TooLarge
from gossamer.model.http import HttpReply

MAX_BYTES = 32 * 1024 * 1024


def reply_of(file: str, url: str) -> HttpReply:
    """The file's bytes under the type that its name says."""
    try:
        if not stat.S_ISREG(Path(file).stat().st_mode):
            raise InvalidArgument(f"{file} cannot be read: it is not a file.", hint="Check the path.")
        with Path(file).open("rb") as opened:
            body = opened.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no path"
        raise InvalidArgument(f"{file} cannot be read: {why}.", hint="Check the path.") from error
    return bytes_reply(body, url, kind=mimetypes.guess_type(file)[0] or "")


def bytes_reply(body: bytes, url: str, *, kind: str = "") -> HttpReply:
    """Bytes as a reply; without a kind they are looked at."""
    if len(body) > MAX_BYTES:
        raise TooLarge(f"The file is larger than {MAX_BYTES // 1024**2} MiB.", hint="Give a part of it.")
    kind = kind or "application/octet-stream"
    return HttpReply(status=200, url=url or "about:blank", headers={"content-type": kind}, body=body)
