import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.errors import EmptyPage, Outcome
from gossamer.extractors.data import csv_tables as module
from gossamer.extractors.data.csv_tables import read_csv, sniffed
from gossamer.model.page import View

TABLES = {
    "commas": ("a,b\n1,2\n", "| a | b |\n| --- | --- |\n| 1 | 2 |"),
    "semicolons with decimal commas": ("a;b\n1,5;2,5\n", "| a | b |\n| --- | --- |\n| 1,5 | 2,5 |"),
    "tabs": ("a\tb\n1\t2", "| a | b |\n| --- | --- |\n| 1 | 2 |"),
    "quotes": ('a,b\n"x, ""y""",2\n', '| a | b |\n| --- | --- |\n| x, "y" | 2 |'),
    "a line break in a cell": ('a,b\n"x\ny",2\n', "| a | b |\n| --- | --- |\n| x y | 2 |"),
    "rows of different length": ("a,b\n1\n1,2,3\n", "| a | b |  |\n| --- | --- | --- |\n| 1 |  |  |\n| 1 | 2 | 3 |"),
    "blank rows": ("a,b\n\n,\n1,2\n", "| a | b |\n| --- | --- |\n| 1 | 2 |"),
    "a quote that is never closed": ('a,b\n"1,2\n3,4\n', '| a | b |\n| --- | --- |\n| "1 | 2 |\n| 3 | 4 |'),
    "a bar in a cell": ("a,b\nx|y,2\n", "| a | b |\n| --- | --- |\n| x\\|y | 2 |"),
    "no table at all": ("only\nwords\n", "only\nwords"),
}


@pytest.mark.parametrize(("text", "shown"), TABLES.values(), ids=TABLES)
def test_separated_values_are_one_table(text: str, shown: str) -> None:
    assert read_csv(text, view=View()).text == shown


def test_tabs_that_were_promised_are_not_guessed_at() -> None:
    assert read_csv("a,b\tc,d", view=View(), delimiter="\t").text == "| a,b | c,d |\n| --- | --- |"


def test_other_views_of_a_table() -> None:
    assert read_csv("a,<b>\n1,2", view=View(format="text")).text == "a\t<b>\n1\t2"
    assert read_csv("a,<b>\n1,2", view=View(format="html")).text == (
        "<table>\n<tr><th>a</th><th>&lt;b&gt;</th></tr>\n<tr><td>1</td><td>2</td></tr>\n</table>"
    )
    assert read_csv("a,b", view=View(selector="td")).outcome is Outcome.NO_MATCH


def test_a_long_table_ends_at_a_row_and_says_how_many_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_CHARS", 100)
    result = read_csv("a,b\n" + "1,2\n" * 100, view=View())
    rows = result.text.count("| 1 | 2 |")
    assert result.text.endswith("| 1 | 2 |")
    assert f"last {100 - rows} rows" in result.message


def test_nothing_is_empty() -> None:
    with pytest.raises(EmptyPage):
        read_csv("\n\x00", view=View())


CELL = st.text(st.characters(codec="utf-8", exclude_characters="\r\n\x00"), max_size=8)
ROWS = st.lists(st.lists(CELL, min_size=3, max_size=3), min_size=3, max_size=8)


@given(ROWS, st.sampled_from(",;\t"))
def test_what_a_program_writes_has_as_many_rows_when_it_is_read(rows: list[list[str]], sign: str) -> None:
    file = io.StringIO()
    csv.writer(file, delimiter=sign, quoting=csv.QUOTE_ALL).writerows(rows)
    wanted = sum(any(cell.strip() for cell in row) for row in rows)
    assert module._measured(file.getvalue(), sign) == (3 if wanted else 0, wanted, True)


def test_prose_has_no_separator_that_makes_it_a_table() -> None:
    assert sniffed("words without any sign\nmore words\n") == ""


def test_a_table_that_is_too_wide_is_cut_and_says_so() -> None:
    row = ",".join(f"c{n}" for n in range(1_002))
    result = module.read_csv(f"{row}\n{row}\n", view=View())
    assert "c999" in result.text
    assert "c1000" not in result.text
    assert result.message == "The table is wide: its last 2 columns are left out."
