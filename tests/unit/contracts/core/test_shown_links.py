"""Link targets as the tools show them: inline in a page, on request in passages and answers."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.contracts.core.render_reading import reading_reply, room_for
from gossamer.contracts.render.page import page_reply
from gossamer.engine import Engine
from gossamer.errors import BadCursor
from gossamer.model.answer import Reading
from gossamer.steps.text.link_targets import apart, place_in_text, with_targets
from tests.patience import tried
from tests.unit.contracts.core.test_tools import Caller, cursor_of
from tests.unit.contracts.material import DICE, addresses, blocks, frame, page, passages, true_tokens
from tests.unit.engine.world import SEARX, World, searxng_reply

URL = "https://a.test/guide"
LINKED = "# Ferries\n\nThe [ferry](https://a.test/?@action=redirect) leaves at [noon](https://a.test/times)."
TEXT = "# Ferries\n\nThe ferry leaves at noon."
ASKED: dict[str, Any] = {"urls": [URL], "queries": ["When does the ferry leave?"]}
MANY = "\n\n".join(
    f"The [ferry {n}](https://a.test/boats/{n}) leaves at [noon](https://a.test/times/{n})." for n in range(200)
)


@pytest.fixture
def world() -> World:
    world = World()
    world.serve(URL, LINKED)
    world.api.answers[f"{SEARX}/search"] = searxng_reply(URL)
    return world


@pytest.fixture
def engine(world: World) -> Engine:
    return world.engine()


@pytest.fixture
def call(world: World, engine: Engine) -> Caller:
    return Caller(world, engine)


async def test_a_page_is_shown_with_its_targets(call: Caller) -> None:
    reply = await call("web_fetch", url=URL)
    assert LINKED in reply.text
    assert reply.meta["gossamer/span"] == [0, len(LINKED), len(LINKED)]


async def test_a_reading_has_targets_where_they_are_wanted(call: Caller) -> None:
    reply = await call("web_read", **ASKED)
    assert TEXT in reply.text
    linked = await call("web_read", **ASKED, include_links=True)
    assert LINKED in linked.text
    for each in (reply, linked):
        (span,) = each.meta["gossamer/passages"]
        assert TEXT[span["start"] : span["end"]] == TEXT


async def test_a_search_shows_pages_without_targets(call: Caller) -> None:
    reply = await call("web_search", query="When does the ferry leave?")
    assert TEXT in reply.text
    assert "/times" not in reply.text


async def test_an_answer_has_targets_where_they_are_wanted_and_quotes_the_text(call: Caller) -> None:
    asked = {"question": "When does the ferry leave?"}
    plain = await call("web_answer", **asked)
    assert "The ferry leaves at noon." in plain.data.answer
    assert "/times" not in plain.text
    linked = await call("web_answer", **asked, include_links=True)
    assert "leaves at [noon](https://a.test/times)." in linked.data.answer
    for reply in (plain, linked):
        (citation,) = reply.data.citations
        assert TEXT[citation.start : citation.end] == citation.quote == "The ferry leaves at noon."


async def test_a_page_is_walked_by_places_in_what_is_shown_while_its_links_lead_to_the_same(
    world: World, call: Caller
) -> None:
    world.serve(URL, MANY)
    reply = await call("web_fetch", url=URL, max_length=3_000)
    cursor, shown = cursor_of(reply), reply.meta["gossamer/span"][1]
    rest = await call("web_fetch", url=URL, cursor=cursor)
    assert rest.meta["gossamer/span"][0] == shown
    assert MANY[shown : shown + 500] in rest.text
    world.serve(URL, MANY.replace("/times/", "/timetable/"))
    world.clock.time += 10
    assert "/timetable/" in (await call("web_fetch", url=URL, force_refresh=True)).text
    with pytest.raises(BadCursor, match="has expired"):
        await call("web_fetch", url=URL, cursor=cursor)


async def test_a_reading_with_targets_is_walked_to_its_end_within_the_budget(world: World, call: Caller) -> None:
    world.serve(URL, MANY)
    reply = await call("web_read", **ASKED, max_tokens=400, max_results=3, include_links=True)
    spans, replies = list(reply.meta["gossamer/passages"]), 1
    while cursor := cursor_of(reply):
        assert true_tokens(reply.text) <= 400
        reply = await call("web_read", **ASKED, cursor=cursor)
        assert "](https://a.test/" in reply.text
        spans += reply.meta["gossamer/passages"]
        replies += 1
    assert replies > 1
    places = [n for span in spans for n in range(span["start"], span["end"])]
    assert len(places) == len(set(places)) > 0


@tried(20)
@given(DICE, st.integers(300, 2_000))
def test_what_is_shown_of_a_passage_is_its_span_with_targets(dice: Any, max_tokens: int) -> None:
    owner = apart(page(addresses(dice, 4_000)))
    size = len(owner.text)
    reading = Reading(pages=(owner,), passages=passages(owner, [(0, size // 2), (size // 2, size)]), queries=("What?",))
    envelope = frame(max_tokens, tool="web_read")
    reply = reading_reply(reading, start=0, skip=0, with_metadata=False, with_links=True, frame=envelope)
    (block,) = blocks(reply.text)
    for span in reply.meta["gossamer/passages"]:
        written = with_targets(owner.text, owner.targets or (), span["start"], span["end"])
        assert place_in_text(owner.targets or (), span["start"], span["end"], len(written)) == span["end"]
        assert written[:40].rstrip("\n") in block
    assert room_for(reading, with_metadata=False, with_links=True, frame=envelope) <= max_tokens


def test_slices_of_a_page_are_slices_of_its_markdown() -> None:
    owner = apart(page(MANY))
    assert owner.targets
    shown, start = "", 0
    while True:
        reply = page_reply(owner, start=start, max_length=5_000, frame=frame(1_000))
        begin, end, size = reply.meta["gossamer/span"]
        shown, start = shown + MANY[begin:end], end
        assert MANY[begin:end].strip() in reply.text
        if end == size:
            break
    assert shown == MANY
