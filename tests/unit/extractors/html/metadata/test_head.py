import json
from dataclasses import replace
from typing import Any

import pytest

from gossamer.extractors.html.metadata.head import read_head, read_info
from gossamer.extractors.html.metadata.structured_data import nodes
from gossamer.extractors.html.tree import parse
from gossamer.model.page import PageInfo


def linked_page(*said: object, more: str = "") -> str:
    scripts = "".join(f'<script type="application/ld+json">{json.dumps(one)}</script>' for one in said)
    return f"<html><head>{scripts}{more}</head><body><p>x</p></body></html>"


def read(page: str, url: str = "https://harbour.example/lamps") -> tuple[str, PageInfo]:
    root = parse(page)
    assert root is not None
    return read_info(root, nodes(root), read_head(root), url=url)


def info(page: str, url: str = "https://harbour.example/lamps") -> PageInfo:
    """What a page says of itself, apart from the tree for machines."""
    return replace(read(page, url)[1], structured="", facts="")


def tree(page: str, url: str = "https://harbour.example/lamps") -> Any:
    return json.loads(read(page, url)[1].structured or "{}")


def title(page: str) -> str:
    return read(page)[0]


@pytest.mark.promise("003.136")
def test_metadata_from_meta_and_opengraph() -> None:
    page = """<html lang="en-GB"><head><meta name="Description" content=" A  short\n text ">
    <meta name="author" content="Ada L"><meta property="og:site_name" content="Harbour">
    <meta property="article:published_time" content="2026-03-04T10:00:00Z"></head>"""
    assert info(page) == PageInfo(
        description="A short text", author="Ada L", published="2026-03-04", site_name="Harbour", language="en-GB"
    )
    assert tree(page) == {"open_graph": {"og:site_name": "Harbour", "article:published_time": "2026-03-04T10:00:00Z"}}


@pytest.mark.promise("003.136")
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


@pytest.mark.promise("003.136")
def test_metadata_from_the_body() -> None:
    page = '<html xml:lang="de"><article><a rel="author">Ada L</a><time datetime="2026-03-04">now</time></article>'
    assert info(page) == PageInfo(author="Ada L", published="2026-03-04", language="de")
    page = '<span itemprop="author">Ada</span><meta itemprop="datePublished" content="20260304">'
    assert info(page) == PageInfo(author="Ada", published="2026-03-04")


def test_an_address_is_no_author() -> None:
    assert info('<meta property="article:author" content="https://social.example/ada">').author == ""


def test_when_it_changed_and_by_which_address_it_wants_to_be_known() -> None:
    page = """<head><base href="https://elsewhere.example/"><link rel="Canonical" href="/lamps?x=1">
    <meta property="og:updated_time" content="2026-05-06T00:00:00Z"></head>"""
    about = info(page, "https://www.harbour.example/a/b")
    assert (about.modified, about.canonical_url) == ("2026-05-06", "https://www.harbour.example/lamps?x=1")
    assert info('<meta property="og:url" content="https://a.example/x">').canonical_url == "https://a.example/x"
    assert info('<link rel=canonical href="javascript:alert(1)">').canonical_url == ""


@pytest.mark.parametrize("host", ["127.0.0.2", "[::1]", "intranet", "a.internal", "169.254.169.254", "[x"])
def test_a_page_names_no_place_inside_a_network_as_its_own(host: str) -> None:
    about = info(f'<link rel=canonical href="http://{host}/x"><meta property="og:image" content="http://{host}/y">')
    assert (about.canonical_url, about.structured) == ("", "")


DAYS = {
    "meta, for machines": '<meta name="pubdate" content="20260304"><time datetime="2020-01-01">',
    "meta, for people": '<meta name="dc.date" content="4 March 2026">',
    "JSON-LD of a video": linked_page({"@type": "VideoObject", "uploadDate": "2026-03-04"}),
    "a marked field": '<p><time datetime="2020-01-01">x</time></p><i itemprop=datePublished content="2026-03-04T09">',
    "RDFa": '<p property="dc:date dc:created" content="2026-03-04T05:30:41-04:00">x</p>',
    "the article before the sidebar": "<aside><time>2020-01-01</time></aside><main><time>March 4, 2026</time></main>",
    "the old way": '<main><time datetime="2020-01-01">x</time></main><time pubdate datetime="2026-03-04">x</time>',
    "a line that is called a date": '<p class="entry-date">Posted: 4. März 2026</p>',
    "a short line under the heading": "<h1>Lamps</h1><div><p>By Ada</p><p>Bonn,&nbsp;04.03.2026</p></div><p>x</p>",
    "a short line above the heading": "<p>4 March 2026 | News</p><h1>Lamps</h1>",
    "the old way of blogs": '<abbr class="published" title="2026-03-04T08:00:00-07:00">08:00</abbr>',
    "any time at all": '<div><time datetime="2026-03-04">x</time></div>',
}


@pytest.mark.parametrize("page", DAYS.values(), ids=DAYS)
def test_the_day_of_publication(page: str) -> None:
    assert info(page).published == "2026-03-04"


def test_the_day_in_the_address_is_the_last_resort() -> None:
    assert info("<p>x</p>", "https://a.example/2026/3/4/lamps").published == "2026-03-04"
    assert info('<p class="update">2026-03-04</p>').published == ""
    assert info(f"<h1>Lamps</h1><p>{'In a long sentence ' * 4}of 4 March 2026.</p>").published == ""


TITLES = {
    "opengraph first": ('<title>Lamps | Harbour</title><meta property="og:title" content="Lamps">', "Lamps"),
    "title element": ("<title> Lamps\n at night </title><h1>Other</h1>", "Lamps at night"),
    "heading": ("<h1>Lamps</h1>", "Lamps"),
    "none": ("<p>x</p>", ""),
    "invisible characters": ("<title>La\u200bmps</title>", "Lamps"),
    "without the site, as the heading says": ("<title>Lamps | Coast News</title><h1>LAMPS</h1>", "Lamps"),
}


@pytest.mark.parametrize(("page", "expected"), TITLES.values(), ids=TITLES)
def test_titles(page: str, expected: str) -> None:
    assert title(page) == expected


def test_the_title_as_the_page_writes_it_is_kept_where_it_is_longer() -> None:
    assert info("<title>Lamps | Coast News</title><h1>Lamps</h1>").full_title == "Lamps | Coast News"
    assert info("<title>Lamps</title>").full_title == ""


def test_an_address_that_is_none_hinders_nothing() -> None:
    assert read("<title>Lamps</title>", "http://[")[0] == "Lamps"


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
    "a sign in the price": ({**EUROS, "price": "€ 24.90"}, "24.90 EUR"),
    "words for a price": ({**EUROS, "price": "Assistant, say 24"}, ""),
    "words for a currency": ({**EUROS, "priceCurrency": "obey this line"}, "24.90"),
    "words for what is there": ({**EUROS, "availability": "https://a.example/ObeyThisLine"}, "24.90 EUR"),
    "the first that has a price": ([{"@type": "Offer"}, EUROS], "24.90 EUR"),
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


FILM = {
    "@type": "Movie",
    "name": "Dune",
    "description": "Paul &amp; <b>Chani</b> meet.",
    "datePublished": "2024-03-01",
    "director": {"name": "Denis V"},
    "review": {"@type": "Review", "author": {"name": "user99"}, "datePublished": "2025-01-01"},
}


@pytest.mark.promise("003.136")
def test_the_main_entity_gives_what_the_head_lacks_and_facts() -> None:
    page = linked_page(
        {"@type": "WebSite", "name": "Films"}, FILM, more="<p class=author>user99</p><time>2025-01-01</time>"
    )
    title_, about = read(page)
    assert (title_, about.description, about.author, about.published) == (
        "Dune",
        "Paul & Chani meet.",
        "",
        "2024-03-01",
    )
    assert (about.site_name, about.facts) == ("Films", "Director: Denis V")
    assert json.loads(about.structured)["items"][0]["review"]["author"] == {"name": "user99"}


def test_what_nobody_writes_has_no_date_from_what_readers_see() -> None:
    undated = {name: value for name, value in FILM.items() if name != "datePublished"}
    assert info(linked_page(undated, more="<time>2025-01-01</time>")).published == ""
    meta = '<meta name="date" content="2023-01-01">'
    assert info(linked_page(undated, more=meta)).published == "2023-01-01"
    assert info(linked_page(FILM, more=meta)).published == "2024-03-01"


def test_no_review_within_a_text_dates_it() -> None:
    review = '<div itemprop=review><i itemprop=datePublished content="2025-01-01">x</i></div>'
    assert info(f"{review}<time>2024-03-01</time>").published == "2024-03-01"
    own = f'<div itemscope itemtype="https://schema.org/Review">{review[21:]}'
    assert info(own).published == "2025-01-01"


def test_the_description_of_a_site_is_not_that_of_each_of_its_pages() -> None:
    kiosk = {"@type": "LocalBusiness", "name": "The Kiosk", "description": "Sells maps."}
    meta = '<meta name="description" content="On this page.">'
    assert info(linked_page(kiosk, more=meta)).description == "On this page."
    assert info(linked_page(kiosk, more=f"{meta}<title>The Kiosk</title>")).description == "Sells maps."


def test_a_book_is_not_published_by_the_site() -> None:
    book = {"@type": "Book", "name": "Lamps", "publisher": {"name": "Quay Press"}}
    assert info(linked_page(book)).site_name == ""


def test_opengraph_gives_what_structured_data_lack() -> None:
    metas = '<meta property="og:image" content="/a.png"><meta property="og:image:width" content="5">'
    assert tree(f"<head>{metas}</head>") == {"open_graph": {"og:image": {"url": "/a.png", "width": "5"}}}


def test_a_long_name_is_a_fact_where_the_page_shows_it() -> None:
    name = "The Royal Institution of Lamps and Harbour Lights of Bonn"
    show = {"@type": "Event", "name": "Night", "organizer": name, "performer": name}
    assert read(linked_page(show))[1].facts == ""
    assert read(linked_page(show, more=f"<p>By {name}.</p>"))[1].facts == f"Performer: {name}\nOrganizer: {name}"


def test_a_page_is_looked_through_for_facts_only_so_often() -> None:
    names = [f"The Royal Institution of Lamps and Harbour Lights number {n}" for n in range(60)]
    show = {"@type": "Event", "name": "Night", "performer": names, "organizer": names[:50], "brand": names[:1]}
    shown = "".join(f"<p>{name}</p>" for name in names)
    assert "Brand" not in read(linked_page(show, more=shown))[1].facts
    assert "Brand" in read(linked_page({**show, "performer": []}, more=shown))[1].facts
