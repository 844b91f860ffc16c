"""The cards of other stories below an article, told by their make and by how much the judge doubts them."""

import numpy as np
import pytest

from gossamer.extractors.html.content.blocks import outline
from gossamer.extractors.html.content.features import KIND
from gossamer.extractors.html.content.other_stories import other_stories
from gossamer.extractors.html.content.tree_counts import Shape
from gossamer.extractors.html.tree import body, parse

SENTENCE = "The river rose by two metres in a single night and took the old bridge with it. "
ARTICLE = f"<article>{f'<p>{SENTENCE * 4}</p>' * 6}</article>"


def card(nth: int, line: str = "What a town does without its only bridge.") -> str:
    headline = f'<h2><a href="/story/{nth}">Story number {nth} of today</a></h2>'
    return f'<div class="card">{headline}<p class="teaser">{line}</p></div>'


def others(html: str, *, card_likely: float = 0.55, shelf: float = 0.0) -> list[str]:
    """The texts that stand in cards of other stories; what stands in no card is clear text."""
    root = parse(f"<html><body>{html}</body></html>")
    assert root is not None
    page = outline(body(root))
    path = Shape(page).path[np.array([block.at for block in page.blocks])]
    columns = {KIND: path.astype(float)}
    columns |= {f"kind_{kind}": np.full(len(path), shelf) for kind in ("collection", "listing", "product")}
    in_card = [any(page.classes[at] == "card" for at in (block.at, *page.way(block.at, 9))) for block in page.blocks]
    likely = np.where(in_card, card_likely, 0.9)
    is_other = other_stories(page, columns, likely)
    return [block.text for block, other in zip(page.blocks, is_other, strict=True) if other]


def test_cards_below_an_article_are_other_stories() -> None:
    found = others(ARTICLE + "".join(map(card, range(6))))
    assert len(found) == 12
    assert found[:2] == ["Story number 0 of today", "What a town does without its only bridge."]


@pytest.mark.parametrize(
    ("html", "card_likely", "shelf"),
    [
        (ARTICLE + "".join(map(card, range(5))), 0.55, 0.0),  # too few
        ("".join(map(card, range(6))), 0.55, 0.0),  # no article
        (f"<p>{SENTENCE}</p>" + "".join(map(card, range(6))), 0.55, 0.0),  # hardly any text above them
        (ARTICLE + "".join(map(card, range(6))), 0.65, 0.0),  # the judge does not doubt them
        (ARTICLE + "".join(map(card, range(6))), 0.55, 3.0),  # the page says that it is a list
        ("".join(map(card, range(6))) + ARTICLE, 0.55, 0.0),  # above the article
        (ARTICLE + "".join(map(card, range(6))) + f"<p>{SENTENCE}</p>", 0.55, 0.0),  # the text goes on
        (ARTICLE + "".join(card(nth, SENTENCE * 4) for nth in range(6)), 0.55, 0.0),  # whole sections, not cards
        (ARTICLE + "".join(map(card, range(20))) + card(20, SENTENCE * 9), 0.55, 0.0),  # one of them is
    ],
)
def test_what_may_be_content_is_left_to_the_judge(html: str, card_likely: float, shelf: float) -> None:
    assert others(html, card_likely=card_likely, shelf=shelf) == []
