"""Wall detection: whether a page stands before the content (login, paywall, bot check, soft 404, script shell).

`collect_signs` looks at the untouched page, `look_at` at what its reader sees of it, `judge` decides. Each rule asks
for what the wall says of itself, in a place of its own, and for the lack of anything else: pages that tell something
are never walls, whatever words they use.
"""

import re

from gossamer.errors import PaymentRequired
from gossamer.extractors.html.walls.bot_blocks import bot_block, bot_block_in, interstitial
from gossamer.extractors.html.walls.evidence import LONG, STATEMENT_CHARS, Shown, Signs, collect_signs, look_at
from gossamer.extractors.html.walls.phrases import LECTURE, NEWSLETTER, PAY, PAY_HINT, PRICES
from gossamer.extractors.html.walls.script_shells import empty_page, script_shell
from gossamer.extractors.html.walls.soft_404 import soft_404
from gossamer.extractors.html.walls.visible_texts import TextBlock, prose, weigh

__all__ = [
    "PAYWALL_MESSAGE",
    "Shown",
    "Signs",
    "bot_block_in",
    "collect_signs",
    "empty_page",
    "judge",
    "look_at",
    "may_be_paid",
]

_FREE = 3_000
"""A paid page that shows more has shown its article."""
_TEASER = 1_500
_SOME = 400
_OFFER = 250
_STOPS = ".!?…。！？:：|·–—"
PAYWALL_MESSAGE = (
    "The page is behind a paywall: this is the part that is free to read. "
    "Look for another source if what you need is not in it."
)
_MUCH = 2_500
_NOTHING = 20
_OFFERS = 10


def judge(signs: Signs, shown: Shown, content: str) -> bool:
    """Raise for a page that is a wall or a shell; return whether it is the free part of a paid page.

    `content` is what would be returned.
    """
    if len(shown.text) < LONG and prose(shown.blocks) < _MUCH:
        wall = (
            bot_block(signs, shown)
            or soft_404(signs, shown)
            or interstitial(signs, shown)
            or script_shell(signs, shown)
        )
        if wall is not None:
            raise wall
    if not is_paid(signs, shown, len(content)):
        return False
    offers = [block for block in shown.blocks if PAY.search(block.text[:STATEMENT_CHARS])][:_OFFERS]
    if weigh(content) - sum(block.weight for block in offers if block.text in content) < _NOTHING:
        raise PaymentRequired("The page has to be paid for, and shows no part of it.", hint="Look for a free source.")
    return True


def is_paid(signs: Signs, shown: Shown, size: int) -> bool:
    """Whether the page offers the rest of itself for money, at the end of what it tells."""
    if size >= LONG or (not signs.is_paid and _is_price_list(shown)):
        return False
    asks = _asks_at_end(shown.blocks)
    if asks and (signs.is_paid or shown.has_paybox):
        return True
    if size >= _FREE:
        return False
    hints = shown.has_paybox or shown.says(PAY_HINT)
    return asks or (signs.is_paid and (size < _TEASER or hints))


def may_be_paid(signs: Signs, shown: Shown) -> bool:
    """Whether a page that showed little of itself would be one of which a part is free."""
    return is_paid(signs, shown, 0)


def _is_price_list(shown: Shown) -> bool:
    """Whether the page is called after its prices: what it offers is what it tells."""
    return any(map(PRICES.fullmatch, (*shown.titles[:1], *shown.headings[:1])))


def _asks_at_end(blocks: tuple[TextBlock, ...]) -> bool:
    """Whether a short block says so in a sentence of its own, and little prose follows it."""
    rest = 0
    for block in reversed(blocks):
        if rest > _SOME:
            return False
        if block.weight <= _OFFER and block.head != 1 and not block.is_item and _begins(PAY, block.text):
            return not (LECTURE.search(block.text) or NEWSLETTER.search(block.text))
        rest += block.weight if block.is_prose else 0
    return False


def _begins(what: re.Pattern[str], text: str) -> bool:
    """Whether a sentence of the text begins with it; what stands in quotation marks or amid a sentence is reported."""
    return any(not (before := text[: at.start()].rstrip()) or before[-1] in _STOPS for at in what.finditer(text))
