"""What every store promises about what it holds: versions, counts, space, and going from one store to another."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gossamer.errors import InvalidArgument
from gossamer.model.page import Page
from gossamer.model.records import Kept, Record, Spending
from gossamer.ports import Store
from gossamer.steps.text.link_targets import apart
from gossamer.stores.memory import MemoryStore
from gossamer.testing.clock import SetClock
from gossamer.testing.store_cases import URL, chunks_of, keep, page_of, pointing, vectors_of

_OTHER = "https://example.com/other"
_HOUR = 3600.0
_LINKED = "See the [timetable](https://example.com/secret) of [ferries](https://example.com/f_(x)?a=1)."


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

    async def test_where_links_lead_is_kept_with_every_text(self, store: Store) -> None:
        first, second = (apart(page_of(text, at=at)) for text, at in ((_LINKED, 1.0), (f"{_LINKED} More.", 2.0)))
        assert await keep(store, first) == await store.page(URL) == first
        assert await keep(store, second) == await store.page(URL) == replace(second, version=2)
        assert await store.page(URL, content_hash=first.content_hash) == first
        assert [it.content_hash for it in await store.versions(URL)] == [second.content_hash, first.content_hash]
        assert await store.find("secret", count=5) == ()
        assert len(await store.find("timetable", count=5)) == 1
        assert [record.former async for record in store.export() if isinstance(record, Kept)] == [(first,)]

    async def test_links_that_lead_elsewhere_make_no_other_text(self, store: Store) -> None:
        page = await keep(store, apart(page_of(_LINKED, at=1.0)))
        await store.save_vectors(page, vectors_of(chunks_of(page)))
        moved = apart(page_of(_LINKED.replace("secret", "moved"), at=2.0))
        assert await store.save(moved, ()) == moved == await store.page(URL)
        assert await store.chunks(moved) == chunks_of(page)
        assert await store.vectors(moved, "small") == vectors_of(chunks_of(page))
        assert len(await store.versions(URL)) == 1

    async def test_a_text_that_was_kept_with_its_targets_in_it_is_the_same_without(self, store: Store) -> None:
        """As an older Gossamer kept pages."""
        before = await keep(store, page_of(_LINKED))
        assert before.targets is None
        assert len(await store.find("secret", count=5)) == 1
        page = apart(before)
        assert await keep(store, page) == page == await store.page(URL)
        assert await store.chunks(page) == chunks_of(page)
        assert await store.chunks(before) == ()
        assert await store.find("secret", count=5) == ()
        assert [(it.version, it.content_hash) for it in await store.versions(URL)] == [(1, page.content_hash)]

    async def test_of_a_text_without_its_targets_no_chunks_with_them_are_left(self, store: Store) -> None:
        before = await keep(store, page_of(_LINKED))
        page = await store.save(apart(before), ())
        assert await store.chunks(page) == ()
        assert await store.find("secret", count=5) == ()

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


_DAY = "2026-11-16"
_TEXTS = st.text(st.sampled_from("ab \n\0é漢\ud800\udbff\udc00\udfff\U0001f600"), max_size=30)
RANDOM_RUNS = settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.differing_executors, HealthCheck.too_slow],
)


class PlainContract:
    """Half of a surrogate pair is no character: each is kept as U+FFFD, wherever it stands, and nothing fails."""

    @given(url=_TEXTS, title=_TEXTS, text=_TEXTS, heading=_TEXTS)
    @RANDOM_RUNS
    async def test_any_text_is_kept_with_halves_of_pairs_replaced(
        self, store: Store, url: str, title: str, text: str, heading: str
    ) -> None:
        page = page_of(f"harbour {text}" * 3, url=f"https://example.com/{url}", title=title)
        chunks = chunks_of(page, size=20, section=(heading,))
        expected = replace(
            page,
            url=_expected(page.url),
            final_url=_expected(page.final_url),
            title=_expected(title),
            text=_expected(page.text),
        )
        whole = chunks_of(expected, size=20, section=(_expected(heading),))
        await store.remove(page.url)
        assert await store.save(page, chunks) == expected
        assert await store.page(page.url) == await store.page(expected.url) == expected
        assert await store.chunks(page) == await store.chunks(expected) == whole
        await store.save_vectors(page, vectors_of(chunks))
        assert await store.vectors(page, "small") == vectors_of(chunks)
        assert await store.former_vectors(page, "small") is not None
        assert expected.url in {hit.url for hit in await store.find(f"harbour {text}", count=100)}
        assert expected.url in {listed.url for listed in await store.pages(count=1_000)}
        assert [it.content_hash for it in await store.versions(page.url)] == [expected.content_hash]
        assert await store.restore(Kept(page=replace(page, fetched_at=2_000.0), chunks=chunks, chunk_count=len(chunks)))
        assert await store.chunks(page) == whole
        assert await store.remove(page.url)
        assert await store.page(expected.url) is None

    @given(op=_TEXTS, provider=_TEXTS)
    @RANDOM_RUNS
    async def test_an_attempt_can_have_any_name(self, store: Store, op: str, provider: str) -> None:
        before = await store.spent(provider, _DAY)
        assert await store.reserve(f"op {op}", provider=provider, day=_DAY, amount=0, cap=10**9, ttl_s=60)
        await store.settle(f"op {op}", 7)
        await store.restore(Spending(op=f"op {op}", provider=provider, day=_DAY, amount=7))
        assert before <= await store.spent(_expected(provider), _DAY) <= before + 7


def _expected(text: str) -> str:
    return "".join("\ufffd" if 0xD800 <= ord(it) <= 0xDFFF else it for it in text)


WORDS = ("sun", "moon", "東京", "ночь")
_URLS = ("https://example.com/a", "https://example.com/b", "https://example.org/a")
_WITH_TARGETS = st.builds(
    page_of,
    st.lists(st.sampled_from((*WORDS, "[sun](https://a.test)", "[sun](https://b.test)")), max_size=8).map(" ".join),
    url=st.sampled_from(_URLS),
    at=st.integers(0, 5).map(float),
    title=st.sampled_from(("title", "another")),
)
_PAGES = _WITH_TARGETS | _WITH_TARGETS.map(apart)
_VECTORS = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (3.0, 4.0))
ATTEMPTS = ("one", "two", "three")
DAY = "2026-11-16"
OPERATIONS = st.one_of(
    st.tuples(st.just("save"), _PAGES, st.sampled_from((0, 5, 9))),
    st.tuples(st.just("vectors"), st.integers(0, 20), st.integers(0, 3)),
    st.tuples(st.just("remove"), st.sampled_from(_URLS), st.just(0)),
    st.tuples(st.just("restore"), _PAGES, st.sampled_from((0, 5, 9))),
    st.tuples(st.just("forget"), st.just("small"), st.just(0)),
    st.tuples(st.just("reserve"), st.sampled_from(ATTEMPTS), st.integers(0, 60)),
    st.tuples(st.just("settle"), st.sampled_from(ATTEMPTS), st.integers(0, 60)),
)
Operation = tuple[str, Page | int | str, int]


async def apply(store: Store, operation: Operation, seen: Sequence[Page], *, payer: str) -> object:
    """Do what `operation` says and return what the store answers; `seen` are the pages it answered with before."""
    match operation:
        case "save", Page() as page, size:
            return await store.save(page, chunks_of(page, size=size) if size else ())
        case "restore", Page() as page, size:
            chunks = chunks_of(page, size=size) if size else ()
            return await store.restore(Kept(page=page, chunks=chunks, chunk_count=len(chunks), used_at=1.0))
        case "vectors", int(at), row:
            page = seen[at % len(seen)]
            chunks = await store.chunks(page)
            rows = [_VECTORS[(row + place) % len(_VECTORS)] for place in range(len(chunks))]
            return await store.save_vectors(page, pointing(*rows)) if rows else None
        case "forget", str(model), _:
            return await store.forget_vectors(model)
        case "reserve", str(op), amount:
            return await store.reserve(f"{payer}{op}", provider=payer, day=DAY, amount=amount, cap=100, ttl_s=60)
        case "settle", str(op), amount:
            return await store.settle(f"{payer}{op}", amount)
        case _, url, _:
            return await store.remove(str(url))


async def agree(store: Store, model: Store, seen: Sequence[Page], *, payer: str) -> None:
    """Ask both all that can be asked, and compare."""
    for page in seen:
        assert await store.page(page.url) == await model.page(page.url)
        found = await store.page(page.url, content_hash=page.content_hash)
        assert found == await model.page(page.url, content_hash=page.content_hash)
        assert await store.chunks(page) == await model.chunks(page)
        assert await store.vectors(page, "small") == await model.vectors(page, "small")
        assert await store.versions(page.url) == await model.versions(page.url)
    assert await store.pages(count=10) == await model.pages(count=10)
    for word in (*WORDS, "sun moon", "title"):
        hits, expected = await store.find(word, count=10), await model.find(word, count=10)
        assert {hit.url for hit in hits} == {hit.url for hit in expected}
    for row in _VECTORS:
        assert await store.nearest(pointing(row), count=10) == await model.nearest(pointing(row), count=10)
    assert await store.spent(payer, DAY) == await model.spent(payer, DAY)
    counted, expected = await store.stats(), await model.stats()
    assert replace(counted, size_bytes=0) == replace(expected, size_bytes=0)
    kept = [record async for record in store.export() if isinstance(record, Kept)]
    assert kept == [record async for record in model.export() if isinstance(record, Kept)]
