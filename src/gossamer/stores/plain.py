"""Text that can be written down: lone surrogates, which no encoding has, are replaced at the border of every store.

A character takes the place of a character, so the spans of a text stay what they were.
"""

import re
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256

from gossamer.model.kept import Record, Spending, Stats, Version
from gossamer.model.page import Chunk, FormerVectors, Listed, Page, Vectors
from gossamer.model.search import Hit
from gossamer.ports import Store

_LONE = re.compile("[\ud800-\udfff]")


def plain(text: str) -> str:
    """The text itself, nearly always; else with a replacement character for each lone surrogate."""
    return text if _is_plain(text) else _LONE.sub("\ufffd", text)


def plain_page(page: Page) -> Page:
    """The page itself, nearly always."""
    said = (page.url, page.final_url, page.title, page.text, page.view)
    if all(map(_is_plain, said)):
        return page
    url, final_url, title, text, view = map(plain, said)
    return replace(page, url=url, final_url=final_url, title=title, text=text, view=view)


def plain_chunks(page: Page, chunks: Sequence[Chunk]) -> tuple[Chunk, ...]:
    """The chunks of a page as those of its plain text, named anew where they changed."""
    return tuple(_plain_chunk(page, chunk) for chunk in chunks)


def plain_record(record: Record) -> Record:
    """A record of an export."""
    if isinstance(record, Spending):
        return replace(record, op=plain(record.op), provider=plain(record.provider), day=plain(record.day))
    return replace(
        record,
        page=plain_page(record.page),
        chunks=plain_chunks(record.page, record.chunks),
        vectors=tuple(map(_plain_vectors, record.vectors)),
        former=tuple(map(plain_page, record.former)),
    )


def _plain_vectors(vectors: Vectors) -> Vectors:
    return vectors if _is_plain(vectors.model) else replace(vectors, model=plain(vectors.model))


def _plain_chunk(page: Page, chunk: Chunk) -> Chunk:
    if _is_plain(page.url) and _is_plain(chunk.text) and all(map(_is_plain, chunk.section)):
        return chunk
    section, text = tuple(map(plain, chunk.section)), plain(chunk.text)
    named = sha256(_named(page.url, chunk.section, chunk.text)).hexdigest()
    # One that is not named by what it says stays so, and is refused.
    new = sha256(_named(plain(page.url), section, text)).hexdigest() if chunk.id == named else chunk.id
    return replace(chunk, section=section, text=text, id=new)


def _named(url: str, section: Sequence[str], text: str) -> bytes:
    return f"{url}|{' > '.join(section)}|{text}".encode("utf-8", "surrogatepass")


def _is_plain(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


class PlainStore:
    """Any store, asked for and given plain text alone."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def page(self, url: str, view: str = "", *, content_hash: str = "") -> Page | None:
        """The newest text of an address in a view, or exactly the snapshot with this hash."""
        return await self._store.page(plain(url), plain(view), content_hash=plain(content_hash))

    async def save(self, page: Page, chunks: Sequence[Chunk]) -> Page:
        """Keep a page and its chunks in one step, and return it with its version."""
        return await self._store.save(plain_page(page), plain_chunks(page, chunks))

    async def chunks(self, page: Page) -> tuple[Chunk, ...]:
        """The chunks kept with exactly this text, in page order; empty when there are none."""
        return await self._store.chunks(plain_page(page))

    async def vectors(self, page: Page, model: str) -> Vectors | None:
        """The vectors of exactly this text by this model."""
        return await self._store.vectors(plain_page(page), plain(model))

    async def save_vectors(self, page: Page, vectors: Vectors) -> None:
        """Keep the vectors of a page's chunks."""
        await self._store.save_vectors(plain_page(page), _plain_vectors(vectors))

    async def former_vectors(self, page: Page, model: str) -> FormerVectors | None:
        """What was last kept for this address by this model, whatever its text was; else by another model."""
        return await self._store.former_vectors(plain_page(page), plain(model))

    async def models(self) -> Mapping[str, int]:
        """The models whose vectors are kept, each with its dimension."""
        return await self._store.models()

    async def forget_vectors(self, model: str) -> None:
        """Let go of all vectors of a model, and of its dimension."""
        await self._store.forget_vectors(plain(model))

    async def find(self, text: str, *, count: int, site: str = "") -> tuple[Hit, ...]:
        """Kept pages that hold the words of `text`, best first."""
        return await self._store.find(plain(text), count=count, site=plain(site))

    async def nearest(self, asked: Vectors, *, count: int, site: str = "") -> tuple[Hit, ...]:
        """Kept pages whose chunks are closest to one vector, by its model."""
        return await self._store.nearest(_plain_vectors(asked), count=count, site=plain(site))

    async def pages(self, *, count: int) -> tuple[Listed, ...]:
        """Kept pages, newest first."""
        return await self._store.pages(count=count)

    async def versions(self, url: str, view: str = "") -> tuple[Version, ...]:
        """The texts of an address, newest first."""
        return await self._store.versions(plain(url), plain(view))

    async def remove(self, url: str) -> bool:
        """Forget an address in every view and version."""
        return await self._store.remove(plain(url))

    async def reserve(self, op: str, *, provider: str, day: str, amount: int, cap: int, ttl_s: float) -> bool:
        """Set `amount` aside for one attempt if the day's sum stays within `cap`."""
        return await self._store.reserve(
            plain(op), provider=plain(provider), day=plain(day), amount=amount, cap=cap, ttl_s=ttl_s
        )

    async def settle(self, op: str, amount: int) -> None:
        """Put what an attempt did cost in place of what was set aside."""
        await self._store.settle(plain(op), amount)

    async def spent(self, provider: str, day: str) -> int:
        """What a day has cost so far, with what is set aside."""
        return await self._store.spent(plain(provider), plain(day))

    async def stats(self) -> Stats:
        """How much is kept."""
        return await self._store.stats()

    async def trim(self, *, most_bytes: int) -> int:
        """Let go of the least useful until at most `most_bytes` are used."""
        return await self._store.trim(most_bytes=most_bytes)

    def export(self) -> AsyncIterator[Record]:
        """The ledger, then every page of every view."""
        return self._store.export()

    async def restore(self, record: Record) -> bool:
        """Keep a record of an export as it is."""
        return await self._store.restore(plain_record(record))

    async def close(self) -> None:
        """Finish what was begun and let go of files."""
        await self._store.close()
