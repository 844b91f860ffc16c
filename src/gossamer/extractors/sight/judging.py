"""Whether an element is out of sight, by its attributes and by its style."""

from gossamer.extractors.sight.cascade import Style
from gossamer.extractors.sight.grids import is_folded
from gossamer.extractors.sight.look import Seen, is_gone
from gossamer.extractors.tree import Element, attr, words

_TELLING = frozenset({"aria-hidden", "hidden", "popover", "color", "bgcolor", "open"})
_TELLING_TAGS = frozenset({"html", "body", "dialog", "rp", "details", "bdo", "marquee"})
_AS_IF_UNSAID = frozenset({"", "revert", "revert-layer"})


def is_plain(el: Element) -> bool:
    """Whether neither the tag nor an attribute of an element bears on what is seen; its style is another matter."""
    return el.tag not in _TELLING_TAGS and _TELLING.isdisjoint(el.keys())


def is_out(el: Element, style: Style, around: Seen) -> bool:
    """Whether the element and all in it are out of sight."""
    if attr(el, "aria-hidden").strip().lower() == "true":
        return True
    if is_marked_hidden(el, style):
        return True
    if (el.tag == "dialog" and "open" not in el.attrib) or "popover" in el.attrib:
        return True
    if el.tag == "rp":
        return len(words(el)) > 1
    if el.tag == "marquee":
        style = _of_marquee(el, style)
    if not style and around.opacity >= 1:
        return False
    return is_gone(style, around, tag=el.tag) or is_folded(el, style, around.grid)


def _of_marquee(el: Element, style: Style) -> Style:
    """The style of a box whose text runs through it, which its attributes may make too small for any."""
    said = {name: f"{attr(el, name)}px" for name in ("width", "height") if attr(el, name).strip().isdigit()}
    return {"display": "inline-block", "overflow-x": "hidden", "overflow-y": "hidden", **said, **style}


def is_marked_hidden(el: Element, style: Style) -> bool:
    """Whether the attribute hides the element, and no style shows it in spite of that."""
    is_marked = "hidden" in el.attrib and attr(el, "hidden").lower() != "until-found"
    return is_marked and style.get("display", "") in _AS_IF_UNSAID


def is_shut(details: Element, summary: Element, style: Style, around: Seen) -> bool:
    """Whether nobody can open `details`, since the line that opens it is not there."""
    is_missing = is_marked_hidden(summary, style) or is_gone(style, around, tag="summary")
    return "open" not in details.attrib and is_missing
