"""Which sentences come back, and how much round them."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.steps.retrieval.windows import NARROW, WIDE, Seeds, Spot, Window, _WindowPacker, windows

unhurried = settings(deadline=None)


def spots(count: int, *, tokens: int = 30, places: str = "") -> list[Spot]:
    return [Spot(tokens, ord(places[n]) if places else 0, f"sentence {n}") for n in range(count)]


def falling(count: int, *best: int) -> list[float]:
    """These sentences with falling scores, then the others with little, less the further away."""
    rest = [0.1 - n / (20 * count) for n in range(count)]
    return [1 - best.index(n) / 10 if n in best else rest[n] for n in range(count)]


def spans(found: list[Window]) -> list[tuple[int, int]]:
    return [(window.first, window.last) for window in found]


CASES = {
    "round the best sentence six of thirty tokens": (falling(40, 20, 30), "", 256, 8, [(15, 20), (29, 30)]),
    "half of them before there is a second window": (falling(40, 20, 30), "", 150, 8, [(18, 20), (29, 30)]),
    "all of them where there can be no second one": (falling(6, 4), "", 999, 8, [(0, 5)]),
    "round each further one two": (falling(40, 20, 30), "", 250, 8, [(15, 20), (29, 30)]),
    "windows that touch are one, at the place of the better": (
        falling(40, 20, 30, 22),
        "",
        311,
        8,
        [(15, 22), (29, 30)],
    ),
    "the better neighbour comes first": ([0.1, 0.2, 1.0, 0.3, 0.9, 0.1, 0.1], "", 120, 8, [(1, 4)]),
    "a heading is a wall": (falling(8, 4), "aaaabbcc", 400, 1, [(4, 5)]),
    "what is left widens the only window allowed": (falling(40, 20), "", 600, 1, [(1, 20)]),
    "no neighbour exceeds the budget": (falling(40, 20), "", 100, 1, [(18, 20)]),
    "only the first sentence may exceed the budget": (falling(40, 20, 30), "", 20, 2, [(20, 20), (30, 30)]),
    "what does not fit begins the next batch, with its best sentence": (
        falling(40, 20, 30),
        "",
        90,
        2,
        [(18, 20), (30, 32)],
    ),
    "nothing to show": ([], "", 100, 8, []),
}


@pytest.mark.parametrize(("scores", "places", "budget", "results", "expected"), CASES.values(), ids=CASES)
def test_windows(scores: list[float], places: str, budget: int, results: int, expected: list[tuple[int, int]]) -> None:
    found = windows([scores], spots(len(scores), places=places), max_results=results, budget_tokens=budget)
    assert spans(found)[: len(expected)] == expected
    assert (len(found) == 0) == (not expected)


def test_a_window_tells_what_it_was_opened_for() -> None:
    (found,) = windows([falling(9, 4)], spots(9), max_results=1, budget_tokens=60)
    assert (found.best, found.query) == (4, 0)


ALSO = {
    "windows that touch": ([falling(40, 20), falling(40, 23)], 400, {(0, (1,))}),
    "windows far apart": ([falling(40, 5), falling(40, 35)], 120, {(0, ()), (1, ())}),
    "the best sentence of another, beside its own": (
        [falling(40, 20, 21), falling(40, 20, 35)],
        160,
        {(0, (1,)), (1, ())},
    ),
    "nothing that speaks for anything": ([falling(40, 20), [0.0] * 40], 60, {(0, ())}),
}


@pytest.mark.parametrize(("scores", "budget", "expected"), ALSO.values(), ids=ALSO)
def test_a_window_names_every_question_that_it_is_for(
    scores: list[list[float]], budget: int, expected: set[tuple[int, tuple[int, ...]]]
) -> None:
    found = windows(scores, spots(40), max_results=8, budget_tokens=budget)
    assert {(window.query, window.also) for window in found[:2] if not window.batch} == expected


def test_a_window_tells_which_sheet_it_was_chosen_for() -> None:
    found = windows([falling(40, 20, 30)], spots(40), max_results=4, budget_tokens=100)
    assert [window.batch for window in found][:2] == [0, 1]
    assert [window.batch for window in found] == sorted(window.batch for window in found)


def test_each_question_has_its_turn_and_its_own_wide_window() -> None:
    found = windows([falling(90, 10, 40), falling(90, 70, 80)], spots(90), max_results=8, budget_tokens=300)
    assert [(window.best, window.query) for window in found[:4]] == [(10, 0), (70, 1), (40, 0), (80, 1)]
    widths = [30 * (window.last - window.first + 1) for window in found]
    assert widths[0] == widths[1] > widths[2]
    assert sum(widths[:2]) <= WIDE


def test_a_sentence_that_suits_two_questions_is_returned_once() -> None:
    found = windows([falling(9, 4), falling(9, 4)], spots(9, tokens=200), max_results=2, budget_tokens=400)
    assert [window.best for window in found] == [4, 0, 1], "two for each question, one of them for both"
    (only,) = windows([falling(9, 4), falling(9, 4)], spots(9, tokens=200), max_results=1, budget_tokens=400)
    assert (only.best, only.query, only.also) == (4, 0, (1,))


def test_no_question_takes_the_place_of_another() -> None:
    asked = [falling(200, 5 + 20 * number, 10 + 20 * number) for number in range(10)]
    found = windows(asked, spots(200), max_results=1, budget_tokens=300)
    assert [(window.query, window.best) for window in found] == [(number, 5 + 20 * number) for number in range(10)]
    assert len({window.batch for window in found}) > 1, "what does not fit is in the next batch"


def test_no_window_is_opened_where_none_may_be() -> None:
    scores = falling(40, 20, 30, 10)
    found = windows([scores], spots(40), max_results=2, budget_tokens=150, may_open=lambda _, spot: spot in {10, 30})
    assert [window.best for window in found] == [30, 10], "and what may be is not lost to what may not"
    nothing = windows([scores], spots(40), max_results=2, budget_tokens=150, may_open=lambda *_: False)
    unspoken = windows([[0.0] * 40], spots(40), max_results=2, budget_tokens=150, may_open=lambda *_: False)
    assert nothing == unspoken == []


def test_the_same_words_under_another_heading_are_another_statement() -> None:
    same = [Spot(100, n, "same" if n % 2 else str(n)) for n in range(6)]
    found = windows([falling(6, 1, 3, 5, 0)], same, max_results=3, budget_tokens=1000)
    assert spans(found) == [(1, 1), (3, 3), (0, 0)], "0.8 * 0.9 is more than 0.7, and 0.8 * 0.8 is less"
    assert spans(windows([falling(6, 1, 3, 5, 0)], same, max_results=6, budget_tokens=1000))[3] == (5, 5)


def test_the_same_words_again_under_the_same_heading_come_later_still() -> None:
    said = ["a", "same", *"bcdefgh", "same", *"ijk"]
    made = [Spot(100, 0, text) for text in said]
    scores = [0.0, 1.0, 0.0, 0.0, 0.0, 0.6, 0.0, 0.0, 0.0, 0.9, 0.0, 0.0, 0.0]
    found = windows([scores], made, max_results=3, budget_tokens=300)
    assert [window.best for window in found] == [1, 5, 9]


def test_a_window_grows_over_the_same_words_of_something_else() -> None:
    made = headed("first|the same warranty|one", "second|the same warranty|two")
    found = windows([[0.1, 0.2, 0.9, 0.2, 0.1, 0.3, 0.8, 0.3]], made, max_results=2, budget_tokens=500)
    assert spans(found) == [(0, 3), (4, 7)]


COPY = ["first", "second", "third", "fourth"]
NOTES = [("part", 1), ("same", 1), ("other", 2), ("part", 1), ("same", 1)]


@pytest.mark.parametrize(
    ("made", "best", "again"),
    [
        ([(text, 0) for text in ("before", *COPY[:2], *COPY[:2], "after")], 1, 3),
        ([(text, 0) for text in ("before", *COPY, "between", *COPY, "after")], 1, 6),
        ([("x", 0), *NOTES, ("y", 0)], 2, 5),
    ],
    ids=["right after it", "several sentences in a row", "the same heading again"],
)
def test_a_copy_is_shown_once_and_for_every_question(made: list[tuple[str, int]], best: int, again: int) -> None:
    page = [Spot(30, place, text) for text, place in made]
    one, other = falling(len(page), best), falling(len(page), again)
    found = windows([one, other], page, max_results=4, budget_tokens=2000)
    texts = shown(found, page)
    assert texts.count(made[best][0]) == 1
    assert next((window.query, window.also) for window in found if window.first <= best <= window.last) == (0, (1,))
    assert {text for text, _ in made} == set(texts), "nothing else is lost"


def headed(*bodies: str, tokens: int = 30) -> list[Spot]:
    """Sections of a heading and what stands below it."""
    made: list[Spot] = []
    for place, body in enumerate(bodies):
        made.append(Spot(5, place, f"## Part {place}", is_heading=True))
        made += [Spot(tokens, place, text) for text in body.split("|") if text]
    return made


def shown(found: list[Window], made: list[Spot]) -> list[str]:
    return [spot.words for window in found for spot in made[window.first : window.last + 1]]


def test_lines_and_a_few_words_may_stand_in_several_windows() -> None:
    copies = [Spot(30, 0, "question"), Spot(30, 0, "same"), Spot(30, 0, "same"), Spot(30, 0, "end")]
    scores = [[0.9, 0.1, 0.1, 0.1]]
    assert spans(windows(scores, copies, max_results=1, budget_tokens=500)) == [(0, 1)]
    for kept in (copies[1]._replace(lead=8), copies[1]._replace(tokens=6), copies[1]._replace(words="")):
        made = [copies[0], kept, kept, copies[3]]
        assert spans(windows(scores, made, max_results=1, budget_tokens=500)) == [(0, 3)]


@pytest.mark.parametrize("said", [["opens at nine"], ["opens at nine", "copper is sold"]], ids=["one", "two in turn"])
def test_a_few_words_said_over_and_over_do_not_fill_a_window(said: list[str]) -> None:
    made = [Spot(5, 0, text) for text in said * 20]
    found = windows([[0.9] * len(made)], made, max_results=8, budget_tokens=500)
    assert len(shown(found, made)) <= 2 * len(said)


def test_a_heading_comes_with_what_stands_below_it_however_long_that_is() -> None:
    made = headed("first", "second", tokens=128)
    found = windows([[0.1, 0.1, 0.9, 0.1]], made, max_results=2, budget_tokens=20)
    assert spans(found)[0] == (2, 3)


def test_a_bare_heading_is_no_passage_unless_there_is_nothing_else() -> None:
    made = headed("", "text", "")
    assert spans(windows([[0.9, 0.2, 0.3, 0.8]], made, max_results=8, budget_tokens=500)) == [(1, 2)]
    assert spans(windows([[0.9, 0.2]], headed("", ""), max_results=8, budget_tokens=500)) == [(0, 0), (1, 1)]
    alone = [Spot(5, 0, "# Part", is_heading=True), Spot(9, 1, "text")]
    assert spans(windows([[0.9, 0.0]], alone, max_results=8, budget_tokens=500)) == [(0, 0)]


def test_what_nothing_speaks_for_is_left_out_where_something_else_is_spoken_for() -> None:
    apart = [Spot(10 + n, n, str(n)) for n in range(4)]
    assert spans(windows([[0.0, 0.5, 0.0, 0.0]], apart, max_results=4, budget_tokens=1000)) == [(1, 1)]
    longest_first = windows([[0.0] * 4, [0.0] * 4], apart, max_results=4, budget_tokens=1000)
    assert spans(longest_first) == [(3, 3), (2, 2), (1, 1), (0, 0)]


PAGES = st.integers(1, 40).flatmap(
    lambda count: st.tuples(
        st.lists(st.lists(st.floats(0, 1, width=16), min_size=count, max_size=count), min_size=1, max_size=3),
        st.lists(st.tuples(st.integers(1, 150), st.integers(0, 1)), min_size=count, max_size=count),
    )
)


def page_of(sizes: list[tuple[int, int]]) -> list[Spot]:
    place, made = 0, []
    for number, (tokens, is_new) in enumerate(sizes):
        place += is_new
        made.append(Spot(tokens, place, f"{number}"))
    return made


@unhurried
@given(PAGES, st.integers(1, 9), st.integers(50, 900))
def test_windows_are_apart_under_one_heading_and_never_more_than_allowed(
    page: tuple[list[list[float]], list[tuple[int, int]]], results: int, budget: int
) -> None:
    scores, sizes = page
    made = page_of(sizes)
    found = windows(scores, made, max_results=results, budget_tokens=budget)
    assert 1 <= len(found) <= results * max(1, sum(map(any, scores)))
    assert all(left[1] < right[0] for left, right in pairwise(sorted(spans(found))))
    for window in found:
        assert window.first <= window.best <= window.last
        assert len({spot.place for spot in made[window.first : window.last + 1]}) == 1


@unhurried
@given(PAGES, st.integers(1, 9), st.integers(50, 900), st.integers(1, 500))
def test_a_larger_budget_keeps_all_that_a_smaller_one_showed_and_adds_to_it(
    page: tuple[list[list[float]], list[tuple[int, int]]], results: int, budget: int, more: int
) -> None:
    scores, sizes = page
    made = page_of(sizes)

    def first_sheet(room: int) -> set[int]:
        """All that is shown at once."""
        seeds = Seeds(scores, made, results)
        packer = _WindowPacker(scores, made, seeds, room=room, wide=WIDE)
        packer.fill()
        found = packer.joined()
        assert found == windows(scores[:1], made, max_results=results, budget_tokens=room)[: len(found)] or scores[1:]
        return {spot for window in found for spot in range(window.first, window.last + 1)}

    assert first_sheet(budget) <= first_sheet(budget + more)


@unhurried
@given(PAGES, st.integers(1, 900))
def test_what_a_later_sheet_begins_with_begins_with_its_best_sentence(
    page: tuple[list[list[float]], list[tuple[int, int]]], budget: int
) -> None:
    (scores, *_), sizes = page
    found = windows([scores], page_of(sizes), max_results=2, budget_tokens=budget)
    for before, window in pairwise(found):  # two spans: what the later batch begins with is joined with none
        assert window.batch == before.batch or window.first == window.best


@unhurried
@given(PAGES)
def test_the_best_sentence_of_the_first_question_is_always_there(
    page: tuple[list[list[float]], list[tuple[int, int]]],
) -> None:
    scores, sizes = page
    if not any(scores[0]):
        return
    found = windows(scores, page_of(sizes), max_results=1, budget_tokens=NARROW)
    assert scores[0][found[0].best] == max(scores[0])
