"""Who wrote a page, as far as it says so: to machines first, then in its byline."""

import re
from collections.abc import Iterator
from html import unescape

from gossamer.extractors.about.linked import Node, kinds, named, values
from gossamer.extractors.characters import clean_line
from gossamer.extractors.tree import Element, attr, classes, words

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


def read_author(root: Element, metas: dict[str, str], said: list[Node], *, of: frozenset[str], site: str) -> str:
    """The writer's name; the site itself only where nobody else is named."""
    second = ""
    for text in _named(root, metas, said, of):
        name = _person(text)
        if not name:
            continue
        if not _same(name, site):
            return name
        second = second or name
    return second


def _named(root: Element, metas: dict[str, str], said: list[Node], of: frozenset[str]) -> Iterator[str]:
    """Everything that could be the name, the surest first."""
    for node in said:
        if of & kinds(node):
            yield ", ".join(named(one) for one in values(node, "author")[:_MAX_NAMES] if _is_person(one))
    for name in _META:
        yield metas.get(name, "")
    if _BY.match(f"{metas.get('twitter:label1', '')} "):
        yield metas.get("twitter:data1", "")
    marked = _marked(root)
    yield from marked.get("itemprop", ())
    yield from marked.get("rel", ())
    for node in said:
        if of & kinds(node):
            yield ", ".join(named(one) for one in values(node, "author")[:_MAX_NAMES])
    yield from marked.get("class", ())


def _is_person(said: object) -> bool:
    return isinstance(said, str) or (isinstance(said, dict) and "Organization" not in kinds(said))  # pyright: ignore[reportUnknownArgumentType]  # a JSON object


def _marked(root: Element) -> dict[str, list[str]]:
    """The first texts that stand in elements marked as the writer's, by the kind of mark."""
    found: dict[str, list[str]] = {}
    for el in root.xpath(_CANDIDATES)[:_MAX_CANDIDATES]:
        if attr(el, "itemprop") == "author":
            kind = "itemprop"
        elif el.tag == "a" and "author" in attr(el, "rel").split():
            kind = "rel"
        elif el.tag not in {"body", "html", "label"} and any(map(_is_writer, classes(el))):
            kind = "class"
        else:
            continue
        if len(found.setdefault(kind, [])) < _MAX_NAMES:
            found[kind].append(_shown(el))
    return found


def _is_writer(name: str) -> bool:
    return bool(_WRITER.search(name)) and not _OTHERS.search(name)


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
