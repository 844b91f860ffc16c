"""Does the answer come back? Floors over real pages, where they are at hand."""

from types import ModuleType

import pytest
from bench import retrieval

FLOORS = {
    "docs": {"B300": 0.95, "B500": 0.97, "B1000": 0.98, "R3": 0.95, "MRR": 0.90},
    "policy": {"B300": 0.40, "B500": 0.53, "B1000": 0.70, "R3": 0.58, "MRR": 0.49},
    "xling": {"B300": 0.66, "B500": 0.76, "B1000": 0.81, "R1": 0.57, "R3": 0.76, "MRR": 0.67},
}
SAMPLED = {
    "squad": {"B300": 0.89, "B500": 0.95, "B1000": 0.96, "R1": 0.83, "R3": 0.91, "MRR": 0.88},
    "covid": {"B300": 0.84, "B500": 0.88, "B1000": 0.92, "R1": 0.77, "R3": 0.85, "MRR": 0.83},
    "chroma": {"B300": 0.72, "B500": 0.79, "B1000": 0.88, "R1": 0.55, "R3": 0.77, "MRR": 0.70},
    "squad_es": {"B300": 0.87, "B500": 0.90, "B1000": 0.92, "R1": 0.81, "R3": 0.88, "MRR": 0.85},
    "xquad": {"B300": 0.94, "B500": 0.94, "B1000": 0.97, "R1": 0.92, "R3": 0.95, "MRR": 0.94},
    "jsquad": {"B300": 0.90, "B500": 0.93, "B1000": 0.95, "R1": 0.92, "R3": 0.93, "MRR": 0.93},
    "drcd": {"B300": 0.94, "B500": 0.95, "B1000": 0.95, "R1": 0.91, "R3": 0.95, "MRR": 0.93},
}
"""Of 80 questions of each: two or three more that are missed."""


@pytest.fixture
def scorer() -> ModuleType:
    found = retrieval.load_scorer()
    if found is None:
        pytest.skip("the retrieval questions are not kept beside this repository")
    return found


def below(ours: dict[str, dict[str, float]], floors: dict[str, dict[str, float]]) -> dict[tuple[str, str], float]:
    return {
        (name, key): ours[name][key]
        for name, least in floors.items()
        for key, floor in least.items()
        if ours[name][key] < floor
    }


async def test_reading_real_pages_keeps_its_quality(scorer: ModuleType) -> None:
    scores, _, _ = await retrieval.score(scorer, core=False, sets=list(FLOORS))
    ours = scores["ours"]
    assert below(ours, FLOORS) == {}
    for other in ("BM25", "vectors", "whole page"):
        assert ours["xling"]["B500"] > scores[other]["xling"]["B500"] + 0.2
        assert ours["English"]["B500"] > scores[other]["English"]["B500"] + 0.03


async def test_a_sample_of_articles_and_papers_keeps_its_quality(scorer: ModuleType) -> None:
    scores, _, _ = await retrieval.score(scorer, core=False, sets=list(SAMPLED), most=80)
    assert below(scores["ours"], SAMPLED) == {}
    for other in ("BM25", "vectors"):
        for group in ("English", "other languages"):
            assert scores["ours"][group]["MRR"] > scores[other][group]["MRR"] + 0.02
