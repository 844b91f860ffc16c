"""Text of a PDF that its reader cannot see, and text that only looks as if he could not."""

from typing import Any, cast

import pypdfium2
import pytest

from gossamer.extractors.pdf import invisible_text
from gossamer.extractors.pdf.invisible_text import look_at

FONT = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
SEEN = "BT 0 g /F1 12 Tf 72 700 Td (High tide at nine.) Tj ET "
DRAWING = "0 g 50 600 m 300 600 l 320 650 l 300 700 l 50 700 l 40 650 l 30 640 l h f"
IMAGE = "q 612 0 0 792 0 0 cm BI /W 1 /H 1 /BPC 8 /CS /G ID \x80 EI Q "
SMALL = "q 3 0 0 3 75 652 cm BI /W 1 /H 1 /BPC 8 /CS /G ID \x80 EI Q "


def pdf(operators: str, *, box: str = "0 0 612 792", form: str = "") -> bytes:
    """A page drawn by `operators`, which may call a form as `/Fm Do`, on paper of the given size."""
    resources = f"/Resources<</Font<</F1 {FONT}>>/XObject<</Fm 5 0 R>>/ExtGState<</G0 <</ca 0>>>>>>"
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        f"<</Type/Page/Parent 2 0 R/MediaBox[{box}]/Contents 4 0 R{resources}>>",
        f"<</Length {len(operators)}>>stream\n{operators}\nendstream",
        f"<</Type/XObject/Subtype/Form/BBox[0 0 612 792]/Length {len(form)}{resources}>>stream\n{form}\nendstream",
    ]
    body, offsets = "%PDF-1.7\n", list[int]()
    for number, content in enumerate(objects, 1):
        offsets.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    end = f"trailer<</Size 6/Root 1 0 R>>\nstartxref\n{len(body)}\n%%EOF"
    return f"{body}xref\n0 6\n0000000000 65535 f \n{table}{end}".encode("latin-1")


def read(body: bytes) -> tuple[str, str]:
    """The text that is seen, and the text that is not."""
    document = cast("Any", pypdfium2.PdfDocument(body))
    page = document[0]
    words = page.get_textpage()
    unseen = look_at(page, words).unseen
    text = words.get_text_range(0, words.count_chars())
    parts = ("".join(sign for at, sign in enumerate(text) if (at in unseen) == wanted) for wanted in (False, True))
    found = tuple(" ".join(part.split()) for part in parts)
    words.close()
    page.close()
    document.close()
    return found[0], found[1]


def said(extra: str, *, ink: str = "0 g", size: float = 12, mode: int = 0, at: str = "72 650") -> str:
    return f"BT {ink} {mode} Tr /F1 {size} Tf {at} Td ({extra}) Tj ET "


UNSEEN = {
    "without ink": said("SECRET", mode=3),
    "white on white": said("SECRET", ink="1 g"),
    "nearly white": said("SECRET", ink="0.97 0.98 0.99 rg"),
    "white by inks": said("SECRET", ink="0 0 0 0 k"),
    "of one point": said("SECRET", size=1),
    "scaled to nothing": "q 0.01 0 0 0.01 72 600 cm BT 0 g /F1 12 Tf (SECRET) Tj ET Q",
    "right of the page": said("SECRET", at="700 650"),
    "below the page": said("SECRET", at="72 -50"),
    "transparent": f"q /G0 gs {said('SECRET')} Q",
    "black on black": f"0 g 50 600 300 100 re f {said('SECRET')}",
    "painted over": f"{said('SECRET')} 1 g 50 600 300 100 re f",
    "painted over in two strokes": f"{said('SECRET')} 1 g 50 600 50 100 re f 95 600 200 100 re f",
    "white beside a dark spot": f"0 g 75 655 3 3 re f {said('SECRET', ink='1 g')}",
    "white on a spot painted often": f"{'0 g 75 655 2 2 re f ' * 100}{said('SECRET', ink='1 g')}",
    "white on a white drawing": f"{DRAWING.replace('0 g', '1 g')} {said('SECRET', ink='1 g')}",
    "white on a clear rectangle": f"q /G0 gs 0 g 50 600 300 100 re f Q {said('SECRET', ink='1 g')}",
    "without ink on a small picture": f"{SMALL}{said('SECRET', mode=3)}",
    "blacked out": f"{said('SECRET')} 0 g 50 600 300 100 re f",
}
VISIBLE = {
    "black": said("KEPT"),
    "light grey": said("KEPT", ink="0.7 g"),
    "white on black": f"0 g 50 600 300 100 re f {said('KEPT', ink='1 g')}",
    "white on a picture": f"{IMAGE}{said('KEPT', ink='1 g')}",
    "white on a drawing": f"{DRAWING} {said('KEPT', ink='1 g')}",
    "text of a scan": f"{IMAGE}{said('KEPT', mode=3)}",
    "outlined": said("KEPT", ink="1 g 0 G", mode=1),
    "of six points": said("KEPT", size=6),
    "of one point, twelve times enlarged": "BT 0 g /F1 1 Tf 12 0 0 12 72 600 Tm (KEPT) Tj ET",
    "framed": f"{said('KEPT')} 0 G 50 600 300 100 re S",
    "partly on the page": said("KEPT", at="590 650"),
}


@pytest.mark.parametrize("operators", UNSEEN.values(), ids=UNSEEN)
def test_text_that_cannot_be_seen_is_found(operators: str) -> None:
    assert read(pdf(SEEN + operators)) == ("High tide at nine.", "SECRET")


@pytest.mark.parametrize("operators", VISIBLE.values(), ids=VISIBLE)
def test_text_that_can_be_seen_is_left_alone(operators: str) -> None:
    seen, unseen = read(pdf(f"{operators} {SEEN}" if "re f" not in operators else operators))
    assert "KEPT" in seen
    assert unseen == ""


def test_text_within_a_form_is_judged_where_the_form_puts_it() -> None:
    inside = said("SECRET", at="10 10")
    assert read(pdf(f"{SEEN} q 0.05 0 0 0.05 72 500 cm /Fm Do Q", form=inside))[1] == "SECRET"
    assert read(pdf(f"{SEEN} q 1 0 0 1 72 500 cm /Fm Do Q", form=inside))[1] == ""


SQUARES = "".join(f"0.5 g {n * 2} {10 + row * 2} 2 2 re f " for n in range(100) for row in range(10))
"""A thousand small ones, side by side."""


def test_a_text_on_many_small_grounds_is_judged_by_those_below_it() -> None:
    assert read(pdf(f"{SEEN}{SQUARES}{said('KEPT', ink='1 g', at='20 14')}"))[1] == ""
    assert read(pdf(f"{SEEN}{SQUARES}{said('SECRET', ink='1 g')}"))[1] == "SECRET"


def test_text_over_more_grounds_than_are_looked_through_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(invisible_text, "MOST_LOOKS", 100)
    assert read(pdf(f"{SEEN}{SQUARES}{said('SECRET', at='20 14')}")) == ("High tide at nine.", "SECRET")


def test_text_behind_more_objects_than_are_looked_through_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(invisible_text, "MAX_OBJECTS", 50)
    lines = "0 0 m 1 1 l S " * 60
    assert read(pdf(f"{SEEN}{lines}{said('SECRET')}")) == ("High tide at nine.", "SECRET")
    assert read(pdf(f"{SEEN} /Fm Do", form=f"{lines}{said('SECRET')}")) == ("High tide at nine.", "SECRET")


def test_text_in_more_forms_than_are_opened_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(invisible_text, "_MAX_DEPTH", 0)
    assert read(pdf(f"{SEEN} /Fm Do", form=said("SECRET"))) == ("High tide at nine.", "SECRET")


def test_a_form_within_itself_ends() -> None:
    assert read(pdf(f"{SEEN} /Fm Do", form="/Fm Do"))[0] == "High tide at nine."
