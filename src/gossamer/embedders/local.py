"""Local embeddings: two static vector tables in the package, one for English and one for a hundred languages."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

from gossamer.embedders.table import DIMENSION, Language, Table, name_of
from gossamer.errors import TimedOut
from gossamer.model.page import Vectors
from gossamer.ports import Call, Embedder, Heard, Tongue, unheard

_BATCH = 32


class Means(Protocol):
    """The part of a table that is used."""

    def means(self, texts: Sequence[str]) -> bytes:
        """Packed float16 unit vectors."""
        ...


class LocalEmbedder:
    """`Embedder` and `Lexicon` over the packaged tables; each is read on first use, in the thread that needs it.

    Where only English is spoken the English table answers, else the other: it knows English too, a little less well.
    Batches of several calls follow one another in turn, so that a question never waits for a whole long page.
    """

    def __init__(self, tables: "Tables | None" = None, *, tongue: Tongue = "english") -> None:
        self._tables = tables or Tables()
        self._language: Language = _language(tongue)
        self.name = name_of(self._language)

    def speaking(self, tongue: Tongue) -> Embedder:
        """The embedder of the table for these languages; all share the tables and the thread."""
        if tongue == "mixed" and self._tables.multilingual:
            return self._tables.multilingual
        return self if _language(tongue) == self._language else LocalEmbedder(self._tables, tongue=tongue)

    def look_up(self, texts: Sequence[str], tongue: Tongue) -> Vectors:
        """One unit vector per text, made in the caller's thread."""
        language = _language(tongue)
        return Vectors(model=name_of(language), dimension=DIMENSION, data=self._tables.of(language).means(texts))

    async def embed(self, texts: Sequence[str], call: Call, heard: Heard = unheard) -> Vectors:
        """One unit vector per text; stops between batches when the call is over, however it ended."""
        loop = asyncio.get_running_loop()
        packed: list[bytes] = []
        for done in range(0, len(texts), _BATCH):
            if call.cancelled.is_set() or call.remaining_s <= 0:
                raise TimedOut(
                    "The call ended before all texts had vectors.",
                    hint="Allow more time or read a smaller page.",
                )
            batch = tuple(texts[done : done + _BATCH])
            packed.append(await loop.run_in_executor(self._tables.thread, self._work, batch))
            part = Vectors(model=self.name, dimension=DIMENSION, data=packed[-1])
            heard(range(done, done + len(batch)), part)
        return Vectors(model=self.name, dimension=DIMENSION, data=b"".join(packed))

    async def ask(self, questions: Sequence[str], call: Call) -> Vectors:
        """As for texts: the tables make no difference."""
        return await self.embed(questions, call)

    def _work(self, texts: tuple[str, ...]) -> bytes:
        return self._tables.of(self._language).means(texts)


class Tables:
    """Each table once, whoever asks first, and the thread for work that is awaited."""

    def __init__(self, load: Callable[[Language], Means] = Table.load) -> None:
        self.thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="gossamer-embed")
        self.multilingual: Embedder | None = None
        """Replaces the tables where a page and a question are in different languages."""
        self._load = load
        self._loaded: dict[Language, Means] = {}
        self._lock = threading.Lock()

    def of(self, language: Language) -> Means:
        """A table, read at the first call."""
        with self._lock:
            if language not in self._loaded:
                self._loaded[language] = self._load(language)
            return self._loaded[language]


def _language(tongue: Tongue) -> Language:
    return "english" if tongue == "english" else "multilingual"
