import json

import pytest

from gossamer.extractors.linked import nodes, price
from gossamer.extractors.meta import iso_date, read_info, read_title
from gossamer.extractors.tree import parse
from gossamer.model.page import PageInfo


def linked_page(*said: object, more: str = "") -> str:
    scripts = "".join(f'<script type="application/ld+json">{json.dumps(one)}</script>' for one in said)
    return f"<html><head>{scripts}{more}</head><body><p>x</p></body></html>"


def info(page: str) -> PageInfo:
    root = parse(page)
    assert root is not None
    return read_info(root, nodes(root))


def title(page: str) -> str:
    root = parse(page)
    assert root is not None
    return read_title(root, nodes(root))


def test_metadata_from_meta_and_opengraph() -> None:
    page = """<html lang="en-GB"><head><meta name="Description" content=" A  short\n text ">
    <meta name="author" content="Ada L"><meta property="og:site_name" content="Harbour">
    <meta property="article:published_time" content="2026-03-04T10:00:00Z"></head>"""
    assert info(page) == PageInfo(
        description="A short text", author="Ada L", published="2026-03-04", site_name="Harbour", language="en-GB"
    )


def test_metadata_from_json_ld() -> None:
    said = {
        "@context": "https://schema.org",
        "@graph": [
            {
                "@type": ["NewsArticle"],
                "headline": "Lamps",
                "author": [{"@type": "Person", "name": "Ada L"}],
                "datePublished": "2026-03-04",
                "description": "On lamps",
                "publisher": {"name": "Harbour"},
            }
        ],
    }
    assert info(linked_page(said)) == PageInfo(
        description="On lamps", author="Ada L", published="2026-03-04", site_name="Harbour"
    )
    assert title(linked_page(said)) == "Lamps"


def test_metadata_from_the_body() -> None:
    page = '<html xml:lang="de"><article><a rel="author">Ada L</a><time datetime="2026-03-04">now</time></article>'
    assert info(page) == PageInfo(author="Ada L", published="2026-03-04", language="de")
    page = '<span itemprop="author">Ada</span><meta itemprop="datePublished" content="20260304">'
    assert info(page) == PageInfo(author="Ada", published="2026-03-04")


def test_an_address_is_no_author() -> None:
    assert info('<meta property="article:author" content="https://social.example/ada">').author == ""


TITLES = {
    "opengraph first": ('<title>Lamps | Harbour</title><meta property="og:title" content="Lamps">', "Lamps"),
    "title element": ("<title> Lamps\n at night </title><h1>Other</h1>", "Lamps at night"),
    "heading": ("<h1>Lamps</h1>", "Lamps"),
    "none": ("<p>x</p>", ""),
    "invisible characters": ("<title>La\u200bmps</title>", "Lamps"),
}


@pytest.mark.parametrize(("page", "expected"), TITLES.values(), ids=TITLES)
def test_titles(page: str, expected: str) -> None:
    assert title(page) == expected


DATES = {
    "iso": ("2026-03-04T10:00", "2026-03-04"),
    "compact": ("20260304120000", ""),
    "compact day": ("20260304", "2026-03-04"),
    "slashes": ("2026/03/04", "2026-03-04"),
    "no month": ("2026-13-04", ""),
    "words": ("yesterday", ""),
}


@pytest.mark.parametrize(("text", "expected"), DATES.values(), ids=DATES)
def test_dates(text: str, expected: str) -> None:
    assert iso_date(text) == expected


EUROS = {"@type": "Offer", "price": "24.90", "priceCurrency": "EUR"}
PRICES: dict[str, tuple[object, str]] = {
    "offer": ({**EUROS, "availability": "https://schema.org/InStock"}, "24.90 EUR, in stock"),
    "number": ([{"@type": "Offer", "price": 24.9, "priceCurrency": "€"}], "24.9 EUR"),
    "range": ({"@type": "AggregateOffer", "lowPrice": "5", "priceCurrency": "USD"}, "from 5 USD"),
    "specification": (
        {"@type": "Offer", "priceSpecification": [{"price": 7, "priceCurrency": "GBP"}], "availability": "OutOfStock"},
        "7 GBP, out of stock",
    ),
    "offer without a price": ({"@type": "Offer"}, ""),
}


@pytest.mark.parametrize(("said", "expected"), PRICES.values(), ids=PRICES)
def test_price_and_availability_are_one_phrase(said: object, expected: str) -> None:
    assert info(linked_page({"@type": "Product", "name": "Lamp", "offers": said})).price == expected


def test_an_offer_of_no_product_has_no_price() -> None:
    assert info(linked_page(EUROS)).price == ""


def test_a_price_from_opengraph() -> None:
    page = """<meta property="product:price:amount" content="24.90"><meta property="product:price:currency"
    content="EUR"><meta property="product:availability" content="In stock">"""
    assert info(page).price == "24.90 EUR, in stock"


BROKEN = {
    "no JSON": "{'a': 1",
    "deep": "[" * 50_000,
    "too long": json.dumps({"@type": "Product", "x": "y" * 250_000}),
    "odd types": json.dumps(
        [None, 3, {"@type": [1, None], "author": [], "offers": {"@type": "Offer", "price": {"@value": []}}}]
    ),
    "booleans": json.dumps({"@type": "Article", "author": True}),
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_broken_json_ld_is_passed_over(text: str) -> None:
    root = parse(f'<script type="application/ld+json; charset=utf-8">{text}</script><p>x</p>')
    assert root is not None
    assert price(nodes(root)) == ""


def test_json_ld_is_bounded() -> None:
    root = parse(linked_page([{"@type": "Thing"}] * 5_000, *([{"a": 1}] * 50)))
    assert root is not None
    assert len(nodes(root)) == 2_000
