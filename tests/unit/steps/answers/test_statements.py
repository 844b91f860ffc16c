import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.model.page import Passage
from gossamer.steps.answers.statements import statements
from tests.unit.steps.answers.material import passage

PAGE = """\
# When the ferry leaves the harbour

The ferry leaves the harbour at noon. Tickets are sold in the old customs house.
Where does it land? The crossing takes about forty minutes in good weather.

For example:

```python
ferry.leaves(harbour, when="noon")
```

| Season | Ferry leaves |
|--------|--------------|
| Summer | at noon, and again at six in the evening |

**timeout (default: 5d)**

The longest time that a ferry waits.

- Dogs travel free on the ferry when they are kept on a lead.
1. Children below six years pay nothing on the ferry.
> The ferry has never once left on time, says Ada.

See also

OUR TIMETABLES AND PRICES IN DETAIL HERE

----------------------------------------
"""

TOLD = {
    "a sentence": "The ferry leaves the harbour at noon.",
    "code with the line that announces it": 'For example:\n\n```python\nferry.leaves(harbour, when="noon")\n```',
    "a row": "| Summer | at noon, and again at six in the evening |",
    "a label with what it announces": "**timeout (default: 5d)**\n\nThe longest time that a ferry waits.",
    "an item without its sign": "Dogs travel free on the ferry when they are kept on a lead.",
    "a numbered item": "Children below six years pay nothing on the ferry.",
    "a quotation": "The ferry has never once left on time, says Ada.",
}
NOT_TOLD = {
    "headings": "# When the ferry",
    "questions": "Where does it land?",
    "names of columns alone": "| Season |",
    "rules": "|---",
    "fragments": "See also",
    "capitals": "OUR TIMETABLES",
    "lines": "-----",
}


@pytest.mark.parametrize("text", TOLD.values(), ids=TOLD)
def test_what_can_stand_alone_is_told(text: str) -> None:
    assert text in [each.text for each in statements([passage(PAGE)])]


@pytest.mark.parametrize("text", NOT_TOLD.values(), ids=NOT_TOLD)
def test_what_cannot_stand_alone_is_never_told(text: str) -> None:
    assert not [each.text for each in statements([passage(PAGE)]) if text in each.text]


def test_a_row_knows_the_names_of_its_columns() -> None:
    (row,) = [each for each in statements([passage(PAGE)]) if each.form == "row"]
    assert row.lead == "| Season | Ferry leaves |"
    (first, second) = statements(
        [passage("| Winter | at ten |\n| Spring | at nine |", lead="| Season | Leaves |\n|-|-|")]
    )
    assert first.lead == second.lead == "| Season | Leaves |"
    (bare,) = statements([passage("| | |\n|-|-|\n| Winter | at ten |")])
    assert bare.lead == ""


def test_rows_without_a_rule_are_told_alone() -> None:
    assert [each.text for each in statements([passage("| Winter | at ten |")])] == ["| Winter | at ten |"]


SIZES = {
    "too short": ("It is.", False),
    "long enough": ("It is late in the day.", True),
    "short, but says much": ("東京の人口は約1400万人です。", True),
    "no end, but a whole line": ("Tickets are sold in the customs house", True),
    "too long": ("word " * 200 + "end.", False),
    "no letters": ("1234567890 1234567890 1234567890.", False),
    "code that is long": ("```\n" + "ferry.leaves()\n" * 90 + "```", False),
    "code without letters": ("```\n1 + 1\n```", False),
    "an item of few words without an end": ("- our four other lamps", True),
    "an item of fewer": ("- other lamps", False),
}


@pytest.mark.parametrize(("text", "is_told"), SIZES.values(), ids=SIZES)
def test_a_statement_is_neither_a_scrap_nor_a_page(text: str, is_told: bool) -> None:
    assert bool(statements([passage(text)])) is is_told


PARTS = {
    "begun before": passage("ferry.leaves(harbour)\n```\n", lead="```python"),
    "going on after": passage("```python\nferry.leaves(harbour)\n"),
}


@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
def test_a_part_of_code_is_not_told(part: Passage) -> None:
    assert statements([part]) == []


def test_labels_in_a_row_are_joined_and_long_ones_forgotten() -> None:
    (first,) = statements([passage("**-f**\n\n**--flush**\n\nFlush the queue now.")])
    assert first.text == "**-f**\n\n**--flush**\n\nFlush the queue now."
    (second,) = statements([passage(f"**{'a' * 100}**\n\n**{'b' * 100}**\n\nFlush the queue now.")])
    assert second.text == f"**{'b' * 100}**\n\nFlush the queue now."
    assert [each.text for each in statements([passage(f"{'a' * 200}:\n\nFlush the queue now.")])][
        -1
    ] == "Flush the queue now."
    (item,) = statements([passage("- Options:\n\nFlush the queue now.")])
    assert item.text == "Options:\n\nFlush the queue now."


def test_a_heading_parts_a_label_from_what_follows() -> None:
    (told,) = statements([passage("**-f**\n\n# Next\n\nFlush the queue now.")])
    assert told.text == "Flush the queue now."


def test_a_span_that_two_passages_hold_is_one_statement() -> None:
    text = "The ferry leaves the harbour at noon."
    assert len(statements([passage(text), passage(text)])) == 1
    assert len(statements([passage(text), passage(text, url="https://b.test/")])) == 2


PIECES = [*"#|-*> `~.!\n\t:", "a", "The ferry leaves. ", "```\n", "東京です。", "**x**\n\n"]


@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join), st.integers(0, 50))
def test_statements_are_exact_spans_in_order(text: str, start: int) -> None:
    told = statements([passage(text, start=start)])
    assert [each.start for each in told] == sorted(each.start for each in told)
    for each in told:
        assert text[each.start - start : each.end - start] == each.text
        assert any(map(str.isalpha, each.text))
