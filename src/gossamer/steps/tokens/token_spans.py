"""Token prices of spans: a text is split and priced once, so that any span of it is priced at once."""

from bisect import bisect_left, bisect_right
from itertools import accumulate

from gossamer.steps.tokens.count import TAIL, counted
from gossamer.steps.tokens.token_table import TOKEN, pattern, price_of, split

_WINDOW = 1 << 16
"""Characters that are priced at a time; a longer text is priced as it is read."""
_BACK = 1 << 12
"""Characters before a span that are priced with it: a chunk begins before the sentence that was asked for last."""
_PIECE = 256
"""More characters than a piece has together with what follows it and decides where it ends."""
_SENTENCE = 512
"""Characters of a span that is asked for again: once when a page is cut, once more when its chunks are."""
_MOST_KNOWN = 1 << 12
_KNOWN: dict[str, int] = {}
"""What sentences cost; threads may forget for one another."""


class Meter:
    """The same numbers as `count` and `roughly` of the span alone.

    Where a span begins inside a piece of the whole text, its first pieces are its own; from the first place where both
    begin a piece they are the same, up to the piece that the span's end cuts.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._pattern = pattern(text.isascii())
        self._first = self._last = -1
        """Where the window begins, and the last place in it where a piece surely begins or the text ends."""
        self._pieces: list[str] = []
        self._starts: list[int] = []
        self._sums: list[int] = []

    def roughly(self, start: int, end: int) -> int:
        """About what the span costs; `count` is never less."""
        if end - start > _SENTENCE:
            return -(-self._parts(start, end)[0] // TOKEN)
        said = self._text[start:end]
        if (known := _KNOWN.get(said)) is None:
            known = -(-self._parts(start, end)[0] // TOKEN)
            if len(_KNOWN) >= _MOST_KNOWN:
                _KNOWN.clear()
            _KNOWN[said] = known
        return known

    def count(self, start: int, end: int) -> int:
        """What the span costs, and every beginning of it at most."""
        total, head, middle, rest = self._parts(start, end)
        tail = rest if len(rest) >= TAIL else [*self._pieces[max(middle[0], middle[1] - TAIL) : middle[1]], *rest]
        return counted(total, tail if len(tail) >= TAIL else [*head, *tail])

    def _parts(self, start: int, end: int) -> tuple[int, list[str], tuple[int, int], list[str]]:
        """The price of a span, its own first pieces, which pieces of the window follow, and its own last ones."""
        if not start < end or self._text[end - 1].isspace():
            alone = split(self._text[start:end])
            return sum(map(price_of, alone)), alone, (0, 0), []
        if not self._first <= start <= end <= self._last:
            self._move(start, end)
        text, starts = self._text, self._starts
        head: list[str] = []
        at, first = start, bisect_left(starts, start)
        for piece in self._pattern.finditer(text, start, end) if starts[first] != at else ():
            head.append(piece[0])
            at = piece.end()
            first = bisect_left(starts, at, first)
            if at == end or starts[first] == at:
                break
        last = max(first, bisect_right(starts, end, first) - 1)
        total = sum(map(price_of, head)) + self._sums[last] - self._sums[first]
        if at == end or starts[last] == end:
            return total, head, (first, last), []
        rest = split(text[starts[last] : end])
        return total + sum(map(price_of, rest)), head, (first, last), rest

    def _move(self, start: int, end: int) -> None:
        """Price a span, something before it and much after it."""
        first = max(0, start - _BACK)
        limit = min(len(self._text), max(first + _WINDOW, end + 2 * _PIECE))
        self._pieces = split(self._text[first:limit])
        self._starts = [*accumulate(map(len, self._pieces), initial=first)]
        if limit < len(self._text):
            sure = bisect_right(self._starts, limit - _PIECE)
            del self._starts[sure:], self._pieces[sure - 1 :]
        self._sums = [*accumulate(map(price_of, self._pieces), initial=0)]
        self._first, self._last = first, self._starts[-1]
