"""Bars above a page's headline: its menu, a notice of cookies, a line of news from the shop.

Each is a line or two, and a page with little text has so little else that a judge of single blocks is not sure of
them. They are told by where they stand: outside what is marked as the text, before the first headline.
"""

import re

from gossamer.extractors.content.blocks import HEADINGS, Block, Outline

_BAR_TOKENS = 40
"""A longer text is no bar; not so a notice of cookies, which explains itself."""
_NOTICE_TOKENS = 120
_LINKED = 0.8
"""From this share of words in links on, a line is a menu."""
_TEXT = frozenset({"main", "article", "table"})
_SITE = frozenset({"header", "nav"})
_SITE_ROLES = frozenset({"banner", "navigation"})
_COOKIES = re.compile("cookie|クッキー|쿠키|куки|ملفات تعريف الارتباط", re.IGNORECASE)


def in_bars(page: Outline) -> list[bool]:
    """For each block whether it is a bar above the first headline."""
    headline = next((nth for nth, block in enumerate(page.blocks) if block.element.tag == "h1"), 0)
    found = [False] * len(page.blocks)
    if not headline:
        return found
    in_text, site = [False] * len(page.elements), len(page.elements)
    for at, (el, role) in enumerate(zip(page.elements, page.roles, strict=True)):
        in_text[at] = at > 0 and (in_text[page.parents[at]] or el.tag in _TEXT or role == "main")
        if site > at and (el.tag in _SITE or role in _SITE_ROLES):
            site = at
    for nth in range(headline):
        block = page.blocks[nth]
        found[nth] = not in_text[block.at] and _is_bar(block, is_first=block.at < site < page.blocks[headline].at)
    return found


def _is_bar(block: Block, *, is_first: bool) -> bool:
    """Whether a block is a menu or a notice, or a line that stands above even the name of the site."""
    size = len(block.tokens)
    if not size or block.element.tag in HEADINGS:
        return False
    if _COOKIES.search(block.text) and size <= _NOTICE_TOKENS:
        return True
    return size <= _BAR_TOKENS and (is_first or block.linked >= _LINKED * size)
