"""Pages that turn their visitor away, told by what they say where no protection service has left its mark."""

import re

from gossamer.errors import BlockPage, Captcha, Denied, GossamerError, RateLimited
from gossamer.extractors.walls import refused as say
from gossamer.extractors.walls import spoken
from gossamer.extractors.walls.blocks import Block, besides, is_small_print, sentences, states, told, weigh
from gossamer.extractors.walls.gates import ELSEWHERE
from gossamer.extractors.walls.notice import Shown, Signs
from gossamer.extractors.walls.phrasing import anywhere
from gossamer.extractors.walls.telling import ADDRESS

_LITTLE = 150
_A_LINE = 60
_A_WORD = 30
_WORDS = 300
_A_SIGN = 2
_SENTENCES = 14
_FEW = 600
_SPOKEN = 1_200
"""Who is sent away is told so in fewer words."""
_BESIDE_QUESTION = anywhere(say.FINE_PRINT.pattern, spoken.OF_IT.pattern)


def turned_away(found: Signs, shown: Shown) -> GossamerError | None:
    """Who is turned away and why; None for a page."""
    if found.asks_more or found.shows_work or shown.weight > _SPOKEN or shown.explains or shown.tells:
        return None
    is_limit = _is_stated(shown, say.LIMIT)
    if is_limit and _rest(shown, say.LIMIT) < _room(shown, say.LIMIT):
        return RateLimited("The site", retry_after_s=None)
    if _is_question(found, shown) or _is_spoken(shown):
        return Captcha("A bot challenge stands before the page.", hint=ELSEWHERE)
    is_denial = shown.weight < _FEW and _is_denial(shown)
    if (_is_stated(shown, say.BLOCK) and _rest(shown, say.BLOCK) < min(_A_LINE, _room(shown, say.BLOCK))) or (
        is_denial and say.GUARD.search(shown.text)
    ):
        return BlockPage("A protection service has blocked the page.", hint=ELSEWHERE)
    if is_denial:
        return Denied("The site does not let us see the page.", hint=ELSEWHERE)
    if shown.weight < _FEW and ((shown.says(say.GEO) and _is_all_geo(shown)) or _is_closed_here(shown)):
        return Denied("The site does not show the page in the region that we ask from.", hint=ELSEWHERE)
    return None


def turned_away_by(text: str) -> GossamerError | None:
    """The same of a reply that is nothing but a sentence or two without markup."""
    if len(text) > _WORDS:
        return None
    blocks = tuple(Block(text=line, head=0, is_control=False, weight=weigh(line)) for line in text.split("\n") if line)
    return turned_away(Signs.none(), Shown(text=text, titles=(), blocks=blocks, has_paybox=False))


def _is_question(found: Signs, shown: Shown) -> bool:
    """Whether the visitor is asked to be human, in a sentence or under a heading with nothing else below it."""
    heads = shown.headed
    stated = [block for block in shown.blocks if not block.is_control and states(block.text, say.QUESTION)]
    if stated:
        is_sure = len(stated) > 1 or found.has_widget
        is_told = any(block not in heads for block in stated)
        rest = _rest(shown, say.QUESTION, _BESIDE_QUESTION if is_told else say.FINE_PRINT)
        return rest < (_LITTLE if is_sure else _A_LINE)
    if not any(map(say.QUESTION_HEAD.fullmatch, (*shown.heads, *found.titles))):
        return False
    asks = found.has_widget or any(map(say.QUESTION.match, sentences(found.notes)))
    return _rest(shown, say.QUESTION) < (_LITTLE if asks else _A_WORD)


def _is_spoken(shown: Shown) -> bool:
    """Whether the page tells its reader to be suspected, in whatever words, and tells little else."""
    heads = shown.headed
    plain = [block for block in shown.plain if block not in heads]
    parts = [part for block in plain for part in sentences(block.text)]
    if len(parts) + len(heads) > _SENTENCES:
        return False
    speaks = [part for part in parts if spoken.SUSPICION.search(part) and not spoken.IN_GENERAL.search(part)]
    speaks = [part for part in speaks if spoken.CHECK.search(part)]
    others = [*(block.text for block in heads[1:]), *(part for part in parts if part not in speaks)]
    return bool(speaks) and sum(weigh(part) for part in others if not _BESIDE_QUESTION.search(part)) < _A_LINE


def _is_denial(shown: Shown) -> bool:
    """Whether the page is nothing but a no."""
    is_titled = any(say.DENIAL.fullmatch(head) and not head.endswith("?") for head in shown.heads)
    if not is_titled and not shown.says(say.FORBID):
        return False
    blocks = [block for block in shown.blocks if not is_small_print(block.text, say.FINE_PRINT)]
    return told(blocks, without=say.FORBID) < _A_WORD


def _is_all_geo(shown: Shown) -> bool:
    return told(shown.blocks, without=say.GEO) < (_A_SIGN if _is_headed_otherwise(shown) else _A_WORD)


def _is_closed_here(shown: Shown) -> bool:
    """Whether the page says in a sentence that its site is closed to a part of the world, and nothing else."""
    blocks = [block for block in shown.blocks if not (block.head and say.GEO.search(block.text))]
    return _is_stated(shown, say.REGION) and besides(blocks, say.REGION, say.REGION_PRINT) < _A_WORD


def _is_headed_otherwise(shown: Shown) -> bool:
    """Whether a heading says something else than that there is nothing for us."""
    return any(
        block.head and not (say.GEO.search(block.text) or say.NOTHING.search(block.text)) for block in shown.blocks
    )


def _is_stated(shown: Shown, what: re.Pattern[str]) -> bool:
    return any(states(block.text, what) for block in shown.blocks if not block.is_control)


def _room(shown: Shown, what: re.Pattern[str]) -> int:
    """How much else may be told: most where a sentence agrees with what the page is called, least where none does."""
    agrees = any(
        states(block.text, what) or (say.FINE_PRINT.search(block.text) and ADDRESS.search(block.text))
        for block in shown.plain
    )
    if not agrees:
        return _A_WORD
    return _LITTLE if any(map(what.match, shown.heads)) else _A_LINE


def _rest(shown: Shown, what: re.Pattern[str], fine_print: re.Pattern[str] = say.FINE_PRINT) -> int:
    """What is told beside; the first heading only says what the page is."""
    first = next((block for block in shown.blocks if block.head), None)
    return besides((block for block in shown.blocks if block is not first), what, fine_print, is_addressed=True)
