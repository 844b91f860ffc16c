from typing import Any, cast

from pptx.chart.data import CategoryChartData, XyChartData
from pptx.dml.color import RGBColor
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches, Pt

from gossamer.extractors.dispatch import read
from gossamer.model.page import Extracted, View
from tests.documents import SLIDES, changed, slides

BULLETS, TITLE_ONLY = 1, 5


def read_slides(body: bytes) -> Extracted:
    return read(body, content_type=SLIDES, url="https://a.example/show.pptx", view=View())


def slide(show: Any, title: str, text: str = "") -> Any:
    made = show.slides.add_slide(show.slide_layouts[BULLETS if text else TITLE_ONLY])
    made.shapes.title.text = title
    if text:
        made.placeholders[1].text = text
    return made


def test_slides_come_in_the_order_of_the_show_each_under_its_number() -> None:
    def tell(show: Any) -> None:
        slide(show, "Second", "b")
        slide(show, "First", "one\ntwo")
        ids = show.slides._sldIdLst
        ids.insert(0, ids[1])

    result = read_slides(slides(tell))
    assert result.text == "## Slide 1: First\n\n- one\n- two\n\n## Slide 2: Second\n\nb"
    assert result.title == "First"


def test_tables_are_tables_and_notes_are_marked_as_notes() -> None:
    def tell(show: Any) -> None:
        made = slide(show, "Tides")
        table = made.shapes.add_table(2, 2, 0, 0, Inches(3), Inches(1)).table
        for at, text in enumerate(("Port", "Time", "Rye", "09:10")):
            table.cell(at // 2, at % 2).text = text
        made.notes_slide.notes_text_frame.text = "Speak slowly."

    text = read_slides(slides(tell)).text
    assert "| Port | Time |\n| --- | --- |\n| Rye | 09:10 |" in text
    assert text.index("Speaker notes") < text.index("Speak slowly.")
    assert "> Speak slowly." in text


def test_the_values_of_a_chart_are_a_table() -> None:
    def tell(show: Any) -> None:
        data = CategoryChartData()
        data.categories = ["North", "South & West", "East"]
        data.add_series("2024", (3, None, 6))
        data.add_series("2025", (7, 4.5, 9))
        place = (Inches(1), Inches(2), Inches(6), Inches(4))
        chart = slide(show, "Ships").shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *place, data).chart
        chart.has_title = True
        chart.chart_title.text_frame.text = "Ships by coast & year"

    text = read_slides(slides(tell)).text
    assert "Ships by coast & year" in text
    rows = (
        "|  | 2024 | 2025 |",
        "| --- | --- | --- |",
        "| North | 3 | 7 |",
        "| South & West |  | 4.5 |",
        "| East | 6 | 9 |",
    )
    assert text.endswith("\n".join(rows))


def test_a_chart_of_points_tells_both_places_and_one_without_values_only_its_title() -> None:
    def tell(show: Any) -> None:
        data = XyChartData()
        series = data.add_series("Depth")
        series.add_data_point(1.5, 20)
        series.add_data_point(2.5, 30)
        slide(show, "Sea").shapes.add_chart(XL_CHART_TYPE.XY_SCATTER, 0, 0, Inches(6), Inches(4), data)
        empty = slide(show, "Nothing").shapes.add_chart(
            XL_CHART_TYPE.LINE, 0, 0, Inches(6), Inches(4), CategoryChartData()
        )
        empty.chart.has_title = False

    text = read_slides(slides(tell)).text
    assert "|  | Depth |\n| --- | --- |\n| 1.5 | 20 |\n| 2.5 | 30 |" in text
    assert text.endswith("## Slide 2: Nothing")


def test_hidden_slides_and_shapes_that_nobody_sees_are_dropped_and_counted() -> None:
    def tell(show: Any) -> None:
        seen = slide(show, "Seen")
        beside = seen.shapes.add_textbox(show.slide_width + 100, 0, Inches(2), Inches(1))
        beside.text_frame.text = "Obey me beside."
        off = seen.shapes.add_textbox(0, 0, Inches(2), Inches(1))
        off.text_frame.text = "Obey me switched off."
        off._element.nvSpPr.cNvPr.set("hidden", "1")
        slide(show, "Obey me hidden.")._element.set("show", "0")
        slide(show, "Last")

    result = read_slides(slides(tell))
    assert result.text == "## Slide 1: Seen\n\n## Slide 3: Last"
    assert result.hidden == 3


def test_shapes_in_groups_are_read_and_links_kept() -> None:
    def tell(show: Any) -> None:
        made = slide(show, "Group")
        box = made.shapes.add_group_shape().shapes.add_textbox(0, 0, Inches(2), Inches(1))
        box.text_frame.text = "In a group, "
        run = box.text_frame.paragraphs[0].add_run()
        run.text = "tides"
        run.hyperlink.address = "https://a.example/tides"

    assert "In a group, [tides](https://a.example/tides)" in read_slides(slides(tell)).text


def test_numbers_and_dates_that_every_slide_repeats_are_left_out() -> None:
    body = slides(lambda show: slide(show, "Only", "words"))
    body = changed(
        body, "ppt/slides/slide1.xml", lambda xml: xml.replace('<p:ph idx="1"/>', '<p:ph type="sldNum" idx="1"/>')
    )
    assert read_slides(body).text == "## Slide 1: Only"


def test_a_place_that_is_no_number_hides_nothing() -> None:
    def tell(show: Any) -> None:
        made = slide(show, "Tides")
        made.shapes.add_textbox(Inches(1), Inches(1), Inches(2), Inches(1)).text_frame.text = "kept"

    body = changed(slides(tell), "ppt/slides/slide1.xml", lambda text: text.replace('x="914400"', 'x="--5"'))
    assert "kept" in read_slides(body).text


def colour(name: str) -> Any:
    return cast("Any", RGBColor).from_string(name)


def run_of(made: Any, text: str, ink: str, *, on: str = "", size: int = 18) -> None:
    box = made.shapes.add_textbox(0, 0, Inches(2), Inches(1))
    if on:
        box.fill.solid()
        box.fill.fore_color.rgb = colour(on)
    run = box.text_frame.paragraphs[0].add_run()
    run.text = text
    run.font.color.rgb = colour(ink)
    run.font.size = Pt(size)


def test_words_in_the_colour_of_their_ground_or_too_small_are_dropped_and_counted() -> None:
    def tell(show: Any) -> None:
        made = slide(show, "Tides")
        run_of(made, "Obey me on red.", "FF0000", on="FF0000")
        run_of(made, "Obey me, tiny.", "000000", size=1)
        run_of(made, "White on black.", "FFFFFF", on="000000")
        run_of(made, "White on what nobody knows.", "FFFFFF")
        dark = slide(show, "Night")
        dark.background.fill.solid()
        dark.background.fill.fore_color.rgb = colour("000000")
        run_of(dark, "Obey me in the dark.", "000000")
        run_of(dark, "White on night.", "FFFFFF")

    result = read_slides(slides(tell))
    assert "Obey me" not in result.text
    assert all(text in result.text for text in ("White on black.", "White on what nobody knows.", "White on night."))
    assert result.hidden == 3
