"""An export as lines."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.errors import InvalidArgument, Outcome
from gossamer.model.page import LeftOut, Link, PageInfo
from gossamer.model.records import Kept, Spending
from gossamer.stores.shared.jsonl import line_of, record_of
from gossamer.testing.store_cases import chunks_of, page_of, pointing

LAST_S = 253_402_300_799.0

PAGE = replace(
    page_of("Die Straße nach 東京.\n\x00 end\ud800 of it", title="Ein Führer"),
    outcome=Outcome.PAYWALL,
    info=PageInfo(author="Ann", published="2026-01-02"),
    links=(Link(text="on", url="https://example.com/on"),),
    left_out=LeftOut(lists=2, words=30),
    etag='W/"1"',
    version=4,
)
PLAIN = page_of("One. Two. ")
KEPT = Kept(
    page=PLAIN,
    chunks=chunks_of(PLAIN, size=5, section=("A", "B > C")),
    chunk_count=2,
    vectors=(pointing((1.0, 0.5), (0.0, 1.0)), pointing((1.0,), (2.0,), model="large")),
    former=(replace(page_of("Before."), version=1),),
    used_at=1_700_000_000.25,
)
RECORDS = {
    "a page with all there is": KEPT,
    "any text": Kept(page=PAGE, former=(PAGE,), used_at=1.0),
    "another view": Kept(page=replace(PAGE, view="0123456789abcdef")),
    "settled": Spending(op="a", provider="paid", day="2026-11-16", amount=5),
    "set aside": Spending(op="a", provider="paid", day="2026-11-16", amount=5, until=9.5),
}


@pytest.mark.parametrize("record", RECORDS.values(), ids=RECORDS)
def test_a_record_comes_back_from_its_line(record: Kept | Spending) -> None:
    line = line_of(record)
    assert line.isascii()
    assert "\n" not in line
    assert record_of(line) == record


@given(text=st.text(), title=st.text(), at=st.floats(0, LAST_S))
def test_a_page_of_any_text_comes_back(text: str, title: str, at: float) -> None:
    kept = Kept(page=page_of(text, title=title, at=at))
    assert record_of(line_of(kept)) == kept


def replaced(said: Any, way: tuple[object, ...], value: object) -> Any:
    """The same, with one thing in it replaced."""
    if not way:
        return value
    copied = said.copy()
    copied[way[0]] = replaced(said[way[0]], way[1:], value)
    return copied


def ways(said: Any) -> list[tuple[object, ...]]:
    """Where anything is in it."""
    held: dict[object, Any] = {}
    if isinstance(said, dict):
        held = cast("dict[object, Any]", said)
    elif isinstance(said, list):
        held = dict(enumerate(cast("list[Any]", said)))
    return [(), *((key, *way) for key, it in held.items() for way in ways(it))]


ANYTHING = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([2**31, 2**63, 2**70, -1, 10**400]),
    st.floats(),
    st.text(max_size=5),
    st.just([]),
    st.just({}),
)


@given(data=st.data(), record=st.sampled_from(list(RECORDS.values())), value=ANYTHING)
def test_a_line_with_anything_anywhere_is_a_record_that_can_be_written_and_dated_or_is_refused(
    data: st.DataObject, record: Kept | Spending, value: object
) -> None:
    said = json.loads(line_of(record))
    line = json.dumps(replaced(said, data.draw(st.sampled_from(ways(said))), value))
    try:
        read = record_of(line)
    except InvalidArgument:
        return
    assert record_of(line_of(read)) == read
    times = (read.page.fetched_at, read.used_at) if isinstance(read, Kept) else (read.until or 0.0,)
    for time in times:
        datetime.fromtimestamp(time, UTC)


def changed(record: Kept | Spending, **changes: object) -> str:
    return json.dumps({**json.loads(line_of(record)), **changes})


def page_with(**changes: object) -> dict[str, Any]:
    return {**json.loads(line_of(KEPT))["page"], **changes}


def details_with(**changes: object) -> dict[str, object]:
    return {**page_with()["details"], **changes}


REFUSED = {
    "nothing": "",
    "no JSON": "{",
    "another JSON": '{"url": "https://example.com"}',
    "a list": "[]",
    "deep": "[" * 100_000,
    "a newer form": changed(KEPT, gossamer=99),
    "a text that is not the hash's": changed(KEPT, page=page_with(text="One. Six. ")),
    "a title that is none": changed(KEPT, page=page_with(title=5)),
    "a time that is none": changed(KEPT, page=page_with(fetched_at="soon")),
    "details of another kind": changed(KEPT, page=page_with(details=[])),
    "a chunk elsewhere": changed(KEPT, chunks=[[*json.loads(line_of(KEPT))["chunks"][0][:2], 1, 6, 1]]),
    "fewer chunks than said": changed(KEPT, chunks=[]),
    "vectors that are no base64": changed(KEPT, vectors=[["small", 2, "???"]]),
    "vectors of no dimension": changed(KEPT, vectors=[["small", 0, ""]]),
    "vectors for other chunks": changed(KEPT, vectors=[["small", 2, "AAAA"]]),
    "vectors by a number": changed(KEPT, vectors=[[5, 1, "AAAAAA=="]]),
    "vectors of one model twice": changed(KEPT, vectors=[["small", 1, "AAAAAA=="]] * 2),
    "vectors of a page without chunks": changed(Kept(page=PLAIN), vectors=[["small", 1, ""]]),
    "a time beyond all calendars": changed(KEPT, page=page_with(fetched_at=1e300)),
    "a time without end": changed(KEPT, page=page_with(fetched_at=float("inf"))),
    "a time that is no number": changed(KEPT, page=page_with(fetched_at=float("nan"))),
    "a time before all": changed(KEPT, page=page_with(fetched_at=-1)),
    "a time that is too long for a float": changed(KEPT, page=page_with(fetched_at=10**400)),
    "a use in words": changed(KEPT, used_at="nan"),
    "a use beyond all calendars": changed(KEPT, used_at=1e300),
    "a use that is true": changed(KEPT, used_at=True),
    "a version beyond all counting": changed(KEPT, page=page_with(version=2**70)),
    "a version before the first": changed(KEPT, page=page_with(version=0)),
    "a version that is true": changed(KEPT, page=page_with(version=True)),
    "half a version": changed(KEPT, page=page_with(version=1.5)),
    "more chunks than can be counted": changed(KEPT, chunk_count=2**70),
    "an address that is none": changed(KEPT, page=page_with(url=None)),
    "a view that is none": changed(KEPT, page=page_with(view=5)),
    "an earlier text of another page": changed(KEPT, former=[page_with(url="https://example.com/other")]),
    "one version twice": changed(KEPT, former=[page_with(), page_with()]),
    "a size in words": changed(KEPT, page=page_with(details=details_with(body_bytes="many"))),
    "a size below nothing": changed(KEPT, page=page_with(details=details_with(body_bytes=-1))),
    "a switch in words": changed(KEPT, page=page_with(details=details_with(is_cut="no"))),
    "a tag that is a number": changed(KEPT, page=page_with(details=details_with(etag=5))),
    "fresh without end": changed(KEPT, page=page_with(details=details_with(fresh_until=float("inf")))),
    "an author that is a list": changed(KEPT, page=page_with(details=details_with(info={"author": []}))),
    "a link to a number": changed(KEPT, page=page_with(details=details_with(links=[["on", 5]]))),
    "an amount beyond all there is": '{"gossamer": 1, "spending": ["a", "paid", "2026-11-16", 9999999999999999, null]}',
    "an amount below nothing": '{"gossamer": 1, "spending": ["a", "paid", "2026-11-16", -1, null]}',
    "an amount that is true": '{"gossamer": 1, "spending": ["a", "paid", "2026-11-16", true, null]}',
    "a day that is none": '{"gossamer": 1, "spending": ["a", "paid", "9999", 5, null]}',
    "set aside without end": '{"gossamer": 1, "spending": ["a", "paid", "2026-11-16", 5, Infinity]}',
    "half an entry": '{"gossamer": 1, "spending": ["a", "paid"]}',
    "an amount in words": '{"gossamer": 1, "spending": ["a", "paid", "2026-11-16", "five", null]}',
}


@pytest.mark.parametrize("line", REFUSED.values(), ids=REFUSED)
def test_a_line_that_is_no_record_is_refused(line: str) -> None:
    with pytest.raises(InvalidArgument):
        record_of(line)
