"""What a page writes in `noscript` for readers like us, which run no scripts.

A page with scripts shows none of it, so it is a place to hide things in. It is read only where it is the page: where
there is next to no other text, or where it is the article that a script shows from a template and the page has no
other words.
"""

import re
from collections.abc import Collection
from html import unescape

from gossamer.extractors.tree import Element, body, outermost, words

_WHOLE_PAGE_CHARS = 600
_FEWEST_PARAGRAPHS = 3
_ARTICLE_SHARE = 0.5
"""An article in `noscript` has at least twice as much text as all that the page shows beside it."""
_PROSE_CHARS = 200
"""As much text beside it, links apart, is something that the page shows itself."""
_NO_PROSE = ("a", "h1", "h2", "h3", "h4", "h5", "h6")
_TAG = re.compile("<[^<>]*>")
_TEMPLATES = frozenset({"text/template", "text/x-template", "text/html", "text/x-handlebars-template"})


def written_for_us(root: Element, unshown: Collection[str]) -> list[Element]:
    """The element that stands for the page in a browser without scripts, and those that hold its styles there.

    `unshown` are the elements that never show text.
    """
    whole = body(root)
    largest = max(outermost(whole, ("noscript",)), key=lambda el: len(words(el)), default=None)
    inside = len(words(largest)) if largest is not None else 0
    if largest is None or inside < _WHOLE_PAGE_CHARS:
        return []
    hidden = outermost(whole, unshown)
    beside = len(words(whole)) - sum(len(words(el)) for el in hidden)
    if beside >= _ARTICLE_SHARE * inside or _prose_chars(whole, hidden) >= _PROSE_CHARS:
        return []
    if beside < inside / 10 or _is_article(largest, whole):
        return [largest, *(el for el in root.iter("noscript") if _is_style(el))]
    return []


def _is_article(largest: Element, whole: Element) -> bool:
    """Whether an element is the text of a template, in paragraphs."""
    return sum(1 for _ in largest.iter("p", "br")) >= _FEWEST_PARAGRAPHS and _has_twin(largest, whole)


def _has_twin(el: Element, whole: Element) -> bool:
    """Whether the same text stands in a template, from which a script shows it to everybody else."""
    wanted = "".join(words(el).split())
    return any(
        wanted in "".join(unescape(_TAG.sub("", script.text or "")).split())
        for script in whole.iter("script")
        if (script.get("type") or "").strip().lower() in _TEMPLATES
    )


def _is_style(el: Element) -> bool:
    """Whether nothing but styles is in an element."""
    return len(el) > 0 and all(child.tag in {"style", "link"} for child in el) and not _own_chars(el)


def _prose_chars(whole: Element, hidden: Collection[Element]) -> int:
    """How much text stands on the page outside of links, headings and some elements."""
    unseen = {el for part in (*hidden, *outermost(whole, _NO_PROSE)) for el in part.iter("*")}
    return sum(_own_chars(el) for el in whole.iter("*") if el not in unseen)


def _own_chars(el: Element) -> int:
    """How much text stands directly in an element."""
    return len((el.text or "").strip()) + sum(len((child.tail or "").strip()) for child in el)
