"""What every store promises about finding pages by their words; a part of `StoreContract`."""

import math
import random
from dataclasses import replace

import pytest

from gossamer.errors import InvalidArgument
from gossamer.model.page import ID_DIGITS, PageInfo, Vectors
from gossamer.ports import Store
from gossamer.testing.store_cases import FOUND, SITES, SYNTAX, URL, chunks_of, keep, page_of, pointing, vectors_of


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


_EAST, _NORTH = pointing((1.0, 0.0)), pointing((0.0, 1.0))


class NearContract:
    """Promises about `nearest`."""

    async def test_the_closest_pages_come_first_each_with_its_closest_chunk(self, store: Store) -> None:
        await _keep(store, "one", "north east", (0.0, 1.0), (1.0, 0.0))
        await _keep(store, "two", "south east2", (0.0, -1.0), (4.0, 3.0))
        await _keep(store, "three", "west", (-1.0, 0.0))
        east = await store.nearest(_EAST, count=5)
        assert [(hit.url[-3:], hit.snippet, hit.engine) for hit in east] == [
            ("one", "east", "library"),
            ("two", "east2", "library"),
        ]
        assert [hit.score for hit in east] == pytest.approx([1.0, 0.8], abs=2e-3)
        assert [hit.url[-3:] for hit in await store.nearest(_NORTH, count=1)] == ["one"]
        assert await store.nearest(_EAST, count=0) == ()

    @pytest.mark.parametrize(("site", "is_found"), SITES.values(), ids=SITES)
    async def test_near_pages_can_be_kept_to_a_site(self, store: Store, site: str, is_found: bool) -> None:
        await _keep(store, "one", "words", (1.0, 0.0))
        assert bool(await store.nearest(_EAST, count=5, site=site)) is is_found

    async def test_nothing_is_near_by_another_model_or_dimension(self, store: Store) -> None:
        await _keep(store, "one", "words", (1.0, 0.0))
        assert await store.nearest(pointing((1.0, 0.0), model="other"), count=5) == ()
        assert await store.nearest(pointing((1.0, 0.0, 0.0)), count=5) == ()
        await store.forget_vectors("small")
        assert await store.nearest(_EAST, count=5) == ()

    async def test_only_vectors_of_the_present_text_count(self, store: Store) -> None:
        await _keep(store, "one", "first", (1.0, 0.0))
        second = page_of("second", url=_url("one"), at=2000.0)
        await store.save(second, chunks_of(second))
        assert await store.nearest(_EAST, count=5) == ()
        again = page_of("first", url=_url("one"), at=3000.0)
        await store.save(again, chunks_of(again))
        assert [hit.snippet for hit in await store.nearest(_EAST, count=5)] == ["first"]
        await store.save_vectors(again, pointing((0.0, 1.0)))
        assert await store.nearest(_EAST, count=5) == ()
        assert len(await store.nearest(_NORTH, count=5)) == 1

    async def test_a_removed_page_is_near_to_nothing(self, store: Store) -> None:
        await _keep(store, "one", "words", (1.0, 0.0))
        await store.remove(_url("one"))
        assert await store.nearest(_EAST, count=5) == ()

    @pytest.mark.parametrize(
        "row", [(0.0, 0.0), (math.nan, 1.0), (math.inf, 0.0)], ids=["zero", "no number", "endless"]
    )
    async def test_a_vector_that_points_nowhere_is_near_to_nothing(
        self, store: Store, row: tuple[float, float]
    ) -> None:
        await _keep(store, "one", "nowhere", row)
        assert await store.nearest(_EAST, count=5) == ()
        await _keep(store, "two", "east", (1.0, 0.0))
        assert await store.nearest(pointing(row), count=5) == ()

    @pytest.mark.parametrize("data", [b"", bytes(2), bytes(8)], ids=["none", "half of one", "two"])
    async def test_what_is_near_is_asked_of_one_vector(self, store: Store, data: bytes) -> None:
        with pytest.raises(InvalidArgument):
            await store.nearest(Vectors(model="small", dimension=2, data=data), count=5)

    async def test_equally_close_pages_come_in_the_order_in_which_they_were_first_kept(self, store: Store) -> None:
        for name, length in (("one", 1.0), ("two", 3.0), ("six", 0.5)):
            await _keep(store, name, "words", (length, length))
        assert [hit.url[-3:] for hit in await store.nearest(pointing((2.0, 2.0)), count=5)] == ["one", "two", "six"]

    async def test_among_many_pages_the_truly_closest_is_found(self, store: Store) -> None:
        dice = random.Random(5)  # noqa: S311 - the same numbers every time
        rows = {f"page{n}": [dice.gauss(0, 1) for _ in range(48)] for n in range(150)}
        for name, row in rows.items():
            await _keep(store, name, name, row)
        for asked in ([dice.gauss(0, 1) for _ in range(48)] for _ in range(5)):
            best = sorted(rows, key=lambda name: -_cosine(rows[name], asked))[:3]
            assert [hit.title for hit in await store.nearest(pointing(asked), count=3)] == best


def _url(name: str) -> str:
    return f"https://docs.example.com/{name}"


async def _keep(store: Store, name: str, words: str, *rows: "list[float] | tuple[float, ...]") -> None:
    """A page of one chunk per word, each with a row."""
    size = max(len(word) for word in words.split())
    page = page_of("".join(word.ljust(size) for word in words.split()), url=_url(name), title=name)
    await store.save(page, chunks_of(page, size=size))
    await store.save_vectors(page, pointing(*rows))


def _cosine(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True)) / math.hypot(*one) / math.hypot(*other)


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
