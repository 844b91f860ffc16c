"""What a block shares with others: the section below a heading, and the part of the page that a label heads."""

import numpy as np

from gossamer.extractors.content.counts import Columns, Counts
from gossamer.extractors.content.phrases import TEXT_GROUPS
from gossamer.extractors.content.shape import Numbers, Places, Shape

_LABEL_TOKENS = 8
"""A longer text is no label of what follows."""
_PART = 0.4
"""What has a larger share of the page's words is the page, and no part of it."""


def of_section(counts: Counts, above: Places) -> Columns:
    """What stands below the same heading, the heading aside."""
    part = above - above[0]
    is_text = counts.heading == 0
    kinds = (counts.n, counts.linked, counts.prose, counts.stops)
    n, linked, prose, stops = (np.bincount(part, np.where(is_text, values, 0)).astype(float) for values in kinds)
    one = np.maximum(1, n)
    return {
        "section_n": n[part],
        "section_density": (linked / one)[part],
        "section_prose": (prose / one)[part],
        "section_stops": (stops / one)[part],
        "section_blocks": np.bincount(part)[part].astype(float),
    }


def of_boxes(counts: Counts, shape: Shape, n: Numbers) -> Columns:
    """Which phrases stand at the head of a part of the page round it."""
    first = shape.first_of(np.flatnonzero(counts.n > 0), counts.place)
    bits = np.zeros(len(shape.tags), int)
    for at in np.flatnonzero((counts.n > 0) & (counts.n <= _LABEL_TOKENS) & counts.says.any(axis=1)):
        box = top = int(counts.place[at])
        while box > 0 and first[shape.parents[box]] == at and n[shape.parents[box]] < _PART * counts.total:
            box = shape.parents[box]
        if box != top:
            bits[box] |= sum(1 << nth for nth in np.flatnonzero(counts.says[at]))
    found = shape.handed_down(bits)[counts.place]
    return {f"box_says_{name}": (found >> nth & 1).astype(float) for nth, name in enumerate(TEXT_GROUPS)}
