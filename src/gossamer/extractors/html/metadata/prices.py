"""Price and availability of a product from structured data: numbers and known words alone.

Nobody sees these fields on the page, so nothing in them is repeated that could be a sentence.
"""

import re
from typing import cast

from gossamer.extractors.html.metadata.json_ld import Node, kinds, text

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
