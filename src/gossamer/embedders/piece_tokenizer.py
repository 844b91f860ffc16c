"""Subword tokenizers (WordPiece and SentencePiece): cut a text into the pieces that a vector table knows.

Written here because the tables need no other part of a tokenizer. Each cut takes the longest known piece from the
left (greedy longest match), which differs from the models' own tokenizers in few words. The longest piece per first
two characters is known beforehand, so the work is linear.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Protocol, cast

_KNOWN_WORDS = 20_000
_KNOWN_CHARS = 40
"""What is longer is no word that comes again, but a sentence without spaces."""
_INSIDE = "##"
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


class Cuts(dict[str, tuple[int, ...]]):
    """How words are cut, each worked out when it is first asked for; threads may forget for one another."""

    def __init__(self, cut: Callable[[str], tuple[int, ...]], *, most_chars: int) -> None:
        super().__init__()
        self._cut = cut
        self._most_chars = most_chars

    def __missing__(self, word: str) -> tuple[int, ...]:
        """Cut a word and remember it, if it is one that comes again; what is remembered is bounded."""
        cut = self._cut(word)
        if len(word) <= self._most_chars:
            if len(self) >= _KNOWN_WORDS:
                self.clear()
            self[word] = cut
        return cut


class Vocabulary:
    """Pieces with their numbers, and how long a piece can be that begins with given two characters."""

    def __init__(self, pieces: Mapping[str, int]) -> None:
        self._ids = pieces
        self._longest: dict[str, int] = {}
        for piece in pieces:
            if len(piece) > self._longest.get(piece[:2], 1):
                self._longest[piece[:2]] = len(piece)

    def beginning(self, word: str) -> tuple[int, int] | None:
        """The longest piece that a word begins with: its number and its length."""
        for end in range(min(len(word), self._longest.get(word[:2], 1)), 0, -1):
            if (number := self._ids.get(word[:end])) is not None:
                return number, end
        return None

    def cut(self, word: str, start: int = 0) -> tuple[list[int], int]:
        """The longest pieces from the left, until no piece begins; and where that is."""
        get, longest, size = self._ids.get, self._longest.get, len(word)
        numbers: list[int] = []
        while start < size:
            end = min(size, start + longest(word[start : start + 2], 1))
            while (number := get(word[start:end])) is None:
                end -= 1
                if end == start:
                    return numbers, start
            numbers.append(number)
            start = end
        return numbers, start


class WordPieces:
    """Lower case without accents, signs apart; what goes on inside a word is marked `##`."""

    def __init__(self, pieces: Sequence[str]) -> None:
        numbers = dict(zip(pieces, range(len(pieces)), strict=True))
        self._first = Vocabulary({piece: number for piece, number in numbers.items() if piece[:2] != _INSIDE})
        self._inside = Vocabulary({piece[2:]: number for piece, number in numbers.items() if piece[:2] == _INSIDE})
        self._whole = numbers.get
        self._cuts = Cuts(self._new, most_chars=_KNOWN_CHARS)

    def cut(self, text: str) -> list[int]:
        """The numbers of the pieces; a word with an unknown part is left out whole, as in training."""
        if text.isascii() and text.isalnum() and (number := self._whole(text.lower())) is not None:
            return [number]
        if (known := self._cuts.get(text)) is not None:
            return list(known)
        level = _without_accents(text)
        words: list[str] = (_ASCII_WORD if level.isascii() else _WORD).findall(level)
        whole = [*map(self._whole, words)]
        if None not in whole:
            return cast("list[int]", whole)
        numbers: list[int] = []
        for word, number in zip(words, whole, strict=True):
            if number is None:
                numbers += self._cuts[word]
            else:
                numbers.append(number)
        return numbers

    def _new(self, word: str) -> tuple[int, ...]:
        if len(word) > _WORD_CHARS:
            return ()
        first = self._first.beginning(word)
        if first is None:
            return ()
        number, start = first
        rest, end = self._inside.cut(word, start)
        return (number, *rest) if end == len(word) else ()


class SentencePieces:
    """Every script as it is written; where a word begins is marked `▁`."""

    def __init__(self, pieces: Sequence[str]) -> None:
        self._vocabulary = Vocabulary(dict(zip(pieces, range(len(pieces)), strict=True)))
        self._cuts = Cuts(self._new, most_chars=_KNOWN_CHARS)

    def cut(self, text: str) -> list[int]:
        """The numbers of the pieces; characters that no piece has are left out."""
        if (known := self._cuts.get(text)) is not None:
            return list(known)
        words = (text if text.isascii() else unicodedata.normalize("NFKC", text)).split()
        return list(chain.from_iterable(map(self._cuts.__getitem__, words)))

    def _new(self, word: str) -> tuple[int, ...]:
        marked = f"\u2581{word}"
        numbers, end = self._vocabulary.cut(marked)
        while end < len(marked):
            more, end = self._vocabulary.cut(marked, end + 1)
            numbers += more
        return tuple(numbers)


def _without_accents(text: str) -> str:
    lowered = text.lower()
    if lowered.isascii():
        return lowered
    return "".join(c for c in unicodedata.normalize("NFD", lowered) if unicodedata.category(c) != "Mn")
