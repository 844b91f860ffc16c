"""Remote embeddings: batches to any server that speaks OpenAI's `/v1/embeddings`, with retries and backpressure.

Some models expect a prompt prefix before a query and before a document.
"""

import asyncio
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from gossamer.embedders import openai_api
from gossamer.embedders.openai_api import Encoding, OtherEncoding, OutOfBounds
from gossamer.errors import BadSettings, GossamerError, RateLimited, TimedOut, UnexpectedReply
from gossamer.model.http import HttpReply
from gossamer.model.page import Vectors
from gossamer.ports import Call, Clock, Heard, Http, LanguageMix, unheard
from gossamer.resilience.retry import RetryPolicy, Trial

AUTO, NONE = "auto", "none"

_KNOWN = (
    (re.compile(r"nomic-embed-text"), "search_query:", "search_document:"),
    (re.compile(r"(?:^|[-/])e5-(?!.*instruct)"), "query:", "passage:"),
    (re.compile(r"arctic-embed.*(?:v2|:.*2\.0)|arctic-embed2"), "query:", ""),
)
"""Models whose makers say that they need it, by their names on any server; most models need nothing."""
_RETRIES = RetryPolicy()
_BATCH = 32
_BATCH_CHARS = 256 * 1024
"""Of one request; some servers read no more than 2 MB."""
_SHORTEST_CHARS = 100
"""A text that is refused at this length is not refused for its length."""
_LEARNT_S = 600.0
"""How long a server that took fewer texts is given fewer; then it is tried with twice as many."""
_REST_S = 10.0
"""How long a server that did not answer in time is left alone, so that not every call waits for it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Prompts:
    """The words before a question, and before a text of a page."""

    question: str = ""
    text: str = ""

    @classmethod
    def of(cls, model: str, *, question: str = AUTO, text: str = AUTO) -> "Prompts":
        """As the operator says, else as the model is known to want it."""
        known = next((prefixes for pattern, *prefixes in _KNOWN if pattern.search(model.lower())), ["", ""])
        return cls(question=_chosen(question, known[0]), text=_chosen(text, known[1]))


def before(prompt: str, text: str) -> str:
    """The text as it is sent; one that says nothing says nothing with a prompt either."""
    return f"{prompt} {text}" if prompt and text.strip() else text


def _chosen(configured: str, known: str) -> str:
    return {AUTO: known, "": known, NONE: ""}.get(configured.strip().lower(), configured.strip())


class _Hurried(TimedOut):
    """The call had no more time to wait for an answer, and the server is not to blame."""


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
        self._silent_since = math.inf
        self._is_limited = False

    def speaking(self, mix: LanguageMix) -> "RemoteEmbedder":  # noqa: ARG002  one model, whatever the language
        """Itself: the operator chose the model for all languages."""
        return self

    async def embed(self, texts: Sequence[str], call: Call, heard: Heard = unheard) -> Vectors:
        """One unit vector per text, in order; all or an error. A text that says nothing is not asked for: zeros."""
        return await self._embed([before(self._prompts.text, text) for text in texts], call, heard)

    async def ask(self, questions: Sequence[str], call: Call) -> Vectors:
        """The same for questions, marked as such for a model that tells them apart."""
        return await self._embed([before(self._prompts.question, text) for text in questions], call, unheard)

    async def _embed(self, texts: Sequence[str], call: Call, heard: Heard) -> Vectors:
        non_empty = {place: text for place, text in enumerate(texts) if text.strip()}
        rows: dict[int, bytes] = {}

        def keep(places: Sequence[int], part: Vectors) -> None:
            width = 2 * part.dimension
            if any(len(row) != width for row in rows.values()):
                raise UnexpectedReply(
                    f"{openai_api.WHO} answered with vectors of different lengths.",
                    hint="Check what it runs: gossamer doctor.",
                )
            rows.update((place, part.data[at * width : (at + 1) * width]) for at, place in enumerate(places))
            heard(places, part)

        try:
            async with asyncio.TaskGroup() as group:
                for batch in _batches(non_empty, self._most()):
                    group.create_task(self._batch_of(batch, call, keep))
        except ExceptionGroup as errors:
            raise _first(errors) from errors
        width = len(next(iter(rows.values()), bytes(2)))
        data = b"".join(rows.get(place, bytes(width)) for place in range(len(texts)))
        return Vectors(model=self.name, dimension=width // 2, data=data)

    async def _batch_of(self, batch: Mapping[int, str], call: Call, keep: Heard) -> bool:
        """Have the vectors of a batch, in two halves where the server takes less; a text too long for it is cut.

        Whether it was taken whole.
        """
        encoding = self._encoding
        try:
            await self._ask(batch, call, encoding, keep)
        except OtherEncoding:
            if encoding == "float":
                raise
            self._encoding = "float"
            return await self._batch_of(batch, call, keep)
        except OutOfBounds:
            if len(batch) > 1:
                await self._halves(batch, call, keep)
                return False
            ((place, text),) = batch.items()
            if len(text) <= _SHORTEST_CHARS:
                raise
            self._cuts += 1
            return await self._batch_of({place: text[: len(text) // 2]}, call, keep)
        return True

    async def _halves(self, batch: Mapping[int, str], call: Call, keep: Heard) -> None:
        """Have the vectors of a batch that was refused as a whole.

        Only where both halves are taken as they are was it their number; a long text says nothing of other batches.
        """
        cuts, half, texts = self._cuts, len(batch) // 2, tuple(batch.items())
        is_left_whole = await self._batch_of(dict(texts[:half]), call, keep)
        is_right_whole = await self._batch_of(dict(texts[half:]), call, keep)
        if is_left_whole and is_right_whole and cuts == self._cuts:
            self._batch = min(self._batch, half)
            self._batch_until = self._clock.monotonic() + _LEARNT_S

    def _most(self) -> int:
        """How many texts a batch may have: what was learnt, and more again after a while, since servers change."""
        if self._batch < _BATCH and self._clock.monotonic() >= self._batch_until:
            self._batch = min(_BATCH, 2 * self._batch)
            self._batch_until = self._clock.monotonic() + _LEARNT_S
        return self._batch

    async def _ask(self, batch: Mapping[int, str], call: Call, encoding: Encoding, keep: Heard) -> None:
        self._heed_rest()

        async def attempt(trial: Trial) -> None:
            reply = await self._send(tuple(batch.values()), call, encoding)
            trial.status = reply.status
            openai_api.judge(reply, self._key)
            await self._read(reply, tuple(batch), keep)

        try:
            await _RETRIES.run(attempt, call)
        except GossamerError as error:
            self._remember(error)
            raise

    async def _read(self, reply: HttpReply, places: Sequence[int], keep: Heard) -> None:
        """Read a reply and keep what it holds, also when another batch failed meanwhile: it has been paid for."""
        reading = asyncio.create_task(asyncio.to_thread(openai_api.read, reply, self.name, len(places)))
        try:
            keep(places, await asyncio.shield(reading))
        except asyncio.CancelledError:
            with suppress(GossamerError):
                keep(places, await reading)
            raise

    async def _send(self, texts: Sequence[str], call: Call, encoding: Encoding) -> HttpReply:
        request = openai_api.request(self._url, self._key, self.name, texts, encoding)
        share = asyncio.timeout(call.remaining_s)
        try:
            async with share, self._slots, asyncio.timeout(self._timeout_s):
                self._silent_since = min(self._silent_since, self._clock.monotonic())
                reply = await self._api.send(request, replace(call, deadline=math.inf))
                self._silent_since = math.inf
                return reply
        except TimeoutError as error:
            raise self._late(call, is_fair=not share.expired()) from error
        except BadSettings:
            raise  # it names what has to be set, which is not the server
        except GossamerError as error:
            raise error.but(
                message=f"{openai_api.WHO} could not be asked: {error.message}",
                hint="Check EMBEDDING_SERVER_URL and that the server runs: gossamer doctor.",
            ) from error

    def _late(self, call: Call, *, is_fair: bool) -> TimedOut:
        """Whose time was over: the server's own, now or since it was first asked in vain, or that of the call."""
        silent_s = self._clock.monotonic() - self._silent_since
        if is_fair or silent_s >= self._timeout_s:
            reason = f"did not answer within {self._timeout_s:.3g} s" if is_fair else f"was silent for {silent_s:.3g} s"
            return TimedOut(f"{openai_api.WHO} {reason}.", hint="Raise embedding.timeout_s, or see its load.")
        more = f"raise {call.time_setting}" if call.time_setting else "allow the call more time"
        return _Hurried(
            "The time that this call has for vectors was over before the embedding server had answered.",
            hint=f"Ask again, or {more}.",
        )

    def _heed_rest(self) -> None:
        """Refuse at once while the server is left alone."""
        left_s = self._rest_until - self._clock.monotonic()
        if left_s <= 0:
            return
        if self._is_limited:
            raise RateLimited(openai_api.WHO, retry_after_s=left_s)
        raise TimedOut(
            f"{openai_api.WHO} did not answer in time a moment ago and is left alone for {left_s:.0f} s.",
            hint="Raise embedding.timeout_s, or see its load.",
        )

    def _remember(self, error: GossamerError) -> None:
        if isinstance(error, _Hurried):
            return
        self._is_limited = isinstance(error, RateLimited)
        rest_s = _REST_S if isinstance(error, TimedOut) else (self._is_limited and error.retry_after_s) or 0.0
        self._rest_until = self._clock.monotonic() + rest_s


def _batches(texts: Mapping[int, str], most: int) -> Iterator[dict[int, str]]:
    batch: dict[int, str] = {}
    chars = 0
    for place, text in texts.items():
        chars += len(text)
        if batch and (len(batch) == most or chars > _BATCH_CHARS):
            yield batch
            batch, chars = {}, len(text)
        batch[place] = text
    if batch:
        yield batch


def _first(errors: ExceptionGroup[Exception]) -> Exception:
    """The first error that a batch ended with; the others were cancelled, or failed alike."""
    return next((error for error in errors.exceptions if isinstance(error, GossamerError)), errors)
