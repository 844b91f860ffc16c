"""Declarations that can hide text: read, checked as a browser checks them, aliases and shorthands expanded.

Of an animation it tells where and when it comes to rest.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

from gossamer.extractors.html.visibility.css.colours import ink_of
from gossamer.extractors.html.visibility.css.values import EXPONENT, NUMBER, number, pixels, split_outside

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
"""A reader waits no longer than this for the words of a page."""
_MAX_RUNS = 20
_MAX_TURNS = 1_000_000
ALIASES = {
    **{f"-webkit-{name}": name for name in ("transform", "filter", "clip-path", "mask-image", "background-clip")},
    "-webkit-backface-visibility": "backface-visibility",
    "-webkit-mask": "mask-image",
    "-webkit-mask-size": "mask-size",
    "offset": "offset-path",
    "mask": "mask-image",
    "text-wrap-mode": "white-space",
    "text-wrap": "white-space",
    "-webkit-animation": "animation",
    **{f"-webkit-{name}": name for name in MOTION},
    "inset-inline-start": "left",
    "inset-inline-end": "right",
    "inset-block-start": "top",
    "inset-block-end": "bottom",
    "margin-inline-start": "margin-left",
    "margin-inline-end": "margin-right",
    "margin-block-start": "margin-top",
    "margin-block-end": "margin-bottom",
    "padding-block-end": "padding-bottom",
    "padding-block-start": "padding-top",
    "padding-inline-start": "padding-left",
    "padding-inline-end": "padding-right",
    **{f"{edge}inline-size": f"{edge}width" for edge in ("", "max-", "min-")},
    **{f"{edge}block-size": f"{edge}height" for edge in ("", "max-", "min-")},
    "grid-row-start": "grid-row",
    "grid-column-start": "grid-column",
    "container": "container-type",
    **{f"contain-intrinsic-{side}": "contain-intrinsic-size" for side in ("height", "block-size")},
    "flex-grow": "flex",
    "flex-basis": "flex",
}
Declarations = dict[str, tuple[str, bool]]
"""The value of each property, and whether it is important."""

MAX_INLINE_CHARS = 100_000
_OFTEN_CHARS = 80
"""Declarations that are no longer are said again and again, and kept once they are read."""
GLOBAL = frozenset({"inherit", "initial", "unset", "revert", "revert-layer"})
_SIDES = ("top", "right", "bottom", "left")
_DISPLAYS_NAMES = (
    "none block inline inline-block flex inline-flex grid inline-grid flow-root contents table inline-table table-row "
    "table-cell table-caption table-column table-column-group table-row-group table-header-group table-footer-group "
    "list-item ruby ruby-base ruby-text run-in math flow -webkit-box -webkit-inline-box -webkit-flex -ms-flexbox"
)
_DISPLAYS = frozenset(_DISPLAYS_NAMES.split())
_OUTER_DISPLAYS = frozenset({"block", "inline", "run-in"})
_INNER_DISPLAYS = frozenset({"flow", "flow-root", "table", "flex", "grid", "ruby", "math"})
_ANGLE = re.compile(r"[\d.](?:deg|rad|grad|turn)\b|^0$")
_SIZE_WORDS_NAMES = "auto none normal max-content min-content fit-content stretch -webkit-fill-available -moz-available"
_SIZE_WORDS = frozenset(_SIZE_WORDS_NAMES.split())
_FONT_WORDS_NAMES = "xx-small x-small small medium large x-large xx-large xxx-large smaller larger math"
_FONT_WORDS = frozenset(_FONT_WORDS_NAMES.split())
_STROKES = frozenset({"thin", "medium", "thick"})
_ONE_COLOUR = re.compile(r"#[0-9a-f]+|[a-z]+|[a-z-]+\((?:[^()]|\([^()]*\))*\)")
_FONT_SIZE = re.compile(
    rf"(?:^|\s)([+-]?{NUMBER}(?:[a-z]++|%)?|(?:xx?-)?(?:small|large)|medium|[a-z]{{3,5}}\([^()]*\))\s*(?:/|\s)"
)
PENDING = "\0"
"""Stands between a shorthand and its value where the value holds variables: it is unfolded once they are known."""
DOUBTFUL = "\x01"
"""Stands before a value with variables that may or may not apply: it counts only if it hides."""
_SUBSTITUTED = re.compile(r"\b(?:var|env|attr|if)\(", re.IGNORECASE)
_IMPORTANT = re.compile(r"(?<!\s)\s*+!\s*+important\s*+$", re.IGNORECASE)
_TOKEN = re.compile(r"/\*.*?(?:\*/|\Z)|\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'?|[();]", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|([g-zG-Z_-]))")
_LETTER = re.compile(r"[a-zA-Z_-]")


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


def _is_length(value: str) -> bool:
    return value in _SIZE_WORDS or pixels(value) is not None


def _is_call(value: str) -> bool:
    return value == "none" or "(" in value


def _is_colour(value: str) -> bool:
    return value == "currentcolor" or bool(_ONE_COLOUR.fullmatch(value) and ink_of(value) is not None)


def _is_display(value: str) -> bool:
    """One word, or how a box stands among others and how its own stand in it."""
    words = value.split()
    if len(words) == 1:
        return value in _DISPLAYS
    kinds = ["outer" if word in _OUTER_DISPLAYS else "inner" if word in _INNER_DISPLAYS else word for word in words]
    return len(set(kinds)) == len(words) and set(kinds) <= {"outer", "inner", "list-item"}


def _is_one_of(words: str) -> Callable[[str], bool]:
    known = frozenset(words.split())
    return lambda value: value in known


_LENGTHS = (
    *(*_SIDES, "text-indent", "letter-spacing", "word-spacing", "line-height", *(f"margin-{side}" for side in _SIDES)),
    *(*(f"padding-{side}" for side in _SIDES), "width", "height", "max-width", "max-height", "min-width", "min-height"),
)
_VALID: dict[str, Callable[[str], bool]] = {
    **dict.fromkeys(_LENGTHS, _is_length),
    **dict.fromkeys(("transform", "filter", "clip-path", "mask-image", "background-image"), _is_call),
    "clip": lambda value: value == "auto" or value.startswith("rect("),
    "display": _is_display,
    "visibility": _is_one_of("hidden visible collapse"),
    "content-visibility": _is_one_of("hidden visible auto"),
    "position": _is_one_of("static relative absolute fixed sticky -webkit-sticky"),
    "float": _is_one_of("left right none inline-start inline-end"),
    "overflow-x": _is_one_of("hidden visible scroll auto clip overlay"),
    "overflow-y": _is_one_of("hidden visible scroll auto clip overlay"),
    "opacity": lambda value: number(value) is not None,
    "zoom": lambda value: value in {"normal", "reset"} or number(value) is not None,
    "font-size": lambda value: value in _FONT_WORDS or pixels(value) is not None,
    "z-index": lambda value: value == "auto" or bool(re.fullmatch(r"[+-]?\d+", value)),
    "color": _is_colour,
    "background-color": _is_colour,
    "-webkit-text-fill-color": _is_colour,
    "-webkit-text-stroke-color": _is_colour,
    "-webkit-text-stroke-width": lambda value: value in _STROKES or pixels(value) is not None,
    "paint-order": bool,
    "-webkit-text-security": _is_one_of("none disc circle square"),
    "background-clip": bool,
    "text-shadow": bool,
    "translate": lambda value: value == "none" or all(pixels(part) is not None for part in value.split()),
    "scale": lambda value: value == "none" or all(number(part) is not None for part in value.split()),
    "rotate": lambda value: value == "none" or bool(_ANGLE.search(value)),
    "backface-visibility": _is_one_of("hidden visible"),
    "flex": bool,
    "contain": bool,
    **dict.fromkeys(("mix-blend-mode", "offset-path", "offset-position", "transform-origin", "content"), bool),
    **dict.fromkeys(("mask-size", "color-scheme"), bool),
    **dict.fromkeys(("container-type", "contain-intrinsic-size", "aspect-ratio"), bool),
    **dict.fromkeys(("grid-template-rows", "grid-template-columns", "grid-auto-rows"), bool),
    **dict.fromkeys(("grid-row", "grid-column", "align-self", "justify-self"), bool),
    "direction": _is_one_of("ltr rtl"),
    "unicode-bidi": _is_one_of("normal embed isolate bidi-override isolate-override plaintext"),
    "font-size-adjust": lambda value: value == "none" or number(value) is not None,
    "white-space": bool,
    **dict.fromkeys(MOTION, bool),
}
PROPERTIES = frozenset(_VALID)


def declarations(text: str) -> Declarations:
    """Read declarations; what a browser would not understand is passed over, as a browser does."""
    declared: Declarations = {}
    for part in split_declarations(unescaped(text)):
        name, colon, value = part.partition(":")
        if colon:
            add(declared, name.strip(), value)
    return declared


def add(declared: Declarations, name: str, value: str) -> None:
    """Add a declaration as it was written; a plain one does not displace an important one."""
    longhands = _expanded_cached(name, value) if len(name) + len(value) <= _OFTEN_CHARS else _expanded(name, value)
    for long_name, part, is_important in longhands:
        if is_important or not declared.get(long_name, ("", False))[1]:
            declared[long_name] = (part, is_important)


def _expanded(name: str, value: str) -> tuple[tuple[str, str, bool], ...]:
    """What a declaration comes to: properties, their values, and whether they are important."""
    if name.startswith("--"):
        is_important = bool(_IMPORTANT.search(value[-20:]))
        return ((name, _IMPORTANT.sub("", value).strip(), is_important),)
    name = name.lower()
    name = ALIASES.get(name, name)
    if name not in _VALID and name not in _SHORT:
        return ()
    is_important = "!" in value and bool(_IMPORTANT.search(value))
    value = (_IMPORTANT.sub("", value) if is_important else value).strip()
    if is_open(value):
        text = f"{name}{PENDING}{value}" if name in _SHORT else value
        return tuple((long_name, text, is_important) for long_name in filter(None, _SHORT.get(name, (name,))))
    return tuple(
        (long_name, part, is_important)
        for long_name, part in unfolded(name, value if name in CASED else value.lower())
        if long_name and is_valid(long_name, part)
    )


_expanded_cached = lru_cache(maxsize=4_096)(_expanded)


def is_open(value: str) -> bool:
    """Whether a value holds variables, conditions or other things that stand for a value."""
    return "(" in value and bool(_SUBSTITUTED.search(value))


def is_valid(name: str, value: str) -> bool:
    """Whether a browser takes a value for a property."""
    return value in GLOBAL or _VALID[name](value)


def unfolded(name: str, value: str) -> Iterator[tuple[str, str]]:
    """The declarations that a shorthand stands for."""
    short = _SHORT.get(name)
    if short is None:
        yield name, value
    elif value in GLOBAL:
        yield from ((long_name, value) for long_name in short)
    elif name == "background":
        is_painted = "url(" in value or "gradient(" in value
        colour = _BRACKETS.sub(" ", value) if is_painted else value
        yield "background-image", value if is_painted else "none"
        yield "background-color", next((word for word in _words(colour) if _is_colour(word)), "transparent")
    elif name == "-webkit-text-stroke":
        parts = _words(value)
        yield short[0], next((part for part in parts if not _is_colour(part)), "0")
        yield short[1], next((part for part in parts if _is_colour(part)), "currentcolor")
    elif name in {"grid", "grid-template", "grid-area"}:
        parts = [part.strip() for part in f"{value}/".split("/")[:2]]
        yield from zip(short, (part or (parts[0] if name == "grid-area" else "none") for part in parts), strict=True)
    elif name == "animation":
        yield from unfolded_animation(value)
    elif name == "font":
        if size := _FONT_SIZE.search(value):
            yield "font-size", size[1]
    elif name != "all":
        parts = _words(value)
        if 1 <= len(parts) <= len(short):
            yield from ((long_name, parts[_FROM[len(parts)][at]]) for at, long_name in enumerate(short))


_FROM = {1: (0, 0, 0, 0), 2: (0, 1, 0, 1), 3: (0, 1, 2, 1), 4: (0, 1, 2, 3)}
"""Which of the given values each side takes."""
_BRACKETS = re.compile(r"(?:url|[a-z-]*gradient)\([^()]*(?:\([^()]*\)[^()]*)*\)")
_SHORT: dict[str, tuple[str, ...]] = {
    "inset": _SIDES,
    "inset-inline": ("left", "right"),
    "inset-block": ("top", "bottom"),
    "margin": tuple(f"margin-{side}" for side in _SIDES),
    "margin-inline": ("margin-left", "margin-right"),
    "margin-block": ("margin-top", "margin-bottom"),
    "padding": tuple(f"padding-{side}" for side in _SIDES),
    "padding-inline": ("padding-left", "padding-right"),
    "padding-block": ("padding-top", "padding-bottom"),
    "overflow-block": ("overflow-y",),
    "overflow-inline": ("overflow-x",),
    "overflow": ("overflow-x", "overflow-y"),
    "background": ("background-image", "background-color"),
    "font": ("font-size",),
    "animation": MOTION,
    "grid-area": ("grid-row", "grid-column"),
    "place-self": ("align-self", "justify-self"),
    "grid": ("grid-template-rows", "grid-template-columns"),
    "grid-template": ("grid-template-rows", "grid-template-columns"),
    "-webkit-text-stroke": ("-webkit-text-stroke-width", "-webkit-text-stroke-color"),
    "all": tuple(sorted(_VALID)),
}


def _words(value: str) -> list[str]:
    """A value's words; brackets hold theirs together."""
    if "(" not in value:
        return value.split()
    return re.findall(r"(?:[^\s()]+(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?)", value)


def unescaped(css: str) -> str:
    """Undo escapes of letters, which hide names from a comparison; others keep their meaning."""
    return _ESCAPE.sub(_letter, css) if "\\" in css else css


def _letter(match: re.Match[str]) -> str:
    if match[2]:
        return match[2]
    code = int(match[1], 16)
    sign = chr(code) if 0x20 < code < 0x80 else ""
    return sign if _LETTER.fullmatch(sign) else match[0]


def split_declarations(text: str) -> Iterator[str]:
    """The declarations of a `style` attribute, without comments; strings and brackets hold theirs together."""
    if "/*" not in text and "(" not in text and '"' not in text and "'" not in text:
        yield from text.split(";")
        return
    start, depth, pieces = 0, 0, list[str]()
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign.startswith("/*"):
            pieces.append(text[start : token.start()])
            start = token.end()
        elif sign == ";" and not depth:
            yield "".join((*pieces, text[start : token.start()]))
            start, pieces = token.end(), []
        elif sign in "()":
            depth = max(0, depth + (1 if sign == "(" else -1))
    yield "".join((*pieces, text[start:]))
