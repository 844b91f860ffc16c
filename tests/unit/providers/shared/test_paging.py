from gossamer.errors import InvalidArgument, RateLimited
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import Found, Hit
from gossamer.providers.shared.request import gather


def walk(
    pages: list[list[str] | Exception], *, count: int, max_pages: int = 9, is_more: bool = True
) -> tuple[Found, int]:
    """Answer with pages of addresses, one after the other; how many were asked for."""
    asked: list[int] = []

    def ask(page: int) -> HttpRequest:
        asked.append(page)
        return HttpRequest(url=f"https://pages.example/{page}")

    def read(reply: HttpReply) -> tuple[Found, bool]:
        addresses = reply.body.decode().split()
        return Found(hits=tuple(Hit(url=url, title=url) for url in addresses), note="Said."), is_more

    steps = gather(ask, read, count=count, max_pages=max_pages)
    next(steps)
    try:
        for page in pages:
            if isinstance(page, Exception):
                steps.throw(page)
            else:
                steps.send(HttpReply(status=200, url="", body=" ".join(page).encode()))
    except StopIteration as end:
        assert asked == list(range(len(asked)))
        return end.value, len(asked)
    raise AssertionError("it asks for more pages than there are")


def urls(found: Found) -> list[str]:
    return [hit.url for hit in found.hits]


def test_one_page_suffices_when_it_brings_enough() -> None:
    found, asked = walk([["a", "b", "c"]], count=2)
    assert urls(found) == ["a", "b"]
    assert asked == 1
    assert walk([["a", "b"]], count=2)[1] == 1


def test_pages_are_joined_without_what_came_twice() -> None:
    found, asked = walk([["a", "b"], ["b", "c"], ["d", "e"]], count=4)
    assert urls(found) == ["a", "b", "c", "d"]
    assert asked == 3


def test_a_page_without_news_is_the_last() -> None:
    found, asked = walk([["a", "b"], ["a", "b"]], count=9)
    assert urls(found) == ["a", "b"]
    assert asked == 2


def test_nobody_asks_on_when_there_is_no_more_or_enough_was_paid() -> None:
    assert walk([["a"]], count=9, is_more=False)[1] == 1
    assert walk([["a"], ["b"]], count=9, max_pages=2)[1] == 2


def test_a_later_page_that_fails_costs_only_itself() -> None:
    for error in (RateLimited("Quill"), InvalidArgument("Quill takes no such page.")):
        found, _ = walk([["a", "b"], error], count=9)
        assert urls(found) == ["a", "b"]
        assert found.note == f"Said. Page 2 could not be had: {error.message}"
