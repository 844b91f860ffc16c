"""Spans of text: converted from UTF-16 units to code points, and kept valid when the text is cleaned."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from gossamer.steps.text.clean_line import is_seen
from gossamer.steps.text.untrusted_markers import escape, escapes


def fitted(text: str, start: int, end: int, address: str) -> tuple[int, int] | None:
    """The span of a citation in code points; some services count UTF-16 units instead.

    Of the two countings that one holds by which the span is a link to the address, or at least has it inside; where
    neither does, code points are believed. A span outside of the text is none.
    """
    spans = [(start, end)]
    if not text.isascii():
        units = text.encode("utf-16-le", "surrogatepass")
        spans.append((_in_code_points(units, start), _in_code_points(units, end)))
    inside = [span for span in spans if 0 <= span[0] < span[1] <= len(text)]
    return max(inside, key=lambda span: _likeness(text[slice(*span)], address), default=None)


def cleaned(text: str, places: Sequence[int]) -> tuple[str, list[int]]:
    """A foreign text without invisible characters and with look-alike marks disarmed; maps old offsets to new ones."""
    unseen = [] if text.isprintable() else [place for place in range(len(text)) if not is_seen(text, place)]
    visible = text
    if unseen:
        gone = set(unseen)
        visible = "".join(sign for place, sign in enumerate(text) if place not in gone)
    added = escapes(visible)
    moved = (place - bisect_left(unseen, place) for place in places)
    return escape(visible), [place + bisect_right(added, place) for place in moved]


def _likeness(cited: str, address: str) -> int:
    """How much a piece of text is like the link that a citation stands on."""
    has_address = address in cited
    return has_address + (has_address and cited[0] in "([" and cited[-1] in ")]")


def _in_code_points(units: bytes, place: int) -> int:
    """The number of characters before a UTF-16 place; -1 for one outside of the text or inside a character."""
    if not 0 <= 2 * place <= len(units):
        return -1
    try:
        return len(units[: 2 * place].decode("utf-16-le"))
    except UnicodeDecodeError:
        return -1
