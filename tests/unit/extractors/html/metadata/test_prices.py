"""A product's price stands in the text, also where only a script would have written it there."""

import json

import pytest

from gossamer.extractors.html.metadata.prices import with_price
from gossamer.extractors.html.pipeline import read_html
from gossamer.model.page import Format, View

_ABOUT = "The brass lamp burns whale oil or paraffin, and its wick is turned by a small wheel at the side of the case."


def page(inside: str) -> str:
    offer = {"@type": "Offer", "price": "1299.00", "priceCurrency": "EUR", "availability": "https://schema.org/InStock"}
    said = json.dumps({"@context": "https://schema.org", "@type": "Product", "name": "Brass lamp", "offers": offer})
    return (
        f"<!DOCTYPE html><title>Brass lamp</title><script type='application/ld+json'>{said}</script>"
        f"<main><h1>Brass lamp</h1>{inside}<p>{_ABOUT}</p><p>{_ABOUT} It weighs three kilograms.</p></main>"
    )


def text_of(inside: str, view: View | None = None) -> str:
    return read_html(page(inside), url="https://lamps.example/brass", view=view or View()).text


def test_a_price_that_the_text_lacks_stands_below_its_headline() -> None:
    assert text_of("").startswith(f"# Brass lamp\n\nPrice: 1299.00 EUR, in stock\n\n{_ABOUT}")


@pytest.mark.parametrize("said", ["€ 1.299,00", "1,299 EUR", "1 299,0 €", "1299", "$1299.00"])
def test_a_price_that_the_text_has_is_not_said_twice(said: str) -> None:
    assert "Price: " not in text_of(f"<p>{said}</p>")


def test_another_price_is_another_one() -> None:
    assert "Price: 1299.00 EUR" in text_of("<p>was 1.499,00 €</p>")


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_both_forms_of_text_have_it(form: Format) -> None:
    assert "Price: 1299.00 EUR, in stock" in text_of("", View(format=form))


def test_who_asks_for_a_part_or_for_markup_gets_no_more() -> None:
    assert "Price: " not in text_of("", View(selector="main"))
    assert "Price: " not in text_of("", View(format="html"))


PLACES = {
    "below the headline": ("# Lamp\n\nText.", "# Lamp\n\nPrice: 5 EUR\n\nText."),
    "above text without one": ("Text.\n\nMore.", "Price: 5 EUR\n\nText.\n\nMore."),
    "above a lone headline": ("# Lamp", "Price: 5 EUR\n\n# Lamp"),
    "nowhere, since it is said": ("# Lamp\n\nOnly 5,00!", "# Lamp\n\nOnly 5,00!"),
}


@pytest.mark.parametrize(("content", "expected"), PLACES.values(), ids=PLACES)
def test_where_a_price_goes(content: str, expected: str) -> None:
    assert with_price(content, "5 EUR") == expected
