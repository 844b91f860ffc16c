"""Random operations on a store, for comparing it with the memory store."""

from collections.abc import Sequence

from hypothesis import strategies as st

from gossamer.model.page import Page
from gossamer.ports import Store
from gossamer.testing.store_cases import chunks_of, page_of, vectors_of

WORDS = ("sun", "moon", "東京", "ночь")
_URLS = ("https://example.com/a", "https://example.com/b", "https://example.org/a")
_PAGES = st.builds(
    page_of,
    st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join),
    url=st.sampled_from(_URLS),
    at=st.integers(0, 5).map(float),
    title=st.sampled_from(("title", "another")),
)
OPERATIONS = st.one_of(
    st.tuples(st.just("save"), _PAGES, st.sampled_from((0, 5, 9))),
    st.tuples(st.just("vectors"), st.integers(0, 20), st.integers(0, 255)),
    st.tuples(st.just("remove"), st.sampled_from(_URLS), st.just(0)),
)


async def apply(store: Store, operation: tuple[str, Page | int | str, int], seen: Sequence[Page]) -> object:
    """Do what `operation` says and return what the store answers; `seen` are the pages it answered with before."""
    match operation:
        case "save", Page() as page, size:
            return await store.save(page, chunks_of(page, size=size) if size else ())
        case "vectors", int(at), byte:
            page = seen[at % len(seen)]
            return await store.save_vectors(page, vectors_of(await store.chunks(page), byte=byte))
        case _, url, _:
            return await store.remove(str(url))
