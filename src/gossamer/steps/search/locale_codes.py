"""Locale codes as people write them: countries by their two letters (ISO 3166-1), languages by code or name."""

import re

_COUNTRY_CODES = (
    "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ "
    "CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO "
    "FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE "
    "JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO "
    "MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW "
    "PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM "
    "TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW"
)
COUNTRIES = frozenset(_COUNTRY_CODES.split())
_COUNTRY_ALIASES = {"UK": "GB", "EL": "GR"}
"""What people write for a country whose letters are others."""
_LANGUAGE_NAMES = {
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
_LANGUAGE_CODES = {name: code for code, names in _LANGUAGE_NAMES.items() for name in names.split()}
_LANGUAGE = re.compile(r"([A-Za-z]{2})(?:[-_]([A-Za-z]{2}))?")
_WITH_SCRIPT = re.compile(r"([A-Za-z]{2,3})[-_]([A-Za-z]{4})(?:[-_]([A-Za-z]{2}))?")
_COUNTRY_OF = {"hans": "CN", "hant": "TW"}
"""Where Chinese is written in a script."""


def read_country(text: str) -> str:
    """`AT` out of `at`, `de-AT` and `de_AT`; what is no such code stays as it is."""
    code = text.strip().replace("_", "-").rpartition("-")[2].upper()
    code = _COUNTRY_ALIASES.get(code, code)
    return code if code in COUNTRIES else text.strip()


def read_language(text: str) -> str:
    """`de`, or `zh-CN` out of `zh-cn` and `zh_CN`; what is no such code stays as it is."""
    text = text.strip()
    code = _LANGUAGE.fullmatch(text)
    if not code:
        return text
    return code[1].lower() + (f"-{code[2].upper()}" if code[2] else "")


def read_language_name(text: str) -> str:
    """`ja` out of `Japanese`, `zh-CN` out of `zh-Hans`, `auto` out of `AUTO`; what is neither stays as it is."""
    text = text.strip()
    if (word := text.casefold()) == "auto" or word in _LANGUAGE_CODES:
        return _LANGUAGE_CODES.get(word, word)
    if code := _WITH_SCRIPT.fullmatch(text):
        country = code[3] or (_COUNTRY_OF.get(code[2].lower(), "") if code[1].lower() == "zh" else "")
        return code[1].lower() + (f"-{country.upper()}" if country else "")
    return read_language(text)
