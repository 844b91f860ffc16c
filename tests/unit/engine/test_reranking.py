"""A judge that reads question and chunk together has the last word on the best chunks, and only on those."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest

from gossamer.errors import BadSettings, GossamerError, TimedOut
from gossamer.ports import Call
from tests.unit.engine.world import World

URL = "https://a.test/page"
SUBJECTS = ["herons", "ferries", "turbines", "orchards", "glaciers", "printers", "violins", "tides", "bridges", "bees"]
TEXT = "# Societies\n\n" + "\n\n".join(
    f"The society of {subject} was founded in {1900 + number} by people who loved {subject} more than anything else, "
    f"and who met every week in a house by the river to talk of {subject} until late."
    for number, subject in enumerate(SUBJECTS * 6)
)
QUESTION = "When was the society of glaciers founded?"


@dataclass
class Judge:
    """Prefers texts that hold a word; remembers what it was shown."""

    word: str = ""
    error: GossamerError | None = None
    shown: list[tuple[str, str]] = field(default_factory=list)

    async def scores(self, question: str, texts: Sequence[str], call: Call) -> list[float]:
        if self.error:
            raise self.error
        self.shown += [(question, text) for text in texts]
        return [1.0 if self.word in text else 0.0 for text in texts]


async def first(world: World, call: Call, *queries: str) -> str:
    reading = await world.engine().read([URL], queries or [QUESTION], call, max_results=3, budget_tokens=300)
    return reading.passages[0].text


@pytest.fixture
def world() -> World:
    world = World()
    world.serve(URL, TEXT)
    return world


async def test_the_judge_decides_among_the_best(world: World):
    judge = Judge(word="founded in 1924")
    found = await first(replace(world, reranker=judge), world.call())
    assert "founded in 1924" in found
    assert "founded in 1904" in await first(replace(world, reranker=Judge(word="founded in 1904")), world.call())
    assert len(judge.shown) == 16
    assert {question for question, _ in judge.shown} == {QUESTION}
    assert all(text.startswith("Societies ") for _, text in judge.shown)


async def test_every_question_is_judged_by_itself(world: World):
    judge = Judge()
    await first(replace(world, reranker=judge), world.call(), QUESTION, "Who loved bees?")
    assert [question for question, _ in judge.shown] == [QUESTION] * 16 + ["Who loved bees?"] * 16


ERRORS = {
    "late": TimedOut("The time ended.", hint="Allow more."),
    "no model": BadSettings("There is no model.", hint="Name one."),
}


@pytest.mark.parametrize("error", ERRORS.values(), ids=ERRORS)
async def test_a_judge_that_fails_changes_nothing_and_is_told(error: GossamerError, world: World):
    call = world.call()
    without = await first(world, world.call())
    assert await first(replace(world, reranker=Judge(error=error)), call) == without
    assert [note for note in call.log.notes if str(error) in note]
    assert error.outcome in [part.outcome for part in call.log.parts if part.name == "rerank"]
