import base64
import re
from dataclasses import dataclass, replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gossamer.errors import BadCursor, Outcome
from gossamer.steps.tokens.cursor import Cursor, changed, expired, read_cursor, request_key, write_cursor

KEY = b"k" * 32
REQUEST = request_key("https://a.test/")
CURSOR = Cursor(
    tool="web_fetch",
    request=REQUEST,
    offset=12_345,
    snapshots=("0123456789ab",),
    arguments={"view": {"selector": 'main > p[title="ü"]'}, "max_tokens": 500},
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def opened(text: str, *, key: bytes = KEY, tool: str = "web_fetch", request: str = REQUEST) -> Cursor:
    return read_cursor(text, key, tool=tool, request=request)


@given(
    offset=st.integers(0, 10**9),
    snapshots=st.lists(st.text("0123456789abcdef", min_size=8, max_size=12), max_size=3),
    arguments=st.dictionaries(st.text(), JSON, max_size=3),
    key=st.binary(min_size=16, max_size=32),
)
def test_a_cursor_comes_back_as_it_was_written(
    offset: int, snapshots: list[str], arguments: dict[str, object], key: bytes
) -> None:
    cursor = replace(CURSOR, offset=offset, snapshots=tuple(snapshots), arguments=arguments)
    assert opened(write_cursor(cursor, key), key=key) == cursor


def test_a_cursor_fits_into_quotes_and_into_addresses_and_is_short() -> None:
    text = write_cursor(replace(CURSOR, arguments={}), KEY)
    assert set(text) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")
    assert len(text) < 50


SMALL = st.dictionaries(st.sampled_from("nrst"), st.integers(0, 10**6) | st.booleans() | st.just(-1), max_size=4)


@given(SMALL)
def test_numbers_come_back_as_the_numbers_they_were(arguments: dict[str, object]) -> None:
    read = opened(write_cursor(replace(CURSOR, arguments=arguments), KEY)).arguments
    assert [(name, type(value), value) for name, value in read.items()] == [
        (name, type(value), value) for name, value in arguments.items()
    ]


def test_numbers_are_written_as_digits_which_cost_a_model_least() -> None:
    text = write_cursor(replace(CURSOR, snapshots=("123456789",), arguments={"r": 178, "t": 300}), KEY)
    assert re.fullmatch(r"\d{15}\d{3}12345\.123456789\.r178t300", text)


@pytest.mark.parametrize("around", [" {}\n", '"{}"', "'{}'", "`{}`", ' "{}" ', "“{}”", "{}"])
def test_blanks_and_quotes_round_a_cursor_do_no_harm(around: str) -> None:
    assert opened(around.format(write_cursor(CURSOR, KEY))) == CURSOR


GOOD = write_cursor(CURSOR, KEY)
SIGNATURE, BODY = GOOD[:15], GOOD[15:]
FORGED = {
    "empty": "",
    "a word": "more",
    "cut short": GOOD[:-1],
    "cut to its signature": SIGNATURE,
    "without its signature": BODY,
    "signed with nothing": f"{'0' * 15}{BODY}",
    "another offset": GOOD.replace("12345.", "12346."),
    "other arguments": write_cursor(replace(CURSOR, arguments={"t": 500}), KEY).replace("t500", "t501"),
    "another snapshot": GOOD.replace("0123456789ab", "0123456789ac"),
    "without arguments": GOOD.rpartition(".")[0],
    "signed by another key": write_cursor(CURSOR, b"o" * 32),
    "something added": f"{GOOD}A",
    "too long": "A" * 20_000,
    "too long, and signed": write_cursor(replace(CURSOR, arguments={"x": "y" * 20_000}), KEY),
    "another alphabet": "курсор.курсор",
    "half a surrogate pair": "\ud800.\ud800",
    "garbage in base64": base64.urlsafe_b64encode(b"\x00" * 40).decode(),
    "JSON in base64": base64.urlsafe_b64encode(b'["web_fetch","x",0,[],{}]').decode(),
    "dots": "....",
}


@pytest.mark.parametrize("text", FORGED.values(), ids=FORGED)
def test_a_cursor_that_we_did_not_sign_is_refused(text: str) -> None:
    with pytest.raises(BadCursor, match="not made by this server") as caught:
        opened(text)
    assert caught.value.outcome is Outcome.INVALID
    assert "Leave the cursor out" in caught.value.hint


@given(st.text(st.characters()) | st.text("0123456789abcdef.-_", max_size=60))
def test_no_text_opens_by_chance(text: str) -> None:
    assume(GOOD not in text)
    with pytest.raises(BadCursor):
        opened(text)


@given(st.integers(0, len(GOOD) - 1), st.sampled_from("Aa0-_."))
def test_one_changed_character_is_enough(place: int, sign: str) -> None:
    assume(GOOD[place] != sign)
    with pytest.raises(BadCursor):
        opened(GOOD[:place] + sign + GOOD[place + 1 :])


def test_a_cursor_is_signed_for_the_whole_request_not_for_the_hint_at_it() -> None:
    hint = GOOD[15:18]
    names = (f"https://b.test/{number}" for number in range(100_000))
    alike = next(name for name in names if write_cursor(replace(CURSOR, request=name), KEY)[15:18] == hint)
    with pytest.raises(BadCursor, match="not made by this server"):
        opened(GOOD, request=alike)


OTHERS = {
    "of another tool": {"tool": "web_read"},
    "of another address": {"request": request_key("https://b.test/")},
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_a_cursor_of_another_request_says_so(other: dict[str, str]) -> None:
    with pytest.raises(BadCursor, match="belongs to another request") as caught:
        opened(GOOD, **other)
    assert "Repeat the same address or query" in caught.value.hint


def test_an_expired_cursor_says_so_and_what_to_do() -> None:
    assert str(expired()) == (
        "This cursor has expired: the page has changed or is no longer kept. "
        "Leave the cursor out to start from the beginning."
    )


def test_a_request_is_named_by_its_parts_in_order() -> None:
    keys = {request_key("a", "b"), request_key("b", "a"), request_key("ab"), request_key("a", "b", ""), request_key()}
    assert len(keys) == 5
    assert len(request_key("\ud800")) == 9


@dataclass(frozen=True)
class Wish:
    size: int = 1
    colour: str = "red"


def test_only_what_was_changed_is_carried() -> None:
    assert changed(Wish(), Wish()) == {}
    assert changed(Wish(size=2), Wish()) == {"size": 2}
    assert changed(Wish(size=2, colour="blue"), Wish()) == {"size": 2, "colour": "blue"}
