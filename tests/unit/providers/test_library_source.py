from typing import cast

from gossamer.model.search import Hit, Query
from gossamer.ports import Call, Clock, Source, Store
from gossamer.providers.library_source import Library


class Shelf:
    """A store in which everything is found."""

    def __init__(self, *hits: Hit) -> None:
        self.hits = hits
        self.asked: list[tuple[str, int, str]] = []

    async def find(self, text: str, *, count: int, site: str = "") -> tuple[Hit, ...]:
        self.asked.append((text, count, site))
        return self.hits


class Noon:
    def now(self) -> float:
        return 0.0

    def monotonic(self) -> float:
        return 0.0


CALL = Call(clock=cast("Clock", Noon()))


def over(shelf: Shelf) -> Source:
    return Library(cast("Store", shelf))


async def test_the_store_is_asked_with_the_words_the_count_and_the_site() -> None:
    shelf = Shelf()
    await over(shelf).search(Query(text="vacuum full", count=3, site="docs.example"), CALL)
    await over(shelf).search(Query(text="vacuum full"), CALL)
    assert shelf.asked == [("vacuum full", 3, "docs.example"), ("vacuum full", 10, "")]


async def test_kept_pages_come_back_as_clean_lines() -> None:
    shelf = Shelf(
        Hit(url="https://a.example/", title="A\npage", snippet="| x | y |\n\n<b>bold</b>", score=0.5),
        Hit(url="https://b.example/", title=""),
    )
    found = await over(shelf).search(Query(text="x"), CALL)
    assert found.hits == (
        Hit(url="https://a.example/", title="A page", snippet="| x | y | bold", engine="library", score=0.5),
        Hit(url="https://b.example/", title="https://b.example/", engine="library"),
    )
    assert found.engines == ("library",)


async def test_an_empty_shelf_is_no_results() -> None:
    found = await over(Shelf()).search(Query(text="x"), CALL)
    assert found.hits == ()
    assert found.engines == ()
