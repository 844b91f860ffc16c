"""What is told once: statements of several pages that say the same, and not those that only sound alike."""

import pytest

from gossamer.steps.answers.choice import choose
from tests.unit.steps.answers.material import passage, rows_of

ALIKE = {
    "the same words": ("The ferry leaves at noon every day.", "The ferry leaves at noon every day.", True),
    "hardly other words": (
        "The old ferry to the island leaves the harbour at noon every single day.",
        "The ferry to the island leaves the harbour at noon every single day.",
        True,
    ),
    "another number": (
        "The ferry to the island leaves the old harbour at 12 every single day.",
        "The ferry to the island leaves the old harbour at 18 every single day.",
        False,
    ),
    "a negation": (
        "The ferry to the island does leave the old harbour in winter storms.",
        "The ferry to the island does not leave the old harbour in winter storms.",
        False,
    ),
    "words as near as these": ("The ferry costs five euros.", "The ferry costs six euros.", False),
    "something else": ("The ferry costs five euros.", "Sourdough needs patience and flour.", False),
}


@pytest.mark.parametrize(("one", "other", "are_told_once"), ALIKE.values(), ids=ALIKE)
def test_what_two_pages_say_alike_is_told_once_with_both(one: str, other: str, are_told_once: bool) -> None:
    told, rows = rows_of("When does the ferry leave?", passage(one), passage(other, url="https://b.test/"))
    chosen = choose(told, ["https://a.test/", "https://b.test/"], rows, [0.9, 0.8])
    assert [each.also for each in chosen] == ([(1,)] if are_told_once else [(), ()])
