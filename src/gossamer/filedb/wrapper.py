"""The wrapper before every store and state: opened at the first use, and again after a failure.

A store's wrapper also replaces lone surrogates, which no encoding has, and keeps the store within a size.
"""

import asyncio
import contextlib
import inspect
import re
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any, Generic, Protocol, TypeVar, cast

from gossamer.errors import GossamerError, StoreDamaged, StoreError, StoreUnavailable
from gossamer.filedb.file_errors import closed
from gossamer.model.page import Chunk, Page, Vectors
from gossamer.model.records import Kept, KeptReply, Record, Spending
from gossamer.ports import Clock, Store

_RETRY_S = 5.0
"""Between two attempts to open what could not be opened; callers in between get the error at once."""
_AGAIN_S = 0.5
"""How long a caller waits for a repeated attempt to open; the first attempt is waited for without a limit."""
_SAVES = 20
"""Saved pages between two looks at the size."""
_LAST_S = 2.0
"""How long closing waits for an eviction: a command that ends at once would else never get to the end of it."""
_SURROGATE = re.compile("[\ud800-\udfff]")


class Closable(Protocol):
    """A resource that is kept open."""

    async def close(self) -> None:
        """Let go of it."""
        ...


Resource = TypeVar("Resource", bound=Closable)
T = TypeVar("T")


def reopening(port: type[Any], open_part: Callable[[], Awaitable[Resource]], *, clock: Clock) -> Resource:
    """A part of a port that opens itself: at its first use, and again when it has to be."""
    return cast("Resource", Reopening(port, open_part, clock=clock))


def lasting_store(open_part: Callable[[], Awaitable[Store]], *, clock: Clock, most_bytes: int) -> Store:
    """A store as an engine uses it: reopened when it has to be, given plain text, kept within `most_bytes`."""
    return cast("Store", _LastingStore(open_part, clock=clock, most_bytes=most_bytes))


def plain_text_store(store: Store) -> Store:
    """An open store, given plain text alone."""
    return cast("Store", _PlainTextStore(store))


class _Wrapper(ABC):
    """Stands before a part. `forwarded` says once how any method of the port reaches it; subclasses add what differs.

    A type checker cannot see that this is such a part, so each wrapper is made by a function that says so.
    """

    def __init__(self, port: type[Any]) -> None:
        self._port = port

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_") or not hasattr(self._port, name):
            raise AttributeError(f"{type(self).__name__} has no {name!r}, nor has its port.")
        method = self.forwarded(name)
        # The next look-up finds it without coming here.
        setattr(self, name, method)
        return method

    @abstractmethod
    def forwarded(self, name: str) -> Callable[..., Any]:
        """The method of this name, as callers of the wrapper get it."""


class Reopening(_Wrapper, Generic[Resource]):
    """Opens a part at its first use; once more when it was found damaged, or could not be opened a while ago.

    So a disk that was full, a folder that came back, or a file that had to be moved aside is noticed without a
    restart, and meanwhile each use raises the `StoreError` that says why.
    """

    def __init__(self, port: type[Any], open_part: Callable[[], Awaitable[Resource]], *, clock: Clock) -> None:
        super().__init__(port)
        self._open_part = open_part
        self._clock = clock
        self._opening: asyncio.Task[Resource] | None = None
        self._error: StoreError | None = None
        self._retry_at = 0.0
        self._is_closed = False

    def forwarded(self, name: str) -> Callable[..., Any]:
        """A method of the port, done with the part that is open then."""

        async def call(*args: Any, **options: Any) -> Any:
            return await self.use(lambda part: getattr(part, name)(*args, **options))

        async def iterate(*args: Any, **options: Any) -> AsyncIterator[Any]:
            async def begin(part: Resource) -> AsyncIterator[Any]:
                return getattr(part, name)(*args, **options)

            async for item in await self.use(begin):
                yield item

        return call if inspect.iscoroutinefunction(getattr(self._port, name)) else iterate

    async def use(self, work: Callable[[Resource], Awaitable[T]]) -> T:
        """Do `work` with the part; what finds it damaged is done once more with the one opened in its place."""
        part = await self._opened()
        try:
            return await work(part)
        except StoreDamaged:
            await self._let_go(part)
        except StoreUnavailable:
            # Somebody else may have found it damaged meanwhile, and closed it.
            if self._is_closed or self._has(part):
                raise
        return await work(await self._opened())

    async def close(self) -> None:
        """Close the part if it was opened, and open it no more."""
        self._is_closed = True
        opening, self._opening = self._opening, None
        if opening is None:
            return
        if not opening.done():
            opening.cancel()
            await asyncio.wait([opening])
        with contextlib.suppress(StoreError, asyncio.CancelledError):
            await opening.result().close()

    async def _opened(self) -> Resource:
        again = self._error
        if self._opening is None:
            if self._is_closed:
                raise closed()
            if again is not None and self._clock.monotonic() < self._retry_at:
                raise again.but()
            self._opening = asyncio.create_task(_awaited(self._open_part()))
            patience_s = _AGAIN_S
        else:
            patience_s = 0.0
        opening = self._opening
        # One caller who gives up takes nobody else's opening along.
        await asyncio.wait([opening], timeout=None if again is None else patience_s)
        if again is not None and not opening.done():
            raise again.but()
        return self._result(opening)

    def _result(self, opening: asyncio.Task[Resource]) -> Resource:
        if opening.cancelled():
            raise closed()
        error = opening.exception()
        if error is None:
            self._error = None
            return opening.result()
        if self._opening is opening:
            self._opening = None
            if isinstance(error, StoreError):
                self._error, self._retry_at = error, self._clock.monotonic() + _RETRY_S
        raise (error.but() if isinstance(error, GossamerError) else error) from None

    async def _let_go(self, part: Resource) -> None:
        """Close a part, unless it is closed already."""
        if self._has(part):
            self._opening = None
            with contextlib.suppress(StoreError):
                await part.close()

    def _has(self, part: Resource) -> bool:
        opening = self._opening
        if opening is None or not opening.done() or opening.cancelled() or opening.exception() is not None:
            return False
        return opening.result() is part


async def _awaited(part: Awaitable[Resource]) -> Resource:
    return await part


class _LastingStore(Reopening[Store]):
    """What outgrows the size is evicted in the background, after saves."""

    def __init__(self, open_part: Callable[[], Awaitable[Store]], *, clock: Clock, most_bytes: int) -> None:
        super().__init__(Store, open_part, clock=clock)
        self._most_bytes = most_bytes
        self._saves = 0
        self._trimming: asyncio.Task[None] | None = None

    def forwarded(self, name: str) -> Callable[..., Any]:
        return _with_plain_arguments(super().forwarded(name))

    async def save(self, page: Page, chunks: Sequence[Chunk], reply: KeptReply | None = None) -> Page:
        plain, plain_chunks = _plain_page(page), _plain_chunks(page, chunks)
        saved = await self.use(lambda store: store.save(plain, plain_chunks, reply))
        self._saves += 1
        if self._saves % _SAVES == 1 and (self._trimming is None or self._trimming.done()):
            self._trimming = asyncio.create_task(self._trim())
        return saved

    async def close(self) -> None:
        if self._trimming is not None:
            await asyncio.wait([self._trimming], timeout=_LAST_S)
            self._trimming.cancel()
            await asyncio.wait([self._trimming])
        await super().close()

    async def _trim(self) -> None:
        # The next one to save tries again.
        with contextlib.suppress(StoreError):
            await self.use(lambda store: store.trim(most_bytes=self._most_bytes))


class _PlainTextStore(_Wrapper):
    def __init__(self, store: Store) -> None:
        super().__init__(Store)
        self._store = store

    def forwarded(self, name: str) -> Callable[..., Any]:
        return _with_plain_arguments(getattr(self._store, name))

    async def save(self, page: Page, chunks: Sequence[Chunk], reply: KeptReply | None = None) -> Page:
        return await self._store.save(_plain_page(page), _plain_chunks(page, chunks), reply)


def _with_plain_arguments(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method whose arguments have a replacement character for each lone surrogate in their texts.

    A character takes the place of a character, so the spans of a text stay what they were.
    """
    return lambda *args, **options: method(
        *map(_plain, args), **{option: _plain(value) for option, value in options.items()}
    )


def _plain(value: Any) -> Any:
    """An argument of a store's method with plain text in it; nearly always the argument itself."""
    match value:
        case str():
            return _plain_text(value)
        case Page():
            return _plain_page(value)
        case Vectors():
            return _plain_vectors(value)
        case Kept() | Spending():
            return _plain_record(value)
        case _:
            return value


def _is_plain(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _plain_text(text: str) -> str:
    return text if _is_plain(text) else _SURROGATE.sub("\ufffd", text)


def _plain_page(page: Page) -> Page:
    texts = (page.url, page.final_url, page.title, page.text, page.view)
    if all(map(_is_plain, texts)):
        return page
    url, final_url, title, text, view = map(_plain_text, texts)
    return replace(page, url=url, final_url=final_url, title=title, text=text, view=view)


def _plain_chunks(page: Page, chunks: Sequence[Chunk]) -> tuple[Chunk, ...]:
    """The chunks of a page as those of its plain text, named anew where they changed."""
    return tuple(_plain_chunk(page, chunk) for chunk in chunks)


def _plain_record(record: Record) -> Record:
    if isinstance(record, Spending):
        op, provider, day = map(_plain_text, (record.op, record.provider, record.day))
        return replace(record, op=op, provider=provider, day=day)
    return replace(
        record,
        page=_plain_page(record.page),
        chunks=_plain_chunks(record.page, record.chunks),
        vectors=tuple(map(_plain_vectors, record.vectors)),
        former=tuple(map(_plain_page, record.former)),
    )


def _plain_vectors(vectors: Vectors) -> Vectors:
    return vectors if _is_plain(vectors.model) else replace(vectors, model=_plain_text(vectors.model))


def _plain_chunk(page: Page, chunk: Chunk) -> Chunk:
    if _is_plain(page.url) and _is_plain(chunk.text) and all(map(_is_plain, chunk.section)):
        return chunk
    section, text = tuple(map(_plain_text, chunk.section)), _plain_text(chunk.text)
    old_id = _chunk_id(page.url, chunk.section, chunk.text)
    # One that is not named by what it says stays so, and is refused.
    new_id = _chunk_id(_plain_text(page.url), section, text) if chunk.id == old_id else chunk.id
    return replace(chunk, section=section, text=text, id=new_id)


def _chunk_id(url: str, section: Sequence[str], text: str) -> str:
    return sha256(f"{url}|{' > '.join(section)}|{text}".encode("utf-8", "surrogatepass")).hexdigest()
