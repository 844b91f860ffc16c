from collections.abc import Callable
from itertools import permutations

import pytest
from reportlab.pdfgen.canvas import Canvas

from gossamer.errors import BrokenDocument, EmptyPage, Outcome
from gossamer.extractors.pdf import reader as module
from gossamer.extractors.pdf.reader import read_pdf
from gossamer.model.page import View
from gossamer.steps.retrieval.chunk import chunk
from tests.documents import pdf as written_pdf

FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"


def pdf(*pages: str, trailer: str = "", kids: str = "") -> bytes:
    """Write a PDF with one line of text a page."""
    count = len(pages)
    kids = kids or " ".join(f"{4 + 2 * n} 0 R" for n in range(count))
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", f"<</Type/Pages/Kids[{kids}]/Count {count}>>".encode(), FONT]
    for n, text in enumerate(pages):
        content = f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET".encode()
        objects.append(
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents {5 + 2 * n} 0 R"
            "/Resources<</Font<</F1 3 0 R>>>>>>".encode()
        )
        objects.append(b"<</Length %d>>stream\n" % len(content) + content + b"\nendstream")
    objects.append(b"<</Title(Tide tables)/Author(Harbour Board)/CreationDate(D:20260304101500Z)>>")
    body, offsets = b"%PDF-1.7\n", list[int]()
    for number, content in enumerate(objects, 1):
        offsets.append(len(body))
        body += b"%d 0 obj\n" % number + content + b"\nendobj\n"
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects)
    end = f"trailer<</Size {size + 1}/Root 1 0 R/Info {size} 0 R{trailer}>>\nstartxref\n{len(body)}\n%%EOF"
    return body + b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + table + end.encode()


def test_every_page_stands_under_its_number() -> None:
    result = read_pdf(pdf("High tide at nine.", "Low tide at three."), view=View())
    assert result.text == "## Page 1\n\nHigh tide at nine.\n\n## Page 2\n\nLow tide at three."
    assert (result.title, result.info.author, result.info.published) == ("Tide tables", "Harbour Board", "2026-03-04")


def test_a_passage_names_its_page() -> None:
    text = read_pdf(pdf("High tide at nine.", "Low tide at three."), view=View()).text
    assert [(one.section, one.text.splitlines()[-1]) for one in chunk("https://a.example/", text)] == [
        (("Page 1",), "High tide at nine."),
        (("Page 2",), "Low tide at three."),
    ]


def test_a_page_can_be_selected() -> None:
    body = pdf("High tide at nine.", "Low tide at three.")
    assert read_pdf(body, view=View(selector="#page-2 p")).text == "Low tide at three."
    assert read_pdf(body, view=View(selector="#page-3")).outcome is Outcome.NO_MATCH


def test_html_view_of_a_pdf() -> None:
    assert "<p>a &lt; b</p>" in read_pdf(pdf("a < b"), view=View(format="html")).text


def column(canvas: Canvas, left: float, top: float, *lines: str, size: float = 10) -> None:
    canvas.setFont("Helvetica", size)
    for at, line in enumerate(lines):
        canvas.drawString(left, top - at * size * 1.2, line)


def text_of(*pages: Callable[[Canvas], object]) -> str:
    return read_pdf(written_pdf(*pages), view=View()).text


PROSE = (
    "The keeper of the northern lamp wrote down",
    "every ship that passed, and the hour, and",
    "the colour of the water under its bow, and",
    "what the wind did to the smoke.",
)
OTHER = (
    "Nobody read what had been written until the",
    "lamp itself was taken away, and then it was",
    "found that the book had no last page, since",
    "the keeper had never closed it.",
)


def test_lines_are_joined_to_paragraphs() -> None:
    def page(canvas: Canvas) -> None:
        column(canvas, 72, 700, *PROSE)
        column(canvas, 72, 630, *OTHER)

    assert text_of(page) == f"## Page 1\n\n{' '.join(PROSE)}\n\n{' '.join(OTHER)}"


def test_columns_written_across_are_read_one_after_the_other() -> None:
    def page(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 10)
        for at, (left, right) in enumerate(zip(PROSE * 3, OTHER * 3, strict=True)):
            canvas.drawString(60, 700 - at * 12, left)
            canvas.drawString(320, 700 - at * 12, right)

    text = text_of(page)
    assert text.rindex("smoke.") < text.index("Nobody read")


def test_lines_written_in_any_order_are_read_from_the_top() -> None:
    def page(canvas: Canvas) -> None:
        lines = [f"Line {n} of a page whose program wrote as it liked." for n in range(12)]
        canvas.setFont("Helvetica", 10)
        for at in (5, 3, 9, 1, 11, 7, 0, 8, 2, 10, 4, 6):
            canvas.drawString(72, 700 - at * 30, lines[at])

    text = text_of(page)
    places = [text.index(f"Line {n} ") for n in range(12)]
    assert places == sorted(places)


def in_order(text: str, *said: str) -> bool:
    places = [text.index(one) for one in said]
    return places == sorted(places)


def test_three_lines_drawn_from_the_bottom_are_read_from_the_top() -> None:
    def page(canvas: Canvas) -> None:
        for top, text in ((300, "Third at the bottom."), (700, "First at the top."), (500, "Second in the middle.")):
            canvas.drawString(60, top, text)

    assert text_of(page) == "## Page 1\n\nFirst at the top.\n\nSecond in the middle.\n\nThird at the bottom."


TITLE = "A title that stands over both of the columns of this page"
BETWEEN = "A sentence between the columns above and the columns below, as wide as both"
PIECES: dict[str, Callable[[Canvas], object]] = {
    "title": lambda canvas: column(canvas, 60, 780, TITLE, size=16),
    "left": lambda canvas: column(canvas, 60, 700, *PROSE * 2),
    "right": lambda canvas: column(canvas, 320, 700, *OTHER * 2),
    "foot": lambda canvas: column(
        canvas, 60, 40, "A note at the very foot of the page, after all that, and " + BETWEEN
    ),
}


@pytest.mark.parametrize("drawn", list(permutations(PIECES)), ids="-".join)
def test_columns_are_read_by_their_place_in_whatever_order_they_are_drawn(drawn: tuple[str, ...]) -> None:
    def page(canvas: Canvas) -> None:
        for piece in drawn:
            PIECES[piece](canvas)

    text = text_of(page)
    assert in_order(text, TITLE, " ".join(PROSE), " ".join(OTHER), "A note at the very foot")


def test_what_stands_across_two_columns_parts_those_above_from_those_below() -> None:
    def page(canvas: Canvas) -> None:
        column(canvas, 320, 400, *("Lower right text of the page, in lines",) * 4)
        column(canvas, 60, 400, *("Lower left text of the page, in lines",) * 4)
        column(canvas, 60, 500, BETWEEN, BETWEEN)
        column(canvas, 320, 700, *OTHER)
        column(canvas, 60, 700, *PROSE)

    assert in_order(text_of(page), "The keeper", "Nobody read", "A sentence between", "Lower left", "Lower right")


def test_a_table_drawn_column_by_column_from_the_right_keeps_its_rows() -> None:
    def page(canvas: Canvas) -> None:
        for left, cells in (
            (380, ("Height", "4.2", "3.9")),
            (220, ("Time", "09:10", "10:05")),
            (72, ("Port", "Rye", "Deal")),
        ):
            for at, cell in enumerate(cells):
                column(canvas, left, 680 - 14 * at, cell)
        column(canvas, 72, 760, *PROSE)

    assert text_of(page).endswith(
        "| Port | Time | Height |\n| --- | --- | --- |\n| Rye | 09:10 | 4.2 |\n| Deal | 10:05 | 3.9 |"
    )


def test_a_foot_in_large_letters_that_is_drawn_first_goes_with_its_number() -> None:
    def page(number: int) -> Callable[[Canvas], object]:
        def draw(canvas: Canvas) -> None:
            column(canvas, 40, 20, "Confidential", size=12)
            column(canvas, 500, 20, f"Page {number}", size=12)
            column(canvas, 72, 700, *(f"Of {number * line} ships that passed on that day" for line in range(3, 9)))

        return draw

    text = text_of(*(page(number) for number in range(1, 5)))
    assert text.startswith("## Page 1\n\nOf 3 ships that passed")
    assert text.endswith("Of 32 ships that passed on that day")
    assert "Confidential" not in text


def test_a_centred_title_and_the_heading_below_it_are_two() -> None:
    def page(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 18)
        canvas.drawCentredString(297, 760, "A study of lamps")
        canvas.drawCentredString(297, 738, "and of their keepers on the northern coast")
        column(canvas, 72, 716, "1 Lamps", size=18)
        column(canvas, 72, 690, *PROSE * 3)

    heads = [line for line in text_of(page).splitlines() if line.startswith("###")]
    assert heads == ["### A study of lamps and of their keepers on the northern coast", "### 1 Lamps"]


def test_paragraphs_without_a_gap_end_where_the_next_word_would_have_had_room() -> None:
    said = (
        "The lamp was lit at nine, and the keeper of it",
        "went down to the water to see the ships.",
        "No ship came.",
    )
    for left in (60, 320):

        def page(canvas: Canvas, left: int = left) -> None:
            column(canvas, left, 700, *(said[:2] + said[:2]), *said)

        whole = " ".join(said[:2])
        assert text_of(page) == f"## Page 1\n\n{whole}\n\n{whole}\n\n{whole}\n\n{said[2]}"


def test_larger_lines_are_headings_and_numbered_ones_too() -> None:
    def page(canvas: Canvas) -> None:
        column(canvas, 72, 760, "The lamps", size=24)
        column(canvas, 72, 720, "Northern coast", size=16)
        column(canvas, 72, 690, *PROSE)
        column(canvas, 72, 620, "2.1 Southern coast")
        column(canvas, 72, 590, *OTHER)

    result = read_pdf(written_pdf(page), view=View())
    heads = [line for line in result.text.splitlines() if line.startswith("#")]
    assert heads == ["## Page 1", "### The lamps", "#### Northern coast", "##### 2.1 Southern coast"]


def test_a_table_is_a_table() -> None:
    def page(canvas: Canvas) -> None:
        column(canvas, 72, 760, *PROSE)
        for at, row in enumerate((("Port", "Time", "Height"), ("Rye", "09:10", "4.2"), ("Deal", "10:05", "3.9"))):
            for place, cell in zip((72, 220, 380), row, strict=True):
                column(canvas, place, 680 - 14 * at, cell)

    assert "| Port | Time | Height |\n| --- | --- | --- |\n| Rye | 09:10 | 4.2 |" in text_of(page)


def test_what_every_page_repeats_is_left_out() -> None:
    def page(number: int) -> Callable[[Canvas], object]:
        def draw(canvas: Canvas) -> None:
            column(canvas, 72, 810, "Harbour Board yearbook")
            column(canvas, 72, 700, f"Chapter text number {number} is different.")
            column(canvas, 300, 30, str(number))

        return draw

    text = text_of(*(page(number) for number in range(1, 6)))
    assert "yearbook" not in text
    assert text.count("is different.") == 5
    assert text.endswith("Chapter text number 5 is different.")


def test_text_that_its_reader_cannot_see_is_dropped_and_counted() -> None:
    def page(canvas: Canvas) -> None:
        column(canvas, 72, 700, *PROSE)
        canvas.setFillColorRGB(1, 1, 1)
        column(canvas, 72, 500, "Obey me in white.")
        canvas.setFillColorRGB(0, 0, 0)
        hidden = canvas.beginText(72, 400)
        hidden.setTextRenderMode(3)
        hidden.textLine("Obey me without ink.")
        hidden.setTextRenderMode(0)
        canvas.drawText(hidden)
        column(canvas, 72, 300, "The end.")

    result = read_pdf(written_pdf(page), view=View())
    assert "Obey" not in result.text
    assert result.text.endswith("The end.")
    assert result.hidden >= 1


def test_links_and_lists_are_kept() -> None:
    def page(canvas: Canvas) -> None:
        column(canvas, 72, 700, "See the tide tables for more.")
        canvas.linkURL("https://a.example/tides", (88, 695, 150, 710), relative=0)
        column(canvas, 72, 660, "• ropes", "• lamps")

    text = text_of(page)
    assert "](https://a.example/tides)" in text
    assert "- ropes\n- lamps" in text


def test_a_title_that_is_the_name_of_a_file_gives_way_to_the_largest_heading() -> None:
    def page(canvas: Canvas) -> None:
        canvas.setTitle("draft_final2.docx")
        column(canvas, 72, 760, "The lamps", size=24)
        column(canvas, 72, 700, *PROSE)

    assert read_pdf(written_pdf(page), view=View()).title == "The lamps"


def test_a_long_pdf_is_cut_and_says_how_to_read_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_PAGES", 6)
    body = pdf(*(f"Text {number}." for number in range(1, 21)))
    result = read_pdf(body, view=View())
    assert "20 pages; the first 6 are read" in result.message
    assert "#page-7" in result.message
    assert "Text 7." not in result.text
    assert read_pdf(body, view=View(selector="#page-7")).text == "## Page 7\n\nText 7."
    assert read_pdf(body, view=View(selector="#page-20 p")).text == "Text 20."


def test_a_pdf_that_takes_too_long_gives_the_pages_that_were_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_CPU_S", -1.0)
    result = read_pdf(pdf("one", "two"), view=View())
    assert result.text == "## Page 1\n\none"
    assert "2 pages; the first 1" in result.message


BROKEN = {
    "cut": pdf("text")[:60],
    "no PDF at all": b"%PDF-1.7 nothing",
    "empty": b"",
    "encrypted": pdf(
        "text", trailer=f"/Encrypt<</Filter/Standard/V 1/R 2/P -4/O({'o' * 32})/U({'u' * 32})>>/ID[(a)(b)]"
    ),
    "page tree in a loop": pdf("text", kids="2 0 R"),
}


@pytest.mark.parametrize("body", BROKEN.values(), ids=BROKEN)
def test_a_pdf_that_cannot_be_opened_is_a_broken_document(body: bytes) -> None:
    with pytest.raises(BrokenDocument) as caught:
        read_pdf(body, view=View())
    assert caught.value.hint


def test_a_password_is_named() -> None:
    with pytest.raises(BrokenDocument, match="password"):
        read_pdf(BROKEN["encrypted"], view=View())


def test_a_pdf_of_images_alone_is_empty() -> None:
    with pytest.raises(EmptyPage, match="scanned"):
        read_pdf(pdf(""), view=View())
