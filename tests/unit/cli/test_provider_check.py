"""What `doctor` tells of a provider: settings, health, price, end."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from gossamer.cli.provider_check import Check, check_providers
from gossamer.engine.key_redaction import account
from gossamer.errors import GossamerError, RateLimited, Unreachable
from gossamer.resilience.breaker import CircuitBreakers
from gossamer.settings.load import load
from gossamer.states import open_state
from gossamer.wiring import SystemClock, configured_providers, search_parts
from tests.patience import LONG_S

NOBODY = "http://127.0.0.1:9"
KEYS = {
    "BRAVE_API_KEY": "not-to-be-shown",
    "GOSSAMER_PROVIDERS__BRAVE__BASE_URL": NOBODY,
    "GOOGLE_API_KEY": "not-to-be-shown",
    "GOOGLE_SEARCH_ENGINE_ID": "cx",
    "GOSSAMER_PROVIDERS__GOOGLE__BASE_URL": NOBODY,
}


@asynccontextmanager
async def listening(said: list[bytes]) -> AsyncGenerator[str]:
    """Where somebody takes connections and writes down what each of them said."""
    ended = asyncio.Event()

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        said.append(await reader.read())
        writer.close()
        ended.set()

    server = await asyncio.start_server(listen, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        await asyncio.wait_for(ended.wait(), LONG_S)


async def checked(name: str, folder: Path, *failures: GossamerError, rest_s: float = 0.0, **environ: str) -> Check:
    """The check of one provider after these failures, or an answer; nobody is asked who costs something."""
    loaded = load(environ={"DATA_DIR": str(folder), "GOSSAMER_SEARCH__PROVIDERS": name, **KEYS, **environ})
    assert loaded.problems == ()
    (provider,) = configured_providers(loaded.settings.providers, names=[name])
    clock = SystemClock()
    state = await open_state(loaded.settings.state_address, clock=clock)
    (part,) = (part for part in search_parts(loaded.settings) if part.name == name)
    healths = CircuitBreakers(state=state, clock=clock)
    for error in failures:
        await healths.failed(account(part), error)
    if rest_s:
        await healths.succeeded(account(part), rest_s=rest_s)
    await state.close()
    (found,) = await check_providers([provider], loaded.settings)
    assert "not-to-be-shown" not in f"{found}"
    return found


async def test_a_paid_provider_is_connected_to_priced_and_not_asked(tmp_path: Path) -> None:
    said: list[bytes] = []
    async with listening(said) as address:
        found = await checked("brave", tmp_path, GOSSAMER_PROVIDERS__BRAVE__BASE_URL=address)
    assert said == [b""]
    assert found.state == "works"
    told = "takes connections; configured, not asked now: a thousand searches cost $5; healthy"
    assert found.text.endswith(f" at {address} {told}")
    assert (found.data.is_configured, found.data.is_reachable, found.data.is_healthy) == (True, True, True)
    assert (found.data.usd_per_1000, found.data.ends) == (5.0, None)


async def test_a_paid_provider_where_nobody_listens_does_not_work(tmp_path: Path) -> None:
    found = await checked("brave", tmp_path)
    assert (found.state, found.data.is_reachable) == ("broken", False)
    assert "does not answer: 127.0.0.1 does not accept a connection on port 9." in found.text


async def test_a_paid_provider_behind_a_proxy_is_not_checked(tmp_path: Path) -> None:
    address = "https://brave.example"
    found = await checked("brave", tmp_path, GOSSAMER_NET__PROXY=NOBODY, GOSSAMER_PROVIDERS__BRAVE__BASE_URL=address)
    assert (found.state, found.data.is_reachable) == ("works", None)
    assert ", not checked since it is behind the proxy;" in found.text


async def test_a_model_that_ends_is_told_with_its_successor(tmp_path: Path) -> None:
    keys = {"OPENAI_API_KEY": "not-to-be-shown", "GOSSAMER_PROVIDERS__OPENAI__BASE_URL": NOBODY}
    found = await checked("openai", tmp_path, **keys, GOSSAMER_PROVIDERS__OPENAI__MODEL="gpt-5-nano")
    assert " on 2026-12-11, and gpt-5.6-luna takes its place" in found.text
    lasting = await checked("openai", tmp_path, **keys, GOSSAMER_PROVIDERS__OPENAI__MODEL="gpt-5.6-luna")
    assert "takes its place" not in lasting.text


async def test_a_provider_that_ends_says_when_and_what_takes_its_place(tmp_path: Path) -> None:
    found = await checked("google", tmp_path)
    assert found.data.ends == "2027-01-01"
    assert " 2027-01-01" in found.text
    assert "Use Brave or Serper." in found.text


SICK: dict[str, tuple[tuple[GossamerError, ...], str]] = {
    "an outage": (tuple(Unreachable("It is away.") for _ in range(5)), "after unreachable: It is away."),
    "a limit": ((RateLimited("Brave Search", retry_after_s=90),), "after rate_limited: Brave Search is limiting"),
}


@pytest.mark.parametrize(("failures", "said"), SICK.values(), ids=SICK)
async def test_a_provider_that_is_left_alone_says_for_how_long_and_why(
    failures: tuple[GossamerError, ...], said: str, tmp_path: Path
) -> None:
    found = await checked("brave", tmp_path, *failures)
    assert found.state == "broken"
    assert f"left alone for {found.data.rests_s} s more {said}" in found.text
    assert 0 < found.data.rests_s <= 90
    assert found.data.is_healthy is False


async def test_one_failure_is_no_illness(tmp_path: Path) -> None:
    assert (await checked("brave", tmp_path, Unreachable("It is away."))).data.is_healthy


async def test_a_free_provider_is_asked(tmp_path: Path) -> None:
    found = await checked("searxng", tmp_path, SEARXNG_URL="http://127.0.0.1:9")
    assert found.state == "broken"
    assert "SearXNG (the whole web) at http://127.0.0.1:9 does not answer: " in found.text
    assert found.text.endswith("; free")
    assert (found.data.is_reachable, found.data.is_healthy, found.data.usd_per_1000) == (False, True, 0.0)


async def test_what_is_not_configured_says_what_to_set(tmp_path: Path) -> None:
    found = await checked("exa", tmp_path)
    assert (found.state, found.text) == ("off", "Exa is not configured: set EXA_API_KEY")
    assert found.data.is_configured is False


async def test_a_state_that_cannot_be_opened_hides_no_provider(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    loaded = load(environ={"DATA_DIR": str(tmp_path / "file"), **KEYS})
    (provider,) = configured_providers(loaded.settings.providers, names=["brave"])
    (found,) = await check_providers([provider], loaded.settings)
    assert (found.data.is_configured, found.data.is_healthy) == (True, None)
    assert "healthy" not in found.text


@asynccontextmanager
async def answering(status: int, body: bytes = b"") -> AsyncGenerator[str]:
    """A service that says the same to everybody; where it is."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        head = f"HTTP/1.1 {status} Said\r\ncontent-type: text/html\r\ncontent-length: {len(body)}\r\n"
        writer.write(f"{head}connection: close\r\n\r\n".encode() + body)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def test_an_instance_that_gives_results_in_no_form_does_not_answer(tmp_path: Path) -> None:
    async with answering(403) as address:
        found = await checked("searxng", tmp_path, SEARXNG_URL=address)
    assert (found.state, found.data.is_reachable) == ("broken", False)
    assert "neither as JSON nor as a page (403)" in found.text


async def test_an_instance_that_gives_results_as_a_page_alone_answers(tmp_path: Path) -> None:
    async with answering(200, b'<div id="urls"></div>') as address:
        found = await checked("searxng", tmp_path, SEARXNG_URL=address)
    assert (found.state, found.data.is_reachable) == ("works", True)


async def test_a_key_that_a_service_repeats_is_not_shown(tmp_path: Path) -> None:
    async with answering(400, b'{"error_id": 400, "error_message": "bad key not-to-be-shown"}') as address:
        found = await checked(
            "stackexchange",
            tmp_path,
            GOSSAMER_PROVIDERS__STACKEXCHANGE__API_KEY="not-to-be-shown",
            GOSSAMER_PROVIDERS__STACKEXCHANGE__BASE_URL=address,
        )
    assert found.data.is_reachable is False
    assert "bad key" in found.text


async def test_a_service_that_asked_for_a_rest_says_so(tmp_path: Path) -> None:
    found = await checked("brave", tmp_path, rest_s=40)
    assert f"left alone for {found.data.rests_s} s more after an answer that asked for it" in found.text
    assert 0 < found.data.rests_s <= 40


async def test_health_is_that_of_who_is_really_asked(tmp_path: Path) -> None:
    pytest.importorskip("ddgs", reason="the extra duckduckgo is not installed")
    async with answering(403) as address:
        environ = {"GOSSAMER_PROVIDERS__DUCKDUCKGO__BASE_URL": address}
        found = await checked("duckduckgo", tmp_path, RateLimited("DuckDuckGo", retry_after_s=90), **environ)
    assert 0 < found.data.rests_s <= 90
