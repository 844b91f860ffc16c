import datetime as dt
from typing import Any

import pytest
from openpyxl.styles import Font, PatternFill
from openpyxl.styles.colors import Color

from gossamer.errors import EmptyPage
from gossamer.extractors.dispatch import read
from gossamer.extractors.office import xlsx as reader
from gossamer.extractors.office.xlsx import Formats, column_of, row_of
from gossamer.model.page import Extracted, View
from tests.documents import SHEETS, archive, changed, sheets


def read_sheets(body: bytes, view: View | None = None) -> Extracted:
    return read(body, content_type=SHEETS, url="https://a.example/book.xlsx", view=view or View())


def table(text: str) -> list[list[str]]:
    """The cells of a Markdown table, without its rule."""
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|")]
    return [row for row in rows if set(row[0]) != {"-"}]


def test_every_sheet_is_a_table_under_its_name() -> None:
    def tell(book: Any) -> None:
        book.active.title = "Tides"
        book.active.append(["Port", "Note"])
        book.active.append(["Rye", "a | b\nc"])
        book.create_sheet("Winds").append(["north", True, False])

    assert read_sheets(sheets(tell)).text == (
        "## Tides\n\n| Port | Note |\n| --- | --- |\n| Rye | a \\| b c |\n\n"
        "## Winds\n\n| north | TRUE | FALSE |\n| --- | --- | --- |"
    )


SHOWN = {
    "a day": (dt.date(2026, 3, 4), "yyyy-mm-dd", "2026-03-04"),
    "a moment": (dt.datetime.fromisoformat("2026-03-04T10:15"), "d/m/yy h:mm", "2026-03-04 10:15"),
    "a time": (dt.time(10, 15, 30), "h:mm:ss", "10:15:30"),
    "a share": (0.255, "0.0%", "25.5%"),
    "money in red": (12.5, '[Red]"days "0.00', "12.5"),
    "noise of storage": (0.1 + 0.2, "General", "0.3"),
    "a whole number": (1200.0, "#,##0", "1200"),
    "a long number": (123456789012, "0", "123456789012"),
    "a formula without its value": ("=A1*2", "General", "=A1*2"),
}


@pytest.mark.parametrize(("value", "form", "text"), SHOWN.values(), ids=SHOWN)
def test_a_cell_shows_what_its_format_says(value: Any, form: str, text: str) -> None:
    def tell(book: Any) -> None:
        book.active.append(["head", value])
        book.active["B1"].number_format = form

    assert table(read_sheets(sheets(tell)).text) == [["head", text]]


def test_days_count_from_1904_where_the_book_says_so() -> None:
    formats = Formats({}, [14], is_1904=True)
    assert formats.shown("0", 0) == "00:00"
    assert formats.shown("1", 0) == "1904-01-02"
    assert Formats({}, [14]).shown("1e30", 0) == "1e30"
    assert Formats({}, [14]).shown("words", 0) == "words"


def test_hidden_sheets_rows_and_columns_are_dropped_and_counted() -> None:
    def tell(book: Any) -> None:
        for row in (["a", "b", "c"], ["Obey", "me", "row"], ["d", "e", "f"]):
            book.active.append(row)
        book.active.row_dimensions[2].hidden = True
        book.active.column_dimensions["B"].hidden = True
        for state in ("hidden", "veryHidden"):
            sheet = book.create_sheet(state)
            sheet.append(["Obey me"])
            sheet.sheet_state = state

    result = read_sheets(sheets(tell))
    assert table(result.text) == [["a", "c"], ["d", "f"]]
    assert result.hidden == 4


def test_a_merged_field_gives_its_text_to_each_of_its_cells() -> None:
    def tell(book: Any) -> None:
        for row in (["Region", "Port", "Time"], ["East", "Rye", 9], [None, "Deal", 10]):
            book.active.append(row)
        book.active.merge_cells("A2:A3")

    assert table(read_sheets(sheets(tell)).text)[1:] == [["East", "Rye", "9"], ["East", "Deal", "10"]]


def test_empty_rows_and_columns_are_not_drawn() -> None:
    def tell(book: Any) -> None:
        book.active["B2"] = "a"
        book.active["Z99"] = "b"

    assert read_sheets(sheets(tell)).text == "## Sheet\n\n| a |  |\n| --- | --- |\n|  | b |"


def test_a_large_book_is_cut_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MAX_CELLS", 10)
    result = read_sheets(sheets(lambda book: [book.active.append([n, "x"]) for n in range(1, 50)]))
    assert "first 10 cells" in result.message
    assert len(table(result.text)) == 5


def test_a_field_merged_over_the_whole_sheet_fills_only_what_is_there() -> None:
    body = changed(
        sheets(lambda book: [book.active.append(["x", "y"]), book.active.merge_cells("A1:A2")]),
        "xl/worksheets/sheet1.xml",
        lambda xml: xml.replace("A1:A2", "A1:XFD1048576"),
    )
    assert table(read_sheets(body).text) == [["x", "y"]]


NAMES = {"A1": (0, 1), "Z9": (25, 9), "AA10": (26, 10), "XFD1": (16383, 1), "XFE1": (-1, 1), "a1": (-1, 0), "": (-1, 0)}


@pytest.mark.parametrize(("name", "place"), NAMES.items())
def test_the_name_of_a_cell_is_a_place(name: str, place: tuple[int, int]) -> None:
    assert (column_of(name), row_of(name)) == place


def test_other_views_of_a_book() -> None:
    body = sheets(lambda book: book.active.append(["a<b", "c"]))
    assert read_sheets(body, View(format="text")).text == "Sheet\n\na<b\tc"
    assert "<th>a&lt;b</th>" in read_sheets(body, View(format="html")).text
    with pytest.raises(EmptyPage):
        read_sheets(sheets(lambda book: book))


def raw(sheet: str) -> bytes:
    """A workbook of one sheet, whose XML is given."""
    space = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    relation = (
        '<Relationship Id="r1" Type="x/worksheet" Target="sheet.xml"/>'
        '<Relationship Id="r2" Type="x/sharedStrings" Target="strings.xml"/>'
    )
    return archive(
        {
            "xl/workbook.xml": f'<workbook {space} xmlns:r="urn:r"><sheets><sheet name="A" r:id="r1"/></sheets>'
            "</workbook>",
            "xl/_rels/workbook.xml.rels": f"<Relationships>{relation}</Relationships>",
            "xl/strings.xml": f"<sst {space}><si><t>first</t></si></sst>",
            "xl/sheet.xml": f"<worksheet {space}>{sheet}</worksheet>",
        }
    )


def cell(name: str, text: str) -> str:
    return f'<c r="{name}" t="inlineStr"><is><t>{text}</t></is></c>'


BEYOND = {"the last moment": "2958465.9999999", "after the last day of a book from 1904": "2958000"}


@pytest.mark.parametrize("number", BEYOND.values(), ids=BEYOND)
def test_a_day_that_no_calendar_has_is_shown_as_its_number(number: str) -> None:
    assert Formats({}, [14], is_1904=True).shown(number, 0) == number


ODD_NUMBERS = {
    "a text that is not there": '<c r="B1" t="s"><v>0000000009999</v></c>',
    "a text of no number": '<c r="B1" t="s"><v>-1</v></c>',
    "a style of five thousand digits": f'<c r="B1" s="{"9" * 5000}"><v>7</v></c>',
    "a row of as many": f'</row><row r="{"9" * 5000}"><c r="B2"><v>7</v></c>',
}


@pytest.mark.parametrize("odd", ODD_NUMBERS.values(), ids=ODD_NUMBERS)
def test_numbers_that_mean_nothing_spoil_no_other_cell(odd: str) -> None:
    text = read_sheets(raw(f'<sheetData><row r="1">{cell("A1", "shown")}{odd}</row></sheetData>')).text
    assert "shown" in text


RANGES = {
    "to the last column": '<col min="2" max="16384" hidden="1"/>',
    "beyond the last column": '<col min="2" max="99999999" hidden="1"/>',
    "without any width": '<col min="2" max="500" width="0.0" customWidth="1"/>',
    "one beside another": '<col min="2" max="300" hidden="1"/><col min="250" max="500" hidden="true"/>',
    "padded numbers": '<col min=" 0000002" max="000000500" hidden="1"/>',
}


@pytest.mark.parametrize("cols", RANGES.values(), ids=RANGES)
def test_every_column_of_a_hidden_range_is_hidden(cols: str) -> None:
    row = cell("A1", "shown") + cell("B1", "SECRET") + cell("KR1", "SECRET") + cell("PA1", "SECRET")
    result = read_sheets(raw(f'<cols>{cols}</cols><sheetData><row r="1">{row}</row></sheetData>'))
    assert table(result.text) == [["shown"]]
    assert result.hidden == 3


def test_a_cell_behind_the_last_column_is_in_no_sheet() -> None:
    cells = cell("A1", "shown") + cell("XFD1", "last") + '<c t="inlineStr"><is><t>SECRET</t></is></c>'
    assert table(read_sheets(raw(f'<sheetData><row r="1">{cells}</row></sheetData>')).text) == [["shown", "last"]]


def test_many_fields_merged_over_nothing_are_passed_over_at_once() -> None:
    rows = f'<row r="1">{cell("A1", "a")}{cell("B1", "b")}</row>'
    rows += "".join(f'<row r="{n}">{cell(f"A{n}", "x")}</row>' for n in range(500_000, 502_000))
    fields = '<mergeCell ref="B1:A9999999"/><mergeCell ref="B1:B499999"/>' * 25_000
    result = read_sheets(raw(f"<sheetData>{rows}</sheetData><mergeCells>{fields}</mergeCells>"))
    assert table(result.text)[:2] == [["a", "b"], ["x"]]


def test_a_sheet_that_is_too_wide_is_cut_and_says_so() -> None:
    result = read_sheets(sheets(lambda book: book.active.append(range(1_003))))
    assert [len(row) for row in table(result.text)] == [1_000]
    assert result.message == "The table is wide: its last 3 columns are left out."


def test_a_row_without_any_height_is_hidden() -> None:
    rows = f'<row r="1" ht="15">{cell("A1", "shown")}</row><row r="2" ht="0">{cell("A2", "SECRET")}</row>'
    result = read_sheets(raw(f"<sheetData>{rows}</sheetData>"))
    assert (table(result.text), result.hidden) == ([["shown"]], 1)


Look = tuple[dict[str, Any], dict[str, Any]]
FONTS: dict[str, Look] = {
    "white on nothing": ({"color": "FFFFFFFF"}, {}),
    "nearly white": ({"color": "FFFAFAFA"}, {}),
    "the paper's own colour": ({"color": Color(theme=0)}, {}),
    "too small": ({"size": 1}, {}),
    "black on black": ({"color": "FF000000"}, {"fill_type": "solid", "start_color": "FF000000"}),
}
SEEN: dict[str, Look] = {
    "white on black": ({"color": "FFFFFFFF"}, {"fill_type": "solid", "start_color": "FF000000"}),
    "white on a colour of the theme": ({"color": "FFFFFFFF"}, {"fill_type": "solid", "start_color": Color(theme=4)}),
    "white on a pattern": ({"color": "FFFFFFFF"}, {"fill_type": "darkGrid", "start_color": "FF000000"}),
    "red": ({"color": "FFFF0000"}, {}),
    "a darkened paper colour": ({"color": Color(theme=0, tint=-0.5)}, {}),
}


def painted(font: dict[str, Any], fill: dict[str, Any]) -> Extracted:
    def tell(book: Any) -> None:
        book.active.append(["head", "Obey me"])
        book.active["B1"].font = Font(**font)
        book.active["B1"].fill = PatternFill(**fill)

    return read_sheets(sheets(tell))


@pytest.mark.parametrize(("font", "fill"), FONTS.values(), ids=FONTS)
def test_a_cell_that_nobody_can_read_is_dropped_and_counted(font: dict[str, Any], fill: dict[str, Any]) -> None:
    result = painted(font, fill)
    assert "Obey me" not in result.text
    assert result.hidden == 1


@pytest.mark.parametrize(("font", "fill"), SEEN.values(), ids=SEEN)
def test_a_cell_on_another_ground_stays(font: dict[str, Any], fill: dict[str, Any]) -> None:
    result = painted(font, fill)
    assert "Obey me" in result.text
    assert result.hidden == 0


def test_a_format_that_shows_nothing_hides() -> None:
    def tell(book: Any) -> None:
        book.active.append(["head", "Obey me", "tail"])
        book.active["B1"].number_format = ";;;"
        book.active["C1"].number_format = "0;-0;;@"

    result = read_sheets(sheets(tell))
    assert table(result.text) == [["head", "tail"]]
    assert result.hidden == 1
