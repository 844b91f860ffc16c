"""Language mix of pages and questions, which decides the vector table that serves them."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from gossamer.ports import LanguageMix

_SAMPLE_CHARS = 4_000
_PAGE_HITS = 8
"""Common words that are enough to contradict what a page says of its language."""
_COMMON = {
    "en": "the of and to in is that for with was on are what how when who which why does did where by from it can do "
    "as no my you be or not if an at this these get need have has",
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
_WORD = re.compile(r"[^\W\d_]{2,}")
"""One letter is a name in code as often as a word."""
_CODE = re.compile(r"(?ms)^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)|`[^`\n]*`")
_LAST_LATIN = "\u036f"
"""Letters up to here, and the accents on them, belong to languages in Latin letters."""
_NO_SCRIPTS = frozenset({"", "LATIN", "COMBINING", "MODIFIER", "VARIATION"})
"""What the names begin with of letters and marks that tell no other script."""
_KANA = frozenset({"HIRAGANA", "KATAKANA"})
_SCRIPT_SHARE = 0.15
"""Of all characters: more of another script than this, or than half of all letters, is no text in Latin letters."""


def detect_mix(pages: Sequence[tuple[str, str]], queries: Sequence[str]) -> LanguageMix:
    """Which languages meet; `pages` are pairs of (what a page says of its language, its text).

    A text that does not show its language is taken to be in the one of the others.
    """
    languages = {_of_page(declared, text) for declared, text in pages} | {language(query) for query in queries}
    known = languages - {""}
    if len(known) > 1:
        return "mixed"
    return "english" if known <= {"en"} else "other"


def language(text: str) -> str:
    """The language of a text by its commonest words, or its script; empty where neither tells."""
    return _by_script(text) or (_by_words(text) or ("", 0))[0]


def _of_page(declared: str, text: str) -> str:
    middle = max(0, (len(text) - _SAMPLE_CHARS) // 2)
    return _of_sample(declared, text[middle : middle + _SAMPLE_CHARS])


@lru_cache(maxsize=64)
def _of_sample(declared: str, sample: str) -> str:
    """Remembered, since a page is seldom asked once."""
    if script := _by_script(sample):
        return script
    name, hits = _by_words(_CODE.sub(" ", sample)) or ("", 0)
    return name if hits >= _PAGE_HITS or not declared else declared.lower()[:2]


def _by_script(text: str) -> str:
    """The script of a text that is not in Latin letters, by what Unicode calls its letters: so none is forgotten."""
    sample = text[:_SAMPLE_CHARS]
    if sample.isascii():
        return ""
    sample = unicodedata.normalize("NFKC", sample)
    scripts: Counter[str] = Counter()
    for character, times in Counter(sample).items():
        scripts[_script(character)] += times
    others = scripts.total() - sum(scripts[name] for name in _NO_SCRIPTS)
    if others <= min(_SCRIPT_SHARE * len(sample), (others + scripts["LATIN"]) / 2):
        return ""
    if _KANA & scripts.keys():
        return "kana"
    return max(scripts.keys() - _NO_SCRIPTS, key=lambda name: (scripts[name], name)).lower()


@lru_cache(maxsize=1 << 12)
def _script(character: str) -> str:
    """The first word of the name of a letter, or of a mark that is part of one; all that is common is Latin."""
    if character <= _LAST_LATIN:
        return "LATIN" if character.isalpha() else ""
    return unicodedata.name(character, "").partition(" ")[0] if unicodedata.category(character)[0] in "LM" else ""


def _by_words(text: str) -> tuple[str, int] | None:
    hits = Counter(name for word in _WORD.findall(text[:_SAMPLE_CHARS].lower()) for name in _LANGUAGES_OF.get(word, ()))
    best = hits.most_common(2)
    if not best or (len(best) > 1 and best[0][1] == best[1][1]):
        return None
    return best[0]
