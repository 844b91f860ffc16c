"""What `@supports` asks for: told where it can be, and no more than that."""

import pytest

from gossamer.extractors.html.visibility.css.conditions import is_supported

ANSWERS: dict[str, bool | None] = {
    "(display:grid)": True,
    "(display: inline grid)": True,
    "(display:foo)": False,
    "(position:nowhere)": False,
    "(visibility: yes)": False,
    "not (display:foo)": True,
    "(display:foo) or (display:grid)": True,
    "(display:foo) and (display:grid)": False,
    "(display:foo) and (made:up)": False,
    "(display:grid-lanes)": None,
    "(display:masonry)": None,
    "(display:flow-something)": None,
    "(display:foo bar)": None,
    "(display:foo(1))": None,
    "(made:up)": None,
    "(gap:banana)": None,
    "(--x:foo)": True,
}


@pytest.mark.parametrize(("condition", "answer"), ANSWERS.items(), ids=ANSWERS)
def test_a_condition_is_judged(condition: str, answer: bool | None) -> None:
    assert is_supported(condition) is answer
