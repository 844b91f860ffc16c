"""What works, what does not, and why; and who would see a query."""

import asyncio
import contextlib
import sqlite3
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import SecretStr

from gossamer.cli import session
from gossamer.errors import EXIT_BUG, EXIT_STORE, GossamerError, Outcome
from gossamer.model.http import HttpReply
from gossamer.model.page import View
from gossamer.model.search import Query
from gossamer.ports import Call, Http, Provider
from gossamer.settings.load import Loaded, load
from gossamer.settings.names import usual_name
from gossamer.version import __version__
from gossamer.wiring import SystemClock, configured_providers, misfits, net_policy

State = Literal["works", "off", "broken"]

_PROBE_S = 5.0
_PROBE = Query(text="gossamer", count=1)
"""What a provider is asked to see whether it answers."""
_EXIT_CODES = {"settings": 2, "library": EXIT_STORE, "state": EXIT_STORE, "reading": EXIT_BUG}
"""By the first thing that is broken; a provider that cannot be reached is the rest."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """One line of the report."""

    name: str
    state: State
    text: str


def run_doctor(config: Path | None, *, as_json: bool) -> None:
    """Print the report; the exit code is 0 unless something is broken."""
    loaded = load(config=config)
    findings = asyncio.run(_examine(loaded))
    if as_json:
        session.show(
            {"version": __version__, "findings": [{"name": f.name, "state": f.state, "text": f.text} for f in findings]}
        )
    else:
        signs = {"works": "ok ", "off": "-- ", "broken": "!! "}
        print(f"Gossamer {__version__}, Python {sys.version.split()[0]}, SQLite {sqlite3.sqlite_version}")
        for finding in findings:
            print(f"{signs[finding.state]} {finding.name}: {finding.text}")
    broken = [finding for finding in findings if finding.state == "broken"]
    if broken:
        sys.exit(_EXIT_CODES.get(broken[0].name, Outcome.UNREACHABLE.exit_code))


async def _examine(loaded: Loaded) -> list[Finding]:
    problems = [*loaded.problems, *misfits(loaded.settings)]
    findings = [Finding(name="settings", state="broken", text=str(problem)) for problem in problems]
    if not problems:
        findings.append(Finding(name="settings", state="works", text=f"read, file {loaded.file}"))
    findings += await _stores(loaded)
    findings.append(await _worker())
    findings += _way_out(loaded)
    findings += await _providers(loaded)
    return findings


def _way_out(loaded: Loaded) -> list[Finding]:
    try:
        proxy = net_policy(loaded.settings).way_out
    except GossamerError:
        return []  # told among the settings
    if proxy is None:
        return []
    text = f"everything goes through {proxy.url}, which looks names up itself: that none leads inside is its to judge"
    return [Finding(name="proxy", state="works", text=text)]


async def _stores(loaded: Loaded) -> list[Finding]:
    from gossamer.states import open_state
    from gossamer.stores import open_store

    clock = SystemClock()
    findings: list[Finding] = []
    settings = loaded.settings
    try:
        store = await open_store(settings.store_address, clock=clock)
        try:
            pages = await store.pages(count=1)
            newest = f"newest page {pages[0].url}" if pages else "no pages yet"
        finally:
            await store.close()
        findings.append(Finding(name="library", state="works", text=f"{settings.store_address}, {newest}"))
    except GossamerError as error:
        findings.append(Finding(name="library", state="broken", text=str(error)))
    try:
        state = await open_state(settings.state_address, clock=clock)
        await state.close()
        findings.append(Finding(name="state", state="works", text=settings.state_address))
    except GossamerError as error:
        findings.append(Finding(name="state", state="broken", text=str(error)))
    return findings


async def _worker() -> Finding:
    from gossamer.extractors.workers.pool import WorkerPool

    clock = SystemClock()
    pool = WorkerPool(size=1, clock=clock)
    page = HttpReply(
        status=200,
        url="http://doctor.invalid/",
        headers={"content-type": "text/html"},
        body=b"<html><body><main><h1>Hello</h1><p>This page is read to see that reading works here.</p></main>",
    )
    try:
        extracted = await pool.extract(page, View(), Call(clock=clock).within(30))
    except GossamerError as error:
        return Finding(name="reading", state="broken", text=str(error))
    finally:
        await pool.close()
    is_right = "reading works" in extracted.text
    text = "pages are parsed in a process of their own" if is_right else "the parser returned something else"
    return Finding(name="reading", state="works" if is_right else "broken", text=text)


async def _providers(loaded: Loaded) -> list[Finding]:
    from gossamer.net.client import ApiDoor

    try:
        providers = configured_providers(loaded.settings.providers)
        policy = net_policy(loaded.settings)
    except GossamerError:
        return []  # told among the settings
    door = ApiDoor(user_agent=policy.user_agent, ca_bundle=policy.ca_bundle, proxy=policy.way_out)
    try:
        wanted = loaded.settings.search.providers
        findings = list(await asyncio.gather(*(_provider(provider, wanted, door) for provider in providers)))
    finally:
        await door.close()
    asked = [p for p, found in zip(providers, findings, strict=True) if found.state != "off"]
    works = [p for p, found in zip(providers, findings, strict=True) if found.state == "works"]
    findings.append(Finding(name="library search", state="works", text="pages read before; nobody else sees the query"))
    keyless = ", ".join(["fetch", "read", "library search", *(p.title for p in works if not p.is_own)])
    findings.append(Finding(name="without any key", state="works", text=keyless))
    seen_by = ", ".join(p.title for p in asked) or "nobody"
    findings.append(Finding(name="who sees a query", state="works", text=seen_by))
    return findings


async def _provider(provider: Provider, wanted: Sequence[str], door: Http) -> Finding:
    """Ask a provider that costs nothing; one that is paid for is taken at its word."""
    if wanted and provider.name not in wanted:
        return Finding(name=provider.name, state="off", text="left out by search.providers")
    if not provider.is_ready:
        return Finding(
            name=provider.name, state="off", text=f"{provider.title} is not configured: set {_needs(provider)}"
        )
    terms = provider.terms
    reach = "the whole web" if provider.is_general else "one site"
    about = f"{provider.title} ({reach}) at {provider.instance(_PROBE)}"
    if terms.ends:
        about = f"{about}; ends on {terms.ends}: {terms.ending}"
    if provider.is_own and terms.usd_per_1000:
        about = f"{about}; configured, not asked now: a thousand searches cost ${terms.usd_per_1000:g}"
        return Finding(name=provider.name, state="works", text=about)
    try:
        async with asyncio.timeout(_PROBE_S):
            await _ask(provider, door)
    except TimeoutError:
        return Finding(name=provider.name, state="broken", text=f"{about} does not answer within {_PROBE_S:g} s")
    except GossamerError as error:
        return Finding(name=provider.name, state="broken", text=f"{about} does not answer: {error}")
    return Finding(name=provider.name, state="works", text=about)


async def _ask(provider: Provider, door: Http) -> None:
    """Make a search; that its first reply can be read is enough."""
    steps = provider.steps(_PROBE)
    try:
        reply = await door.send(next(steps), Call(clock=SystemClock()).within(_PROBE_S))
        provider.judge(reply)
        with contextlib.suppress(StopIteration):
            steps.send(reply)
    finally:
        steps.close()


def _needs(provider: Provider) -> str:
    """What has to be set, by the name that people know."""
    fields = [field for field in type(provider).model_fields if field in {"api_key", "engine_id", "base_url"}]
    missing = [field for field in fields if not _is_set(getattr(provider, field))]
    keys = [("providers", provider.name, field) for field in missing]
    return " and ".join(usual_name(key) or ".".join(key) for key in keys)


def _is_set(value: object) -> bool:
    return bool(value.get_secret_value() if isinstance(value, SecretStr) else value)
