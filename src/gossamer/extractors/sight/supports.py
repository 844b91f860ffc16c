"""Whether a browser has what an `@supports` rule asks for: yes, no, or more than we can tell."""

import re

from gossamer.extractors.sight.limits import too_complex
from gossamer.extractors.sight.media import split_outside
from gossamer.extractors.sight.selectors import Generated, NoSelector, read_selector
from gossamer.extractors.sight.styles import PROPERTIES, is_valid

_MAX_DEPTH = 16
_FOREIGN = ("-moz-", "-ms-", "-o-", "-apple-", "-webkit-touch-callout", "-webkit-overflow-scrolling")
"""What other browsers have, and those of telephones."""
_PROPERTY = re.compile(r"\(\s*(-{0,2}[a-z][\w-]*)\s*:(.*)\)", re.DOTALL)
_WELL_KNOWN = re.compile(
    r"(?:backdrop-filter: ?(?:blur\(\d+\w*\)|none)|object-fit: ?(?:cover|contain)|aspect-ratio: ?\d+(?: ?/ ?\d+)?"
    r"|(?:grid-|row-|column-)?gap: ?\d+\w*|(?:-webkit-)?appearance: ?none|font-variation-settings: ?normal"
    r"|grid-template-columns: ?subgrid|grid-template-rows: ?(?:subgrid|masonry)?|scroll-behavior: ?smooth"
    r"|-webkit-line-clamp: ?\d+|scrollbar-(?:width: ?(?:thin|none)|gutter: ?stable)|mix-blend-mode: ?multiply"
    r"|text-wrap: ?(?:balance|pretty)|grid-area: ?auto|mask-repeat: ?[a-z-]+)"
)
"""What pages ask for most, and browsers of today have."""
_OF_ONE_WORD = frozenset({"display", "position", "visibility", "float"})
_ONE_WORD = re.compile(r"[a-z]{1,20}")
_OF_LAYOUT = (
    *("grid", "flex", "flow", "box", "table", "ruby", "math", "block", "inline", "item", "mason", "lane", "run"),
    *("contents", "none", "compact", "marker", "center", "page", "foot", "running", "inside", "outside", "snap"),
    *("top", "bottom", "left", "right", "start", "end", "initial", "inherit", "unset", "revert", "stack", "anchor"),
)


def is_supported(condition: str, depth: int = 0) -> bool | None:
    """Judge a condition; None when it cannot be told."""
    if depth > _MAX_DEPTH:
        raise too_complex()
    condition = condition.strip().lower()
    if condition.startswith(("not ", "not(")):
        inner = is_supported(condition[3:], depth + 1)
        return None if inner is None else not inner
    spaced = condition.replace(")and", ") and").replace(")or", ") or").replace("and(", "and (").replace("or(", "or (")
    terms = [term for term in split_outside(spaced, " ") if term]
    if len(terms) == 1:
        return _term(terms[0], depth)
    answers = [_term(term, depth) for term in terms[::2]]
    joints = set(terms[1::2])
    if joints == {"and"}:
        return False if False in answers else None if None in answers else True
    if joints == {"or"}:
        return True if True in answers else None if None in answers else False
    return None


def _term(term: str, depth: int) -> bool | None:
    if term.startswith("selector("):
        return _knows_selector(term[9:].removesuffix(")").strip())
    if not term.startswith("("):
        return None
    if found := _PROPERTY.fullmatch(term):
        return _knows(found[1], found[2].strip())
    return is_supported(term[1:].removesuffix(")"), depth + 1) if term.endswith(")") else None


def _knows(name: str, value: str) -> bool | None:
    if name.startswith("--"):
        return True
    if name.startswith(_FOREIGN):
        return False
    if name in PROPERTIES and is_valid(name, value):
        return True
    if name in _OF_ONE_WORD and _is_no_word_of(value):
        return False
    return True if _WELL_KNOWN.fullmatch(f"{name}:{value}") else None


def _is_no_word_of(value: str) -> bool:
    """Whether a value is one word that means nothing; parts of words that browsers know may make up a new one."""
    return bool(_ONE_WORD.fullmatch(value)) and not any(part in value for part in _OF_LAYOUT)


def _knows_selector(text: str) -> bool | None:
    try:
        read_selector(text)
    except Generated:
        return True
    except NoSelector:
        return None
    return True
