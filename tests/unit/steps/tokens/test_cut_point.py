import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.steps.tokens.count import cut_point

FILLING = "x" * 90
BEST: dict[str, tuple[str, str]] = {
    "between blocks before between lines": (f"{FILLING}\n\nab\ncd efg", f"{FILLING}\n\n"),
    "between lines before between words": (f"{FILLING}\nab cd efgh", f"{FILLING}\n"),
    "between words": (f"{FILLING} abc defgh", f"{FILLING} abc "),
    "nowhere": (f"{FILLING}abcdefghijk", f"{FILLING}abcdefghi"),
    "between pages before all else": (f"{FILLING}\n## Page 2\n\nab", f"{FILLING}\n"),
    "between pages of plain text": (f"{FILLING}\nPage 2\n\nab cdef", f"{FILLING}\n"),
    "between sections": (f"{FILLING}\n# A\n\nab cdef", f"{FILLING}\n"),
    "where a page begins just there": (f"{FILLING}ab cdefg\n## Page 12\n", f"{FILLING}ab cdefg\n"),
    "a page that begins too far back": ("\n## Page 2\n" + "x" * 87 + " x" * 9, "\n## Page 2\n" + "x" * 87 + " "),
    "between sections of a tree": (f"{FILLING}<p>x</p><section>y", f"{FILLING}<p>x</p>"),
    "between paragraphs of a tree": (f"{FILLING}</p><p>abcdefg", f"{FILLING}</p>"),
    "between tags": (f"{FILLING}<b>abcdefgh", f"{FILLING}<b>"),
}


@pytest.mark.parametrize(("text", "slice_"), BEST.values(), ids=BEST)
def test_a_slice_ends_at_the_best_border_near_its_end(text: str, slice_: str) -> None:
    assert text[: cut_point(text, 0, 99)] == slice_


def test_the_last_slice_ends_with_the_text() -> None:
    assert cut_point("a b", 0, 3) == 3


UNPARTED = {
    "a backslash and its sign": (f"{FILLING}abcdefgh\\!", f"{FILLING}abcdefgh"),
    "three backslashes": (f"{FILLING}abcdef\\\\\\!", f"{FILLING}abcdef\\\\"),
    "two backslashes escape each other": (f"{FILLING}abcdefg\\\\!", f"{FILLING}abcdefg\\\\"),
    "a tag that would be a border": (f"{FILLING}abcd\\<section>x", f"{FILLING}abcd"),
}


@pytest.mark.parametrize(("text", "slice_"), UNPARTED.values(), ids=UNPARTED)
def test_no_slice_ends_between_a_backslash_and_what_it_escapes(text: str, slice_: str) -> None:
    assert text[: cut_point(text, 0, 99)] == slice_


def test_a_slice_of_one_backslash_goes_on() -> None:
    assert cut_point("a\\!", 1, 2) == 2


@given(st.text("ab \n#>Page 1", min_size=1, max_size=300), st.data())
def test_every_slice_goes_on_loses_nothing_and_is_nearly_as_long_as_it_could_be(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    cut = cut_point(text, start, end)
    assert start < cut <= end
    assert cut - start >= 0.88 * (end - start) - 1
