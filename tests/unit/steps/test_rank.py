from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.model.page import Chunk, Vectors
from gossamer.steps.chunk import chunk
from gossamer.steps.rank import Picked, Ranked, pick, rank

PAGE = """# Tea

Green tea is brewed at eighty degrees.

## Black tea

Black tea needs boiling water and four minutes.

## Storage

Keep leaves dry, dark and away from spices. A tin with a tight lid is best of all places for them.
"""


def chunks_of(*texts: str, section: tuple[str, ...] = ()) -> list[Chunk]:
    """Chunks of one page, ten tokens each, with one space between them."""
    made: list[Chunk] = []
    at = 0
    for text in texts:
        made.append(Chunk(id=text, section=section, start=at, end=at + len(text), text=text, tokens=10))
        at += len(text) + 1
    return made


def vectors(*rows: tuple[float, ...], model: str = "m") -> Vectors:
    return Vectors(model=model, dimension=2, data=np.array(rows, dtype="<f2").tobytes())


def order(ranked: Ranked) -> list[int]:
    return [number for number, _ in ranked]


BY_WORDS = {
    "a shared word": ("how is green tea brewed", 0),
    "another ending": ("how to brew", 0),
    "a rare word beats a common one": ("tea with boiling", 1),
    "a word of the heading alone": ("storage", 2),
    "case does not matter": ("SPICES", 2),
}


@pytest.mark.parametrize(("query", "best"), BY_WORDS.values(), ids=BY_WORDS)
def test_without_vectors_words_decide(query: str, best: int):
    (ranked,) = rank([query], chunk("u", PAGE))
    assert ranked[0] == (best, 1.0)
    assert [score for _, score in ranked] == sorted((score for _, score in ranked), reverse=True)


def test_where_no_word_occurs_the_longest_chunk_comes_first_with_score_zero():
    chunks = chunk("u", PAGE)
    (ranked,) = rank(["quantum chromodynamics"], chunks)
    assert ranked[0][0] == 2
    assert {score for _, score in ranked} == {0.0}


def test_words_and_vectors_count_half_each():
    chunks = chunks_of("apple", "pear", "plum")
    (ranked,) = rank(["apple"], chunks, vectors((0, 1), (1, 0), (0.5, 0.5)), vectors((1, 0)))
    assert ranked == [(0, 0.5), (1, 0.5), (2, 0.25)]


def test_vectors_decide_where_no_word_is_shared():
    (ranked,) = rank(
        ["fruit"], chunks_of("apple", "pear", "plum"), vectors((0, 1), (1, 0), (0.5, 0.5)), vectors((1, 0))
    )
    assert order(ranked) == [1, 2, 0]


CANNOT_COMPARE = {
    "no vectors of the page": (None, vectors((1, 0))),
    "no vectors of the query": (vectors((0, 1), (1, 0)), None),
    "another model": (vectors((0, 1), (1, 0)), vectors((1, 0), model="other")),
    "one vector too few": (vectors((0, 1)), vectors((1, 0))),
    "another dimension": (vectors((0, 1), (1, 0)), Vectors(model="m", dimension=1, data=b"\x00\x3c")),
}


@pytest.mark.parametrize(("ours", "asked"), CANNOT_COMPARE.values(), ids=CANNOT_COMPARE)
def test_vectors_that_cannot_be_compared_are_passed_over(ours: Vectors | None, asked: Vectors | None):
    assert rank(["pear"], chunks_of("apple", "pear"), ours, asked) == rank(["pear"], chunks_of("apple", "pear"))


def test_ties_keep_the_order_of_the_page():
    (ranked,) = rank(["tea"], chunks_of("tea one", "tea two", "none", "tea six"))
    assert order(ranked) == [0, 1, 3, 2]


def test_every_query_has_its_own_order():
    first, second = rank(["apple", "pear"], chunks_of("apple", "pear"))
    assert (order(first), order(second)) == ([0, 1], [1, 0])


def test_a_page_without_chunks_gives_empty_orders():
    assert rank(["a", "b"], []) == [[], []]
    assert pick([[], []], [], max_results=8, budget_tokens=100) == []


def test_a_single_chunk_that_fits_scores_one():
    assert rank(["apple"], chunks_of("apple"), vectors((1, 0)), vectors((1, 0))) == [[(0, 1.0)]]


def spans(picked: list[Picked]) -> list[tuple[int, int]]:
    return [(span.start, span.end) for span in picked]


LETTERS = chunks_of(*"abcdefgh")


def ranking(*numbers: int) -> Ranked:
    """These chunks with falling scores, then the others with none."""
    rest = [(number, 0.0) for number in range(len(LETTERS)) if number not in numbers]
    return [*((number, 1 - place / 10) for place, number in enumerate(numbers)), *rest]


PICKS = {
    "the best come first": (ranking(5, 2, 7), 3, 30, [(10, 11), (4, 5), (14, 15)]),
    "neighbours become one span, at the place of the better": (ranking(5, 2, 6), 3, 30, [(10, 13), (4, 5)]),
    "a chunk between two spans joins them": (ranking(2, 4, 3), 3, 30, [(4, 9)]),
    "no more than asked for": (ranking(5, 2, 7), 2, 20, [(10, 11), (4, 5)]),
    "what remains of the budget extends the spans": (ranking(5, 2, 7, 6), 2, 30, [(10, 13), (4, 5)]),
    "only what is shown together is joined": (ranking(5, 2, 6), 3, 20, [(10, 11), (4, 5), (12, 13)]),
    "a chunk over the budget comes alone": (ranking(5, 6), 2, 5, [(10, 11), (12, 13)]),
    "the whole page": (ranking(5, 2, 0, 1, 3, 4, 6, 7), 8, 1000, [(0, 15)]),
}


@pytest.mark.parametrize(("ranked", "results", "budget", "expected"), PICKS.values(), ids=PICKS)
def test_spans_are_chosen_by_value(ranked: Ranked, results: int, budget: int, expected: list[tuple[int, int]]):
    assert spans(pick([ranked], LETTERS, max_results=results, budget_tokens=budget)) == expected


def test_a_span_tells_its_first_chunk_its_best_score_and_its_tokens():
    (span,) = pick([ranking(3, 2)], LETTERS, max_results=1, budget_tokens=20)
    assert span == Picked(first=2, start=4, end=7, section=(), tokens=20, score=1.0, query=0)


def test_the_best_of_each_question_comes_first():
    picked = pick([ranking(0, 2), ranking(7, 5)], LETTERS, max_results=4, budget_tokens=40)
    assert [(span.first, span.query) for span in picked] == [(0, 0), (7, 1), (2, 0), (5, 1)]


def test_a_chunk_that_suits_two_questions_is_returned_once():
    picked = pick([ranking(4), ranking(4, 1)], LETTERS, max_results=2, budget_tokens=20)
    assert [(span.first, span.query) for span in picked] == [(4, 0), (1, 1)]


def test_equal_text_is_returned_once():
    chunks = chunks_of("same", "other", "same")
    picked = pick([[(0, 1.0), (2, 0.9), (1, 0.8)]], chunks, max_results=3, budget_tokens=10)
    assert [span.first for span in picked] == [0, 1]


def test_chunks_without_any_score_are_left_out_where_others_have_one():
    assert len(pick([[(0, 1.0), (2, 0.0), (1, 0.0)]], LETTERS[:3], max_results=3, budget_tokens=30)) == 1
    assert len(pick([[(0, 0.0), (2, 0.0)]], LETTERS[:3], max_results=3, budget_tokens=30)) == 2


def test_neighbours_under_different_headings_stay_apart():
    chunks = [*chunks_of("a", "b"), *chunks_of("c", "d", section=("H",))]
    assert len(pick([[(1, 1.0), (2, 0.9)]], chunks, max_results=8, budget_tokens=100)) == 2


def test_neighbours_of_different_pages_stay_apart():
    chunks = [*chunks_of("a", "b"), *chunks_of("c", "d")]
    picked = pick([[(1, 1.0), (2, 0.9)]], chunks, max_results=8, budget_tokens=100, page_starts=(0, 2))
    assert [(span.first, span.start) for span in picked] == [(1, 2), (2, 0)]


@given(
    st.permutations(range(8)),
    st.permutations(range(8)),
    st.integers(1, 9),
    st.integers(5, 100),
)
def test_spans_never_overlap_nor_exceed_their_number(one: list[int], two: list[int], results: int, budget: int):
    ranked = [ranking(*one), ranking(*two)]
    picked = pick(ranked, LETTERS, max_results=results, budget_tokens=budget)
    assert 1 <= len(picked) <= results
    assert all(left[1] < right[0] for left, right in pairwise(sorted(spans(picked))))
    assert picked[0].score == 1.0
