"""Structured data (JSON-LD): the nodes of a page, and from them the price and availability of a product.

Nobody sees these fields on the page, so of a price nothing is repeated that could be a sentence: numbers and known
words alone.
"""

import json
import re
from collections.abc import Iterator
from typing import cast

from gossamer.extractors.html.tree import Element, attr
from gossamer.extractors.invisible_characters import clean_line

MAX_SCRIPTS = 20
MAX_CHARS = 200_000
MAX_NODES = 2_000
_DIGEST_NODES, _DIGEST_FIELDS, _DIGEST_LINE, _DIGEST_CHARS = 4, 20, 200, 2_000
_STRUCTURE = frozenset(
    {"", "BreadcrumbList", "ListItem", "WebSite", "SearchAction", "ImageObject", "ReadAction", "SiteNavigationElement"}
)
"""What describes the site's building and not the page."""

Node = dict[str, object]
_PRODUCTS = frozenset(
    {"Product", "ProductGroup", "ProductModel", "IndividualProduct", "SomeProducts", "Vehicle", "Car"}
)
_OFFERS = frozenset({"Offer", "AggregateOffer"})
_CURRENCIES = {"€": "EUR", "$": "USD", "£": "GBP", "¥": "JPY"}
_AMOUNT = re.compile(r"\d[\d.,'’\s]{0,20}")
_SIGNED = re.compile(r"[A-Z]{0,3}[^\w\s<>\[\]()]{0,2}\s?(\d[\d.,'’\s]{0,20}?)\s?[^\w\s<>\[\]()]{0,2}")
_CURRENCY = re.compile(r"[A-Za-z]{3}|[^\w\s<>\[\]()]{1,3}")
_STOCKS = {
    name.replace(" ", ""): name
    for name in (
        "back order",
        "discontinued",
        "in stock",
        "in store only",
        "limited availability",
        "made to order",
        "online only",
        "out of stock",
        "pre order",
        "pre sale",
        "reserved",
        "sold out",
        "available for order",
    )
}
_NUMBER = re.compile(r"\d(?:[\d.,'’]|\s(?=\d)){0,30}")
_CENTS = re.compile(r"[.,](\d\d?)$")


def nodes(root: Element) -> list[Node]:
    """All objects in the page's JSON-LD, outer ones first; what does not parse is passed over."""
    collected: list[Node] = []
    scripts = (
        el for el in root.iter("script") if attr(el, "type").partition(";")[0].strip().lower() == "application/ld+json"
    )
    for script, _ in zip(scripts, range(MAX_SCRIPTS), strict=False):
        text = script.text or ""
        if len(text) > MAX_CHARS:
            continue
        try:
            parsed = json.loads(text, strict=False)
        except (ValueError, RecursionError):
            continue
        for node in _walk(parsed):
            if len(collected) >= MAX_NODES:
                return collected
            collected.append(node)
    return collected


def _walk(tree: object) -> Iterator[Node]:
    """Objects inside a value, breadth first."""
    queue = [tree]
    for value in queue:
        if isinstance(value, dict):
            node = cast("Node", value)
            yield node
            queue.extend(node.values())
        elif isinstance(value, list):
            queue.extend(cast("list[object]", value))


def kinds(node: Node) -> set[str]:
    """The types of an object, without their vocabulary."""
    types = node.get("@type", "")
    names = cast("list[object]", types) if isinstance(types, list) else [types]
    return {name.rpartition("/")[2] for name in names if isinstance(name, str)}


def values(node: Node, key: str) -> list[object]:
    """All values of a field, one or a list."""
    value = node.get(key)
    return cast("list[object]", value) if isinstance(value, list) else [value]


def text(node: Node, key: str) -> str:
    """A field as text: itself, the name of an object, or the first of a list."""
    return named(node.get(key))


def named(value: object) -> str:
    """A value as text: itself, the name of an object, or the first of a list."""
    for _ in range(3):
        if isinstance(value, list):
            items = cast("list[object]", value)
            value = items[0] if items else None
        elif isinstance(value, dict):
            named = cast("Node", value)
            value = named.get("name") or named.get("@value")
    if isinstance(value, bool):
        return str(value).lower()
    return str(value).strip() if isinstance(value, (str, int, float)) else ""


def first(structured: list[Node], key: str, *, of: frozenset[str] = frozenset()) -> str:
    """The first text under `key`, of the given types if any are given."""
    return next((value for node in structured if (not of or of & kinds(node)) and (value := text(node, key))), "")


def digest(structured: list[Node]) -> str:
    """The plain fields of the first objects that have a type, as a small JSON list; empty where there are none."""
    digests: list[dict[str, str]] = []
    left = _DIGEST_CHARS
    for node in structured:
        if len(digests) == _DIGEST_NODES or not kinds(node) - _STRUCTURE:
            continue
        small: dict[str, str] = {}
        for name, line in _plain_fields(node):
            left -= len(name) + len(line)
            if left >= 0:
                small[name] = line
        if len(small) > 1:
            digests.append(small)
    return json.dumps(digests, ensure_ascii=False, separators=(",", ":")) if digests else ""


def _plain_fields(node: Node) -> Iterator[tuple[str, str]]:
    for name, _ in zip(node, range(_DIGEST_FIELDS), strict=False):
        if name != "@context" and (line := clean_line(text(node, name), limit=_DIGEST_LINE)):
            yield clean_line(name, limit=60), line


def read_price(structured: list[Node]) -> str:
    """Price and availability of the product that JSON-LD speaks of, as one phrase."""
    if not any(_PRODUCTS & kinds(node) for node in structured):
        return ""
    phrases = (_offer(node) for node in structured if _OFFERS & kinds(node))
    return next(filter(None, phrases), "")


def _offer(node: Node) -> str:
    amount = text(node, "price") or _specified(node, "price")
    least = "" if amount else text(node, "lowPrice")
    currency = text(node, "priceCurrency") or _specified(node, "priceCurrency")
    return price_phrase(amount or least, currency, text(node, "availability"), is_least=bool(least))


def price_phrase(amount: str, currency: str, stock: str, *, is_least: bool = False) -> str:
    """`from 24.90 EUR, in stock`; empty without a price that is a number."""
    match, currency = _SIGNED.fullmatch(amount.strip()), currency.strip()
    if match is None:
        return ""
    known = _CURRENCIES.get(currency, currency) if _CURRENCY.fullmatch(currency) else ""
    word = _STOCKS.get(re.sub(r"[^a-z]", "", stock[:200].rpartition("/")[2].lower()), "")
    sum_ = f"{'from ' if is_least else ''}{match[1]} {known}".strip()
    return f"{sum_}, {word}" if word else sum_


def _specified(node: Node, key: str) -> str:
    """A field of an offer's price specification."""
    specification = node.get("priceSpecification")
    first_said = (
        next(iter(cast("list[object]", specification)), None) if isinstance(specification, list) else specification
    )
    return text(cast("Node", first_said), key) if isinstance(first_said, dict) else ""


def with_price(content: str, price: str) -> str:
    """Content that says its price: below its headline where it lacks it, as scripts would have put it there."""
    amount = _AMOUNT.search(price)
    if amount is None or _value(amount[0]) in {_value(number) for number in _NUMBER.findall(content)}:
        return content
    line = f"Price: {price}"
    head, end, rest = content.partition("\n\n")
    return f"{head}{end}{line}\n\n{rest}" if head.startswith("# ") and end else f"{line}\n\n{content}"


def _value(number: str) -> tuple[str, str]:
    """A number however it is written: `1,299.00`, `1.299` and `1 299,0` are one."""
    bare = number.strip(" .,'’\n\t")
    cents = _CENTS.search(bare)
    whole = re.sub(r"\D", "", bare[: cents.start()] if cents else bare).lstrip("0")
    return whole, cents[1].ljust(2, "0") if cents else "00"
