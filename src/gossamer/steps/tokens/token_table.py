"""Token table: the tokenizer's own splitting, and what each piece costs in tokens.

See `tokens`, which counts with it.
"""

import re
import zlib
from collections.abc import Mapping
from functools import cache, lru_cache
from itertools import accumulate, repeat
from operator import add

TOKEN = 32
"""Prices are whole numbers of 1/32 token."""
JOINED, JOINED_OTHER = 33, 34
"""The price of a token in a joined piece, ASCII or not: in rare cases the tokenizer joins it less well than we do."""
LATE = 1 << 10
_MAX_PIECE = 40
_MAX_GAP = 96
_NEVER = 1 << 20
_KNOWN = 1 << 15
"""Pieces whose prices are remembered: the words of a few hundred pages, in 7 MB at most."""

_RULE = re.compile(r" ?([-=_*#.])\1{7,}(?:\r?\n){0,2}")
_GAP = r"\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"


def cost_of(text: str) -> int:
    """What all pieces of a text cost."""
    return sum(map(price_of, split(text)))


@lru_cache(maxsize=_KNOWN)
def price_of(piece: str) -> int:
    """What a piece costs: one token when the table has it or it is a number, else the parts that joining leaves.

    A sign before a known word makes two, and a drawn line is four at worst. A space that stays alone before other
    characters costs two itself, because the tokenizer joins it to their first byte.
    """
    table = known_tokens()
    if piece in table:
        return TOKEN
    if piece.isascii() and piece[1:].isalpha():
        return _price_of_word(piece, table)
    if not piece.strip(" "):
        return TOKEN if len(piece) <= 60 else 2 * TOKEN
    if piece.isdecimal() and piece.isascii():
        return TOKEN
    if piece[1:] in table and piece[0] in table and not piece[0].isalpha() and (piece[0] != " " or piece[1] < "\u2e80"):
        return 2 * JOINED_OTHER
    if _RULE.fullmatch(piece):
        return 4 * JOINED
    parts = joined(piece, table)
    tokens = sum(1 if part in table else bytes_of(part) for part in parts)
    if parts[0] == " " and len(parts) > 1:
        tokens += 1
    return tokens * (TOKEN if piece.isspace() else JOINED if piece.isascii() else JOINED_OTHER)


def _price_of_word(word: str, table: Mapping[str, int]) -> int:
    """The same of ASCII letters with a sign or a letter before them."""
    if word[1:] in table and word[0] in table and not word[0].isalpha():
        return 2 * JOINED_OTHER
    parts = joined(word, table)
    return (len(parts) + (parts[0] == " ")) * JOINED


def joined(piece: str, table: Mapping[str, int]) -> list[str]:
    """Join a piece's characters into parts that are in the table, always the pair that comes first in its order.

    The tokenizer does the same with all its entries. Where the table has a word but not the parts on the way to it,
    its parts are joined at the end.
    """
    get = table.get
    parts = list(piece)
    ranks = [*map(get, map(add, piece, piece[1:]), repeat(_NEVER))]
    left = len(ranks)
    while left and (best := min(ranks)) < _NEVER:
        at = ranks.index(best)
        part = parts[at] = parts[at] + parts.pop(at + 1)
        del ranks[at]
        left -= 1
        if at < left:
            ranks[at] = get(part + parts[at + 1], _NEVER)
        if at:
            ranks[at - 1] = get(parts[at - 1] + part, _NEVER)
    return parts if left < 2 else _joined_further(piece, parts, table)


def _joined_further(piece: str, parts: list[str], table: Mapping[str, int]) -> list[str]:
    """Join runs of three parts and more that are known as a whole, the longest first."""
    ends = [*accumulate(map(len, parts), initial=0)]
    beginnings = _beginnings()
    first = 0
    while first < len(parts) - 2:
        start = ends[first]
        two = piece[start : start + 2]
        if two in beginnings or two.isascii():
            for last in range(min(len(parts), first + 6), first + 2, -1):
                whole = piece[start : ends[last]]
                if whole in table:
                    parts[first:last] = [whole]
                    del ends[first + 1 : last]
                    break
        first += 1
    return parts


def bytes_of(char: str) -> int:
    """The tokens of a character that the table lacks: its bytes in UTF-8, or two where a pair of them is known."""
    code = ord(char)
    if code < 0x80:
        return 1
    if code < 0x800:
        return 2
    if code > 0xFFFF:
        return 4
    return 2 if _data()["paired"][code >> 9] >> (code >> 6 & 7) & 1 else 3


def split(text: str) -> list[str]:
    """The pieces of a text, in order."""
    return pattern(text.isascii()).findall(text)


@cache
def pattern(is_ascii: bool) -> re.Pattern[str]:
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


def is_word(piece: str) -> bool:
    """Whether a piece, like every beginning of it, is made of letters beyond ASCII, after one sign at most."""
    return not piece.isascii() and _word().fullmatch(piece) is not None


@cache
def _word() -> re.Pattern[str]:
    upper, lower, other, marks, numbers = _data()["classes"].decode().split("\n")
    return re.compile(rf"[^\r\n{numbers}]?[{upper}{lower}{other}{marks}]+")


@cache
def known_tokens() -> dict[str, int]:
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
def _beginnings() -> frozenset[str]:
    """What known tokens of three characters and more begin with, unless it is ASCII: few places of a text do."""
    return frozenset(text[:2] for text in known_tokens() if len(text) > 2 and not text.isascii())


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
