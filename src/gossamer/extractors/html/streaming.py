"""Streamed pages: puts what React sent late into the places that it was sent for, as the page's own script does.

React sends a page before all of its parts are ready: a placeholder (`<template id="B:1">`) with what is shown till
then, later the part itself, hidden (`<div hidden id="S:1">`), and a call that moves it (`$RC("B:1","S:1")`). This is
done before anybody asks what can be seen, so that a part is judged by the place where its reader sees it. A part that
no call and no placeholder names stays hidden.
"""

import re

from gossamer.extractors.html.tree import Element, attr, body, drop_tags, drop_trees, is_element

_PLACE = re.compile(r"[\w«»:-]{0,40}([BP]):([0-9a-f]{1,6})")
_PART = re.compile(r"[\w«»:-]{0,40}S:([0-9a-f]{1,6})")
_CALL = re.compile(r"\$R[A-Z]\(\s*[\"']([^\"']{1,50})[\"']\s*,\s*[\"']([^\"']{1,50})[\"']")
_MAX_STEPS = 300_000
"""Nodes that are looked at for all parts of a page: each part alone may lie as deep, and wait as long, as it likes."""
_MAX_DEPTH = 1_000
_STARTS = frozenset({"$", "$?", "$!", "$~"})
"""Comments that begin a boundary, within which a `/$` is not the end of the one round it."""


def place_streamed(root: Element) -> None:
    """Move the parts of a streamed page to their places; what stood there meanwhile goes."""
    places = _named(root, "template", _PLACE)
    if not places:
        return
    parts = _named(root, "*", _PART)
    calls = _calls(root)
    if not calls and not any(True for _ in root.iter("script")):
        calls = _numbered(root, places, parts)
    stream = _Stream()
    for place, part in calls:
        if place in places and part in parts and not stream.is_exhausted:
            stream.move(parts.pop(part), places.pop(place))
    drop_trees(root, stream.fallbacks)
    drop_tags(root, stream.filled)


def _named(root: Element, tag: str, name: re.Pattern[str]) -> dict[str, Element]:
    """Elements by ids of one kind, the first of each."""
    named: dict[str, Element] = {}
    for el in root.xpath(f"descendant::{tag}[@id]"):
        if name.fullmatch(attr(el, "id")):
            named.setdefault(attr(el, "id"), el)
    return named


def _calls(root: Element) -> list[tuple[str, str]]:
    """Which part goes where, as the scripts of the page say; some calls name the part first."""
    calls: list[tuple[str, str]] = []
    for script in root.iter("script"):
        for one, other in _CALL.findall(script.text or ""):
            calls.append((other, one) if _PART.fullmatch(one) else (one, other))
    return calls


def _numbered(root: Element, places: dict[str, Element], parts: dict[str, Element]) -> list[tuple[str, str]]:
    """The same by number, for a page that was saved without its scripts; only where the parts are most of its text."""
    pairs = [(name, _PLACE.sub(r"S:\2", name)) for name in places]
    pairs = [(place, part) for place, part in pairs if part in parts]
    late = {parts[part] for _, part in pairs}
    sizes = [0, 0]
    for el in body(root).iter("*"):
        if el.getparent() in late:
            late.add(el)
        sizes[el in late] += len((el.text or "").strip()) + sum(len((child.tail or "").strip()) for child in el)
    return pairs if sizes[True] > sizes[False] else []


class _Stream:
    """Moves parts, and collects what is to go once all have been moved."""

    def __init__(self) -> None:
        self.fallbacks: list[Element] = []
        self.filled: list[Element] = []
        self._steps = 0

    @property
    def is_exhausted(self) -> bool:
        """Whether as much has been looked at as a page is worth."""
        return self._steps > _MAX_STEPS

    def move(self, part: Element, place: Element) -> None:
        """Put what a part holds into its placeholder, unless that would nest it in itself or too deep."""
        above = [place, *place.iterancestors()]
        self._steps += len(above)
        if part in above or len(above) + self._height(part) > _MAX_DEPTH:
            return
        if "B:" in attr(place, "id"):
            self._drop_fallback(place)
        place.text, part.text = part.text, ""
        for node in list(part):
            place.append(node)
        self.filled.append(place)

    def _height(self, top: Element) -> int:
        """How deep an element goes; beyond any limit once too much has been looked at."""
        height = 0
        level: list[Element] = [top]
        while level and not self.is_exhausted:
            height, level = height + 1, [child for el in level for child in el]
            self._steps += len(level)
        return _MAX_DEPTH if level else height

    def _drop_fallback(self, place: Element) -> None:
        """Note what stands behind a placeholder as far as its boundary goes; nothing where that has no end."""
        waiting: list[Element] = []
        depth, node = 1, place.getnext()
        while node is not None and not self.is_exhausted:
            self._steps += 1
            mark = "" if is_element(node) else (node.text or "")
            depth += (mark in _STARTS) - (mark == "/$")
            if not depth:
                break
            waiting.append(node)
            node = node.getnext()
        if node is not None:
            for late in (place, *waiting):
                late.tail = ""
            self.fallbacks += filter(is_element, waiting)
