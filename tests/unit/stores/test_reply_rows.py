"""Replies as rows: what is not what was written is damage."""

from dataclasses import replace

import pytest

from gossamer.stores.shared.chunk_rows import DamagedRow
from gossamer.stores.shared.reply_rows import ReplyRow, decode_reply, encode_reply
from gossamer.testing.store_replies import made_of, reply_of

URL = "https://a.test/"
REPLY = reply_of(made_of("one"), identity="me")
ROW = encode_reply(URL, REPLY)
DAMAGED: dict[str, ReplyRow] = {
    "bytes of another reply": replace(ROW, body=encode_reply(URL, replace(REPLY, body=b"other")).body),
    "bytes that do not unpack": replace(ROW, body=b"x" * 10),
    "details that are no JSON": replace(ROW, details="{"),
    "details that are a list": replace(ROW, details="[]"),
    "details without a field": replace(ROW, details="{}"),
    "another type": replace(ROW, details=7),  # type: ignore[arg-type]
}


def decoded(row: ReplyRow, *, url: str = URL, identity: str = "me") -> object:
    return decode_reply(url, identity, (row.fetched_at, row.fresh_until, row.body_hash, row.details, row.body))


def test_a_row_holds_the_whole_reply() -> None:
    assert decoded(ROW) == REPLY
    assert ROW.size > len(ROW.body)


@pytest.mark.parametrize("row", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_row_is_told(row: ReplyRow) -> None:
    with pytest.raises(DamagedRow):
        decoded(row)


def test_a_row_of_another_address_or_identity_is_damage() -> None:
    with pytest.raises(DamagedRow):
        decoded(ROW, url="https://b.test/")
    with pytest.raises(DamagedRow):
        decoded(ROW, identity="")
