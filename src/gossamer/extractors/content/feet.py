"""The foot of a page: its rights, its address, its last links.

A name alone is no proof of one inside the text: a conclusion may stand in a box called "bottom", and the terms that an
article explains in one called "legal". There a foot has to read like one.
"""

import re

import numpy as np
from numpy.typing import NDArray

from gossamer.extractors.content.blocks import HEADINGS, Block, Outline
from gossamer.extractors.content.phrases import TEXT_GROUPS, Known, text_groups

OWN_NAME = 2
"""A name of the block itself or of one of the nearest round it."""
_SHORT = 30
_LONG = 150
"""Below an article, lines of a foot may be as long: an address, how to reach the publisher."""
_LINKED = 0.5
_MOST = 0.6
_RIGHTS = TEXT_GROUPS.index("rights")
_TEXT = frozenset({"main", "article"})
_FOOT_NAME = re.compile(r"(?:^|[-_\s])(?:[a-z]{0,20}footer|fuss|fusszeile|rodape|colophon|impressum)", re.IGNORECASE)


def foot(page: Outline, named: NDArray[np.float64], is_below: NDArray[np.bool_]) -> int:
    """Where the blocks begin with which the page ends and which are its foot.

    `named` says how near to each block something is called a foot, `is_below` whether an article stands before it.
    """
    is_real = _in_feet(page)
    at = len(page.blocks)
    while at > 1:
        begin, real = at, is_real[at - 1]
        while begin > 1 and is_real[begin - 1] == real and named[begin - 1] == OWN_NAME:
            if len(page.blocks[begin - 1].tokens) > (_LONG if is_below[begin - 1] else _SHORT):
                break
            begin -= 1
        if begin == at or not (real or _reads_like_one(page.blocks[begin:at])):
            break
        at = begin
    return at


def _in_feet(page: Outline) -> list[bool]:
    """For each block whether it stands in what is marked or called a footer, outside the text."""
    called = Known(_is_called_foot)
    in_text, in_foot = [False] * len(page.elements), [False] * len(page.elements)
    for at, (el, role) in enumerate(zip(page.elements, page.roles, strict=True)):
        parent = page.parents[at]
        in_text[at] = el.tag in _TEXT or role == "main" or (at > 0 and in_text[parent])
        is_foot = at > 0 and (el.tag == "footer" or role == "contentinfo" or called[page.names[at]])
        in_foot[at] = (is_foot and not in_text[at]) or (at > 0 and in_foot[parent])
    return [in_foot[block.at] for block in page.blocks]


def _is_called_foot(names: str) -> bool:
    return _FOOT_NAME.search(names) is not None


def _reads_like_one(blocks: list[Block]) -> bool:
    """Whether lines have no heading, and are mostly links and rights."""
    if any(block.element.tag in HEADINGS for block in blocks):
        return False
    total = sum(len(block.tokens) for block in blocks)
    usual = sum(len(block.tokens) for block in blocks if _is_usual(block))
    return usual >= _MOST * total


def _is_usual(block: Block) -> bool:
    return block.linked >= _LINKED * len(block.tokens) or text_groups(block.text)[_RIGHTS]
