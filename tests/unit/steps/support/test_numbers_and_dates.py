from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.steps.support.numbers_and_dates import facts, states

SAME = {
    "thousands, with a sign": ("1,909", "1909"),
    "thousands, as Germans write them": ("1.909", "1909"),
    "thousands, with blanks": ("1 909 000", "1909000"),
    "one thousand, with a blank": ("1 909", "1909"),
    "a multiplier right before its noun": ("5万人", "50,000"),
    "decimals, with either sign": ("3,5", "3.5"),
    "thousands and decimals": ("1,234.5", "1.234,5"),
    "other digits": ("١٩٠٩", "1909"),
    "numbers in words": ("two hundred", "200"),
    "tens and ones": ("twenty-five", "25"),
    "numbers in German words": ("zwölf", "12"),
    "Chinese numbers by place": ("二百五十", "250"),
    "Chinese numbers by digits": ("一九〇九", "1909"),
    "Chinese ten thousands": ("三万五千", "35000"),
    "a multiplier without a space": ("5万", "50,000"),
    "millions": ("2.5 million", "2,500,000"),
    "rounded millions": ("2.5 million", "2,504,312"),
    "an ordinal": ("the 12th", "twelfth"),
    "a length in another unit": ("5 km", "5,000 metres"),
    "a length in another system": ("62 miles", "100 km"),
    "a unit in another language": ("5 km", "5 километров"),
    "a unit without a space": ("5公里", "5 km"),
    "a unit in a heading alone": ("5 km", "5"),
    "per cent": ("20%", "20 per cent"),
    "money": ("$2 million", "2 million dollars"),
    "a date, American": ("March 3, 2020", "2020-03-03"),
    "a date, day first": ("3rd of March 2020", "March 3, 2020"),
    "a date in German": ("3. März 2020", "3 March 2020"),
    "a date in Spanish": ("3 de marzo de 2020", "2020-03-03"),
    "a date in Japanese": ("2020年3月3日", "3 March 2020"),
    "a date with strokes, either way": ("03/04/2020", "3 April 2020"),
    "a part of a date": ("March 2020", "3 March 2020"),
    "a year out of a date": ("in 2020", "3 March 2020"),
    "a year in Chinese": ("2020年", "in 2020"),
    "a date whose year stands apart": ("March 3, 2020", "On March 3 it opened; 2020 was dry."),
    "a time of day": ("5 pm", "17:00"),
    "a version": ("3.11.2", "version 3.11.2"),
    "more than": ("over 260,000", "262,345 volumes"),
    "less than": ("under 100", "98"),
    "about": ("about 100", "103"),
    "or more": ("90 or more", "95"),
    "a fraction": ("1/2", "1/2"),
}
OTHER = {
    "another number": ("1,909", "1910"),
    "another unit": ("5 km", "5 miles"),
    "another kind of unit": ("5 km", "5 kg"),
    "another day": ("March 3, 2020", "March 4, 2020"),
    "another month": ("3 March 2020", "3 May 2020"),
    "another year": ("March 3, 2021", "March 3, 2020"),
    "a decade and its year": ("the 1990s", "in 1990"),
    "another time": ("5 pm", "5 am"),
    "another version": ("3.11.2", "3.11.3"),
    "more than it is": ("over 100", "98"),
    "far more than it is": ("over 100", "900"),
    "far from about": ("about 100", "150"),
    "less than it is": ("under 100", "101"),
    "millions and billions": ("2 million", "2 billion"),
    "a date and a measure": ("5 km", "May 5"),
    "nothing": ("7", "no number at all"),
    "no month": ("2020-13-40", "2020-12-30"),
}  # fmt: skip


@pytest.mark.parametrize(("claimed", "text"), SAME.values(), ids=SAME)
def test_a_fact_is_found_however_it_is_written(claimed: str, text: str) -> None:
    assert facts(claimed)
    assert all(states(facts(text), fact) for fact in facts(claimed))


@pytest.mark.parametrize(("claimed", "text"), OTHER.values(), ids=OTHER)
def test_another_fact_is_another(claimed: str, text: str) -> None:
    assert facts(claimed)
    assert not all(states(facts(text), fact) for fact in facts(claimed))


def test_a_month_that_is_a_word_is_no_date() -> None:
    assert facts("It may rain. May we go? They march on.") == []


@given(st.text(max_size=300))
def test_facts_stand_where_they_say_and_never_overlap(text: str) -> None:
    found = facts(text)
    assert all(0 <= fact.start < fact.end <= len(text) for fact in found)
    assert all(one.end <= other.start for one, other in pairwise(found))
    assert all(states(found, fact) for fact in found)
