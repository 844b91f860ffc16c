"""What a page asks its visitor for: its fields, and where they stand."""

import re

from gossamer.extractors.tree import Element, attr
from gossamer.extractors.walls.words import USER_FIELD

_FEW = 20
_FIELDS = 200
_BESIDE = re.compile(r"header|nav|top-?bar|dropdown|modal|popup|sidebar|widget|offcanvas|drawer|menu", re.IGNORECASE)
_MORE = frozenset({"email", "tel", "date", "number", "file", "url", "range", "color", "month", "time"})
_BESIDE_TAGS = frozenset({"header", "nav", "aside", "footer", "dialog"})


def is_beside(el: Element) -> bool:
    """Whether it stands in a header, a menu or a side bar."""
    return any(
        around.tag in _BESIDE_TAGS or _BESIDE.search(f"{attr(around, 'id')} {attr(around, 'class')}"[:300])
        for around, _ in zip(el.iterancestors("*"), range(_FEW), strict=False)
        if around.tag not in {"body", "html", "main"}
    )


def is_above(root: Element) -> bool:
    """Whether the page's main heading comes after a field for a password."""
    is_met = False
    for el, _ in zip(root.iter("h1", "input"), range(_FIELDS), strict=False):
        if el.tag == "h1" and is_met:
            return True
        is_met = is_met or attr(el, "type").lower() == "password"
    return False


def asks_more(fields: list[Element], root: Element) -> bool:
    """Whether forms ask for what has nothing to do with who somebody is."""
    if any(True for _ in root.iter("textarea", "select")):
        return True
    kinds = [attr(el, "type").lower() for el in fields[:_FEW]]
    return any(kind in _MORE for kind in kinds) or kinds.count("checkbox") > 1 or kinds.count("radio") > 1


def asks_who(fields: list[Element], root: Element) -> bool:
    """Whether all that the page asks for is who its visitor is."""
    named = [el for el in fields[:_FEW] if USER_FIELD.search(f"{attr(el, 'name')} {attr(el, 'id')} {attr(el, 'type')}")]
    asked = [el for el in fields[:_FEW] if attr(el, "type").lower() not in {"checkbox", "password"}]
    is_all = len(asked) <= 2 and not any(True for _ in root.iter("textarea"))
    return is_all and any(not is_beside(el) for el in named)


def buttons(root: Element) -> str:
    """What is written on buttons that are form fields."""
    return " ".join(attr(el, "value")[:100] for el, _ in zip(root.iter("input"), range(100), strict=False))
