"""A table that stands on a page twice, for two widths of screen, is written once."""

import pytest

from gossamer.extractors.html.pipeline import read_html
from gossamer.model.page import View

NARROW = "<table><tr><td>Number<td>17<tr><td>Office<td>Harbour<tr><td>Day<td>Monday</table>"
WIDE = "<table><tr><td>Number<td>17<td>Office<td>Harbour<tr><td>Day<td>Monday</table>"
OTHER = "<table><tr><td>Number<td>18<td>Office<td>Harbour<tr><td>Day<td>Monday</table>"
CASES = {
    "side by side": (f"{NARROW}{WIDE}", 1),
    "in boxes": (f"<div><div>{NARROW}</div></div><div class=desk><hr>{WIDE}</div>", 1),
    "a line between": (f"{NARROW}<p>From Mossgate</p>{WIDE}", 2),
    "a word between": (f"<div>{NARROW} or</div>{WIDE}", 2),
    "another value": (f"{NARROW}{OTHER}", 2),
    "far away": (f"{NARROW}{'<hr>' * 60}{WIDE}", 2),
}


@pytest.mark.parametrize(("html", "times"), CASES.values(), ids=CASES)
def test_a_table_for_another_width_of_screen_is_left_out(html: str, times: int) -> None:
    text = read_html(f"<body>{html}</body>", url="https://harbour.example/", view=View(selector="body")).text
    assert text.count("Monday") == times
