"""Repeated units: the cards of a shop, the posts of a thread, the rows of a list, as columns for the classifier.

Elements beside each other with the same tag and class are one group. A block is described by the innermost and by the
outermost group round it: how many units it has, and what a unit is made of. That tells a shelf of products from a menu,
and a list that is the page from one beside it, however many boxes stand between a unit and its text.
"""

from collections.abc import Mapping

import numpy as np

from gossamer.extractors.html.content.tree_counts import Numbers, Places, Shape

_FEWEST_UNITS = 3
_NONE = -1


def of_units(shape: Shape, place: Places, total: float, sums: Mapping[str, Numbers]) -> dict[str, Numbers]:
    """The columns of blocks at some places; `sums` says what each element and all below it have."""
    units = np.bincount(shape.groups, (sums["n"] > 0).astype(float))
    size = {name: np.bincount(shape.groups, values) for name, values in sums.items()}
    is_unit = (units[shape.groups] >= _FEWEST_UNITS) & (sums["n"] > 0)
    inner, outer = _nearest_and_farthest(is_unit.tolist(), shape.parents)
    largest = max(1.0, float(size["n"][shape.groups[is_unit]].max(initial=0.0)))
    order = np.cumsum(shape.spread(place, 1.0))
    columns: dict[str, Numbers] = {}
    for name, unit_of in (("inner", inner), ("outer", outer)):
        unit = unit_of[place]
        is_in = unit != _NONE
        group = shape.groups[np.maximum(unit, 0)]
        count = np.maximum(1, units[group])
        n = np.maximum(1, size["n"][group])
        found = {
            "units": units[group],
            "mean": n / count,
            "share": n / total,
            "rank": n / largest,
            "density": size["linked"][group] / n,
            "stops": size["stops"][group] / count,
            "prices": size["price"][group] / count,
            "images": size["images"][group] / count,
            "heads": size["heads"][group] / count,
            "blocks": size["blocks"][group] / count,
            "nth": order[place] - order[np.maximum(unit, 0)],
        }
        columns |= {f"{name}_{key}": np.where(is_in, values, -1.0) for key, values in found.items()}
    return columns


def _nearest_and_farthest(is_unit: list[bool], parents: list[int]) -> tuple[Places, Places]:
    """For each element the innermost and the outermost unit that it stands in or is; -1 where there is none."""
    inner, outer = [_NONE] * len(parents), [_NONE] * len(parents)
    for at in range(1, len(parents)):
        parent = parents[at]
        inner[at] = at if is_unit[at] else inner[parent]
        outer[at] = outer[parent] if outer[parent] != _NONE else inner[at]
    return np.array(inner), np.array(outer)
