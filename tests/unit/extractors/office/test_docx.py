from typing import Any

import pytest
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Pt, RGBColor

from gossamer.errors import BrokenDocument, EmptyPage
from gossamer.extractors.dispatch import read
from gossamer.model.page import Extracted, View
from tests.documents import WORD, archive, changed, word

URL = "https://a.example/plan.docx"


def read_word(body: bytes, view: View | None = None) -> Extracted:
    return read(body, content_type=WORD, url=URL, view=view or View())


def tides(document: Any) -> None:
    document.core_properties.title = "Tide plan"
    document.core_properties.author = "Ann Keeper"
    document.add_heading("Tides", 1)
    paragraph = document.add_paragraph("High ")
    paragraph.add_run("water").bold = True
    paragraph.add_run(" comes ")
    paragraph.add_run("late").italic = True
    document.add_paragraph("ropes", style="List Bullet")
    document.add_paragraph("short ones", style="List Bullet 2")
    document.add_paragraph("open", style="List Number")
    document.add_paragraph("close", style="List Number")
    table = document.add_table(2, 2)
    for at, text in enumerate(("Port", "Time", "Rye | east", "09:10")):
        table.cell(at // 2, at % 2).text = text
    document.add_heading("Gates", 2)
    document.add_paragraph("They open at nine.")


def test_headings_lists_emphasis_and_tables_are_kept_in_their_order() -> None:
    result = read_word(word(tides))
    assert result.text.replace("* short", "- short") == (
        "# Tides\n\nHigh **water** comes *late*\n\n- ropes\n  - short ones\n\n1. open\n2. close\n\n"
        "| Port | Time |\n| --- | --- |\n| Rye \\| east | 09:10 |\n\n## Gates\n\nThey open at nine."
    )
    assert (result.title, result.info.author, result.hidden) == ("Tide plan", "Ann Keeper", 0)


def test_a_document_has_the_views_of_a_page() -> None:
    body = word(tides)
    assert "<h1>Tides</h1>" in read_word(body, View(format="html")).text
    assert "#" not in read_word(body, View(format="text")).text
    assert read_word(body, View(selector="h2")).text == "## Gates"


UNSEEN: dict[str, Any] = {
    "hidden": lambda run: setattr(run.font, "hidden", True),
    "white on white": lambda run: setattr(run.font.color, "rgb", RGBColor(255, 255, 255)),
    "one point high": lambda run: setattr(run.font, "size", Pt(1)),
}


@pytest.mark.parametrize("hide", UNSEEN.values(), ids=UNSEEN)
def test_text_that_its_reader_cannot_see_is_dropped_and_counted(hide: Any) -> None:
    def tell(document: Any) -> None:
        paragraph = document.add_paragraph("Seen.")
        hide(paragraph.add_run("Obey me."))

    result = read_word(word(tell))
    assert (result.text, result.hidden) == ("Seen.", 1)


def test_a_style_can_hide_its_text_and_a_run_can_show_itself_again() -> None:
    def tell(document: Any) -> None:
        style = document.styles.add_style("Ghost", 1)
        style.font.hidden = True
        paragraph = document.add_paragraph("Obey me.", style="Ghost")
        paragraph.add_run("Seen.").font.hidden = False

    result = read_word(word(tell))
    assert (result.text, result.hidden) == ("Seen.", 1)


def test_white_text_on_a_dark_ground_is_seen() -> None:
    def tell(document: Any) -> None:
        run = document.add_paragraph().add_run("Seen.")
        run.font.color.rgb = RGBColor(255, 255, 255)
        ground = OxmlElement("w:shd")
        ground.set(qn("w:fill"), "003366")
        run._r.get_or_add_rPr().append(ground)

    assert read_word(word(tell)).text == "Seen."


def inside(xml: str) -> bytes:
    """A document whose one paragraph is followed by this XML."""
    body = word(lambda document: document.add_paragraph("Before."))
    return changed(body, "word/document.xml", lambda text: text.replace("<w:sectPr", f"{xml}<w:sectPr", 1))


MARKUP = {
    "deleted and inserted": (
        "<w:p><w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:ins><w:r><w:t>new</w:t></w:r></w:ins></w:p>",
        "new",
    ),
    "moved away": ("<w:p><w:moveFrom><w:r><w:t>old</w:t></w:r></w:moveFrom><w:r><w:t>stays</w:t></w:r></w:p>", "stays"),
    "a field's program": ("<w:p><w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:t>7</w:t></w:r></w:p>", "7"),
    "tabs and breaks": ("<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r></w:p>", "a b  \nc"),
    "a control": ("<w:sdt><w:sdtContent><w:p><w:r><w:t>held</w:t></w:r></w:p></w:sdtContent></w:sdt>", "held"),
    "a text box, told once": (
        (
            "<w:p><w:r><w:t>round</w:t></w:r><w:r><mc:AlternateContent><mc:Choice><w:txbxContent><w:p><w:r><w:t>boxed"
            "</w:t></w:r></w:p></w:txbxContent></mc:Choice><mc:Fallback><w:txbxContent><w:p><w:r><w:t>boxed</w:t></w:r>"
            "</w:p></w:txbxContent></mc:Fallback></mc:AlternateContent></w:r></w:p>"
        ),
        "round\n\nboxed",
    ),
    "merged cells": (
        (
            '<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr><w:p><w:r><w:t>wide</w:t></w:r></w:p></w:tc>'
            "</w:tr>"
            "<w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr>"
            "</w:tbl>"
        ),
        "| wide |  |\n| --- | --- |\n| a | b |",
    ),
    "a lone cell": ("<w:tbl><w:tr><w:tc><w:p><w:r><w:t>boxed</w:t></w:r></w:p></w:tc></w:tr></w:tbl>", "boxed"),
}


@pytest.mark.parametrize(("xml", "text"), MARKUP.values(), ids=MARKUP)
def test_what_stands_in_a_document_is_read_as_its_reader_sees_it(xml: str, text: str) -> None:
    assert read_word(inside(xml)).text == f"Before.\n\n{text}"


STYLES = (
    '<w:style w:type="paragraph" w:styleId="Ghost"><w:name w:val="Ghost"/><w:rPr><w:vanish/></w:rPr></w:style>'
    '<w:style w:type="paragraph" w:styleId="Pale"><w:name w:val="Pale"/><w:rPr>'
    '<w:color w:val="FFFFFF"/></w:rPr></w:style>'
    '<w:style w:type="paragraph" w:styleId="Band"><w:name w:val="Band"/><w:pPr><w:shd w:val="clear" w:fill="003366"/>'
    '</w:pPr><w:rPr><w:color w:val="FFFFFF"/></w:rPr></w:style>'
    '<w:style w:type="paragraph" w:styleId="Code"><w:name w:val="Source Code"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="Lost"><w:name w:val="Source Code Lost"/><w:rPr>'
    "<w:vanish/></w:rPr></w:style>"
    '<w:style w:type="table" w:styleId="Dark"><w:name w:val="Dark"/><w:tblStylePr w:type="firstRow"><w:tcPr>'
    '<w:shd w:val="clear" w:fill="003366"/></w:tcPr></w:tblStylePr></w:style>'
)


def styled(xml: str) -> Extracted:
    body = changed(inside(xml), "word/styles.xml", lambda text: text.replace("</w:styles>", f"{STYLES}</w:styles>"))
    return read_word(body)


def run(text: str, look: str = "") -> str:
    return f"<w:r><w:rPr>{look}</w:rPr><w:t>{text}</w:t></w:r>"


def paragraph(runs: str, style: str = "") -> str:
    return f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr>{runs}</w:p>' if style else f"<w:p>{runs}</w:p>"


def cells(first: str, *, about: str = "", table: str = "", row: str = "") -> str:
    other = f"<w:tc>{paragraph(run('beside'))}</w:tc>"
    cell = f"<w:tc><w:tcPr>{about}</w:tcPr>{first}</w:tc>"
    return f"<w:tbl><w:tblPr>{table}</w:tblPr><w:tr>{row}{cell}{other}</w:tr></w:tbl>"


WHITE = '<w:color w:val="FFFFFF"/>'
DARK = '<w:shd w:val="clear" w:fill="003366"/>'
DARK_HEAD = '<w:tblStyle w:val="Dark"/><w:tblLook w:firstRow="{}"/>'
NOT_SEEN = {
    "a hidden style": paragraph(run("SECRET"), "Ghost"),
    "a hidden style in a cell": cells(paragraph(run("SECRET"), "Ghost")),
    "a hidden style of code": paragraph(run("SECRET"), "Lost"),
    "a white style": paragraph(run("SECRET"), "Pale"),
    "white in a cell": cells(paragraph(run("SECRET", WHITE))),
    "white in a cell shaded white": cells(
        paragraph(run("SECRET", WHITE)), about='<w:shd w:val="clear" w:fill="FDFDFD"/>'
    ),
    "white under a head that is switched off": cells(paragraph(run("SECRET", WHITE)), table=DARK_HEAD.format(0)),
    "nearly white": paragraph(run("SECRET", '<w:color w:val="FEFEFE"/>')),
    "the theme's paper": paragraph(run("SECRET", '<w:color w:val="auto" w:themeColor="background1"/>')),
    "white on a white marker": paragraph(run("SECRET", f'{WHITE}<w:highlight w:val="white"/>')),
    "black on black": paragraph(run("SECRET", '<w:color w:val="000000"/><w:shd w:val="solid" w:color="000000"/>')),
    "white, and said not to vanish": paragraph(run("SECRET", f'<w:vanish w:val="0"/>{WHITE}')),
    "hidden code": paragraph(run("SECRET", "<w:vanish/>"), "Code"),
    "a hidden row of a table in a cell": cells(
        cells(paragraph(run("SECRET")), row="<w:trPr><w:hidden/></w:trPr>") + "<w:p/>"
    ),
}
STILL_SEEN = {
    "white on a dark cell": cells(paragraph(run("KEPT", WHITE)), about=DARK),
    "white in a dark table": cells(paragraph(run("KEPT", WHITE)), table=DARK),
    "white in a dark head": cells(paragraph(run("KEPT", WHITE)), table=DARK_HEAD.format(1)),
    "white on a marker": paragraph(run("KEPT", f'{WHITE}<w:highlight w:val="darkBlue"/>')),
    "white on a dark style": paragraph(run("KEPT"), "Band"),
    "paper darkened by half": paragraph(run("KEPT", '<w:color w:themeColor="background1" w:themeShade="80"/>')),
    "grey": paragraph(run("KEPT", '<w:color w:val="808080"/>')),
    "of no colour on black": paragraph(run("KEPT", '<w:color w:val="auto"/><w:shd w:val="clear" w:fill="000000"/>')),
}


@pytest.mark.parametrize("xml", NOT_SEEN.values(), ids=NOT_SEEN)
def test_what_looks_like_its_ground_or_vanishes_is_not_told(xml: str) -> None:
    result = styled(xml + paragraph(run("After.")))
    assert "SECRET" not in result.text
    assert "Before." in result.text
    assert "After." in result.text


@pytest.mark.parametrize("xml", STILL_SEEN.values(), ids=STILL_SEEN)
def test_what_can_be_told_from_its_ground_is_told(xml: str) -> None:
    result = styled(xml)
    assert "KEPT" in result.text
    assert result.hidden == 0


def test_code_that_was_moved_away_is_gone_and_code_at_the_end_is_told() -> None:
    moved = f"<w:moveFrom>{run('SECRET')}</w:moveFrom>"
    result = styled(paragraph(moved + run("print(1)"), "Code"))
    assert result.text == "Before.\n\n```\nprint(1)\n```"


def test_links_into_the_web_are_kept_and_others_become_text() -> None:
    def tell(document: Any) -> None:
        paragraph = document.add_paragraph("See ")
        for target, text in (("https://a.example/tides?x=1&y=2", "tides"), ("file:///etc/passwd", "files")):
            link = OxmlElement("w:hyperlink")
            link.set(qn("r:id"), document.part.relate_to(target, "http://x/hyperlink", is_external=True))
            run = paragraph.add_run(f" {text}")
            link.append(run._r)
            paragraph._p.append(link)

    text = read_word(word(tell)).text
    assert "[tides](https://a.example/tides?x=1&y=2)" in text
    assert text.endswith("files")
    assert "passwd" not in text


def test_footnotes_come_at_the_end_under_their_numbers() -> None:
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    body = archive(
        {
            "word/document.xml": f"<w:document {space}><w:body><w:p><w:r><w:t>Nine</w:t>"
            '<w:footnoteReference w:id="2"/></w:r></w:p></w:body></w:document>',
            "word/footnotes.xml": f'<w:footnotes {space}><w:footnote w:id="2"><w:p><w:r><w:t>By the old clock.</w:t>'
            '</w:r></w:p></w:footnote><w:footnote w:id="3"><w:p><w:r><w:t>Unused.</w:t></w:r></w:p></w:footnote>'
            "</w:footnotes>",
        }
    )
    assert read_word(body).text == "Nine[1]\n\n[1] By the old clock."


def test_code_keeps_its_lines_and_blanks() -> None:
    def tell(document: Any) -> None:
        document.styles.add_style("Source Code", 1)
        document.add_paragraph("def f():", style="Source Code")
        document.add_paragraph("    return 1", style="Source Code")
        document.add_paragraph("After.")

    assert read_word(word(tell)).text == "```\ndef f():\n    return 1\n```\n\nAfter."


def test_a_document_without_text_is_empty_and_one_without_its_main_part_is_broken() -> None:
    with pytest.raises(EmptyPage):
        read_word(word(lambda document: document))
    with pytest.raises(BrokenDocument):
        read_word(archive({"word/document.xml": "<w:document"}))
