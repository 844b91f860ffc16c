"""Index cache: pages ready to be ranked, kept in memory while there is room."""

from collections import OrderedDict
from dataclasses import dataclass

from gossamer.model.page import Vectors
from gossamer.steps.retrieval.index import PageIndex

MAX_BYTES = 32 * 1024 * 1024


@dataclass(frozen=True, kw_only=True, slots=True)
class Indexed:
    """All that ranking needs of a page; without vectors its chunks are ranked by words."""

    index: PageIndex
    vectors: Vectors | None
    version: int = 0
    """Of the page, when its vectors were last given to the library, which keeps those of the newest text."""

    @property
    def nbytes(self) -> int:
        """About what it takes in memory."""
        return self.index.nbytes + (len(self.vectors.data) if self.vectors else 0)


Key = tuple[str, ...]


class Indexes:
    """The indexes used last, together at most `max_bytes`."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._kept: OrderedDict[Key, Indexed] = OrderedDict()
        self._bytes = 0

    def get(self, key: Key) -> Indexed | None:
        """What was kept under this name."""
        if key in self._kept:
            self._kept.move_to_end(key)
        return self._kept.get(key)

    def put(self, key: Key, indexed: Indexed) -> None:
        """Keep it in place of those not used for longest, of all others if need be; what is larger is not kept."""
        if (before := self._kept.pop(key, None)) is not None:
            self._bytes -= before.nbytes
        if indexed.nbytes > self._max_bytes:
            return
        self._kept[key] = indexed
        self._bytes += indexed.nbytes
        while self._bytes > self._max_bytes:
            self._bytes -= self._kept.popitem(last=False)[1].nbytes
