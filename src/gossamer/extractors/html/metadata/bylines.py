"""Bylines: author and dates, from structured data first, then from the visible byline."""

import re
from collections.abc import Iterator
from html import unescape

from gossamer.extractors.html.metadata.main_entity import REVIEWS, Described
from gossamer.extractors.html.metadata.structured_data import Node, kinds, named, values
from gossamer.extractors.html.tree import Element, attr, classes, words
from gossamer.extractors.invisible_characters import clean_line

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
_CANDIDATES = (
    "descendant::*[@*][@itemprop='author' or @rel or contains(@class, 'uthor') or contains(@class, 'AUTHOR') or "
    "contains(@class, 'yline') or contains(@class, 'riter') or contains(@class, 'utor')]"
)
_MAX_CANDIDATES = 500
_MAX_NAMES = 5
_TEXT_CHARS = 2_000
_NAME_CHARS = 60
_NAME_WORDS = 6
_META = ("author", "article:author", "dc.creator", "citation_author", "parsely-author", "byl", "sailthru.author")
_BY = re.compile(
    r"(?:(?:written|posted|story|interview|text|words|reviewed)\s)?"
    r"(?:by|von|par|por|di|door|af|av)\s*:?\s+|"
    r"(?:artikel von|author|autor|autorin|auteur|autore|interview|text und interview|text|von|by)\s*:\s*|author\s",
    re.IGNORECASE,
)
_AFTER = re.compile(r"\s[|•·—–]\s|\s\(|\son\s\w+\s\d|,\s\d|\s\d{1,2}[./]\d|\n|\s-\s")
_WRITER = re.compile(
    r"(?:^|[-_])(?:author|byline|writer|autor)(?:s|[-_]*(?:name|link|info))?$|authorname", re.IGNORECASE
)
_OTHERS = re.compile(r"comment|testimonial|review|quote|related", re.IGNORECASE)
_NOBODY = re.compile(
    r"https?:|www\.|[@<>{}\\]|&\w+;|^(?:admin|administrator|super user|author|redaktion|staff|name)$", re.IGNORECASE
)
_COUNT = re.compile(r"\s\d")
_SIGN = re.compile(r"[^\W_]+")
_LEVELS_UP = 30
_READERS = frozenset({"Comment", "UserComments", "Answer"})
_READERS_FIELDS = frozenset({"review", "reviews", "comment", "suggestedAnswer", "acceptedAnswer"})
_CREATED = frozenset(
    {"VideoObject", "ImageObject", "AudioObject", "Photograph", "Dataset", "SoftwareSourceCode", "HowTo", "Recipe"}
)
"""Where the word for the author is `creator`; of a film it is who wrote or made it."""


def read_author(root: Element, metas: dict[str, str], data: Described, *, site: str) -> str:
    """The author's name; the name of the site only where no person is named."""
    second = ""
    for text in _named(root, metas, data):
        name = _person(text)
        if not name:
            continue
        if not _same(name, site):
            return name
        second = second or name
    return second


def _named(root: Element, metas: dict[str, str], data: Described) -> Iterator[str]:
    """Everything that could be the name, the surest first."""
    authors = [writers for node in data.about if (writers := _writers(node))]
    for writers in authors:
        yield ", ".join(named(author) for author in writers if _is_person(author))
    for name in _META:
        yield metas.get(name, "")
    if _BY.match(f"{metas.get('twitter:label1', '')} "):
        yield metas.get("twitter:data1", "")
    marked = {} if data.is_unwritten else _marked(root, is_review=data.is_review)
    yield from marked.get("itemprop", ())
    yield from marked.get("rel", ())
    for writers in authors:
        yield ", ".join(named(author) for author in writers)
    yield from marked.get("class", ())


def _writers(node: Node) -> list[object]:
    """Who wrote it; of what nobody writes by himself, nobody."""
    keys = ("author", "creator") if kinds(node) & _CREATED else ("author",)
    writers = next((node[key] for key in keys if node.get(key)), None)
    return [writer for writer in values({"": writers}, "")[:_MAX_NAMES] if writer is not None]


def _is_person(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, dict) and "Organization" not in kinds(value))  # pyright: ignore[reportUnknownArgumentType]  # a JSON object


def _marked(root: Element, *, is_review: bool) -> dict[str, list[str]]:
    """The first texts that stand in elements marked as the writer's, by the kind of mark; no reader's of the page."""
    names: dict[str, list[str]] = {}
    for el in root.xpath(_CANDIDATES)[:_MAX_CANDIDATES]:
        if attr(el, "itemprop") == "author":
            kind = "itemprop"
        elif el.tag == "a" and "author" in attr(el, "rel").split():
            kind = "rel"
        elif el.tag not in {"body", "html", "label"} and any(map(_is_writer, classes(el))):
            kind = "class"
        else:
            continue
        if len(names.setdefault(kind, [])) < _MAX_NAMES and not is_readers(el, is_review=is_review):
            names[kind].append(_shown(el))
    return names


def _is_writer(name: str) -> bool:
    return bool(_WRITER.search(name)) and not _OTHERS.search(name)


def is_readers(el: Element, *, is_review: bool) -> bool:
    """Whether an element stands in what a reader wrote: a comment, an answer, a review on a page that is none."""
    for outer, _ in zip(el.iterancestors("*"), range(_LEVELS_UP), strict=False):
        if attr(outer, "itemprop") in _READERS_FIELDS or attr(outer, "property") in _READERS_FIELDS:
            return True
        kind = (attr(outer, "itemtype") or attr(outer, "typeof")).rpartition("/")[2]
        if kind in _READERS or (kind in REVIEWS and not is_review):
            return True
    return False


def _shown(el: Element) -> str:
    """The name in a marked element: its own field for that, else its text, of a long one the first link or line."""
    for inner in el.iter("*"):
        if attr(inner, "itemprop") == "name":
            return attr(inner, "content") or words(inner)[:200]
    text = attr(el, "content") or " ".join(" ".join(el.itertext()).split())
    if len(text) <= _NAME_CHARS and len(text.split()) <= _NAME_WORDS and not _COUNT.search(text):
        return text
    links = (words(link) for link in el.iter("a"))
    return next((link for link in links if link), "") or next((t for t in el.itertext() if t.strip()), "")[:200]


def _person(text: str) -> str:
    """A name out of a byline, or nothing where it can be none."""
    line = clean_line(unescape(text[:_TEXT_CHARS]), limit=300)
    if start := _BY.match(line):
        line = line[start.end() :]
    if end := _AFTER.search(line):
        line = line[: end.start()]
    line = line.strip(" ,;:|/-–—")
    names = line.count(",") + 1
    if not line or _NOBODY.search(line) or not _SIGN.search(line):
        return ""
    return line if len(line) <= 2 * _NAME_CHARS and len(line.split()) <= _NAME_WORDS * names else ""


def _same(name: str, site: str) -> bool:
    ours, theirs = ("".join(_SIGN.findall(text)).lower() for text in (name, site))
    return bool(theirs) and (ours == theirs or theirs.startswith(ours) or ours.startswith(theirs))


def iso_date(text: str) -> str:
    """The day in a date for machines, as `YYYY-MM-DD`; empty when none can be read."""
    match = _ISO.search(text) or _COMPACT.search(text.strip())
    return _day(match[1], match[2], match[3]) if match else ""


def date_in_words(text: str) -> str:
    """The first day in a short text for people; a day that two countries read differently is none."""
    text = text[:_MAX_CHARS]
    if day := iso_date(text):
        return day
    if match := _SIGNS.search(text):
        return _day(match[1], match[2], match[3])
    if match := _DOTTED.search(text):
        return _day(match[3], match[2], match[1])
    if (match := _SLASHED.search(text)) and int(match[1]) > 12 >= int(match[2]):
        return _day(match[3], match[2], match[1])
    for pattern, day, month in ((_MONTH_FIRST, 2, 1), (_DAY_FIRST, 1, 2)):
        for match in pattern.finditer(text):
            if number := _MONTHS.get(match[month].lower()):
                return _day(match[3], str(number), match[day])
    return ""


def date_in_path(url: str) -> str:
    """The day in an address like `/2026/03/04/lamps`."""
    match = _IN_PATH.search(url[:2048])
    return _day(match[1], match[2], match[3]) if match else ""


def _day(year: str, month: str, day: str) -> str:
    is_right = 1 <= int(month) <= 12 and 1 <= int(day) <= 31 and 1900 <= int(year) <= 2100
    return f"{int(year)}-{int(month):02}-{int(day):02}" if is_right else ""
