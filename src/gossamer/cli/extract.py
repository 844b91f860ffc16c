"""A file to text, through the same worker that reads pages; no network."""

import asyncio
import mimetypes
import sys
from pathlib import Path
from typing import Any, get_args

from gossamer.cli import session
from gossamer.errors import GossamerError, InvalidArgument
from gossamer.model.http import HttpReply
from gossamer.model.page import Extracted, Format, View
from gossamer.ports import Call
from gossamer.wiring import SystemClock

_TIMEOUT_S = 60.0


def extract_file(file: str, *, url: str, format_name: str, as_json: bool) -> dict[str, Any] | str:
    """The text of a file, or with `as_json` its title, outcome and text."""
    try:
        if format_name not in get_args(Format):
            raise InvalidArgument(f"format must be one of {', '.join(get_args(Format))}.", hint="Choose one of them.")
        view = View(format=format_name)  # type: ignore[arg-type]  # checked above
        extracted = asyncio.run(_extract(_reply(file, url), view))
    except GossamerError as error:
        session.fail(error, as_json=as_json)
    if extracted.message:
        session.say(f"Note: {extracted.message}")
    if not as_json:
        return extracted.text
    return {"outcome": extracted.outcome.value, "title": extracted.title, "text": extracted.text}


def _reply(file: str, url: str) -> HttpReply:
    try:
        body = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise InvalidArgument(f"{file} cannot be read: {error.strerror}.", hint="Check the path.") from error
    guessed = mimetypes.guess_type(file)[0] or "application/octet-stream"
    return HttpReply(status=200, url=url or "about:blank", headers={"content-type": guessed}, body=body)


async def _extract(reply: HttpReply, view: View) -> Extracted:
    from gossamer.extractors.pool import WorkerPool

    clock = SystemClock()
    pool = WorkerPool(size=1, clock=clock)
    try:
        return await pool.extract(reply, view, Call(clock=clock, caller="cli").within(_TIMEOUT_S))
    finally:
        await pool.close()
