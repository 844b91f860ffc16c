"""Metadata of a page: titles, author, dates and the like, from meta tags, OpenGraph, JSON-LD and attributes."""

import json
import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from urllib.parse import urlsplit

from gossamer.extractors.html.markdown.normalise import absolute
from gossamer.extractors.html.metadata.bylines import date_in_path, date_in_words, iso_date, read_author
from gossamer.extractors.html.metadata.structured_data import Node, digest, first, price_phrase, read_price
from gossamer.extractors.html.tree import Element, attr, classes, words
from gossamer.extractors.invisible_characters import clean_line
from gossamer.model.page import PageInfo

_CUT = re.compile(r"\s+(?:\||-|–|—|·|•|»|::|/)\s+|\s*\|\s*|\s+\[(?=[^\]]+\]$)")
_MAX_CHARS = 300
_SIGN = re.compile(r"[^\W_]+")
_ARTICLES_NAMES = (
    "Article NewsArticle BlogPosting TechArticle Report ScholarlyArticle Recipe Product WebPage QAPage Question "
    "DiscussionForumPosting SocialMediaPosting Review VideoObject ReportageNewsArticle OpinionNewsArticle HowTo"
)
_ARTICLES = frozenset(_ARTICLES_NAMES.split())
_INSIDE = (".local", ".localhost", ".internal", ".lan", ".home.arpa")
_PUBLISHED = (
    *("article:published_time", "datepublished", "date", "dc.date", "dc.date.issued", "dcterms.created"),
    *("dcterms.date", "dcterms.issued", "pubdate", "publishdate", "publish-date", "publication_date", "dc:created"),
    *("citation_publication_date", "citation_date", "parsely-pub-date", "sailthru.date", "og:pubdate", "datecreated"),
    *(
        "article:published",
        "og:article:published_time",
        "og:published_time",
        "last-published",
        "cxenseparse:recs:publishtime",
    ),
)
_MODIFIED = ("article:modified_time", "og:updated_time", "datemodified", "dcterms.modified", "last-modified")
_DATED = re.compile(
    r"(?:^|[-_])(?:pub(?:lished|lish|date)?|post(?:ed)?|entry|article|blog)?[-_]?(?:date|dates|datum|published|time)$",
    re.IGNORECASE,
)
_MAX_METAS = 300
_TITLE_CHARS = 2_000
_SHOWN = (
    "descendant::time | descendant::*[@*][@itemprop='datePublished' or @itemprop='dateCreated' or "
    "contains(@property, 'dc:created') or "
    "contains(@class, 'dat') or contains(@class, 'Dat') or contains(@class, 'ublish') or contains(@class, 'time')]"
)
_MAX_SHOWN = 500
_NEAR = 6
"""How many elements before a heading are looked at, and twice as many after it."""
_FEW_CHILDREN, _SHORT_LINE = 4, 60
_OPEN_GRAPH = re.compile(r"(?:og|article|product|book|profile|video|music):[\w:.-]{1,60}")
_OPEN_GRAPH_CHARS, _FIELD_CHARS = 3_000, 300


@dataclass(frozen=True, kw_only=True, slots=True)
class HeadFields:
    """The metadata in a page's head: read before the hidden parts of the page are removed."""

    metas: dict[str, str]
    """Meta fields by lower-case name, the first of each."""
    title: str
    canonical: str


def read_head(root: Element) -> HeadFields:
    """Look at the untouched page."""
    links = (attr(el, "href") for el in root.iter("link") if "canonical" in attr(el, "rel").lower().split())
    metas = _metas(root)
    return HeadFields(
        metas=metas,
        title=next((words(el)[:_TITLE_CHARS] for el in root.iter("title") if not _is_drawn(el)), ""),
        canonical=next((href for href in links if href.strip()), "") or metas.get("og:url", ""),
    )


def _is_drawn(title: Element) -> bool:
    """Whether a title is that of a picture, or of a template, and not the page's."""
    return any(True for _ in title.iterancestors("svg", "template", "noscript"))


def read_info(root: Element, structured: list[Node], head: HeadFields, *, url: str) -> tuple[str, PageInfo]:
    """The page's title, and the rest of what it says of itself, each in one clean line.

    The title is OpenGraph's, `<title>`, the first heading or JSON-LD's headline, without the name of the site.
    `root` is the page without its hidden parts, so that no byline speaks for them.
    """
    metas = head.metas

    def named(*names: str) -> str:
        return next((metas[name] for name in names if metas.get(name)), "")

    site = clean_line(
        named("og:site_name", "application-name") or first(structured, "publisher", of=_ARTICLES), limit=200
    )
    title, full_title = _titles(root, structured, head, url)
    return title, PageInfo(
        description=clean_line(
            named("description", "og:description", "twitter:description")
            or first(structured, "description", of=_ARTICLES),
            limit=1000,
        ),
        author=read_author(root, metas, structured, of=_ARTICLES, site=site),
        published=_published(root, metas, structured, url),
        modified=iso_date(named(*_MODIFIED)) or iso_date(first(structured, "dateModified", of=_ARTICLES)),
        site_name=site,
        language=_language(root, metas),
        price=clean_line(_price(metas, structured), limit=100),
        canonical_url=_public(absolute(head.canonical, url), url) if head.canonical else "",
        full_title=full_title if full_title != title else "",
        open_graph=_open_graph(metas, url),
        linked_data=digest(structured),
    )


def _titles(root: Element, structured: list[Node], head: HeadFields, url: str) -> tuple[str, str]:
    heads = [words(el) for el, _ in zip(root.iter("h1"), range(3), strict=False)]
    headline = first(structured, "headline")
    candidates = (head.metas.get("og:title", ""), head.title, *heads, headline)
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        host = ""
    return read_titles(candidates, (*heads, headline), site=head.metas.get("og:site_name", ""), host=host)


def _metas(root: Element) -> dict[str, str]:
    metas: dict[str, str] = {}
    for el, _ in zip(root.iter("meta"), range(_MAX_METAS), strict=False):
        name = (
            (attr(el, "property") or attr(el, "name") or attr(el, "itemprop") or attr(el, "http-equiv")).strip().lower()
        )
        if name and attr(el, "content").strip():
            metas.setdefault(name, attr(el, "content")[:4000].strip())
    return metas


def _published(root: Element, metas: dict[str, str], structured: list[Node], url: str) -> str:
    """The publication date: from metadata, else from the visible text."""
    for name in _PUBLISHED:
        if day := date_in_words(metas.get(name, "")):
            return day
    for key in ("datePublished", "dateCreated", "uploadDate"):
        if day := iso_date(first(structured, key, of=_ARTICLES)):
            return day
    shown = _shown_dates(root)
    days = (shown.get(kind, "") for kind in ("marked", "article", "dated", "time"))
    return next(filter(None, days), "") or _near_heading(root) or date_in_path(url)


def _shown_dates(root: Element) -> dict[str, str]:
    """The first day that the page shows in each place where dates stand."""
    dates: dict[str, str] = {}
    for el in root.xpath(_SHOWN)[:_MAX_SHOWN]:
        if attr(el, "itemprop") in {"datePublished", "dateCreated"} or "dc:created" in attr(el, "property").split():
            kind = "marked"
        elif el.tag == "time":
            is_inside = any(True for _ in el.iterancestors("article", "main"))
            kind = "marked" if "pubdate" in el.attrib else "article" if is_inside else "time"
        elif any(map(_DATED.search, classes(el))):
            kind = "dated"
        else:
            continue
        if kind not in dates and (day := _day_of(el)):
            dates[kind] = day
    return dates


def _day_of(el: Element) -> str:
    days = (iso_date(attr(el, name)) for name in ("datetime", "content", "title"))
    return next(filter(None, days), "") or date_in_words(words(el)[:100])


def _near_heading(root: Element) -> str:
    """A day that stands in a short line next to the first heading."""
    before: deque[Element] = deque(maxlen=_NEAR)
    every = root.iter("*")
    for el in every:
        if el.tag == "h1":
            ancestors = set(el.iterancestors())
            inside = sum(1 for _ in el.iter("*")) - 1
            near = [neighbour for neighbour in before if neighbour not in ancestors] + list(
                islice(every, inside, inside + 2 * _NEAR)
            )
            lines = (words(neighbour) for neighbour in near if len(neighbour) <= _FEW_CHILDREN)
            return next((day for line in lines if len(line) <= _SHORT_LINE and (day := date_in_words(line))), "")
        before.append(el)
    return ""


def _language(root: Element, metas: dict[str, str]) -> str:
    language = (
        attr(root, "lang") or attr(root, "xml:lang") or metas.get("content-language", "") or metas.get("og:locale", "")
    )
    tag = language.strip().replace("_", "-")[:35]
    return tag if re.fullmatch(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*", tag) else ""


def _price(metas: dict[str, str], structured: list[Node]) -> str:
    """Price and availability, from JSON-LD or OpenGraph's product fields."""
    if price := read_price(structured):
        return price
    amount = metas.get("product:price:amount") or metas.get("og:price:amount", "")
    currency = metas.get("product:price:currency") or metas.get("og:price:currency", "")
    stock = metas.get("product:availability") or metas.get("og:availability", "")
    return price_phrase(amount, currency, stock)


def _public(address: str, url: str) -> str:
    """An address that a page gives for itself, unless it names a place inside a network: then it is not repeated."""
    try:
        host, own = urlsplit(address).hostname or "", urlsplit(url).hostname
    except ValueError:
        return ""
    is_inside = ":" in host or "." not in host or host.endswith(_INSIDE) or host.rpartition(".")[2].isdigit()
    return "" if is_inside and host != own else address


def _open_graph(metas: dict[str, str], url: str) -> str:
    """The page's first OpenGraph fields as a small JSON object, empty where it has none."""
    fields: dict[str, str] = {}
    left = _OPEN_GRAPH_CHARS
    for name, value in metas.items():
        line = clean_line(value, limit=_FIELD_CHARS) if _OPEN_GRAPH.fullmatch(name) else ""
        line = _public(line, url) if "://" in line else line
        left -= len(name) + len(line) if line else 0
        if left < 0:
            break
        if line:
            fields[name] = line
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")) if fields else ""


def read_titles(candidates: Sequence[str], heads: Sequence[str], *, site: str, host: str) -> tuple[str, str]:
    """The headline, and the title as the page writes it: of `candidates` the first that holds something.

    What stands after a bar is the site's where the rest is a heading of the page, or where it is the site's name; what
    stands before it only where both hold.
    """
    full = next((line for text in candidates if (line := clean_line(text, limit=_MAX_CHARS))), "")
    own = {_level(head) for head in heads} - {""}
    halves = [(full[: cut.start()], full[cut.end() :].removesuffix("]")) for cut in _CUT.finditer(full)]
    names = {
        _level(name) for name in (site, host, host.removeprefix("www."), host.removeprefix("www.").rpartition(".")[0])
    }
    for before, after in halves:
        if _level(before) in own or (_level(after) in names and _level(before)):
            return before, full
        if _level(before) in names and _level(after) in own:
            return after, full
    return full, full


def _level(text: str) -> str:
    """Letters and digits alone: how two spellings of a title are compared."""
    return "".join(_SIGN.findall(text[:_MAX_CHARS])).casefold()
