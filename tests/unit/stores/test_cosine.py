"""Closeness of packed vectors, against sums written out."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.errors import InvalidArgument
from gossamer.model.page import Vectors
from gossamer.stores.shared import cosine

DIMENSION = 8


def packed(rows: list[list[float]]) -> bytes:
    return np.array(rows, "<f2").tobytes()


def expected_cosine(one: list[float], other: list[float]) -> float:
    lengths = math.hypot(*one) * math.hypot(*other)
    is_sound = all(map(math.isfinite, one)) and lengths > 0
    return sum(a * b for a, b in zip(one, other, strict=True)) / lengths if is_sound else 0.0


ASKED = [1.0, -2.0, 0.5, 0.0, 3.0, 1.0, -1.0, 0.25]
DIRECTION = cosine.direction_of(Vectors(model="m", dimension=DIMENSION, data=packed([ASKED])))
NUMBERS = st.sampled_from([0.0, 1.0, -1.0, 0.5, 2.0, -3.0, math.nan, math.inf])
PAGES = st.lists(
    st.lists(st.lists(NUMBERS, min_size=DIMENSION, max_size=DIMENSION), min_size=1, max_size=5), min_size=1, max_size=6
)


@given(pages=PAGES)
def test_the_closest_of_each_page_is_the_one_with_the_largest_cosine(pages: list[list[list[float]]]) -> None:
    found = cosine.closest_of_each([packed(rows) for rows in pages], DIMENSION, DIRECTION)
    for rows, (value, place) in zip(pages, found, strict=True):
        expected = [expected_cosine(row, ASKED) for row in rows]
        assert value == pytest.approx(max(expected), abs=2e-6)
        assert expected[place] == pytest.approx(max(expected), abs=2e-6)
    assert found == [cosine.closest(packed(rows), DIMENSION, DIRECTION) for rows in pages]


@given(lengths=st.lists(st.integers(0, 90), max_size=60), seed=st.integers(0, 99))
@settings(deadline=None)
def test_all_whole_pages_come_once_and_the_closest_first(lengths: list[int], seed: int) -> None:
    dice = np.random.default_rng(seed)
    rows = [
        (page, dice.integers(-127, 128, length * DIMENSION, np.int8).tobytes()) for page, length in enumerate(lengths)
    ]
    damaged = [(1_000, b"x" * (DIMENSION + 1)), (1_001, b"")]
    found = list(cosine.promising([*rows, *damaged], DIMENSION, DIRECTION))
    best = {
        page: max(np.frombuffer(row, np.int8).reshape(-1, DIMENSION).astype(float) @ DIRECTION) / 127
        for page, row in rows
        if row
    }
    assert dict(found) == pytest.approx(best, abs=1e-5)
    scores = [score for _, score in found]
    assert scores == sorted(scores, reverse=True)


def test_pages_that_seem_equally_close_come_in_their_order() -> None:
    row = cosine.packed8(packed([ASKED]), DIMENSION)
    found = cosine.promising([(page, row) for page in (5, 3, 9, 1)], DIMENSION, DIRECTION)
    assert [page for page, _ in found] == [1, 3, 5, 9]


@given(rows=st.lists(st.lists(st.floats(-4, 4, width=16), min_size=DIMENSION, max_size=DIMENSION), min_size=1))
def test_how_close_a_page_seems_is_about_its_cosine(rows: list[list[float]]) -> None:
    data = packed(rows)
    ((_, seems),) = cosine.promising([(1, cosine.packed8(data, DIMENSION))], DIMENSION, DIRECTION)
    assert seems == pytest.approx(cosine.closest(data, DIMENSION, DIRECTION)[0], abs=0.02)


@pytest.mark.parametrize("dimension", [128, 256, 1536])
def test_a_number_far_larger_than_the_others_is_not_lost(dimension: int) -> None:
    """As in what real embedders make: some numbers are seven times as large as most."""
    row = np.random.default_rng(4).standard_normal(dimension)
    row /= np.linalg.norm(row)
    row[3] = 7 / dimension**0.5
    data = row.astype("<f2").tobytes()
    asked = cosine.direction_of(Vectors(model="m", dimension=dimension, data=data))
    ((_, seems),) = cosine.promising([(1, cosine.packed8(data, dimension))], dimension, asked)
    assert seems == pytest.approx(1.0, abs=0.01)


def test_pages_of_more_vectors_than_a_block_are_compared_as_well() -> None:
    long = np.zeros((5_000, DIMENSION), np.int8)
    long[4_999] = 100 * np.sign(DIRECTION)
    short = np.ones((1, DIMENSION), np.int8)
    rows = [(1, short.tobytes()), (2, long.tobytes()), (3, short.tobytes())]
    (first, _), *others = cosine.promising(rows, DIMENSION, DIRECTION)
    assert (first, {page for page, _ in others}) == (2, {1, 3})


@pytest.mark.parametrize("count", [0, 2])
def test_what_is_near_is_asked_of_one_vector(count: int) -> None:
    with pytest.raises(InvalidArgument):
        cosine.direction_of(Vectors(model="m", dimension=DIMENSION, data=packed([ASKED] * count)))
