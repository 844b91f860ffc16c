"""Repeated units: cards, posts and rows, told by elements of one make beside each other."""

import numpy as np

from gossamer.extractors.html.content.blocks import outline
from gossamer.extractors.html.content.features import Hints, features
from gossamer.extractors.html.tree import body, parse

CARD = (
    "<div class=card><div><img src=a.png><h3><a href=/{0}>Lamp {0}</a></h3></div><div><span>$ {0}0</span></div></div>"
)
SHELF = f"<div class=shelf>{''.join(CARD.format(n) for n in range(1, 5))}</div>"
MENU = f"<ul>{''.join(f'<li><a href=/{n}>Part {n}</a></li>' for n in range(9))}</ul>"


def columns_of(html: str) -> dict[str, list[float]]:
    root = parse(html)
    assert root is not None
    page = outline(body(root))
    columns = features(page, Hints())
    return {block.text: [float(columns[name][nth]) for name in COLUMNS] for nth, block in enumerate(page.blocks)}


COLUMNS = ("outer_units", "outer_heads", "outer_prices", "outer_density", "outer_rank")


def test_a_block_knows_the_cards_that_it_is_part_of_through_the_boxes_inside_them() -> None:
    known = columns_of(f"{MENU}<p>Our lamps</p>{SHELF}")
    assert known["Lamp 3"] == known["$ 30"] == [4, 1, 1, 2 / 3, 12 / 18]
    assert known["Part 5"] == [9, 0, 0, 1, 1]
    assert known["Our lamps"] == [-1] * len(COLUMNS)


def test_two_of_a_kind_are_no_group() -> None:
    known = columns_of(f"<div><p>One lamp</p></div><div>{SHELF}</div>")
    assert known["One lamp"][0] == -1


def test_the_innermost_group_is_told_from_the_outermost() -> None:
    post = "<section><h2>Ann {0}</h2><ul><li>one</li><li>two</li><li>three</li></ul></section>"
    root = parse("".join(post.format(n) for n in range(5)))
    assert root is not None
    page = outline(body(root))
    columns = features(page, Hints())
    items = np.array([block.element.tag == "li" for block in page.blocks])
    assert set(columns["inner_units"][items]) == {3.0}
    assert set(columns["outer_units"]) == {5.0}
