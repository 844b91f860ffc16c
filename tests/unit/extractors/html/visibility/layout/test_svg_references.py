"""Text hidden by drawings that a style names, by boxes of old kinds, and by turning it round."""

import pytest

from tests.unit.extractors.html.visibility.test_hidden_ways import KEPT, SECRET, page, text_of

_RECT = "<rect width='100%' height='100%' fill='{}'></rect>"


def drawn(kind: str, inside: str, css: str, more: str = "") -> str:
    return f"<svg width=0 height=0><{kind} id=M {more}>{inside}</{kind}></svg><p style='{css}'>?</p>"


HIDING = {
    "a clip of nothing": drawn("clipPath", "", "clip-path:url(#M)"),
    "a clip of an empty box": drawn("clipPath", "<rect width=0 height=9 />", 'clip-path:url("#M")'),
    "a clip of a box beside it": drawn("clipPath", "<rect x=-99 y=0 width=90 height=90 />", "clip-path:url(#M)"),
    "a clip of a point": drawn("clipPath", "<circle r=0 />", "-webkit-clip-path:url( #M )"),
    "a clip of a flat ellipse": drawn("clipPath", "<ellipse rx=50 ry=0 />", "clip-path:url(#M)"),
    "a clip without a path": drawn("clipPath", "<path d='M0 0' />", "clip-path:url(#M)"),
    "a clip of what is not there": drawn("clipPath", "<text style='display: none'>a</text>", "clip-path:url(#M)"),
    "a clip of next to no share": drawn(
        "clipPath", "<rect width=.001 height=1 />", "clip-path:url(#M)", "clipPathUnits=objectBoundingBox"
    ),
    "an empty mask": drawn("mask", "", "mask:url(#M)"),
    "a black mask": drawn("mask", _RECT.format("black"), "mask-image:url(#M)"),
    "a black mask by a number": drawn("mask", _RECT.format("rgb(0,0,0)"), "-webkit-mask:url(#M)"),
    "a mask that says no colour": drawn("mask", "<rect width='100%' height='100%' />", "mask:url(#M)"),
    "a mask without width": drawn("mask", _RECT.format("white"), "mask:url(#M)", "width=0"),
    "a clear mask": drawn("mask", "<rect width='100%' height='100%' fill=white fill-opacity=0 />", "mask:url(#M)"),
    "a filter without parts": drawn("filter", "", "filter:url(#M)"),
    "a filter that floods": drawn("filter", "<feFlood flood-opacity=0 />", "filter:url(#M)"),
    "a filter without opacity": drawn(
        "filter", "<feColorMatrix values='1 0 0 0 0  0 1 0 0 0  0 0 1 0 0  0 0 0 0 0' />", "filter:url(#M)"
    ),
    "a filter of functions": drawn(
        "filter", "<feComponentTransfer><feFuncA type=linear slope=0 /></feComponentTransfer>", "filter:url(#M)"
    ),
    "a filter of a table": drawn(
        "filter",
        "<feComponentTransfer><feFuncA type=table tableValues='0 0' /></feComponentTransfer>",
        "filter:url(#M)",
    ),
    "a filter that blurs": drawn("filter", "<feGaussianBlur stdDeviation=20 />", "filter:url(#M)"),
    "a filter that moves": drawn("filter", "<feOffset dx=-5000 />", "filter:url(#M)"),
    "in a sheet": (
        "<style>.x{clip-path:url(#m)}</style><svg><clipPath id=m></clipPath></svg><div class=x><p>?</p></div>"
    ),
    "a marquee without height": "<marquee height=0>?</marquee>",
    "a marquee without width": "<marquee width=0>?</marquee>",
    "a marquee of a pixel": "<marquee style='height:1px'>?</marquee>",
    "moved by the height that it says": (
        "<div style='overflow:hidden;height:60px'><p style='transform:translateY(100%);height:60px'>?</p></div>"
    ),
    "moved by all of the height": (
        "<div style='overflow:hidden;height:60px'><p style='translate:0 100%;height:100%'>?</p></div>"
    ),
}
SHOWING = {
    "a clip of a box": drawn("clipPath", "<rect width=900 height=400 />", "clip-path:url(#M)"),
    "a clip of a share": drawn(
        "clipPath", "<rect width=1 height=1 />", "clip-path:url(#M)", "clipPathUnits=objectBoundingBox"
    ),
    "a clip of a box that a sheet measures": drawn("clipPath", "<rect class=all />", "clip-path:url(#M)"),
    "a clip of another drawing": drawn("clipPath", "<use href='#a' />", "clip-path:url(#M)"),
    "a clip of a path": drawn("clipPath", "<path d='M0 0H900V400H0Z' />", "clip-path:url(#M)"),
    "a clip that is not there": "<p style='clip-path:url(#gone)'>?</p>",
    "an empty clip of another": drawn("clipPath", "", "clip-path:url(#other)"),
    "an empty clip named as a mask": drawn("clipPath", "", "filter:url(#M)"),
    "a white mask": drawn("mask", _RECT.format("white"), "mask:url(#M)"),
    "a white mask by the part round it": drawn(
        "mask", "<g fill='#fff'><rect width='100%' height='100%' /></g>", "mask:url(#M)"
    ),
    "a mask of a gradient": drawn("mask", _RECT.format("url(#g)"), "mask:url(#M)"),
    "a mask by what is opaque": drawn("mask", _RECT.format("black"), "mask:url(#M)", "style='mask-type:alpha'"),
    "a mask of a picture": drawn("mask", "<image href=a.png />", "mask:url(#M)"),
    "a filter that shades": drawn(
        "filter",
        "<feGaussianBlur stdDeviation=20 /><feMerge><feMergeNode /><feMergeNode in=SourceGraphic /></feMerge>",
        "filter:url(#M)",
    ),
    "a filter that colours": drawn(
        "filter", "<feColorMatrix values='0 0 0 0 0  0 1 0 0 0  0 0 1 0 0  0 0 0 1 0' />", "filter:url(#M)"
    ),
    "a filter that blurs a little": drawn("filter", "<feGaussianBlur stdDeviation=.5 />", "filter:url(#M)"),
    "a filter that is not there": "<p style='filter:url(#gone)'>?</p>",
    "a marquee": "<marquee height=70 scrollamount=1>?</marquee>",
    "a marquee of shares": "<marquee width='100%'>?</marquee>",
    "moved by half of the height that it says": (
        "<div style='overflow:hidden;height:60px'><p style='transform:translateY(50%);height:60px'>?</p></div>"
    ),
}
TURNED = {
    "by a style": "<span style='unicode-bidi:bidi-override;direction:rtl'>?</span>",
    "by another style": "<span style='unicode-bidi:isolate-override;direction:rtl'>?</span>",
    "by an element": "<bdo dir=rtl>?</bdo>",
    "by an element and the part round it": "<p dir=rtl><bdo>?</bdo></p>",
    "by a sheet": "<style>.t{unicode-bidi:bidi-override;direction:rtl}</style><span class=t>?</span>",
    "further in": "<bdo dir=rtl><b>?</b></bdo>",
}
STRAIGHT = {
    "to the right": "<span style='unicode-bidi:bidi-override;direction:ltr'>?</span>",
    "to the right, by an element": "<p dir=rtl><bdo dir=ltr>?</bdo></p>",
    "not turned": "<p style='direction:rtl'>?</p>",
    "set apart": "<p dir=rtl><span style='unicode-bidi:isolate'>?</span></p>",
    "turned back": "<bdo dir=rtl style='unicode-bidi:normal'>?</bdo>",
}


@pytest.mark.parametrize("inside", HIDING.values(), ids=HIDING)
def test_what_a_drawing_leaves_nothing_of_is_hidden(inside: str) -> None:
    assert "SECRET-WORD" not in text_of(page(inside.replace("?", SECRET)))


@pytest.mark.parametrize("inside", SHOWING.values(), ids=SHOWING)
def test_what_a_drawing_shows_stays(inside: str) -> None:
    assert KEPT in text_of(page(inside.replace("?", KEPT)))


@pytest.mark.parametrize("inside", TURNED.values(), ids=TURNED)
def test_a_short_text_that_is_turned_is_told_as_it_is_read(inside: str) -> None:
    assert "(info@harbour.example)" in text_of(page(f"<div>Mail {inside.replace('?', '(elpmaxe.ruobrah@ofni)')}</div>"))


@pytest.mark.parametrize("inside", TURNED.values(), ids=TURNED)
def test_a_long_text_that_is_turned_is_hidden(inside: str) -> None:
    assert "SECRET-WORD" not in text_of(page(f"<div>Mail {inside.replace('?', f'{SECRET} or {SECRET}')}</div>"))


@pytest.mark.parametrize("inside", STRAIGHT.values(), ids=STRAIGHT)
def test_a_text_that_is_not_turned_stays(inside: str) -> None:
    assert KEPT in text_of(page(f"<div>{inside.replace('?', KEPT)}</div>"))


def test_a_text_to_the_left_stays_and_is_turned_to_the_right() -> None:
    assert "שלום" in text_of(page("<div>x <bdo dir=rtl>שלום</bdo></div>"))
    assert "םולש" in text_of(page("<div>x <bdo dir=ltr>שלום</bdo></div>"))


def test_what_stands_hidden_in_a_turned_text_is_taken_out_first() -> None:
    inside = "<div>Mail <bdo dir=rtl>elpmaxe.<i style='display:none'>x</i>ruobrah@ofni</bdo></div>"
    assert "info@harbour.example" in text_of(page(inside))
