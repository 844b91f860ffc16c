"""What every store promises.

Inherit `StoreContract` and give it a fixture `store` that yields an empty store on the clock of the fixture `clock`.
"""

import asyncio
from dataclasses import replace
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.errors import InvalidArgument, Outcome
from gossamer.model.page import LeftOut, Page, PageInfo
from gossamer.ports import Store
from gossamer.stores.memory import MemoryStore
from gossamer.testing.clock import SetClock
from gossamer.testing.store_cases import TEXTS, URL, chunks_of, keep, page_of, vectors_of
from gossamer.testing.store_finding import FindingContract, NearContract, VectorContract
from gossamer.testing.store_keeping import OPERATIONS, RANDOM_RUNS, KeepingContract, PlainContract, agree, apply
from gossamer.testing.store_ledger import LedgerContract
from gossamer.testing.store_replies import RepliesContract


class StoreContract(
    FindingContract, NearContract, VectorContract, KeepingContract, RepliesContract, LedgerContract, PlainContract
):
    """Promises about pages, versions and chunks; those about finding, vectors, space and money are inherited."""

    @pytest.fixture
    def clock(self) -> SetClock:
        """The time of the store."""
        return SetClock()

    async def test_an_unknown_address_has_no_page(self, store: Store) -> None:
        assert await store.page(URL) is None
        assert await store.page(URL, content_hash="0" * 64) is None
        assert await store.chunks(page_of("x")) == ()
        assert await store.vectors(page_of("x"), "small") is None
        assert await store.pages(count=10) == ()
        assert await store.find("x", count=10) == ()

    async def test_every_field_comes_back_exactly(self, store: Store) -> None:
        page = Page(
            url=URL,
            final_url="https://docs.example.com/guide?v=2",
            title="Ein Führer > für alle",
            text="Hello.",
            fetched_at=1_700_000_000.123456,
            outcome=Outcome.PAYWALL,
            info=PageInfo(
                description='"quoted"',
                author="Ann",
                published="2026-01-02",
                site_name="例",
                language="de",
                price="9 €",
                facts="Rating: 5/5\nBrand: Ö",
                structured='{"items":[{"@type":"Product","name":"例"}]}',
            ),
            content_type="application/pdf",
            body_bytes=123,
            hidden=4,
            left_out=LeftOut(lists=2, sections=1, words=300),
            is_cut=True,
            message="Cut.",
            etag='W/"abc"',
            last_modified="Tue, 01 Jan 2026 00:00:00 GMT",
            fresh_until=1_700_086_400.9,
        )
        saved = await store.save(page, ())
        assert saved == page
        assert await store.page(URL) == page

    @pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
    async def test_any_text_comes_back_exactly(self, store: Store, text: str) -> None:
        page = page_of(text)
        chunks = chunks_of(page, section=("One", "Two > Three", ""))
        await store.save(page, chunks)
        assert await store.page(URL) == page
        assert await store.chunks(page) == chunks

    async def test_views_of_an_address_are_kept_apart(self, store: Store) -> None:
        whole, part = page_of("The whole page."), replace(page_of("A part."), view="0123456789abcdef")
        await keep(store, whole)
        await store.save(part, ())
        assert await store.page(URL) == whole
        assert await store.page(URL, part.view) == part
        assert await store.page(URL, "another") is None

    async def test_chunks_of_another_view_are_not_kept(self, store: Store) -> None:
        page = replace(page_of("A part with a harbour."), view="0123456789abcdef")
        await keep(store, page)
        assert await store.chunks(page) == ()
        assert await store.find("harbour", count=5) == ()
        assert await store.pages(count=5) == ()

    async def test_another_text_is_a_new_version_and_the_old_one_stays_readable(self, store: Store) -> None:
        first = await keep(store, page_of("First text.", at=1.0, title="One"))
        second = await keep(store, page_of("Second text.", at=2.0, title="Two"))
        assert (first.version, second.version) == (1, 2)
        assert await store.page(URL) == second
        assert await store.page(URL, content_hash=first.content_hash) == first
        assert await store.page(URL, content_hash=second.content_hash) == second
        assert await store.page(URL, content_hash=first.content_hash[:12]) == first
        assert await store.page(URL, content_hash="0" * 64) is None

    async def test_a_text_that_returns_is_a_new_version_of_its_own(self, store: Store) -> None:
        await keep(store, page_of("First text.", at=1.0))
        second = await keep(store, page_of("Second text.", at=2.0))
        third = await keep(store, page_of("First text.", at=3.0))
        assert third.version == 3
        assert await store.page(URL, content_hash=third.content_hash) == third
        assert await store.page(URL, content_hash=second.content_hash) == second

    async def test_the_five_newest_earlier_texts_are_kept(self, store: Store) -> None:
        pages = [await keep(store, page_of(f"Text number {n}.", at=float(n))) for n in range(8)]
        kept = [await store.page(URL, content_hash=page.content_hash) for page in pages]
        assert kept == [None, None, *pages[2:]]

    async def test_the_same_text_again_renews_the_page_and_keeps_version_and_vectors(self, store: Store) -> None:
        page = await keep(store, page_of("Stable text.", at=1.0))
        vectors = vectors_of(chunks_of(page))
        await store.save_vectors(page, vectors)
        renewed = replace(page, fetched_at=2.0, fresh_until=99.0, etag='"2"', title="Another title", version=7)
        saved = await keep(store, renewed)
        assert saved == replace(renewed, version=1)
        assert await store.page(URL) == saved
        assert await store.chunks(saved) == chunks_of(page)
        assert await store.vectors(saved, "small") == vectors

    async def test_the_same_text_without_chunks_keeps_those_it_has(self, store: Store) -> None:
        page = await keep(store, page_of("Stable text.", at=1.0))
        await store.save_vectors(page, vectors_of(chunks_of(page)))
        await store.save(replace(page, fetched_at=2.0, title="Renamed harbour"), ())
        assert await store.chunks(page) == chunks_of(page)
        assert await store.vectors(page, "small") is not None
        assert [hit.title for hit in await store.find("stable harbour", count=5)] == ["Renamed harbour"]

    async def test_the_same_text_cut_anew_has_the_new_chunks_and_no_vectors(self, store: Store) -> None:
        page = await store.save(page_of("word " * 100), ())
        assert await store.chunks(page) == ()
        for size in (200, 100, 400):
            chunks = chunks_of(page, size=size)
            await store.save(page, chunks)
            assert await store.chunks(page) == chunks
            assert await store.vectors(page, "small") is None
            await store.save_vectors(page, vectors_of(chunks))
            assert await store.vectors(page, "small") == vectors_of(chunks)

    @pytest.mark.parametrize("text", ["Newer text.", "Older text."], ids=["the same text", "another text"])
    async def test_an_older_fetch_never_overwrites_a_newer_one(self, store: Store, text: str) -> None:
        newer = await keep(store, page_of("Newer text.", at=2.0))
        assert await keep(store, page_of(text, at=1.0, title="Old")) == newer
        assert await store.page(URL) == newer
        assert await store.chunks(newer) == chunks_of(newer)

    async def test_of_two_fetches_at_the_same_time_the_last_one_saved_wins(self, store: Store) -> None:
        await keep(store, page_of("One.", at=1.0))
        second = await keep(store, page_of("Two.", at=1.0))
        assert await store.page(URL) == second

    async def test_chunks_belong_to_exactly_one_text(self, store: Store) -> None:
        first = await keep(store, page_of("First text.", at=1.0))
        second = await keep(store, page_of("Second text.", at=2.0))
        assert await store.chunks(first) == ()
        assert await store.chunks(second) == chunks_of(second)

    async def test_chunks_of_another_address_or_text_are_refused(self, store: Store) -> None:
        page = page_of("Some text.")
        moved = replace(chunks_of(page)[0], start=1)
        for chunks in (chunks_of(replace(page, url="https://example.com/other")), (moved,)):
            with pytest.raises(InvalidArgument):
                await store.save(page, chunks)
        assert await store.page(URL) is None

    async def test_a_page_of_too_many_chunks_is_found_but_has_none_kept(self, store: Store) -> None:
        page = page_of("harbour\n" * 4_100)
        chunks = chunks_of(page, size=8)
        await store.save(page, chunks)
        await store.save_vectors(page, vectors_of(chunks))
        assert await store.page(URL) == page
        assert await store.chunks(page) == ()
        assert await store.vectors(page, "small") is None
        assert len(await store.find("harbour", count=5)) == 1
        assert await store.remove(URL)
        assert await store.find("harbour", count=5) == ()

    async def test_pages_are_listed_newest_first(self, store: Store) -> None:
        for number in (2, 1, 3):
            url = f"https://example.com/{number}"
            await keep(store, page_of("x" * number, url=url, at=float(number), title=str(number)))
        await keep(store, page_of("xx", url="https://example.com/1", at=4.0, title="1"))
        listed = await store.pages(count=2)
        assert [(it.url[-1], it.title, it.fetched_at, it.version, it.chars) for it in listed] == [
            ("1", "1", 4.0, 2, 2),
            ("3", "3", 3.0, 1, 3),
        ]
        assert len(await store.pages(count=10)) == 3
        assert await store.pages(count=0) == ()

    async def test_removing_forgets_every_view_and_version(self, store: Store) -> None:
        first = await keep(store, page_of("First text.", at=1.0))
        await keep(store, page_of("Second text.", at=2.0))
        await store.save(replace(page_of("A part."), view="part"), ())
        other = await keep(store, page_of("Another.", url="https://example.com/other"))
        assert await store.remove(URL) is True
        assert await store.remove(URL) is False
        assert await store.page(URL) is None
        assert await store.page(URL, "part") is None
        assert await store.page(URL, content_hash=first.content_hash) is None
        assert await store.page(other.url) == other
        assert (await keep(store, first)).version == 1

    async def test_many_saves_at_once_are_all_kept(self, store: Store) -> None:
        pages = [page_of(f"Text {n}. " * 50, url=f"https://example.com/{n}", at=float(n)) for n in range(30)]
        await asyncio.gather(*(keep(store, page) for page in pages), *(store.page(page.url) for page in pages))
        assert [await store.page(page.url) for page in pages] == pages
        assert [await store.chunks(page) for page in pages] == [chunks_of(page) for page in pages]

    async def test_of_many_saves_of_one_address_at_once_the_newest_fetch_stays(self, store: Store) -> None:
        pages = [page_of(f"Text {n}.", at=float(n)) for n in range(20)]
        await asyncio.gather(*(keep(store, page) for page in reversed(pages)))
        kept = await store.page(URL)
        assert kept is not None
        assert kept.text == pages[-1].text
        assert await store.chunks(kept) == chunks_of(kept)

    @given(data=st.data())
    @settings(RANDOM_RUNS, max_examples=40)
    async def test_random_operations_end_as_in_the_memory_store(
        self, store: Store, clock: SetClock, data: st.DataObject
    ) -> None:
        for listed in await store.pages(count=100):
            await store.remove(listed.url)
        # The ledger forgets nothing between two examples, so each has a payer of its own.
        payer, model, seen = uuid4().hex, MemoryStore(now=clock.now), [page_of("")]
        for operation in data.draw(st.lists(OPERATIONS, min_size=1, max_size=12)):
            results = [await apply(it, operation, seen, payer=payer) for it in (model, store)]
            assert results[0] == results[1]
            if isinstance(results[0], Page):
                seen.append(results[0])
        await agree(store, model, seen, payer=payer)
