"""One page: when it is fetched, when it is not, and what is kept."""

import pytest

from gossamer.errors import BadCursor, BlockedAddress, InvalidArgument, NotFound, StoreBusy, Unreachable
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.page import Chunk, Page, Vectors, View
from gossamer.stores.memory import MemoryStore
from tests.unit.engine.world import World

URL = "https://a.test/page"
TEXT = "# A page\n\nThe ferry leaves at noon. It comes back at six."


@pytest.mark.promise("002.141", "003.105")
async def test_a_fresh_page_comes_from_the_library() -> None:
    world = World()
    world.serve(URL, TEXT)
    engine = world.engine()
    first = await engine.fetch(URL, world.call())
    again = await engine.fetch("HTTPS://A.test:443/page#part", world.call())
    assert first.text == again.text == TEXT
    world.clock.time += 24 * 3600 - 1
    await engine.fetch(URL, world.call())
    assert len(world.web.asked) == 1
    world.clock.time += 2
    await engine.fetch(URL, world.call())
    assert len(world.web.asked) == 2


@pytest.mark.parametrize("selector", ["div[", "p:visible", ":not(" * 160])
async def test_a_selector_that_is_none_is_refused_before_anything_is_fetched(selector: str) -> None:
    world = World()
    world.serve(URL, TEXT)
    with pytest.raises(InvalidArgument, match="CSS selector"):
        await world.engine().fetch(URL, world.call(), view=View(selector=selector))
    assert not world.web.asked


@pytest.mark.promise("001.59", "001.83")
async def test_an_old_page_is_asked_for_with_what_we_know_of_it() -> None:
    world = World()
    world.serve(URL, TEXT, etag='"v1"', last_modified="Mon, 02 Mar 2026 10:00:00 GMT")
    engine = world.engine()
    first = await engine.fetch(URL, world.call())
    world.clock.time += 90_000
    world.web.answers[URL] = HttpReply(status=304, url=URL)
    again = await engine.fetch(URL, world.call())
    asked = world.web.asked[-1].headers
    assert (asked["if-none-match"], asked["if-modified-since"]) == ('"v1"', "Mon, 02 Mar 2026 10:00:00 GMT")
    assert (again.text, again.fetched_at) == (first.text, world.clock.time)
    assert len(world.extractor.asked) == 1
    await engine.fetch(URL, world.call())
    assert len(world.web.asked) == 2


async def test_a_changed_page_is_a_new_version_and_the_old_one_stays_readable() -> None:
    world = World()
    world.serve(URL, TEXT)
    engine = world.engine()
    old = await engine.fetch(URL, world.call())
    world.clock.time += 90_000
    world.serve(URL, TEXT.replace("noon", "one"))
    new = await engine.fetch(URL, world.call())
    assert (old.version, new.version) == (1, 2)
    snapshot = await engine.snapshot(URL, world.call(), content_hash=old.content_hash[:12])
    assert snapshot.text == TEXT


@pytest.mark.promise("001.60")
async def test_a_forced_refresh_asks_again_but_not_within_seconds() -> None:
    world = World()
    world.serve(URL, TEXT)
    engine = world.engine()
    await engine.fetch(URL, world.call())
    call = world.call()
    await engine.fetch(URL, call, force_refresh=True)
    assert len(world.web.asked) == 1
    assert any("not fetched again" in note for note in call.log.notes)
    world.clock.time += 6
    await engine.fetch(URL, world.call(), force_refresh=True)
    assert len(world.web.asked) == 2


@pytest.mark.parametrize(
    ("url", "headers"),
    [
        (URL, {"cache_control": "no-store"}),
        (f"{URL}?token=abc", {}),
        (f"{URL}?X-Amz-Signature=1", {}),
        (f"{URL}?private_token=abc", {}),
        (f"{URL};jsessionid=0A1B", {}),
    ],
    ids=[
        "no-store",
        "a token in the address",
        "a signature in the address",
        "a token of GitLab",
        "a session in the path",
    ],
)
async def test_what_may_not_be_kept_is_not_kept(url: str, headers: dict[str, str]) -> None:
    world = World()
    world.serve(url, TEXT, **headers)
    engine = world.engine()
    page = await engine.fetch(url, world.call())
    assert world.store
    assert await world.store.page(url) is None
    same = await engine.snapshot(url, world.call(), content_hash=page.content_hash[:12])
    assert same.text == page.text
    world.serve(url, "other words", **headers)
    with pytest.raises(BadCursor, match="expired"):
        await engine.snapshot(url, world.call(), content_hash=page.content_hash[:12])


async def test_a_failed_page_is_raised_as_what_it_is_and_not_kept() -> None:
    world = World()
    world.web.answers[URL] = HttpReply(status=404, url=URL, body=b"gone")
    engine = world.engine()
    call = world.call()
    with pytest.raises(NotFound):
        await engine.fetch(URL, call)
    assert [(part.name, part.outcome.value) for part in call.log.parts] == [("page", "not_found")]
    with pytest.raises(Unreachable):
        await engine.fetch("https://nowhere.test/", world.call())
    assert world.store
    assert await world.store.pages(count=10) == ()


async def test_markdown_is_asked_for_unless_the_tree_is_needed() -> None:
    world = World()
    world.serve(URL, TEXT)
    engine = world.engine()
    for view in (View(), View(selector="h1"), View(format="html")):
        await engine.fetch(URL, world.call(), view=view, force_refresh=True)
        world.clock.time += 6
    assert ["text/markdown" in asked.headers["accept"] for asked in world.web.asked] == [True, False, False]


async def test_a_cut_page_says_so() -> None:
    world = World()
    world.web.answers[URL] = HttpReply(status=200, url=URL, body=TEXT.encode(), is_cut=True)
    page = await world.engine().fetch(URL, world.call())
    assert page.is_cut
    assert "larger than we read" in page.message


class AwayStore(MemoryStore):
    """A store that cannot be used."""

    async def page(self, url: str, view: str = "", *, content_hash: str = "") -> Page | None:
        raise StoreBusy("The library is busy.", hint="Wait.")

    async def save(self, page: Page, chunks: object, reply: object = None) -> Page:
        raise StoreBusy("The library is busy.", hint="Wait.")

    async def chunks(self, page: Page) -> tuple[Chunk, ...]:
        raise StoreBusy("The library is busy.", hint="Wait.")

    async def save_vectors(self, page: Page, vectors: Vectors) -> None:
        raise StoreBusy("The library is busy.", hint="Wait.")


async def test_a_library_that_is_away_costs_memory_and_nothing_else() -> None:
    world = World()
    world.store = AwayStore()
    world.serve(URL, TEXT)
    engine = world.engine()
    call = world.call()
    assert (await engine.fetch(URL, call)).text == TEXT
    assert any("not kept" in note for note in call.log.notes)
    reading = await engine.read([URL], ["When does the ferry leave?"], world.call())
    assert "noon" in reading.passages[0].text


async def test_only_the_view_that_was_asked_for_is_returned() -> None:
    world = World()
    seen: list[HttpRequest] = []

    def answer(request: HttpRequest) -> HttpReply:
        seen.append(request)
        return HttpReply(status=200, url=URL, body=f"text {len(seen)}".encode())

    world.web.answers[URL] = answer
    engine = world.engine()
    plain = await engine.fetch(URL, world.call())
    world.clock.time += 6
    part = await engine.fetch(URL, world.call(), view=View(selector="p"), force_refresh=True)
    assert (plain.text, part.text) == ("text 1", "text 2")
    assert (await engine.fetch(URL, world.call())).text == "text 1"


async def test_a_page_behind_a_signed_address_is_not_kept_under_a_plain_one() -> None:
    world = World()
    signed = "https://cdn.test/file?X-Amz-Signature=secret"
    world.web.answers[URL] = HttpReply(status=200, url=signed, body=TEXT.encode())
    assert (await world.engine().fetch(URL, world.call())).final_url == signed
    assert world.store
    assert await world.store.page(URL) is None


async def test_a_kept_page_is_refused_once_its_site_is() -> None:
    world = World()
    world.serve(URL, TEXT)
    engine = world.engine()
    page = await engine.fetch(URL, world.call())
    world.web.refuses = "https://a.test/"
    with pytest.raises(BlockedAddress):
        await engine.fetch(URL, world.call())
    with pytest.raises(BlockedAddress):
        await engine.snapshot(URL, world.call(), content_hash=page.content_hash)


def test_who_serves_may_have_the_first_pages_reader_made_ready() -> None:
    world = World()
    world.engine().warm()
    assert world.extractor.is_warm
