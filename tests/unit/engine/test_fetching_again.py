"""A page that was kept: what is sent when it is asked for again, and what is not done again."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from gossamer.embedders.local import LocalEmbedder
from gossamer.errors import BrokenReply
from gossamer.model.http import HttpReply
from gossamer.model.page import Chunk, Page, Vectors, View
from gossamer.model.records import KeptReply
from gossamer.ports import Call, Heard, unheard
from gossamer.stores.memory import MemoryStore
from tests.unit.engine.world import World

URL = "https://a.test/page"
OTHER = "https://b.test/page"
TEXT = "# A page\n\nThe ferry leaves at noon. It comes back at six."
DATE = "Mon, 02 Mar 2026 10:00:00 GMT"
DAY = 86_400.0


class CountingEmbedder(LocalEmbedder):
    """The real one, which remembers what it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    async def embed(self, texts: Sequence[str], call: Call, heard: Heard = unheard) -> Vectors:
        self.texts += texts
        return await super().embed(texts, call, heard)


class CountingStore(MemoryStore):
    """The reference, which remembers what was kept."""

    def __init__(self) -> None:
        super().__init__()
        self.saved: list[tuple[Page, tuple[Chunk, ...]]] = []

    async def save(self, page: Page, chunks: Sequence[Chunk], reply: KeptReply | None = None) -> Page:
        self.saved.append((page, tuple(chunks)))
        return await super().save(page, chunks, reply)


def not_modified(url: str = URL, **headers: str) -> HttpReply:
    return HttpReply(status=304, url=url, headers={name.replace("_", "-"): said for name, said in headers.items()})


UNCHANGED = {
    "not modified": not_modified(etag='"v1"'),
    "the same bytes": HttpReply(status=200, url=URL, headers={"content-type": "text/html"}, body=TEXT.encode()),
}


@pytest.mark.promise("003.106")
@pytest.mark.parametrize("answer", UNCHANGED.values(), ids=UNCHANGED)
@pytest.mark.parametrize("is_forced", [False, True], ids=["when it is old", "when it is forced"])
async def test_an_unchanged_page_is_neither_extracted_nor_cut_nor_embedded_again(
    answer: HttpReply, is_forced: bool
) -> None:
    embedder, store = CountingEmbedder(), CountingStore()
    world = World(embedder=embedder, store=store)
    world.serve(URL, TEXT, etag='"v1"')
    engine = world.engine()
    before = await engine.read([URL], ["When does it leave?"], world.call())
    given = len(embedder.texts)
    world.clock.time += 60 if is_forced else DAY + 1
    world.web.answers[URL] = answer
    after = await engine.read([URL], ["When does it leave?"], world.call(), force_refresh=is_forced)
    assert len(world.web.asked) == 2
    assert len(world.extractor.asked) == 1
    assert embedder.texts[given:] == []
    assert store.saved[0][1] == store.saved[1][1]
    assert after.passages == before.passages
    assert (after.pages[0].fetched_at, after.pages[0].version) == (world.clock.time, 1)


async def test_the_chunks_of_an_unchanged_page_are_those_that_lie_in_the_library() -> None:
    class Marked(CountingStore):
        async def chunks(self, page: Page) -> tuple[Chunk, ...]:
            return tuple(replace(one, tokens=1) for one in await super().chunks(page))

    store = Marked()
    world = World(store=store)
    world.serve(URL, TEXT, etag='"v1"')
    engine = world.engine()
    await engine.fetch(URL, world.call())
    world.clock.time += DAY + 1
    world.web.answers[URL] = not_modified()
    await engine.fetch(URL, world.call())
    assert [{chunk.tokens for chunk in chunks} == {1} for _, chunks in store.saved] == [False, True]


@pytest.mark.promise("001.68")
async def test_other_bytes_with_the_same_text_are_extracted_but_not_embedded() -> None:
    embedder = CountingEmbedder()
    world = World(embedder=embedder)
    world.serve(URL, TEXT)
    engine = world.engine()
    await engine.read([URL], ["noon"], world.call())
    given = len(embedder.texts)
    world.clock.time += DAY + 1
    world.web.answers[URL] = HttpReply(status=200, url=URL, headers={"content-type": "text/xml"}, body=TEXT.encode())
    await engine.read([URL], ["noon"], world.call())
    assert len(world.extractor.asked) == 2
    assert embedder.texts[given:] == []


async def test_large_pages_are_recognised_too() -> None:
    world = World()
    text = "# Large\n\n" + "words and more words\n" * 20_000
    world.serve(URL, text)
    engine = world.engine()
    for _ in range(2):
        assert (await engine.fetch(URL, world.call())).text == text
        world.clock.time += DAY + 1
    assert (len(world.web.asked), len(world.extractor.asked)) == (2, 1)


@pytest.mark.promise("001.83")
async def test_a_renewed_page_takes_over_what_the_site_says_of_it_now() -> None:
    world = World()
    world.serve(URL, TEXT, etag='"v1"', cache_control="max-age=60")
    engine = world.engine()
    await engine.fetch(URL, world.call())
    world.clock.time += 61
    world.web.answers[URL] = not_modified(etag='"v2"', last_modified=DATE, cache_control="max-age=600")
    page = await engine.fetch(URL, world.call())
    assert (page.etag, page.last_modified, page.fresh_until) == ('"v2"', DATE, world.clock.time + 600)


async def test_a_renewal_that_says_nothing_is_fresh_for_as_long_as_before() -> None:
    world = World()
    world.serve(URL, TEXT, etag='"v1"', cache_control="max-age=60")
    engine = world.engine()
    await engine.fetch(URL, world.call())
    world.clock.time += 61
    world.web.answers[URL] = not_modified()
    page = await engine.fetch(URL, world.call())
    assert (page.etag, page.fresh_until) == ('"v1"', world.clock.time + 60)


async def test_the_same_bytes_without_marks_are_no_longer_asked_for_by_the_old_ones() -> None:
    world = World()
    world.serve(URL, TEXT, etag='"v1"', last_modified=DATE)
    engine = world.engine()
    await engine.fetch(URL, world.call())
    world.serve(URL, TEXT)
    for _ in range(2):
        world.clock.time += DAY + 1
        await engine.fetch(URL, world.call())
    assert [set(asked.headers) for asked in world.web.asked] == [
        {"accept"},
        {"accept", "if-none-match", "if-modified-since"},
        {"accept"},
    ]


async def test_conditions_are_said_to_speak_of_the_address_that_answered() -> None:
    """The door tells them to nobody else on the way there."""
    world = World()
    world.web.answers[URL] = HttpReply(
        status=200, url=OTHER, headers={"content-type": "text/html", "etag": '"v1"'}, body=TEXT.encode()
    )
    engine = world.engine()
    await engine.fetch(URL, world.call())
    world.clock.time += DAY + 1
    await engine.fetch(URL, world.call())
    assert [asked.known_url for asked in world.web.asked] == ["", OTHER]


async def test_not_modified_without_having_been_asked_is_no_page() -> None:
    world = World()
    world.web.answers[URL] = not_modified()
    with pytest.raises(BrokenReply, match="304"):
        await world.engine().fetch(URL, world.call())


async def test_each_view_of_a_page_is_renewed_by_itself() -> None:
    world = World()
    world.serve(URL, TEXT, etag='"v1"')
    engine = world.engine()
    await engine.fetch(URL, world.call())
    await engine.fetch(URL, world.call(), view=View(format="text"))
    assert "if-none-match" not in world.web.asked[-1].headers
    world.clock.time += DAY + 1
    world.web.answers[URL] = not_modified()
    assert (await engine.fetch(URL, world.call(), view=View(format="text"))).text == TEXT
    assert len(world.extractor.asked) == 2


async def test_a_page_dated_by_a_clock_that_ran_ahead_is_replaced() -> None:
    world = World()
    world.serve(URL, TEXT)
    engine = world.engine()
    world.clock.time += 365 * DAY
    await engine.fetch(URL, world.call())
    world.clock.time -= 365 * DAY
    world.serve(URL, "new words")
    assert (await engine.fetch(URL, world.call())).text == "new words"
    assert (await engine.fetch(URL, world.call())).text == "new words"
    assert len(world.web.asked) == 2
