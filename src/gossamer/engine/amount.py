"""How much of the pages is returned, and choosing again where there is less room than that."""

from collections.abc import Callable
from dataclasses import dataclass

from gossamer.model.answer import Ranking
from gossamer.model.page import Passage

_CHOICES = 3
"""How often passages are chosen until they fit where they are shown."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Amount:
    """How much is returned."""

    max_results: int
    budget_tokens: int
    min_score: float = 0.0
    room_for: Callable[[list[list[Passage]], int, Ranking], int] = lambda _found, budget, _ranking: budget


def fitting(
    choose: Callable[[int], list[list[Passage]]], amount: Amount, ranking: Ranking
) -> tuple[list[list[Passage]], int]:
    """What is chosen for the amount, or for less where there is no room for that; and for how much it was chosen."""
    budget = amount.budget_tokens
    found = choose(budget)
    for _ in range(_CHOICES - 1):
        room = amount.room_for(found, budget, ranking)
        if room >= budget:
            break
        budget = max(1, room)
        found = choose(budget)
    return found, budget
