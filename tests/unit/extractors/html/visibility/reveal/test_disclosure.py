"""Text folded away: rows and columns of grids without room, boxes that are as high as if they were empty."""

import pytest

from tests.unit.extractors.html.visibility.test_hidden_ways import KEPT, SECRET, page, text_of

_GRID = "display:grid;grid-template-rows"
HIDING = {
    "a share of nothing": f"<div style='{_GRID}:0fr'><div style='overflow:hidden'><p>?</p></div></div>",
    "a share of nothing, in full": (
        f"<div style='{_GRID}:minmax(0,0fr)'><div style='overflow:hidden;min-height:0'>?</div></div>"
    ),
    "a row without height": f"<div style='{_GRID}:0;overflow:hidden'><p>?</p></div>",
    "a row without height, and a part that cuts off": f"<div style='{_GRID}:0px'><p style='overflow:clip'>?</p></div>",
    "rows without height": f"<div style='{_GRID}:[a] 0 [b] 0px;overflow:hidden'><p>x</p><p>?</p></div>",
    "repeated rows": f"<div style='{_GRID}:repeat(3, 0);overflow:hidden'><p>x</p><p>?</p></div>",
    "rows that are not said": "<div style='display:grid;grid-auto-rows:0;overflow:hidden'><p>x</p><p>?</p></div>",
    "a shorthand": "<div style='display:grid;grid-template:0 / 1fr;overflow:hidden'><p>?</p></div>",
    "another shorthand": "<div style='display:inline-grid;grid:0px / auto;overflow:hidden'><p>?</p></div>",
    "a column without width": (
        "<div style='display:grid;grid-template-columns:0'><p style='overflow:hidden'>?</p></div>"
    ),
    "in a sheet": (
        "<style>.f{display:grid;grid-template-rows:0fr}.f>*{overflow:hidden}</style><div class=f><p>?</p></div>"
    ),
    "a size of its own": "<p style='contain:size;overflow:hidden'>?</p>",
    "strictly contained": "<p style='contain:strict'>?</p>",
    "contained with its paint": "<p style='contain:size paint'>?</p>",
    "a container": "<p style='container-type:size;overflow:hidden'>?</p>",
    "a container with a name": "<p style='container:box / size;overflow:clip'>?</p>",
    "contained, in a sheet": "<style>.s{contain:strict}</style><div class=s><p>?</p></div>",
    "a panel that no control names": (
        f"<div id=a role=region style='{_GRID}:0fr'><div style='overflow:hidden'>?</div></div>"
    ),
}
SHOWING = {
    "a share of all": f"<div style='{_GRID}:1fr'><div style='overflow:hidden'><p>?</p></div></div>",
    "a share of nothing that grows with its part": f"<div style='{_GRID}:0fr'><div><p>?</p></div></div>",
    "a part further in": (f"<div style='{_GRID}:0fr'><div><div style='overflow:hidden'><p>?</p></div></div></div>"),
    "a row of its own": f"<div style='{_GRID}:auto 0;overflow:hidden'><p>?</p></div>",
    "a row behind": f"<div style='{_GRID}:0;overflow:hidden'><p>x</p><p>?</p></div>",
    "rows without height that cut nothing off": f"<div style='{_GRID}:0'><p>?</p></div>",
    "rows of no grid": "<div style='grid-template-rows:0;overflow:hidden'><p>?</p></div>",
    "a column that it leaves": ("<div style='display:grid;grid-template-columns:0;overflow:hidden'><p>?</p></div>"),
    "a high part": f"<div style='{_GRID}:0'><p style='overflow:hidden;height:9em'>?</p></div>",
    "a high grid": f"<div style='{_GRID}:0;overflow:hidden;min-height:9em'><p>?</p></div>",
    "columns": "<div style='display:grid;grid-template-columns:1fr 2fr'><p style='overflow:hidden'>?</p></div>",
    "contained and high": "<p style='contain:strict;height:9em;overflow:auto'>?</p>",
    "contained and as high as it is told": "<p style='contain:strict;contain-intrinsic-size:auto 9em'>?</p>",
    "contained, of a shape": "<p style='contain:size;aspect-ratio:2;overflow:hidden'>?</p>",
    "contained between its sides": (
        "<div style='position:relative'><p style='contain:strict;position:absolute;top:0;bottom:0'>?</p></div>"
    ),
    "contained in its paint": "<p style='contain:content'>?</p>",
    "a container by its width": "<p style='container-type:inline-size;overflow:hidden'>?</p>",
    "contained and not cut off": "<p style='contain:size'>?</p>",
    "a panel with its button": (
        "<button id=b aria-controls=a>Winter</button>"
        f"<div id=a role=region aria-labelledby=b style='{_GRID}:0fr'><div style='overflow:hidden'><p>?</p></div></div>"
    ),
}


@pytest.mark.parametrize("inside", HIDING.values(), ids=HIDING)
def test_what_is_folded_away_is_hidden(inside: str) -> None:
    assert "SECRET-WORD" not in text_of(page(inside.replace("?", SECRET)))


@pytest.mark.parametrize("inside", SHOWING.values(), ids=SHOWING)
def test_what_has_room_stays(inside: str) -> None:
    assert KEPT in text_of(page(inside.replace("?", KEPT)))
