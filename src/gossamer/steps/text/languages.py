"""Language names and codes as people write them: a code, a code with a script, or a name in any language."""

import re

from gossamer.steps.text.lenient import read_language

_NAMES = {
    "ar": "arabic العربية", "bg": "bulgarian български", "bn": "bengali বাংলা", "ca": "catalan català",
    "cs": "czech čeština", "da": "danish dansk", "de": "german deutsch", "el": "greek ελληνικά", "en": "english",
    "es": "spanish español castellano", "et": "estonian eesti", "fa": "persian farsi فارسی", "fi": "finnish suomi",
    "fr": "french français", "he": "hebrew עברית", "hi": "hindi हिन्दी", "hr": "croatian hrvatski",
    "hu": "hungarian magyar", "id": "indonesian", "it": "italian italiano", "ja": "japanese 日本語",
    "ko": "korean 한국어", "lt": "lithuanian lietuvių", "lv": "latvian latviešu", "ms": "malay",
    "nl": "dutch nederlands", "no": "norwegian norsk", "pl": "polish polski", "pt": "portuguese português",
    "ro": "romanian română", "ru": "russian русский", "sk": "slovak slovenčina", "sl": "slovenian slovenščina",
    "sr": "serbian српски srpski", "sv": "swedish svenska", "sw": "swahili kiswahili", "ta": "tamil தமிழ்",
    "th": "thai ไทย", "tr": "turkish türkçe", "uk": "ukrainian українська", "ur": "urdu اردو", "vi": "vietnamese",
    "zh": "chinese mandarin 中文 汉语 漢語",
}  # fmt: skip
_CODES = {name: code for code, names in _NAMES.items() for name in names.split()}
_WITH_SCRIPT = re.compile(r"([A-Za-z]{2,3})[-_]([A-Za-z]{4})(?:[-_]([A-Za-z]{2}))?")
_COUNTRY_OF = {"hans": "CN", "hant": "TW"}
"""Where Chinese is written in a script."""


def read_tongue(text: str) -> str:
    """`ja` out of `Japanese`, `zh-CN` out of `zh-Hans`, `auto` out of `AUTO`; what is neither stays as it is."""
    text = text.strip()
    if (word := text.casefold()) == "auto" or word in _CODES:
        return _CODES.get(word, word)
    if code := _WITH_SCRIPT.fullmatch(text):
        country = code[3] or (_COUNTRY_OF.get(code[2].lower(), "") if code[1].lower() == "zh" else "")
        return code[1].lower() + (f"-{country.upper()}" if country else "")
    return read_language(text)
