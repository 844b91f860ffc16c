"""Places in a text: found by either counting, kept through cleaning."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.steps.text.clean_line import is_seen
from gossamer.steps.text.spans import cleaned, fitted
from gossamer.steps.text.untrusted_markers import escape, unescape

URL = "https://a.test/"
MARK = f"([a.test]({URL}))"


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


TEXTS = {
    "plain": "The ferry leaves. ",
    "beyond ASCII": "Die Fähre fährt — bald. ",
    "emoji": "🚢 leaves ⛴️ at noon 👨‍👩‍👧. ",
}


@pytest.mark.promise("000.7", "000.89")
@pytest.mark.parametrize("before", TEXTS.values(), ids=TEXTS)
def test_a_citation_is_found_whichever_way_it_was_counted(before: str) -> None:
    text = f"{before}{MARK} and more 🎉"
    place = (len(before), len(before) + len(MARK))
    assert fitted(text, *place, URL) == place
    assert fitted(text, units(before), units(before) + len(MARK), URL) == place


NOWHERE = {
    "before the text": ("text", -1, 3),
    "beyond the text": ("text", 2, 9),
    "backwards": ("text", 3, 1),
    "empty": ("text", 2, 2),
    "beyond a text with emoji": ("🚢", 1, 9),
    "inside a character": ("🚢" * 4, 5, 9),
}


@pytest.mark.parametrize(("text", "start", "end"), NOWHERE.values(), ids=NOWHERE)
def test_what_points_at_nothing_is_no_span(text: str, start: int, end: int) -> None:
    assert fitted(text, start, end, URL) is None


def test_a_claim_without_an_address_is_believed_by_code_points() -> None:
    text = "🚢 The ferry leaves at noon."
    assert fitted(text, 2, 11, URL) == (2, 11)
    assert fitted("plain", 0, 2, URL) == (0, 2)


def test_what_nobody_sees_goes_and_places_go_with_it() -> None:
    text = "a\u200bb\x07c[INST]d\ue000"
    clean, places = cleaned(text, [0, 2, 5, 11, 12, len(text)])
    assert clean == "abc[\\INST]d"
    assert [clean[place : place + 1] for place in places] == ["a", "b", "[", "d", "", ""]


def test_a_clean_text_stays_as_it_is() -> None:
    for text in ("one line", "two\nlines\tand a tab", "family 👨‍👩‍👧"):
        assert cleaned(text, [0, 3, len(text)]) == (text, [0, 3, len(text)])


@settings(deadline=None)
@given(st.text(alphabet="ab<[|｜/s>\\INST]\u200b\u200d🚢\x07\n", max_size=40), st.data())
def test_a_span_holds_after_cleaning_what_it_held_before(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    clean, (first, last) = cleaned(text, [start, end])
    seen = "".join(text[place] for place in range(start, end) if is_seen(text, place))
    assert clean[first:last].replace("\\", "") == seen.replace("\\", "")
    assert clean == cleaned(text, [])[0] == escape(unescape(clean))
