"""Small things at the edges of a text that belong to it."""

import pytest

from gossamer.extractors.html.pipeline import read_html
from gossamer.model.page import View

FIRST = (
    "The council met on Monday, and after a long debate it agreed to repair the old bridge before winter comes. " * 3
)
LAST = "Engineers had warned for years that the arches would not carry the heavy lorries of our day much longer. " * 3
TEXT = f"<p>{FIRST}</p><p>{LAST}</p>"


def text_of(html: str) -> str:
    return read_html(f"<title>Bridge</title><body>{html}</body>", url="https://example.org/", view=View()).text


PRICES = ["€129.00", "129,00 €", "$129", "£1,299.00 incl. VAT", "12900元"]


@pytest.mark.parametrize("price", PRICES)
def test_the_price_below_a_headline_stays(price: str) -> None:
    assert price in text_of(f"<main><h1>Drill</h1><p class=price>{price}</p>{TEXT}</main>")


def test_the_price_of_a_cart_in_the_bar_of_a_site_goes() -> None:
    bar = "<header><h1>Shop</h1><p class=cart-total>€77.00</p></header>"
    assert "77.00" not in text_of(f"{bar}<main><h2>Drill</h2>{TEXT}</main>")


@pytest.mark.parametrize("around", ["main", "article", "div"])
def test_the_last_picture_of_an_article_keeps_its_caption(around: str) -> None:
    figure = "<figure><img src=/b.png><figcaption>The bridge at dusk</figcaption></figure>"
    text = text_of(f"<{around}><h1>Bridge</h1>{TEXT}{figure}</{around}><footer>Imprint</footer>")
    assert "The bridge at dusk" in text
    assert "Imprint" not in text


def test_a_caption_that_leads_elsewhere_goes() -> None:
    figure = "<figure><img src=/b.png><figcaption><a href=/c>Ten more bridges</a></figcaption></figure>"
    assert "Ten more" not in text_of(f"<main><h1>Bridge</h1>{TEXT}<aside>{figure}</aside></main>")


NOTES = {
    "in a list": "<ol><li id=n1>Masons kept accounts. <a href=#r1>Back</a></li></ol>",
    "in a paragraph of a list": "<ol><li id=n1><p>Masons kept accounts.</p></li></ol>",
    "in a part of its own": "<section class=footnotes><hr><p id=n1>Masons kept accounts.</p></section>",
    "in a line": "<p id=n1><sup>1</sup> Masons kept accounts.</p>",
}


@pytest.mark.parametrize("mark", ["1", "[1]", "*"])
@pytest.mark.parametrize("note", NOTES.values(), ids=NOTES)
def test_a_note_that_the_text_leads_to_stays(note: str, mark: str) -> None:
    link = f"<sup><a id=r1 href=#n1>{mark}</a></sup>"
    text = text_of(f"<article><h1>Bridge</h1><p>{FIRST}{link}</p><p>{LAST}</p>{note}</article><footer>Imprint</footer>")
    assert "Masons kept accounts." in text


ASIDES = {
    "an offer below a picture": "<figure><img src=/m.png><figcaption>Subscribe to Oldtown</figcaption></figure>",
    "rights": "<div class=bottom><p class=footnote>Copyright Oldtown Press. All rights reserved.</p></div>",
    "in a form": "<form class=signup><p>Name</p><p class=footnote>Oldtown keeps what you write here.</p></form>",
}


@pytest.mark.parametrize("part", ASIDES.values(), ids=ASIDES)
def test_what_only_looks_like_a_note_or_a_caption_is_left_to_the_judge(part: str) -> None:
    assert "Oldtown" not in text_of(f"<article><h1>Bridge</h1>{TEXT}</article>{part}")


@pytest.mark.parametrize("part", ["<ol class=footnotes><li>{}</li></ol>", "<div role=doc-endnotes><p>{}</p></div>"])
def test_a_note_that_is_called_one_stays(part: str) -> None:
    note = part.format("Masons kept accounts.")
    assert "Masons kept accounts." in text_of(f"<article><h1>Bridge</h1>{TEXT}{note}</article>")
