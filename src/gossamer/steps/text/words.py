"""Words for ranking: normalised, without English stop words, stemmed."""

import re
from collections.abc import Callable
from functools import lru_cache

from gossamer.ports import LanguageMix
from gossamer.steps.text.index_text import prepared

_STOP_WORDS = """
a an the of in on at to for from by with about into and or but so as if then than is are was were be been being am
do does did has have had what which who whom whose when where why how that this these those there it its i me my we
our us you your he him his she her they them their not no can could will would should may might must
"""
_STOP = frozenset(_STOP_WORDS.split())
_ENDINGS = (
    "ations",
    "ation",
    "ingly",
    "edly",
    "ments",
    "ment",
    "ness",
    "ings",
    "ing",
    "ers",
    "ed",
    "ly",
    "es",
    "er",
    "s",
)
_ENDINGS_BY_LAST = {last: tuple(each for each in _ENDINGS if each[-1] == last) for last in "sngytdr"}
_NUMBERS = re.compile(r"(?<![0-9.])[0-9]{1,9}(?:[.:/-][0-9]{1,9}){1,9}")
_PORTION = 1 << 16
_SHORTEST = 5
_STEM = 3
_BEGINNING = 6
"""Letters that words of any other language are compared by; five do nearly as well, seven less."""

Stem = Callable[[str], str]
"""What is left of a word without its ending."""


def words(text: str) -> list[str]:
    """The words of `text` in order, ready to be compared.

    English endings are cut by a short list rather than by grammar: a question and its answer need to meet, the stem
    itself is never shown. Words outside ASCII stay as they were prepared.
    """
    return [stem(word) for word in plain_words(text)]


def plain_words(text: str) -> list[str]:
    """The words of `text` in order, with their endings; behind them numbers of several parts, as they are written.

    Their parts alone do not tell a version or a date from one with the same digits.
    """
    return [*(word for word in prepared(text) if word not in _STOP), *_NUMBERS.findall(text)]


def word_count(text: str) -> int:
    """How many words parted by space a text has, counted in portions: a long text never keeps other threads waiting."""
    total = 0
    for start in range(0, len(text), _PORTION):
        total += len(text[start : start + _PORTION].split())
        if start and not text[start - 1].isspace() and not text[start].isspace():
            total -= 1
    return total


def is_of_parts(word: str) -> bool:
    """Whether a word is a version, a date or the like: as a whole or not at all."""
    return word[:1].isdigit() and not word.isalnum()


@lru_cache(maxsize=1 << 14)
def stem(word: str) -> str:
    """Take one common English ending off, if enough of the word is left to tell it from others."""
    endings = _ENDINGS_BY_LAST.get(word[-1:], ())
    if len(word) < _SHORTEST or not word.endswith(endings) or not word.isascii() or not word.isalpha():
        return word
    if word.endswith(("ies", "ied")):
        return f"{word[:-3]}y"
    for ending in endings:
        if word.endswith(ending) and len(word) - len(ending) >= _STEM:
            return word[: -len(ending)]
    return word


def stemmer(mix: LanguageMix) -> Stem:
    """What takes endings off where these languages meet."""
    return stem if mix == "english" else _beginning


@lru_cache(maxsize=1 << 14)
def _beginning(word: str) -> str:
    """The first letters of a word: a question bends it otherwise than its answer, in most languages at its end.

    What holds a digit is a number or a name, and stays whole.
    """
    if len(word) <= _BEGINNING or any(map(str.isdigit, word)):
        return word
    return word[:_BEGINNING]
