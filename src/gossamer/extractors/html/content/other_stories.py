"""Other stories: the cards below an article, each a linked headline with a line or two about it.

Such a line reads like the article's own, and a judge of single blocks is in two minds about it. What tells them is that
six or more cards of one make follow clear text, that the judge doubts all of them, and that nothing it is sure of
follows.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gossamer.extractors.html.content.blocks import Outline
from gossamer.extractors.html.content.features import KIND, Columns
from gossamer.extractors.html.content.tree_counts import ends_of

_SHELVES = ("collection", "listing", "product")
_MOST_OF_A_SHELF = 2.0
"""On a page whose words say more of a shop or a list, cards are the content, or are judged with it."""
_FEWEST_CARDS = 6
_HEADLINE_TOKENS = 25
_LINKED = 0.8
_LEVELS = 8
"""So many elements further out the card of a headline is looked for."""
_CARD_TOKENS = 45
_LARGEST_CARD = 3 * _CARD_TOKENS
_CLEAR = 0.7
_CLEAR_TOKENS = 300
_DOUBTED = 0.6
_SURE = 0.8
_SENTENCE = 8


def other_stories(page: Outline, columns: Columns, likely: NDArray[np.float64]) -> NDArray[np.bool_]:
    """For each block whether it stands in a card of another story."""
    is_other = np.zeros(len(page.blocks), bool)
    if max(float(columns[f"kind_{kind}"][0]) for kind in _SHELVES) > _MOST_OF_A_SHELF:
        return is_other
    size = np.array([len(block.tokens) for block in page.blocks], float)
    clear = np.concatenate([[0.0], np.cumsum(np.where(likely >= _CLEAR, size, 0))])
    if clear[-1] < _CLEAR_TOKENS:
        return is_other
    last = int(np.flatnonzero((likely >= _SURE) & (size >= _SENTENCE)).max(initial=-1))
    ends = ends_of(page.parents).tolist()
    places = [block.at for block in page.blocks]
    for headlines in _headlines(page, columns):
        cards = [range(bisect_left(places, at), bisect_left(places, ends[at])) for at in _cards(page, headlines)]
        inside = sorted({nth for card in cards for nth in card})
        if len(cards) < _FEWEST_CARDS or clear[inside[0]] < _CLEAR_TOKENS or last > inside[-1]:
            continue
        sizes = [size[card.start : card.stop].sum() for card in cards]
        is_doubted = (likely * size)[inside].sum() <= _DOUBTED * size[inside].sum()
        if sum(sizes) <= _CARD_TOKENS * len(cards) and max(sizes) <= _LARGEST_CARD and is_doubted:
            is_other[inside] = True
    return is_other


def _headlines(page: Outline, columns: Columns) -> list[list[int]]:
    """The short lines that are links, those of one make together."""
    makes: dict[float, list[int]] = {}
    for nth, (block, make) in enumerate(zip(page.blocks, columns[KIND].tolist(), strict=True)):
        size = len(block.tokens)
        if 0 < size <= _HEADLINE_TOKENS and block.links and block.linked >= _LINKED * size:
            makes.setdefault(make, []).append(nth)
    return [make for make in makes.values() if len(make) >= _FEWEST_CARDS]


def _cards(page: Outline, headlines: Sequence[int]) -> list[int]:
    """For each headline the largest element that has no other one of its make; none where two share their block."""
    ways = [[page.blocks[nth].at, *page.way(page.blocks[nth].at, _LEVELS)] for nth in headlines]
    shared = Counter(at for way in ways for at in way)
    return [own[-1] for way in ways if (own := [at for at in way if shared[at] == 1])]
