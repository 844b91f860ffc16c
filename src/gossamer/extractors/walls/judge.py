"""Decides whether a page is a wall, a shell, or the free part of something paid.

Each rule asks for what the wall says of itself, in a place of its own, and for the lack of anything else: pages that
tell something are never walls, whatever words they use.
"""

from gossamer.errors import PaymentRequired
from gossamer.extractors.walls.blocks import prose, weigh
from gossamer.extractors.walls.gates import gate
from gossamer.extractors.walls.gone import gone
from gossamer.extractors.walls.notice import LONG, SAID, Shown, Signs
from gossamer.extractors.walls.offers import PAY
from gossamer.extractors.walls.paid import is_paid
from gossamer.extractors.walls.shells import shell
from gossamer.extractors.walls.turned import turned_away

PAYWALL_MESSAGE = (
    "The page is behind a paywall: this is the part that is free to read. "
    "Look for another source if what you need is not in it."
)
_MUCH = 2_500
_NOTHING = 20
_OFFERS = 10


def judge(found: Signs, shown: Shown, content: str) -> bool:
    """Raise for a page that is a wall or a shell; return whether it is the free part of a paid page.

    `content` is what would be returned.
    """
    if len(shown.text) < LONG and prose(shown.blocks) < _MUCH:
        wall = turned_away(found, shown) or gone(found, shown) or gate(found, shown) or shell(found, shown)
        if wall is not None:
            raise wall
    if not is_paid(found, shown, len(content)):
        return False
    offers = [block for block in shown.blocks if PAY.search(block.text[:SAID])][:_OFFERS]
    if weigh(content) - sum(block.weight for block in offers if block.text in content) < _NOTHING:
        raise PaymentRequired("The page has to be paid for, and shows no part of it.", hint="Look for a free source.")
    return True
