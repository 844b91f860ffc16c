"""Vectors from a server that the operator runs or rents: any that speaks OpenAI's `/v1/embeddings`."""

import asyncio
import random
from collections.abc import Iterator, Sequence

from gossamer.embedders import wire
from gossamer.embedders.prompts import Prompts, before
from gossamer.embedders.wire import Encoding, OtherEncoding, OutOfBounds
from gossamer.errors import GossamerError, RateLimited, TimedOut, UnexpectedReply
from gossamer.model.http import HttpReply
from gossamer.model.page import Vectors
from gossamer.ports import Call, Clock, Http, Tongue
from gossamer.steps.retry import Retries, pause_s

_BATCH = 32
_BATCH_CHARS = 256 * 1024
"""Of one request; some servers read no more than 2 MB."""
_SHORTEST_CHARS = 100
"""A text that is refused at this length is not refused for its length."""
_LEARNT_S = 600.0
"""How long a server that took fewer texts is given fewer; then it is tried with twice as many."""
_REST_S = 10.0
"""How long a server that did not answer in time is left alone, so that not every call waits for it."""
_FAIR_S = 2.0
"""A server that had less time than this, because a call had no more, is not to blame."""


class _Hurried(TimedOut):
    """The call had no time to wait for an answer."""


class RemoteEmbedder:
    """`Embedder` over HTTP: batches of 32, `at_once` of them under way for all calls together.

    After an error on the server's side it asks once more; after "slow down" it does not. It finds out by itself what
    a server takes: how many texts, how long ones, and whether it writes base64.
    """

    def __init__(
        self,
        api: Http,
        *,
        clock: Clock,
        url: str,
        model: str,
        key: str = "",
        at_once: int = 2,
        timeout_s: float = 20.0,
        prompts: Prompts | None = None,
    ) -> None:
        self.name = model
        self._api = api
        self._clock = clock
        self._url = url
        self._key = key
        self._timeout_s = timeout_s
        self._prompts = prompts or Prompts.of(model)
        self._slots = asyncio.Semaphore(at_once)
        self._batch = _BATCH
        self._batch_until = 0.0
        self._cuts = 0
        self._encoding: Encoding = "base64"
        self._rest_until = 0.0
        self._is_limited = False

    def speaking(self, tongue: Tongue) -> "RemoteEmbedder":  # noqa: ARG002  one model, whatever the language
        """Itself: the operator chose the model for all languages."""
        return self

    async def embed(self, texts: Sequence[str], call: Call) -> Vectors:
        """One unit vector per text, in order; all or an error. A text that says nothing is not asked for: zeros."""
        return await self._embed([before(self._prompts.text, text) for text in texts], call)

    async def ask(self, questions: Sequence[str], call: Call) -> Vectors:
        """The same for questions, told as such to a model that wants to know."""
        return await self._embed([before(self._prompts.question, text) for text in questions], call)

    async def _embed(self, texts: Sequence[str], call: Call) -> Vectors:
        said = [number for number, text in enumerate(texts) if text.strip()]
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [
                    group.create_task(self._batch_of([texts[number] for number in batch], call))
                    for batch in _batches(said, texts, self._most())
                ]
        except ExceptionGroup as errors:
            raise _first(errors) from errors
        parts = [part for task in tasks for part in task.result()]
        dimension = parts[0].dimension if parts else 1
        if any(part.dimension != dimension for part in parts):
            raise UnexpectedReply(
                f"{wire.WHO} answered with vectors of different lengths.", hint="Check what it runs: gossamer doctor."
            )
        made = b"".join(part.data for part in parts)
        width = 2 * dimension
        rows = [bytes(width)] * len(texts)
        for place, number in enumerate(said):
            rows[number] = made[place * width : (place + 1) * width]
        return Vectors(model=self.name, dimension=dimension, data=b"".join(rows))

    async def _batch_of(self, texts: Sequence[str], call: Call) -> list[Vectors]:
        """The vectors of a batch, in two halves where the server takes less; a text too long for it is cut."""
        encoding = self._encoding
        try:
            return [await self._ask(texts, call, encoding)]
        except OtherEncoding:
            if encoding == "float":
                raise
            self._encoding = "float"
            return await self._batch_of(texts, call)
        except OutOfBounds:
            if len(texts) > 1:
                return await self._halves(texts, call)
            if len(texts[0]) <= _SHORTEST_CHARS:
                raise
            self._cuts += 1
            return await self._batch_of([texts[0][: len(texts[0]) // 2]], call)

    async def _halves(self, texts: Sequence[str], call: Call) -> list[Vectors]:
        """The vectors of a batch that was refused as a whole.

        Only where both halves are taken as they are was it their number; a long text says nothing of other batches.
        """
        cuts, half = self._cuts, len(texts) // 2
        left = await self._batch_of(texts[:half], call)
        right = await self._batch_of(texts[half:], call)
        if len(left) == len(right) == 1 and cuts == self._cuts:
            self._batch = min(self._batch, half)
            self._batch_until = self._clock.monotonic() + _LEARNT_S
        return [*left, *right]

    def _most(self) -> int:
        """How many texts a batch may have: what was learnt, and more again after a while, since servers change."""
        if self._batch < _BATCH and self._clock.monotonic() >= self._batch_until:
            self._batch = min(_BATCH, 2 * self._batch)
            self._batch_until = self._clock.monotonic() + _LEARNT_S
        return self._batch

    async def _ask(self, texts: Sequence[str], call: Call, encoding: Encoding) -> Vectors:
        self._heed_rest()
        tried = 0
        while True:
            tried += 1
            from_network = True
            try:
                async with self._slots:
                    reply = await self._send(texts, call, encoding)
                from_network = False
                wire.judge(reply, self._key)
                return await asyncio.to_thread(wire.read, reply, self.name, len(texts))
            except GossamerError as error:
                wait_s = pause_s(
                    Retries(),
                    error,
                    tried=tried,
                    from_network=from_network,
                    left_s=call.remaining_s,
                    chance=random.random(),  # noqa: S311 - spreads requests, hides nothing
                )
                if wait_s is None:
                    self._remember(error)
                    raise
            await asyncio.sleep(wait_s)

    async def _send(self, texts: Sequence[str], call: Call, encoding: Encoding) -> HttpReply:
        request = wire.request(self._url, self._key, self.name, texts, encoding)
        limit_s = min(self._timeout_s, call.remaining_s)
        try:
            async with asyncio.timeout(limit_s):
                return await self._api.send(request, call)
        except (TimeoutError, TimedOut) as error:
            if limit_s < min(self._timeout_s, _FAIR_S):
                raise _Hurried(
                    f"{wire.WHO} did not answer within the {limit_s:.3g} s that were left.", hint="Allow more time."
                ) from error
            raise TimedOut(
                f"{wire.WHO} did not answer within {limit_s:.3g} s.", hint="Raise embedding.timeout_s, or see its load."
            ) from error
        except GossamerError as error:
            error.message = f"{wire.WHO} could not be asked: {error.message}"
            error.hint = "Check EMBEDDING_SERVER_URL and that the server runs: gossamer doctor."
            raise

    def _heed_rest(self) -> None:
        """Refuse at once while the server is left alone."""
        left_s = self._rest_until - self._clock.monotonic()
        if left_s <= 0:
            return
        if self._is_limited:
            raise RateLimited(wire.WHO, retry_after_s=left_s)
        raise TimedOut(
            f"{wire.WHO} did not answer in time a moment ago and is left alone for {left_s:.0f} s.",
            hint="Raise embedding.timeout_s, or see its load.",
        )

    def _remember(self, error: GossamerError) -> None:
        self._is_limited = isinstance(error, RateLimited)
        is_silent = isinstance(error, TimedOut) and not isinstance(error, _Hurried)
        rest_s = _REST_S if is_silent else (self._is_limited and error.retry_after_s) or 0.0
        self._rest_until = self._clock.monotonic() + rest_s


def _batches(numbers: Sequence[int], texts: Sequence[str], most: int) -> Iterator[list[int]]:
    batch: list[int] = []
    chars = 0
    for number in numbers:
        chars += len(texts[number])
        if batch and (len(batch) == most or chars > _BATCH_CHARS):
            yield batch
            batch, chars = [], len(texts[number])
        batch.append(number)
    if batch:
        yield batch


def _first(errors: ExceptionGroup[Exception]) -> Exception:
    """The first error that a batch ended with; the others were cancelled, or failed alike."""
    return next((error for error in errors.exceptions if isinstance(error, GossamerError)), errors)
