"""Random operations on a store, for comparing it with the memory store."""

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import strategies as st

from gossamer.model.kept import Kept
from gossamer.model.page import Page
from gossamer.ports import Store
from gossamer.testing.store_cases import chunks_of, page_of, pointing

WORDS = ("sun", "moon", "東京", "ночь")
_URLS = ("https://example.com/a", "https://example.com/b", "https://example.org/a")
_PAGES = st.builds(
    page_of,
    st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join),
    url=st.sampled_from(_URLS),
    at=st.integers(0, 5).map(float),
    title=st.sampled_from(("title", "another")),
)
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
