from gossamer.model.page import Chunk
from gossamer.stores.shared.chunk_rows import MOST_WORDS, indexed_chunks


def chunk(text: str) -> Chunk:
    return Chunk(id="", section=("Head",), start=0, end=0, text=text, tokens=1)


def test_a_page_of_many_words_is_found_by_the_first_of_them() -> None:
    half = "word " * (MOST_WORDS // 2)
    words = list(indexed_chunks("Title", [chunk(half), chunk(half), chunk("last")]))
    assert words[0].startswith("title head word word")
    assert words[1] != ""
    assert words[2] == ""


def test_the_words_of_an_ordinary_page_are_all_there() -> None:
    assert list(indexed_chunks("T", [chunk("One two"), chunk("three")])) == ["t head one two", "t head three"]
