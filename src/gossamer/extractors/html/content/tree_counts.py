"""Tree counts: sums over a page's elements, each by its place in the outline.

Parents come before their children, so one walk forwards hands things down and one backwards adds them up.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.extractors.html.content.blocks import BLOCKS, Outline
from gossamer.extractors.html.content.vocabulary import name_bits

Numbers = NDArray[np.float64]
Places = NDArray[np.int64]

AROUND = (
    *("nav", "footer", "header", "aside", "main", "article", "form", "table", "ul", "ol", "dl", "li", "blockquote"),
    *("figure", "pre", "p", "details", "section", "button", "td", "dialog"),
)
"""Elements that say something of all text inside them."""
_ROLES = {
    "navigation": "nav",
    "contentinfo": "footer",
    "banner": "header",
    "complementary": "aside",
    "main": "main",
    "article": "article",
    "search": "form",
    "form": "form",
    "dialog": "dialog",
    "alertdialog": "dialog",
}
_TAG_BITS = {tag: 1 << at for at, tag in enumerate(AROUND)}


def ends_of(parents: Sequence[int]) -> Places:
    """For each element of a page the place behind the last one in it."""
    ends = list(range(1, len(parents) + 1))
    for at in range(len(ends) - 1, 0, -1):
        parent = parents[at]
        if ends[parent] < ends[at]:
            ends[parent] = ends[at]
    return np.array(ends)


class Shape:
    """The elements of a page, by place."""

    def __init__(self, page: Outline) -> None:
        size = len(page.elements)
        self.parents = page.parents
        self._ends = ends_of(page.parents)
        self.tags = [el.tag for el in page.elements]
        up, depth, path = [0] * size, [0] * size, [0] * size
        names, names_around, surroundings = [0] * size, [0] * size, [0] * size
        known: dict[str, int] = {}
        paths: dict[tuple[int, str, str], int] = {}
        kin: dict[tuple[int, str, str], int] = {}
        groups = [0] * size
        every = zip(self.tags, page.parents, page.classes, page.names, page.roles, strict=True)
        for at, (tag, parent, named, both, role) in enumerate(every):
            names[at] = known[both] if both in known else known.setdefault(both, name_bits(both))
            surroundings[at] = _TAG_BITS.get(tag, 0)
            if role:
                surroundings[at] |= _TAG_BITS.get(_ROLES.get(role, ""), 0)
            groups[at] = kin.setdefault((parent, tag, named), len(kin))
            if parent >= 0:
                up[at] = parent if self.tags[parent] in BLOCKS else up[parent]
                depth[at] = depth[parent] + 1
                names_around[at] = names_around[parent] | names[at]
                surroundings[at] |= surroundings[parent]
                path[at] = paths.setdefault((path[parent], tag, named), len(paths) + 1)
        self.groups: Places = np.array(groups)
        """Equal for elements that stand beside each other with the same tag and class."""
        self.repeats: Numbers = np.bincount(self.groups)[self.groups].astype(float)
        """How many elements each group has."""
        self.up: Places = np.array(up)
        """The nearest block round each element; the first stands in itself."""
        self.depth: Numbers = np.array(depth, float)
        self.path: Places = np.array(path)
        """Equal for elements that are reached by the same tags and classes."""
        self.names: Places = np.array(names)
        self.names_around: Places = np.array(names_around)
        self.surroundings: Places = np.array(surroundings)

    def spread(self, place: Places, values: "NDArray[Any] | float") -> Numbers:
        """Values of some elements as a list over all."""
        out = np.zeros(len(self.tags))
        out[place] = values
        return out

    def sums(self, own: Numbers) -> Numbers:
        """What each element and all below it have."""
        total = np.concatenate([[0.0], np.cumsum(own)])
        return total[self._ends] - total[:-1]

    def first_of(self, order: Places, place: Places) -> list[int]:
        """For each element the first of some blocks that stands in it; -1 where none does."""
        first = [-1] * len(self.tags)
        for nth in order.tolist():
            at = int(place[nth])
            while at >= 0 and first[at] < 0:
                first[at] = nth
                at = self.parents[at]
        return first

    def handed_down(self, bits: Places) -> Places:
        """The bits of each element and of all round it."""
        out: list[int] = bits.tolist()
        for at in range(1, len(out)):
            out[at] |= out[self.parents[at]]
        return np.array(out)

    def inside(self, top: int) -> Numbers:
        """1 for an element and all below it."""
        sums = np.zeros(len(self.tags))
        sums[top : self._ends[top]] = 1
        return sums

    def shared_depth(self, top: int) -> Numbers:
        """How far the way to each element is also the way to one of them."""
        way = {top}
        at = top
        while at > 0:
            at = self.parents[at]
            way.add(at)
        out = [0.0] * len(self.tags)
        for at in range(1, len(out)):
            out[at] = float(self.depth[at]) if at in way else out[self.parents[at]]
        return np.array(out)
