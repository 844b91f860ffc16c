"""Bot blocks and interstitials: pages that turn their visitor away, or ask for a login, an age or consent first.

No protection service left its mark on these: sites word their walls as they like, but they say of their reader, in this
very visit, to be human or not. A text about such walls speaks of "when", of "if", of others.
"""

import re

from gossamer.errors import BlockPage, Captcha, Denied, GossamerError, PaymentRequired, RateLimited
from gossamer.extractors.html.walls import bot_block_phrases, phrases
from gossamer.extractors.html.walls.evidence import STATEMENT_CHARS, Shown, Signs
from gossamer.extractors.html.walls.phrases import ADDRESS, anywhere
from gossamer.extractors.html.walls.visible_texts import (
    TextBlock,
    besides,
    is_small_print,
    prose,
    sentences,
    states,
    telling_prose,
    weigh,
)

ELSEWHERE = "Look for another source of the same information."
_ASKING_WEIGHT = 600
_TEASERS = 1_000
"""What a site may show of itself beside a login that says twice what it is."""
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
"""The page says that it is checking the visitor."""
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
"""A block page has fewer words than this."""
_BESIDE_QUESTION = anywhere(bot_block_phrases.FINE_PRINT.pattern, OF_IT.pattern)


def interstitial(signs: Signs, shown: Shown) -> GossamerError | None:
    """What is asked for before the page is shown; None for a page."""
    if _is_login(signs, shown):
        return Denied("The page asks for a login.", hint="Look for a public source of the same information.")
    if _is_age_gate(shown):
        return BlockPage("An age check stands before the page.", hint=ELSEWHERE)
    if _is_consent(signs, shown):
        if phrases.PAY_INSTEAD.search(shown.text):
            return PaymentRequired(
                "The site asks to be paid or to track its reader before it shows the page.", hint=ELSEWHERE
            )
        return BlockPage("A consent wall stands before the page.", hint=ELSEWHERE)
    if (
        shown.weight < _ASKING_WEIGHT
        and shown.says(bot_block_phrases.COOKIES)
        and telling_prose(shown.blocks, without=bot_block_phrases.COOKIES) < _A_LINE
    ):
        return Denied("The site requires cookies, and Gossamer keeps none.", hint=ELSEWHERE)
    return None


def _is_login(signs: Signs, shown: Shown) -> bool:
    """Whether the page is a login: by its heading and form, by a plea and a way in, or because it holds no more."""
    is_titled = any(map(phrases.LOGIN_HEAD.fullmatch, (*shown.heads, *signs.titles)))
    if shown.weight > (_TEASERS if is_titled else _ASKING_WEIGHT):
        return False
    rest = prose(shown.blocks, without=phrases.LOGIN_PLEA)
    if signs.has_login_form and is_titled:
        return signs.has_password or rest < _LITTLE
    is_asked = shown.says(phrases.LOGIN_PLEA)
    can = signs.has_login_form or shown.has_control(phrases.LOGIN_CONTROL)
    return _is_all_login(signs, shown, is_asked=is_asked) or (
        can and rest < _LITTLE and (is_asked or (is_titled and rest == 0))
    )


def _is_all_login(signs: Signs, shown: Shown, *, is_asked: bool) -> bool:
    """Whether there is nothing on the page but a login, whatever it is called."""
    is_joining = any(map(phrases.JOIN_HEAD.fullmatch, shown.heads)) and (
        signs.has_password or shown.has_control(phrases.OTHER_LOGIN)
    )
    if not (is_joining or is_asked or signs.is_login_first):
        return False
    rest = telling_prose(shown.blocks, without=phrases.LOGIN_FORM)
    is_headed = any(block.head for block in shown.blocks)
    return rest < (_A_LINE if is_joining or (signs.is_login_first and not is_headed) else _A_SIGN)


def _is_age_gate(shown: Shown) -> bool:
    """Whether the page asks for an age, in a question or a demand, can be answered, and tells nothing else."""
    others = [block for block in shown.blocks if not phrases.AGE.search(block.text[:STATEMENT_CHARS])]
    rest = sum(block.weight for block in others if not block.head and not block.is_control)
    return len(others) < len(shown.blocks) and rest < _A_LINE and shown.has_control(phrases.AGE_CONTROL)


def _is_consent(signs: Signs, shown: Shown) -> bool:
    """Whether the page speaks of consent, can be agreed to, and neither tells anything else nor explains cookies."""
    heads = [block.text for block in shown.blocks if block.head]
    can = shown.has_control(phrases.AGREE) or phrases.AGREE.search(signs.buttons)
    if not can or any(map(phrases.POLICY_HEAD.search, (*shown.titles[:1], *heads[:1]))):
        return False
    if not (_is_choice(shown) or all(map(_is_of_consent, heads))):
        return False
    opening = next((block.text for block in _after_title(shown.blocks) if not block.head and not block.is_control), "")
    rest = prose(block for block in shown.blocks if not _is_of_choice(block.text))
    return bool(phrases.CONSENT.search(opening) and ADDRESS.search(opening)) and rest * 3 < prose(shown.blocks)


def _is_of_consent(head: str) -> bool:
    return bool(phrases.CONSENT_HEAD.fullmatch(head) or phrases.PAY_INSTEAD.search(head))


def _is_of_choice(text: str) -> bool:
    return bool(phrases.CONSENT.search(text) or phrases.PAY_INSTEAD.search(text))


def _is_choice(shown: Shown) -> bool:
    """Whether the page offers tracking or payment as the only choices, and has no other prose."""
    if shown.weight > _ASKING_WEIGHT or shown.tells or not shown.has_control(phrases.PAY_INSTEAD):
        return False
    telling_prose = [block.text for block in shown.plain]
    has_both = all(any(map(what.search, telling_prose)) for what in (phrases.CONSENT, phrases.PAY_INSTEAD))
    return has_both and all(_is_of_choice(block.text) for block in shown.plain if block.is_prose)


def _after_title(blocks: tuple[TextBlock, ...]) -> tuple[TextBlock, ...]:
    """What follows the page's main heading; all where there is none."""
    at = next((n for n, block in enumerate(blocks) if block.head == 1), 0)
    return blocks[at:]


def bot_block(signs: Signs, shown: Shown) -> GossamerError | None:
    """The error for a page that turns its visitor away, with the reason; None for a page with content."""
    if signs.asks_more or signs.shows_work or shown.weight > _SPOKEN or shown.explains or shown.tells:
        return None
    is_limit = _is_stated(shown, bot_block_phrases.LIMIT)
    if is_limit and _rest(shown, bot_block_phrases.LIMIT) < _room(shown, bot_block_phrases.LIMIT):
        return RateLimited("The site", retry_after_s=None)
    if _is_question(signs, shown) or _is_spoken(shown):
        return Captcha("A bot challenge stands before the page.", hint=ELSEWHERE)
    is_denial = shown.weight < _FEW and _is_denial(shown)
    if (
        _is_stated(shown, bot_block_phrases.BLOCK)
        and _rest(shown, bot_block_phrases.BLOCK) < min(_A_LINE, _room(shown, bot_block_phrases.BLOCK))
    ) or (is_denial and bot_block_phrases.GUARD.search(shown.text)):
        return BlockPage("A protection service has blocked the page.", hint=ELSEWHERE)
    if is_denial:
        return Denied("The site does not let us see the page.", hint=ELSEWHERE)
    if shown.weight < _FEW and ((shown.says(bot_block_phrases.GEO) and _is_all_geo(shown)) or _is_closed_here(shown)):
        return Denied("The site does not show the page in the region that we ask from.", hint=ELSEWHERE)
    return None


def bot_block_in(text: str) -> GossamerError | None:
    """The same of a reply that is nothing but a sentence or two without markup."""
    if len(text) > _WORDS:
        return None
    blocks = tuple(
        TextBlock(text=line, head=0, is_control=False, weight=weigh(line)) for line in text.split("\n") if line
    )
    return bot_block(Signs.none(), Shown(text=text, titles=(), blocks=blocks, has_paybox=False))


def _is_question(signs: Signs, shown: Shown) -> bool:
    """Whether the visitor is asked to be human, in a sentence or under a heading with nothing else below it."""
    heads = shown.headed
    stated = [
        block for block in shown.blocks if not block.is_control and states(block.text, bot_block_phrases.QUESTION)
    ]
    if stated:
        is_sure = len(stated) > 1 or signs.has_widget
        is_told = any(block not in heads for block in stated)
        rest = _rest(shown, bot_block_phrases.QUESTION, _BESIDE_QUESTION if is_told else bot_block_phrases.FINE_PRINT)
        return rest < (_LITTLE if is_sure else _A_LINE)
    if not any(map(bot_block_phrases.QUESTION_HEAD.fullmatch, (*shown.heads, *signs.titles))):
        return False
    asks = signs.has_widget or any(map(bot_block_phrases.QUESTION.match, sentences(signs.notes)))
    return _rest(shown, bot_block_phrases.QUESTION) < (_LITTLE if asks else _A_WORD)


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
    is_titled = any(bot_block_phrases.DENIAL.fullmatch(head) and not head.endswith("?") for head in shown.heads)
    if not is_titled and not shown.says(bot_block_phrases.FORBID):
        return False
    blocks = [block for block in shown.blocks if not is_small_print(block.text, bot_block_phrases.FINE_PRINT)]
    return telling_prose(blocks, without=bot_block_phrases.FORBID) < _A_WORD


def _is_all_geo(shown: Shown) -> bool:
    return telling_prose(shown.blocks, without=bot_block_phrases.GEO) < (
        _A_SIGN if _is_headed_otherwise(shown) else _A_WORD
    )


def _is_closed_here(shown: Shown) -> bool:
    """Whether the page says in a sentence that its site is closed to a part of the world, and nothing else."""
    blocks = [block for block in shown.blocks if not (block.head and bot_block_phrases.GEO.search(block.text))]
    return (
        _is_stated(shown, bot_block_phrases.REGION)
        and besides(blocks, bot_block_phrases.REGION, bot_block_phrases.REGION_PRINT) < _A_WORD
    )


def _is_headed_otherwise(shown: Shown) -> bool:
    """Whether a heading says something else than that there is nothing for us."""
    return any(
        block.head and not (bot_block_phrases.GEO.search(block.text) or bot_block_phrases.NOTHING.search(block.text))
        for block in shown.blocks
    )


def _is_stated(shown: Shown, what: re.Pattern[str]) -> bool:
    return any(states(block.text, what) for block in shown.blocks if not block.is_control)


def _room(shown: Shown, what: re.Pattern[str]) -> int:
    """How much other prose is allowed: most where a sentence agrees with the title, least where none does."""
    agrees = any(
        states(block.text, what) or (bot_block_phrases.FINE_PRINT.search(block.text) and ADDRESS.search(block.text))
        for block in shown.plain
    )
    if not agrees:
        return _A_WORD
    return _LITTLE if any(map(what.match, shown.heads)) else _A_LINE


def _rest(shown: Shown, what: re.Pattern[str], fine_print: re.Pattern[str] = bot_block_phrases.FINE_PRINT) -> int:
    """The prose beside the wall's own; the first heading only names the page."""
    first = next((block for block in shown.blocks if block.head), None)
    return besides((block for block in shown.blocks if block is not first), what, fine_print, is_addressed=True)
