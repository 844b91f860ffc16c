import io
from collections.abc import Callable
from typing import cast

import pytest

from gossamer.compose import SystemClock
from gossamer.errors import (
    BrokenDocument,
    Denied,
    GossamerError,
    InvalidArgument,
    Outcome,
    StoreUnavailable,
    TooComplex,
)
from gossamer.extractors.workers import frames
from gossamer.extractors.workers.frames import BrokenFrame
from gossamer.extractors.workers.pool import note_faults
from gossamer.extractors.workers.request_handler import handle
from gossamer.model.http import HttpReply
from gossamer.model.page import MAX_LINKS, Extracted, LeftOut, Link, PageInfo, View
from gossamer.ports import Call

RESULT = Extracted(
    outcome=Outcome.PAYWALL,
    title="Lamps",
    text="Grüße 東京",
    info=PageInfo(author="Ada", price="24.90 EUR"),
    links=(Link(text="Oil", url="https://a.example/oil"),),
    hidden=3,
    left_out=LeftOut(lists=2, words=30),
    message="partial",
    faults=("metadata", "tables"),
)


def crossed(header: frames.Header, body: bytes) -> Extracted:
    frame = frames.read_frame(io.BytesIO(frames.pack(header, body) + body))
    assert frame is not None
    return frames.result_of(frame[0], frame[1].decode())


def test_a_result_crosses_unchanged() -> None:
    assert crossed(*frames.reply(RESULT)) == RESULT


def test_a_request_crosses_unchanged() -> None:
    view = View(format="text", selector="p", include_links=False, include_images=True)
    header = frames.request("text/html", "https://a.example/", view)
    frame = frames.read_frame(io.BytesIO(frames.pack(header, b"body") + b"body"))
    assert frame == (header, b"body")
    assert frames.view_of(header) == view


def test_an_error_is_raised_again_as_what_it_was() -> None:
    with pytest.raises(Denied) as caught:
        crossed(*frames.reply_error(Denied("No.", hint="Ask.")))
    assert (caught.value.message, caught.value.hint) == ("No.", "Ask.")


SECRET = "SECRET-WORD"
STRANGE: dict[str, GossamerError] = {
    "not in the table": StoreUnavailable("x"),
    "a long sentence": TooComplex("x" * 10_000),
}


@pytest.mark.parametrize("error", STRANGE.values(), ids=STRANGE)
def test_a_worker_chooses_among_few_errors_and_short_sentences(error: GossamerError) -> None:
    with pytest.raises((BrokenDocument, TooComplex)) as caught:
        crossed(*frames.reply_error(error))
    assert len(caught.value.message) <= 500


def test_a_text_longer_than_a_page_may_be_is_cut_and_says_so() -> None:
    result = crossed(*frames.reply(Extracted(text="東" * 4 * 1024**2)))
    assert len(result.text.encode()) <= frames.MAX_TEXT_BYTES
    assert result.text == "東" * len(result.text)
    assert "cut at 10 MiB" in result.message


NONSENSE: dict[str, Callable[[], object]] = {
    "a huge header": lambda: frames.unpack_sizes(b"\x7f\x00\x00\x00\x00\x00\x00\x00"),
    "a huge body": lambda: frames.unpack_sizes(b"\x00\x00\x00\x00\x7f\x00\x00\x00"),
    "no JSON": lambda: frames.unpack_header(b"\xff{"),
    "deep JSON": lambda: frames.unpack_header(b"[" * 100_000),
    "no object": lambda: frames.unpack_header(b"[]"),
    "neither result nor error": lambda: frames.result_of({}, ""),
    "an outcome of its own": lambda: frames.result_of({"result": {"outcome": "fine"}}, ""),
}


@pytest.mark.parametrize("do", NONSENSE.values(), ids=NONSENSE)
def test_nonsense_from_a_worker_is_a_broken_frame(do: Callable[[], object]) -> None:
    with pytest.raises(BrokenFrame):
        do()


def test_fields_of_wrong_types_are_made_harmless() -> None:
    result = frames.result_of({"result": {"outcome": "ok", "title": 3, "info": [], "hidden": "many"}}, "text")
    assert result == Extracted(title="3", text="text")


@pytest.mark.parametrize("faults", [["tables", "tables", SECRET, 7], None, "tables", {"tables": 1}])
def test_only_stages_of_ours_are_named_by_a_worker_that_a_page_has_taken_over(faults: object) -> None:
    header, _ = frames.reply(Extracted(text="Lamps"))
    result = frames.result_of({"result": {**cast("dict[str, object]", header["result"]), "faults": faults}}, "Lamps")
    assert result.faults == (("tables",) if isinstance(faults, list) else ())


def test_a_page_that_took_too_much_is_asked_for_by_the_simplest_rules() -> None:
    header = frames.request("text/html", "https://a.example/", View(), is_plain=True)
    result = crossed(*handle(header, b"<nav>Home</nav><p hidden>No</p><p>The lamps burned all night.</p>"))
    assert result.text == "The lamps burned all night."
    assert "more time or memory" in result.message


def test_stages_that_failed_are_told_without_the_address(caplog: pytest.LogCaptureFixture) -> None:
    call = Call(clock=SystemClock())
    reply = HttpReply(status=200, url="https://a.example/secret", headers={}, body=b"")
    note_faults(Extracted(text="Lamps"), reply, call)
    assert (call.log.parts, caplog.records) == ([], [])
    note_faults(Extracted(text="Lamps", faults=("metadata", "tables")), reply, call)
    assert [part.name for part in call.log.parts] == ["stage.metadata", "stage.tables"]
    assert "failed in part (metadata, tables)" in caplog.text
    assert "secret" not in caplog.text


def test_a_stream_that_ends_in_mid_frame_has_ended() -> None:
    whole = frames.pack({"a": 1}, b"body") + b"body"
    assert frames.read_frame(io.BytesIO(b"")) is None
    assert frames.read_frame(io.BytesIO(whole[:5])) is None
    assert frames.read_frame(io.BytesIO(whole[:-1])) is None


def test_a_request_is_answered_with_a_result_or_an_error() -> None:
    page = frames.request("text/plain", "https://a.example/", View())
    assert crossed(*handle(page, b"words")).text == "words"
    with pytest.raises(InvalidArgument):
        crossed(*handle(frames.request("text/html", "https://a.example/", View(selector="p[")), b"<p>words</p>"))


def test_a_fault_that_is_none_of_our_errors_is_a_broken_document_and_the_last_page_of_its_process() -> None:
    nothing_asked: frames.Header = {}
    said, body = handle(nothing_asked, b"words")
    assert said["last"] is True
    with pytest.raises(BrokenDocument, match=r"cannot be read.*another source"):
        crossed(said, body)


LINK = {"text": "a", "url": "https://a.example/"}
ODD_LINKS: dict[str, tuple[object, int]] = {
    "none": (None, 0),
    "no list": ({"text": "a"}, 0),
    "odd rows": ([3, None, [], {}, {"text": 1, "url": "https://a.example/"}, LINK], 1),
    "no address of the web": ([{"text": "a", "url": url} for url in ("javascript:x", "", "https://", "http://a b")], 0),
    "a long address": ([{"text": "a", "url": "https://a.example/" + "x" * 5_000}], 0),
    "too many": ([LINK] * 1_000, MAX_LINKS),
}


@pytest.mark.parametrize(("links", "count"), ODD_LINKS.values(), ids=ODD_LINKS)
def test_links_of_a_worker_that_a_page_has_taken_over_are_bounded(links: object, count: int) -> None:
    header, body = frames.reply(RESULT)
    result = header["result"]
    assert isinstance(result, dict)
    assert len(frames.result_of({"result": {**result, "links": links}}, body.decode()).links) == count


def test_fields_of_a_worker_that_a_page_has_taken_over_are_bounded() -> None:
    header, _ = frames.reply(RESULT)
    result = header["result"]
    assert isinstance(result, dict)
    told = frames.result_of(
        {"result": {**result, "title": "x" * 10**5, "info": {"facts": "x" * 10**5, "structured": "x" * 10**5}}}, ""
    )
    assert len(told.title) == len(told.info.facts) == 8_000
    assert len(told.info.structured) == 16_000


STRANGE_COUNTS: dict[str, object] = {
    "a sentence": "two lists",
    "too few": [1, 2],
    "texts": ["1", "2", "3", "4"],
    "nothing": None,
}


@pytest.mark.parametrize("counts", STRANGE_COUNTS.values(), ids=STRANGE_COUNTS)
def test_counts_that_are_none_of_ours_are_passed_over(counts: object) -> None:
    header, body = frames.reply(RESULT)
    fields = {**cast("dict[str, object]", header["result"]), "left_out": counts}
    assert crossed({"result": fields}, body).left_out == LeftOut()


def test_counts_stay_within_what_a_page_may_hold() -> None:
    header, body = frames.reply(RESULT)
    fields = {**cast("dict[str, object]", header["result"]), "left_out": [-1, 10**30, 0, 5]}
    assert crossed({"result": fields}, body).left_out == LeftOut(tables=10_000_000, words=5)
