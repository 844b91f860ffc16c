"""The blocks of a page as columns of numbers, which all that is known of them is counted from."""

import re
from collections.abc import Iterable

import numpy as np

from gossamer.extractors.content.blocks import HEADINGS, Outline
from gossamer.extractors.content.phrases import text_groups
from gossamer.extractors.content.shape import Numbers, Places, Shape

Columns = dict[str, Numbers]

_STOPS = re.compile(r"[.!?…](?=[\s\"'”’)]|$)|[。！？]")
_COMMAS = re.compile(r"[,;:，、；：]")
_PROSE_TOKENS = 12


class Counts:
    """The blocks of a page in numbers."""

    def __init__(self, page: Outline, shape: Shape) -> None:
        blocks = page.blocks
        self.blocks = blocks
        self.size = len(blocks)
        self.place: Places = np.array([block.at for block in blocks])
        self.tags = [shape.tags[block.at] for block in blocks]
        self.n = numbers(len(block.tokens) for block in blocks)
        self.chars = numbers(len(block.text) for block in blocks)
        self.linked = np.minimum(self.n, numbers(block.linked for block in blocks))
        self.stops = numbers(len(_STOPS.findall(block.text)) for block in blocks)
        self.commas = numbers(len(_COMMAS.findall(block.text)) for block in blocks)
        self.images = numbers(block.images for block in blocks)
        self.heading = numbers(int(tag[1]) if tag in HEADINGS else 0 for tag in self.tags)
        self.says = np.array([text_groups(block.text) for block in blocks], float)
        self.total = max(1.0, float(self.n.sum()))
        self.density = self.linked / np.maximum(1, self.n)
        self.prose = np.where((self.n > _PROSE_TOKENS) & (self.density < 0.4), self.n, 0)


def numbers(values: Iterable[float]) -> Numbers:
    """A column of them."""
    return np.array(list(values), float)
