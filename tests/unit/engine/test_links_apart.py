"""Link targets are kept apart from the text: found by words alone, and pages of an older Gossamer become the same."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from gossamer.errors import BadCursor, StoreUnavailable, Unreachable
from gossamer.model.page import Chunk, Link, Page, View
from gossamer.model.records import KeptReply
from gossamer.steps.text.link_targets import markdown_hash, markdown_of
from gossamer.stores.memory import MemoryStore
from tests.unit.engine.test_fetching_again import CountingStore, not_modified
from tests.unit.engine.test_isolation import by
from tests.unit.engine.world import World

URL = "https://a.test/guide"
LINKED = "# Ferries\n\nThe [ferry](https://a.test/?@action=redirect) leaves at [noon](https://a.test/times)."
TEXT = "# Ferries\n\nThe ferry leaves at noon."
DAY = 86_400.0
OTHER_VIEWS = (View(format="text"), View(selector="p"), View(include_images=True))


def world_of(store: MemoryStore, text: str = LINKED) -> World:
    world = World(store=store)
    world.serve(URL, text, etag='"v1"')
    return world


async def kept_before(store: MemoryStore, world: World, **more: object) -> Page:
    """A page as an older Gossamer has kept it."""
    page = await world.engine().fetch(URL, world.call())
    await store.remove(URL)
    before = replace(page, text=LINKED, targets=None, **more)  # type: ignore[arg-type]  # fields of a page
    return await store.save(before, ())


async def test_a_page_is_kept_and_found_by_its_text_alone() -> None:
    store = MemoryStore()
    world = world_of(store)
    page = await world.engine().fetch(URL, world.call())
    assert (page.text, markdown_of(page)) == (TEXT, LINKED)
    assert await store.find("redirect", count=5) == ()
    (hit,) = await store.find("noon", count=5)
    assert "https://" not in hit.snippet


@pytest.mark.parametrize("view", OTHER_VIEWS, ids=lambda view: view.key)
async def test_other_views_are_kept_as_they_were_made(view: View) -> None:
    world = world_of(MemoryStore())
    page = await world.engine().fetch(URL, world.call(), view=view)
    assert (page.text, page.targets) == (LINKED, None)


async def test_a_large_page_is_split_too() -> None:
    text = f"{LINKED}\n\n" * 4_000
    world = world_of(MemoryStore(), text)
    page = await world.engine().fetch(URL, world.call())
    assert page.text == f"{TEXT}\n\n" * 4_000
    assert markdown_of(page) == text


async def test_passages_are_spans_of_the_text() -> None:
    world = world_of(MemoryStore())
    reading = await world.engine().read([URL], ["When does the ferry leave?"], world.call())
    (passage,) = reading.passages
    assert passage.text == TEXT[passage.start : passage.end]
    assert passage.text.endswith("The ferry leaves at noon.")


async def test_a_page_of_an_older_gossamer_is_converted_when_it_is_used_and_kept_so() -> None:
    store = CountingStore()
    world = world_of(store)
    before = await kept_before(store, world)
    assert len(await store.find("redirect", count=5)) == 0
    saves, asked = len(store.saved), len(world.web.asked)
    engine = world.engine()
    page = await engine.fetch(URL, world.call())
    assert (page.text, markdown_of(page)) == (TEXT, LINKED)
    assert (page.version, page.fetched_at) == (before.version, before.fetched_at)
    assert await store.page(URL) == page
    assert [chunk.text for chunk in await store.chunks(page)] == [TEXT]
    assert len(await store.versions(URL)) == 1
    await engine.fetch(URL, world.call())
    assert (len(store.saved), len(world.web.asked)) == (saves + 1, asked)


async def test_an_old_page_that_the_site_confirms_is_converted_without_being_read_anew() -> None:
    store = MemoryStore()
    world = world_of(store)
    await kept_before(store, world)
    extracted = len(world.extractor.asked)
    world.clock.time += DAY + 1
    world.web.answers[URL] = not_modified(URL)
    page = await world.engine().fetch(URL, world.call())
    assert (page.text, markdown_of(page), page.version) == (TEXT, LINKED, 1)
    assert page.fetched_at == world.clock.time
    assert len(world.extractor.asked) == extracted


async def test_a_page_whose_targets_an_older_gossamer_left_out_is_read_anew_when_it_is_old() -> None:
    store = MemoryStore()
    world = world_of(store)
    engine = world.engine()
    page = await engine.fetch(URL, world.call())
    links = (Link(text="ferry", url="https://a.test/?@action=redirect"),)
    await store.save(replace(page, targets=None, links=links), ())
    assert (await engine.fetch(URL, world.call())).text == TEXT
    world.clock.time += DAY + 1
    again = await engine.fetch(URL, world.call())
    assert len(world.extractor.asked) == 2
    assert markdown_of(again) == LINKED


class Unwritable(MemoryStore):
    """Can be read alone."""

    async def save(self, page: Page, chunks: Sequence[Chunk], reply: KeptReply | None = None) -> Page:
        raise StoreUnavailable("The disk is full.", hint="Free some space.")


async def test_what_cannot_be_kept_anew_is_read_all_the_same() -> None:
    store = MemoryStore()
    world = world_of(store)
    await kept_before(store, world)
    vars(store)["save"] = Unwritable().save
    call = world.call()
    page = await world.engine().fetch(URL, call)
    assert (page.text, markdown_of(page)) == (TEXT, LINKED)
    assert any("not kept" in note for note in call.log.notes)


async def test_what_another_process_keeps_meanwhile_in_the_old_way_is_split_too() -> None:
    store = MemoryStore()
    world = world_of(store)
    before = await kept_before(store, world)
    newer = replace(before, text=LINKED.replace("noon", "six"), fetched_at=before.fetched_at + 1)
    asked = store.page

    async def page_and_then_another(url: str, view: str = "", *, content_hash: str = "") -> Page | None:
        page = await asked(url, view, content_hash=content_hash)
        await store.save(newer, ())
        return page

    vars(store)["page"] = page_and_then_another
    world.clock.time += 2
    page = await world.engine().fetch(URL, world.call())
    assert page.text == TEXT.replace("noon", "six")


async def test_a_text_is_found_by_its_hash_of_now_and_of_before() -> None:
    store = MemoryStore()
    world = world_of(store)
    before = await kept_before(store, world)
    engine = world.engine()
    assert (await engine.snapshot(URL, world.call(), content_hash=before.content_hash)).text == LINKED
    page = await engine.fetch(URL, world.call())
    for named in (page.content_hash, markdown_hash(page), before.content_hash):
        assert (await engine.snapshot(URL, world.call(), content_hash=named)).text == TEXT
    with pytest.raises(BadCursor):
        await engine.snapshot(URL, world.call(), content_hash="f" * 64)


async def test_a_user_is_shown_the_targets_of_its_own_visit_alone() -> None:
    store = MemoryStore()
    world = world_of(store)
    engine = world.engine()
    await engine.fetch(URL, by("ada", world))
    world.serve(URL, LINKED.replace("times", "session-of-bob"))
    world.clock.time += DAY + 1
    assert "session-of-bob" in markdown_of(await engine.fetch(URL, by("bob", world)))
    world.web.answers.clear()
    world.clock.time += 1
    with pytest.raises(Unreachable):
        await engine.fetch(URL, by("ada", world))
