"""Local embeddings: two static vector tables in the package, one for English and one for a hundred languages.

No key, no download, no network. A text's vector is the mean of its pieces' vectors. Rows are quantised: they lie in the
file as bytes with a scale each, and are mapped into memory, so that every process on a machine shares them.
"""

import asyncio
import gzip
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal, Protocol

from gossamer.embedders.piece_tokenizer import Pieces, SentencePieces, WordPieces
from gossamer.errors import TimedOut
from gossamer.model.page import Vectors
from gossamer.ports import Call, Embedder, Heard, LanguageMix, unheard

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DIMENSION = 128

Language = Literal["english", "multilingual"]

_DATA = Path(__file__).with_name("data")
_NAMES: dict[Language, str] = {"english": "potion-base-8M-128", "multilingual": "potion-multilingual-128M-128"}
_CUTS: dict[Language, type[WordPieces] | type[SentencePieces]] = {
    "english": WordPieces,
    "multilingual": SentencePieces,
}
_AT_ONCE = 480
"""Pieces whose vectors are unpacked at a time, into the same 240 kB: fresh memory would cost more than the work."""

_FEW = 6
"""Pieces of a word: texts of so few are summed by their number, at a fifth of the cost of sums of any length."""
_BATCH = 32


def name_of(language: Language) -> str:
    """The name by which vectors of a table are kept."""
    return _NAMES[language]


@dataclass(frozen=True, slots=True)
class Table:
    """Pieces with one vector each. Nothing in it changes, so any number of threads may use it."""

    pieces: Pieces
    rows: "NDArray[np.void]"

    @classmethod
    def load(cls, language: Language) -> "Table":
        """Read a table that comes with the package."""
        import numpy as np

        vocabulary = gzip.decompress((_DATA / f"{language}.txt.gz").read_bytes()).decode()
        rows = np.asarray(np.load(_DATA / f"{language}.npy", mmap_mode="r"))
        return cls(_CUTS[language](vocabulary.split("\n")), rows)

    def means(self, texts: Sequence[str]) -> bytes:
        """Packed float16 unit vectors; a text without a known piece gets zeros, which are near to nothing."""
        import numpy as np

        cuts = [self.pieces.cut(text) for text in texts]
        packed = np.zeros((len(cuts), DIMENSION), dtype="<f2")
        room = np.empty((_AT_ONCE, DIMENSION), dtype=np.float32)
        sizes = np.fromiter(map(len, cuts), dtype=np.intp, count=len(cuts))
        for places in _groups(sizes):
            sums = self._sums([cuts[place] for place in places], room)
            lengths = np.sqrt(np.einsum("ij,ij->i", sums, sums))[:, None]
            packed[places] = np.divide(sums, np.maximum(lengths, 1e-12), out=sums)
        return packed.tobytes()

    def _sums(self, cuts: Sequence[Sequence[int]], room: "NDArray[np.float32]") -> "NDArray[np.float32]":
        """The sums of the vectors of a few texts, which are unpacked into `room` where they fit."""
        import numpy as np

        rows = self.rows.take(np.fromiter(chain.from_iterable(cuts), dtype=np.intp))
        vectors = room[: len(rows)] if len(rows) <= len(room) else np.empty((len(rows), DIMENSION), dtype=np.float32)
        np.copyto(vectors, rows["bytes"])
        scales = rows["scale"].astype(np.float32)
        size = len(cuts[0])
        if size > _FEW:
            ends = [*accumulate(map(len, cuts), initial=0)]
            return np.stack([scales[start:end] @ vectors[start:end] for start, end in pairwise(ends)])
        vectors *= scales[:, None]
        return vectors if size == 1 else vectors.reshape(-1, size, DIMENSION).sum(axis=1)


def _groups(sizes: "NDArray[np.intp]") -> Iterator[list[int]]:
    """The places of texts that are unpacked together: those of a few pieces by their number, long ones as they come."""
    import numpy as np

    for size in range(1, _FEW + 1):
        alike = np.flatnonzero(sizes == size).tolist()
        portion = _AT_ONCE // size
        yield from (alike[first : first + portion] for first in range(0, len(alike), portion))
    group: list[int] = []
    used = 0
    for place in np.flatnonzero(sizes > _FEW).tolist():
        size = int(sizes[place])
        if group and used + size > _AT_ONCE:
            yield group
            group, used = [], 0
        group.append(place)
        used += size
    if group:
        yield group


class Means(Protocol):
    """The part of a table that is used."""

    def means(self, texts: Sequence[str]) -> bytes:
        """Packed float16 unit vectors."""
        ...


class BatchEmbedder(ABC):
    """An `Embedder` that makes vectors so many texts at a time in a thread."""

    name: str
    thread: ThreadPoolExecutor
    dimension: ClassVar[int]
    size: ClassVar[int]
    """How many texts a batch has."""
    late: ClassVar[str]
    """What to do where the call ends before all have their vectors."""

    @abstractmethod
    def speaking(self, mix: LanguageMix) -> Embedder:
        """Who makes the vectors where these languages meet."""

    @abstractmethod
    def _work(self, texts: tuple[str, ...]) -> bytes:
        """The packed unit vectors of a batch, made in the thread."""

    async def embed(self, texts: Sequence[str], call: Call, heard: Heard = unheard) -> Vectors:
        """One unit vector per text; stops between batches when the call is over, however it ended."""
        loop = asyncio.get_running_loop()
        packed: list[bytes] = []
        for done in range(0, len(texts), self.size):
            if call.cancelled.is_set() or call.remaining_s <= 0:
                raise TimedOut("The call ended before all texts had vectors.", hint=self.late)
            batch = tuple(texts[done : done + self.size])
            packed.append(await loop.run_in_executor(self.thread, self._work, batch))
            part = Vectors(model=self.name, dimension=self.dimension, data=packed[-1])
            heard(range(done, done + len(batch)), part)
        return Vectors(model=self.name, dimension=self.dimension, data=b"".join(packed))

    async def ask(self, questions: Sequence[str], call: Call) -> Vectors:
        """As for texts: the model makes no difference."""
        return await self.embed(questions, call)


class LocalEmbedder(BatchEmbedder):
    """`Embedder` and `Lexicon` over the packaged tables; each is read on first use, in the thread that needs it.

    Where only English is spoken the English table answers, else the other: it knows English too, a little less well.
    Batches of several calls follow one another in turn, so that a question never waits for a whole long page.
    """

    dimension = DIMENSION
    size = _BATCH
    late = "Allow more time or read a smaller page."

    def __init__(self, tables: "Tables | None" = None, *, mix: LanguageMix = "english") -> None:
        self._tables = tables or Tables()
        self._language: Language = _language(mix)
        self.name = name_of(self._language)
        self.thread = self._tables.thread

    def speaking(self, mix: LanguageMix) -> Embedder:
        """The embedder of the table for these languages; all share the tables and the thread."""
        if mix == "mixed" and self._tables.multilingual:
            return self._tables.multilingual
        return self if _language(mix) == self._language else LocalEmbedder(self._tables, mix=mix)

    def look_up(self, texts: Sequence[str], mix: LanguageMix) -> Vectors:
        """One unit vector per text, made in the caller's thread."""
        language = _language(mix)
        return Vectors(model=name_of(language), dimension=DIMENSION, data=self._tables.of(language).means(texts))

    def _work(self, texts: tuple[str, ...]) -> bytes:
        return self._tables.of(self._language).means(texts)


@cache
def shared_table(language: Language) -> Table:
    """A table that is read once in a process, however many engines it opens."""
    return Table.load(language)


class Tables:
    """Each table once, whoever asks first, and the thread for work that is awaited."""

    def __init__(self, load: Callable[[Language], Means] = shared_table) -> None:
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


def _language(mix: LanguageMix) -> Language:
    return "english" if mix == "english" else "multilingual"
