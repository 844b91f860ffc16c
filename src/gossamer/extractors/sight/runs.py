"""What a style says of its animations: the shorthand taken apart, and where and when each of them comes to rest."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from gossamer.extractors.sight.figures import EXPONENT, FIGURE
from gossamer.extractors.sight.lengths import number
from gossamer.extractors.sight.media import split_outside

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
_TIME = re.compile(rf"([+-]?{FIGURE}{EXPONENT})(m?s)")
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
    read = [_taken_apart(part) for part in split_outside(value, ",")]
    for name, default in _DEFAULTS.items():
        yield name, ", ".join(said.get(name, default) for said in read)


def _taken_apart(part: str) -> dict[str, str]:
    said: dict[str, str] = {}
    for written in filter(None, split_outside(" ".join(part.split()), " ")):
        word = written.lower()
        name = _WORDS.get(word) or _CALLS.get(word.partition("(")[0] if "(" in word else "")
        if name is None and (_TIME.fullmatch(word) or "(" in word):
            name = "animation-delay" if "animation-duration" in said else "animation-duration"
        elif name is None and number(word) is not None:
            name = "animation-iteration-count"
        if name and name not in said:
            said[name] = word
        else:
            said["animation-name"] = written
    return said


def runs(style: dict[str, str]) -> Iterator[Run]:
    """The animations of an element, those that win over others last; the first of very many."""
    lists = {name: [part.strip() for part in split_outside(style.get(name, ""), ",")] for name in MOTION}
    for at, name in enumerate(lists["animation-name"][:_MAX_RUNS]):
        said = {key: parts[at % len(parts)] or _DEFAULTS[key] for key, parts in lists.items()}
        yield _run(name.strip("\"'"), said)


def _run(name: str, said: dict[str, str]) -> Run:
    delay, duration = _seconds(said["animation-delay"]), _seconds(said["animation-duration"])
    turns = number(said["animation-iteration-count"])
    is_late = delay is None or delay > _LONGEST_S
    is_running = said["animation-play-state"] == "running"
    fill = said["animation-fill-mode"]
    is_plain = (
        said["animation-timeline"] == "auto"
        and said["animation-composition"] == "replace"
        and not said["animation-timing-function"].startswith("linear(")
    )
    is_over = None not in (delay, duration, turns) and (delay or 0) + (duration or 0) * (turns or 0) <= _LONGEST_S
    return Run(
        name=name,
        end=_end(said["animation-direction"], turns),
        is_timely=is_plain and is_running and is_over,
        stays=fill in {"forwards", "both"} and turns is not None,
        waits=(is_late or not is_running) and fill in {"backwards", "both"},
    )


def _end(direction: str, turns: float | None) -> str:
    if turns is None or not 1 <= turns <= _MAX_TURNS or turns != int(turns):
        return ""
    is_turned = direction.startswith("alternate") and int(turns) % 2 == 0
    return "from" if is_turned != direction.endswith("reverse") else "to"


def _seconds(said: str) -> float | None:
    found = _TIME.fullmatch(said)
    if found is None:
        return None
    return float(found[1]) * (0.001 if found[2] == "ms" else 1.0)
