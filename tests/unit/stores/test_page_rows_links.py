"""Link targets as they lie in a row: what was written, or nothing at all."""

import json
import zlib
from base64 import b64encode
from typing import Any

import pytest

from gossamer.model.page import LinkSpan, Page
from gossamer.steps.text.link_targets import apart
from gossamer.stores.shared.page_rows import is_another_text, packed, unpacked

SPANS = (LinkSpan(0, 3, "https://a.test/é?x=1"), LinkSpan(3, 5, "http://b.test/\ud800"))


def written(value: Any) -> str:
    return b64encode(zlib.compress(json.dumps(value).encode())).decode()


def test_spans_come_back_as_they_were() -> None:
    assert unpacked(packed(SPANS), 5) == SPANS
    assert unpacked(packed(()), 0) == ()
    many = tuple(LinkSpan(at, at + 1, f"https://example.com/a/long/way/{at}") for at in range(0, 2000, 2))
    assert len(packed(many)) < len(json.dumps(many)) / 4


UNSOUND = {
    "no base64": "%%%",
    "no zlib": b64encode(b"text").decode(),
    "cut": b64encode(zlib.compress(json.dumps(SPANS).encode())[:-3]).decode(),
    "no JSON": b64encode(zlib.compress(b"[")).decode(),
    "no spans": written([]),
    "no list": written(7),
    "two numbers": written([[0, 1]]),
    "beyond the text": written([[0, 6, "https://a.test"]]),
    "before the text": written([[-1, 1, "https://a.test"]]),
    "nothing in it": written([[1, 1, "https://a.test"]]),
    "one in another": written([[0, 3, "https://a.test"], [2, 4, "https://a.test"]]),
    "another scheme": written([[0, 3, "javascript:1"]]),
    "no address": written([[0, 3, 7]]),
    "no numbers": written([["a", "b", "https://a.test"]]),
}


@pytest.mark.parametrize("digits", UNSOUND.values(), ids=UNSOUND)
def test_what_was_not_written_so_is_damage(digits: str) -> None:
    with pytest.raises((ValueError, TypeError, AttributeError, zlib.error)):
        unpacked(digits, 5)


def test_a_text_is_another_unless_only_its_targets_went() -> None:
    def page(text: str) -> Page:
        return Page(url="u", final_url="u", title="", text=text, fetched_at=0.0)

    linked = page("A [b](https://a.test).")
    split = apart(linked)
    assert not is_another_text(linked, split)
    assert not is_another_text(split, split)
    assert is_another_text(split, linked)
    assert is_another_text(linked, page("A b."))
    assert is_another_text(page("A [b](https://other.test)."), split)
