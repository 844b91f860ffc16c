"""Token counter: how many tokens a text and any span of it cost a model, and where to cut it so that it fits.

The measure is OpenAI's o200k_base. Its whole vocabulary would be two megabytes and a compiled library, so this counts
with a table of 82,000 of its entries (`tokens_data.bin`). The text is split as the tokenizer splits it; a piece that is
in the table costs one token, any other is joined from characters in the tokenizer's own order as far as the table goes.
What the table lacks only makes a piece dearer, so the estimate errs upwards: 3 to 16 % above the truth for prose, code,
tables and addresses in the scripts the table was made for, up to 60 % in others. A hundredth is kept in reserve.
"""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import accumulate, takewhile
from operator import add

from gossamer.steps.text.backslashes import whole_escape
from gossamer.steps.tokens.token_table import (
    JOINED,
    JOINED_OTHER,
    TOKEN,
    bytes_of,
    cost_of,
    is_word,
    joined,
    known_tokens,
    pattern,
    price_of,
    split,
)

_MANY = 1000
"""Pieces of which many are likely to be alike."""
_DEARER = 16
"""No beginning of a piece costs this many tokens more than the piece."""
DOUBT = _DEARER + 2
TAIL = _DEARER + 1
"""Pieces at the end of a text that tell what its dearest beginning costs."""
_WINDOW = 1 << 16
"""Characters that are priced at a time; a longer text is priced as it is read."""
_BACK = 1 << 12
"""Characters before a span that are priced with it: a chunk begins before the sentence that was asked for last."""
_PIECE = 256
"""More characters than a piece has together with what follows it and decides where it ends."""
_SENTENCE_CHARS = 512
"""Characters of a span that is asked for again: once when a page is cut, once more when its chunks are."""
_MOST_KNOWN = 1 << 12
_KNOWN: dict[str, int] = {}
"""What sentences cost; threads may forget for one another."""

_SHARE = 0.1
"""Of a slice: as much of it is given up for a better end."""
_BEFORE = ("\n## Page ", "\nPage ", "<section>", "\n#")
_AFTER = ("\n\n", "</p>", "\n", ">", " ")
"""What the next slice begins with, and what this one ends with; the best first."""


def count(text: str) -> int:
    """Estimate the tokens of a text, never below the truth for ordinary text in the scripts we promise.

    Appending never lowers the count: a word cut in the middle may cost more than the whole word, so the count is the
    largest estimate of any beginning. `count(a + b)` is at most `count(a) + count(b) + 4`; only a seam within a run
    of more than 24 letters or signs may add more, because the run is then counted in other portions.
    """
    pieces = split(text)
    if len(pieces) > _MANY:
        total = sum(price_of(piece) * times for piece, times in Counter(pieces).items())
    else:
        total = sum(map(price_of, pieces))
    return counted(total, pieces)


def counted(total: int, pieces: Sequence[str]) -> int:
    """The same of a text whose pieces have this price together; of many pieces the last `TAIL` are enough."""
    before = total
    most = -(-before // TOKEN) * TOKEN
    for at in range(len(pieces) - 1, max(-1, len(pieces) - 1 - _DEARER), -1):
        if before + _DEARER * TOKEN <= most:
            break
        last, piece = pieces[at - 1] if at else "", pieces[at]
        before -= price_of(piece)
        if before + _at_most(last, piece) > most and (peak := before + _peak(last, piece, most - before)) > most:
            most = -(-peak // TOKEN) * TOKEN
    tokens = most // TOKEN
    return tokens + tokens // 100


def roughly(text: str) -> int:
    """About what a text costs, for a fraction of the work of `count`: no beginning of it is looked at.

    `count` is never less, and more by at most a hundredth and `DOUBT`.
    """
    return -(-cost_of(text) // TOKEN)


def cut(text: str, budget: int) -> int:
    """Find the largest index, at a good place, at which what stands before it costs at most `budget` tokens.

    The end of a paragraph, a line, a sentence or a word is preferred, in this order, if it lies within the last tenth
    of the budget and four fifths of the budget are surely used. No character is taken from its combining marks.
    All of the text fits: its length. A budget of 16 or more always makes progress.
    """
    limit = (budget * 100 + 99) // 101 * TOKEN
    total = sure = 0
    early = late = len(text)
    last = ""
    for match in pattern(text.isascii()).finditer(text):
        piece = match[0]
        price = price_of(piece)
        if total + price + _DEARER * TOKEN > limit and total + _peak(last, piece, limit - total) > limit:
            end = match.start() + _fitting(last, piece, limit - total)
            return _whole(text, _good_place(text, min(early, end), min(late, end), end))
        last = piece
        total += price
        sure += price if price == TOKEN else price * 7 // 8 if piece[-1] >= "\u0590" else price * 5 // 8
        if total * 32 >= limit * 31:
            late = min(late, match.end())
        if total * 10 >= limit * 9 and sure * 100 >= limit * 85:
            early = min(early, match.end())
    return len(text)


_SENTENCE = re.compile(r"""[.!?…؟]["')\]*_»”’]*\s|[。！？｡][」』）”’]*|[।॥]""")
_MAX_CLUSTER = 32


def _good_place(text: str, early: int, late: int, end: int) -> int:
    """The best place to stop up to `end`: after a sentence or more not before `early`, at a word not before `late`."""
    for mark in ("\n\n", "\n"):
        at = text.rfind(mark, max(0, early - len(mark)), end)
        if at >= 0:
            return at + len(mark)
    sentences = [match.end() for match in _SENTENCE.finditer(text, early, end)]
    if sentences:
        return sentences[-1]
    return next((at for at in range(end, late - 1, -1) if text[at - 1 : at + 1].strip() != text[at - 1 : at + 1]), end)


def _whole(text: str, end: int) -> int:
    """Step back to where no visible character is broken; a pile of more than 32 marks is broken all the same."""
    for at in range(end, max(0, end - _MAX_CLUSTER), -1):
        if not _is_inside(text, at):
            return at
    return end


def _is_inside(text: str, at: int) -> bool:
    """Tell whether the characters on both sides are shown as one."""
    left, right = text[at - 1], text[at]
    if left == "\r":
        return right == "\n"
    if unicodedata.category(right)[0] == "M" or right in _ATTACHED or left == "\u200d":
        return True
    if "\U0001f1e6" <= left <= "\U0001f1ff" and "\U0001f1e6" <= right <= "\U0001f1ff":
        before = text[max(0, at - 2 * _MAX_CLUSTER) : at]
        return (len(before) - len(before.rstrip(_FLAG_LETTERS))) % 2 == 1
    return unicodedata.combining(left) == 9 or ("\ud800" <= left <= "\udbff" and "\udc00" <= right <= "\udfff")


_FLAG_LETTERS = "".join(map(chr, range(0x1F1E6, 0x1F200)))
_ATTACHED = frozenset(
    map(chr, (0x200D, 0x0E33, 0x0EB3, *range(0x1160, 0x1200), *range(0x1F3FB, 0x1F400), *range(0xE0020, 0xE0080)))
)
"""Joiner, the vowels AM of Thai and Lao, inner Hangul letters, skin colours, tags: they belong to what they follow."""


def _fitting(last: str, piece: str, room: int) -> int:
    """How many characters of the piece fit, counting up, so that no shorter beginning is dearer."""
    size = 0
    if is_word(piece) and _peak(last, piece[0]) <= room:
        # No beginning costs more than its characters do by themselves.
        prices = accumulate(map(_alone, piece), initial=JOINED_OTHER)
        size = max(0, sum(1 for _ in takewhile(lambda price: price <= room, prices)) - 1)
    while size < len(piece) and cost_of(piece[: size + 1]) <= room and (size or _peak(last, piece[0]) <= room):
        size += 1
    return size


def _peak(last: str, piece: str, above: int = 0) -> int:
    """The dearest beginning of a piece, reckoned from its start; where it is not more than `above`, nearly so.

    White space before it counts: a word takes the last space of a gap, but until it stands there the gap is one piece.
    """
    most = _peak_of_word(piece, above) if piece.isascii() and piece[1:].isalpha() else _peak_of_signs(piece)
    if last.isspace() and piece[0].isspace():
        most = max(most, cost_of(last + piece[0]) - price_of(last))
    return most


def _peak_of_word(word: str, above: int) -> int:
    """Every beginning of a word is one piece, of so few parts that most need not be joined to know it.

    Where all pairs are known, no two letters side by side stay alone; where it also begins as known words do, the
    space before it does not.
    """
    table = known_tokens()
    is_plain = all(map(table.__contains__, map(add, word, word[1:])))
    alone = 0 if is_plain and word[0] == " " and word[:3] in table and word[:4] in table else 1
    most = price_of(word)
    for size in range(len(word) - 1, max(0, len(word) - _DEARER - 1), -1):
        parts = (2 * size + alone) // 3 if is_plain else size
        if (parts + alone) * JOINED_OTHER <= above:
            break
        most = max(most, price_of(word[:size]))
    return most


@lru_cache(maxsize=4096)
def _peak_of_signs(piece: str) -> int:
    first = 1 if piece.isspace() else max(1, len(piece) - _DEARER)
    sizes: Iterable[int] = range(first, len(piece) + 1)
    if is_word(piece):
        parts = joined(piece, known_tokens())
        if price_of(piece) >= len(parts) * JOINED_OTHER:
            # What ends where a part of the whole ends is joined as it is there, so it costs no more than the whole.
            ends = {*accumulate(map(len, parts[:-1]))}
            sizes = [size for size in sizes if size not in ends]
    return max(cost_of(piece[:size]) for size in sizes)


def _at_most(last: str, piece: str) -> int:
    """What `_peak` surely does not exceed, for less work: every character paid for by itself."""
    if piece.isascii():
        return len(piece) * JOINED
    if last.isspace():
        return len(piece) * 4 * JOINED_OTHER
    return JOINED_OTHER + sum(map(_alone, piece))


def _alone(char: str) -> int:
    """What a character costs that is joined with no other."""
    return JOINED_OTHER * (1 if char in known_tokens() else bytes_of(char))


class SpanCounter:
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
        if end - start > _SENTENCE_CHARS:
            return -(-self._parts(start, end)[0] // TOKEN)
        span = self._text[start:end]
        if (known := _KNOWN.get(span)) is None:
            known = -(-self._parts(start, end)[0] // TOKEN)
            if len(_KNOWN) >= _MOST_KNOWN:
                _KNOWN.clear()
            _KNOWN[span] = known
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


def truncate_each(texts: Sequence[str], *, most: int) -> list[str]:
    """The texts as they are, or if they have more than `most` characters together, of each an equal share at most."""
    if sum(map(len, texts)) <= most:
        return list(texts)
    share = max(1, most // len(texts))
    return [text[:share] for text in texts]


def cut_point(text: str, start: int, end: int) -> int:
    """The best end of `text[start:end]` not far before `end`; what follows begins there, and nothing is lost.

    It is never between a backslash and what that escapes, unless there is no other.
    """
    return end if end >= len(text) else whole_escape(text, start, _border(text, start, end))


def _border(text: str, start: int, end: int) -> int:
    least = max(start + 1, end - int((end - start) * _SHARE))
    for sign in _BEFORE:
        lead = sign.startswith("\n")
        at = text.rfind(sign, least - lead, end - lead + len(sign))
        if at >= 0:
            return at + lead
    for sign in _AFTER:
        at = text.rfind(sign, least - len(sign), end)
        if at >= start:
            return at + len(sign)
    return end
