"""One provider asked alone for a text: its cache, its company, its ends."""

import asyncio
import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import SecretStr

from gossamer.contracts.o3.policy import O3Policy
from gossamer.contracts.openai.policy import SearchWebPolicy
from gossamer.errors import (
    Denied,
    GossamerError,
    QuotaExhausted,
    RateLimited,
    StoreUnavailable,
    TimedOut,
    UnknownName,
    Unreachable,
)
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import ModelQuery
from gossamer.ports import Call
from gossamer.providers.openai import OpenAI
from gossamer.states.memory import MemoryState
from tests.patience import LONG_S
from tests.unit.engine.world import CannedHttp, Stuck, World

HOME = "http://127.0.0.1:1/v1"
WISH = ModelQuery(text="ferries", task="Search.")
RULES = SearchWebPolicy().model_search
SAID = {
    "status": "completed",
    "output": [
        {"type": "web_search_call", "status": "completed"},
        {"type": "message", "content": [{"type": "output_text", "text": "They leave at noon."}]},
    ],
}


def reply(status: int = 200, body: Any = SAID, **headers: str) -> HttpReply:
    return HttpReply(status=status, url="", headers=headers, body=json.dumps(body).encode())


def world_of(*answers: HttpReply | GossamerError, **given: Any) -> World:
    world = World(providers=(OpenAI(base_url=HOME, **given),))
    left = list(answers)

    def answer(_: HttpRequest) -> HttpReply:
        said = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(said, GossamerError):
            raise said
        return said

    world.api.answers[f"{HOME}/responses"] = answer
    return world


class Together(CannedHttp):
    """Answers nobody before `most` requests have come."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.barrier = asyncio.Barrier(most)

    async def send(self, request: HttpRequest, call: Call) -> HttpReply:
        await self.barrier.wait()
        return await super().send(request, call)


@pytest.mark.promise("004.84")
async def test_calls_of_a_model_run_beside_each_other() -> None:
    world = world_of(reply())
    world.api, answers = Together(3), world.api.answers
    world.api.answers = answers
    engine = world.engine()
    wishes = [replace(WISH, text=f"ferry {number}") for number in range(3)]
    async with asyncio.timeout(LONG_S):
        told = await asyncio.gather(
            *(engine.model_search("openai", wish, world.call(), policy=RULES) for wish in wishes)
        )
    assert [written.text for written in told] == ["They leave at noon."] * 3


async def test_a_text_is_kept_for_as_long_as_the_contract_says() -> None:
    world = world_of(reply())
    engine = world.engine()
    first = await engine.model_search("openai", WISH, world.call(), policy=RULES)
    call = world.call()
    again = await engine.model_search("openai", WISH, call, policy=RULES)
    assert again == replace(first, is_kept=True)
    assert [part.name for part in call.log.parts] == ["search cache"]
    world.clock.time += 301
    late = await engine.model_search("openai", WISH, world.call(), policy=RULES)
    assert not late.is_kept
    assert len(world.api.asked) == 2


async def test_a_text_is_kept_for_who_asked_for_it_and_for_no_other_user() -> None:
    world = world_of(reply())
    engine = world.engine()
    for number, caller in enumerate(("alice", "bob"), 1):
        call = replace(world.call(), caller=caller)
        assert not (await engine.model_search("openai", WISH, call, policy=RULES)).is_kept
        assert (await engine.model_search("openai", WISH, call, policy=RULES)).is_kept
        assert len(world.api.asked) == number


async def test_what_may_not_be_kept_is_asked_for_again() -> None:
    world = world_of(reply())
    engine, rules = world.engine(), replace(RULES, keep_s=0.0)
    for _ in range(2):
        assert not (await engine.model_search("openai", WISH, world.call(), policy=rules)).is_kept
    assert len(world.api.asked) == 2


async def test_another_wish_day_or_model_is_another_search() -> None:
    world = world_of(reply())
    engine = world.engine()
    for wish in (WISH, replace(WISH, country="AT"), replace(WISH, task="List."), replace(WISH, model="o3")):
        await engine.model_search("openai", wish, world.call(), policy=RULES)
    assert len(world.api.asked) == 4


@pytest.mark.promise("000.2", "004.29")
async def test_the_model_of_the_day_is_asked_and_named() -> None:
    world = world_of(reply())
    world.clock.time = datetime(2026, 12, 11, tzinfo=UTC).timestamp()
    found = await world.engine().model_search("openai", replace(WISH, model="o3"), world.call(), policy=RULES)
    assert found.model == "gpt-5.6-sol"
    assert json.loads(world.api.asked[0].body or b"")["model"] == "gpt-5.6-sol"
    assert found.written_at == world.clock.now()


class NoRoom(MemoryState):
    """Answers, and keeps nothing."""

    async def put(self, key: str, value: str, *, ttl_s: float) -> None:
        raise StoreUnavailable("There is no room.")


async def test_when_nothing_can_be_kept_that_is_said() -> None:
    world = world_of(reply())
    world.state = NoRoom(clock=world.clock)
    call = world.call()
    await world.engine().model_search("openai", WISH, call, policy=RULES)
    assert call.log.notes == ["The search was not cached: There is no room."]


async def test_what_was_kept_in_another_shape_is_asked_for_again() -> None:
    world = world_of(reply())
    world.state = state = MemoryState(clock=world.clock)
    engine = world.engine()
    await engine.model_search("openai", WISH, world.call(), policy=RULES)

    class Old(MemoryState):
        async def get(self, key: str) -> str | None:
            return "{}" if key.startswith("writing:") else await state.get(key)

    world.state = Old(clock=world.clock)
    assert not (await world.engine().model_search("openai", WISH, world.call(), policy=RULES)).is_kept


class Slow(CannedHttp):
    """Answers when it is told to."""

    def __init__(self, said: HttpReply) -> None:
        super().__init__()
        self.said = said
        self.go = asyncio.Event()
        self.came = asyncio.Event()

    async def send(self, request: HttpRequest, call: Call) -> HttpReply:
        self.asked.append(request)
        self.came.set()
        await self.go.wait()
        return self.said


async def test_equal_wishes_at_one_time_are_one_request_and_one_may_leave() -> None:
    world = world_of(reply())
    world.api = slow = Slow(reply())
    engine = world.engine()
    calls = [world.call() for _ in range(3)]
    tasks = [asyncio.create_task(engine.model_search("openai", WISH, call, policy=RULES)) for call in calls]
    await slow.came.wait()
    for _ in range(5):
        await asyncio.sleep(0)
    tasks[0].cancel()
    slow.go.set()
    done = await asyncio.gather(*tasks, return_exceptions=True)
    assert isinstance(done[0], asyncio.CancelledError)
    assert not [one for one in done[1:] if isinstance(one, BaseException)]
    assert len(slow.asked) == 1
    assert [part.name for part in calls[2].log.parts] == ["search shared"]


async def test_everybody_who_waited_hears_of_the_failure_in_words_of_their_own() -> None:
    world = world_of(reply())
    world.api = slow = Slow(reply(401, {"error": {"message": "sk-1", "code": "invalid_api_key"}}))
    engine = world.engine()
    tasks = [asyncio.create_task(engine.model_search("openai", WISH, world.call(), policy=RULES)) for _ in range(2)]
    await slow.came.wait()
    slow.go.set()
    first, second = await asyncio.gather(*tasks, return_exceptions=True)
    assert isinstance(first, Denied)
    assert isinstance(second, Denied)
    assert first is not second
    assert first.context == {"provider": "openai", "attempts": 1, "status": 401}


async def test_without_a_deadline_of_the_call_it_waits_for_the_service() -> None:
    world = world_of(reply())
    found = await world.engine().model_search("openai", WISH, Call(clock=world.clock), policy=RULES)
    assert found.text == "They leave at noon."


async def test_time_that_runs_out_is_told_with_its_setting_and_held_against_nobody() -> None:
    world = world_of(reply())
    world.api = stuck = Stuck()
    engine = world.engine()
    for _ in range(4):
        with pytest.raises(TimedOut, match=r"within 15 s \(openai\.timeout_s\)"):
            await engine.model_search("openai", WISH, world.call(0.05), policy=RULES)
    assert len(stuck.asked) == 4


class Tired(CannedHttp):
    """Says itself that the call's time has run out."""

    async def send(self, request: HttpRequest, call: Call) -> HttpReply:
        self.asked.append(request)
        await asyncio.sleep(0)
        clock: Any = call.clock
        clock.time += 100
        raise TimedOut("a.test did not answer within 1 s.")


async def test_the_nets_own_word_on_the_end_is_told_as_ours() -> None:
    world = world_of(reply())
    world.api = Tired()
    with pytest.raises(TimedOut, match=r"\(openai\.timeout_s\)"):
        await world.engine().model_search("openai", WISH, world.call(), policy=RULES)


@pytest.mark.promise("000.74")
async def test_a_key_in_the_words_of_a_service_goes_no_further() -> None:
    key = "sk-proj-0123456789abcdef"
    world = world_of(
        reply(400, {"error": {"message": f"bad input for {key}", "param": "input"}}), api_key=SecretStr(key)
    )
    with pytest.raises(GossamerError) as raised:
        await world.engine().model_search("openai", WISH, world.call(), policy=RULES)
    assert raised.value.quote == "bad input for …"
    assert key not in str(raised.value)


KEY = "sk-proj-Nobody-may-see-this-key_0123456789abcdef"
PIECES = {"all of it": KEY, "its beginning": KEY[:12], "its end": KEY[-12:], "it, cut": f"{KEY[:30]}x"}


@pytest.mark.promise("000.74")
@pytest.mark.parametrize("piece", PIECES.values(), ids=PIECES)
async def test_a_key_is_in_nothing_that_a_reply_contributes(piece: str) -> None:
    text = f"Ferries {piece} leave ([a](https://a.test/{piece}))."
    start = text.index("([a]")
    cited = {
        "type": "url_citation", "start_index": start, "end_index": len(text) - 1,
        "url": f"https://a.test/{piece}", "title": f"Of {piece}",
    }  # fmt: skip
    said = {
        "status": "completed",
        "output": [
            {"type": "web_search_call", "action": {"sources": [{"url": f"https://b.test/{piece}"}]}},
            {"type": "message", "content": [{"type": "output_text", "text": text, "annotations": [cited]}]},
        ],
    }
    world = world_of(reply(body=said), api_key=SecretStr(KEY))
    written = await world.engine().model_search("openai", WISH, world.call(), policy=RULES)
    assert not [shown for shown in (KEY[:12], KEY[-12:]) if shown in repr(written)]
    [mention] = written.mentions
    assert written.text[mention.start : mention.end].startswith("([a](https://a.test/…")
    assert written.text.startswith("Ferries …")
    assert len(written.text) == len(text)
    complaint = {"error": {"message": f"No: {'x' * 180} {piece}", "param": "input"}}
    headers = {"x-request-id": f"req_{piece}"}
    world = world_of(reply(400, complaint, **headers), api_key=SecretStr(KEY))
    with pytest.raises(GossamerError) as raised:
        await world.engine().model_search("openai", WISH, world.call(), policy=RULES)
    told = f"{raised.value} {raised.value.context}"
    assert not [shown for shown in (KEY[:12], KEY[-12:]) if shown in told]
    assert raised.value.context["requestId"].startswith("req_…")  # type: ignore[union-attr]


QUICK = replace(RULES, attempts=replace(RULES.attempts, first_s=0.001))
OVERLOADED = reply(503, {"error": {"code": "server_error", "message": "Sorry."}})


@pytest.mark.promise("000.57")
@pytest.mark.parametrize("answer", [OVERLOADED, reply(429, {})], ids=["an outage", "a limit without a time"])
async def test_a_call_makes_all_its_attempts_and_counts_once_against_the_service(answer: HttpReply) -> None:
    world = world_of(answer)
    engine = world.engine()
    for number in range(1, 4):
        with pytest.raises(GossamerError) as raised:
            await engine.model_search("openai", WISH, world.call(), policy=QUICK)
        assert (raised.value.context["attempts"], len(world.api.asked)) == (2, 2 * number)
    with pytest.raises(type(raised.value)) as raised:
        await engine.model_search("openai", WISH, world.call(), policy=QUICK)
    assert len(world.api.asked) == 6
    assert raised.value.context == {"provider": "openai", "reason": "left_alone"}
    assert raised.value.message.startswith("OpenAI failed 3 times in a row and is left alone for 30 s more;")


@pytest.mark.promise("000.57")
async def test_calls_under_way_are_cut_short_by_no_other() -> None:
    world = world_of(OVERLOADED)
    engine = world.engine()
    wishes = [replace(WISH, text=f"ferry {number}") for number in range(4)]
    told = await asyncio.gather(
        *(engine.model_search("openai", wish, world.call(), policy=QUICK) for wish in wishes), return_exceptions=True
    )
    assert [type(one) for one in told] == [Unreachable] * 4
    assert len(world.api.asked) == 8


async def test_a_limit_with_its_time_binds_others_while_one_waits_for_it() -> None:
    paced = {"error": {"code": "rate_limit_exceeded", "message": "Slowly."}}
    world = world_of(reply(429, paced, **{"retry-after-ms": "20"}), reply())
    engine = world.engine()
    first = asyncio.create_task(engine.model_search("openai", WISH, world.call(), policy=QUICK))
    for _ in range(50):
        await asyncio.sleep(0)
    assert len(world.api.asked) == 1
    with pytest.raises(RateLimited) as raised:
        await engine.model_search("openai", replace(WISH, text="others"), world.call(), policy=QUICK)
    assert raised.value.context["reason"] == "left_alone"
    assert (await first).text == "They leave at noon."


async def test_an_account_that_was_topped_up_is_noticed_within_a_minute() -> None:
    world = world_of(reply(429, {"error": {"code": "insufficient_quota", "message": "Pay."}}), reply())
    engine = world.engine()
    for seconds in (0, 59):
        world.clock.time += seconds
        with pytest.raises(QuotaExhausted) as raised:
            await engine.model_search("openai", WISH, world.call(), policy=RULES)
        assert raised.value.retry_after_s is None
    assert len(world.api.asked) == 1
    world.clock.time += 2
    assert (await engine.model_search("openai", WISH, world.call(), policy=RULES)).text


async def test_a_service_that_names_a_far_day_is_asked_again_after_ten_minutes() -> None:
    headers = {"retry-after": "Fri, 01 Jan 2100 00:00:00 GMT", "date": "Mon, 16 Nov 2026 00:00:00 GMT"}
    world = world_of(reply(429, {}, **headers), reply())
    engine = world.engine()
    with pytest.raises(RateLimited):
        await engine.model_search("openai", WISH, world.call(), policy=RULES)
    world.clock.time += 599
    with pytest.raises(RateLimited, match=r"Try again in 1 s\."):
        await engine.model_search("openai", WISH, world.call(), policy=RULES)
    world.clock.time += 2
    assert (await engine.model_search("openai", WISH, world.call(), policy=RULES)).text


async def test_a_connection_that_breaks_is_told_by_the_name_of_the_service() -> None:
    world = world_of(Unreachable("127.0.0.1 broke off before its reply was complete.", hint="Try again."))
    with pytest.raises(Unreachable, match=r"^OpenAI broke off before its reply was complete\."):
        await world.engine().model_search("openai", WISH, world.call(), policy=RULES)


UNREADY = {
    "no key at all": ("", RULES, "Set OPENAI_API_KEY to a key"),
    "no key, and it would be checked": ("", O3Policy().model_search, "Set OPENAI_API_KEY to a key"),
    "a key of somebody else": ("pk-1", O3Policy().model_search, "those begin with sk-"),
}


@pytest.mark.parametrize(("key", "rules", "says"), UNREADY.values(), ids=UNREADY)
async def test_without_a_key_nobody_is_asked(key: str, rules: Any, says: str) -> None:
    world = World(providers=(OpenAI(api_key=SecretStr(key)),))
    with pytest.raises(Denied, match=says):
        await world.engine().model_search("openai", WISH, world.call(), policy=rules)
    assert not world.api.asked


async def test_a_key_of_an_odd_form_is_tried_where_nobody_checks_it() -> None:
    world = World(providers=(OpenAI(api_key=SecretStr("pk-1")),))
    with pytest.raises(Unreachable):
        await world.engine().model_search("openai", WISH, world.call(), policy=RULES)
    assert len(world.api.asked) == 1


@pytest.mark.parametrize("name", ["searxng", "nobody", "library"])
async def test_who_does_not_write_cannot_be_asked_to(name: str) -> None:
    world = World()
    with pytest.raises(UnknownName):
        await world.engine().model_search(name, WISH, world.call(), policy=RULES)
