"""Which languages meet on pages and in questions."""

import pytest

from gossamer.steps.tongue import language, tongue

ENGLISH = "The ferry leaves at noon, and the ticket costs four euros. It is the last one that runs in winter. " * 3
GERMAN = "Die Fähre legt am Mittag ab, und die Karte kostet vier Euro. Sie ist die letzte, die im Winter fährt. " * 3
SPANISH = "El barco sale a mediodía y el billete cuesta cuatro euros. Es el último que sale en el invierno. " * 3
JAPANESE = "船は正午に出ます。切符は四ユーロです。"
RUSSIAN = "Паром отходит в полдень, билет стоит четыре евро."

CASES = {
    "English": ([("", ENGLISH)], ["When does the ferry leave?"], "english"),
    "an English page says nothing of itself, nor does the question": (
        [("", "Ferry: noon")],
        ["ferry price"],
        "english",
    ),
    "a page that says it is English": ([("en-GB", "Ferry: noon")], ["ferry"], "english"),
    "a page that wrongly says it is English": ([("en", GERMAN)], ["Wann legt die Fähre ab?"], "other"),
    "a short page that says it is German": ([("de", "Fähre: Mittag")], ["Fähre"], "other"),
    "one other language": ([("de", GERMAN)], ["Wann legt die Fähre ab?"], "other"),
    "a question that does not show its language": ([("de", GERMAN)], ["Ticket"], "other"),
    "an English question": ([("de", GERMAN)], ["When does the ferry leave?"], "mixed"),
    "a German question": ([("en", ENGLISH)], ["Wann legt die Fähre ab?"], "mixed"),
    "a question in another script": ([("en", ENGLISH)], ["船はいつ出ますか"], "mixed"),
    "one of two questions": ([("en", ENGLISH)], ["When does it leave?", "¿Cuándo sale el barco?"], "mixed"),
    "pages of two languages": ([("en", ENGLISH), ("es", SPANISH)], ["When does it leave?"], "mixed"),
    "another script": ([("", RUSSIAN)], ["Когда отходит паром?"], "other"),
    "nothing": ([("", "")], [""], "english"),
}


@pytest.mark.parametrize(("pages", "queries", "expected"), CASES.values(), ids=CASES)
def test_which_languages_meet(pages: list[tuple[str, str]], queries: list[str], expected: str) -> None:
    assert tongue(pages, queries) == expected


LANGUAGES = {
    "the commonest words": (SPANISH, "es"),
    "kanji with kana": (JAPANESE, "kana"),
    "Han alone": ("渡轮中午开船票价四欧元", "han"),
    "a few foreign characters": (f"{ENGLISH} 船", "en"),
    "none of the common words": ("ferry noon", ""),
    "a word of two languages": ("was", ""),
    "a hostile length": ("the " * 1_000_000, "en"),
}


@pytest.mark.parametrize(("text", "expected"), LANGUAGES.values(), ids=LANGUAGES)
def test_the_language_of_a_text(text: str, expected: str) -> None:
    assert language(text) == expected
