import pytest

from gossamer.steps.search.locale_codes import COUNTRIES, read_country

READ = {
    "as it is": ("US", "US"),
    "small letters": ("ae", "AE"),
    "blanks": (" at ", "AT"),
    "a language with it": ("de-AT", "AT"),
    "an underscore": ("pt_BR", "BR"),
    "what people say": ("uk", "GB"),
    "a language alone": ("en", "en"),
    "a name": (" Austria ", "Austria"),
    "no country": ("ZZ", "ZZ"),
}


@pytest.mark.parametrize(("text", "expected"), READ.values(), ids=READ)
def test_a_country_is_read_for_what_it_means(text: str, expected: str) -> None:
    assert read_country(text) == expected


def test_there_are_as_many_as_the_standard_has() -> None:
    assert len(COUNTRIES) == 249
    assert all(len(code) == 2 and code.isupper() for code in COUNTRIES)
