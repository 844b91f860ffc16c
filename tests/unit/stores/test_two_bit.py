"""Vectors at a quarter of a byte a number, against sums written out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.model.page import Vectors
from gossamer.stores.shared.cosine import direction_of, packed8
from gossamer.stores.sqlite.two_bit import likely, packed2


def direction(dice: np.random.Generator, dimension: int) -> np.ndarray:
    data = dice.standard_normal(dimension).astype("<f2").tobytes()
    return direction_of(Vectors(model="m", dimension=dimension, data=data))


def seeming(row: bytes, asked: np.ndarray) -> float:
    """The best product of a vector of a row, of four values each number, with what is asked for."""
    vectors = np.frombuffer(row, np.int8).reshape(-1, len(asked)).tolist()
    coarse = [[-1.5 if n < -16 else -0.5 if n < 0 else 0.5 if n < 16 else 1.5 for n in vector] for vector in vectors]
    return max(sum(one * other for one, other in zip(vector, asked.tolist(), strict=True)) for vector in coarse)


@given(
    lengths=st.lists(st.integers(1, 9), min_size=1, max_size=90),
    dimension=st.sampled_from([1, 2, 7, 16, 30]),
    seed=st.integers(0, 99),
)
@settings(deadline=None)
def test_pages_come_by_their_best_vector(lengths: list[int], dimension: int, seed: int) -> None:
    dice = np.random.default_rng(seed)
    asked = direction(dice, dimension)
    rows = {
        page: dice.integers(-127, 128, length * dimension, np.int8).tobytes() for page, length in enumerate(lengths)
    }
    found = likely([(page, packed2(row, dimension)) for page, row in rows.items()], dimension, asked)
    assert sorted(found) == sorted(rows)
    scores = [seeming(rows[page], asked) for page in found]
    assert scores == pytest.approx(sorted(scores, reverse=True), abs=1e-4)


def test_a_number_takes_a_quarter_of_a_byte() -> None:
    assert len(packed2(bytes(40 * 256), 256)) == 40 * 64
    assert len(packed2(bytes(3 * 5), 5)) == 3 * 2
    assert packed2(b"", 256) == b""


@pytest.mark.large
def test_the_twenty_closest_of_many_are_among_the_first() -> None:
    dice = np.random.default_rng(3)
    asked = direction(dice, 256)
    vectors = dice.standard_normal((20_000, 256), np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    rows = [packed8(vector.astype("<f2").tobytes(), 256) for vector in vectors]
    found = likely([(page, packed2(row, 256)) for page, row in enumerate(rows)], 256, asked)
    closest = np.argsort(-(vectors @ asked))[:20]
    assert len(set(found[:400]) & set(closest.tolist())) >= 19


def test_damaged_rows_are_left_out() -> None:
    asked = direction(np.random.default_rng(1), 8)
    whole = packed2(bytes(8), 8)
    rows = [(1, b""), (2, whole), (3, whole + b"x"), (4, None), (5, "text"), (6, whole)]
    assert sorted(likely(rows, 8, asked)) == [2, 6]
    assert likely([(1, None)] * 100, 8, asked) == []
    assert likely([], 8, asked) == []
