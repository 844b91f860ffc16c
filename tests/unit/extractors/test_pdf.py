import pytest

from gossamer.errors import BrokenDocument, EmptyPage, Outcome
from gossamer.extractors.pdf import read_pdf
from gossamer.model.page import View

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


def test_pages_are_parted_by_a_blank_line() -> None:
    result = read_pdf(pdf("High tide at nine.", "Low tide at three."), view=View())
    assert result.text == "High tide at nine.\n\nLow tide at three."
    assert (result.title, result.info.author, result.info.published) == ("Tide tables", "Harbour Board", "2026-03-04")


def test_html_and_selector_views_of_a_pdf() -> None:
    assert read_pdf(pdf("a < b"), view=View(format="html")).text == "<pre>a &lt; b</pre>"
    assert read_pdf(pdf("a"), view=View(selector="p")).outcome is Outcome.NO_MATCH


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
