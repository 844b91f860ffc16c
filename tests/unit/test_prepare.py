import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.steps.text.index_text import MAX_WORD_CHARS, is_lone, prepare

PREPARED = {
    "nothing": ("", ""),
    "case and punctuation": ("Hello, World! snake_case C++ 3.11", "hello world snake case c 3 11"),
    "sharp s": ("Straße STRASSE", "strasse strasse"),
    "accents": ("Café naïve Ångström", "cafe naive angstrom"),
    "accents written apart": ("cafe\u0301", "cafe"),
    "compatibility forms": ("ﬁne ＡＢＣ ①", "fine abc 1"),
    "Turkish capital": ("İstanbul", "istanbul"),
    "Greek final letter": ("ΟΔΟΣ οδός", "οδοσ οδοσ"),
    "Russian": ("Ёлка", "елка"),
    "Arabic vowel points": ("كِتَاب", "كتاب"),
    "Hebrew points": ("שָׁלוֹם", "שלום"),
    "Hindi keeps its vowel signs": ("हिन्दी", "हिन्दी"),
    "Chinese": ("人工智能", "人工 工智 智能"),
    "Japanese, mixed": ("東京タワー", "東京 京タ タワ ワー"),
    "half-width kana": ("ｶﾞｲﾄﾞ", "ガイ イド"),
    "one character": ("猫。", "猫"),
    "Korean": ("검색 엔진은", "검색 엔진 진은"),
    "Thai": ("เมือง", "เม มื ือ อง"),
    "Lao": ("ລາວ", "ລາ າວ"),
    "Khmer": ("ខ្មែរ", "ខ្ ្ម មែ ែរ"),
    "Myanmar": ("မြန်", "မြ ြန န်"),
    "scripts side by side": ("Pythonで東京v2", "python で東 東京 v2"),
    "soft hyphen and joiners": ("hy\u00adphen می\u200cخواهم", "hyphen میخواهم"),
    "zero-width space parts words": ("één\u200btwee", "een twee"),
    "control characters": ("é\x00b\x01c", "e b c"),
    "symbols": ("👍 10 € → ∞", "10"),
    "a word without end": ("a" * 100, "a" * MAX_WORD_CHARS),
}


@pytest.mark.parametrize(("text", "words"), PREPARED.values(), ids=PREPARED)
def test_text_is_levelled_to_words(text: str, words: str) -> None:
    assert prepare(text) == words


@given(st.text())
def test_prepared_words_hold_nothing_but_letters_digits_and_marks(text: str) -> None:
    words = prepare(text)
    assert words == " ".join(words.split())
    assert not any(char.isascii() and not char.isalnum() and char != " " for char in words)


@given(st.text(st.characters(max_codepoint=0x24F)))
def test_preparing_prepared_latin_text_changes_nothing(text: str) -> None:
    assert prepare(prepare(text)) == prepare(text)


@pytest.mark.parametrize(("word", "expected"), [("猫", True), ("a", False), ("東京", False), ("", False)])
def test_a_lone_character_of_a_script_without_spaces_is_told(word: str, expected: bool) -> None:
    assert is_lone(word) is expected
