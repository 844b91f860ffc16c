"""Takes out of a page what its reader cannot see, and counts it."""

import re
from typing import NamedTuple

from gossamer.extractors.cascade import Cascade
from gossamer.extractors.styles import Colour, Declarations, colour, is_clear, is_close, pixels
from gossamer.extractors.tree import Element, attr, body, comments, words

_NEVER_SHOWN = (
    *("script", "style", "template", "noscript", "noembed", "noframes", "iframe", "frameset", "object", "embed"),
    *("applet", "svg", "canvas", "audio", "video", "input", "select", "textarea", "datalist", "option", "link", "meta"),
)
_MESSAGE_WORDS = 5
"""A comment or fallback with as many words is counted as hidden text; shorter ones are marks of tools."""
_WHOLE_PAGE_CHARS = 600
_FAR = -900.0
_TINY = 3.0
_WHITE: Colour = (255, 255, 255)
_SCALED_AWAY = re.compile(r"scale[xy3d]*\(\s*0*\.?0*\s*[,)]")
_MOVED_AWAY = re.compile(r"translate[xy3d]*\(\s*([^,)]+)(?:,\s*([^,)]+))?")
_CLIPPED_AWAY = re.compile(
    r"rect\(\s*(?:[01](?:px)?[\s,]*){4}\)|inset\(\s*(?:50|100)%|circle\(\s*0|polygon\(\s*0[\s\w%]*,"
)
_FONT_SIZE = re.compile(r"(?:^|\s)([\d.]+(?:px|em|rem|pt|%|)?)\s*(?:/|\s)")


class _Seen(NamedTuple):
    """What an element takes over from the one round it."""

    is_tiny: bool = False
    is_invisible: bool = False
    ink: Colour | None = None
    ground: Colour | None = None
    is_clear: bool = False

    @property
    def hides_text(self) -> bool:
        """Whether text standing directly in the element cannot be seen."""
        if self.is_tiny or self.is_invisible or self.is_clear:
            return True
        return self.ink is not None and self.ground is not None and is_close(self.ink, self.ground)


def strip_hidden(root: Element) -> int:
    """Remove hidden parts from the tree and return how many of them held text.

    `details` and tab panels with a tab stay: a visible control reveals them. Text is judged by colour only where
    the ground is known: a page with style sheets elsewhere may lie on any ground. The body itself always counts as
    seen: pages that hide it show it again as soon as they have loaded.
    """
    cascade = Cascade(root)
    has_far_sheets = any("stylesheet" in attr(el, "rel").lower() for el in root.iter("link"))
    revealed = {attr(el, "aria-controls") for el in root.iter("*") if attr(el, "role") == "tab" and words(el)} - {""}
    hidden = _strip_unshown(root)
    doomed: list[Element] = []
    page = body(root)
    ground = _look(page, cascade.of(page), _Seen(ground=None if has_far_sheets else _WHITE)).ground
    stack = [(child, _Seen(ground=ground)) for child in page]
    while stack:
        el, around = stack.pop()
        style = cascade.of(el)
        if not (attr(el, "role") == "tabpanel" and attr(el, "id") in revealed) and _is_gone(el, style):
            hidden += bool(words(el))
            doomed.append(el)
            continue
        seen = _look(el, style, around)
        if seen.hides_text:
            hidden += _blank(el)
        stack.extend((child, seen) for child in el)
    for el in doomed:
        el.drop_tree()
    return hidden


def _strip_unshown(root: Element) -> int:
    """Remove elements that are never text on the page, and comments.

    A page whose whole text stands in `noscript` is meant to be read without scripts, and that is what we do.
    """
    hidden = 0
    for el in comments(root):
        hidden += len((el.text or "").split()) >= _MESSAGE_WORDS
        el.drop_tree()
    for el in list(root.iter("noscript")) if _is_written_for_us(root) else []:
        el.drop_tag()
    for el in list(root.iter(*_NEVER_SHOWN)):
        if el.tag in {"template", "noscript", "noembed", "noframes"}:
            hidden += len(words(el).split()) >= _MESSAGE_WORDS
        el.drop_tree()
    return hidden


def _is_written_for_us(root: Element) -> bool:
    """Whether a page has next to no text but in `noscript`."""
    inside = max((len(words(el)) for el in body(root).iter("noscript")), default=0)
    if inside < _WHOLE_PAGE_CHARS:
        return False
    unshown = sum(len(words(el)) for el in body(root).iter(*_NEVER_SHOWN))
    return len(words(body(root))) - unshown < inside / 10


def _is_gone(el: Element, style: Declarations) -> bool:
    """Whether the element and all in it are out of sight."""
    if attr(el, "aria-hidden").lower() == "true" or ("hidden" in el.attrib and attr(el, "hidden") != "until-found"):
        return True
    if (el.tag == "dialog" and "open" not in el.attrib) or "popover" in el.attrib:
        return True
    if not style:
        return False
    return (
        style.get("display", "").startswith("none")
        or _is_faint(style)
        or _is_away(style)
        or _is_squeezed(style)
        or bool(_CLIPPED_AWAY.search(style.get("clip", "") + style.get("clip-path", "")))
    )


def _is_faint(style: Declarations) -> bool:
    opacity = pixels(style.get("opacity", "1"), of=1.0)
    return (opacity is not None and opacity < 0.1) or "opacity(0" in style.get("filter", "").replace(" ", "")


def _is_away(style: Declarations) -> bool:
    """Moved off the screen, scaled to nothing or put behind the page."""
    is_placed = style.get("position", "").startswith(("absolute", "fixed", "relative", "sticky"))
    sides = ("left", "right", "top", "bottom") if is_placed else ()
    if any(_is_far(style.get(name, "")) for name in (*sides, "text-indent", "margin-left", "margin-top")):
        return True
    if is_placed and style.get("z-index", "").startswith("-"):
        return True
    transform = style.get("transform", "")
    moved = _MOVED_AWAY.search(transform)
    return bool(_SCALED_AWAY.search(transform)) or bool(moved and any(_is_far(part or "") for part in moved.groups()))


def _is_far(value: str) -> bool:
    length = pixels(value)
    return length is not None and length <= _FAR


def _is_squeezed(style: Declarations) -> bool:
    """Kept in a box too low, or placed in one too narrow, to show a letter."""
    if not any(style.get(name, "").startswith(("hidden", "clip")) for name in ("overflow", "overflow-x", "overflow-y")):
        return False
    is_placed = style.get("position", "").startswith(("absolute", "fixed"))
    sides = ("height", "max-height", *(("width", "max-width") if is_placed else ()))
    return any(size is not None and size <= 1 for size in (pixels(style.get(name, "")) for name in sides))


def _look(el: Element, style: Declarations, around: _Seen) -> _Seen:
    """What can be seen of text directly in the element."""
    ink, ground = style.get("color", attr(el, "color")), _ground(el, style)
    if not style and not ink and not ground:
        return around
    visibility = style.get("visibility", "")
    return _Seen(
        is_tiny=_is_tiny(style, around),
        is_invisible=visibility.startswith(("hidden", "collapse")) if visibility else around.is_invisible,
        ink=colour(ink.lower()) if ink else around.ink,
        ground=(None if "url(" in ground or "gradient" in ground else colour(ground)) if ground else around.ground,
        is_clear=is_clear(ink) if ink else around.is_clear,
    )


def _ground(el: Element, style: Declarations) -> str:
    """What the element is painted on, empty when it shows the ground of the one round it."""
    said = (
        style.get("background", "") + " " + style.get("background-color", "") + " " + style.get("background-image", "")
    )
    said = (said + " " + attr(el, "bgcolor").lower()).strip()
    return "" if is_clear(said) or said in {"none", "inherit", "initial", "unset"} else said


def _is_tiny(style: Declarations, around: _Seen) -> bool:
    size = style.get("font-size", "")
    if not size and (found := _FONT_SIZE.search(style.get("font", ""))):
        size = found[1]
    length = pixels(size, of=16.0)
    if length is None:
        return around.is_tiny
    is_relative = ("em" in size and "rem" not in size) or "%" in size
    return length < _TINY or (is_relative and around.is_tiny)


def _blank(el: Element) -> int:
    """Remove the text that stands directly in an element."""
    had = bool((el.text or "").strip())
    el.text = ""
    for child in el:
        had = had or bool((child.tail or "").strip())
        child.tail = ""
    return int(had)
