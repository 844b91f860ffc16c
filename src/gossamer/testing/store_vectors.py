"""What every store promises about vectors."""

from gossamer.model.page import ID_DIGITS, Vectors
from gossamer.ports import Store
from gossamer.testing.store_cases import chunks_of, keep, page_of, vectors_of


class VectorContract:
    """Promises about vectors: per text and model, and what is left of them when a text changes."""

    async def test_vectors_are_kept_per_model(self, store: Store) -> None:
        page = await keep(store, page_of("Some text."))
        small, large = vectors_of(chunks_of(page)), vectors_of(chunks_of(page), model="large", byte=0)
        await store.save_vectors(page, small)
        await store.save_vectors(page, large)
        assert await store.vectors(page, "small") == small
        assert await store.vectors(page, "large") == large
        assert await store.vectors(page, "other") is None
        again = vectors_of(chunks_of(page), byte=255)
        await store.save_vectors(page, again)
        assert await store.vectors(page, "small") == again

    async def test_vectors_of_another_text_are_ignored_and_those_of_the_old_one_go(self, store: Store) -> None:
        first = await keep(store, page_of("First text.", at=1.0))
        await store.save_vectors(first, vectors_of(chunks_of(first)))
        second = await keep(store, page_of("Second text.", at=2.0))
        await store.save_vectors(first, vectors_of(chunks_of(first)))
        unknown = page_of("x", url="https://example.com/unknown")
        await store.save_vectors(unknown, vectors_of(chunks_of(unknown)))
        assert await store.vectors(unknown, "small") is None
        assert await store.vectors(first, "small") is None
        assert await store.vectors(second, "small") is None

    async def test_former_vectors_are_those_of_what_an_address_said_before(self, store: Store) -> None:
        first = await store.save(page_of("One. Two. ", at=1.0), chunks_of(page_of("One. Two. "), size=5))
        assert await store.former_vectors(first, "small") is None
        vectors = Vectors(model="small", dimension=2, data=bytes(range(8)))
        await store.save_vectors(first, vectors)
        second = page_of("Two. Three", at=2.0)
        await store.save(second, chunks_of(second, size=5))
        former = await store.former_vectors(second, "small")
        assert former is not None
        assert former.vectors == vectors
        assert former.chunk_ids == tuple(chunk.id[:ID_DIGITS] for chunk in chunks_of(first, size=5))
        assert await store.vectors(second, "small") is None
        newer = vectors_of(chunks_of(second, size=5), byte=7)
        await store.save_vectors(second, newer)
        again = await store.former_vectors(second, "small")
        assert again is not None
        assert again.vectors == newer

    async def test_former_vectors_by_another_model_are_named_where_there_are_no_others(self, store: Store) -> None:
        page = await keep(store, page_of("Some text."))
        for model in ("small", "large"):
            await store.save_vectors(page, vectors_of(chunks_of(page), model=model))
        for asked, found in (("small", "small"), ("large", "large"), ("other", "large")):
            former = await store.former_vectors(page, asked)
            assert former is not None
            assert former.vectors.model == found

    async def test_a_text_that_returns_has_its_vectors_still(self, store: Store) -> None:
        first = await keep(store, page_of("First text.", at=1.0))
        await store.save_vectors(first, vectors_of(chunks_of(first)))
        await keep(store, page_of("Second text.", at=2.0))
        third = await keep(store, page_of("First text.", at=3.0))
        assert await store.vectors(third, "small") == vectors_of(chunks_of(first))

    async def test_a_model_has_one_dimension_until_its_vectors_are_forgotten(self, store: Store) -> None:
        page, other = page_of("Some text."), page_of("Other text.", url="https://example.com/other")
        await keep(store, page)
        await keep(store, other)
        assert await store.models() == {}
        await store.save_vectors(page, vectors_of(chunks_of(page)))
        await store.save_vectors(page, vectors_of(chunks_of(page), model="large"))
        wide = Vectors(model="small", dimension=3, data=bytes(6))
        await store.save_vectors(other, wide)
        await store.save_vectors(page, wide)
        assert await store.models() == {"small": 2, "large": 2}
        assert await store.vectors(other, "small") is None
        assert await store.vectors(page, "small") == vectors_of(chunks_of(page))
        await store.forget_vectors("small")
        assert await store.models() == {"large": 2}
        assert await store.vectors(page, "small") is None
        assert await store.vectors(page, "large") is not None
        await store.save_vectors(other, wide)
        assert await store.vectors(other, "small") == wide
        assert await store.models() == {"small": 3, "large": 2}

    async def test_vectors_that_do_not_fit_the_chunks_are_ignored(self, store: Store) -> None:
        page = page_of("word " * 100)
        await store.save(page, chunks_of(page))
        await store.save_vectors(page, vectors_of(chunks_of(page)[1:]))
        assert await store.vectors(page, "small") is None
