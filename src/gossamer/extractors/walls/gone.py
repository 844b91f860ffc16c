"""Domains without a site, servers without pages, pages that say that they are not there or not now."""

from gossamer.errors import GossamerError, NotFound, Unreachable
from gossamer.extractors.walls import absence as say
from gossamer.extractors.walls.blocks import Block, besides, prose, says, states, weigh
from gossamer.extractors.walls.notice import Shown, Signs
from gossamer.extractors.walls.offers import (
    DEFAULT_HEAD,
    DEFAULT_SAYS,
    DEFAULT_TITLE,
    DOMAIN,
    OF_DOMAINS,
    PARKING_MARK,
    SALE,
    SALE_CONTROL,
    SALE_HEAD,
    SALE_SAID,
    SPONSORED,
)
from gossamer.extractors.walls.refused import FINE_PRINT
from gossamer.extractors.walls.telling import ADDRESS

_LITTLE = 150
_SOME = 400
_SPOKEN = 600
_TEASERS = 1_000
"""What a site may show of itself beside a notice that says twice what it is."""
_FIRST = 5
_A_LINE = 60
_A_WORD = 30
_A_FEW = 2


def gone(found: Signs, shown: Shown) -> GossamerError | None:
    """Why there is no page here; None for a page."""
    if (_is_advertising(shown) or _is_parked(found, shown)) and not shown.tells:
        return NotFound("The domain is parked or for sale: there is no site.", hint="Search for where the site went.")
    if _is_default(found, shown):
        return NotFound(
            "A web server's default page: there is no site yet.", hint="Check the address or search for it."
        )
    is_soon = any(map(say.SOON_HEAD.fullmatch, shown.headings or shown.titles))
    if is_soon and besides(shown.plain, say.SOON, FINE_PRINT) < _A_WORD:
        return NotFound("The site says that it is not there yet.", hint="Check the address or search for it.")
    if _is_lost(shown):
        return NotFound("The site says that there is no such page.", hint="Check the address or search for the page.")
    if _is_out_of_order(shown):
        return Unreachable("The site says that it is out of order for now.", hint="Try again later.")
    return None


def _is_parked(found: Signs, shown: Shown) -> bool:
    speaks = any(map(OF_DOMAINS.search, (shown.text, *shown.titles)))
    states_it = shown.weight < _TEASERS and shown.says(SALE)
    offers = speaks and (states_it or any(map(SALE.search, shown.titles)))
    is_marked = (offers or weigh(shown.text) < _LITTLE) and any(map(PARKING_MARK.search, found.sources))
    if not offers or is_marked:
        return is_marked and prose(shown.blocks, without=SALE) < _SOME
    rest = prose(shown.blocks, without=SALE)
    is_titled = bool(SALE_HEAD.fullmatch(found.title)) or any(map(SALE_HEAD.fullmatch, shown.heads))
    if is_titled and (rest == 0 or (rest < _SOME and shown.has_control(SALE_CONTROL))):
        return True
    is_stated = any(states(block.text, SALE_SAID) for block in shown.blocks)
    is_called = any(map(SALE_SAID.match, (*shown.titles, *found.titles)))
    return is_stated and besides(shown.plain, SALE_SAID, FINE_PRINT) < (_LITTLE if is_called else _A_LINE)


def _is_advertising(shown: Shown) -> bool:
    """Whether there is nothing but links under the name of a domain, and a line that says who has put them there."""
    if not any(SPONSORED.search(block.text[:_SPOKEN]) for block in shown.plain):
        return False
    named = (*shown.titles, *(block.text for block in shown.blocks[:_FIRST]))
    links = sum(block.is_control for block in shown.blocks)
    rest = prose(block for block in shown.blocks if not SPONSORED.search(block.text))
    return links >= _A_FEW and rest < _A_LINE and any(map(DOMAIN.fullmatch, named))


def _is_default(found: Signs, shown: Shown) -> bool:
    is_titled = bool(DEFAULT_TITLE.fullmatch(found.title))
    first = next((block.text for block in shown.blocks if block.head), "")
    if is_titled:
        return bool(DEFAULT_SAYS.search(shown.text)) or weigh(shown.text) < _A_LINE
    if not found.title and DEFAULT_TITLE.fullmatch(first) and weigh(shown.text) < _A_LINE:
        return True
    begins = first or next((block.text for block in shown.blocks), "")
    told = [block for block in shown.plain if block.text != begins]
    is_so = bool(DEFAULT_HEAD.fullmatch(begins)) and any(DEFAULT_SAYS.search(block.text) for block in told)
    return is_so and besides(told, DEFAULT_SAYS, DEFAULT_SAYS) < _A_LINE


def _is_lost(shown: Shown) -> bool:
    """Whether a heading says that there is nothing, and a sentence of the page agrees or nothing else is there."""
    titled = [part for part in shown.titles if say.LOST_HEAD.fullmatch(part)]
    headed = [text for text in shown.headings if say.LOST_HEAD.fullmatch(text)]
    if not (titled or headed):
        return False
    if prose(shown.blocks, without=say.LOST_SAYS) >= (_TEASERS if titled and headed else _LITTLE):
        return False
    if any(map(_is_of_loss, shown.plain[:_FIRST])):
        return True
    if not headed and any(block.head for block in shown.blocks):
        return False
    told = [block.text for block in shown.plain]
    is_addressed = any(map(ADDRESS.search, told))
    room = (_LITTLE if is_addressed else _A_LINE) if any(map(say.WORD.search, titled + headed)) else _A_WORD
    return sum(map(weigh, told)) < room and not any(map(say.ABOUT.search, told))


def _is_of_loss(block: Block) -> bool:
    """Whether a sentence says that this page is not there; one on such pages comes with a "when" or "means"."""
    found = say.LOST_SAYS.search(block.text)
    return says(block, say.LOST_SAYS) and bool(found) and not say.ABOUT.search(block.text[: found.start()])


def _is_out_of_order(shown: Shown) -> bool:
    if any(map(say.FAULT_HEAD.fullmatch, shown.heads)):
        return besides(shown.plain, say.UPKEEP, say.UPKEEP_SAYS) < _A_WORD
    if shown.weight < _SPOKEN and any(states(block.text, say.UPKEEP) for block in shown.blocks):
        return besides(shown.plain, say.UPKEEP, say.UPKEEP_SAYS) < _A_WORD
    if not any(map(say.UPKEEP_HEAD.fullmatch, shown.heads)) or prose(shown.blocks) >= _SOME:
        return False
    return not shown.plain or any(say.UPKEEP_SAYS.search(block.text) for block in shown.plain)
