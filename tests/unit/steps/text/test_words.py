import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gossamer.ports import LanguageMix
from gossamer.steps.text.words import stem, stemmer, word_count, words

WORDS = {
    "nothing": ("", []),
    "only stop words": ("What is it, and to whom?", []),
    "case and signs": ("HTTP/2, Rate-Limits!", ["http", "2", "rate", "limit"]),
    "stop words go, order stays": ("the cat on the mat of a king", ["cat", "mat", "king"]),
    "a version": ("Since v4.3.0.", ["since", "v4", "3", "0", "4.3.0"]),
    "a version by itself": ("version 4.3.0 now", ["version", "4", "3", "0", "now", "4.3.0"]),
    "a date and an hour": ("2026-11-16, 9:05", ["2026", "11", "16", "9", "05", "2026-11-16", "9:05"]),
    "a sum at the end of a sentence": ("It is 7.", ["7"]),
    "a word twice": ("tea and tea", ["tea", "tea"]),
    "compatibility forms": ("ﬁne ＡＢＣ", ["fine", "abc"]),
    "Japanese in pairs": ("東京都", ["東京", "京都"]),
    "Greek as it is": ("λόγος", ["λογοσ"]),
}

STEMS = {
    "plural": ("limits", "limit"),
    "plural of y": ("queries", "query"),
    "past of y": ("carried", "carry"),
    "going on": ("caching", "cach"),
    "past": ("cached", "cach"),
    "one who does": ("reader", "read"),
    "how": ("quickly", "quick"),
    "the longest ending first": ("installations", "install"),
    "too short to touch": ("uses", "uses"),
    "too little would stay": ("being", "being"),
    "no ending": ("python", "python"),
    "a number": ("2024s", "2024s"),
    "outside ASCII": ("λογοσες", "λογοσες"),
}

FORMS = {
    "Spanish": ("gobernaron", "gobernador"),
    "German": ("regierung", "regierungen"),
    "Russian": ("столица", "столицей"),
    "Greek": ("κυβερνηση", "κυβερνησεις"),
    "Turkish": ("baskent", "baskenti"),
    "Arabic": ("الجامعات", "الجامعة"),
    "Hindi, with vowel signs": ("राजधानी", "राजधानियों"),
}
APART = {
    "short words": ("casa", "casas"),
    "dates": ("20241118", "20241119"),
    "names with digits": ("airbus380", "airbus350"),
    "pairs of characters": ("東京", "京都"),
}


@pytest.mark.parametrize("mix", ["other", "mixed"])
@pytest.mark.parametrize(("one", "other"), FORMS.values(), ids=FORMS)
def test_forms_of_a_word_meet_in_any_language(one: str, other: str, mix: LanguageMix):
    assert stemmer(mix)(one) == stemmer(mix)(other)


@pytest.mark.parametrize(("one", "other"), APART.values(), ids=APART)
def test_what_is_short_or_a_number_stays_whole_in_any_language(one: str, other: str):
    assert (stemmer("other")(one), stemmer("other")(other)) == (one, other)


@given(st.text(max_size=20))
def test_english_words_lose_their_english_endings_alone(word: str):
    assert stemmer("english")(word) == stem(word)


@pytest.mark.parametrize(("text", "expected"), WORDS.values(), ids=WORDS)
def test_a_text_becomes_comparable_words(text: str, expected: list[str]):
    assert words(text) == expected


@pytest.mark.parametrize(("word", "expected"), STEMS.values(), ids=STEMS)
def test_one_english_ending_is_taken_off(word: str, expected: str):
    assert stem(word) == expected


@given(st.text(max_size=200))
def test_words_are_never_empty_and_hold_no_space(text: str):
    assert all(word and not any(char.isspace() for char in word) for word in words(text))


@given(st.lists(st.sampled_from(["a" * 40_000, "b" * 30_000, " ", "\n", "word ", "\u3000"]), max_size=12).map("".join))
@settings(deadline=None)
@example("a" * 65_536 + " " + "b" * 65_535)
def test_words_are_counted_as_if_in_one_go(text: str) -> None:
    assert word_count(text) == len(text.split())
