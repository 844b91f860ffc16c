import pytest

from gossamer.model.search import Query
from gossamer.providers.common.asked import country, language, short, words

SHORT = {
    "short enough": ("one two", 7, "one two"),
    "at a word": ("one two three", 9, "one two"),
    "just behind a word": ("one two three", 7, "one two"),
    "one endless word": ("abcdefgh", 3, "abc"),
}


@pytest.mark.parametrize(("text", "max_chars", "kept"), SHORT.values(), ids=SHORT)
def test_a_long_text_ends_with_a_whole_word(text: str, max_chars: int, kept: str) -> None:
    assert short(text, max_chars) == kept


def test_a_site_is_asked_for_with_an_operator() -> None:
    assert words(Query(text="event \n loop", site="docs.python.org")) == "event loop site:docs.python.org"


def test_the_site_stays_where_words_are_cut() -> None:
    asked = Query(text="one two three four", site="a.example")
    assert words(asked, max_words=3) == "one two site:a.example"
    assert words(asked, max_chars=24) == "one two site:a.example"


LANGUAGES = {
    "a code": ("de", "de"),
    "with a country": ("pt-BR", "pt"),
    "with a script": ("zh_Hant_TW", "zh"),
    "three letters": ("FIL", "fil"),
    "any": ("all", ""),
    "left to the service": ("auto", ""),
    "none": ("", ""),
    "no code": ("☃", ""),
}


@pytest.mark.parametrize(("asked", "code"), LANGUAGES.values(), ids=LANGUAGES)
def test_the_language_is_its_code_alone(asked: str, code: str) -> None:
    assert language(Query(text="x", language=asked)) == code


COUNTRIES = {
    "the region asked for": ("en", "at", "AT"),
    "wins over the language's": ("en-GB", "US", "US"),
    "the language's own": ("pt-br", None, "BR"),
    "behind a script": ("zh_Hant_TW", None, "TW"),
    "a script is no country": ("zh-Hant", None, ""),
    "a language is no country": ("de", None, ""),
    "no country at all": ("en", "atlantis", ""),
}


@pytest.mark.parametrize(("spoken", "region", "code"), COUNTRIES.values(), ids=COUNTRIES)
def test_the_country_is_the_region_or_that_of_the_language(spoken: str, region: str | None, code: str) -> None:
    assert country(Query(text="x", language=spoken, region=region)) == code
