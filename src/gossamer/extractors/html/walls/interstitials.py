"""Interstitials: pages that ask for a login, an age, consent, another country or cookies first."""

from gossamer.errors import BlockPage, Denied, GossamerError, PaymentRequired
from gossamer.extractors.html.walls import bot_block_phrases
from gossamer.extractors.html.walls import phrases as say
from gossamer.extractors.html.walls.evidence import SAID, Shown, Signs
from gossamer.extractors.html.walls.phrases import ADDRESS
from gossamer.extractors.html.walls.visible_texts import Block, prose, telling_prose

ELSEWHERE = "Look for another source of the same information."
_LITTLE = 150
_SPOKEN = 600
_TEASERS = 1_000
"""What a site may show of itself beside a login that says twice what it is."""
_A_LINE = 60
_A_SIGN = 2


def interstitial(signs: Signs, shown: Shown) -> GossamerError | None:
    """What is asked for before the page is shown; None for a page."""
    if _is_login(signs, shown):
        return Denied("The page asks for a login.", hint="Look for a public source of the same information.")
    if _is_age_gate(shown):
        return BlockPage("An age check stands before the page.", hint=ELSEWHERE)
    if _is_consent(signs, shown):
        if say.PAY_INSTEAD.search(shown.text):
            return PaymentRequired(
                "The site asks to be paid or to track its reader before it shows the page.", hint=ELSEWHERE
            )
        return BlockPage("A consent wall stands before the page.", hint=ELSEWHERE)
    if (
        shown.weight < _SPOKEN
        and shown.says(bot_block_phrases.COOKIES)
        and telling_prose(shown.blocks, without=bot_block_phrases.COOKIES) < _A_LINE
    ):
        return Denied("The site shows the page only to who keeps its cookies, which we do not.", hint=ELSEWHERE)
    return None


def _is_login(signs: Signs, shown: Shown) -> bool:
    """Whether the page is a login: by its heading and form, by a plea and a way in, or because it holds no more."""
    is_titled = any(map(say.LOGIN_HEAD.fullmatch, (*shown.heads, *signs.titles)))
    if shown.weight > (_TEASERS if is_titled else _SPOKEN):
        return False
    rest = prose(shown.blocks, without=say.LOGIN_PLEA)
    if signs.has_login_form and is_titled:
        return signs.has_password or rest < _LITTLE
    is_asked = shown.says(say.LOGIN_PLEA)
    can = signs.has_login_form or shown.has_control(say.LOGIN_CONTROL)
    return _is_all_login(signs, shown, is_asked=is_asked) or (
        can and rest < _LITTLE and (is_asked or (is_titled and rest == 0))
    )


def _is_all_login(signs: Signs, shown: Shown, *, is_asked: bool) -> bool:
    """Whether there is nothing on the page but a login, whatever it is called."""
    is_joining = any(map(say.JOIN_HEAD.fullmatch, shown.heads)) and (
        signs.has_password or shown.has_control(say.OTHER_LOGIN)
    )
    if not (is_joining or is_asked or signs.is_login_first):
        return False
    rest = telling_prose(shown.blocks, without=say.LOGIN_FORM)
    is_headed = any(block.head for block in shown.blocks)
    return rest < (_A_LINE if is_joining or (signs.is_login_first and not is_headed) else _A_SIGN)


def _is_age_gate(shown: Shown) -> bool:
    """Whether the page asks for an age, in a question or a demand, can be answered, and tells nothing else."""
    others = [block for block in shown.blocks if not say.AGE.search(block.text[:SAID])]
    rest = sum(block.weight for block in others if not block.head and not block.is_control)
    return len(others) < len(shown.blocks) and rest < _A_LINE and shown.has_control(say.AGE_CONTROL)


def _is_consent(signs: Signs, shown: Shown) -> bool:
    """Whether the page speaks of consent, can be agreed to, and neither tells anything else nor explains cookies."""
    heads = [block.text for block in shown.blocks if block.head]
    can = shown.has_control(say.AGREE) or say.AGREE.search(signs.buttons)
    if not can or any(map(say.POLICY_HEAD.search, (*shown.titles[:1], *heads[:1]))):
        return False
    if not (_is_choice(shown) or all(map(_is_of_consent, heads))):
        return False
    opening = next((block.text for block in _after_title(shown.blocks) if not block.head and not block.is_control), "")
    rest = prose(block for block in shown.blocks if not _is_of_choice(block.text))
    return bool(say.CONSENT.search(opening) and ADDRESS.search(opening)) and rest * 3 < prose(shown.blocks)


def _is_of_consent(head: str) -> bool:
    return bool(say.CONSENT_HEAD.fullmatch(head) or say.PAY_INSTEAD.search(head))


def _is_of_choice(text: str) -> bool:
    return bool(say.CONSENT.search(text) or say.PAY_INSTEAD.search(text))


def _is_choice(shown: Shown) -> bool:
    """Whether to be tracked and to pay are both offered, whatever the headings say, and nothing else is told."""
    if shown.weight > _SPOKEN or shown.tells or not shown.has_control(say.PAY_INSTEAD):
        return False
    telling_prose = [block.text for block in shown.plain]
    has_both = all(any(map(what.search, telling_prose)) for what in (say.CONSENT, say.PAY_INSTEAD))
    return has_both and all(_is_of_choice(block.text) for block in shown.plain if block.is_prose)


def _after_title(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """What follows the page's main heading; all where there is none."""
    at = next((n for n, block in enumerate(blocks) if block.head == 1), 0)
    return blocks[at:]
