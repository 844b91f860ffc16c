"""Boxes whose rows, or whose insides as a whole, take no room: what they cut off is folded away."""

import re

from gossamer.extractors.sight.boxes import is_cut_off, is_inline, length
from gossamer.extractors.sight.cascade import Style
from gossamer.extractors.sight.lengths import pixels
from gossamer.extractors.tree import Element, children

GRID = frozenset({"grid-template-rows", "grid-template-columns", "grid-auto-rows"})
_DISPLAYS = frozenset({"grid", "inline-grid", "block grid", "inline grid"})
_REPEAT = re.compile(r"repeat\(\s*(\d{1,4})\s*,([^()]*)\)")
_NAMES = re.compile(r"\[[^\[\]]*\]")
_MINMAX = re.compile(r"minmax\(\s*(?:0|0px|auto)\s*,\s*(0[a-z%]*)\s*\)")
_MANY = 10_000
_SIZED = frozenset({"height", "min-height", "aspect-ratio", "contain-intrinsic-size"})
_NOT_SIZED = frozenset({"", "auto", "none", "0", "0px"})


def flat_tracks(said: str) -> int:
    """How many rows or columns a grid has, if all of them are flat; 0 when one is not."""
    text = _MINMAX.sub(r"\1", _NAMES.sub(" ", said))
    tracks = 0
    for count, inside in _REPEAT.findall(text):
        if not all(map(_is_flat, inside.split())):
            return 0
        tracks += int(count) * len(inside.split())
    rest = _REPEAT.sub(" ", text).split()
    return min(_MANY, tracks + len(rest)) if all(map(_is_flat, rest)) else 0


def _is_flat(track: str) -> bool:
    size = pixels(track)
    return size is not None and size <= (0 if track.endswith("fr") else 1)


def has_flat_cells(el: Element, style: Style) -> bool:
    """Whether an element lays all that stands in it into rows, or into columns, that have no room."""
    if GRID.isdisjoint(style) or style.get("display", "") not in _DISPLAYS:
        return False
    return _has_flat_rows(el, style) or flat_tracks(style.get("grid-template-columns", "")) > 0


def _has_flat_rows(el: Element, style: Style) -> bool:
    if flat_tracks(style.get("grid-auto-rows", "")) and style.get("grid-template-rows", "none") == "none":
        return True
    columns = style.get("grid-template-columns", "none")
    rows = flat_tracks(style.get("grid-template-rows", "")) if "(" not in columns else 0
    return rows > 0 and sum(1 for _ in children(el)) <= rows * len(columns.split())


def is_folded(el: Element, style: Style, grid: Element | None) -> bool:
    """Whether nothing of an element is seen, since it cuts off what leaves it and takes no room.

    `grid` is what lays elements into flat cells. A row that is flat by its share of what is left grows with what it
    holds, unless that cuts itself off.
    """
    if el.tag in {"html", "body"} or not (is_cut_off(style) or "contain" in style):
        return False
    if any(style.get(name, "") not in _NOT_SIZED for name in _SIZED) or length(style, "padding-bottom") > 5:
        return False
    if grid is not None and el.getparent() is grid and is_cut_off(style):
        return True
    return _is_size_contained(style, el.tag) or _is_flat_grid(el, style)


def _is_flat_grid(el: Element, style: Style) -> bool:
    """Whether all rows of a grid that cuts off are flat, whatever stands in them."""
    if GRID.isdisjoint(style) or "fr" in style.get("grid-template-rows", "") + style.get("grid-auto-rows", ""):
        return False
    is_grid = style.get("display", "") in _DISPLAYS and "flex" not in style
    return is_grid and not (el.text or "").strip() and _has_flat_rows(el, style)


def _is_size_contained(style: Style, tag: str) -> bool:
    """Whether a box is as high as if it were empty."""
    said = {*style.get("contain", "").split(), *style.get("container-type", "").replace("/", " ").split()}
    if said.isdisjoint({"size", "strict"}) or "flex" in style or is_inline(style, tag):
        return False
    is_stretched = "top" in style and "bottom" in style
    return not is_stretched and (is_cut_off(style) or not said.isdisjoint({"strict", "paint", "content"}))
