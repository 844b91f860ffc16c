"""A question: the kind of answer it asks for, what it is about, its parts and its key terms."""

import re
from dataclasses import dataclass
from typing import Literal

from gossamer.steps.text.words import plain_words

Kind = Literal[
    "person", "time", "place", "number", "reason", "steps", "definition", "yes or no", "difference", "thing", "other"
]

_MEASURES = "long|old|far|tall|large|big|high|deep|wide|fast|often|heavy|hot|cold|small|short"
_AMOUNTS = "number|amount|percentage|percent|default|limit|maximum|minimum|size|rate|price|cost|population|port"
_PLACES = "country|city|state|place|town|region|location|continent"
_WHAT_IS = r"^\W*(?:what|who)(?:'s| is| are| was| were) (?:an? |the )?(?:\w+\W*){1,3}$"
_OTHER_LANGUAGES: dict[Kind, str] = {
    "number": "多少|几|幾|いくつ|何人|何個|どれくらい|كم|сколько|πόσ\\w+|कितन\\w+|เท่าไร|กี่|bao nhiêu|kaç|wie ?viele?"
    "|cuánt[oa]s?|combien|quant[oiae]s?|câți|câte",
    "time": "什么时候|何时|何時|哪年|哪一年|いつ|何年|متى|когда|котором году|πότε|कब|เมื่อไร|เมื่อใด|khi nào|năm nào"
    "|ne zaman|hangi yıl|\\bwann\\b|cuándo|\\bquand\\b|quando|\\bcând\\b",
    "person": "谁|誰|\\bمن\\b|\\bкто\\b|\\bкем\\b|ποιος|ποιοι|किसने|कौन|ใคร|\\bkim\\b|\\bwer\\b|\\bwem\\b|quién(?:es)?"
    "|\\bqui\\b|\\bchi\\b|\\bcine\\b",
    "place": "哪里|哪裡|何处|どこ|أين|\\bгде\\b|\\bπού\\b|कहाँ|ที่ไหน|ở đâu|\\bnerede\\b|\\bwo\\b|dónde|\\boù\\b"
    "|\\bdove\\b|\\bunde\\b",
    "reason": "为什么|為什麼|为何|為何|なぜ|لماذا|почему|γιατί|क्यों|ทำไม|tại sao|neden|niçin|\\bwarum\\b|por qué"
    "|pourquoi|perché|de ce\\b",
}
"""By their commonest words; a language that is not among them is answered by what is close."""
_KINDS: tuple[tuple[Kind, str], ...] = (
    ("difference", r"\b(?:difference|differ|differs|compared? (?:to|with)|versus|vs\.?)\b"),
    ("number", rf"\bhow (?:many|much|{_MEASURES})\b"),
    ("time", r"\bwhen\b|\b(?:what|which) (?:\w+ )?(?:year|date|day|month|century|decade|time)\b"),
    ("number", rf"\b(?:what|which)(?: is| was| are)?(?: the)? (?:\w+ ){{0,2}}(?:{_AMOUNTS})\b"),
    ("person", r"\b(?:who|whom|whose)\b"),
    ("place", rf"\bwhere\b|\b(?:what|which) (?:\w+ )?(?:{_PLACES})\b"),
    ("reason", r"\bwhy\b|\b(?:what|which) (?:\w+ )?(?:reasons?|causes?|caused|purpose)\b"),
    ("steps", r"\bhow\b"),
    ("definition", rf"{_WHAT_IS}|\b(?:meaning|definition|defined|meant|mean|stands? for)\b|^\W*define\b"),
    ("yes or no", r"^\W*(?:is|are|was|were|do|does|did|can|could|should|will|would|has|have|may|must)\b"),
    ("thing", r"\b(?:what|which)\b"),
    *_OTHER_LANGUAGES.items(),
)
_PATTERNS: tuple[tuple[Kind, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _KINDS
)
_HOW = re.compile(rf"\bhow (?:many|much|{_MEASURES})\b", re.IGNORECASE)
_FOCUS = re.compile(
    r"\b(?:what|which|how many|how much)(?: (?:is|was|are|were))?(?: the| an?)?"
    r"(?: (?:kind|type|sort|name|names|number|amount)s? of)?(?: the| an?)? (?P<noun>\w+(?: \w+)?)",
    re.IGNORECASE,
)
_QUESTION_MARK = re.compile(r"[?？؟]+")
_AND = re.compile(r",? and (?=(?:who|whom|what|which|when|where|why|how)\b(?: \w+){2,})", re.IGNORECASE)
_MOST_PARTS = 3
_SHORTEST_PART = 2
"""Words of its own that a part has at least; "and why?" asks nothing alone."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """What is asked."""

    text: str
    about: str
    """The question without the words that only say how much: `how many`."""
    kind: Kind
    focus: tuple[str, ...]
    """What the answer is one of: `which river`; empty where that is not said."""
    asking: frozenset[str]
    """The words that only say what is asked for: `many` in `how many`, and what the answer is one of."""


def read_question(text: str) -> Question:
    """Tell what a question asks for by its commonest words."""
    focus = _FOCUS.search(text)
    noun = tuple(plain_words(focus["noun"])) if focus else ()
    return Question(
        text=text,
        about=_HOW.sub(" ", text),
        kind=_kind(text),
        focus=noun,
        asking=frozenset(noun).union(plain_words(" ".join(_HOW.findall(text)))),
    )


def _kind(text: str) -> Kind:
    for kind, pattern in _PATTERNS:
        if pattern.search(text):
            return kind
    return "other"


def parts(text: str) -> tuple[str, ...]:
    """The questions that a question is made of, itself first; most are made of one."""
    asked = [part for piece in _QUESTION_MARK.split(text) for part in _AND.split(piece)]
    alone = [part.strip(" ,.;") for part in asked if len(plain_words(part)) >= _SHORTEST_PART]
    return (text, *alone[:_MOST_PARTS]) if len(alone) > 1 else (text,)
