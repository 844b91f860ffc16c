import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.extractors.html.metadata.head import read_titles

SITE, HOST = "Coast News", "www.coast.example"
CUT = {
    "the rest is a heading": ("Lamps | Everything else", "Lamps"),
    "in another case and spelling": ("The “lamps” - Everything else", "The “lamps”"),
    "the end is the site's name": ("Oil and wicks – Coast News", "Oil and wicks"),
    "the end is the site's address": ("Oil · coast.example", "Oil"),
    "the end is the site's word": ("Oil | Coast", "Oil"),
    "the end stands in brackets": ("Lamps [Coast Docs]", "Lamps"),
    "the site comes first": ("Coast News | Lamps", "Lamps"),
    "the site comes first and the rest is no heading": ("Coast News | Oil", "Coast News | Oil"),
    "a heading that is the site's banner": ("Oil - The banner", "Oil - The banner"),
    "two bars": ("Lamps | Reviews | Coast News", "Lamps"),
    "a hyphenated word": ("Self-made lamps", "Self-made lamps"),
    "nothing to cut": ("Lamps", "Lamps"),
    "a bar alone": (" | ", "|"),
}


@pytest.mark.parametrize(("full", "headline"), CUT.values(), ids=CUT)
def test_the_site_is_cut_off_where_it_is_known(full: str, headline: str) -> None:
    heads = ("Lamps", "The lamps", "The banner")
    assert read_titles(("", full), heads, site=SITE, host=HOST) == (headline, " ".join(full.split()))


@given(st.text("ab |-–[]\u200b", max_size=40), st.text("ab |", max_size=10))
def test_a_headline_is_a_part_of_its_title_and_never_empty_where_that_is_not(full: str, head: str) -> None:
    headline, whole = read_titles((full,), (head,), site="a b", host="b.a")
    assert headline in whole
    assert bool(headline) == bool(whole)
