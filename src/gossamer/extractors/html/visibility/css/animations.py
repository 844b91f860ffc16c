"""Animation properties: the shorthand expanded, and where and when each animation comes to rest."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from gossamer.extractors.html.visibility.css.lengths import number
from gossamer.extractors.html.visibility.css.syntax import EXPONENT, NUMBER, split_outside

_DEFAULTS = {
    "animation-name": "none",
    "animation-duration": "0s",
    "animation-delay": "0s",
    "animation-iteration-count": "1",
    "animation-direction": "normal",
    "animation-fill-mode": "none",
    "animation-play-state": "running",
    "animation-timing-function": "ease",
    "animation-timeline": "auto",
    "animation-composition": "replace",
}
MOTION = tuple(_DEFAULTS)
CASED = frozenset({"animation", "animation-name"})
"""What holds names, of which capitals are a part."""
_WORDS = {
    **dict.fromkeys(("normal", "reverse", "alternate", "alternate-reverse"), "animation-direction"),
    **dict.fromkeys(("none", "forwards", "backwards", "both"), "animation-fill-mode"),
    **dict.fromkeys(("running", "paused"), "animation-play-state"),
    **dict.fromkeys(
        ("linear", "ease", "ease-in", "ease-out", "ease-in-out", "step-start", "step-end"), "animation-timing-function"
    ),
    "infinite": "animation-iteration-count",
}
_CALLS = {
    **dict.fromkeys(("steps", "cubic-bezier", "linear"), "animation-timing-function"),
    **dict.fromkeys(("scroll", "view"), "animation-timeline"),
}
_TIME = re.compile(rf"([+-]?{NUMBER}{EXPONENT})(m?s)")
_LONGEST_S = 20.0
"""Nobody waits longer for the words of a page."""
_MAX_RUNS = 20
_MAX_TURNS = 1_000_000


class Run(NamedTuple):
    """One animation of an element."""

    name: str
    end: str
    """The step that it ends with: `from` or `to`; empty where it ends elsewhere, or never."""
    is_timely: bool
    """It is over before long, and shows its steps as they are written."""
    stays: bool
    """It keeps what it has come to."""
    waits: bool
    """It shows its first step, and does not go on from there."""


def unfolded_animation(value: str) -> Iterator[tuple[str, str]]:
    """The declarations that `animation` stands for."""
    read = [_parse_shorthand(part) for part in split_outside(value, ",")]
    for name, default in _DEFAULTS.items():
        yield name, ", ".join(longhands.get(name, default) for longhands in read)


def _parse_shorthand(part: str) -> dict[str, str]:
    longhands: dict[str, str] = {}
    for written in filter(None, split_outside(" ".join(part.split()), " ")):
        word = written.lower()
        name = _WORDS.get(word) or _CALLS.get(word.partition("(")[0] if "(" in word else "")
        if name is None and (_TIME.fullmatch(word) or "(" in word):
            name = "animation-delay" if "animation-duration" in longhands else "animation-duration"
        elif name is None and number(word) is not None:
            name = "animation-iteration-count"
        if name and name not in longhands:
            longhands[name] = word
        else:
            longhands["animation-name"] = written
    return longhands


def runs(style: dict[str, str]) -> Iterator[Run]:
    """The animations of an element, those that win over others last; the first of very many."""
    lists = {name: [part.strip() for part in split_outside(style.get(name, ""), ",")] for name in MOTION}
    for at, name in enumerate(lists["animation-name"][:_MAX_RUNS]):
        longhands = {key: parts[at % len(parts)] or _DEFAULTS[key] for key, parts in lists.items()}
        yield _run(name.strip("\"'"), longhands)


def _run(name: str, longhands: dict[str, str]) -> Run:
    delay, duration = _seconds(longhands["animation-delay"]), _seconds(longhands["animation-duration"])
    turns = number(longhands["animation-iteration-count"])
    is_late = delay is None or delay > _LONGEST_S
    is_running = longhands["animation-play-state"] == "running"
    fill = longhands["animation-fill-mode"]
    is_plain = (
        longhands["animation-timeline"] == "auto"
        and longhands["animation-composition"] == "replace"
        and not longhands["animation-timing-function"].startswith("linear(")
    )
    is_over = None not in (delay, duration, turns) and (delay or 0) + (duration or 0) * (turns or 0) <= _LONGEST_S
    return Run(
        name=name,
        end=_end(longhands["animation-direction"], turns),
        is_timely=is_plain and is_running and is_over,
        stays=fill in {"forwards", "both"} and turns is not None,
        waits=(is_late or not is_running) and fill in {"backwards", "both"},
    )


def _end(direction: str, turns: float | None) -> str:
    if turns is None or not 1 <= turns <= _MAX_TURNS or turns != int(turns):
        return ""
    is_turned = direction.startswith("alternate") and int(turns) % 2 == 0
    return "from" if is_turned != direction.endswith("reverse") else "to"


def _seconds(value: str) -> float | None:
    match = _TIME.fullmatch(value)
    if match is None:
        return None
    return float(match[1]) * (0.001 if match[2] == "ms" else 1.0)
