import json
from typing import Any

import pytest

from gossamer.extractors.html.metadata.main_entity import Described, describe
from gossamer.extractors.html.metadata.marked_items import MarkedItems
from gossamer.extractors.html.metadata.structured_data import kinds, nodes, text
from gossamer.extractors.html.tree import parse

URL = "https://www.harbour.example/lamps/"


def described(*said: object, more: str = "", names: tuple[str, ...] = ("Brass lamp",)) -> Described:
    scripts = "".join(f'<script type="application/ld+json">{json.dumps(each)}</script>' for each in said)
    root = parse(f"{scripts}<p>x</p>{more}")
    assert root is not None
    return describe(nodes(root), MarkedItems(root).read(root, URL), names=names, heads=names, addresses=(URL, ""))


def main(*said: object, more: str = "") -> str:
    found = described(*said, more=more).main
    return f"{' '.join(sorted(kinds(found)))}: {text(found, 'name') or text(found, 'headline')}" if found else ""


def a(kind: str, name: str = "", **fields: Any) -> dict[str, Any]:
    return {"@type": kind, **({"name": name} if name else {}), **fields}


SITE = [a("WebSite", "Harbour"), a("BreadcrumbList"), a("Organization", "Harbour Ltd"), a("ImageObject")]
MAINS: dict[str, tuple[list[Any], str]] = {
    "the only thing": ([a("Movie", "Dune")], "Movie: Dune"),
    "the thing among the site's building": ([*SITE, a("Recipe", "Soup")], "Recipe: Soup"),
    "a member of a graph": ([{"@graph": [*SITE, a("Book", "Lamps")]}], "Book: Lamps"),
    "what the page calls so": ([a("ItemPage", mainEntity=a("Product", "Lamp")), a("Article", "x")], "Product: Lamp"),
    "what the page calls so by its id": (
        [a("WebPage", mainEntity={"@id": "#p"}), a("Article", "x"), {"@id": "#p", **a("Product", "Lamp")}],
        "Product: Lamp",
    ),
    "the question of a page of questions": ([a("QAPage", mainEntity=a("Question", "Why?"))], "Question: Why?"),
    "all questions of another": (
        [a("FAQPage", "Asked", mainEntity=[a("Question", "1"), a("Question", "2")])],
        "FAQPage: Asked",
    ),
    "who a profile is of": ([a("ProfilePage", mainEntity=a("Person", "Ada"))], "Person: Ada"),
    "what has the page's name": ([a("Article", "Lamps"), a("Product", "BRASS-LAMP")], "Product: BRASS-LAMP"),
    "what has the page's address": (
        [a("Event", "One"), a("Event", "Two", url="http://harbour.example/lamps#x")],
        "Event: Two",
    ),
    "what has the page's address as an object": (
        [a("Event", "One"), a("Event", "Two", mainEntityOfPage={"@id": URL})],
        "Event: Two",
    ),
    "what is nobody's main entity": ([a("Event", "One"), a("Event", "Two", mainEntityOfPage=True)], "Event: Two"),
    "the text before the film in it": ([a("VideoObject", "Film"), a("Article", "Text")], "Article: Text"),
    "the same thing told twice": ([a("Product", "One"), a("Product", "One", sku="1")], "Product: One"),
    "the product before the questions about it": ([a("FAQPage", "x"), a("Product", "Lamp")], "Product: Lamp"),
    "several alike": ([a("Product", "One"), a("Product", "Two")], ""),
    "several called the main one": ([a("WebPage", mainEntity=[a("Product", "1"), a("Product", "2")])], ""),
    "a business": ([a("WebSite", "x"), a("LocalBusiness", "Kiosk")], "LocalBusiness: Kiosk"),
    "not who publishes": ([a("WebSite", "x"), a("Organization", "Harbour Ltd")], ""),
    "who publishes, by name": ([a("Person", "x"), a("Organization", "Brass Lamp")], "Organization: Brass Lamp"),
    "who publishes, within a heading": ([a("Person", "x"), a("Organization", "Brass")], "Organization: Brass"),
    "who publishes, by address": ([a("Person", "x"), a("Organization", "y", url=URL)], "Organization: y"),
    "a short name may stand there by chance": ([a("Organization", "Bra")], ""),
    "what has no type": ([{"name": "Brass lamp"}], ""),
    "no review within a product": ([a("Product", "Lamp", review=a("Review", "Good"))], "Product: Lamp"),
    "the building alone": ([a("WebSite", "x"), a("BreadcrumbList")], ""),
    "nothing": ([], ""),
}


@pytest.mark.parametrize(("said", "expected"), MAINS.values(), ids=MAINS)
def test_what_a_page_is_about(said: list[Any], expected: str) -> None:
    assert main(*said) == expected
    assert main(said) == expected


def test_what_is_marked_in_the_text_counts_where_json_ld_is_silent() -> None:
    marked = '<div itemscope itemtype="https://schema.org/Product"><b itemprop=name>Lamp</b></div>'
    assert main(a("WebSite", "x"), more=marked) == "Product: Lamp"
    assert main(a("Movie", "Dune"), more=marked) == "Movie: Dune"


def test_of_one_thing_told_twice_the_fuller_telling_counts() -> None:
    twice = [a("Product", "One"), a("Product", "ONE", sku="1"), a("Product", "One")]
    assert described(*twice).first("sku") == "1"


def test_references_are_followed_also_round_in_circles() -> None:
    person = {"@id": "#ada", **a("Person", "Ada"), "knows": {"@id": "#ada"}}
    graph = [
        a("Article", "Lamps", author={"@id": "#ada"}, publisher={"@id": "#gone"}),
        person,
        {"@id": "#ada", "@type": "x"},
    ]
    found = described({"@graph": graph})
    assert found.main
    assert text(found.main, "author") == "Ada"
    assert found.main["publisher"] == {"@id": "#gone"}
    assert found.first("author") == "Ada"
    assert found.first("editor") == ""


def test_circles_of_many_references_come_to_an_end() -> None:
    everybody = [{"@id": f"#{n}"} for n in range(60)]
    graph = [{**a("Person", str(n)), "@id": f"#{n}", "knows": everybody} for n in range(60)]
    assert described(a("Article", "Lamps", author=everybody), graph).main


def test_only_what_is_written_has_a_byline() -> None:
    assert described(a("Movie", "Dune")).is_unwritten
    assert not described(a("Article", "Lamps")).is_unwritten
    assert not described(a(["Product", "Article"], "Lamps")).is_unwritten  # pyright: ignore[reportArgumentType]
    assert not described().is_unwritten


def test_the_page_speaks_beside_its_main_entity_and_articles_where_there_is_none() -> None:
    page, review = a("WebPage", description="A page"), a("Review", "r", description="A review")
    assert described(a("Product", "Lamp"), page, review).first("description") == "A page"
    assert described(a("Article", "1", description="One"), a("Article", "2")).first("description") == "One"


def test_the_main_entity_comes_first_and_the_building_last() -> None:
    found = described(*SITE, a("Article", "Lamps"), a("WebPage", "p", mainEntity=a("Movie", "Dune")))
    order = [min(kinds(item)) for item in found.items]
    assert order == ["Movie", "Article", "WebPage", "Organization", "WebSite", "BreadcrumbList", "ImageObject"]
