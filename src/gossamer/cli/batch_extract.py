"""`gossamer extract --jsonl`: many files to text. Lines come out as pages are ready; their `id` says which is which."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from gossamer.cli.batch import Answer, Batch, Told
from gossamer.cli.files import reply_of
from gossamer.compose import SystemClock
from gossamer.errors import InvalidArgument
from gossamer.model.page import View
from gossamer.ports import Call
from gossamer.steps.web.walls import judge_reply

_TIMEOUT_S = 120.0


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
            extracted = await pool.extract(reply, view, Call(clock=clock, caller="cli").within(_TIMEOUT_S))
            message = {"message": extracted.message} if extracted.message else {}
            return extracted.outcome, {"text": extracted.text, "title": extracted.title, **message}

        try:
            yield answer
        finally:
            await pool.close()

    batch = Batch(example='{"id": "1", "path": "page.html", "url": "https://example.org/"}', opened=opened)
    return batch
