"""What every store promises about what it holds: versions, counts, space, and going from one store to another."""

from dataclasses import replace

import pytest

from gossamer.errors import InvalidArgument
from gossamer.model.kept import Kept, Record, Spending
from gossamer.model.page import Page
from gossamer.ports import Store
from gossamer.stores.memory import MemoryStore
from gossamer.testing.clock import SetClock
from gossamer.testing.store_cases import URL, chunks_of, keep, page_of, pointing, vectors_of

_OTHER = "https://example.com/other"
_HOUR = 3600.0


class KeepingContract:
    """Promises about `versions`, `stats`, `trim`, `export` and `restore`."""

    async def test_the_texts_of_an_address_are_listed_newest_first(self, store: Store) -> None:
        assert await store.versions(URL) == ()
        pages = [await keep(store, page_of(f"Text {n}.", at=float(n), title=f"Title {n}")) for n in range(3)]
        part = await store.save(replace(page_of("A part."), view="part"), ())
        listed = await store.versions(URL)
        assert [(it.version, it.content_hash, it.title, it.fetched_at) for it in listed] == [
            (page.version, page.content_hash, page.title, page.fetched_at) for page in reversed(pages)
        ]
        assert [it.content_hash for it in await store.versions(URL, "part")] == [part.content_hash]
        for version in listed:
            page = await store.page(URL, content_hash=version.content_hash)
            assert page is not None
            assert page.version == version.version

    async def test_all_that_is_kept_is_counted(self, store: Store) -> None:
        empty = await store.stats()
        assert (empty.pages, empty.versions, empty.chunks, empty.models) == (0, 0, 0, {})
        first = page_of("word " * 100, at=1.0)
        await store.save(first, chunks_of(first))
        await store.save_vectors(first, vectors_of(chunks_of(first)))
        await keep(store, page_of("Second text.", at=2.0))
        await store.save(replace(page_of("A part."), view="part"), ())
        other = await keep(store, page_of("Some words.", url=_OTHER))
        await store.save_vectors(other, vectors_of(chunks_of(other)))
        await store.save_vectors(other, vectors_of(chunks_of(other), model="large"))
        full = await store.stats()
        assert (full.pages, full.versions, full.chunks) == (3, 1, 2)
        assert full.models == {"small": 2, "large": 1}
        assert full.size_bytes > 0

    async def test_nothing_goes_while_there_is_room(self, store: Store) -> None:
        page = await keep(store, page_of("Some text."))
        assert await store.trim(most_bytes=10**12) == 0
        assert await store.page(URL) == page

    async def test_earlier_texts_go_before_pages_and_pages_unused_for_longest_before_others(
        self, store: Store, clock: SetClock
    ) -> None:
        urls = [f"https://example.com/{n}" for n in range(60)]
        for url in urls:
            for at in (1.0, 2.0):
                await keep(store, _large(url, at))
        clock.advance(2 * _HOUR)
        for url in urls[:3]:
            assert await store.page(url)
        full = await store.stats()
        assert await store.trim(most_bytes=full.size_bytes - 1) > 0
        after = await store.stats()
        assert (after.pages, after.versions < full.versions) == (60, True)
        gone = await store.trim(most_bytes=full.size_bytes // 4)
        left = await store.stats()
        assert left.versions == 0
        assert gone == after.versions + after.pages - left.pages
        assert left.size_bytes <= full.size_bytes // 4
        kept = {url for url in urls if await store.page(url)}
        assert kept >= set(urls[:3])
        assert len(kept) == left.pages < 60
        assert {hit.url for hit in await store.find("harbour", count=100)} == kept

    async def test_everything_may_go_but_the_ledger(self, store: Store) -> None:
        page = await keep(store, page_of("Some text."))
        await store.save_vectors(page, vectors_of(chunks_of(page)))
        await store.reserve("op", provider="paid", day="2026-11-16", amount=7, cap=10, ttl_s=60)
        assert await store.trim(most_bytes=0) == 1
        assert await store.page(URL) is None
        assert await store.find("text", count=5) == ()
        assert await store.spent("paid", "2026-11-16") == 7
        assert await keep(store, page) == page

    async def test_an_export_holds_everything_and_makes_another_store_the_same(
        self, store: Store, clock: SetClock
    ) -> None:
        await _fill(store)
        model = MemoryStore(now=clock.now)
        records = [record async for record in store.export()]
        assert [isinstance(record, Spending) for record in records] == [True, True, False, False, False]
        for record in records:
            assert await model.restore(record)
        assert [record async for record in model.export()] == records

    async def test_what_another_store_exported_is_taken_in(self, store: Store, clock: SetClock) -> None:
        model = MemoryStore(now=clock.now)
        await _fill(model)
        records = [record async for record in model.export()]
        assert [await store.restore(record) for record in records] == [True] * 5
        assert [await store.restore(record) for record in records] == [False] * 5
        assert [record async for record in store.export()] == records
        assert await store.versions(URL) == await model.versions(URL)
        assert await store.find("second", count=5) == await model.find("second", count=5)
        near = pointing((1.0, 1.0))
        assert [hit.url for hit in await store.nearest(near, count=5)] == [
            hit.url for hit in await model.nearest(near, count=5)
        ]
        assert await store.spent("paid", "2026-11-16") == await model.spent("paid", "2026-11-16") == 70

    async def test_a_record_takes_the_place_of_an_older_page_only(self, store: Store) -> None:
        await _fill(store)
        newer = replace(page_of("Newer text about ferries.", at=9.0), version=12)
        older = replace(newer, text="Older text.", fetched_at=8.0)
        assert await store.restore(Kept(page=newer, chunks=chunks_of(newer), chunk_count=1))
        assert not await store.restore(Kept(page=older, chunks=chunks_of(older), chunk_count=1))
        assert await store.page(URL) == newer
        assert [it.version for it in await store.versions(URL)] == [12]
        assert await store.chunks(newer) == chunks_of(newer)
        assert await store.former_vectors(newer, "small") is None
        assert await store.find("second", count=5) == ()
        assert len(await store.find("ferries", count=5)) == 1
        assert (await keep(store, page_of("Text after that.", at=10.0))).version == 13

    async def test_a_page_of_too_many_chunks_is_found_after_an_export(self, store: Store, clock: SetClock) -> None:
        page = page_of("harbour\n" * 4_100)
        await store.save(page, chunks_of(page, size=8))
        model = MemoryStore(now=clock.now)
        for record in [record async for record in store.export()]:
            assert await model.restore(record)
            await store.remove(URL)
            assert await store.restore(record)
        for it in (model, store):
            assert await it.chunks(page) == ()
            assert len(await it.find("harbour", count=5)) == 1

    async def test_records_that_are_not_sound_are_refused(self, store: Store) -> None:
        page = page_of("Some text.")
        for record in _unsound(page.text):
            with pytest.raises(InvalidArgument):
                await store.restore(record)
        assert await store.page(URL) is None

    async def test_vectors_of_another_dimension_are_left_out_of_a_record(self, store: Store) -> None:
        other = await keep(store, page_of("Other.", url=_OTHER))
        await store.save_vectors(other, pointing((1.0, 0.0)))
        page = page_of("Some text.")
        record = Kept(page=page, chunks=chunks_of(page), chunk_count=1, vectors=(pointing((1.0, 0.0, 0.0)),))
        assert await store.restore(record)
        assert await store.chunks(page) == chunks_of(page)
        assert await store.vectors(page, "small") is None
        assert await store.models() == {"small": 2}


def _large(url: str, at: float) -> Page:
    words = " ".join(f"{url[-4:]}{at:.0f}{n * 7919:x}" for n in range(3_000))
    return page_of(f"harbour {words}", url=url, at=at)


async def _fill(store: Store) -> None:
    """Three pages, one with earlier texts, and two entries of the ledger."""
    for at in (1.0, 2.0):
        page = page_of("First text." if at == 1 else "Second text.", at=at)
        await keep(store, page)
        await store.save_vectors(page, pointing((1.0, at)))
    other = await keep(store, page_of("Some words.", url=_OTHER))
    await store.save_vectors(other, pointing((0.0, 1.0)))
    await store.save_vectors(other, pointing((0.0, 1.0, 0.0), model="large"))
    await store.save(replace(page_of("A part."), view="part"), ())
    await store.reserve("one", provider="paid", day="2026-11-16", amount=50, cap=100, ttl_s=60)
    await store.reserve("two", provider="paid", day="2026-11-16", amount=30, cap=100, ttl_s=60)
    await store.settle("one", 40)


def _unsound(text: str) -> list[Record]:
    page = page_of(text)
    (chunk,) = chunks_of(page)
    return [
        Kept(page=page, chunks=(replace(chunk, id="0" * 64),), chunk_count=1),
        Kept(page=page, chunks=(replace(chunk, start=1),), chunk_count=1),
        Spending(op="a", provider="paid", day="2026-11-16", amount=-1),
    ]
