"""How a text is cut into the pieces that a table has vectors for, as the models' own tokenizers nearly do.

Written here because cutting is all of a tokenizer that the tables need. Each cut takes the longest known piece from
the left; what the longest piece with a given first character is, is known beforehand, so the work is linear.
"""

import re
import unicodedata
from collections.abc import Sequence
from itertools import chain
from typing import Protocol, cast

_KNOWN_WORDS = 20_000
_KNOWN_CHARS = 40
"""What is longer is no word that comes again, but a sentence without spaces."""
_WORD_CHARS = 100  # beyond it the English model knows no word
_HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_HAN}]|[^\W_{_HAN}]+|[^\w\s]|_")
_ASCII_WORD = re.compile(r"[a-z0-9]+|[!-/:-@\[-`{-~\x00-\x08\x0e-\x1b\x7f]")
"""The same for lower ASCII, told in half of the time."""


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
        self.whole = self._ids.get
        """The number of a word that is a piece itself."""

    def cut_through(self, word: str) -> tuple[int, ...]:
        """The longest known pieces of a word, from the left; what no piece begins with is skipped."""
        get, longest, size = self._ids.get, self._longest.get, len(word)
        found: list[int] = []
        start = 0
        while start < size:
            end = min(size, start + longest(word[start], 0))
            number: int | None = None
            while end > start and (number := get(word[start:end])) is None:
                end -= 1
            if number is None:
                start += 1
            else:
                found.append(number)
                start = end
        return tuple(found)

    def cut(self, word: str, *, inside: str) -> tuple[int, ...]:
        """The same, where pieces after the first are spelt with `inside` before them.

        What no piece begins with leaves nothing of the whole word.
        """
        get, longest, size = self._ids.get, self._longest, len(word)
        found: list[int] = []
        start, prefix = 0, ""
        while start < size:
            end = min(size, start + longest.get(prefix[:1] or word[start], 0) - len(prefix))
            number: int | None = None
            while end > start and (number := get(prefix + word[start:end])) is None:
                end -= 1
            if number is None:
                return ()
            found.append(number)
            start, prefix = end, inside
        return tuple(found)

    def known(self, words: Sequence[str]) -> list[tuple[int, ...] | None]:
        """How words were cut before."""
        return list(map(self._known.get, words))

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
        whole_of = self._vocabulary.whole
        if text.isascii() and text.isalnum() and (number := whole_of(text.lower())) is not None:
            return [number]
        level = _without_accents(text)
        words: list[str] = (_ASCII_WORD if level.isascii() else _WORD).findall(level)
        whole = list(map(whole_of, words))
        if None not in whole:
            return cast("list[int]", whole)
        found = self._vocabulary.known(words)
        return list(
            chain.from_iterable(
                self._new(word) if known is None else known for known, word in zip(found, words, strict=True)
            )
        )

    def _new(self, word: str) -> tuple[int, ...]:
        if len(word) > _WORD_CHARS:
            return ()
        return self._vocabulary.keep(word, self._vocabulary.cut(word, inside="##"))


class SentencePieces:
    """Every script as it is written; where a word begins is marked `▁`."""

    def __init__(self, pieces: Sequence[str]) -> None:
        self._vocabulary = Vocabulary(pieces)

    def cut(self, text: str) -> list[int]:
        """The numbers of the pieces; characters that no piece has are left out."""
        if text.isascii() and text.isalnum() and (number := self._vocabulary.whole(f"\u2581{text}")) is not None:
            return [number]
        words = (text if text.isascii() else unicodedata.normalize("NFKC", text)).split()
        found = self._vocabulary.known(words)
        if None not in found:
            return list(chain.from_iterable(cast("list[tuple[int, ...]]", found)))
        return list(
            chain.from_iterable(
                self._new(word) if known is None else known for known, word in zip(found, words, strict=True)
            )
        )

    def _new(self, word: str) -> tuple[int, ...]:
        cut = self._vocabulary.cut_through(f"\u2581{word}")
        return self._vocabulary.keep(word, cut) if len(word) <= _KNOWN_CHARS else cut


def _without_accents(text: str) -> str:
    lowered = text.lower()
    if lowered.isascii():
        return lowered
    return "".join(c for c in unicodedata.normalize("NFD", lowered) if unicodedata.category(c) != "Mn")
