"""Cutting pages: each once, whoever asks first."""

from gossamer.compose import new_call
from gossamer.engine.chunk_cache import LARGE_CHARS, ChunkCache
from gossamer.model.page import Chunk, Page
from gossamer.steps.retrieval.chunk import chunk
from gossamer.stores.memory import MemoryStore


class AskedStore(MemoryStore):
    """Counts how often it is asked for chunks."""

    asked = 0

    async def chunks(self, page: Page) -> tuple[Chunk, ...]:
        self.asked += 1
        return await super().chunks(page)


def page(number: int, text: str = "The ferry leaves at nine.") -> Page:
    url = f"https://a.test/{number}"
    return Page(url=url, final_url=url, title="Ferry", text=text, fetched_at=1.0)


async def test_who_reads_what_was_just_cut_gets_these_chunks_without_asking_the_library() -> None:
    store = AskedStore()
    chunk_cache = ChunkCache(store=store, chunk_tokens=128)
    made = await chunk_cache.cut(page(1))
    assert await chunk_cache.chunks(page(1), new_call(timeout_s=60)) is made
    assert store.asked == 0


async def test_what_is_at_hand_is_handed_over_once_then_the_library_is_asked() -> None:
    store = AskedStore()
    chunk_cache = ChunkCache(store=store, chunk_tokens=128)
    made = await chunk_cache.cut(page(1))
    await store.save(page(1), made)
    assert [await chunk_cache.chunks(page(1), new_call(timeout_s=60)) for _ in range(2)] == [made, made]
    assert store.asked == 1


async def test_another_text_of_the_same_address_has_chunks_of_its_own() -> None:
    chunk_cache = ChunkCache(store=MemoryStore(), chunk_tokens=128)
    await chunk_cache.cut(page(1))
    other = page(1, "The ferry leaves at ten.")
    assert await chunk_cache.chunks(other, new_call(timeout_s=60)) == chunk(other.url, other.text)


async def test_only_a_few_pages_are_at_hand_and_no_large_one() -> None:
    store = AskedStore()
    chunk_cache = ChunkCache(store=store, chunk_tokens=128)
    large = page(0, "word " * (LARGE_CHARS // 4))
    for one in (large, *map(page, range(1, 6))):
        await chunk_cache.cut(one)
    found = [await chunk_cache.chunks(one, new_call(timeout_s=60)) for one in (*map(page, range(5, 0, -1)), large)]
    assert [len(chunks) > 0 for chunks in found] == [True] * 6
    assert store.asked == 2
