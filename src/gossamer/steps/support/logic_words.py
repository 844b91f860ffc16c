"""The words that turn a statement round or change how much it holds for: negation, quantity, opposites."""

import re

_NEGATIONS = (
    "not no never none neither nor cannot without nothing nobody nowhere hardly unable "  # English
    "nicht kein keine keinen keiner keinem keines nie niemals ohne weder "  # German
    "ne pas jamais aucun aucune sans ni ne…pas "  # French
    "no nunca jamás ningún ninguna ninguno sin tampoco "  # Spanish
    "não nunca nenhum nenhuma sem nem "  # Portuguese
    "non mai nessun nessuno nessuna senza né "  # Italian
    "niet geen nooit zonder "  # Dutch
    "не ни нет без никогда нельзя "  # Russian
    "nie bez nigdy nu fără niciodată inte ej aldrig utan değil yok tidak bukan tanpa không chưa chẳng "
    "δεν μην όχι χωρίς ποτέ नहीं बिना न لا لم لن ليس ليست غير بدون ไม่"
)
_NEGATION = frozenset(_NEGATIONS.split())
_NEGATION_SIGNS = re.compile(r"[不没沒無无未非否]|ない|ません|なかっ|ずに|않|없|아니|못|ไม่")
_CONTRACTED = re.compile(r"\b\w+n['’]t\b|\b(?:can|do|does|did|is|are|was|were|has|have|wo|would|could|should)nt\b")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_NO_NUMBER = re.compile(
    r"\b(?:no\.?\s?[0-9]|not (?:only|just|less than"
    "|more than)|no (?:less|more|fewer|later) than)"
)
"""Where `no` and `not` deny nothing."""

QUANTITIES: dict[str, frozenset[str]] = {
    name: frozenset(words.split("|"))
    for name, words in {
        "all": "all|every|each|entire|always|whole|both|everyone|everything"
        "|alle|jeder|jede|todos|todas|cada|tous|toutes"
        "|tutti|tutte|todo|все|каждый|全部|所有|すべて",
        "most": "most|mostly|majority|usually|generally|meisten|mayoría"
        "|plupart|maggior|maioria|большинство|大多数|ほとんど",
        "some": "some|several|sometimes|certain|partly|partially|einige"
        "|manche|algunos|algunas|quelques|certains|alcuni"
        "|alcune|alguns|algumas|некоторые|一些|一部",
        "few": "few|rarely|seldom|hardly|barely|wenige|pocos|pocas|poucos|pochi|мало|少数",
        "only": "only|solely|exclusively|just|merely|nur|lediglich|sólo|solo|solamente|seulement|uniquement|soltanto"
        "|apenas|только|只|仅|のみ|だけ",
        "at least": "at least|minimum|no less than|no fewer than|mindestens|al menos|au moins|almeno|pelo menos|至少",
        "at most": "at most|maximum|no more than|up to|höchstens|como máximo|au plus|al massimo|no máximo|最多",
        "more than": "more than|over|exceeding|greater than|mehr als|más de|plus de|più di|mais de|超过",
        "less than": "less than|fewer than|under|below|weniger als|menos de|moins de|meno di|不到",
        "may": "may|might|could|possibly|perhaps|allegedly|reportedly|probably|likely",
    }.items()
}
_STRONG = ("all", "most", "only", "few", "at least", "at most")
"""What a claim may say only where the text says so too."""
_HEDGES = (
    "almost nearly some most few only may might could possibly perhaps allegedly reportedly probably rarely seldom"
)
HEDGES = frozenset(_HEDGES.split())
"""Words that a quote may not lose."""

_PAIRS = (
    "increase decrease|increased decreased|increases decreases|rise fall|rose fell|rises falls|grew shrank"
    "|before after"
    "|first last|higher lower|highest lowest|high low|largest smallest|larger smaller|large small|big small"
    "|north south"
    "|northern southern|east west|eastern western|left right|won lost|win lose|wins loses|victory defeat"
    "|open closed"
    "|opened closed|opens closes|begin end|began ended|begins ends|started ended|starts stops|early late"
    "|earlier later"
    "|earliest latest|more less|more fewer|most least|above below|over under|male female|man woman|men "
    "women|brother sister"
    "|father mother|son daughter|husband wife|he she|his her|true false|enabled disabled|enable disable"
    "|enables disables"
    "|allow forbid|allowed forbidden|allows forbids|accept reject|accepted rejected|success failure"
    "|succeeded failed"
    "|positive negative|hot cold|hottest coldest|old new|oldest newest|oldest youngest|older younger|long "
    "short|longest shortest"
    "|longer shorter|fast slow|faster slower|strong weak|rich poor|buy sell|bought sold|import export"
    "|imports exports"
    "|maximum minimum|public private|inside outside|internal external|upper lower|born died|birth death"
    "|arrive depart"
    "|arrived departed|include exclude|includes excludes|included excluded|with without|on off|add remove"
    "|added removed"
    "|best worst|better worse|same different|always never|possible impossible|legal illegal|able unable|common rare"
    "|supported opposed|supports opposes|agreed disagreed|approved rejected|joined left|married divorced"
    "|appointed dismissed"
    "|majority minority|gain loss|gained lost|up down|day night|morning evening|summer winter|spring autumn"
    "|monthly yearly"
)
OPPOSITES: dict[str, frozenset[str]] = {}
for _pair in _PAIRS.split("|"):
    _one, _other = _pair.split()
    OPPOSITES[_one] = OPPOSITES.get(_one, frozenset()) | {_other}
    OPPOSITES[_other] = OPPOSITES.get(_other, frozenset()) | {_one}


def is_negation(word: str) -> bool:
    """Whether a word alone denies."""
    return word in _NEGATION or _CONTRACTED.fullmatch(word) is not None or _NEGATION_SIGNS.fullmatch(word) is not None


def negations(text: str) -> int:
    """How many negations a text has."""
    level = _NO_NUMBER.sub(" ", text.casefold())
    found = [word for word in _WORD.findall(level) if word in _NEGATION or _CONTRACTED.fullmatch(word)]
    french = min(found.count("ne") + level.count("n'"), found.count("pas") + found.count("jamais"))
    return len(found) - min(french, found.count("ne")) + len(_NEGATION_SIGNS.findall(level))


def unstated(claim: str, evidence: str) -> list[str]:
    """The quantity words of a claim for which the evidence has none that means as much."""
    claimed, there = _quantities(claim), _quantities(evidence)
    return [word for name, word in claimed.items() if name in _STRONG and name not in there]


def _quantities(text: str) -> dict[str, str]:
    """What quantities a text names, each with the word for it."""
    level = " ".join(_WORD.findall(text.casefold()))
    padded = f" {level} "
    return {
        name: word
        for name, group in QUANTITIES.items()
        for word in group
        if (f" {word} " in padded if word[0] < "\u2e80" else word in level)
    }
