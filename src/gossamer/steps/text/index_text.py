"""Index text: the normalised form of pages and queries that the word index sees."""

import re
import unicodedata
from collections.abc import Iterable
from operator import add

MAX_WORD_CHARS = 64

_UNSPACED = (
    "\u0e00-\u0e7f\u0e80-\u0eff"  # Thai, Lao
    "\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f"  # Myanmar
    "\u1780-\u17ff\u19e0-\u19ff"  # Khmer
    "\u1100-\u11ff\ua960-\ua97f\uac00-\ud7ff"  # Hangul
    "\u3040-\u312f\u31a0-\u31bf\u31f0-\u31ff\U0001aff0-\U0001b16f"  # Kana, Bopomofo
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
)
_RUN = re.compile(f"[{_UNSPACED}]+|[^{_UNSPACED}]+")
_FIRST = re.compile(f"[{_UNSPACED}]")
_ASCII_WORD = re.compile(f"([a-z0-9]{{1,{MAX_WORD_CHARS}}})[a-z0-9]*")
_ZERO_WIDTH_SPACE = "\u200b"


class _Letters(dict[int, str]):
    """What becomes of each character: letters, digits and marks stay, accents go, all else parts words."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        category = unicodedata.category(char)
        accent = unicodedata.combining(char)
        if 10 <= accent <= 36 or accent >= 200 or (category == "Cf" and char != _ZERO_WIDTH_SPACE):
            letter = ""
        else:
            letter = char if category[0] in "LNM" or category == "Co" else " "
        self[code] = letter
        return letter


_LETTERS = _Letters()


def prepare(text: str) -> str:
    """Words in one spelling each, parted by single spaces: those of `prepared`."""
    return " ".join(prepared(text))


def prepared(text: str) -> list[str]:
    """The words of a text in one spelling each, in order.

    Case, accents, vowel points and compatibility forms are levelled (NFKC, casefold, ß as ss). Scripts that do not
    part words (Han, Kana, Hangul, Thai, Lao, Khmer, Myanmar) become overlapping pairs of characters, so that any
    two neighbours can be found. Vowel signs of Indian scripts stay, since words differ by them. Nothing but letters,
    digits, marks and spaces is left, so a prepared word has no meaning in a query language.
    """
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    level = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    level = unicodedata.normalize("NFC", level.translate(_LETTERS))
    if not _FIRST.search(level):
        return [word[:MAX_WORD_CHARS] for word in level.split()]
    pairs: list[str] = []
    for part in level.split():
        for run in _RUN.findall(part):
            pairs += _pairs(run)
    return pairs


def says_something(text: str) -> bool:
    """Whether a text holds a letter or a digit; rules and empty rows of tables hold none."""
    return any(map(str.isalnum, text))


def is_lone(word: str) -> bool:
    """Whether a prepared word is a single character of a script that is indexed in pairs."""
    return len(word) == 1 and _FIRST.match(word) is not None


def _pairs(run: str) -> Iterable[str]:
    if len(run) < 2 or not _FIRST.match(run):
        return (run[:MAX_WORD_CHARS],)
    return map(add, run, run[1:])
