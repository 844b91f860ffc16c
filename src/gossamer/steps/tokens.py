"""How many tokens a text costs a model, and where to cut it so that it fits.

The measure is OpenAI's o200k_base. Its whole vocabulary would be two megabytes and a compiled library, so this counts
with a table of 82,000 of its entries (`tokens_data.bin`). The text is split as the tokenizer splits it; a piece that is
in the table costs one token, any other is joined from characters in the tokenizer's own order as far as the table goes.
What the table lacks only makes a piece dearer, so the estimate errs upwards: 3 to 16 % above the truth for prose, code,
tables and addresses in the scripts the table was made for, up to 60 % in others. A hundredth is kept in reserve.
"""

import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Mapping
from functools import cache, lru_cache
from itertools import accumulate, pairwise

_TOKEN = 32
"""Prices are whole numbers of 1/32 token."""
_JOINED, _JOINED_OTHER = 33, 34
"""The price of a token in a joined piece, ASCII or not: in rare cases the tokenizer joins it less well than we do."""
_MAX_PIECE = 40
_MAX_GAP = 96
_TAIL = 16
"""No beginning of a piece costs this many tokens more than the piece."""
DOUBT = _TAIL + 2
LATE = 1 << 10
_NEVER = 1 << 20

_RULE = re.compile(r" ?([-=_*#.])\1{7,}(?:\r?\n){0,2}")
_GAP = r"\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"


def count(text: str) -> int:
    """Estimate the tokens of a text, never below the truth for ordinary text in the scripts we promise.

    Appending never lowers the count: a word cut in the middle may cost more than the whole word, so the count is the
    largest estimate of any beginning. `count(a + b)` is at most `count(a) + count(b) + 4`; only a seam within a run
    of more than 24 letters or signs may add more, because the run is then counted in other portions.
    """
    pieces = _split(text)
    if len(pieces) > 100:
        total = sum(_price(piece) * times for piece, times in Counter(pieces).items())
    else:
        total = sum(map(_price, pieces))
    most = before = total
    for at in range(len(pieces) - 1, max(-1, len(pieces) - 1 - _TAIL), -1):
        if before + _TAIL * _TOKEN <= most:
            break
        last, piece = pieces[at - 1] if at else "", pieces[at]
        before -= _price(piece)
        if before + _at_most(last, piece) > most:
            most = max(most, before + _peak(last, piece))
    tokens = -(-most // _TOKEN)
    return tokens + tokens // 100


def roughly(text: str) -> int:
    """About what a text costs, for a fraction of the work of `count`: no beginning of it is looked at.

    `count` is never less, and more by at most a hundredth and `DOUBT`.
    """
    return -(-_cost(text) // _TOKEN)


def cut(text: str, budget: int) -> int:
    """Find the largest index, at a good place, at which what stands before it costs at most `budget` tokens.

    The end of a paragraph, a line, a sentence or a word is preferred, in this order, if it lies within the last tenth
    of the budget and four fifths of the budget are surely used. No character is taken from its combining marks.
    All of the text fits: its length. A budget of 16 or more always makes progress.
    """
    limit = (budget * 100 + 99) // 101 * _TOKEN
    total = sure = 0
    early = late = len(text)
    last = ""
    for match in _pattern(text.isascii()).finditer(text):
        piece = match[0]
        price = _price(piece)
        if total + price + _TAIL * _TOKEN > limit and total + _peak(last, piece) > limit:
            end = match.start() + _fitting(last, piece, limit - total)
            return _whole(text, _good_place(text, min(early, end), min(late, end), end))
        last = piece
        total += price
        sure += price if price == _TOKEN else price * 7 // 8 if piece[-1] >= "\u0590" else price * 5 // 8
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
    while size < len(piece) and _cost(piece[: size + 1]) <= room and (size or _peak(last, piece[0]) <= room):
        size += 1
    return size


@lru_cache(maxsize=4096)
def _peak(last: str, piece: str) -> int:
    """The dearest beginning of a piece, reckoned from its start.

    White space before it counts: a word takes the last space of a gap, but until it stands there the gap is one piece.
    """
    first = 1 if piece.isspace() else max(1, len(piece) - _TAIL)
    most = max(_cost(piece[:size]) for size in range(first, len(piece) + 1))
    if last.isspace() and piece[0].isspace():
        most = max(most, _cost(last + piece[0]) - _price(last))
    return most


def _at_most(last: str, piece: str) -> int:
    """What `_peak` surely does not exceed, for less work: every character paid for by itself."""
    if piece.isascii():
        return len(piece) * _JOINED
    if last.isspace():
        return len(piece) * 4 * _JOINED_OTHER
    table = _table()
    return (1 + sum(1 if char in table else _bytes(char) for char in piece)) * _JOINED_OTHER


def _cost(text: str) -> int:
    return sum(map(_price, _split(text)))


@lru_cache(maxsize=1 << 14)
def _price(piece: str) -> int:
    """What a piece costs: one token when the table has it or it is a number, else the parts that joining leaves.

    A sign before a known word makes two, and a drawn line is four at worst. A space that stays alone before other
    characters costs two itself, because the tokenizer joins it to their first byte.
    """
    if not piece.strip(" "):
        return _TOKEN if len(piece) <= 60 else 2 * _TOKEN
    table = _table()
    if piece in table or (piece.isdecimal() and piece.isascii()):
        return _TOKEN
    if piece[1:] in table and piece[0] in table and not piece[0].isalpha() and (piece[0] != " " or piece[1] < "\u2e80"):
        return 2 * _JOINED_OTHER
    if _RULE.fullmatch(piece):
        return 4 * _JOINED
    parts = joined(piece, table)
    tokens = sum(1 if part in table else _bytes(part) for part in parts)
    if parts[0] == " " and len(parts) > 1:
        tokens += 1
    return tokens * (_TOKEN if piece.isspace() else _JOINED if piece.isascii() else _JOINED_OTHER)


def joined(piece: str, table: Mapping[str, int]) -> list[str]:
    """Join a piece's characters into parts that are in the table, always the pair that comes first in its order.

    The tokenizer does the same with all its entries. Where the table has a word but not the parts on the way to it,
    its parts are joined at the end.
    """
    get = table.get
    parts = list(piece)
    ranks = [get(left + right, _NEVER) for left, right in pairwise(parts)]
    while ranks and (best := min(ranks)) < _NEVER:
        at = ranks.index(best)
        part = parts[at] = parts[at] + parts.pop(at + 1)
        del ranks[at]
        if at < len(ranks):
            ranks[at] = get(part + parts[at + 1], _NEVER)
        if at:
            ranks[at - 1] = get(parts[at - 1] + part, _NEVER)
    ends = [*accumulate(map(len, parts), initial=0)]
    for first in range(len(parts) - 2):
        for last in range(min(len(parts), first + 6), first + 2, -1):
            whole = piece[ends[first] : ends[last]]
            if whole in table:
                parts[first:last] = [whole]
                del ends[first + 1 : last]
                break
    return parts


def _bytes(char: str) -> int:
    """The tokens of a character that the table lacks: its bytes in UTF-8, or two where a pair of them is known."""
    code = ord(char)
    if code < 0x80:
        return 1
    if code < 0x800:
        return 2
    if code > 0xFFFF:
        return 4
    return 2 if _data()["paired"][code >> 9] >> (code >> 6 & 7) & 1 else 3


def _split(text: str) -> list[str]:
    return _pattern(text.isascii()).findall(text)


@cache
def _pattern(is_ascii: bool) -> re.Pattern[str]:
    """The tokenizer's own splitting, with bounded lengths."""
    upper, lower, other, marks, numbers = "A-Z", "a-z", "", "", "0-9"
    if not is_ascii:
        upper, lower, other, marks, numbers = _data()["classes"].decode().split("\n")
    letters = upper + lower + other
    early, late = f"[{upper}{other}{marks}]", f"[{lower}{other}{marks}]"
    ending = r"(?:'(?:[sStTmMdD]|[rR][eE]|[vV][eE]|[lL][lL]))?"
    return re.compile(
        rf"[^\r\n{letters}{numbers}]?(?:{early}{{0,24}}{late}{{1,24}}|{early}{{1,24}}){ending}"
        rf"|[{numbers}]{{1,3}}"
        rf"| ?[^{_GAP}{letters}{numbers}]{{1,{_MAX_PIECE}}}[\r\n/]{{0,{_MAX_PIECE}}}"
        rf"|[{_GAP}]{{0,{_MAX_GAP}}}[\r\n]"
        rf"|[{_GAP}]{{1,{_MAX_GAP}}}(?![^{_GAP}])"
        rf"|[{_GAP}]{{1,{_MAX_GAP}}}"
    )


@cache
def _table() -> dict[str, int]:
    """Each known token with its place in the order of joining."""
    data = _data()
    entries = re.findall(r"[\x0e-\x1f][^\x0e-\x1f]+", data["stems"].decode())
    stems = [*accumulate(entries, lambda stem, entry: stem[: ord(entry[0]) - 14] + entry[1:], initial="")][1:]
    forms = data["forms"]
    texts = [stem for stem, form in zip(stems, forms, strict=True) if form & 1]
    texts += [" " + stem for stem, form in zip(stems, forms, strict=True) if form & 2]
    texts += [stem[0].upper() + stem[1:] for stem, form in zip(stems, forms, strict=True) if form & 4]
    texts += [" " + stem[0].upper() + stem[1:] for stem, form in zip(stems, forms, strict=True) if form & 8]
    texts += [stem.upper() for stem, form in zip(stems, forms, strict=True) if form & 16]
    texts += [" " + stem.upper() for stem, form in zip(stems, forms, strict=True) if form & 32]
    table = {text: LATE + len(text) for text in texts}
    table.update(zip((text for text in texts if 2 <= len(text) <= 3), data["ranks"], strict=True))
    return table


@cache
def _data() -> dict[str, bytes]:
    """The parts of `tokens_data.bin`; `scripts/fit_tokens.py` makes it and describes the format."""
    from importlib.resources import files

    packed = files("gossamer.steps").joinpath("tokens_data.bin").read_bytes()
    parts: dict[str, bytes] = {}
    for name in ("stems", "forms", "ranks", "paired", "classes"):
        stream = zlib.decompressobj()
        parts[name] = stream.decompress(packed)
        packed = stream.unused_data
    return parts
