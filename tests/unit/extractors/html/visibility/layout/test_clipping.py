"""Text hidden by its place: outside of a box that cuts it off, or below one that lies over it."""

import pytest

from tests.unit.extractors.html.visibility.test_hidden_ways import KEPT, SECRET, page, text_of

_BOX = "position:relative;width:100px;height:50px;overflow:hidden"
_OVER = "position:absolute;inset:0;background:#fff"
OUTSIDE = {
    "placed to the right": f"<div style='{_BOX}'>ok<span style='position:absolute;left:200px'>?</span></div>",
    "placed below": f"<div style='{_BOX}'>ok<span style='position:absolute;top:100%'>?</span></div>",
    "placed above by its own side": f"<div style='{_BOX}'>ok<span style='position:absolute;bottom:60px'>?</span></div>",
    "placed to the left": f"<div style='{_BOX}'>ok<span style='position:absolute;left:-100%'>?</span></div>",
    "placed beside a box of any width": (
        "<div style='position:relative;overflow:hidden'>ok<span style='position:absolute;left:100%'>?</span></div>"
    ),
    "placed within a moved part": (
        f"<div style='{_BOX}'><div style='position:relative;left:4em'><i style='position:absolute;left:3em'>?</i></div>"
        "</div>"
    ),
    "nudged out": "<div style='overflow:hidden;width:10em'><p style='position:relative;left:12em'>?</p></div>",
    "nudged out by the other side": (
        "<div style='overflow:hidden;width:10em'><p style='position:relative;right:-12em'>?</p></div>"
    ),
    "by a margin": "<div style='overflow:clip;max-width:100px'><p style='margin-left:300px'>?</p></div>",
    "by a margin above": "<div style='overflow:hidden;height:60px'><p style='margin-top:300px'>?</p></div>",
    "by a margin of all of the width": "<div style='overflow:hidden'><p style='margin-left:100%'>?</p></div>",
    "by two margins": (
        "<div style='overflow:hidden;height:60px'><div style='margin-top:40px'><p style='margin-top:40px'>?</p></div>"
        "</div>"
    ),
    "by padding": "<div style='overflow:hidden;height:60px'><p style='padding-top:300px'>?</p></div>",
    "by moving it": "<div style='overflow:hidden;height:60px'><p style='transform:translateY(100px)'>?</p></div>",
    "by moving it by its width": "<div style='overflow:hidden'><p style='transform:translateX(100%)'>?</p></div>",
    "by moving it with a property": "<div style='overflow:hidden'><p style='translate:-100%'>?</p></div>",
    "by an indent on one line": "<div style='overflow:hidden;width:9em;text-indent:10em;white-space:nowrap'>?</div>",
    "by an indent of the part round it": (
        "<div style='text-indent:200px;white-space:nowrap'><p style='overflow:hidden;width:100px'>?</p></div>"
    ),
    "of a box that contains its paint": (
        "<div style='contain:paint;height:60px'><p style='margin-top:300px'>?</p></div>"
    ),
    "of the page": "<style>body{overflow-x:hidden}</style><p style='position:absolute;left:100vw'>?</p>",
    "of a box in a sheet": (
        "<style>.f{overflow:hidden;width:99px}.f p{margin-left:99px}</style><div class=f><p>?</p></div>"
    ),
}
INSIDE = {
    "at its edge": f"<div style='{_BOX}'>ok<span style='position:absolute;left:10px;bottom:0'>?</span></div>",
    "of a box that cuts off nothing": (
        "<div style='position:relative;width:100px;height:50px'><p style='position:absolute;left:200px'>?</p></div>"
    ),
    "placed by another box": (
        "<div style='overflow:hidden;width:100px'><p style='position:absolute;left:200px;top:0'>?</p></div>"
    ),
    "placed on the screen": f"<div style='{_BOX}'><p style='position:fixed;left:200px;top:0'>?</p></div>",
    "beside a part of it": (
        "<div style='overflow:hidden'><div style='position:relative;width:90px'><p style='position:absolute;left:100%'>"
        "?</p></div></div>"
    ),
    "beside a narrow part": "<div style='overflow:hidden'><p style='width:90px;transform:translateX(100%)'>?</p></div>",
    "in the middle": "<div style='overflow:hidden'><p style='margin-left:50%'>?</p></div>",
    "pulled up": "<div style='overflow:hidden;height:90px'><p style='margin-top:-40px'>?</p></div>",
    "of a cell, which grows": (
        "<table><tr><td style='overflow:hidden;width:20px'><p style='margin-left:30px'>?</p></td></tr></table>"
    ),
    "of a part that grows": "<div style='flex:1;width:0;overflow:hidden'><p style='margin-left:30px'>?</p></div>",
    "an indent over lines": "<div style='overflow:hidden;width:9em;text-indent:10em'>?</div>",
    "moved by its height": "<div style='overflow:hidden'><p style='transform:translateY(100%)'>?</p></div>",
    "a box with padding": (
        "<div style='overflow:hidden;height:9px;padding:0 0 300px'><p style='margin-top:19px'>?</p></div>"
    ),
    "a line of text that cuts off": "<span style='overflow:hidden;width:9px'><b style='margin-left:20px'>?</b></span>",
}
COVERED = {
    "by what comes later": f"<div style='position:relative'><p>?</p><div style='{_OVER}'></div></div>",
    "by its sides": (
        "<div style='position:relative'><p>?</p><div style='position:absolute;top:0;left:0;width:100%;height:100%;"
        "background:#fff'></div></div>"
    ),
    "by what comes first": f"<div style='position:relative'><div style='{_OVER}'></div><p>?</p></div>",
    "by what is nearer": (
        f"<div style='position:relative'><div style='{_OVER};z-index:3'></div><p style='position:relative'>?</p></div>"
    ),
    "bare text": f"<div style='position:relative'>?<div style='{_OVER}'></div></div>",
    "by what stands in a part": f"<div style='position:relative'><p>?</p><div><i style='{_OVER}'></i></div></div>",
    "raised within what is not": (
        f"<div style='position:relative'><div style='position:relative;z-index:0'>"
        f"<p style='position:relative;z-index:9'>?</p></div><div style='{_OVER};z-index:1'></div></div>"
    ),
    "by a colour of the page": (
        "<style>:root{--paper:white}.c{position:absolute;inset:0;background:var(--paper)}</style>"
        "<div style='position:relative'><p>?</p><div class=c></div></div>"
    ),
    "beside a main part that is raised": (
        f"<div style='position:relative'><main style='position:relative;z-index:2'>ok</main><p>?</p>"
        f"<div style='{_OVER}'></div></div>"
    ),
}
UNCOVERED = {
    "raised": (f"<div style='position:relative'><div style='{_OVER}'></div><p style='position:relative'>?</p></div>"),
    "raised by its layer": (
        f"<div style='position:relative'><p style='position:relative;z-index:2'>?</p><div style='{_OVER}'></div></div>"
    ),
    "on the cover": f"<div style='position:relative'><div style='{_OVER}'><p>?</p></div></div>",
    "below glass": (
        "<div style='position:relative'><p>?</p><div style='position:absolute;inset:0;background:rgba(0,0,0,.5)'></div>"
        "</div>"
    ),
    "below nothing": "<div style='position:relative'><p>?</p><a style='position:absolute;inset:0'></a></div>",
    "below what is faint": f"<div style='position:relative'><p>?</p><div style='{_OVER};opacity:.2'></div></div>",
    "below what is not there": f"<div style='position:relative'><p>?</p><div style='{_OVER}' hidden></div></div>",
    "below what cannot be seen": (
        f"<div style='position:relative'><p>?</p><div style='display:none'><i style='{_OVER}'></i></div></div>"
    ),
    "below what is mixed in": (
        f"<div style='position:relative'><p>?</p><div style='{_OVER};mix-blend-mode:multiply'></div></div>"
    ),
    "beside a part": (
        "<div style='position:relative'><p>?</p><div style='position:absolute;top:0;left:0;width:50%;height:100%;"
        "background:#fff'></div></div>"
    ),
    "behind": f"<div style='position:relative'><p>?</p><div style='{_OVER};z-index:-1'></div></div>",
    "beside a covered part": f"<p>?</p><div style='position:relative'><p>x</p><div style='{_OVER}'></div></div>",
    "a cover of the screen": f"<p>?</p><div style='{_OVER}'></div>",
    "a page that is loading": (
        f"<div style='position:relative'><div style='{_OVER};z-index:9'>Loading</div><main>?</main></div>"
    ),
}


@pytest.mark.parametrize("inside", OUTSIDE.values(), ids=OUTSIDE)
def test_what_lies_outside_of_a_box_that_cuts_off_is_hidden(inside: str) -> None:
    assert "SECRET-WORD" not in text_of(page(inside.replace("?", SECRET)))


@pytest.mark.parametrize("inside", INSIDE.values(), ids=INSIDE)
def test_what_lies_in_a_box_that_cuts_off_stays(inside: str) -> None:
    assert KEPT in text_of(page(inside.replace("?", KEPT)))


@pytest.mark.parametrize("inside", COVERED.values(), ids=COVERED)
def test_what_a_painted_box_lies_over_is_hidden(inside: str) -> None:
    assert "SECRET-WORD" not in text_of(page(inside.replace("?", SECRET)))


@pytest.mark.parametrize("inside", UNCOVERED.values(), ids=UNCOVERED)
def test_what_nothing_lies_over_stays(inside: str) -> None:
    assert KEPT in text_of(page(inside.replace("?", KEPT)))
