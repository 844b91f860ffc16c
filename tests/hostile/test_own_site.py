"""Our own misbehaving site, family by family: a clone without any corpus is still proven against all of them."""

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
import pytest_asyncio

from gossamer import open_engine
from gossamer.compose import new_call
from gossamer.engine import Engine
from gossamer.errors import GossamerError
from gossamer.settings.model import NetSettings, Settings
from gossamer.testing.site import CASES, INNER
from gossamer.testing.site_case import Case
from tests.patience import LONG_S, skip_where_starved

CORPUS = Path(__file__).parents[2] / "../shared/security/hostile_cases.json"
PAGE_TIMEOUT_S = 60.0
HASTE_S = 12.0
"""A page's time where all that is proven is that it ends."""
SLACK_S = 30.0
"""For a machine that others use too: a hang would last for three minutes, the patience of the one who asks."""
PUBLIC = "93.184.215.14"
WAITING = [name for name, case in CASES.items() if case.waits]
NAMES = [name for name, case in CASES.items() if not (case.closes or case.waits)]


@dataclass(frozen=True, kw_only=True)
class Site:
    bases: list[str]
    private: str

    def seen(self, number: int = 0) -> dict[str, Any]:
        return httpx2.get(f"{self.bases[number]}/_seen", timeout=60).json()


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    command = [sys.executable, "-m", "gossamer.testing.site", "3"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=kept, text=True) as process:
        assert process.stdout
        yield Site(**json.loads(process.stdout.readline()))
        process.kill()


@contextlib.asynccontextmanager
async def opened(site: Site, folder: Path, page_timeout_s: float) -> AsyncGenerator[Engine]:
    async def resolve(host: str) -> list[str]:
        """Every name leads to the site, but for one that nobody ever answers for."""
        if host == "hangs.example":
            await asyncio.Event().wait()
        return [PUBLIC]

    async def dial(address: str, port: int) -> tuple[str, int]:
        return ("127.0.0.1", urlsplit(site.bases[0]).port or 0) if address == PUBLIC else (address, port)

    allowed = tuple(urlsplit(base).netloc for base in site.bases)
    net = NetSettings(allow_private=allowed, page_timeout_s=page_timeout_s, silence_s=page_timeout_s / 2)
    async with open_engine(Settings(data_dir=folder, net=net), resolve=resolve, dial=dial) as engine:
        yield engine


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def engine(site: Site, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Engine]:
    async with opened(site, tmp_path_factory.mktemp("own"), PAGE_TIMEOUT_S) as engine:
        yield engine


async def told(engine: Engine, url: str) -> tuple[str, str, float]:
    """Outcome, all words, seconds."""
    since = time.monotonic()
    try:
        page = await engine.fetch(url, new_call(timeout_s=3 * LONG_S))
        outcome, text = page.outcome.value, f"{page.title}\n{page.text}\n{page.message}"
    except GossamerError as error:
        outcome, text = error.outcome.value, str(error)
    return outcome, text, time.monotonic() - since


async def check(engine: Engine, site: Site, case: Case, number: int = 0) -> None:
    url = f"http://{case.name}.example/ordinary" if case.is_robots else f"{site.bases[number]}/{case.name}"
    outcome, text, seconds = await told(engine, url)
    if outcome == "timeout" and outcome not in case.outcomes:
        skip_where_starved()
    assert outcome in case.outcomes, text[:500]
    if outcome in {"ok", "paywall"}:
        assert [words for words in case.contains if words not in text] == []
    assert [words for words in (*case.excludes, INNER, "Traceback") if words in text] == []
    assert seconds < PAGE_TIMEOUT_S + SLACK_S
    seen = await asyncio.to_thread(site.seen)
    assert seen["requests"][case.name] <= case.max_requests
    assert seen["sent_bytes"].get(case.name, 0) <= case.max_wire_bytes
    assert seen["private"] == 0
    assert seen["telling"] == []
    assert set(seen["methods"]) == {"GET"}
    text.encode("utf-8")


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("name", NAMES)
async def test_a_way_to_misbehave_ends_as_it_should(engine: Engine, site: Site, name: str) -> None:
    await check(engine, site, CASES[name])


@pytest.mark.asyncio(loop_scope="module")
async def test_ways_to_be_late_end_with_our_patience_and_hold_up_nobody(site: Site, tmp_path: Path) -> None:
    """A name that hangs too; none of them keeps away a page of another name."""
    async with opened(site, tmp_path, HASTE_S) as engine:
        waiting = [asyncio.create_task(check(engine, site, CASES[name], 1)) for name in WAITING]
        hanging = asyncio.create_task(told(engine, "http://hangs.example/ordinary"))
        outcome, text, _ = await told(engine, "http://other.example/ordinary?beside")
        if outcome == "timeout":
            skip_where_starved()
        assert outcome == "ok", text
        await asyncio.gather(*waiting)
        outcome, text, seconds = await hanging
        assert outcome == "timeout", text
        assert seconds < HASTE_S + SLACK_S


@pytest.mark.asyncio(loop_scope="module")
async def test_a_site_that_asks_for_silence_is_left_alone(engine: Engine, site: Site) -> None:
    before = site.seen()["requests"].get("ordinary", 0)
    for number, name in enumerate(("status-429", "retry-date"), 1):
        await check(engine, site, CASES[name], number)
        outcome, _, _ = await told(engine, f"{site.bases[number]}/ordinary")
        assert outcome == "rate_limited"
        assert site.seen()["requests"].get("ordinary", 0) == before


@pytest.mark.asyncio(loop_scope="module")
async def test_the_site_also_has_a_page_like_any_other(engine: Engine, site: Site) -> None:
    outcome, text, _ = await told(engine, f"{site.bases[0]}/ordinary")
    assert outcome == "ok"
    assert "lit the lamps" in text


def test_every_family_of_the_corpus_is_here() -> None:
    if not CORPUS.exists():
        pytest.skip("the corpus of hostile cases is not on this machine")
    families = {case["family"] for case in json.loads(CORPUS.read_text())["cases"]}
    assert families - {case.family for case in CASES.values()} == set()


def test_the_site_runs_on_the_loop_of_a_test_too() -> None:
    from gossamer.testing.site import MisbehavingSite

    async def visit() -> tuple[int, dict[str, int]]:
        async with MisbehavingSite.open() as site, httpx2.AsyncClient() as client:
            reply = await client.get(f"{site.bases[0]}/status-404")
            return reply.status_code, dict(site.seen.requests)

    assert asyncio.run(visit()) == (404, {"status-404": 1})
