"""Metadata of a page: titles, author, dates and the like, from meta tags, structured data and the visible text."""

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from urllib.parse import urlsplit

from gossamer.extractors.html.best_effort import best_effort
from gossamer.extractors.html.markdown.normalise import absolute
from gossamer.extractors.html.metadata.bylines import date_in_path, date_in_words, is_readers, iso_date, read_author
from gossamer.extractors.html.metadata.data_tree import write_tree
from gossamer.extractors.html.metadata.facts import fact_lines
from gossamer.extractors.html.metadata.main_entity import ARTICLES, NOTHING, Described, describe
from gossamer.extractors.html.metadata.marked_items import MarkedItems
from gossamer.extractors.html.metadata.prices import offered, price_phrase
from gossamer.extractors.html.metadata.structured_data import Node, kinds, text
from gossamer.extractors.html.tree import Element, attr, body, classes, words
from gossamer.extractors.invisible_characters import clean_line
from gossamer.model.page import PageInfo
from gossamer.steps.text.clean_line import plain

_STAGE = "metadata"
_CUT = re.compile(r"\s+(?:\||-|–|—|·|•|»|::|/)\s+|\s*\|\s*|\s+\[(?=[^\]]+\]$)")
_MAX_CHARS = 300
_SIGN = re.compile(r"[^\W_]+")
_PRODUCTS = frozenset(
    {"Product", "ProductGroup", "ProductModel", "IndividualProduct", "SomeProducts", "Vehicle", "Car"}
)
_MOST_LOOKS, _LOOKED_AT_CHARS = 100, 200_000
"""How often a page is looked through for a fact, and how much of it."""
_MAX_SOCIAL = 150
_SOCIAL_CHARS = 1_000
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
_OWN_DATES = ("datePublished", "dateCreated", "uploadDate", "datePosted")
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


@dataclass(frozen=True, kw_only=True, slots=True)
class HeadFields:
    """What a page says for programs, mostly in its head: read before the hidden parts of the page are removed."""

    metas: dict[str, str] = field(default_factory=dict[str, str])
    """Meta fields by lower-case name, the first of each."""
    social: tuple[tuple[str, str], ...] = ()
    """The fields of OpenGraph, in order."""
    marked: MarkedItems = field(default_factory=MarkedItems)
    title: str = ""
    canonical: str = ""


def read_head(root: Element) -> HeadFields:
    """Look at the untouched page."""
    links = (attr(el, "href") for el in root.iter("link") if "canonical" in attr(el, "rel").lower().split())
    fields = list(_fields(root))
    metas: dict[str, str] = {}
    for name, value in fields:
        metas.setdefault(name, value)
    social = ((name, value[:_SOCIAL_CHARS]) for name, value in fields if _OPEN_GRAPH.fullmatch(name))
    return HeadFields(
        metas=metas,
        social=tuple(islice(social, _MAX_SOCIAL)),
        marked=best_effort(_STAGE, MarkedItems, MarkedItems())(root),
        title=next((words(el)[:_TITLE_CHARS] for el in root.iter("title") if not _is_drawn(el)), ""),
        canonical=next((href for href in links if href.strip()), "") or metas.get("og:url", ""),
    )


def _is_drawn(title: Element) -> bool:
    """Whether a title is that of a picture, or of a template, and not the page's."""
    return any(True for _ in title.iterancestors("svg", "template", "noscript"))


def read_info(root: Element, structured: list[Node], head: HeadFields, *, url: str) -> tuple[str, PageInfo]:
    """The page's title, and the rest of what it says of itself, each in one clean line.

    The title is OpenGraph's, `<title>`, the first heading or the name of the main entity, without the name of the site.
    `root` is the page without its hidden parts, so that no byline speaks for them.
    """
    metas = head.metas

    def named(*names: str) -> str:
        return next((metas[name] for name in names if metas.get(name)), "")

    canonical = _public(absolute(head.canonical, url), url) if head.canonical else ""
    heads = [words(el) for el, _ in zip(root.iter("h1"), range(3), strict=False)]
    own_names = (head.metas.get("og:title", ""), *_titles(heads, head, "", url))
    marked = best_effort(_STAGE, head.marked.read, list[Node]())(root, url)
    addresses = (url, canonical)
    data = best_effort(_STAGE, describe, NOTHING)(structured, marked, names=own_names, heads=heads, addresses=addresses)
    title, full_title = _titles(heads, head, _name(data, structured), url)
    site = clean_line(named("og:site_name", "application-name") or _site(data), limit=200)
    described = text(data.main, "description") if data.main and data.is_sure and data.is_unwritten else ""
    price = clean_line(_price(metas, data), limit=100)
    return title, PageInfo(
        description=_without_markup(
            described or named("description", "og:description", "twitter:description") or data.first("description")
        ),
        author=read_author(root, metas, data, site=site),
        published=_published(root, metas, data, url),
        modified=iso_date(named(*_MODIFIED)) or iso_date(data.first("dateModified")),
        site_name=site,
        language=_language(root, metas),
        price=price,
        canonical_url=canonical,
        full_title=full_title if full_title != title else "",
        facts=best_effort(_STAGE, _facts, "")(root, data, has_price=bool(price)),
        structured=best_effort(_STAGE, write_tree, "")(
            data, head.social, judge_address=lambda address: _public(address, url)
        ),
    )


def _titles(heads: Sequence[str], head: HeadFields, name: str, url: str) -> tuple[str, str]:
    candidates = (head.metas.get("og:title", ""), head.title, *heads, name)
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        host = ""
    return read_titles(candidates, (*heads, name), site=head.metas.get("og:site_name", ""), host=host)


def _without_markup(text: str) -> str:
    return plain(text, max_chars=1_000) if "<" in text or "&" in text else clean_line(text, limit=1_000)


def _name(data: Described, structured: Sequence[Node]) -> str:
    """The headline of the main entity; else the first headline of all."""
    return (
        data.first("headline")
        or data.first("name")
        or next(filter(None, (text(node, "headline") for node in structured)), "")
    )


def _site(data: Described) -> str:
    """Who publishes what is written on the page; else the name of the site. A book has a publisher of its own."""
    publishers = (text(node, "publisher") for node in data.about if kinds(node) & ARTICLES)
    names = (text(node, "name") for node in data.items if "WebSite" in kinds(node))
    return next(filter(None, (*publishers, *names)), "")


def _facts(root: Element, data: Described, *, has_price: bool) -> str:
    """The facts of the main entity; the text of the page is gathered only where one is long."""
    shown: list[str] = []
    left = _MOST_LOOKS

    def shows(line: str) -> bool:
        nonlocal left
        left -= 1
        shown[:] = shown or [words(body(root))[:_LOOKED_AT_CHARS]]
        return left >= 0 and line in shown[0]

    return fact_lines(data.main, shows, has_price=has_price) if data.main else ""


def _fields(root: Element) -> Iterator[tuple[str, str]]:
    for el, _ in zip(root.iter("meta"), range(_MAX_METAS), strict=False):
        name = attr(el, "property") or attr(el, "name") or attr(el, "itemprop") or attr(el, "http-equiv")
        if (name := name.strip().lower()) and attr(el, "content").strip():
            yield name, attr(el, "content")[:4000].strip()


def _published(root: Element, metas: dict[str, str], data: Described, url: str) -> str:
    """The publication date: from metadata, else from the visible text.

    What a film or an event shows beside its own date are the days of its readers, or those on which it takes place.
    """
    own = next((day for key in _OWN_DATES if (day := iso_date(data.first(key)))), "")
    if data.is_unwritten and own:
        return own
    for name in _PUBLISHED:
        if day := date_in_words(metas.get(name, "")):
            return day
    if own or data.is_unwritten:
        return own
    shown = _shown_dates(root, is_review=data.is_review)
    days = (shown.get(kind, "") for kind in ("marked", "article", "dated", "time"))
    return next(filter(None, days), "") or _near_heading(root) or date_in_path(url)


def _shown_dates(root: Element, *, is_review: bool) -> dict[str, str]:
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
        if kind not in dates and (day := _day_of(el)) and not is_readers(el, is_review=is_review):
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


def _price(metas: dict[str, str], data: Described) -> str:
    """Price and availability of a product, from structured data or OpenGraph's product fields."""
    if data.main and kinds(data.main) & _PRODUCTS and (price := offered(data.main)):
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
