"""Text below a painted box that is its sibling: in the same cell of a grid, or pulled back over it."""

import pytest

from tests.unit.extractors.html.visibility.test_hidden_ways import KEPT, SECRET, page, text_of

_CELL = "grid-area:1/1"
_GRID = "<div style='display:grid'>"
_PULLED = "position:relative;height:90px;margin-top:-90px;background:#fff"
COVERED = {
    "in one cell": f"{_GRID}<p style='{_CELL}'>?</p><div style='{_CELL};background:#fff'></div></div>",
    "in one cell, by rows and columns": (
        f"{_GRID}<p style='grid-row:1;grid-column:1'>?</p>"
        "<p style='grid-row:1;grid-column:1;background:#fff'>x</p></div>"
    ),
    "in one cell, by a name": (
        f"{_GRID}<p style='grid-area:a'>?</p><p style='grid-area:a;background:#fff'>x</p></div>"
    ),
    "in one cell, by lines": (
        f"{_GRID}<p style='grid-area:1/1/2/2'>?</p><p style='grid-area:1 / 1;background:#fff'>x</p></div>"
    ),
    "in one cell, by a layer": (
        f"{_GRID}<p style='{_CELL};z-index:2;background:#fff'>x</p><p style='{_CELL}'>?</p></div>"
    ),
    "in one cell, all by a sheet": (
        "<style>.g{display:grid}.g>*{grid-area:1/1}.c{background:#fff}</style>"
        "<div class=g><p>?</p><p class=c>x</p></div>"
    ),
    "pulled over it": f"<div style='height:90px'>?</div><div style='{_PULLED}'></div>",
    "pulled over what says nothing": f"<div>?</div><div style='{_PULLED}'></div>",
    "moved over it": ("<div>?</div><div style='position:relative;min-height:90px;top:-90px;background:#fff'>x</div>"),
    "pulled over it, by a sheet": f"<style>.c{{{_PULLED}}}</style><div>?</div><div class=c>x</div>",
}
SEEN = {
    "in another cell": (f"{_GRID}<p style='{_CELL}'>?</p><p style='grid-area:2/1;background:#fff'>x</p></div>"),
    "the upper of a cell": (
        f"{_GRID}<p style='{_CELL};background:#fff'>x</p><p style='{_CELL};background:#eee'>?</p></div>"
    ),
    "on a picture in its cell": (f"{_GRID}<img src=a.png style='{_CELL}'><p style='{_CELL};color:#000'>?</p></div>"),
    "below glass": (f"{_GRID}<p style='{_CELL}'>?</p><p style='{_CELL};background:rgba(0,0,0,.3)'>x</p></div>"),
    "below a small box": (
        f"{_GRID}<p style='{_CELL}'>?</p><p style='{_CELL};background:#fff;align-self:end'>x</p></div>"
    ),
    "raised in its cell": (
        f"{_GRID}<p style='{_CELL};position:relative'>?</p><p style='{_CELL};background:#fff'>x</p></div>"
    ),
    "in a cell of no grid": f"<div><p style='{_CELL}'>?</p><p style='{_CELL};background:#fff'>x</p></div>",
    "below a box that is not there": (
        f"{_GRID}<p style='{_CELL}'>?</p><p style='{_CELL};background:#fff;opacity:0'>x</p></div>"
    ),
    "above what is pulled and not placed": (
        "<div style='height:90px'>?</div><div style='height:90px;margin-top:-90px;background:#fff'></div>"
    ),
    "pulled up a little": (f"<div style='height:90px'>?</div><div style='{_PULLED};margin-top:-20px'></div>"),
    "a card over the edge of a head": (
        "<div style='height:400px'>?</div>"
        "<div style='position:relative;height:500px;margin-top:-60px;background:#fff'>x</div>"
    ),
    "pulled, and narrow": f"<div>?</div><div style='{_PULLED};width:40px'></div>",
    "pulled, and clear": f"<div>?</div><div style='{_PULLED};background:none'></div>",
    "a long text before": f"<div>{'words and more words ' * 40}?</div><div style='{_PULLED}'></div>",
    "raised before it": f"<div style='position:relative;z-index:2'>?</div><div style='{_PULLED}'></div>",
}


@pytest.mark.parametrize("inside", COVERED.values(), ids=COVERED)
def test_what_a_sibling_lies_over_is_hidden(inside: str) -> None:
    assert "SECRET-WORD" not in text_of(page(inside.replace("?", SECRET)))


@pytest.mark.parametrize("inside", SEEN.values(), ids=SEEN)
def test_what_no_sibling_lies_over_stays(inside: str) -> None:
    assert KEPT in text_of(page(inside.replace("?", KEPT)))


@pytest.mark.parametrize("removed", ["<script>x</script>", "<template>x</template>", "<i hidden>x</i>", "<!-- x -->"])
def test_a_removed_element_below_the_cover_of_a_page_costs_no_page(removed: str) -> None:
    cover = "article::after{content:'';position:absolute;inset:0;background:#fff}"
    assert KEPT in text_of(page(f"<p>{KEPT}</p>{removed}", f"<style>*{{position:relative}}{cover}</style>"))
