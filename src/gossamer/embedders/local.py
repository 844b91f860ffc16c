"""Local vectors: a table of word-piece vectors in the package; no key, no download, no network.

A text's vector is the mean of its pieces' vectors. Pieces are cut as the model's own tokenizer cuts them (lower
case without accents, signs apart, then the longest known piece from the left), written here because that is all
of a tokenizer this needs.
"""

import asyncio
import gzip
import re
import unicodedata
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from gossamer.errors import TimedOut
from gossamer.model.page import Vectors
from gossamer.ports import Call

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DIMENSION = 128

_DATA = Path(__file__).with_name("data")
_BATCH = 32
_WORD_CHARS = 100  # beyond it the model knows no word
_KNOWN_WORDS = 50_000
_WORD = re.compile(
    r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]|[^\W_\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+|[^\w\s]|_"
)


class Pieces:
    """The vocabulary, and how a text is cut into it."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._ids = {piece: number for number, piece in enumerate(vocabulary)}
        self._longest = max(map(len, vocabulary), default=0)
        self._known: dict[str, tuple[int, ...]] = {}

    def cut(self, text: str) -> list[int]:
        """The numbers of the pieces of `text`; a word with an unknown part is left out whole, as in training."""
        return list(chain.from_iterable(map(self._pieces, _WORD.findall(_plain(text)))))

    def _pieces(self, word: str) -> tuple[int, ...]:
        known = self._known.get(word)
        if known is None:
            if len(self._known) >= _KNOWN_WORDS:
                self._known.clear()
            known = self._known[word] = self._cut_word(word) if len(word) <= _WORD_CHARS else ()
        return known

    def _cut_word(self, word: str) -> tuple[int, ...]:
        found: list[int] = []
        start, prefix = 0, ""
        while start < len(word):
            for end in range(min(len(word), start + self._longest), start, -1):
                number = self._ids.get(prefix + word[start:end])
                if number is not None:
                    break
            else:
                return ()
            found.append(number)
            start, prefix = end, "##"
        return tuple(found)


class Table:
    """The vocabulary with one vector per piece, kept as bytes with a scale per row."""

    def __init__(self, pieces: Pieces, rows: "NDArray[np.void]") -> None:
        self.pieces = pieces
        self.rows = rows

    @classmethod
    def load(cls) -> "Table":
        """Read the English table that comes with the package."""
        import numpy as np

        vocabulary = gzip.decompress((_DATA / "english.txt.gz").read_bytes()).decode()
        return cls(Pieces(vocabulary.split("\n")), np.load(_DATA / "english.npy"))

    def embed(self, texts: Sequence[str]) -> bytes:
        """Packed float16 unit vectors; a text without a known piece gets zeros, which are near to nothing."""
        import numpy as np

        means = np.zeros((len(texts), DIMENSION), dtype=np.float32)
        for row, text in enumerate(texts):
            if numbers := self.pieces.cut(text):
                found, counts = np.unique(numbers, return_counts=True)
                weights = (counts * self.rows["scale"][found]).astype(np.float32)
                means[row] = weights @ self.rows["bytes"][found].astype(np.float32)
        lengths = np.linalg.norm(means, axis=1, keepdims=True)
        return (means / np.maximum(lengths, 1e-12)).astype("<f2").tobytes()


class LocalEmbedder:
    """`Embedder` over the packaged table, in a thread of its own; the table is read on first use.

    Batches of several calls follow one another in turn, so that a question never waits for a whole long page.
    """

    name = "potion-base-8M-128"

    def __init__(self, load: Callable[[], Table] = Table.load) -> None:
        self._load = load
        self._table: Table | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="gossamer-embed")

    async def embed(self, texts: Sequence[str], call: Call) -> Vectors:
        """One unit vector per text; stops between batches when the call is over, however it ended."""
        loop = asyncio.get_running_loop()
        packed: list[bytes] = []
        for done in range(0, len(texts), _BATCH):
            if call.cancelled.is_set() or call.remaining_s <= 0:
                raise TimedOut(
                    f"The call ended when {done} of {len(texts)} texts had vectors.",
                    hint="Allow more time or read a smaller page.",
                )
            batch = tuple(texts[done : done + _BATCH])
            packed.append(await loop.run_in_executor(self._thread, self._work, batch))
        return Vectors(model=self.name, dimension=DIMENSION, data=b"".join(packed))

    def _work(self, texts: tuple[str, ...]) -> bytes:
        if self._table is None:
            self._table = self._load()
        return self._table.embed(texts)


def _plain(text: str) -> str:
    lowered = text.lower()
    if lowered.isascii():
        return lowered
    return "".join(c for c in unicodedata.normalize("NFD", lowered) if unicodedata.category(c) != "Mn")
