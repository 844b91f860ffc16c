"""Text hidden by what a sheet draws: boxes before and behind an element that lie over it, lines with a style."""

import pytest

from tests.unit.extractors.html.visibility.test_hidden_ways import KEPT, SECRET, VISIBLE, page, text_of

_WHOLE = "content:'';position:absolute;inset:0;background:#fff"
COVERED = {
    "behind its end": f".x{{position:relative}} .x::after{{{_WHOLE}}}",
    "before its beginning, one colon": f".x{{position:relative}} .x:before{{{_WHOLE}}}",
    "in capitals": f".x{{position:relative}} .x::AFTER{{{_WHOLE}}}",
    "by its sides": (
        ".x{position:relative} .x::after{content:'';position:absolute;top:0;left:0;width:100%;height:100%;"
        "background:#fff}"
    ),
    "by sides that reach further": (
        ".x{position:relative} .x::after{content:'';position:absolute;top:-9px;left:-50%;width:200%;bottom:-9px;"
        "background:#fff}"
    ),
    "from the other side": (
        ".x{position:relative} .x::after{content:'';position:absolute;bottom:0;right:0;width:100%;height:100%;"
        "background:#fff}"
    ),
    "with a plain gradient": (
        ".x{position:relative} .x::after{content:'';position:absolute;inset:0;background:linear-gradient(#fff,#fff)}"
    ),
    "with words of its own": f".x{{position:relative}} .x::after{{{_WHOLE};content:'Tides'}}",
    "in several rules": (
        ".x{position:relative} .x::after{background:#fff} p::after{content:'';position:absolute} .x::after{inset:0}"
    ),
    "by the part round it": f"div{{position:relative}} .x::after{{{_WHOLE}}}",
    "in a colour of the page": (
        f":root{{--paper:white}} .x{{position:relative}} .x::after{{{_WHOLE};background:var(--paper)}}"
    ),
    "for a screen": f"@media screen{{.x{{position:relative}} .x::after{{{_WHOLE}}}}}",
}
UNCOVERED = {
    "without content": ".x{position:relative} .x::after{position:absolute;inset:0;background:#fff}",
    "with no content": f".x{{position:relative}} .x::after{{{_WHOLE};content:none}}",
    "behind the words": f".x{{position:relative}} .x::after{{{_WHOLE};z-index:-1}}",
    "raised words": f".x{{position:relative}} .x::before{{{_WHOLE}}} .x b{{position:relative}}",
    "words raised by their layer": f".x{{position:relative}} .x::after{{{_WHOLE}}} .x b{{position:relative;z-index:1}}",
    "a line below": (
        ".x{position:relative} .x::after{content:'';position:absolute;left:0;bottom:0;width:100%;height:2px;"
        "background:#000}"
    ),
    "a line that grows": (
        ".x{position:relative} .x::after{content:'';position:absolute;left:0;top:0;width:0;height:9em;background:#000}"
    ),
    "waiting beside it": (
        ".x{position:relative} .x::before{content:'';position:absolute;top:0;left:-60%;width:100%;height:100%;"
        "background:#000}"
    ),
    "not yet drawn": f".x{{position:relative}} .x::before{{{_WHOLE};transform:scaleX(0)}}",
    "without opacity": f".x{{position:relative}} .x::before{{{_WHOLE};opacity:0}}",
    "while hovered": f".x{{position:relative}} .x:hover::after{{{_WHOLE}}}",
    "glass": f".x{{position:relative}} .x::after{{{_WHOLE};background:rgba(0,0,0,.4)}}",
    "a picture's shade": (
        ".x{position:relative} .x::after{content:'';position:absolute;inset:0;"
        "background:linear-gradient(transparent,#000)}"
    ),
    "in the flow": ".x::after{content:'';display:block;background:#fff;width:100%;height:100%}",
    "of another element": f".y{{position:relative}} .y::after{{{_WHOLE}}}",
    "of a narrow screen": f".x{{position:relative}} @media (max-width:500px){{.x::after{{{_WHOLE}}}}}",
    "later taken back": f".x{{position:relative}} .x::after{{{_WHOLE}}} p.x::after{{display:none}}",
}
LINES = {
    "a white first line": ".x::first-line{color:#fff}",
    "a white first line, one colon": ".x:first-line{color:white}",
    "a first line without size": ".x::first-line{font-size:0}",
    "a first line without opacity": ".x::first-line{opacity:0}",
    "a first line on its own ground": ".x::first-line{color:#c00;background:#c00}",
    "a clear first line": ".x::first-line{color:transparent}",
}
SEEN_LINES = {
    "a bold first line": ".x::first-line{font-weight:bold;font-size:1.2em;color:#c00}",
    "a white first line on black": ".x{background:#000;color:#ccc} .x::first-line{color:#fff}",
    "a first letter without size": ".x::first-letter{font-size:0}",
    "a white first letter": ".x::first-letter{color:#fff}",
    "a first line of another element": ".y::first-line{color:#fff}",
}


@pytest.mark.parametrize("css", COVERED.values(), ids=COVERED)
def test_what_a_drawn_box_lies_over_is_hidden(css: str) -> None:
    inside = f"<div><p class=x><b>{SECRET}</b> and {SECRET}</p></div>"
    assert "SECRET-WORD" not in text_of(page(inside, f"<style>{css}</style>"))


@pytest.mark.parametrize("css", UNCOVERED.values(), ids=UNCOVERED)
def test_what_no_drawn_box_lies_over_stays(css: str) -> None:
    assert KEPT in text_of(page(f"<div><p class=x><b>{KEPT}</b></p></div>", f"<style>{css}</style>"))


@pytest.mark.parametrize("css", LINES.values(), ids=LINES)
def test_a_first_line_that_cannot_be_seen_is_hidden(css: str) -> None:
    assert "SECRET-WORD" not in text_of(page(f"<p class=x>{SECRET} <b>{SECRET}</b></p>", f"<style>{css}</style>"))


@pytest.mark.parametrize("css", LINES.values(), ids=LINES)
def test_a_hidden_first_line_leaves_the_lines_behind_a_break(css: str) -> None:
    inside = f"<p class=x>{SECRET}<i>{SECRET}</i><br>{KEPT}<br>{VISIBLE * 3}</p>"
    text = text_of(page(inside, f"<style>{css}</style>"))
    assert "SECRET-WORD" not in text
    assert KEPT in text


@pytest.mark.parametrize("css", SEEN_LINES.values(), ids=SEEN_LINES)
def test_a_first_line_that_can_be_seen_stays(css: str) -> None:
    assert KEPT in text_of(page(f"<p class=x>{KEPT}</p>", f"<style>{css}</style>"))


def test_letters_that_are_all_first_ones_are_hidden() -> None:
    letters = "".join(f"<i>{letter}</i>" for letter in "SECRETWORD")
    css = "<style>i{display:inline-block} i::first-letter{font-size:0}</style>"
    assert "SECRETWORD" in text_of(page(f"<p>{letters}</p>")).replace("*", "")
    assert "SECRETWORD" not in text_of(page(f"<p>{letters}</p>", css)).replace("*", "")


def test_boxes_of_what_is_taken_out_of_the_page_cost_nothing() -> None:
    css = f"<style>* {{position:relative}} .y::after, svg::after, style::before {{{_WHOLE}}}</style>"
    frame = "<iframe class=y style='position:absolute;inset:0;background:#fff'></iframe><svg class=y><g></g></svg>"
    assert KEPT in text_of(page(f"{frame}<p>{KEPT}</p>", css))
