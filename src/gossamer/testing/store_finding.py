"""What every store promises about finding pages by their words; a part of `StoreContract`."""

from dataclasses import replace

import pytest

from gossamer.model.page import PageInfo
from gossamer.ports import Store
from gossamer.testing.store_cases import FOUND, SITES, SYNTAX, URL, chunks_of, keep, page_of


class FindingContract:
    """Promises about words, in every script."""

    @pytest.mark.parametrize(("text", "query"), FOUND.values(), ids=FOUND)
    async def test_a_page_is_found_by_a_word_in_its_script(self, store: Store, text: str, query: str) -> None:
        await keep(store, page_of(text, title=""))
        await keep(store, page_of("Something else.", url="https://example.com/else", title=""))
        assert [hit.url for hit in await store.find(query, count=5)] == [URL]

    @pytest.mark.parametrize("query", ["", "   ", "?!", "zebra"])
    async def test_a_query_without_a_known_word_finds_nothing(self, store: Store, query: str) -> None:
        await keep(store, page_of("An island with a harbour."))
        assert await store.find(query, count=5) == ()

    async def test_a_page_is_found_once_and_shown_by_its_best_chunk_in_one_line(self, store: Store) -> None:
        text = ("nothing here\n" * 20)[:200] + "harbour\n\n  and   harbour again ".ljust(200, ".") + "one harbour" * 30
        page = replace(page_of(text, title="Two\nlines"), info=PageInfo(published="2026-05-06"))
        await store.save(page, chunks_of(page))
        (hit,) = await store.find("harbour", count=5)
        assert hit.snippet.startswith("harbour and harbour again")
        assert len(hit.snippet) <= 300
        assert (hit.url, hit.title, hit.engine, hit.published) == (URL, "Two lines", "library", "2026-05-06")

    async def test_a_long_chunk_is_cut_to_a_snippet(self, store: Store) -> None:
        page = page_of("harbour " * 100)
        await store.save(page, chunks_of(page, size=1000))
        (hit,) = await store.find("harbour", count=5)
        assert len(hit.snippet) <= 300
        assert hit.snippet.endswith("…")

    async def test_pages_come_best_first_with_falling_scores(self, store: Store) -> None:
        texts = [
            "an island and a harbour",
            "a harbour among many other things in a long row",
            "an isle",
            "plain",
            "x y",
        ]
        for number, text in enumerate(texts):
            await keep(store, page_of(text, url=f"https://example.com/{number}", title=""))
        hits = await store.find("harbour island", count=5)
        assert [hit.url[-1] for hit in hits] == ["0", "1"]
        assert 1 >= hits[0].score > hits[1].score > 0
        assert await store.find("harbour island", count=1) == hits[:1]
        assert await store.find("harbour island", count=0) == ()

    async def test_a_word_that_is_nearly_everywhere_counts_only_when_there_is_no_other(self, store: Store) -> None:
        page = page_of("the\n" * 600, url="https://example.com/the", title="")
        await store.save(page, chunks_of(page, size=4))
        await keep(store, page_of("the harbour", title=""))
        assert [hit.url for hit in await store.find("the harbour", count=5)] == [URL]
        assert len(await store.find("the", count=5)) == 2

    async def test_words_of_title_and_headings_count(self, store: Store) -> None:
        page = page_of("Thirty seconds.", title="Timeouts of the client")
        await store.save(page, chunks_of(page, section=("Defaults",)))
        assert await store.find("timeouts", count=5)
        assert await store.find("defaults", count=5)

    @pytest.mark.parametrize(("site", "is_found"), SITES.values(), ids=SITES)
    async def test_a_site_takes_in_its_subdomains(self, store: Store, site: str, is_found: bool) -> None:
        await keep(store, page_of("An island with a harbour."))
        assert bool(await store.find("harbour", count=5, site=site)) is is_found

    async def test_an_address_without_a_host_belongs_to_no_site(self, store: Store) -> None:
        await keep(store, page_of("A harbour.", url="http://[broken/"))
        assert await store.find("harbour", count=5, site="example.com") == ()
        assert len(await store.find("harbour", count=5)) == 1

    @pytest.mark.parametrize("query", SYNTAX.values(), ids=SYNTAX)
    async def test_a_query_is_words_and_never_syntax(self, store: Store, query: str) -> None:
        await keep(store, page_of("An island with a harbour."))
        assert [hit.url for hit in await store.find(query, count=5)] == [URL]

    async def test_words_that_are_gone_no_longer_find_the_page(self, store: Store) -> None:
        await keep(store, page_of("An island with a harbour.", at=1.0, title="Sea"))
        await keep(store, page_of("A mountain with a hut.", at=2.0, title="Land"))
        assert await store.find("harbour sea", count=5) == ()
        assert len(await store.find("mountain", count=5)) == 1
        await keep(store, page_of("A mountain with a hut.", at=3.0, title="Alps"))
        assert await store.find("land", count=5) == ()
        assert len(await store.find("alps", count=5)) == 1
        await store.remove(URL)
        assert await store.find("mountain", count=5) == ()
