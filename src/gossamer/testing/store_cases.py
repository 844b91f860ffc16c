"""What the store suite is made of: pages, texts and queries."""

import struct
from collections.abc import Sequence
from hashlib import sha256

from gossamer.model.page import Chunk, Page, Vectors
from gossamer.ports import Store

URL = "https://docs.example.com/guide"

TEXTS = {
    "empty": "",
    "several scripts": "English, русский, العربية, עברית, 日本語, 한국어, ไทย, हिन्दी, 👩‍👩‍👧",
    "control characters": "before\x00after\x01\x7f\u2028end\r\n",
    "long": "A sentence that is said again and again. " * 5_000,
}

FOUND = {
    "English, another case": ("The Rollout of Release Trains", "release"),
    "German, ß": ("Die Straße ist gesperrt.", "STRASSE"),
    "French, without the accent": ("Le café est fermé.", "cafe"),
    "Russian": ("Сегодня идёт снег.", "идет"),
    "Arabic, without vowel points": ("كِتَاب جديد", "كتاب"),
    "Hindi, with vowel signs": ("मुंबई में बारिश", "बारिश"),
    "Japanese, inside a sentence": ("東京タワーの高さは三百三十三メートルです。", "タワー"),
    "Japanese, one character": ("私は猫が好きです。", "猫"),
    "Chinese": ("人工智能正在改变世界", "智能"),
    "Korean, with a particle": ("서울에서 열린 회의", "서울"),
    "Thai": ("กรุงเทพมหานครเป็นเมืองหลวง", "เมืองหลวง"),
    "full-width forms": ("ＰＹＴＨＯＮ ３.１１", "python"),
    "one word of many": ("An island with a harbour.", "harbour unknown words"),
}

SITES = {
    "the host itself": ("docs.example.com", True),
    "a domain above it": ("example.com", True),
    "another case, with dots": (".Example.COM.", True),
    "a host that only ends alike": ("ample.com", False),
    "a host below it": ("www.docs.example.com", False),
    "another host": ("example.org", False),
}

SYNTAX = {
    "an open quote": 'harbour "',
    "operators": "harbour AND NOT island",
    "a column": "words: harbour",
    "a caret and a star": "^harbour *",
    "parentheses": "(harbour NEAR(",
    "a semicolon": "harbour'; DROP TABLE documents; --",
}


def page_of(text: str, *, url: str = URL, at: float = 1000.0, title: str = "A guide") -> Page:
    """A page that says `text`."""
    return Page(url=url, final_url=url, title=title, text=text, fetched_at=at)


def chunks_of(page: Page, *, size: int = 200, section: tuple[str, ...] = ()) -> tuple[Chunk, ...]:
    """Cut a page into pieces of `size` characters."""
    pieces = [(start, page.text[start : start + size]) for start in range(0, len(page.text), size)]
    return tuple(
        Chunk(
            id=sha256(f"{page.url}|{' > '.join(section)}|{piece}".encode("utf-8", "surrogatepass")).hexdigest(),
            section=section,
            start=start,
            end=start + len(piece),
            text=piece,
            tokens=len(piece.split()),
        )
        for start, piece in pieces
    )


def vectors_of(chunks: Sequence[Chunk], *, model: str = "small", byte: int = 1) -> Vectors:
    """Two dimensions for each chunk."""
    return Vectors(model=model, dimension=2, data=bytes([byte]) * 4 * len(chunks))


def pointing(*rows: Sequence[float], model: str = "small") -> Vectors:
    """Vectors that point where the rows say."""
    data = b"".join(struct.pack(f"<{len(row)}e", *row) for row in rows)
    return Vectors(model=model, dimension=len(rows[0]), data=data)


async def keep(store: Store, page: Page) -> Page:
    """Save a page with its chunks."""
    return await store.save(page, chunks_of(page))
