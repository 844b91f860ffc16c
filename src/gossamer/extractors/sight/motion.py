"""Animations of a page's own style sheets: what they come to, where that is to hide."""

import re
from collections.abc import Mapping, Sequence

from gossamer.extractors.sight.cascade import Style
from gossamer.extractors.sight.styles import MOTION, declarations
from gossamer.extractors.sight.suspicion import hides
from gossamer.extractors.tree import Element

Steps = Mapping[str, list[tuple[str, Style]]]
"""The steps of an animation by its name: when each is, and what it says."""
_KEYFRAMES = re.compile(r"@(?:-[a-z]+-)?keyframes\s+([\w-]+)\s*\{((?:[^{}]*\{[^{}]*\})*)", re.IGNORECASE)
_STEP = re.compile(r"([^{}]*)\{([^{}]*)\}")
_WAITS = frozenset({"backwards", "both"})
_STAYS = frozenset({"forwards", "both"})
_FIRST, _LAST = frozenset({"from", "0%"}), frozenset({"to", "100%"})


def animations(root: Element) -> dict[str, list[tuple[str, Style]]]:
    """The animations that the page's own style sheets describe."""
    found: dict[str, list[tuple[str, Style]]] = {}
    for sheet in root.iter("style"):
        for name, inside in _KEYFRAMES.findall(sheet.text or ""):
            steps = [(when.lower(), declarations(step)) for when, step in _STEP.findall(inside)]
            found[name.lower()] = [(when, {key: value for key, (value, _) in step.items()}) for when, step in steps]
    return found


def at_rest(style: Style, steps: Steps) -> Style:
    """The style of an element once its animation rests, if it then hides; so too if it hides from first to last."""
    words = " ".join(style.get(name, "") for name in MOTION).replace(",", " ").lower().split()
    stays = not _STAYS.isdisjoint(words) and "infinite" not in words
    waits = "paused" in words and not _WAITS.isdisjoint(words)
    for name in words:
        hiding = [(_moments(when), _hiding(step)) for when, step in steps.get(name, ())]
        first, last = _of(hiding, _FIRST), _of(hiding, _LAST)
        is_always = bool(first) and bool(last) and all(said for _, said in hiding)
        if waits and first:
            return {**style, **first}
        if last and (stays or is_always):
            return {**style, **last}
    return style


def _of(steps: Sequence[tuple[set[str], Style]], moment: frozenset[str]) -> Style:
    """What is said of a moment in the end."""
    said = [step for when, step in steps if when & moment]
    return said[-1] if said else {}


def _moments(when: str) -> set[str]:
    return {part.strip() for part in when.split(",")}


def _hiding(step: Style) -> Style:
    return {name: value for name, value in step.items() if hides(name, value)}
