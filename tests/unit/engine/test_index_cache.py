"""What is kept in memory of pages: the ones used last, within a bound."""

from gossamer.embedders.local import LocalEmbedder
from gossamer.engine.chunk_cache import Indexed, Indexes
from gossamer.model.page import Vectors
from gossamer.steps.retrieval.chunk import chunk
from gossamer.steps.retrieval.index import index
from gossamer.steps.text.words import stem

LOCAL = LocalEmbedder()


def made(text: str, vectors: bytes = b"") -> Indexed:
    found = index(chunk("u", text), lambda texts: LOCAL.look_up(texts, "english"), stem)
    return Indexed(index=found, vectors=Vectors(model="m", dimension=1, data=vectors) if vectors else None)


def test_what_was_used_longest_ago_goes_first() -> None:
    one = made("A page about ferries.")
    indexes = Indexes(max_bytes=5 * one.nbytes // 2)
    indexes.put(("a",), one)
    indexes.put(("b",), one)
    assert indexes.get(("a",)) is one
    indexes.put(("c",), one)
    assert indexes.get(("b",)) is None
    assert indexes.get(("a",)) is one
    assert indexes.get(("c",)) is one


def test_the_same_name_again_takes_the_place_of_the_former() -> None:
    one, two = made("A page about ferries."), made("A page about ferries.", b"0" * 16)
    indexes = Indexes(max_bytes=5 * two.nbytes // 2)
    for _ in range(10):
        indexes.put(("a",), one)
        indexes.put(("a",), two)
    indexes.put(("b",), two)
    assert indexes.get(("a",)) is two
    assert indexes.get(("b",)) is two
    assert two.nbytes == one.nbytes + 16


def test_one_page_may_need_all_the_room_but_no_more() -> None:
    small, large = made("A page."), made("A page about many things. " * 500)
    tight = Indexes(max_bytes=large.nbytes - 1)
    tight.put(("small",), small)
    tight.put(("large",), large)
    assert tight.get(("small",)) is small
    assert tight.get(("large",)) is None
    enough = Indexes(max_bytes=large.nbytes)
    enough.put(("small",), small)
    enough.put(("large",), large)
    assert enough.get(("small",)) is None
    assert enough.get(("large",)) is large
