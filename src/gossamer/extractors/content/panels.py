"""Panels behind tabs and labels, and folds: parts of one text, so none is left out for being short."""

from collections.abc import Collection, Sequence

from gossamer.extractors.content.blocks import Outline
from gossamer.extractors.tree import Element

_SHORT_TOKENS = 20
"""A judge of single blocks is right about longer panels: the reviews of a product, the terms of its shop."""
_LINKED = 0.5
_APART = frozenset({"aside", "footer", "form", "nav"})


def keep_panels(page: Outline, kept: list[bool], panels: Collection[Element]) -> None:
    """Keep a short panel beside one that is kept, and a short fold in an article, unless it only leads elsewhere."""
    _keep_beside(page, kept, panels)
    _keep_folds(page, kept)


def _keep_folds(page: Outline, kept: list[bool]) -> None:
    """Keep a short fold that follows kept text in the article round it."""
    if next(page.elements[0].iter("details"), None) is None:
        return
    fold, article = [-1] * len(page.elements), [-1] * len(page.elements)
    for at in range(1, len(fold)):
        tag, parent = page.elements[at].tag, page.parents[at]
        fold[at] = at if tag == "details" else fold[parent]
        article[at] = at if tag == "article" else -1 if tag in _APART else article[parent]
    blocks: dict[int, list[int]] = {}
    before: dict[int, int] = {}
    last = -1
    for nth, block in enumerate(page.blocks):
        if block.tokens and (at := fold[block.at]) >= 0 and article[at] >= 0:
            blocks.setdefault(at, []).append(nth)
            before.setdefault(at, last)
        last = nth if block.tokens else last
    for at, held in blocks.items():
        above = before[at]
        follows = above >= 0 and kept[above] and article[page.blocks[above].at] == article[at]
        if follows and _is_short(page, held):
            for nth in held:
                kept[nth] = True


def _is_short(page: Outline, held: Sequence[int]) -> bool:
    """Whether blocks are few words, and not links for the most part."""
    size = sum(len(page.blocks[nth].tokens) for nth in held)
    return size <= _SHORT_TOKENS and sum(page.blocks[nth].linked for nth in held) <= _LINKED * size


def _keep_beside(page: Outline, kept: list[bool], panels: Collection[Element]) -> None:
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
        if page.parents[at] in told and _is_short(page, held):
            for nth in held:
                kept[nth] = True
