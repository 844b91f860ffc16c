"""A file to text, through the same worker that reads pages; no network."""

import asyncio
import sys
from typing import Any, get_args

from gossamer.cli import session
from gossamer.cli.files import MAX_BYTES, bytes_reply, reply_of
from gossamer.compose import SystemClock
from gossamer.errors import GossamerError, InvalidArgument
from gossamer.model.http import HttpReply
from gossamer.model.page import Extracted, Format, View
from gossamer.ports import Call
from gossamer.process import leave_interrupted
from gossamer.steps.web.walls import judge_reply

_TIMEOUT_S = 60.0


def view_of(format_name: str) -> View:
    """The view that the options ask for."""
    if format_name not in get_args(Format):
        raise InvalidArgument(f"format must be one of {', '.join(get_args(Format))}.", hint="Choose one of them.")
    return View(format=format_name)  # type: ignore[arg-type]  # checked above


def extract_file(file: str, *, url: str, format_name: str, as_json: bool) -> dict[str, Any] | str:
    """The text of a file, or with `as_json` its title, outcome and text."""
    try:
        view = view_of(format_name)
        reply = bytes_reply(sys.stdin.buffer.read(MAX_BYTES + 1), url) if file == "-" else reply_of(file, url)
        judge_reply(reply)
        extracted = asyncio.run(_extract(reply, view))
    except GossamerError as error:
        session.fail(error, as_json=as_json)
    except KeyboardInterrupt:
        leave_interrupted()
    if extracted.message:
        session.say(f"Note: {extracted.message}")
    if not as_json:
        return extracted.text
    return {"outcome": extracted.outcome.value, "title": extracted.title, "text": extracted.text}


async def _extract(reply: HttpReply, view: View) -> Extracted:
    from gossamer.extractors.workers.pool import WorkerPool

    clock = SystemClock()
    pool = WorkerPool(size=1, clock=clock)
    try:
        return await pool.extract(reply, view, Call(clock=clock, caller="cli").within(_TIMEOUT_S))
    finally:
        await pool.close()
