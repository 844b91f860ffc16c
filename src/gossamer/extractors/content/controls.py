"""Controls within text that are no part of it: what edits a section, the icon that leads to a post."""

from collections.abc import Iterator

from gossamer.extractors.content.blocks import HEADINGS
from gossamer.extractors.tree import Element, attr, classes, drop_trees, words

_EDIT = "mw-editsection"
_NAMES = (_EDIT, "sr-only", "visually-hidden", "screen-reader")
_CANDIDATES = f"descendant::*[{' or '.join(f'contains(@class, {name!r})' for name in _NAMES)}]"
_BYLINES = frozenset({"author", "byline"})


def drop_controls(whole: Element, source: str) -> None:
    """Remove them from a page; most have none, which its source tells at once."""
    if any(name in source for name in _NAMES):
        drop_trees(whole, list(_controls(whole)))


def _controls(whole: Element) -> Iterator[Element]:
    for el in whole.xpath(_CANDIDATES):
        around = el.getparent()
        if _EDIT in classes(el) and around is not None and around.tag not in HEADINGS:
            yield el
        elif (link := _icon_link(el)) is not None:
            yield link


def _icon_link(label: Element) -> Element | None:
    """The link in a byline that shows an icon alone, and says what it is to screen readers by a label."""
    link = next(label.iterancestors("a"), None)
    if link is None or words(link) != words(label):
        return None
    around = link.getparent()
    return link if around is not None and not _BYLINES.isdisjoint(attr(around, "class").lower().split()) else None
