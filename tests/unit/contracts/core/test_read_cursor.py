"""A reading is walked over the texts and in the order of its first step; where that cannot be, it says so."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from zlib import crc32

import numpy as np
import pytest

from gossamer.contracts.contract import Reply
from gossamer.contracts.core.read_cursor import Walk, check_same, former_of
from gossamer.contracts.core.tools import web_read
from gossamer.embedders.local import LocalEmbedder
from gossamer.engine import Engine
from gossamer.errors import BadCursor, NotFound, StoreUnavailable, Unreachable
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.page import Page, Vectors
from gossamer.ports import Call, Heard, LanguageMix, unheard
from gossamer.steps.tokens.cursor import Cursor
from gossamer.stores.memory import MemoryStore
from tests.unit.engine.world import World

SKY, DEAD, SEA = "https://a.test/sky", "https://a.test/dead", "https://a.test/sea"
WORDS = ("harbour", "lamp", "keeper", "storm", "ferry", "orchard", "bakery", "bridge", "tower", "garden")
TEXT = "# Sky\n\n" + "\n\n".join(
    f"Comet {n} was seen over the {WORDS[n % 10]} of {WORDS[n // 10]} town by {n * 7} people in spring."
    for n in range(100)
)
QUERY = "Who saw a comet over the harbour?"


@dataclass
class Counted:
    """A page that tells how often it was asked for, and may not be used again without asking."""

    seen: list[int] = field(default_factory=list)
    cache: str = "no-cache"

    def __call__(self, request: HttpRequest) -> HttpReply:
        self.seen.append(1)
        text = f"{TEXT}\n\nThis page was looked at {len(self.seen)} times.\n"
        headers = {"content-type": "text/html", "cache-control": self.cache}
        return HttpReply(status=200, url=request.url, headers=headers, body=text.encode())


async def read(world: World, engine: Engine, cursor: str = "", **given: Any) -> Reply[None]:
    asked: dict[str, Any] = {
        "urls": [SKY],
        "queries": [QUERY],
        "max_results": 8,
        "max_tokens": 300,
        "force_refresh": False,
        "include_metadata": False,
    }
    return await web_read.run(engine, world.call(), **{**asked, **given}, cursor=cursor)


def cursor_of(reply: Reply[None]) -> str:
    return reply.meta.get("gossamer/cursor", "")


def assert_shown_once(replies: Sequence[Reply[None]]) -> None:
    spans = [span for reply in replies for span in reply.meta["gossamer/passages"]]
    shown = [(span["url"], place) for span in spans for place in range(span["start"], span["end"])]
    assert len(shown) == len(set(shown))


async def walk(world: World, engine: Engine, **given: Any) -> list[Reply[None]]:
    replies = [await read(world, engine, **given)]
    while cursor := cursor_of(replies[-1]):
        replies.append(await read(world, engine, cursor, **given))
    assert len(replies) > 2
    return replies


@pytest.mark.parametrize("cache", ["no-cache", "max-age=0, private"])
async def test_a_page_that_changes_with_every_look_is_walked_over_the_text_of_the_first(cache: str) -> None:
    world = World()
    counted = Counted(cache=cache)
    world.web.answers[SKY] = counted
    assert_shown_once(await walk(world, world.engine()))
    assert len(counted.seen) == 1


async def test_a_changing_page_that_may_not_be_kept_ends_the_walk_and_says_so() -> None:
    world = World()
    world.web.answers[SKY] = Counted(cache="no-store")
    engine = world.engine()
    with pytest.raises(BadCursor, match="has expired"):
        await read(world, engine, cursor_of(await read(world, engine)))


async def test_pages_are_found_again_whatever_others_they_were_read_with() -> None:
    world = World()
    world.web.answers[SKY] = Counted()
    world.web.answers[DEAD] = NotFound("There is no such page.")
    world.serve(SEA, TEXT.replace("Comet", "Whale"), cache_control="no-cache")
    engine = world.engine()
    asked = {"urls": [SKY, DEAD, SEA, SKY], "queries": [QUERY, "Which whale was seen over the harbour?"]}
    first = await read(world, engine, **asked)
    assert "Not read: https://a.test/dead" in first.text
    world.serve(DEAD, "# Alive\n\nA comet over the harbour.\n")
    world.serve(SEA, "# Gone\n\nNothing here.\n")
    await engine.fetch(SEA, world.call(), force_refresh=True)
    replies = [first]
    while cursor := cursor_of(replies[-1]):
        replies.append(await read(world, engine, cursor, **asked))
    assert_shown_once(replies)
    assert {span["url"] for reply in replies for span in reply.meta["gossamer/passages"]} == {SKY, SEA}


async def test_a_cursor_names_as_many_pages_as_are_asked_for() -> None:
    world = World()
    world.serve(SKY, TEXT)
    engine = world.engine()
    cursor = cursor_of(await read(world, engine, urls=[SKY, SKY]))
    assert cursor_of(await read(world, engine, cursor, urls=[SKY, SKY])) != cursor
    with pytest.raises(BadCursor, match="another request"):
        await read(world, engine, cursor, urls=[SKY])


@dataclass
class Fickle(LocalEmbedder):
    """An embedder that may be away, or another."""

    away: bool = False
    called: str = "one"

    @property
    def name(self) -> str:
        return self.called

    def speaking(self, mix: LanguageMix) -> "Fickle":
        return self

    async def embed(self, texts: Sequence[str], call: Call, heard: Heard = unheard) -> Vectors:
        if self.away:
            raise Unreachable("The embedding server is away.", hint="Start it.")
        dimension, rows = 64, bytearray()
        for text in texts:
            row = np.zeros(dimension)
            for word in text.lower().split():
                row[crc32(f"{self.called} {word}".encode()) % dimension] += 1
            rows += (row / np.linalg.norm(row)).astype("<f2").tobytes()
        return Vectors(model=self.called, dimension=dimension, data=bytes(rows))

    async def ask(self, questions: Sequence[str], call: Call) -> Vectors:
        return await self.embed(questions, call)


@dataclass
class Judge:
    """Finds the shortest text best."""

    away: bool = False
    asked: int = 0

    async def scores(self, question: str, texts: Sequence[str], call: Call) -> list[float]:
        self.asked += 1
        if self.away:
            raise Unreachable("The judge is away.", hint="Start it.")
        return [1 / len(text) for text in texts]


def ranked_by(embedder: Fickle | None = None, judge: Judge | None = None) -> World:
    world = World(reranker=judge)
    if embedder:
        world.embedder = embedder
    world.serve(SKY, TEXT)
    return world


async def test_a_walk_that_began_without_vectors_goes_on_without_them() -> None:
    embedder = Fickle(away=True)
    world = ranked_by(embedder)
    engine = world.engine()
    away = await walk(world, engine)
    first = await read(world, engine)
    embedder.away = False
    replies = [first]
    while cursor := cursor_of(replies[-1]):
        replies.append(await read(world, world.engine(), cursor))
    assert_shown_once(replies)
    assert [each.meta["gossamer/passages"] for each in replies] == [each.meta["gossamer/passages"] for each in away]


async def test_a_walk_that_began_unjudged_goes_on_unjudged() -> None:
    judge = Judge(away=True)
    world = ranked_by(judge=judge)
    first = await read(world, world.engine())
    judge.away = False
    assert_shown_once([first, await read(world, world.engine(), cursor_of(first))])
    assert judge.asked == 1


@pytest.mark.parametrize("change", [{"away": True}, {"called": "two"}])
async def test_a_walk_whose_model_is_away_or_another_ends_and_says_what_to_do(change: dict[str, Any]) -> None:
    world = ranked_by(Fickle())
    cursor = cursor_of(await read(world, world.engine()))
    assert cursor_of(await read(world, world.engine(), cursor))
    changed = replace(world, embedder=Fickle(**change))
    with pytest.raises(BadCursor, match="the model that ordered its passages is away or another") as caught:
        await read(changed, changed.engine(), cursor)
    assert "Leave the cursor out" in caught.value.hint


async def test_a_walk_whose_judge_is_away_ends_and_goes_on_when_it_is_back() -> None:
    judge = Judge()
    world = ranked_by(judge=judge)
    engine = world.engine()
    first = await read(world, engine)
    judge.away = True
    with pytest.raises(BadCursor, match="has ended"):
        await read(world, engine, cursor_of(first))
    judge.away = False
    assert_shown_once([first, await read(world, engine, cursor_of(first))])


async def test_where_the_library_cannot_be_read_the_site_is_asked_and_that_is_told() -> None:
    class Moody(MemoryStore):
        async def page(self, url: str, view: str = "", *, content_hash: str = "") -> Page | None:
            if content_hash:
                raise StoreUnavailable("The library is locked.", hint="Wait.")
            return await super().page(url, view)

    world = World(store=Moody())
    world.serve(SKY, TEXT)
    engine = world.engine()
    first = await read(world, engine)
    second = await read(world, engine, cursor_of(first))
    assert_shown_once([first, second])
    assert "The library could not be read" in second.text


CURSOR = Cursor(tool="web_read", request="0", offset=1, snapshots=("123456782748",))


def test_a_cursor_of_another_make_has_expired() -> None:
    assert former_of([SKY], CURSOR).snapshots == {SKY: "abc"}
    for snapshots in ((), ("12345678",), ("123456782748274",), ("1234567827482748",)):
        with pytest.raises(BadCursor, match="has expired"):
            former_of([SKY], replace(CURSOR, snapshots=snapshots))


def test_a_page_whose_hash_begins_with_zeros_and_one_that_failed_are_told_apart() -> None:
    cursor = replace(CURSOR, snapshots=("1234567800019999",))
    assert former_of([SKY, DEAD], cursor).snapshots == {SKY: "001"}


def test_another_text_that_begins_alike_has_expired_too() -> None:
    check_same(CURSOR, Walk(snapshot="123456782748", arguments={}))
    with pytest.raises(BadCursor, match="has expired"):
        check_same(CURSOR, Walk(snapshot="123446782748", arguments={}))


ISLANDS = ("Aria", "Bruma", "Celo", "Dorsa", "Elba", "Farol", "Goro", "Hesper", "Iona", "Jura")


@pytest.mark.parametrize(("max_results", "max_tokens"), [(8, 1500), (8, 300), (1, 300)])
async def test_every_question_of_many_is_answered_by_the_end_of_the_walk(max_results: int, max_tokens: int) -> None:
    world, queries = World(), [f"Where does ferry number {n} go?" for n in range(10)]
    fill = "The keeper wrote down the wind in a book that nobody has read since. " * 4
    facts = [f"Ferry number {n} goes to {island}." for n, island in enumerate(ISLANDS)]
    world.serve(SKY, "\n\n".join(f"## Pier {n}\n\n{fill}{fact} {fill}" for n, fact in enumerate(facts)))
    engine, given = world.engine(), {"queries": queries, "max_results": max_results, "max_tokens": max_tokens}
    replies = [await read(world, engine, **given)]
    while cursor := cursor_of(replies[-1]):
        replies.append(await read(world, engine, cursor, **given))
    told = "\n".join(reply.text for reply in replies)
    assert [fact for fact in facts if fact not in told] == []
    for number in range(1, 11):
        assert f"(query {number})" in told or f", {number}" in told
    assert_shown_once(replies)
