"""Price and availability of what a page offers, as one phrase.

Nobody sees these fields on the page, so of a price nothing is repeated that could be a sentence: numbers and known
words alone.
"""

import re
from collections.abc import Iterable, Iterator
from typing import cast

from gossamer.extractors.html.metadata.structured_data import Node, text, values

_MAX_OFFERS, _LEVELS = 50, 1
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


def offered(entity: Node) -> str:
    """What an entity costs, and whether it is there: from its offers, those of its variants, or its own price."""
    phrases = (_offer(offer) for offer in (*_offers(entity), *_variants(entity), entity))
    return next(filter(None, phrases), "")


def _offers(entity: Node, *, levels: int = _LEVELS) -> Iterator[Node]:
    for offer in values(entity, "offers")[:_MAX_OFFERS]:
        if isinstance(offer, dict):
            node = cast("Node", offer)
            yield node
            if levels:
                yield from _offers(node, levels=levels - 1)


def _variants(entity: Node) -> Iterable[Node]:
    variants = (cast("Node", value) for value in values(entity, "hasVariant")[:_MAX_OFFERS] if isinstance(value, dict))
    return (offer for variant in variants for offer in _offers(variant))


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
    first = next(iter(values(node, "priceSpecification")), None)
    return text(cast("Node", first), key) if isinstance(first, dict) else ""


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
