"""Keyframe animations: what they come to, and whether a reader sees it.

What hides in the end hides. What shows in the end shows, if nobody can doubt it: the animation runs by itself, is over
before long and stays as it ends, and its steps are said once, outside of all conditions.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping

from gossamer.extractors.html.visibility.css.animations import Run, runs
from gossamer.extractors.html.visibility.css.cascade import Style
from gossamer.extractors.html.visibility.css.declarations import declarations, is_open, unescaped
from gossamer.extractors.html.visibility.css.rule_filter import hides
from gossamer.extractors.html.visibility.css.syntax import EXPONENT, NUMBER

Steps = Mapping[str, list[tuple[str, Style]]]
"""The steps of an animation by its name: when each is, and what it says; by its name in small letters, what hides."""
_KEYFRAMES = re.compile(r"@(?:-[a-z]+-)?keyframes\s+([\w-]+)\s*\{((?:[^{}]*\{[^{}]*\})*)", re.IGNORECASE)
_STEP = re.compile(r"([^{}]*)\{([^{}]*)\}")
_NO_TEXT = re.compile(
    r"/\*.*?(?:\*/|\Z)|\"((?:[^\"\\\n]|\\.)*)\"?|'((?:[^'\\\n]|\\.)*)'?|url\(\s*[^\"'\s)][^)]*\)?",
    re.DOTALL | re.IGNORECASE,
)
_NAME = re.compile(r"[\w-]+")
_UNCLEAR = re.compile(r"[(\[][^()\[\]{}]*[{}]|\\[{}]")
"""A brace that ends no block."""
_SHARE = re.compile(rf"\+?({NUMBER}){EXPONENT}%")


def animations(sheets: Iterable[str]) -> dict[str, list[tuple[str, Style]]]:
    """The animations that the page's own style sheets describe; of those that may not be meant, what hides."""
    steps_by_name: dict[str, list[tuple[str, Style]]] = {}
    for sheet in sheets:
        if "keyframes" not in (css := unescaped(sheet)).lower():
            continue
        for name, steps, is_sure in _described(_NO_TEXT.sub(_word, css)):
            _note(steps_by_name, name, steps if is_sure else _only_hiding(steps))
            if (small := name.lower()) != name:
                _note(steps_by_name, small, _only_hiding(steps))
    return steps_by_name


def _note(steps_by_name: dict[str, list[tuple[str, Style]]], name: str, steps: list[tuple[str, Style]]) -> None:
    """Add an animation; what is said in two ways may hide, and shows nothing."""
    is_other = name in steps_by_name and steps_by_name[name] != steps
    steps_by_name[name] = _only_hiding([*steps_by_name[name], *steps]) if is_other else steps


def _described(css: str) -> Iterator[tuple[str, list[tuple[str, Style]], bool]]:
    """The animations of a sheet, and whether each stands outside of all conditions and says all there is to say."""
    is_clear = not _UNCLEAR.search(css)
    depth, end = 0, 0
    for match in _KEYFRAMES.finditer(css):
        depth += css.count("{", end, match.start()) - css.count("}", end, match.start())
        is_sure = is_clear and not depth and "linear(" not in match[2].lower()
        depth, end = depth + 1, match.end()
        steps = [(when, _step_style(step)) for whens, step in _STEP.findall(match[2]) for when in _moments(whens)]
        yield match[1], steps, is_sure


def _step_style(step: str) -> Style:
    """What a step says; in steps nothing is important."""
    return {name: value for name, (value, is_important) in declarations(step).items() if not is_important}


def _word(match: re.Match[str]) -> str:
    """A text that is a name, without its quotes; nothing of all else."""
    inside = match[1] or match[2] or ""
    return inside if _NAME.fullmatch(inside) else " "


def at_rest(style: Style, steps: Steps, insisted: Collection[str] = ()) -> Style:
    """The style of an element once its animations rest; so too if they hide from first to last.

    `insisted` are the properties that no animation changes. What is not displayed is not animated.
    """
    if style.get("display") == "none":
        return style
    rest = dict(style)
    for run in runs(style):
        left = _left(run, steps.get(run.name) or steps.get(run.name.lower(), []))
        rest.update({name: value for name, value in left.items() if name not in insisted})
    return rest


def _left(run: Run, steps: list[tuple[str, Style]]) -> Style:
    """What an animation leaves behind."""
    first, last = _at(steps, "from"), _at(steps, run.end or "to")
    if run.waits and (hiding := _hiding(first)):
        return hiding
    if run.stays and run.is_timely and run.end:
        return {name: value for name, value in last.items() if name != "display" or hides(name, value)}
    is_always = bool(_hiding(first)) and all(_hiding(step) for _, step in steps)
    return _hiding(last) if run.stays or (is_always and _hiding(_at(steps, "to"))) else {}


def _at(steps: list[tuple[str, Style]], moment: str) -> Style:
    """All that is said of a moment."""
    return {name: value for when, step in steps if when == moment for name, value in step.items() if not is_open(value)}


def _moments(whens: str) -> Iterator[str]:
    for when in whens.lower().split(","):
        share = _SHARE.fullmatch(when.strip())
        place = float(when.strip()[:-1]) if share else None
        yield "from" if place == 0 else "to" if place == 100 else when.strip()


def _only_hiding(steps: list[tuple[str, Style]]) -> list[tuple[str, Style]]:
    return [(when, _hiding(step)) for when, step in steps]


def _hiding(step: Style) -> Style:
    return {name: value for name, value in step.items() if hides(name, value)}
