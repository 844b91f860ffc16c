"""Without any configuration: services that are free to all, one after the other, and the result names who saw it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from gossamer import Engine, Settings, new_call, open_engine
from gossamer.errors import Captcha, Outcome
from gossamer.model.search import Query
from gossamer.providers import PROVIDERS
from gossamer.testing.recorded import Case
from tests.real.fake_services import CASES, FakeServices, fake_services

FREE = {"tavily": "keyless-cap", "you": "rate-limited", "firecrawl": "rate-limited", "duckduckgo": "challenge"}
"""Who is asked without a key, in this order, and how each says that it was enough."""
OWN_BY_ADDRESS = frozenset({"searxng", "bing", "openai"})
"""To name an address of theirs is to have a service of one's own."""
ASKED = Query(text="tokio rust", count=1)


@asynccontextmanager
async def engine_without_keys(services: FakeServices) -> AsyncGenerator[Engine]:
    """An engine as it comes, but for where the services are."""
    named = PROVIDERS.keys() - OWN_BY_ADDRESS
    tables = {name: {"base_url": f"http://127.0.0.1:{services.port}/{name}"} for name in named}
    settings = Settings.model_validate({"providers": tables, "store": "memory:", "state": "memory:"})
    async with open_engine(settings) as engine:
        yield engine


def play(services: FakeServices, name: str, case: str) -> None:
    services.play(name, Case.load(CASES / name / case, PROVIDERS[name]).replies)


@pytest.mark.promise("003.156")
@pytest.mark.parametrize("tired", range(len(FREE)))
async def test_the_next_free_service_answers_and_everybody_who_saw_the_query_is_named(tired: int) -> None:
    async with fake_services() as services, engine_without_keys(services) as engine:
        for name in list(FREE)[:tired]:
            play(services, name, FREE[name])
        page = await engine.search(ASKED, new_call(timeout_s=60))
    asked = list(FREE)[: tired + 1]
    assert page.provider == asked[-1]
    assert page.hits
    assert page.services == tuple(PROVIDERS[name].title for name in asked)
    assert [failure.who for failure in page.failures] == asked[:-1]
    assert {failure.outcome for failure in page.failures} <= {Outcome.RATE_LIMITED, Outcome.QUOTA}
    assert not any("authorization:" in request.lower() or "x-api-key" in request.lower() for request in services.asked)


async def test_when_all_are_tired_an_encyclopedia_is_better_than_nothing_and_nobody_with_a_key_was_asked() -> None:
    async with fake_services() as services, engine_without_keys(services) as engine:
        for name, case in FREE.items():
            play(services, name, case)
        page = await engine.search(ASKED, new_call(timeout_s=60))
    assert page.provider == "wikipedia"
    assert page.services == tuple(PROVIDERS[name].title for name in (*FREE, "wikipedia"))
    assert [failure.who for failure in page.failures] == list(FREE)
    assert page.failures[-1].outcome is Outcome.CAPTCHA
    assert {name for name, came in services.came.items() if came} == {*FREE, "wikipedia"}


async def test_a_block_of_duckduckgo_is_a_block_in_whichever_way_it_is_reached() -> None:
    async with fake_services() as services, engine_without_keys(services) as engine:
        play(services, "duckduckgo", "challenge")
        with pytest.raises(Captcha):
            await engine.search(ASKED, new_call(timeout_s=60), providers=["duckduckgo"])


async def test_who_packs_its_replies_badly_is_asked_for_plain_bytes() -> None:
    async with fake_services() as services, engine_without_keys(services) as engine:
        page = await engine.search(ASKED, new_call(timeout_s=60), providers=["you"])
    assert page.hits
    (request,) = services.asked
    assert "\r\naccept-encoding: identity\r\n" in request
