"""What is no content wherever it stands: windows over the page, and lines that only point to another page."""

import re

from gossamer.extractors.content.blocks import HEADINGS, Block, Outline
from gossamer.extractors.content.phrases import Known
from gossamer.extractors.tree import Element, attr, with_attribute

_KIND = r"(?:modal|popup|pop-up|lightbox|dialog)"
_PART = r"(?:window|box|content|body|inner|wrap|wrapper|container|overlay|backdrop|dialog|form|root)"
_WINDOW = re.compile(rf"(?<!\S)(?:[-\w]{{0,40}}[-_])?{_KIND}(?:[-_]{{1,2}}{_PART})?(?!\S)", re.IGNORECASE)
_ROLES = frozenset({"dialog", "alertdialog"})
_CONTROLS = frozenset({"form", "input", "button"})
_TEXT = frozenset({"main", "article"})
_LINES = HEADINGS | {"p", "ul", "ol"}
_FEW_TOKENS = 15
"""Among the text, a name alone tells a window only where it says no more than this: an article may show a dialog."""
_PAGE = 0.5
"""What has at least this share of a page's words is the page, whatever it is called."""
_POINTER = re.compile(
    r"\W{0,3}(?:don.t miss\b|(?:read (?:more|next|also|this)|related(?: \w{1,12})?|more on this"
    r"|watch(?: \w{1,6})?|weiterlesen|lesen sie auch|mehr zum thema|lire aussi|à lire aussi|leia (?:também|mais)"
    r"|lea también|ver también|leggi anche|lees ook|相关阅读|延伸阅读|推荐阅读)\s?[:：])",
    re.IGNORECASE,
)
"""Not "See also" and not "More": what they point to may be the function beside this one, or the data of the text."""
_POINTER_TOKENS = 40
_POINTING = 0.5
_CRY_TOKENS = 5


def in_windows(page: Outline) -> list[bool]:
    """For each block whether it stands in a window that opens over the page: a dialog, a form to sign in, a notice."""
    words, controls = [0] * len(page.elements), [int(el.tag in _CONTROLS) for el in page.elements]
    for block in page.blocks:
        words[block.at] = len(block.tokens)
    for at in range(len(words) - 1, 0, -1):
        words[page.parents[at]] += words[at]
        controls[page.parents[at]] += controls[at]
    is_outside = _outside(page)
    called = Known(_is_called_window)
    modal = {el for el in with_attribute(page.elements[0], "aria-modal") if attr(el, "aria-modal") == "true"}
    found: list[bool] = []
    for at, (parent, names, role) in enumerate(zip(page.parents, page.names, page.roles, strict=True)):
        is_part = parent >= 0 and words[at] < _PAGE * words[0]
        is_apart = words[at] <= _FEW_TOKENS or controls[at] > 0 or is_outside[at]
        is_window = (is_apart and called[names]) or role in _ROLES or _is_dialog(page.elements[at], modal)
        found.append(is_part and (found[parent] or is_window))
    return [found[block.at] for block in page.blocks]


def _outside(page: Outline) -> list[bool]:
    """For each element whether it stands outside what is marked as the text.

    On a page without such marks, what hangs on the body beside its other boxes, and beside no line of text, may be so.
    """
    marked = [el.tag in _TEXT or role == "main" for el, role in zip(page.elements, page.roles, strict=True)]
    if not any(marked):
        has_lines = any(el.tag in _LINES for el in page.elements[0])
        return [parent == 0 and not has_lines for parent in page.parents]
    inside: list[bool] = []
    for parent, is_marked in zip(page.parents, marked, strict=True):
        inside.append(is_marked or (parent >= 0 and inside[parent]))
    return [not is_inside for is_inside in inside]


def _is_called_window(names: str) -> bool:
    return _WINDOW.search(names) is not None


def _is_dialog(el: Element, modal: set[Element]) -> bool:
    return el.tag == "dialog" or el in modal


def is_pointer(block: Block) -> bool:
    """Whether a line says no more than where to read on: "Related: ..." and a link."""
    is_short = 0 < len(block.tokens) <= _POINTER_TOKENS and block.element.tag not in HEADINGS
    is_linked = block.linked >= _POINTING * len(block.tokens)
    return is_short and is_linked and _POINTER.match(block.text) is not None


def is_cry(block: Block) -> bool:
    """Whether a line is one link, all in capitals: among the text of an article, it calls to another one."""
    is_all = block.links == 1 and block.linked == len(block.tokens) >= _CRY_TOKENS
    return is_all and block.element.tag not in HEADINGS and block.text.isupper()
