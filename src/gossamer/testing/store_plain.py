"""What every store promises about text that cannot be written down."""

from dataclasses import replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gossamer.model.kept import Kept, Spending
from gossamer.ports import Store
from gossamer.testing.store_cases import chunks_of, page_of, vectors_of

_DAY = "2026-11-16"
_TEXTS = st.text(st.sampled_from("ab \n\0é漢\ud800\udbff\udc00\udfff\U0001f600"), max_size=30)
_EACH = settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.differing_executors, HealthCheck.too_slow],
)


class PlainContract:
    """Half of a surrogate pair is no character: each is kept as U+FFFD, wherever it stands, and nothing fails."""

    @given(url=_TEXTS, title=_TEXTS, text=_TEXTS, heading=_TEXTS)
    @_EACH
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
    @_EACH
    async def test_an_attempt_can_have_any_name(self, store: Store, op: str, provider: str) -> None:
        before = await store.spent(provider, _DAY)
        assert await store.reserve(f"op {op}", provider=provider, day=_DAY, amount=0, cap=10**9, ttl_s=60)
        await store.settle(f"op {op}", 7)
        await store.restore(Spending(op=f"op {op}", provider=provider, day=_DAY, amount=7))
        assert before <= await store.spent(_expected(provider), _DAY) <= before + 7


def _expected(text: str) -> str:
    return "".join("\ufffd" if 0xD800 <= ord(it) <= 0xDFFF else it for it in text)
