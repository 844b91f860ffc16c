import pytest

from gossamer.embedders.piece_tokenizer import SentencePieces, WordPieces
from tests.patience import in_proportion

VOCABULARY = ["[UNK]", "un", "##know", "##n", "known", "a", "##a", ",", "_", "東", "cafe", "##s"]
CUTS = {
    "nothing": ("", []),
    "a whole word": ("known", ["known"]),
    "the longest piece first": ("unknown", ["un", "##know", "##n"]),
    "case and accents": ("CAFÉS", ["cafe", "##s"]),
    "signs are words of their own": ("a,a_a", ["a", ",", "a", "_", "a"]),
    "Chinese characters are words of their own": ("東a東", ["東", "a", "東"]),
    "a word with an unknown part is left out whole": ("a unx known", ["a", "known"]),
    "a word without end is left out": ("a" * 101 + " a", ["a"]),
    "the longest word": ("a" * 100, ["a", *["##a"] * 99]),
}


@pytest.mark.parametrize(("text", "expected"), CUTS.values(), ids=CUTS)
def test_a_text_is_cut_into_known_pieces(text: str, expected: list[str]):
    assert [VOCABULARY[number] for number in WordPieces(VOCABULARY).cut(text)] == expected


def test_the_memory_for_words_is_bounded():
    pieces = WordPieces(VOCABULARY)
    pieces.cut(" ".join(f"w{number}" for number in range(60_000)))
    assert len(pieces._cuts) <= 20_000
    assert pieces.cut("known known") == [4, 4]


MARKED = [
    "[UNK]",
    "\u2581",
    "\u2581the",
    "\u2581Th",
    "e",
    "\u2581har",
    "bour",
    "s",
    "港",
    "\u2581港",
    "の",
    "ア",
    ",",
    "x" * 16,
]
MARKED_CUTS = {
    "nothing": ("", []),
    "space alone": (" \n\t ", []),
    "words begin with a mark": ("the harbours", ["\u2581the", "\u2581har", "bour", "s"]),
    "case is kept": ("The the", ["\u2581Th", "e", "\u2581the"]),
    "signs belong to the word": ("the,", ["\u2581the", ","]),
    "no spaces between words": ("港の港", ["\u2581港", "の", "港"]),
    "compatibility forms are folded": ("港\uff71", ["\u2581港", "ア"]),
    "characters that no piece has are left out": ("the\U000f0000s", ["\u2581the", "s"]),
    "a piece inside a word needs no mark": ("bour", ["\u2581", "bour"]),
}


@pytest.mark.parametrize(("text", "expected"), MARKED_CUTS.values(), ids=MARKED_CUTS)
def test_a_text_in_any_script_is_cut_into_known_pieces(text: str, expected: list[str]):
    assert [MARKED[number] for number in SentencePieces(MARKED).cut(text)] == expected


@pytest.mark.large
def test_a_word_without_end_is_cut_in_linear_time_and_not_remembered():
    pieces = SentencePieces(MARKED)
    with in_proportion():
        assert len(pieces.cut("x" * 160_000)) == 1 + 10_000
        pieces.cut("y" * 1_000_000)
    assert not pieces._cuts
