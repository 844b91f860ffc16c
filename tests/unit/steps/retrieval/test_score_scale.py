"""One threshold for every model."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.steps.retrieval.scores import MODELS, is_far, scale

COSINES = st.floats(-1, 1)


@pytest.mark.promise("001.70")
@given(COSINES)
def test_an_unknown_model_keeps_its_cosine(cosine: float) -> None:
    assert scale(cosine, "text-embedding-of-tomorrow") == pytest.approx(max(0.0, cosine))


@pytest.mark.parametrize("model", MODELS)
@given(one=COSINES, two=COSINES)
def test_a_larger_cosine_is_never_less(model: str, one: float, two: float) -> None:
    low, high = sorted((one, two))
    assert 0 <= scale(low, model) <= scale(high, model) <= 1


@pytest.mark.parametrize("model", MODELS)
def test_the_ends_of_the_scale(model: str) -> None:
    assert scale(-1, model) == scale(0, model) == 0
    assert scale(1, model) == 1


def test_between_languages_the_same_cosine_says_more() -> None:
    model = "potion-multilingual-128M-128"
    assert scale(0.4, model, is_mixed=True) > scale(0.4, model)
    assert scale(0.4, "unknown", is_mixed=True) == scale(0.4, "unknown")


SAME = {"potion-base-8M-128": 0.26, "potion-multilingual-128M-128": 0.30}


@pytest.mark.parametrize(("model", "cosine"), SAME.items(), ids=SAME)
def test_what_nearly_all_answering_chunks_reach_is_the_usual_threshold(model: str, cosine: float) -> None:
    assert scale(cosine, model) == pytest.approx(0.72)


FAR = {
    "all below": ([0.1, 0.49], MODELS[0], True),
    "one that reaches it": ([0.1, 0.5], MODELS[0], False),
    "nothing at all": ([], MODELS[0], False),
    "a model of unknown scale": ([0.1], "text-embedding-of-tomorrow", False),
    "words alone": ([0.1], "", False),
}


@pytest.mark.parametrize(("scores", "model", "expected"), FAR.values(), ids=FAR)
def test_what_is_further_than_nearly_all_that_answers_is_far(scores: list[float], model: str, expected: bool) -> None:
    assert is_far(scores, model) is expected
