import pytest

from gossamer.steps.retrieval.scores import apply_rerank, best_chunks

SCORES = [0.9, 0.1, 0.5, 0.0, 0.6]
OWNERS = [0, 0, 1, 2, 3]


@pytest.mark.parametrize(("most", "expected"), [(0, []), (1, [0]), (2, [0, 3]), (9, [0, 3, 1])])
def test_the_best_chunks_are_those_of_the_best_sentences(most: int, expected: list[int]):
    assert best_chunks(SCORES, OWNERS, most=most) == expected


def test_judged_chunks_come_first_in_the_judges_order():
    scores = apply_rerank(SCORES, OWNERS, {1: 0.9, 3: 0.2})
    order = sorted(range(len(scores)), key=lambda number: -scores[number])
    assert order == [2, 4, 0, 1, 3]
    assert all(0 <= score <= 1 for score in scores)


def test_inside_a_judged_chunk_the_better_sentence_stays_the_better_one():
    first, second, _ = apply_rerank([0.2, 0.3, 1.0], [0, 0, 1], {0: 0.0})
    assert second > first >= 0.5


def test_without_an_opinion_the_order_stays():
    scores = apply_rerank(SCORES, OWNERS, {})
    assert sorted(range(5), key=lambda n: -scores[n]) == sorted(range(5), key=lambda n: -SCORES[n])
