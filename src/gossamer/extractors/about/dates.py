"""Dates as pages write them, for machines and for people, each as one day."""

import re

_ISO = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_COMPACT = re.compile(r"^(\d{4})[/.]?(\d{2})[/.]?(\d{2})\b")
_DAY_FIRST = re.compile(
    r"(?<!\d)(\d{1,2})(?:st|nd|rd|th|er|º|\.)?\s{1,3}(?:de\s|of\s)?\s?([^\W\d_]{3,12})\.?,?\s{1,3}(?:de\s)?(\d{4})(?!\d)"
)
_MONTH_FIRST = re.compile(r"(?<!\w)([^\W\d_]{3,12})\.?\s{1,3}(\d{1,2})(?:st|nd|rd|th)?,?\s{1,3}(\d{4})(?!\d)")
_DOTTED = re.compile(r"(?<![\d.])(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})(?!\d)")
_SLASHED = re.compile(r"(?<![\d/])(\d{1,2})/(\d{1,2})/(\d{4})(?![\d/])")
_SIGNS = re.compile(r"(\d{4})\s?[年년]\s?(\d{1,2})\s?[月월]\s?(\d{1,2})\s?[日일]")
_IN_PATH = re.compile(r"/(\d{4})/(\d{1,2})/(\d{1,2})(?:/|-|$)")
_MAX_CHARS = 200
_NAMES = (
    "january jan januar jänner janvier janv enero ene gennaio janeiro januari stycznia",
    "february feb februar février févr febrero febbraio fevereiro februari lutego",
    "march mar märz mars marzo março maart mrt marca",
    "april apr avril avr abril abr aprile kwietnia",
    "may mai mayo maggio maio mei maja",
    "june jun juni juin junio giugno junho czerwca",
    "july jul juli juillet juil julio luglio julho lipca",
    "august aug août agosto augustus sierpnia",
    "september sep sept septembre septiembre settembre setembro września",
    "october oct oktober okt octobre octubre ottobre outubro października",
    "november nov novembre noviembre novembro listopada",
    "december dec dezember dez décembre déc diciembre dic dicembre dezembro grudnia",
)
_MONTHS = {name: number for number, names in enumerate(_NAMES, 1) for name in names.split()}


def iso_date(text: str) -> str:
    """The day in a date for machines, as `YYYY-MM-DD`; empty when none can be read."""
    found = _ISO.search(text) or _COMPACT.search(text.strip())
    return _day(found[1], found[2], found[3]) if found else ""


def spoken_date(text: str) -> str:
    """The first day in a short text for people; a day that two countries read differently is none."""
    text = text[:_MAX_CHARS]
    if day := iso_date(text):
        return day
    if found := _SIGNS.search(text):
        return _day(found[1], found[2], found[3])
    if found := _DOTTED.search(text):
        return _day(found[3], found[2], found[1])
    if (found := _SLASHED.search(text)) and int(found[1]) > 12 >= int(found[2]):
        return _day(found[3], found[2], found[1])
    for pattern, day, month in ((_MONTH_FIRST, 2, 1), (_DAY_FIRST, 1, 2)):
        for found in pattern.finditer(text):
            if number := _MONTHS.get(found[month].lower()):
                return _day(found[3], str(number), found[day])
    return ""


def date_in_path(url: str) -> str:
    """The day in an address like `/2026/03/04/lamps`."""
    found = _IN_PATH.search(url[:2048])
    return _day(found[1], found[2], found[3]) if found else ""


def _day(year: str, month: str, day: str) -> str:
    is_right = 1 <= int(month) <= 12 and 1 <= int(day) <= 31 and 1900 <= int(year) <= 2100
    return f"{int(year)}-{int(month):02}-{int(day):02}" if is_right else ""
