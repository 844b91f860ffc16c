"""Decides whether a page is a wall, a shell, or the free part of something paid.

Each rule asks for what the wall says of itself, in a place of its own, and for the lack of anything else: pages that
tell something are never walls, whatever words they use.
"""

import re

from gossamer.errors import (
    BlockPage,
    Denied,
    EmptyPage,
    GossamerError,
    NeedsScript,
    NotFound,
    PaymentRequired,
    Unreachable,
)
from gossamer.extractors.walls import words as say
from gossamer.extractors.walls.blocks import Block, prose, says, told, weigh
from gossamer.extractors.walls.notice import LONG, Shown, Signs
from gossamer.extractors.walls.offers import (
    DEFAULT_SAYS,
    DEFAULT_TITLE,
    PARKING_MARK,
    PAY,
    PAY_HINT,
    SALE,
    SALE_CONTROL,
    SALE_HEAD,
)

PAYWALL_MESSAGE = (
    "The page is behind a paywall: this is the part that is free to read. "
    "Look for another source if what you need is not in it."
)
_ELSEWHERE = "Look for another source of the same information."

_SAID = 300
"""A block that says what the page is, and not a paragraph about such pages."""
_LITTLE = 150
_SOME = 400
_SHORT = 600
_TEASERS = 1_000
"""What a site may show of itself beside a wall that says twice what it is."""
_MUCH = 2_500
_FIRST = 5
_FREE = 3_000
"""A paid page that shows more has shown its article."""
_TEASER = 1_500
_A_LINE = 60
_A_WORD = 30
_WAITS = re.compile(f"{say.SCRIPT.pattern}|{say.WAITING.pattern}", re.IGNORECASE)
_NOTHING = 20
_OFFERS = 10
_OFFER = 250
_STOPS = ".!?…。！？:：|·–—"
_OF_CONSENT = (say.CONSENT, say.CONSENT_HEAD, say.PAY_INSTEAD)
_WORD = re.compile(r"[^\W\d]{3}")


def judge(found: Signs, shown: Shown, content: str) -> bool:
    """Raise for a page that is a wall or a shell; return whether it is the free part of a paid page.

    `content` is what would be returned.
    """
    if len(shown.text) < LONG and prose(shown.blocks) < _MUCH:
        wall = _wall(found, shown)
        if wall is not None:
            raise wall
    if not _is_paid(found, shown, len(content)):
        return False
    offers = [block for block in shown.blocks if PAY.search(block.text[:_SAID])][:_OFFERS]
    if weigh(content) - sum(block.weight for block in offers if block.text in content) < _NOTHING:
        raise PaymentRequired("The page has to be paid for, and shows no part of it.", hint="Look for a free source.")
    return True


def _wall(found: Signs, shown: Shown) -> GossamerError | None:
    """What stands before the page, None for a page."""
    if _is_parked(found, shown):
        return NotFound("The domain is parked or for sale: there is no site.", hint="Search for where the site went.")
    if _is_default(found, shown):
        return NotFound(
            "A web server's default page: there is no site yet.", hint="Check the address or search for it."
        )
    if _is_lost(shown):
        return NotFound("The site says that there is no such page.", hint="Check the address or search for the page.")
    if _is_out_of_order(shown):
        return Unreachable("The site says that it is out of order for now.", hint="Try again later.")
    return _gate(found, shown) or _shell(found, shown)


def _gate(found: Signs, shown: Shown) -> GossamerError | None:
    """What asks its visitor for something first."""
    if _is_login(found, shown):
        return Denied("The page asks for a login.", hint="Look for a public source of the same information.")
    if _is_age_gate(shown):
        return BlockPage("An age check stands before the page.", hint=_ELSEWHERE)
    if _is_consent(found, shown):
        if say.PAY_INSTEAD.search(shown.text):
            return PaymentRequired(
                "The site asks to be paid or to track its reader before it shows the page.", hint=_ELSEWHERE
            )
        return BlockPage("A consent wall stands before the page.", hint=_ELSEWHERE)
    if _says(shown, say.GEO) and told(shown.blocks, without=say.GEO) < _A_WORD:
        return Denied("The site does not show the page in the region that we ask from.", hint=_ELSEWHERE)
    if _says(shown, say.FORBID) and told(shown.blocks, without=say.FORBID) < _A_LINE:
        return Denied("The site does not let us see the page.", hint=_ELSEWHERE)
    if _says(shown, say.COOKIES) and told(shown.blocks, without=say.COOKIES) < _A_LINE:
        return Denied("The site shows the page only to who keeps its cookies, which we do not.", hint=_ELSEWHERE)
    return None


def _shell(found: Signs, shown: Shown) -> GossamerError | None:
    """What is empty until scripts have run, or for good."""
    is_empty = not shown.text.strip()
    is_bare = told(shown.blocks, without=_WAITS) < _A_WORD
    waits = found.has_scripts and any(say.WAITING.match(block.text) for block in shown.blocks[:3])
    asks = found.asks_for_script or found.is_shell or waits or _says(shown, say.SCRIPT)
    if (is_bare and asks) or (is_empty and found.has_scripts):
        return NeedsScript("The page makes its text with scripts, which were not run.", hint=_ELSEWHERE)
    if is_empty:
        return EmptyPage("The page holds no text.", hint="Check the address or look for another source.")
    return None


def _says(shown: Shown, what: re.Pattern[str]) -> bool:
    return any(says(block, what) for block in shown.blocks)


def _heads(shown: Shown) -> list[str]:
    """The parts of the title and the first headings."""
    return [text for text in (*shown.titles, *_headings(shown)) if len(text) <= _SAID]


def _headings(shown: Shown) -> list[str]:
    return [block.text for block in shown.blocks if 0 < block.head <= 2][:3]


def _plain(shown: Shown) -> list[Block]:
    return [block for block in shown.blocks if not block.head and not block.is_control]


def _has_control(shown: Shown, what: re.Pattern[str]) -> bool:
    return any(what.search(block.text) for block in shown.blocks if block.is_control and len(block.text) <= _SAID)


def _is_parked(found: Signs, shown: Shown) -> bool:
    offers = _says(shown, SALE) or any(map(SALE.search, shown.titles))
    is_marked = (offers or weigh(shown.text) < _LITTLE) and any(map(PARKING_MARK.search, found.sources))
    if not offers or is_marked:
        return is_marked and prose(shown.blocks, without=SALE) < _SOME
    rest = prose(shown.blocks, without=SALE)
    is_titled = bool(SALE_HEAD.fullmatch(found.title)) or any(map(SALE_HEAD.fullmatch, _heads(shown)))
    return is_titled and (rest == 0 or (rest < _SOME and _has_control(shown, SALE_CONTROL)))


def _is_default(found: Signs, shown: Shown) -> bool:
    is_titled = bool(DEFAULT_TITLE.fullmatch(found.title))
    first = next((block.text for block in shown.blocks if block.head), "")
    if is_titled:
        return bool(DEFAULT_SAYS.search(shown.text)) or weigh(shown.text) < _A_LINE
    return not found.title and bool(DEFAULT_TITLE.fullmatch(first)) and weigh(shown.text) < _A_LINE


def _is_lost(shown: Shown) -> bool:
    """Whether a heading says that there is nothing, and a sentence of the page agrees or nothing else is there."""
    titled = [part for part in shown.titles if say.LOST_HEAD.fullmatch(part)]
    headed = [text for text in _headings(shown) if say.LOST_HEAD.fullmatch(text)]
    rest = prose(shown.blocks, without=say.LOST_SAYS)
    if not (titled or headed) or rest >= (_TEASERS if titled and headed else _LITTLE):
        return False
    if any(map(_is_of_loss, _plain(shown)[:_FIRST])):
        return True
    is_worded = any(map(_WORD.search, titled + headed))
    return sum(block.weight for block in _plain(shown)) < (_LITTLE if is_worded else _A_WORD) and not any(
        say.ABOUT.search(block.text) for block in _plain(shown)
    )


def _is_of_loss(block: Block) -> bool:
    """Whether a sentence says that this page is not there; one on such pages comes with a "when" or "means"."""
    found = say.LOST_SAYS.search(block.text)
    return says(block, say.LOST_SAYS) and bool(found) and not say.ABOUT.search(block.text[: found.start()])


def _is_out_of_order(shown: Shown) -> bool:
    heads = _heads(shown)
    if any(map(say.FAULT_HEAD.fullmatch, heads)):
        return told(shown.blocks, without=say.UPKEEP_SAYS) < _A_LINE
    if not any(map(say.UPKEEP_HEAD.fullmatch, heads)) or prose(shown.blocks) >= _SOME:
        return False
    return not _plain(shown) or any(say.UPKEEP_SAYS.search(block.text) for block in _plain(shown))


def _is_login(found: Signs, shown: Shown) -> bool:
    rest = prose(shown.blocks, without=say.LOGIN_PLEA)
    heads = _heads(shown)
    is_titled = any(map(say.LOGIN_HEAD.fullmatch, heads))
    if found.has_password and (is_titled or any(map(say.JOIN_HEAD.fullmatch, heads))):
        return rest < _TEASERS
    if found.has_login_form and is_titled:
        return rest < _LITTLE
    if found.has_password and rest < _LITTLE and weigh(shown.text) < _SHORT:
        return True
    can = found.has_login_form or _has_control(shown, say.LOGIN_CONTROL)
    return can and rest < _LITTLE and (_says(shown, say.LOGIN_PLEA) or (is_titled and rest == 0))


def _is_age_gate(shown: Shown) -> bool:
    """Whether the page asks for an age, in a question or a demand, can be answered, and tells nothing else."""
    others = [block for block in shown.blocks if not say.AGE.search(block.text[:_SAID])]
    rest = sum(block.weight for block in others if not block.head and not block.is_control)
    return len(others) < len(shown.blocks) and rest < _A_LINE and _has_control(shown, say.AGE_CONTROL)


def _is_consent(found: Signs, shown: Shown) -> bool:
    """Whether the page speaks of consent, can be agreed to, and neither tells anything else nor explains cookies."""
    heads = [block.text for block in shown.blocks if block.head]
    can = _has_control(shown, say.AGREE) or say.AGREE.search(found.buttons)
    if not can or any(map(say.POLICY_HEAD.search, (*shown.titles[:1], *heads[:1]))):
        return False
    if not all(any(what.search(head) for what in _OF_CONSENT) for head in heads):
        return False
    opening = next((block.text for block in _after_title(shown.blocks) if not block.head and not block.is_control), "")
    rest = prose(block for block in shown.blocks if not say.CONSENT.search(block.text))
    return bool(say.CONSENT.search(opening)) and rest * 3 < prose(shown.blocks)


def _after_title(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """What follows the page's main heading; all where there is none."""
    at = next((n for n, block in enumerate(blocks) if block.head == 1), 0)
    return blocks[at:]


def _is_paid(found: Signs, shown: Shown, size: int) -> bool:
    """Whether the page offers the rest of itself for money, at the end of what it tells."""
    if size >= LONG:
        return False
    asks = _asks_at_end(shown.blocks)
    if asks and (found.is_paid or shown.has_paybox):
        return True
    if size >= _FREE:
        return False
    hints = shown.has_paybox or _says(shown, PAY_HINT)
    return asks or (found.is_paid and (size < _TEASER or hints))


def _asks_at_end(blocks: tuple[Block, ...]) -> bool:
    """Whether a short block says so in a sentence of its own, and little is told after it."""
    rest = 0
    for block in reversed(blocks):
        if rest > _SOME:
            return False
        if block.weight <= _OFFER and block.head != 1 and _begins(PAY, block.text):
            return True
        rest += block.weight if block.is_prose else 0
    return False


def _begins(what: re.Pattern[str], text: str) -> bool:
    """Whether a sentence of the text begins with it; what stands in quotation marks or amid a sentence is reported."""
    return any(not (before := text[: at.start()].rstrip()) or before[-1] in _STOPS for at in what.finditer(text))
