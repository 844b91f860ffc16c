"""The four tools over an engine with a canned web: arguments in, rendered replies out, cursors followed."""

import re
from dataclasses import replace
from typing import Any

import pytest

from gossamer.contracts import choose_tools
from gossamer.contracts.arguments import read_arguments
from gossamer.contracts.contract import Reply
from gossamer.contracts.core.policy import CorePolicy
from gossamer.contracts.render.envelope import READ_AS
from gossamer.engine import Engine, EngineOptions
from gossamer.engine.policies import Policies
from gossamer.errors import BadCursor, GossamerError, Outcome, RateLimited
from gossamer.model.page import View
from tests.unit.contracts.material import blocks, true_tokens
from tests.unit.engine.world import SEARX, World, searxng_reply

TOOLS = {tool.name: tool for tool in choose_tools(["core"])}
FERRY, SKY = "https://a.test/ferry", "https://a.test/sky"
FERRY_TEXT = "# Ferries\n\nThe ferry leaves at noon. The ticket costs four euros.\n\n## Dogs\n\nDogs travel free.\n"
LONG_TEXT = "# Sky\n\n" + "\n\n".join(
    f"Comet number {n} was seen over the dome in the month of March." for n in range(200)
)


@pytest.fixture
def world() -> World:
    world = World()
    world.serve(FERRY, FERRY_TEXT)
    world.serve(SKY, LONG_TEXT)
    world.api.answers[f"{SEARX}/search"] = searxng_reply(FERRY, SKY, *(f"https://b.test/{n}" for n in range(8)))
    return world


@pytest.fixture
def engine(world: World) -> Engine:
    return world.engine()


class Caller:
    """Calls tools as a server does."""

    def __init__(self, world: World, engine: Engine) -> None:
        self.world, self.engine = world, engine

    async def __call__(self, name: str, by: str = "local", **given: Any) -> Reply[Any]:
        tool = TOOLS[name]
        call = replace(self.world.call(), caller=by)
        read = read_arguments(tool.arguments, given, call.log.note)
        return await tool.run(self.engine, call, **{name: getattr(read, name) for name in type(read).model_fields})


@pytest.fixture
def call(world: World, engine: Engine) -> Caller:
    return Caller(world, engine)


def cursor_of(reply: Reply[Any]) -> str:
    return reply.meta.get("gossamer/cursor", "")


def body_of(reply: Reply[Any]) -> str:
    return re.sub(r"\ATitle: .*\n\n", "", blocks(reply.text)[0])


async def test_a_page_is_fetched_and_shown_whole(call: Caller) -> None:
    reply = await call("web_fetch", url=FERRY)
    assert body_of(reply) == FERRY_TEXT
    assert (reply.outcome, cursor_of(reply)) == (Outcome.OK, "")


async def test_a_long_page_is_walked_with_the_address_and_the_cursor_alone(call: Caller) -> None:
    reply = await call("web_fetch", url=SKY, max_tokens=600, max_length=1000, include_links=False)
    slices = [body_of(reply)]
    while cursor := cursor_of(reply):
        assert true_tokens(reply.text) <= 600
        reply = await call("web_fetch", url=SKY, cursor=cursor)
        slices.append(blocks(reply.text)[0])
        assert len(slices[-1]) <= 1000
    assert "".join(slices) == LONG_TEXT
    assert set(call.world.extractor.asked) == {View(include_links=False)}


async def test_the_rest_may_be_asked_for_in_other_sizes(call: Caller) -> None:
    reply = await call("web_fetch", url=SKY, max_tokens=600)
    rest = await call("web_fetch", url=SKY, cursor=cursor_of(reply), max_tokens=300, max_length=100)
    assert true_tokens(rest.text) <= 300
    assert 88 <= len(blocks(rest.text)[0]) <= 100


async def test_a_cursor_of_another_page_or_another_tool_is_refused(call: Caller) -> None:
    cursor = cursor_of(await call("web_fetch", url=SKY, max_tokens=600))
    for name, given in {
        "web_fetch": {"url": FERRY},
        "web_read": {"urls": [SKY], "queries": ["comet"]},
        "web_search": {"query": "comet"},
    }.items():
        with pytest.raises(BadCursor, match="belongs to another request"):
            await call(name, cursor=cursor, **given)


@pytest.mark.parametrize("name", ["web_fetch", "web_read", "web_search"])
async def test_a_forged_cursor_is_refused_by_every_tool(call: Caller, name: str) -> None:
    given = {"web_fetch": {"url": SKY}, "web_read": {"urls": SKY, "queries": "x"}, "web_search": {"query": "x"}}[name]
    with pytest.raises(BadCursor, match="not made by this server"):
        await call(name, cursor="10.0badcafe.0123456789ab..AAAAAAAAAAAA", **given)


WALKED: dict[str, dict[str, Any]] = {
    "web_fetch": {"url": SKY, "max_tokens": 600},
    "web_read": {"urls": [SKY], "queries": ["comet"], "max_tokens": 300},
    "web_search": {"query": "comet", "max_tokens": 300},
}


@pytest.mark.parametrize("name", WALKED)
async def test_a_cursor_is_good_for_the_caller_who_was_given_it_alone(call: Caller, name: str) -> None:
    cursor = cursor_of(await call(name, by="ada", **WALKED[name]))
    assert cursor
    assert (await call(name, by="ada", cursor=cursor, **WALKED[name])).outcome is Outcome.OK
    for stranger in ("local", "bob", "Ada"):
        with pytest.raises(BadCursor, match="not made by this server"):
            await call(name, by=stranger, cursor=cursor, **WALKED[name])


async def test_a_cursor_expires_with_its_snapshot_and_says_so(world: World, call: Caller) -> None:
    fetched = cursor_of(await call("web_fetch", url=SKY, max_tokens=600))
    read = cursor_of(await call("web_read", urls=[SKY], queries=["comet"], max_tokens=300))
    assert world.store is not None
    await world.store.remove(SKY)
    world.serve(SKY, LONG_TEXT.replace("March", "May"))
    with pytest.raises(BadCursor, match="has expired"):
        await call("web_fetch", url=SKY, cursor=fetched)
    with pytest.raises(BadCursor, match="has expired"):
        await call("web_read", urls=[SKY], queries=["comet"], cursor=read)


async def test_a_reading_is_walked_with_pages_questions_and_cursor_alone(call: Caller) -> None:
    asked: dict[str, Any] = {"urls": [SKY, FERRY], "queries": ["When was comet number 7 seen?"]}
    reply = await call("web_read", **asked, max_tokens=300, max_results=5, include_metadata=True)
    spans = list(reply.meta["gossamer/passages"])
    replies = 1
    while cursor := cursor_of(reply):
        assert true_tokens(reply.text) <= 300
        reply = await call("web_read", **asked, cursor=cursor)
        assert "(score " in reply.text
        spans += reply.meta["gossamer/passages"]
        replies += 1
    assert replies > 1
    assert "Comet number 7 was seen" in LONG_TEXT[spans[0]["start"] : spans[0]["end"]]
    assert len({(span["url"], n) for span in spans for n in range(span["start"], span["end"])}) == sum(
        span["end"] - span["start"] for span in spans
    )


LONG_ADDRESS = (
    "https://a.test/documentation/reference/manual/harbour-of-lorn-history-and-keepers.html?section=lighthouse"
)
FILL = "The committee met again in the spring to speak of ordinary matters. Boats came and went all afternoon. "
ANSWERS = {
    "prose": (
        "Who painted the lighthouse?",
        "The lighthouse was painted green by Marta Oksanen after the storm.",
        FILL,
    ),
    "Spanish": (
        "¿Quién diseñó la rueda?",
        "La rueda fue diseñada por la ingeniera Inés Robledo.",
        "El molino fue reparado por los vecinos. La harina se vendía en el mercado de los martes. ",
    ),
    "steps": ("How is the filter cleaned?", "- Clean the filter with warm water.", "- Close the lid.\n- Wait a day.\n"),
}


@pytest.mark.parametrize("url", [FERRY, LONG_ADDRESS])
@pytest.mark.parametrize("case", ANSWERS)
async def test_the_sentence_that_answers_is_in_the_reply_whatever_the_budget(
    world: World, call: Caller, case: str, url: str
) -> None:
    query, answer, fill = ANSWERS[case]
    parts = [f"## Part {n}\n\n{fill * 3}\n{answer if n == 7 else fill}\n{fill * 3}" for n in range(20)]
    text = "# Harbour\n\n" + "\n\n".join(parts)
    world.serve(url, text)
    for max_tokens in (200, 215, 230, 250, 275, 300, 333, 400, 500, 700, 1000, 1500):
        reply = await call("web_read", urls=url, queries=query, max_tokens=max_tokens)
        assert answer in blocks(reply.text)[0], max_tokens
        assert true_tokens(reply.text) <= max_tokens
        for span in reply.meta["gossamer/passages"]:
            assert text[span["start"] : span["end"]] in "".join(blocks(reply.text))
        assert any(READ_AS in note for note in reply.meta["gossamer/note"])


async def test_the_passages_chosen_to_be_shown_together_are_shown_whole(world: World, call: Caller) -> None:
    query, answer, _ = ANSWERS["prose"]
    world.serve(FERRY, "# Harbour\n\n" + f"{FILL * 2}{answer} {FILL * 2}")
    for max_tokens in range(200, 420, 7):
        reply = await call("web_read", urls=[FERRY], queries=[query], max_tokens=max_tokens)
        first = blocks(reply.text)[0].split("\n\n[2]")[0]
        assert first.rstrip().endswith((".", "Harbour")), max_tokens


async def test_reading_one_page_for_one_question_takes_plain_strings(call: Caller) -> None:
    reply = await call("web_read", urls="a.test/ferry", queries="What does the ticket cost?")
    assert "The ticket costs four euros." in reply.text
    assert 'urls was read as ["https://a.test/ferry"]' in reply.meta["gossamer/note"][0]
    assert cursor_of(reply) == ""


async def test_a_search_shows_results_with_what_their_pages_say(call: Caller) -> None:
    reply = await call("web_search", query="ferry ticket", results_count=4)
    assert [hit.url for hit in reply.data.results] == [FERRY, SKY, "https://b.test/0", "https://b.test/1"]
    assert "The ticket costs four euros." in reply.data.results[0].content.markdown
    assert reply.data.content_fetch_stats.outcomes == {"ok": 2, "unreachable": 2}


@pytest.mark.promise("002.151")
async def test_a_search_is_walked_with_the_query_and_the_cursor_alone(call: Caller) -> None:
    reply = await call("web_search", query="ferry", fetch_content=False, max_tokens=350, language="de", region="de")
    urls = [hit.url for hit in reply.data.results]
    replies = 1
    while cursor := cursor_of(reply):
        reply = await call("web_search", query="ferry", cursor=cursor)
        assert (reply.data.fetch_content, reply.data.language) == (False, "de")
        assert true_tokens(reply.text) <= 350
        urls += [hit.url for hit in reply.data.results]
        replies += 1
    assert replies > 1
    assert urls == [FERRY, SKY, *(f"https://b.test/{n}" for n in range(8))]


async def test_a_search_cursor_expires_when_the_results_are_others(world: World, call: Caller) -> None:
    reply = await call("web_search", query="ferry", fetch_content=False, max_tokens=350)
    world.api.answers[f"{SEARX}/search"] = searxng_reply(SKY)
    world.clock.time += 7200
    with pytest.raises(BadCursor, match="has expired"):
        await call("web_search", query="ferry", cursor=cursor_of(reply))


async def test_an_answer_quotes_its_pages(call: Caller) -> None:
    reply = await call("web_answer", question="What does the ferry ticket cost?", max_sources=2)
    first = reply.data.citations[0]
    assert (first.url, first.quote) == (FERRY, "The ticket costs four euros.")
    assert FERRY_TEXT[first.start : first.end] == first.quote
    assert true_tokens(reply.text) <= 1500


async def test_a_page_that_cannot_be_had_is_an_error_of_ours(call: Caller) -> None:
    with pytest.raises(GossamerError) as caught:
        await call("web_fetch", url="https://b.test/9")
    assert caught.value.outcome is Outcome.UNREACHABLE


@pytest.mark.promise("002.127")
async def test_where_opening_pages_is_switched_off_a_search_says_so_and_brings_no_content() -> None:
    world = World(limits=EngineOptions(policies=Policies(CorePolicy(may_fetch=False))))
    world.api.answers[f"{SEARX}/search"] = searxng_reply(FERRY)
    reply = await Caller(world, world.engine())("web_search", query="ferry")
    assert reply.data.fetch_content is False
    assert "switched off" in reply.data.note
    assert world.web.asked == []


async def test_the_operator_says_how_many_results_and_the_caller_is_told_of_a_limit() -> None:
    world = World(limits=EngineOptions(policies=Policies(CorePolicy(may_fetch=False, default_count=2, max_count=4))))
    world.api.answers[f"{SEARX}/search"] = searxng_reply(*(f"https://b.test/{n}" for n in range(8)))
    call = Caller(world, world.engine())
    assert (await call("web_search", query="ferry")).data.results_count == 2
    assert (await call("web_search", query="ferry", results_count=3)).data.results_count == 3
    most = await call("web_search", query="ferry", results_count=8)
    assert most.data.results_count == 4
    assert "results_count is limited to 4 here." in most.data.note


@pytest.mark.promise("002.81")
async def test_a_search_that_nobody_can_answer_names_who_was_asked_and_when_to_try_again(world: World) -> None:
    world.limits = EngineOptions(providers=("searxng",))
    world.api.answers[f"{SEARX}/search"] = RateLimited("SearXNG", retry_after_s=90)
    with pytest.raises(RateLimited) as failed:
        await Caller(world, world.engine())("web_search", query="ferry")
    tell = TOOLS["web_search"].told
    assert tell
    assert tell(failed.value, {"query": "ferry"}).data.model_dump(exclude={"error_details"}) == {
        "query": "ferry",
        "error_type": "no_instances_available",
        "attempted_instances": [SEARX],
        "retry_after": 90,
    }


READS: dict[str, dict[str, Any]] = {
    "web_read": {"urls": FERRY, "queries": "dogs"},
    "web_search": {"query": "ferry"},
    "web_answer": {"question": "When does the ferry leave?"},
}


@pytest.mark.parametrize("name", READS)
async def test_a_service_that_sees_what_pages_are_read_for_is_named(world: World, name: str) -> None:
    world.limits = EngineOptions(reads_with=("embeddings at vectors.test",))
    reply = await Caller(world, world.engine())(name, **READS[name])
    assert reply.meta["gossamer/services"][-1] == "embeddings at vectors.test"


async def test_a_search_that_reads_no_page_names_no_reader(world: World) -> None:
    world.limits = EngineOptions(reads_with=("embeddings at vectors.test",))
    reply = await Caller(world, world.engine())("web_search", query="ferry", fetch_content=False)
    assert reply.meta["gossamer/services"] == ["SearXNG"]


async def test_a_search_that_finds_no_page_to_read_names_no_reader(world: World) -> None:
    world.limits = EngineOptions(reads_with=("embeddings at vectors.test",))
    world.api.answers[f"{SEARX}/search"] = searxng_reply()
    reply = await Caller(world, world.engine())("web_search", query="ferry")
    assert reply.outcome is Outcome.NO_MATCH
    assert reply.meta["gossamer/services"] == ["SearXNG", "Wikipedia"]
