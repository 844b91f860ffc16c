"""How a text is cut into the pieces that a table has vectors for, as the models' own tokenizers nearly do.

Written here because cutting is all of a tokenizer that the tables need. Each cut takes the longest known piece from
the left; what the longest piece with a given first character is, is known beforehand, so the work is linear.
"""

import re
import unicodedata
from collections.abc import Sequence
from itertools import chain
from typing import Protocol

_KNOWN_WORDS = 20_000
_KNOWN_CHARS = 40
"""What is longer is no word that comes again, but a sentence without spaces."""
_WORD_CHARS = 100  # beyond it the English model knows no word
_HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_HAN}]|[^\W_{_HAN}]+|[^\w\s]|_")


class Pieces(Protocol):
    """A vocabulary that texts are cut into."""

    def cut(self, text: str) -> list[int]:
        """The numbers of the pieces of `text`, in order."""
        ...


class Vocabulary:
    """Pieces with their numbers, and the words cut so far."""

    def __init__(self, pieces: Sequence[str]) -> None:
        self._ids = dict(zip(pieces, range(len(pieces)), strict=True))
        self._longest: dict[str, int] = {}
        for piece in pieces:
            if len(piece) > self._longest.get(piece[:1], 0):
                self._longest[piece[:1]] = len(piece)
        self._known: dict[str, tuple[int, ...]] = {}

    def cut(self, word: str, *, inside: str, skips: bool) -> tuple[int, ...]:
        """The longest known pieces of a word, from the left; those after the first are spelt with `inside` before them.

        What no piece begins with is skipped, or leaves nothing of the whole word.
        """
        get, longest, size = self._ids.get, self._longest, len(word)
        found: list[int] = []
        start, prefix = 0, ""
        while start < size:
            end = min(size, start + longest.get(prefix[:1] or word[start], 0) - len(prefix))
            number: int | None = None
            while end > start and (number := get(prefix + word[start:end])) is None:
                end -= 1
            if number is not None:
                found.append(number)
                start, prefix = end, inside
            elif skips:
                start += 1
            else:
                return ()
        return tuple(found)

    def known(self, word: str) -> tuple[int, ...] | None:
        """How a word was cut before."""
        return self._known.get(word)

    def keep(self, word: str, cut: tuple[int, ...]) -> tuple[int, ...]:
        """Remember how a word is cut; what is remembered is bounded, and threads may forget for one another."""
        if len(self._known) >= _KNOWN_WORDS:
            self._known.clear()
        self._known[word] = cut
        return cut


class WordPieces:
    """Lower case without accents, signs apart; what goes on inside a word is marked `##`."""

    def __init__(self, pieces: Sequence[str]) -> None:
        self._vocabulary = Vocabulary(pieces)

    def cut(self, text: str) -> list[int]:
        """The numbers of the pieces; a word with an unknown part is left out whole, as in training."""
        return list(chain.from_iterable(map(self._word, _WORD.findall(_without_accents(text)))))

    def _word(self, word: str) -> tuple[int, ...]:
        if len(word) > _WORD_CHARS:
            return ()
        known = self._vocabulary.known(word)
        if known is not None:
            return known
        return self._vocabulary.keep(word, self._vocabulary.cut(word, inside="##", skips=False))


class SentencePieces:
    """Every script as it is written; where a word begins is marked `▁`."""

    def __init__(self, pieces: Sequence[str]) -> None:
        self._vocabulary = Vocabulary(pieces)

    def cut(self, text: str) -> list[int]:
        """The numbers of the pieces; characters that no piece has are left out."""
        plain = text if text.isascii() else unicodedata.normalize("NFKC", text)
        return list(chain.from_iterable(map(self._word, plain.split())))

    def _word(self, word: str) -> tuple[int, ...]:
        known = self._vocabulary.known(word)
        if known is not None:
            return known
        cut = self._vocabulary.cut(f"\u2581{word}", inside="", skips=True)
        return self._vocabulary.keep(word, cut) if len(word) <= _KNOWN_CHARS else cut


def _without_accents(text: str) -> str:
    lowered = text.lower()
    if lowered.isascii():
        return lowered
    return "".join(c for c in unicodedata.normalize("NFD", lowered) if unicodedata.category(c) != "Mn")
