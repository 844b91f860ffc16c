"""Revealed by a script: a page that hides its own article until a script has run is read as it stands after that.

Only where little or nothing of the page's prose can be seen meanwhile; beside a page that can be read, what is hidden
stays hidden. And only what hides at the scale of the page is lifted: a part that holds the article or most of the text,
and parts that are hidden alike and together hold most of it. What is hidden by itself within them still goes.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from gossamer.extractors.html.tree import Element, attr, body, outermost
from gossamer.extractors.html.visibility.css.cascade import Style
from gossamer.extractors.html.visibility.css.rule_filter import hides

_LITTLE_PROSE = 200
"""As much running text beside what is hidden is a page that its reader sees."""
_ARTICLE_CHARS = 600
_MOST = 0.5
_NAMES_CHARS = 300
_NO_PROSE_NAMES = "a h1 h2 h3 h4 h5 h6 nav footer header button label form legend summary dialog"
_NO_PROSE = tuple(_NO_PROSE_NAMES.split())
_MAIN = ("main", "article", "h1")
_ASIDE = frozenset({"dialog", "nav", "footer", "rp", "form", "menu"})
_ASIDE_ROLES = frozenset({"dialog", "alertdialog", "menu", "listbox", "tooltip", "navigation", "alert", "status"})
_BESIDE = re.compile(
    r"menu|nav(?:bar|igation)?\b|modal|popup|dialog|cookie|consent|banner|footer|drawer|dropdown|overlay|toast|tooltip|"
    r"notice|notification|translation|sr-only|visually-hidden|screen-reader",
    re.IGNORECASE,
)
_ALIKE = frozenset({"display", "visibility", "content-visibility"})
"""Of other properties any value that hides counts as the same."""


def shows_little(root: Element, gone: Iterable[Element]) -> bool:
    """Whether next to no running text of a page can be seen; what is blanked has no text any more."""
    whole = body(root)
    unseen = {el for part in (*gone, *outermost(whole, _NO_PROSE)) for el in part.iter("*")}
    left = 0
    for el in whole.iter("*"):
        if el not in unseen:
            for text in (el.text, *(child.tail for child in el)):
                left += len(text.strip()) if text else 0
        if left >= _LITTLE_PROSE:
            return False
    return True


def way_of(el: Element, style: Style) -> frozenset[str]:
    """How an element is hidden, so that others hidden alike can be found."""
    ways = {f"{name}:{value}" if name in _ALIKE else name for name, value in style.items() if hides(name, value)}
    ways.update(name for name in ("hidden", "aria-hidden") if name in el.attrib)
    return frozenset({*ways, "inline"} if attr(el, "style") else ways)


def lifted_by_script(ways: Mapping[Element, frozenset[str]], sizes: Mapping[Element, int], seen: int) -> set[Element]:
    """Of what hides, the elements that a script shows as the page.

    `sizes` are the characters that each hides, `seen` those that can be seen.
    """
    every = seen + sum(sizes.values())
    whole = {el for el, size in sizes.items() if size >= _ARTICLE_CHARS and not _is_aside(el)}
    pages = {el for el in whole if sizes[el] >= _MOST * every or el.tag in _MAIN or any(True for _ in el.iter(*_MAIN))}
    if pages and sum(sizes[el] for el in pages) >= _MOST * every:
        return pages
    alike: dict[frozenset[str], list[Element]] = defaultdict(list)
    for el in sizes:
        if not _is_aside(el) and not _BESIDE.search(f"{attr(el, 'id')} {attr(el, 'class')}"[:_NAMES_CHARS]):
            alike[ways[el]].append(el)
    groups = [group for group in alike.values() if _size(group, sizes) >= max(_ARTICLE_CHARS, _MOST * every / 2)]
    return pages.union(*groups)


def _size(group: Collection[Element], sizes: Mapping[Element, int]) -> int:
    return sum(sizes[el] for el in group)


def _is_aside(el: Element) -> bool:
    return el.tag in _ASIDE or attr(el, "role").lower() in _ASIDE_ROLES or "popover" in el.attrib
