"""Where a page's content leads, as a short list."""

from gossamer.extractors.characters import clean_line
from gossamer.extractors.tree import Element, attr
from gossamer.model.page import MAX_LINKS, Link

_TEXT_CHARS = 120
_ALL_CHARS = 16_000
"""Of all addresses together: pages are kept with their links."""


def read_links(top: Element) -> tuple[Link, ...]:
    """The first links of a tidied part, each address once, named by the first text that leads there."""
    found: dict[str, str] = {}
    left = _ALL_CHARS
    for el in top.iter("a"):
        url = attr(el, "href")
        name = clean_line("".join(el.itertext()), limit=_TEXT_CHARS) or _alt(el)
        if not url or not name or url in found:
            continue
        left -= len(url) + len(name)
        if left < 0 or len(found) == MAX_LINKS:
            break
        found[url] = name
    return tuple(Link(text=text, url=url) for url, text in found.items())


def _alt(el: Element) -> str:
    """The text of an image that is a link."""
    return next((text for img in el.iter("img") if (text := clean_line(attr(img, "alt"), limit=_TEXT_CHARS))), "")
