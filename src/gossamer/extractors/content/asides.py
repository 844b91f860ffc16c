"""What is no content wherever it stands: windows over the page, and lines that only point to another page."""

import re

from gossamer.extractors.content.blocks import HEADINGS, Block, Outline
from gossamer.extractors.content.phrases import Known, names_of
from gossamer.extractors.tree import Element, attr

_WINDOW = re.compile(
    r"(?:^|\s)(?:modal|popup|pop-up|lightbox|dialog)(?![^-_\s])|[-_](?:modal|popup|lightbox|dialog)(?!\S)",
    re.IGNORECASE,
)
_ROLES = frozenset({"dialog", "alertdialog"})
_PAGE = 0.5
"""What has at least this share of a page's words is the page, whatever it is called."""
_POINTER = re.compile(
    r"\W{0,3}(?:read (?:more|next|also|this)|related(?: \w{1,12})?|see also|also|more|more on this|don.t miss"
    r"|watch(?: \w{1,6})?|weiterlesen|lesen sie auch|mehr zum thema|lire aussi|à lire aussi|leia (?:também|mais)"
    r"|lea también|ver también|leggi anche|lees ook|相关阅读|延伸阅读|推荐阅读)\s?[:：]",
    re.IGNORECASE,
)
_POINTER_TOKENS = 40
_POINTING = 0.5


def in_windows(page: Outline) -> list[bool]:
    """For each block whether it stands in a window that opens over the page: a dialog, a form to sign in, a notice."""
    words = [0] * len(page.elements)
    for block in page.blocks:
        words[block.at] = len(block.tokens)
    for at in range(len(words) - 1, 0, -1):
        words[page.parents[at]] += words[at]
    called = Known(_is_called_window)
    found: list[bool] = []
    for at, parent in enumerate(page.parents):
        is_part = parent >= 0 and words[at] < _PAGE * words[0]
        el = page.elements[at]
        found.append(is_part and (found[parent] or called[names_of(el)] or _says_window(el)))
    return [found[block.at] for block in page.blocks]


def _is_called_window(names: str) -> bool:
    return _WINDOW.search(names) is not None


def _says_window(el: Element) -> bool:
    return el.tag == "dialog" or attr(el, "role").lower() in _ROLES or attr(el, "aria-modal") == "true"


def is_pointer(block: Block) -> bool:
    """Whether a line says no more than where to read on: "Related: ..." and a link."""
    is_short = 0 < len(block.tokens) <= _POINTER_TOKENS and block.element.tag not in HEADINGS
    is_linked = block.linked >= _POINTING * len(block.tokens)
    return is_short and is_linked and _POINTER.match(block.text) is not None
