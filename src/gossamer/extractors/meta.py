"""What a page says of itself: title, author, date and the like, from meta, OpenGraph, JSON-LD and attributes."""

import re

from gossamer.extractors.characters import clean_line
from gossamer.extractors.linked import Node, first, price
from gossamer.extractors.tree import Element, attr, words
from gossamer.model.page import PageInfo

_ARTICLES_NAMES = (
    "Article NewsArticle BlogPosting TechArticle Report ScholarlyArticle Recipe Product WebPage QAPage Question "
    "DiscussionForumPosting"
)
_ARTICLES = frozenset(_ARTICLES_NAMES.split())
_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_COMPACT_DATE = re.compile(r"^(\d{4})[/.]?(\d{2})[/.]?(\d{2})\b")
_PUBLISHED = (
    *(
        "article:published_time",
        "datepublished",
        "date",
        "dc.date",
        "dc.date.issued",
        "dcterms.created",
        "dcterms.date",
    ),
    *("pubdate", "publishdate", "publish-date", "publication_date", "citation_publication_date", "parsely-pub-date"),
)
_MAX_METAS = 300


def read_title(root: Element, said: list[Node]) -> str:
    """The page's title: OpenGraph, `<title>`, the first heading, or JSON-LD's headline."""
    metas = _metas(root)
    heads = list(root.iter("title", "h1"))
    candidates = [metas.get("og:title", ""), *(words(el) for el in heads[:3]), first(said, "headline")]
    return next((line for text in candidates if (line := clean_line(text, limit=300))), "")


def read_info(root: Element, said: list[Node]) -> PageInfo:
    """The rest of what a page says of itself, each in one clean line."""
    metas = _metas(root)

    def named(*names: str) -> str:
        return next((metas[name] for name in names if metas.get(name)), "")

    author = named("author", "article:author", "dc.creator", "citation_author", "parsely-author", "byl")
    if not author or author.startswith(("http:", "https:")):
        author = first(said, "author", of=_ARTICLES) or _marked(root, "author")
    dates = (
        named(*_PUBLISHED),
        first(said, "datePublished", of=_ARTICLES),
        _marked(root, "datePublished"),
        _time(root),
    )
    return PageInfo(
        description=clean_line(
            named("description", "og:description", "twitter:description") or first(said, "description", of=_ARTICLES),
            limit=1000,
        ),
        author=clean_line(author, limit=200),
        published=next((date for text in dates if (date := iso_date(text))), ""),
        site_name=clean_line(
            named("og:site_name", "application-name") or first(said, "publisher", of=_ARTICLES), limit=200
        ),
        language=_language(root, metas),
        price=clean_line(_price(metas, said), limit=100),
    )


def iso_date(text: str) -> str:
    """The day in a date, as `YYYY-MM-DD`; empty when none can be read."""
    found = _DATE.search(text) or _COMPACT_DATE.search(text.strip())
    if not found or not (1 <= int(found[2]) <= 12 and 1 <= int(found[3]) <= 31):
        return ""
    return "-".join(found.groups())


def _metas(root: Element) -> dict[str, str]:
    """The page's meta fields by lower-case name, the first of each."""
    metas: dict[str, str] = {}
    for el, _ in zip(root.iter("meta"), range(_MAX_METAS), strict=False):
        name = (
            (attr(el, "property") or attr(el, "name") or attr(el, "itemprop") or attr(el, "http-equiv")).strip().lower()
        )
        if name and attr(el, "content").strip():
            metas.setdefault(name, attr(el, "content")[:4000].strip())
    return metas


def _marked(root: Element, prop: str) -> str:
    """What a microdata field or a link relation in the body says."""
    for el in root.iter("*"):
        if attr(el, "itemprop") == prop or (prop == "author" and el.tag == "a" and attr(el, "rel") == "author"):
            return attr(el, "datetime") or attr(el, "content") or words(el)[:200]
    return ""


def _time(root: Element) -> str:
    """The first machine-readable time within an article."""
    return next((attr(el, "datetime") for top in root.iter("article", "main") for el in top.iter("time")), "")


def _language(root: Element, metas: dict[str, str]) -> str:
    said = (
        attr(root, "lang") or attr(root, "xml:lang") or metas.get("content-language", "") or metas.get("og:locale", "")
    )
    tag = said.strip().replace("_", "-")[:35]
    return tag if re.fullmatch(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*", tag) else ""


def _price(metas: dict[str, str], said: list[Node]) -> str:
    """Price and availability, from JSON-LD or OpenGraph's product fields."""
    if found := price(said):
        return found
    amount = metas.get("product:price:amount") or metas.get("og:price:amount")
    currency = metas.get("product:price:currency") or metas.get("og:price:currency", "")
    stock = metas.get("product:availability") or metas.get("og:availability", "")
    return ", ".join(filter(None, (f"{amount} {currency}".strip(), stock.lower()))) if amount else ""
