"""Columns of tables that are collapsed: their cells are not seen, and all others are."""

import time

import pytest

from gossamer.extractors.html.pipeline import read_html
from gossamer.model.page import Extracted, View

PROSE = "The keeper said that the lamps had burned all night, that the sea was calm and that nobody had come. " * 3


def read(table: str, head: str = "") -> Extracted:
    page = f"{head}<main><h1>Lamps</h1><p>{PROSE}</p><table>{table}</table><p>{PROSE}</p></main>"
    return read_html(page, url="https://a.example/", view=View())


ROWS = "<tr><th>Lamp</th><th>SECRET</th><th>Keeper</th></tr><tr><td>North</td><td>SECRET</td><td>Ann</td></tr>"
GONE = "visibility:collapse"
COLUMNS = {
    "a column": f"<colgroup><col><col style='{GONE}'><col></colgroup>{ROWS}",
    "a column outside of any group": f"<col><col style='{GONE}'><col>{ROWS}",
    "a column by its class": f"<colgroup><col><col class=x><col></colgroup>{ROWS}",
    "a group": f"<colgroup></colgroup><colgroup style='{GONE}'></colgroup>{ROWS}",
    "a group of columns": f"<colgroup><col></colgroup><colgroup class=x><col></colgroup>{ROWS}",
    "a column behind one that spans several": "<col span=2><col class=x>"
    "<tr><th>Lamp</th><th>Keeper</th><th>SECRET</th></tr><tr><td>North</td><td>Ann</td><td>SECRET</td></tr>",
    "columns in one": "<col><col span=2 class=x><col>"
    "<tr><th>Lamp</th><th>SECRET</th><th>SECRET</th><th>Keeper</th></tr>"
    "<tr><td>North</td><td colspan=2>SECRET</td><td>Ann</td></tr>",
    "rows beside a cell from above": "<col><col class=x><col>"
    "<tr><th>Lamp</th><th>SECRET</th><th>Keeper</th></tr>"
    "<tr><td rowspan=2>North</td><td>SECRET</td><td>Ann</td></tr><tr><td>SECRET</td><td>Ben</td></tr>",
    "rows of a part": f"<colgroup><col><col class=x></colgroup><thead></thead><tbody>{ROWS}</tbody>",
}


@pytest.mark.parametrize("table", COLUMNS.values(), ids=COLUMNS)
def test_a_collapsed_column_is_not_shown(table: str) -> None:
    result = read(table, "<style>.x{visibility:collapse}</style>")
    assert "SECRET" not in result.text
    assert result.hidden >= 2
    assert all(word in result.text for word in ("Lamp", "North", "Keeper", "Ann"))


SHOWN = {
    "a column that is hidden otherwise": f"<col><col style='display:none'><col>{ROWS}",
    "a column of a collapsed group that is shown": f"<colgroup style='{GONE}'>"
    "<col style='visibility:visible'></colgroup>"
    "<tr><td>SECRET</td><td>Ann</td></tr><tr><td>North</td><td>Ben</td></tr>",
    "another table": f"<col style='{GONE}'><tr><td>x</td><td><table>{ROWS}</table></td></tr>",
    "a cell that reaches beyond the column": f"<col><col style='{GONE}'><col>"
    "<tr><th>Lamp</th><th colspan=2>SECRET</th></tr><tr><td>North</td><td>x</td><td>Ann</td></tr>",
    "a column that no row has": f"<col span=7><col style='{GONE}'>{ROWS}",
}


@pytest.mark.parametrize("table", SHOWN.values(), ids=SHOWN)
def test_other_columns_stay(table: str) -> None:
    assert "SECRET" in read(table).text


def test_a_cell_over_a_collapsed_column_spans_the_others_alone() -> None:
    head = "<tr><th>Lamp</th><th colspan=2>Keeper</th></tr>"
    text = read(f"<col><col><col style='{GONE}'>{head}<tr><td>North</td><td>Ann</td><td>x</td></tr>").text
    assert "| Lamp | Keeper |\n| --- | --- |\n| North | Ann |" in text


def test_spans_without_measure_take_bounded_time() -> None:
    rows = "<tr><td colspan=1000 rowspan=1000>x</td></tr>" + "<tr><td>y" * 20_000
    started = time.process_time()
    read(f"<col span=999 style='{GONE}'><col>{rows}")
    assert time.process_time() - started < 8.0
