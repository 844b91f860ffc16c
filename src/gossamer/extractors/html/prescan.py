"""Prescan: limits on tags, nesting and attributes, checked in linear time before a parser sees the page."""

import re

from gossamer.errors import TooComplex

MAX_TAGS = 500_000
"""As many as can be read in the time that a page has: an element costs up to 50 µs."""
MAX_DEPTH = 1_000
MAX_ATTRIBUTES = 1_000

_OUTSIDE = -1
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]{0,20})|<!--")
_QUOTED = re.compile(r"\"[^\"]*(?:\"|$)|'[^']*(?:'|$)")
_OPEN_VALUE = re.compile(r"""=\s*(?:"[^"]*|'[^']*)$""")
"""A value that has begun and not ended: a `>` behind it is a part of it, and not the end of the tag."""
_NAME = re.compile(r"(?:^|[\s/])[^\s/=]")
_CLOSED = re.compile(r"""(?:\s+[^\s"'=<>/]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>/]+(?=\s)))?)*\s*/""")
"""The rest of a tag that closes itself, `<path d="M1,2" />`: only where nothing in it could be read otherwise."""
_MOST_CLOSED = 10_000
"""Characters of a tag beyond which it counts as open, whatever its end."""
# Elements that are never closed, then those that close one another.
_FLAT_NAMES = (
    "area base br col embed hr img input link meta param source track wbr p li dt dd tr td th thead tbody tfoot "
    "option optgroup colgroup rt rp html head body"
)
_FLAT = frozenset(_FLAT_NAMES.split())
_RAW = frozenset({"script", "style", "textarea", "title", "xmp", "noembed", "noframes"})


def prescan(text: str) -> None:
    """Raise for a page with more tags, nesting or attributes than any honest page has.

    The depth is an estimate: elements that close one another or themselves are not counted, raw text and comments are
    skipped.
    A tag without an end goes on into the next one, so that attributes cannot hide behind a `<` of their own.
    """
    if text.count("<") > MAX_TAGS:
        raise _too_complex(f"more than {MAX_TAGS:,} tags")
    depth, attributes, at = 0, _OUTSIDE, 0
    is_opened = False
    while tag := _TAG.search(text, at):
        start = tag.start()
        if is_opened and text.find("/>", at, start) >= 0 and _closes_itself(text, at, start):
            depth -= 1
        is_opened = False
        end = text.find(">", at, start)
        if end == at or (0 <= end <= at + MAX_ATTRIBUTES and not _is_in_value(text, at, end)):
            attributes = 0
        else:
            attributes = max(0, _check_attributes(text[at:start], attributes))
        at = tag.end()
        name = (tag[2] or "").lower()
        if not name:
            at = _after(text, "-->", at)
            attributes = _OUTSIDE
        elif name in _RAW and not tag[1]:
            if not _closes_itself(text, at, len(text)):
                at = _after(text, f"</{name}", at)
        elif name not in _FLAT:
            is_opened = not tag[1]
            depth = depth + 1 if is_opened else max(0, depth - 1)
            if depth > MAX_DEPTH:
                raise _too_complex(f"elements nested more than {MAX_DEPTH:,} deep")
    _check_attributes(text[at:], attributes)


def _check_attributes(stretch: str, before: int) -> int:
    """Add the attributes in the text behind a tag's name to those `before`, unless that tag has ended."""
    inside, end, _ = stretch.partition(">")
    if end and _is_in_value(inside, 0, len(inside)):
        inside, end, _ = _QUOTED.sub(" ", stretch).partition(">")
    if before != _OUTSIDE and (not end or len(inside) > MAX_ATTRIBUTES):
        before += sum(1 for _ in _NAME.finditer(_QUOTED.sub(" ", inside)))
        if before > MAX_ATTRIBUTES:
            raise _too_complex(f"a tag with more than {MAX_ATTRIBUTES:,} attributes")
    return _OUTSIDE if end else before


def _is_in_value(text: str, at: int, end: int) -> bool:
    """Whether the tag whose name ends at `at` is within a quoted value at `end`."""
    has_odd_quotes = text.count('"', at, end) % 2 or text.count("'", at, end) % 2
    return bool(has_odd_quotes) and _OPEN_VALUE.search(text, at, end) is not None


def _closes_itself(text: str, at: int, end: int) -> bool:
    """Whether the tag whose name ends at `at` ends in `/>` before `end`, beyond doubt."""
    close = text.find("/>", at, min(end, at + _MOST_CLOSED))
    return close >= 0 and _CLOSED.fullmatch(text, at, close + 1) is not None


def _after(text: str, mark: str, at: int) -> int:
    """The place behind `mark`, or the end."""
    index = text.find(mark, at)
    if index < 0 and mark.startswith("</"):
        index = text.find(mark.upper(), at)
    return len(text) if index < 0 else index + len(mark)


def _too_complex(what: str) -> TooComplex:
    return TooComplex(f"The page has {what}.", hint="It is not read; look for another source.")
