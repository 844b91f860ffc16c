"""Fact lines: what somebody wants to know of a film, a recipe, a job or a shop, in a few short lines.

Nobody sees these fields on the page, so they are repeated as title and author are: numbers, dates and known words as
such, names in a few words, and what is longer only where the page shows it too. No description is a fact.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import cast

from gossamer.extractors.html.metadata.bylines import date_in_words
from gossamer.extractors.html.metadata.prices import offered
from gossamer.extractors.html.metadata.structured_data import Node, kinds, named, text, values
from gossamer.steps.text.clean_line import plain

MAX_LINES, MAX_CHARS = 10, 1_200
_VALUE_CHARS, _NAME_CHARS, _NAME_WORDS = 120, 60, 6
_AMOUNT_CHARS, _AMOUNT_WORDS = 80, 12
_WIDE_PER_WORD = 3
_MOST_NAMES, _MOST_PARTS = 8, 20
_MOST_ASKED, _ASKED_CHARS = 60, 500
"""Values of a list that are looked at, and characters of each."""

Shows = Callable[[str], bool]
"""Tells whether the page shows a text to its reader."""
Read = Callable[[Node, Shows], str]

_UNLIKE_A_NAME = re.compile(r"https?:|www\.|[<>{}|\\@\[\]]")
_WIDE = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_NUMBER = re.compile(r"\d{1,12}(?:[.,]\d{1,6}){0,3}")
_AMOUNT = re.compile(r"[\d½¼¾⅓⅔⅛]")
_WHEN = re.compile(
    r"(\d{4}(?:-\d\d(?:-\d\d)?)?)(?:[T ](\d\d:\d\d)(?::\d\d(?:\.\d{1,9})?)?\s?(Z|[+-]\d\d:?\d\d)?)?", re.ASCII
)
_LASTING = re.compile(
    r"P(?:(\d{1,4})Y)?(?:(\d{1,4})M)?(?:(\d{1,4})W)?(?:(\d{1,4})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,7})(?:\.\d+)?S)?)?",
    re.ASCII,
)
_UNITS = ("years", "months", "weeks", "days", "h", "min", "s")
_PHONE = re.compile(r"\+?[\d(][\d\s().\-/]{4,24}", re.ASCII)
_CODE = re.compile(r"[A-Za-z0-9][\w./+\-]{0,40}", re.ASCII)
_HOURS = re.compile(r"(?:[A-Z][a-z](?:\s?[-,]\s?[A-Z][a-z]){0,6}\s)?\d\d:\d\d\s?-\s?\d\d:\d\d", re.ASCII)
_CLOCK = re.compile(r"(\d\d:\d\d)(?::\d\d)?(?:[+-]\d\d:\d\d)?", re.ASCII)
_DAYS = ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su")
_RANGE = re.compile(r"[$€£¥]{1,5}|[$€£¥]?\s?\d{1,9}(?:\s?[-–]\s?[$€£¥]?\d{1,9})?\s?[$€£¥]?")
_KNOWN = {
    name.replace(" ", "").lower(): name
    for name in (
        *("full time", "part time", "contractor", "temporary", "intern", "volunteer", "per diem", "other"),
        *("event cancelled", "event postponed", "event rescheduled", "event moved online", "event scheduled"),
        *("online event attendance mode", "mixed event attendance mode", "offline event attendance mode"),
        *("hardcover", "paperback", "e book", "audiobook format", "graphic novel", "telecommute"),
        *("online", "blended", "onsite"),
    )
}
_EVERY = {"HOUR": "an hour", "DAY": "a day", "WEEK": "a week", "MONTH": "a month", "YEAR": "a year"}
_PLACE = ("streetAddress", "postalCode", "addressLocality", "addressRegion", "addressCountry")


def fact_lines(entity: Node, shows: Shows, *, has_price: bool = False) -> str:
    """The facts of an entity, one `Label: value` a line; without its price where that is told already."""
    lines: list[str] = []
    left = MAX_CHARS
    for label, read in _FACTS:
        if (label == "Price" and has_price) or not (value := read(entity, shows)):
            continue
        lines.append(f"{label}: {value}")
        left -= len(lines[-1])
        if left < 0 or len(lines) > MAX_LINES:
            lines.pop()
            break
    return "\n".join(lines)


def _short(value: object, shows: Shows, *, words: int = _NAME_WORDS, chars: int = _NAME_CHARS) -> str:
    """A value of a few words; a longer one where the page shows it."""
    line = plain(named(value)[:_ASKED_CHARS], max_chars=_VALUE_CHARS)
    if not line or _UNLIKE_A_NAME.search(line):
        return ""
    size = len(line.split()) + len(_WIDE.findall(line)) // _WIDE_PER_WORD
    return line if (size <= words and len(line) <= chars) or shows(line) else ""


def _names(*keys: str) -> Read:
    """The first names in the first of these fields that has some, and how many more there are."""

    def read(entity: Node, shows: Shows) -> str:
        return next(filter(None, (_listed(values(entity, key), shows, most=_MOST_NAMES) for key in keys)), "")

    return read


def _listed(
    every: Sequence[object], shows: Shows, *, most: int, words: int = _NAME_WORDS, chars: int = _NAME_CHARS
) -> str:
    named_once = dict.fromkeys(_short(value, shows, words=words, chars=chars) for value in every[:_MOST_ASKED])
    lines = [line for line in named_once if line]
    rest = len(every) - most if len(lines) > most else 0
    return ", ".join(lines[:most]) + (f", and {rest} more" if rest else "")


def _parts(*keys: str) -> Read:
    """What something is made of: each part an amount and a name, or a few words."""

    def read(entity: Node, shows: Shows) -> str:
        every = [value for key in keys for value in values(entity, key) if value is not None]
        lines = list(dict.fromkeys(filter(None, (_part(value, shows) for value in every[:_MOST_ASKED]))))
        rest = len(every) - _MOST_PARTS if len(lines) > _MOST_PARTS else 0
        return "; ".join(lines[:_MOST_PARTS]) + (f"; and {rest} more" if rest else "")

    return read


def _part(value: object, shows: Shows) -> str:
    has_amount = _AMOUNT.match(named(value).lstrip()) is not None
    return _short(value, shows, words=_AMOUNT_WORDS, chars=_AMOUNT_CHARS) if has_amount else _short(value, shows)


def _number(value: object) -> str:
    match = _NUMBER.fullmatch(named(value).replace(" ", ""))
    return match[0] if match else ""


def _numbers(*keys: str) -> Read:
    return lambda entity, _: next(filter(None, (_number(entity.get(key)) for key in keys)), "")


def _when(value: object) -> str:
    """A day, with its time where there is one; a year alone."""
    written = named(value)[:60].strip()
    if match := _WHEN.fullmatch(written):
        return " ".join(filter(None, (match[1], match[2], match[3] and match[3].replace("Z", "UTC"))))
    return date_in_words(written)


def _times(*keys: str) -> Read:
    return lambda entity, _: next(filter(None, (_when(entity.get(key)) for key in keys)), "")


def _lasting(*keys: str) -> Read:
    """A duration such as `PT2H46M` in words."""

    def read(entity: Node, _: Shows) -> str:
        for key in keys:
            if match := _LASTING.fullmatch(named(entity.get(key))[:60].strip().upper()):
                amounts = [(int(amount), unit) for amount, unit in zip(match.groups(), _UNITS, strict=True) if amount]
                if shown := " ".join(f"{amount} {unit}" for amount, unit in _carried(amounts) if amount):
                    return shown
        return ""

    return read


def _carried(amounts: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """Minutes beyond an hour as hours."""
    match amounts:
        case [(minutes, "min")] if minutes >= 60:
            return [(minutes // 60, "h"), (minutes % 60, "min")]
        case _:
            return amounts


def _known(*keys: str) -> Read:
    """Words of the vocabulary, as `FULL_TIME` or `https://schema.org/EventCancelled`."""

    def read(entity: Node, _: Shows) -> str:
        written = (named(value)[:200].rpartition("/")[2] for key in keys for value in values(entity, key)[:5])
        names = (_KNOWN.get(re.sub(r"[^a-z]", "", word.lower()), "") for word in written)
        return ", ".join(dict.fromkeys(name.removeprefix("event ") for name in names if name))

    return read


def _matching(pattern: re.Pattern[str], *keys: str) -> Read:
    """The values of this form in the first field that has some."""

    def matches(entity: Node, key: str) -> str:
        written = (named(value)[:100].strip() for value in values(entity, key)[:7])
        return ", ".join(dict.fromkeys(line for line in written if pattern.fullmatch(line)))

    return lambda entity, _: next(filter(None, (matches(entity, key) for key in keys)), "")


def _rating(entity: Node, _: Shows) -> str:
    """`8.5/10 (612345 ratings)`, of all who rated; of a review, its own."""
    for key in ("aggregateRating", "reviewRating"):
        for node in _nodes(entity, key):
            if rated := _number(node.get("ratingValue")):
                best = _number(node.get("bestRating"))
                count, what = _number(node.get("ratingCount")), "ratings"
                if not count:
                    count, what = _number(node.get("reviewCount")), "reviews"
                return f"{rated}{f'/{best}' if best else ''}{f' ({count} {what})' if count else ''}"
    return ""


def _nodes(entity: Node, *keys: str) -> list[Node]:
    return [cast("Node", value) for key in keys for value in values(entity, key)[:20] if isinstance(value, dict)]


def _place(*keys: str) -> Read:
    """Where something is: the name of the place and its address."""

    def read(entity: Node, shows: Shows) -> str:
        for key in keys:
            for value in values(entity, key)[:5]:
                if place := _written_place(value, shows):
                    return place
        return ""

    return read


def _written_place(value: object, shows: Shows) -> str:
    if not isinstance(value, dict):
        return _short(value, shows)
    node = cast("Node", value)
    if "VirtualLocation" in kinds(node):
        return "online"
    addresses = _nodes(node, "address")
    inner = [address.get(key) for address in (node, *addresses[:1]) for key in _PLACE]
    written = node.get("address") if not addresses else None
    parts = [_short(part, shows) for part in (node.get("name"), written, *inner) if part]
    return ", ".join(dict.fromkeys(filter(None, parts)))


def _hours(entity: Node, _: Shows) -> str:
    """Opening hours, as `Mo-Fr 09:00-17:00`."""
    if plain_hours := _matching(_HOURS, "openingHours")(entity, _):
        return plain_hours
    lines: list[str] = []
    for node in _nodes(entity, "openingHoursSpecification")[:7]:
        names = (named(value).rpartition("/")[2][:2].capitalize() for value in values(node, "dayOfWeek")[:7])
        days = [day for day in names if day in _DAYS]
        clocks = [_CLOCK.fullmatch(text(node, key)[:20]) for key in ("opens", "closes")]
        if clocks[0] and clocks[1]:
            lines.append(f"{_run(days)} {clocks[0][1]}-{clocks[1][1]}".strip())
    return ", ".join(lines)


def _run(days: list[str]) -> str:
    """Days in a row by the first and the last one."""
    places = sorted(_DAYS.index(day) for day in set(days))
    is_run = len(places) > 2 and places[-1] - places[0] == len(places) - 1
    return f"{_DAYS[places[0]]}-{_DAYS[places[-1]]}" if is_run else ",".join(_DAYS[place] for place in places)


def _salary(entity: Node, _: Shows) -> str:
    """`60000-80000 EUR a year`."""
    for key in ("baseSalary", "estimatedSalary"):
        for value in values(entity, key)[:5]:
            if not isinstance(value, dict):
                sums, node = (_number(value),), entity
            else:
                node = cast("Node", value)
                inner = next(iter(_nodes(node, "value")), node)
                sums = (_number(inner.get("minValue")), _number(inner.get("maxValue")))
                sums = sums if any(sums) else (_number(inner.get("value")),)
                node = {**node, "unitText": inner.get("unitText") or node.get("unitText")}
            if amount := "-".join(dict.fromkeys(filter(None, sums))):
                money = text(node, "currency") or text(entity, "salaryCurrency")
                money = money if re.fullmatch(r"[A-Z]{3}", money) else ""
                return " ".join(filter(None, (amount, money, _EVERY.get(text(node, "unitText").upper(), ""))))
    return ""


def _views(entity: Node, _: Shows) -> str:
    for node in _nodes(entity, "interactionStatistic"):
        written = text(node, "interactionType")
        types = {
            written[:200].rpartition("/")[2],
            *(kind for what in _nodes(node, "interactionType") for kind in kinds(what)),
        }
        if "WatchAction" in types:
            return _number(node.get("userInteractionCount"))
    return ""


def _counted(key: str, *types: str) -> Read:
    """How many values a field has, of entities of some types."""

    def read(entity: Node, _: Shows) -> str:
        count = sum(value is not None for value in values(entity, key))
        return str(count) if count and kinds(entity) & set(types) else ""

    return read


def _of_kind(read: Read, *types: str) -> Read:
    return lambda entity, shows: read(entity, shows) if kinds(entity) & set(types) else ""


def _facts() -> Iterable[tuple[str, Read]]:
    """Label and reader, the weightiest first."""
    yield "Price", lambda entity, _: offered(entity)
    yield "Rating", _rating
    yield "Starts", _times("startDate")
    yield "Ends", _times("endDate")
    yield "Status", _known("eventStatus")
    yield "Place", _place("location", "contentLocation")
    yield "Director", _names("director", "directors")
    yield "Creator", _of_kind(_names("creator"), "TVSeries", "TVSeason", "CreativeWorkSeries", "VideoGame", "Dataset")
    yield "Cast", _names("actor", "actors")
    yield "Performer", _names("performer", "performers", "byArtist")
    yield "Organizer", _names("organizer")
    yield "Employer", _names("hiringOrganization")
    yield "Salary", _salary
    yield "Employment", _known("employmentType")
    yield "Location", _place("jobLocation")
    yield "Remote", _known("jobLocationType")
    yield "Apply by", _times("validThrough")
    yield "Version", _matching(_CODE, "softwareVersion", "version")
    yield "Platform", _names("operatingSystem")
    yield "Category", _names("applicationCategory", "category")
    yield "Total time", _lasting("totalTime")
    yield "Prep time", _lasting("prepTime")
    yield "Cook time", _lasting("cookTime", "performTime")
    yield "Serves", _names("recipeYield", "yield")
    yield (
        "Calories",
        lambda entity, shows: next((_short(n.get("calories"), shows) for n in _nodes(entity, "nutrition")), ""),
    )
    yield "Ingredients", _parts("recipeIngredient", "ingredients")
    yield "Supplies", _parts("supply")
    yield "Tools", _parts("tool")
    yield "Steps", _counted("step", "HowTo")
    yield "Address", _place("address")
    yield "Phone", _matching(_PHONE, "telephone")
    yield "Hours", _hours
    yield "Price range", _matching(_RANGE, "priceRange")
    yield "Brand", _names("brand", "manufacturer")
    yield "Model", _names("model")
    yield "SKU", _matching(_CODE, "sku", "mpn")
    yield "GTIN", _matching(re.compile(r"\d{8,14}"), "gtin", "gtin13", "gtin12", "gtin14", "gtin8")
    yield "Duration", _lasting("duration", "timeRequired")
    yield "Rated", _names("contentRating")
    yield "Genre", _names("genre")
    yield "Seasons", _numbers("numberOfSeasons")
    yield "Episodes", _numbers("numberOfEpisodes")
    yield "Publisher", _of_kind(_names("publisher"), "Book", "Audiobook", "VideoGame", "Dataset", "Periodical")
    yield "ISBN", _matching(re.compile(r"[\d\-]{9,17}[\dXx]"), "isbn")
    yield "Pages", _numbers("numberOfPages")
    yield "Format", _known("bookFormat")
    yield "Provider", _names("provider")
    yield "Mode", _known("courseMode", "eventAttendanceMode")
    yield "Questions", _counted("mainEntity", "FAQPage")
    yield "Answers", _numbers("answerCount")
    yield "Comments", _numbers("commentCount")
    yield "Votes", _numbers("upvoteCount")
    yield "Views", _views
    yield "Job", _names("jobTitle")
    yield "Works for", _names("worksFor", "affiliation")
    yield "Born", _times("birthDate")
    yield "Died", _times("deathDate")
    yield "Founded", _times("foundingDate")


_FACTS = tuple(_facts())
