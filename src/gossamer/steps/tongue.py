"""Texts -> which languages meet: vectors of English are made by another table than those of other languages."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from gossamer.ports import Tongue

_SAMPLE_CHARS = 4_000
_PAGE_HITS = 8
"""Common words that are enough to contradict what a page says of its language."""
_COMMON = {
    "en": "the of and to in is that for with was on are what how when who which why does did where by from it can",
    "de": "der die das und ist von mit wie was wann wer warum nicht ein eine für auf den dem welche wo im zu sich",
    "fr": "le la les des et est une du que qui dans pour sur comment quand pourquoi quel quelle où avec au ce sont",
    "es": "el la los las de y es una del que en por para con qué cómo cuándo quién cuál dónde se un su cuántos",
    "pt": "o a os as de e é uma do da que em por para com como quando quem qual onde não um no na",
    "it": "il la lo gli di e è una del che in per con come quando chi quale dove non un della sono",
    "nl": "de het een en van is dat voor met op zijn wat hoe wanneer wie welke waarom waar niet te bij",
    "pl": "w i na z do się nie jest to że jak co kiedy kto gdzie który jaki od po dla",
    "tr": "ve bir bu için ile ne nasıl kim hangi nerede zaman olan olarak kaç da de mi",
    "ro": "și în de la a cu este care ce cum când cine unde pe un o din pentru sunt",
    "sv": "och är en ett som på för med av att hur vad när vem var inte det den till",
    "vi": "là của và các có trong một cho những được không gì nào ai khi ở đã người",
    "id": "yang dan di ke dari adalah untuk dengan apa bagaimana kapan siapa ini itu pada",
}
_LANGUAGES_OF = {
    word: [name for name, common in _COMMON.items() if word in common.split()]
    for word in {word for common in _COMMON.values() for word in common.split()}
}
_WORD = re.compile(r"[^\W\d_]+")
_SCRIPTS = re.compile(
    "(?P<kana>[\u3040-\u30ff])|(?P<hangul>[\uac00-\ud7a3])|(?P<han>[\u3400-\u9fff])|(?P<cyrillic>[\u0400-\u052f])"
    "|(?P<greek>[\u0370-\u03ff])|(?P<hebrew>[\u0590-\u05ff])|(?P<arabic>[\u0600-\u08ff])"
    "|(?P<indic>[\u0900-\u0dff])|(?P<thai>[\u0e00-\u0eff])"
)
_SCRIPT_SHARE = 0.15


def tongue(pages: Sequence[tuple[str, str]], queries: Sequence[str]) -> Tongue:
    """Which languages meet; `pages` are pairs of (what a page says of its language, its text).

    A text that does not show its language is taken to be in the one of the others.
    """
    found = {_of_page(said, text) for said, text in pages} | {language(query) for query in queries}
    known = found - {""}
    if len(known) > 1:
        return "mixed"
    return "english" if known <= {"en"} else "other"


def language(text: str) -> str:
    """The language of a text by its commonest words, or its script; empty where neither tells."""
    return _by_script(text) or (_by_words(text) or ("", 0))[0]


def _of_page(said: str, text: str) -> str:
    middle = max(0, (len(text) - _SAMPLE_CHARS) // 2)
    return _of_sample(said, text[middle : middle + _SAMPLE_CHARS])


@lru_cache(maxsize=64)
def _of_sample(said: str, sample: str) -> str:
    """Remembered, since a page is seldom asked once."""
    if script := _by_script(sample):
        return script
    name, hits = _by_words(sample) or ("", 0)
    return name if hits >= _PAGE_HITS or not said else said.lower()[:2]


def _by_script(text: str) -> str:
    scripts = Counter(match.lastgroup or "" for match in _SCRIPTS.finditer(text[:_SAMPLE_CHARS]))
    if scripts.total() <= _SCRIPT_SHARE * len(text[:_SAMPLE_CHARS]):
        return ""
    return "kana" if scripts["kana"] else scripts.most_common(1)[0][0]


def _by_words(text: str) -> tuple[str, int] | None:
    hits = Counter(name for word in _WORD.findall(text[:_SAMPLE_CHARS].lower()) for name in _LANGUAGES_OF.get(word, ()))
    best = hits.most_common(2)
    if not best or (len(best) > 1 and best[0][1] == best[1][1]):
        return None
    return best[0]
