"""Pages of which only a part is free to read."""

import re

from gossamer.extractors.walls.blocks import Block
from gossamer.extractors.walls.notice import LONG, Shown, Signs
from gossamer.extractors.walls.offers import PAY, PAY_HINT, PRICES
from gossamer.extractors.walls.telling import LECTURE

_FREE = 3_000
"""A paid page that shows more has shown its article."""
_TEASER = 1_500
_SOME = 400
_OFFER = 250
_STOPS = ".!?…。！？:：|·–—"


def is_paid(found: Signs, shown: Shown, size: int) -> bool:
    """Whether the page offers the rest of itself for money, at the end of what it tells."""
    if size >= LONG or (not found.is_paid and _is_price_list(shown)):
        return False
    asks = _asks_at_end(shown.blocks)
    if asks and (found.is_paid or shown.has_paybox):
        return True
    if size >= _FREE:
        return False
    hints = shown.has_paybox or shown.says(PAY_HINT)
    return asks or (found.is_paid and (size < _TEASER or hints))


def may_be_paid(found: Signs, shown: Shown) -> bool:
    """Whether a page that showed little of itself would be one of which a part is free."""
    return is_paid(found, shown, 0)


def _is_price_list(shown: Shown) -> bool:
    """Whether the page is called after its prices: what it offers is what it tells."""
    return any(map(PRICES.fullmatch, (*shown.titles[:1], *shown.headings[:1])))


def _asks_at_end(blocks: tuple[Block, ...]) -> bool:
    """Whether a short block says so in a sentence of its own, and little is told after it."""
    rest = 0
    for block in reversed(blocks):
        if rest > _SOME:
            return False
        if block.weight <= _OFFER and block.head != 1 and not block.is_item and _begins(PAY, block.text):
            return not LECTURE.search(block.text)
        rest += block.weight if block.is_prose else 0
    return False


def _begins(what: re.Pattern[str], text: str) -> bool:
    """Whether a sentence of the text begins with it; what stands in quotation marks or amid a sentence is reported."""
    return any(not (before := text[: at.start()].rstrip()) or before[-1] in _STOPS for at in what.finditer(text))
