"""One fetch, many views: another view of a page is made of the bytes that are kept while they are fresh."""

import asyncio
from dataclasses import replace

import pytest

from gossamer.errors import NeedsScript, Unreachable
from gossamer.model.http import FetchPolicy, HttpReply, HttpRequest
from gossamer.model.page import View
from gossamer.model.search import Query
from gossamer.ports import Call
from tests.unit.engine.world import SEARX, World, searxng_reply

URL = "https://a.test/page"
TEXT = "# A page\n\nThe ferry leaves at noon."
PART, HTML, PLAIN = View(selector="h1"), View(format="html"), View(format="text")
DAY = 86_400.0


def by(caller: str, world: World) -> Call:
    return replace(world.call(), caller=caller)


def tagged(request: HttpRequest) -> HttpReply:
    """A site that knows its page by a tag."""
    status = 304 if request.headers.get("if-none-match") == '"v1"' else 200
    headers = {"content-type": "text/html", "etag": '"v1"'}
    return HttpReply(status=status, url=URL, headers=headers, body=TEXT.encode() if status == 200 else b"")


@pytest.mark.parametrize("first", [View(), PART, HTML], ids=["whole", "part", "html"])
async def test_another_view_of_a_fresh_page_costs_no_request(first: View) -> None:
    world = World()
    world.serve(URL, TEXT)
    engine = world.engine()
    before = await engine.fetch(URL, world.call(), view=first)
    world.clock.time += 60
    for view in (View(), PART, HTML, PLAIN, View(selector="p")):
        page = await engine.fetch(URL, world.call(), view=view)
        assert (page.text, page.view) == (TEXT, view.key)
        assert (page.fetched_at, page.fresh_until) == (before.fetched_at, before.fresh_until)
    assert len(world.web.asked) == 1
    assert len(world.extractor.asked) == 5


async def test_a_view_that_was_made_is_kept_and_not_made_again() -> None:
    world = World()
    world.serve(URL, TEXT)
    engine = world.engine()
    await engine.fetch(URL, world.call())
    for _ in range(3):
        await engine.fetch(URL, world.call(), view=PART)
    assert world.extractor.asked == [View(), PART]


async def test_who_wants_the_same_view_at_once_has_it_made_once() -> None:
    world = World()
    world.serve(URL, TEXT)
    engine = world.engine()
    await engine.fetch(URL, world.call())
    await asyncio.gather(*(engine.fetch(URL, world.call(), view=PART) for _ in range(5)))
    assert world.extractor.asked == [View(), PART]


async def test_a_stale_page_is_asked_for_with_its_tag_and_read_from_the_bytes_at_hand() -> None:
    world = World()
    world.web.answers[URL] = tagged
    engine = world.engine()
    await engine.fetch(URL, world.call())
    world.clock.time += DAY + 60
    page = await engine.fetch(URL, world.call(), view=PART)
    assert [asked.headers.get("if-none-match") for asked in world.web.asked] == [None, '"v1"']
    assert (page.text, page.fetched_at, page.etag) == (TEXT, world.clock.now(), '"v1"')
    await engine.fetch(URL, world.call(), view=HTML)
    assert len(world.web.asked) == 2


async def test_a_page_that_was_confirmed_has_its_bytes_confirmed_too() -> None:
    world = World()
    world.web.answers[URL] = tagged
    engine = world.engine()
    await engine.fetch(URL, world.call(), view=HTML)
    await engine.fetch(URL, world.call())
    world.clock.time += DAY + 60
    confirmed = await engine.fetch(URL, world.call())
    page = await engine.fetch(URL, world.call(), view=PART)
    assert (len(world.web.asked), page.fetched_at) == (2, confirmed.fetched_at)


async def test_a_forced_refresh_asks_the_site_in_any_view_but_not_within_seconds() -> None:
    world = World()
    world.serve(URL, TEXT)
    engine = world.engine()
    await engine.fetch(URL, world.call())
    soon = world.call()
    await engine.fetch(URL, soon, view=PART, force_refresh=True)
    assert (len(world.web.asked), "not fetched again so soon" in soon.log.notes[0]) == (1, True)
    world.clock.time += 6
    world.serve(URL, TEXT.replace("noon", "one"))
    assert "one" in (await engine.fetch(URL, world.call(), view=PART, force_refresh=True)).text
    assert "one" in (await engine.fetch(URL, world.call(), view=HTML)).text
    assert len(world.web.asked) == 2


@pytest.mark.parametrize(
    ("url", "headers"),
    [
        (URL, {"cache_control": "no-store"}),
        (f"{URL}?token=abc", {}),
        (f"{URL}?X-Amz-Signature=1", {}),
        (f"{URL};jsessionid=0A1B", {}),
        (URL, {"cache_control": "no-cache"}),
    ],
    ids=["no-store", "a token", "a signature", "a session", "stale at once, and nothing to confirm it by"],
)
async def test_bytes_that_may_not_be_kept_or_serve_nobody_are_not_kept(url: str, headers: dict[str, str]) -> None:
    world = World()
    world.serve(url, TEXT, **headers)
    engine = world.engine()
    await engine.fetch(url, world.call())
    await engine.fetch(url, world.call(), view=PART)
    assert world.store
    assert await world.store.reply(url) is None
    assert len(world.web.asked) == 2


async def test_bytes_from_behind_a_signed_address_are_not_kept() -> None:
    world = World()
    world.web.answers[URL] = HttpReply(status=200, url="https://cdn.test/f?X-Amz-Signature=s", body=TEXT.encode())
    engine = world.engine()
    await engine.fetch(URL, world.call())
    assert world.store
    assert await world.store.reply(URL) is None


async def test_a_part_that_one_tool_read_serves_nobody_else() -> None:
    world = World()
    world.web.answers[URL] = HttpReply(status=200, url=URL, body=TEXT.encode(), is_cut=True)
    engine = world.engine()
    await engine.fetch(URL, world.call(), policy=FetchPolicy(max_bytes=10))
    await engine.fetch(URL, world.call(), view=PART)
    assert len(world.web.asked) == 2


async def test_an_identity_has_bytes_of_its_own() -> None:
    world = World()
    world.serve(URL, TEXT)
    engine = world.engine()
    me = FetchPolicy(user_agent="Me/1.0")
    await engine.fetch(URL, world.call())
    await engine.fetch(URL, world.call(), view=PART, policy=me)
    assert len(world.web.asked) == 2
    await engine.fetch(URL, world.call(), view=HTML, policy=me)
    assert len(world.web.asked) == 2


async def test_a_tool_that_wants_younger_pages_asks_the_site() -> None:
    world = World()
    world.serve(URL, TEXT)
    engine = world.engine()
    await engine.fetch(URL, world.call())
    world.clock.time += 600
    await engine.fetch(URL, world.call(), view=PART, policy=FetchPolicy(fresh_s=300))
    assert len(world.web.asked) == 2


async def test_what_is_opened_by_the_operator_is_asked_for_each_time() -> None:
    world = World()
    world.web.answers[URL] = lambda request: replace(tagged(request), space="inside")
    engine = world.engine()
    for view in (View(), View(), PART, View()):
        page = await engine.fetch(URL, world.call(), view=view)
        assert (page.text, page.fresh_until) == (TEXT, page.fetched_at)
    assert [asked.headers.get("if-none-match") for asked in world.web.asked] == [None, '"v1"', '"v1"', '"v1"']
    assert world.extractor.asked == [View(), PART]
    await engine.fetch(URL, world.call(), force_refresh=True)
    assert len(world.web.asked) == 4
    world.clock.time += 5
    await engine.fetch(URL, world.call(), force_refresh=True)
    assert len(world.web.asked) == 5


async def test_a_view_that_cannot_be_made_is_an_error_as_if_it_had_been_fetched() -> None:
    world = World()
    world.serve(URL, TEXT)
    engine = world.engine()
    await engine.fetch(URL, world.call())
    world.extractor.fails = NeedsScript("The page is drawn by a script.", hint="Look elsewhere.")
    call = world.call()
    with pytest.raises(NeedsScript):
        await engine.fetch(URL, call, view=PART)
    assert [(part.name, part.outcome.value) for part in call.log.parts] == [("view", "js_required")]
    assert len(world.web.asked) == 1


async def test_a_user_is_served_from_bytes_of_its_own_alone_and_told_its_own_times() -> None:
    world = World()
    world.serve(URL, TEXT)
    engine = world.engine()
    await engine.fetch(URL, by("user:alice", world))
    world.clock.time += 60
    bob = await engine.fetch(URL, by("user:bob", world), view=PART)
    assert (len(world.web.asked), bob.fetched_at) == (2, world.clock.now())
    world.clock.time += 60
    again = await engine.fetch(URL, by("user:bob", world), view=HTML)
    assert (len(world.web.asked), again.fetched_at) == (2, bob.fetched_at)
    world.web.answers.clear()
    with pytest.raises(Unreachable):
        await engine.fetch(URL, by("user:carol", world), view=HTML)


async def test_an_answer_can_be_made_of_pages_that_are_asked_for_again() -> None:
    world = World()
    world.api.answers[f"{SEARX}/search"] = searxng_reply(URL)
    world.serve(URL, TEXT)
    engine = world.engine()
    question = Query(text="When does the ferry leave?")
    await engine.answer(question, world.call())
    world.clock.time += 60
    await engine.answer(question, world.call())
    assert len(world.web.asked) == 1
    world.serve(URL, TEXT.replace("noon", "one"))
    answer = await engine.answer(question, world.call(), force_refresh=True)
    assert len(world.web.asked) == 2
    assert any("leaves at one" in citation.quote for citation in answer.citations)
