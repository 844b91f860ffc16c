"""An export as lines."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.errors import InvalidArgument, Outcome
from gossamer.model.kept import Kept, Spending
from gossamer.model.page import Link, PageInfo
from gossamer.stores.lines import line_of, record_of
from gossamer.testing.store_cases import chunks_of, page_of, pointing

PAGE = replace(
    page_of("Die Straße nach 東京.\n\x00 end\ud800 of it", title="Ein Führer"),
    outcome=Outcome.PAYWALL,
    info=PageInfo(author="Ann", published="2026-01-02"),
    links=(Link(text="on", url="https://example.com/on"),),
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


@given(text=st.text(), title=st.text(), at=st.floats(0, 1e12))
def test_a_page_of_any_text_comes_back(text: str, title: str, at: float) -> None:
    kept = Kept(page=page_of(text, title=title, at=at))
    assert record_of(line_of(kept)) == kept


def changed(record: Kept | Spending, **changes: object) -> str:
    return json.dumps({**json.loads(line_of(record)), **changes})


def page_with(**changes: object) -> dict[str, object]:
    return {**json.loads(line_of(KEPT))["page"], **changes}


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
    "half an entry": '{"gossamer": 1, "spending": ["a", "paid"]}',
    "an amount in words": '{"gossamer": 1, "spending": ["a", "paid", "2026-11-16", "five", null]}',
}


@pytest.mark.parametrize("line", REFUSED.values(), ids=REFUSED)
def test_a_line_that_is_no_record_is_refused(line: str) -> None:
    with pytest.raises(InvalidArgument):
        record_of(line)
