"""Panels behind tabs and labels: they are one text in several views, so none is left out for being short."""

from collections.abc import Collection

from gossamer.extractors.content.blocks import Outline
from gossamer.extractors.tree import Element

_SHORT_TOKENS = 20
"""A judge of single blocks is right about longer panels: the reviews of a product, the terms of its shop."""
_LINKED = 0.5


def keep_panels(page: Outline, kept: list[bool], panels: Collection[Element]) -> None:
    """Keep a short panel beside one that is kept, unless it only leads elsewhere."""
    own = set(panels)
    places = [at for at, el in enumerate(page.elements) if el in own] if own else []
    if len(places) < 2:
        return
    inside = [-1] * len(page.elements)
    for at in range(1, len(inside)):
        inside[at] = at if page.elements[at] in own else inside[page.parents[at]]
    blocks: dict[int, list[int]] = {at: [] for at in places}
    for nth, block in enumerate(page.blocks):
        if inside[block.at] >= 0 and block.tokens:
            blocks[inside[block.at]].append(nth)
    told = {page.parents[at] for at, held in blocks.items() if any(kept[nth] for nth in held)}
    for at, held in blocks.items():
        size = sum(len(page.blocks[nth].tokens) for nth in held)
        linked = sum(page.blocks[nth].linked for nth in held)
        if page.parents[at] in told and size <= _SHORT_TOKENS and linked <= _LINKED * size:
            for nth in held:
                kept[nth] = True
