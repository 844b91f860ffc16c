"""The pages behind a search: how many at once, how much of each, what is dropped, what comes in time."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from gossamer.engine import Engine
from gossamer.engine.policies import ContentPolicy
from gossamer.engine.result_pages import _Line
from gossamer.errors import Outcome
from gossamer.model.http import FetchPolicy, HttpReply, HttpRequest
from gossamer.model.search import Hit, Query, SearchPage
from gossamer.ports import Call
from tests.unit.engine.world import CannedHttp, World

ARTICLE = "# Ferries\n\nThe ferry leaves Port Ellery at noon. The ticket costs four euros. Dogs travel free of charge."
CODE = "# Skein\n\nSkein is a scheduler of tasks.\n\n```python\nimport skein\n```\n\n```sh\nmake ferry\n```\n"
LINKS = "# Offers\n\n" + "\n".join(f"- [Offer number {n} of the day](https://spam.test/{n})" for n in range(50))


def found(*urls: str, text: str = "ferry") -> SearchPage:
    hits = tuple(Hit(url=url, title="T") for url in urls)
    return SearchPage(query=Query(text=text), hits=hits, provider="p", instance="p", services=())


def world_with(**pages: str) -> World:
    world = World()
    for name, text in pages.items():
        world.serve(f"https://{name}.test/", text)
    return world


@pytest.mark.promise("002.3", "002.15", "002.30", "002.33")
async def test_each_page_comes_weighed_and_summed_up() -> None:
    world = world_with(a=ARTICLE)
    page = await world.engine().with_content(found("https://a.test/"), world.call())
    (content,) = page.contents
    assert (content.words, content.outcome, content.is_shown) == (19, Outcome.OK, True)
    assert content.summary.startswith("The ferry leaves Port Ellery at noon.")
    assert 0.3 < content.quality <= 1
    assert content.passages


async def test_code_is_told_apart_what_suits_the_query_first() -> None:
    world = world_with(a=CODE)
    (content,) = (await world.engine().with_content(found("https://a.test/"), world.call())).contents
    assert [(one.language, one.text) for one in content.code] == [("sh", "make ferry"), ("python", "import skein")]


@pytest.mark.promise("002.121", "002.123")
async def test_summaries_and_code_can_be_switched_off() -> None:
    world, policy = world_with(a=CODE), ContentPolicy(summary_chars=0, code_blocks=False)
    (content,) = (await world.engine().with_content(found("https://a.test/"), world.call(), policy=policy)).contents
    assert (content.summary, content.code) == ("", ())
    world, policy = world_with(a=ARTICLE), ContentPolicy(summary_chars=50)
    (content,) = (await world.engine().with_content(found("https://a.test/"), world.call(), policy=policy)).contents
    assert 0 < len(content.summary) <= 50


async def test_a_page_that_says_the_same_as_a_better_one_points_to_it() -> None:
    world = world_with(a=ARTICLE, b=LINKS, c=ARTICLE + "\n\nMirror.", d=CODE)
    urls = [f"https://{name}.test/" for name in "xabcd"]
    contents = (await world.engine().with_content(found(*urls), world.call())).contents
    assert [one.same_as for one in contents] == [None, None, None, 1, None]
    assert [one.is_poor for one in contents] == [False, False, True, False, False]
    assert [one.is_shown for one in contents] == [False, True, False, False, True]
    assert [one.outcome for one in contents] == [Outcome.UNREACHABLE, *[Outcome.OK] * 4]


class Counting(CannedHttp):
    """Counts how many are asked at once, and lets each go when told."""

    def __init__(self, until: Callable[[], Awaitable[object]]) -> None:
        super().__init__()
        self.now = self.most = 0
        self.until = until
        self.terms: set[FetchPolicy] = set()

    async def send(self, request: HttpRequest, call: Call) -> HttpReply:
        self.terms.add(request.terms)
        self.now += 1
        self.most = max(self.most, self.now)
        await self.until()
        self.now -= 1
        return HttpReply(status=200, url=request.url, headers={"content-type": "text/html"}, body=ARTICLE.encode())


async def yielding() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


@pytest.mark.promise("002.31", "002.82", "002.83", "002.146", "002.176")
@pytest.mark.parametrize("at_once", [1, 5])
async def test_no_more_pages_are_fetched_at_once_than_the_rules_say(at_once: int) -> None:
    world, policy = world_with(), ContentPolicy(at_once=at_once)
    world.web = Counting(yielding)
    hits = found(*(f"https://a.test/{n}" for n in range(12)))
    page = await world.engine().with_content(hits, world.call(), policy=policy)
    assert world.web.most == at_once
    assert len(page.contents) == 12
    assert world.web.terms == {FetchPolicy(timeout_s=45.0, max_bytes=2 * 2**20)}


@pytest.mark.promise("002.132")
async def test_what_has_come_by_the_deadline_is_delivered() -> None:
    world = world_with(a=ARTICLE)
    forever = asyncio.Event()
    world.web = Some(forever.wait)
    world.web.answers["https://a.test/"] = HttpReply(
        status=200, url="https://a.test/", headers={"content-type": "text/html"}, body=ARTICLE.encode()
    )
    engine: Engine = world.engine()
    call = replace(world.call(), deadline=world.clock.monotonic() + 3.0)
    page = await engine.with_content(found("https://slow.test/", "https://a.test/"), call)
    late, good = page.contents
    assert good.is_shown
    assert late.failure
    assert (late.outcome, late.failure.position, late.failure.message) == (Outcome.TIMEOUT, 1, "")


class Some(Counting):
    """Answers what is canned, and keeps the others waiting."""

    async def send(self, request: HttpRequest, call: Call) -> HttpReply:
        answer = self.answers.get(request.url)
        return answer if isinstance(answer, HttpReply) else await super().send(request, call)


async def test_a_page_that_was_cut_for_the_search_alone_is_not_kept_for_others() -> None:
    world = world_with()
    short = ARTICLE.encode()

    def answer(request: HttpRequest) -> HttpReply:
        is_cut = request.terms.max_bytes is not None
        body = short if is_cut else short + b" More."
        return HttpReply(status=200, url=request.url, headers={"content-type": "text/html"}, body=body, is_cut=is_cut)

    world.web.answers["https://a.test/"] = answer
    engine = world.engine()
    (content,) = (await engine.with_content(found("https://a.test/"), world.call())).contents
    assert content.page
    assert content.page.is_cut
    whole = await engine.fetch("https://a.test/", world.call())
    assert whole.text.endswith("More.")
    (content,) = (await engine.with_content(found("https://a.test/"), world.call())).contents
    assert content.page
    assert content.page.text == whole.text


@pytest.mark.promise("002.61")
async def test_how_long_all_of_it_took_is_told() -> None:
    world = world_with()

    async def slowly() -> None:
        world.clock.advance(0.7)

    world.web = Counting(slowly)
    page = await world.engine().with_content(found("https://a.test/"), world.call())
    assert page.contents_ms == page.contents[0].fetch_ms == 700


TURNS = {
    "alone": ((1, 5), [30.0]),
    "all at once": ((5, 5), [30.0] * 5),
    "two rounds": ((7, 5), [15.0, 15.0, *[30.0] * 5]),
    "three rounds": ((13, 5), [10.0] * 3),
    "many": ((50, 5), [5.0] * 5),
}


@pytest.mark.parametrize(("sizes", "turns"), TURNS.values(), ids=TURNS)
def test_a_page_takes_no_more_time_than_leaves_a_turn_to_those_behind_it(
    sizes: tuple[int, int], turns: list[float]
) -> None:
    waiting, at_once = sizes
    line = _Line(slots=asyncio.Semaphore(at_once), at_once=at_once, waiting=waiting)
    assert [line.turn_s(30.0) for _ in turns] == turns
    assert _Line(slots=line.slots, at_once=at_once, waiting=waiting).turn_s(0.5) == 0.5
