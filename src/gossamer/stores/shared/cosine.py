"""Cosine similarity and int8 quantisation, the same in all stores. Loads NumPy, so stores import it late."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import InvalidArgument
from gossamer.model.page import Vectors

Floats = NDArray[np.float32]

_BLOCK = 320
"""Vectors compared at once: enough to be worth a step of Python, few enough to stay in the processor's cache."""
_BEYOND = 65_536.0
"""More than any float16."""
_SIGN_AND_NUMBER = np.int32(-0x70000001)
"""Without the copies of the sign that widening an integer makes."""
_EXPONENTS = np.float32(2.0**112)
"""Between the exponents of float32 and float16, which count from 127 and from 15."""
_DIGITS = 6
"""Of a cosine. Differences beyond them are those of adding in another order."""


def directions(data: bytes, dimension: int) -> Floats:
    """Packed float16 vectors at length 1; one that points nowhere, or holds what is no number, is all zeros."""
    rows = np.frombuffer(data, "<f2").astype(np.float32).reshape(-1, max(dimension, 1))
    is_sound = np.isfinite(rows).all(axis=1, keepdims=True)
    rows = np.where(is_sound, rows, np.float32(0))
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)


def direction_of(asked: Vectors) -> Floats:
    """The direction that one vector points in."""
    if asked.dimension < 1 or len(asked.data) != 2 * asked.dimension:
        raise InvalidArgument("A vector search takes exactly one vector.", hint="Give one, packed as float16.")
    return directions(asked.data, asked.dimension)[0]


def closest(data: bytes, dimension: int, asked: Floats) -> tuple[float, int]:
    """The cosine of the vector closest to `asked`, and its place; of equals the first."""
    return closest_of_each([data], dimension, asked)[0]


def closest_of_each(pages: Sequence[bytes], dimension: int, asked: Floats) -> list[tuple[float, int]]:
    """The same for several pages, which all have vectors."""
    counts = [len(page) // (2 * dimension) for page in pages]
    starts = np.cumsum([0, *counts[:-1]])
    nearness, squares = zip(*(_measures(block, dimension, asked) for block in _joined(pages, dimension)), strict=True)
    # One number that is none makes the length none; and what points nowhere is close to nothing.
    with np.errstate(all="ignore"):
        lengths = np.sqrt(np.concatenate(squares))
        cosines = np.where(np.isfinite(lengths) & (lengths > 0), np.concatenate(nearness) / lengths, 0.0)
    cosines = cosines.astype(np.float64).round(_DIGITS)
    best = np.maximum.reduceat(cosines, starts)
    peaks = np.flatnonzero(cosines == np.repeat(best, counts))
    first = peaks[np.searchsorted(peaks, starts)]
    return list(zip(best.tolist(), (first - starts).tolist(), strict=True))


def _measures(data: bytes, dimension: int, asked: Floats) -> tuple[Floats, Floats]:
    """How far each vector goes in a direction, and the square of its length."""
    rows = _widened(data).reshape(-1, dimension)
    squares = np.vecdot(rows, rows)
    if squares.max() < _BEYOND**2:
        return np.vecdot(rows, asked), squares
    rows = np.frombuffer(data, "<f2").astype(np.float32).reshape(-1, dimension)
    with np.errstate(all="ignore"):
        return np.vecdot(rows, asked), np.vecdot(rows, rows)


def _widened(data: bytes) -> Floats:
    """Float16 as float32, a third of what NumPy takes: the same bits, moved, and the exponent put right by a factor.

    What is no number becomes one, of `_BEYOND` and more.
    """
    bits = np.frombuffer(data, "<i2").astype(np.int32)
    bits <<= 13
    bits &= _SIGN_AND_NUMBER
    floats = bits.view(np.float32)
    floats *= _EXPONENTS
    return floats


def packed8(data: bytes, dimension: int) -> bytes:
    """Vectors at a byte a number, for a first look at all of them.

    A number of a vector of length 1 is about as large as the dimension's root is small; what is eight times as large is
    cut off. Embedders have some that large: cut off at four times, one in twenty of the ten closest pages was missed.
    """
    rounded = np.rint(directions(data, dimension) * _scale(dimension))
    return np.clip(rounded, -127, 127).astype(np.int8).tobytes()


def usual_misjudgement(dimension: int) -> float:
    """By how much a cosine with such a vector is off, mostly: the root of the mean square of rounding."""
    return 1 / (12**0.5 * _scale(dimension))


def _scale(dimension: int) -> float:
    return 127 * max(1.0, dimension**0.5 / 8)


def promising(rows: Iterable[tuple[int, bytes]], dimension: int, asked: Floats) -> Iterator[tuple[int, float]]:
    """The pages of packed bytes and how close they seem, by their best vector; best first, of equals the oldest."""
    pages: list[int] = []
    counts: list[int] = []
    nearness = [np.empty(0, np.float32)]
    # Used again for every block: fresh memory for each would cost as much as the sums.
    memory = np.empty((_BLOCK, dimension), np.float32)
    for block in _whole(rows, dimension, pages, counts):
        data = np.frombuffer(block, np.int8).reshape(-1, dimension)
        if len(data) > len(memory):
            memory = np.empty(data.shape, np.float32)
        floats = memory[: len(data)]
        np.copyto(floats, data)
        nearness.append(floats @ asked)
    if pages:
        starts = np.cumsum([0, *counts[:-1]])
        best = np.maximum.reduceat(np.concatenate(nearness), starts).astype(np.float64) / _scale(dimension)
        best = best.round(_DIGITS)
        for place in np.lexsort((np.array(pages), -best)):
            yield pages[place], float(best[place])


def _whole(rows: Iterable[tuple[int, object]], dimension: int, pages: list[int], counts: list[int]) -> Iterator[bytes]:
    """The rows that hold whole vectors, joined, noting of which page and how many; others are damaged and left out."""
    most, size = _BLOCK * dimension, 0
    held: list[bytes] = []
    for page, row in rows:
        if isinstance(row, bytes) and row and len(row) % dimension == 0:
            if held and size + len(row) > most:
                yield b"".join(held)
                held, size = [], 0
            pages.append(page)
            counts.append(len(row) // dimension)
            held.append(row)
            size += len(row)
    if held:
        yield b"".join(held)


def _joined(rows: Iterable[bytes], dimension: int) -> Iterator[bytes]:
    """Rows in blocks of so many bytes at most, as far as one row has no more."""
    most = _BLOCK * dimension
    held: list[bytes] = []
    left = most
    for row in rows:
        if held and len(row) > left:
            yield b"".join(held)
            held, left = [], most
        held.append(row)
        left -= len(row)
    if held:
        yield b"".join(held)
