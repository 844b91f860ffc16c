"""A file to text, through the same worker that reads pages; no network."""

import asyncio
import mimetypes
import stat
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, get_args

from gossamer.cli import session
from gossamer.cli.batch import Answer, Batch, Told
from gossamer.compose import SystemClock
from gossamer.errors import GossamerError, InvalidArgument, TooLarge
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
    for note in filter(None, (extracted.message, extracted.left_out.note)):
        session.say(f"Note: {note}")
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


_BATCH_TIMEOUT_S = 120.0


def extract_batch(view: View) -> Batch:
    """Each line's file as text, by the same workers that read pages."""

    @asynccontextmanager
    async def opened(at_once: int) -> AsyncGenerator[Answer]:
        from gossamer.extractors.workers.pool import WorkerPool

        clock = SystemClock()
        pool = WorkerPool(size=at_once, clock=clock)

        async def answer(asked: dict[str, Any]) -> Told:
            path, url = asked.get("path"), asked.get("url") or ""
            if not isinstance(path, str) or not path or not isinstance(url, str):
                raise InvalidArgument("path must be text, and url as well where there is one.", hint=batch.hint)
            reply = await asyncio.to_thread(reply_of, path, url)
            judge_reply(reply)
            extracted = await pool.extract(reply, view, Call(clock=clock, caller="cli").within(_BATCH_TIMEOUT_S))
            notes = " ".join(filter(None, (extracted.message, extracted.left_out.note)))
            message = {"message": notes} if notes else {}
            return extracted.outcome, {"text": extracted.text, "title": extracted.title, **message}

        try:
            yield answer
        finally:
            await pool.close()

    batch = Batch(example='{"id": "1", "path": "page.html", "url": "https://example.org/"}', opened=opened)
    return batch
