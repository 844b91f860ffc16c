"""Lone surrogates, which no encoding has, are replaced at the border of every store.

A character takes the place of a character, so the spans of a text stay what they were.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any, cast

from gossamer.model.kept import Kept, Record, Spending
from gossamer.model.page import Chunk, Page, Vectors
from gossamer.ports import Store
from gossamer.ports.forwarding import Forwarding

_LONE = re.compile("[\ud800-\udfff]")


def plain(text: str) -> str:
    """The text itself, nearly always; else with a replacement character for each lone surrogate."""
    return text if _is_plain(text) else _LONE.sub("\ufffd", text)


def plain_page(page: Page) -> Page:
    """The page itself, nearly always."""
    texts = (page.url, page.final_url, page.title, page.text, page.view)
    if all(map(_is_plain, texts)):
        return page
    url, final_url, title, text, view = map(plain, texts)
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
    old_id = sha256(_named(page.url, chunk.section, chunk.text)).hexdigest()
    # One that is not named by what it says stays so, and is refused.
    new_id = sha256(_named(plain(page.url), section, text)).hexdigest() if chunk.id == old_id else chunk.id
    return replace(chunk, section=section, text=text, id=new_id)


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


def _plain(value: Any) -> Any:
    """An argument of a store's method with plain text in it, whatever it is."""
    match value:
        case str():
            return plain(value)
        case Page():
            return plain_page(value)
        case Vectors():
            return _plain_vectors(value)
        case Kept() | Spending():
            return plain_record(value)
        case _:
            return value


def without_surrogates(store: Store) -> Store:
    """Any store, asked for and given plain text alone."""
    return cast("Store", _PlainText(store))


class _PlainText(Forwarding):
    def __init__(self, store: Store) -> None:
        super().__init__(Store)
        self._store = store

    def forwarded(self, name: str) -> Callable[..., Any]:
        method = getattr(self._store, name)
        return lambda *args, **options: method(
            *map(_plain, args), **{option: _plain(value) for option, value in options.items()}
        )

    async def save(self, page: Page, chunks: Sequence[Chunk]) -> Page:
        return await self._store.save(plain_page(page), plain_chunks(page, chunks))
