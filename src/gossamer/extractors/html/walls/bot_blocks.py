"""Bot blocks: pages that turn their visitor away, known by what they say where no protection service left its mark.

Sites word their walls as they like, but they say of their reader, in this very visit, to be human or not. A text about
such walls speaks of "when", of "if", of others.
"""

import re

from gossamer.errors import BlockPage, Captcha, Denied, GossamerError, RateLimited
from gossamer.extractors.html.walls import bot_block_phrases as say
from gossamer.extractors.html.walls.evidence import Shown, Signs
from gossamer.extractors.html.walls.interstitials import ELSEWHERE
from gossamer.extractors.html.walls.phrases import ADDRESS, anywhere
from gossamer.extractors.html.walls.visible_texts import (
    Block,
    besides,
    is_small_print,
    sentences,
    states,
    telling_prose,
    weigh,
)

SUSPICION = anywhere(
    r"\byou(?:['’]re| are| were| (?:might|may|could|must) be)(?: (?:really|indeed|actually|not|a|an|no|the|"
    r"real)){0,4} (?:humans?|robots?|bots?|person|automated program)\b(?! (?!being|or|and|to|by|before|in)\w)",
    r"\b(?:unusual|suspicious|automated) (?:traffic|activity|behavio\w{1,3}|requests)\b[^.!?]{0,30}\byour (?:ip|"
    r"network|browser|device|computer)\b",
    r"\byour (?:browser|network|ip|device|behavio\w{1,3}|browsing)\b[^.!?]{0,40}\b(?:unusual|suspicious|automated|"
    r"paused)\b",
    r"\b(?:sie|du)(?: bist| sind| wirklich| k?ein){1,3} (?:mensch|roboter|bot)\b|\b(?:dich|sie) [^.!?]{0,30}als "
    r"(?:roboter|bot)\b|dass (?:sie|du) k?ein (?:mensch|roboter|bot)\b",
    r"\bvous (?:n['’])?êtes(?: bien| pas| un){0,3} (?:humain|robot)\b|vous [^.!?]{0,40}vitesse surhumaine",
    r"\b(?:eres|es)(?: un| una| usuario| ser| no){0,3} (?:humano|robot|persona)\b|\bvocê(?: não)? é(?: um)? "
    r"(?:humano|robô)\b|\b(?:sei|di essere)(?: un| un essere){0,1} (?:umano|robot)\b|\btu(?: non)? sia(?: un)? "
    r"(?:robot|umano)\b|\b(?:je|u) (?:een mens|geen robot)\b",
    r"\bвы(?: не)? (?:человек|робот|бот)\b|(?:あなた|お客様)が(?:人間|ロボット)|您(?:不)?是(?:真人|机器人|人类)|"
    r"从您的 ?ip|(?:insan|robot) olduğunuz|robot olmadığınız|로봇이 아(?:님|닌)",
)
"""The reader is said to be human or a machine, or to behave like one."""
CHECK = anywhere(
    r"verif|confirm|\bsure\b|\bcheck|\btell\b|\bprove\b|\bshow\b|detect|believe|think|prüf|bestätig|identifizier|"
    r"sicher|убед|vérif|assur|comprob|asegur|conferm|провер|подтверд|определ|確認|証明|検出|验证|驗證|确认|检测|"
    r"확인|증명|감지|zeker|controle|doğrula|tespit|sprawd|potwierd|surhumaine|paused"
)
"""That somebody is finding out."""
IN_GENERAL = anywhere(
    r"^\W{0,3}(?:when|if|once|whenever|sites|wenn|falls|sobald|lorsque|si|quand|cuando|quando|se|если|когда)\b"
)
OF_IT = anywhere(
    r"\b(?:robots?|bots?|humans?|real person|captcha|puzzle)\b|verif|\b(?:blocked|banned|denied|restricted|paused)\b",
    r"roboter|\bmensch\b|humain|\brobot|humano|umano|robô|робот|человек|капч|ロボット|人間|机器人|機器人|真人|"
    r"验证|驗證|异常|로봇|사람|insan|człowiek|trafi[ck]|datenverkehr|blockier|gesperrt|verweigert|keinen zugriff|"
    r"bloqué|refusé|bloquead|denegad|negado|bloccat|заблокирован|запрещ[её]н|ограничен|制限|拒否|禁止|拦截|拒绝|"
    r"차단|제한",
)
"""What else is said on such a page."""
_LITTLE = 150
_A_LINE = 60
_A_WORD = 30
_WORDS = 300
_A_SIGN = 2
_SENTENCES = 14
_FEW = 600
_SPOKEN = 1_200
"""Who is sent away is told so in fewer words."""
_BESIDE_QUESTION = anywhere(say.FINE_PRINT.pattern, OF_IT.pattern)


def bot_block(signs: Signs, shown: Shown) -> GossamerError | None:
    """Who is turned away and why; None for a page."""
    if signs.asks_more or signs.shows_work or shown.weight > _SPOKEN or shown.explains or shown.tells:
        return None
    is_limit = _is_stated(shown, say.LIMIT)
    if is_limit and _rest(shown, say.LIMIT) < _room(shown, say.LIMIT):
        return RateLimited("The site", retry_after_s=None)
    if _is_question(signs, shown) or _is_spoken(shown):
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


def bot_block_in(text: str) -> GossamerError | None:
    """The same of a reply that is nothing but a sentence or two without markup."""
    if len(text) > _WORDS:
        return None
    blocks = tuple(Block(text=line, head=0, is_control=False, weight=weigh(line)) for line in text.split("\n") if line)
    return bot_block(Signs.none(), Shown(text=text, titles=(), blocks=blocks, has_paybox=False))


def _is_question(signs: Signs, shown: Shown) -> bool:
    """Whether the visitor is asked to be human, in a sentence or under a heading with nothing else below it."""
    heads = shown.headed
    stated = [block for block in shown.blocks if not block.is_control and states(block.text, say.QUESTION)]
    if stated:
        is_sure = len(stated) > 1 or signs.has_widget
        is_told = any(block not in heads for block in stated)
        rest = _rest(shown, say.QUESTION, _BESIDE_QUESTION if is_told else say.FINE_PRINT)
        return rest < (_LITTLE if is_sure else _A_LINE)
    if not any(map(say.QUESTION_HEAD.fullmatch, (*shown.heads, *signs.titles))):
        return False
    asks = signs.has_widget or any(map(say.QUESTION.match, sentences(signs.notes)))
    return _rest(shown, say.QUESTION) < (_LITTLE if asks else _A_WORD)


def _is_spoken(shown: Shown) -> bool:
    """Whether the page tells its reader to be suspected, in whatever words, and tells little else."""
    heads = shown.headed
    plain = [block for block in shown.plain if block not in heads]
    parts = [part for block in plain for part in sentences(block.text)]
    if len(parts) + len(heads) > _SENTENCES:
        return False
    speaks = [part for part in parts if SUSPICION.search(part) and not IN_GENERAL.search(part)]
    speaks = [part for part in speaks if CHECK.search(part)]
    others = [*(block.text for block in heads[1:]), *(part for part in parts if part not in speaks)]
    return bool(speaks) and sum(weigh(part) for part in others if not _BESIDE_QUESTION.search(part)) < _A_LINE


def _is_denial(shown: Shown) -> bool:
    """Whether the page is nothing but a no."""
    is_titled = any(say.DENIAL.fullmatch(head) and not head.endswith("?") for head in shown.heads)
    if not is_titled and not shown.says(say.FORBID):
        return False
    blocks = [block for block in shown.blocks if not is_small_print(block.text, say.FINE_PRINT)]
    return telling_prose(blocks, without=say.FORBID) < _A_WORD


def _is_all_geo(shown: Shown) -> bool:
    return telling_prose(shown.blocks, without=say.GEO) < (_A_SIGN if _is_headed_otherwise(shown) else _A_WORD)


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
