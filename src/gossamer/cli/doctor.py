"""What works, what does not, and why; and who would see a query."""

import asyncio
import sqlite3
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from gossamer.cli import session
from gossamer.cli.provider_check import ProviderData, State, check_providers
from gossamer.cli.session import in_words
from gossamer.compose import SystemClock, chosen_embedder, configured_providers, misfits, net_policy
from gossamer.embedders import local_embedder, multilingual, rerank
from gossamer.errors import EXIT_BUG, EXIT_STORE, BadSettings, GossamerError, Outcome, StoreBusy
from gossamer.model.http import HttpReply
from gossamer.model.page import Page, View
from gossamer.net.policy import NetPolicy
from gossamer.net.resolve import Lookups, Resolve, SystemResolver
from gossamer.ports import Call, Clock, Store
from gossamer.ports.addresses import Addressed
from gossamer.server.http.permissions import own_user
from gossamer.server.http.token_file import read_tokens, token_path
from gossamer.settings.display import masked
from gossamer.settings.load import Loaded, load
from gossamer.settings.model import Settings
from gossamer.version import __version__

_EXIT_CODES = {
    "settings": 2,
    "service proxy": 2,
    "tokens": 2,
    "library": EXIT_STORE,
    "state": EXIT_STORE,
    "reading": EXIT_BUG,
}
"""By the first thing that is broken; a provider that cannot be reached is the rest."""
_LEAST_FREE_BYTES = 2**20
_TRIAL = "about:gossamer-doctor"
"""The address of what is kept for a moment to see that it can be."""
_TRIAL_S = 1.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """One line of the report."""

    name: str
    state: State
    text: str
    provider: ProviderData | None = None

    @property
    def data(self) -> dict[str, object]:
        """The line for programs."""
        more = {"provider": asdict(self.provider)} if self.provider else {}
        return {"name": self.name, "state": self.state, "text": self.text, **more}


def run_doctor(config: Path | None, *, as_json: bool) -> None:
    """Print the report; the exit code is 0 unless something is broken."""
    loaded = load(config=config)
    findings = asyncio.run(_examine(loaded))
    if as_json:
        session.show({"version": __version__, "findings": [finding.data for finding in findings]})
    else:
        signs = {"works": "ok ", "off": "-- ", "broken": "!! "}
        print(f"Gossamer {__version__}, Python {sys.version.split()[0]}, SQLite {sqlite3.sqlite_version}")
        for finding in _gathered(findings):
            print(f"{signs[finding.state]} {finding.name}: {finding.text}")
    broken = [finding for finding in findings if finding.state == "broken"]
    if broken:
        sys.exit(_EXIT_CODES.get(broken[0].name, Outcome.UNREACHABLE.exit_code))


def _gathered(findings: list[Finding]) -> list[Finding]:
    """The lines as people read them: those that are off for the same reason become one, at the place of the first."""
    names: dict[str, list[str]] = {}
    for finding in findings:
        if finding.state == "off":
            names.setdefault(finding.text, []).append(finding.name)
    told: list[Finding] = []
    for finding in findings:
        others = names.get(finding.text, []) if finding.state == "off" else []
        if not others or finding.name == others[0]:
            told.append(replace(finding, name=", ".join(others) or finding.name))
    return told


async def _examine(loaded: Loaded) -> list[Finding]:
    problems = [*loaded.problems, *misfits(loaded.settings)]
    findings = [Finding(name="settings", state="broken", text=str(problem)) for problem in problems]
    if not problems:
        findings.append(Finding(name="settings", state="works", text=f"read, file {loaded.file}"))
    findings += [Finding(name="settings", state="off", text=f"{name} sets nothing here") for name in loaded.unused]
    findings += await _stores(loaded)
    findings += await _worker()
    findings += await examine_proxies(loaded.settings)
    findings += await examine_vectors(loaded.settings)
    findings.append(examine_tokens(loaded.settings, SystemClock()))
    findings += await _providers(loaded)
    return findings


async def _stores(loaded: Loaded) -> list[Finding]:
    from gossamer.states import open_state, state_class
    from gossamer.stores import open_store, store_class

    clock = SystemClock()
    findings: list[Finding] = []
    settings = loaded.settings
    try:
        address, kind = settings.store_address, store_class(settings.store_address)
        others = kind.remark(address)
        store = await open_store(address, clock=clock)
        try:
            held, pages = await store.stats(), await store.pages(count=1)
            size = f"{held.pages} pages in {held.size_bytes / 1_000_000:.1f} MB"
            newest = f"{size}, newest {pages[0].url}" if pages else "no pages yet"
            _must_have_space(kind, address)
            await _try_to_keep(store)
        finally:
            await store.close()
        text = ", ".join(filter(None, (masked(("store",), address), newest, others)))
        findings.append(Finding(name="library", state="works", text=text))
    except GossamerError as error:
        findings.append(Finding(name="library", state="broken", text=_trouble(error)))
    try:
        address = settings.state_address
        state = await open_state(address, clock=clock)
        try:
            _must_have_space(state_class(address), address)
            # It is forgotten by itself.
            await state.put(_TRIAL, "", ttl_s=_TRIAL_S)
        finally:
            await state.close()
        findings.append(Finding(name="state", state="works", text=masked(("state",), address)))
    except GossamerError as error:
        findings.append(Finding(name="state", state="broken", text=_trouble(error)))
    return findings


async def _try_to_keep(store: Store) -> None:
    """Keep something and forget it: a full disk, or somebody who keeps the lock, hinders no one who only looks."""
    page = Page(url=_TRIAL, final_url=_TRIAL, view="doctor", title="", text="", fetched_at=SystemClock().now())
    await store.save(page, ())
    await store.remove(_TRIAL)


def _must_have_space(kind: type[Addressed], address: str) -> None:
    """What little is left lets a small thing in, and no page."""
    from gossamer.filedb.file_errors import full

    free = kind.free_bytes(address)
    if free is not None and free < _LEAST_FREE_BYTES:
        raise full()


def _trouble(error: GossamerError) -> str:
    if isinstance(error, StoreBusy):
        return f"{error.message} End that process, or let it go on."
    return str(error)


async def _worker() -> list[Finding]:
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
        return [Finding(name="reading", state="broken", text=str(error))]
    finally:
        await pool.close()
    is_right = "reading works" in extracted.text
    text = "pages are parsed in a process of their own" if is_right else "the parser returned something else"
    return [
        Finding(name="reading", state="works" if is_right else "broken", text=text),
        *([] if pool.missing is None else [_sandbox(pool.missing)]),
    ]


def _sandbox(missing: Mapping[str, str]) -> Finding:
    """How confined a parser is, by what it said itself; parts that are missing for one reason stand together."""
    from gossamer.extractors.workers.sandbox import PARTS

    if not missing:
        text = "a page that takes the parser over can read the parser's code: no other file, no network, no program"
        return Finding(name="sandbox", state="works", text=text)
    names: dict[str, list[str]] = {}
    for name, reason in missing.items():
        names.setdefault(reason, []).append(name)
    lacks = "; ".join(f"no {', '.join(lacking)}: {reason}" for reason, lacking in names.items())
    harm = "; ".join(PARTS[name] for name in missing)
    return Finding(name="sandbox", state="off", text=f"{lacks}. A page that takes the parser over could: {harm}")


async def _providers(loaded: Loaded) -> list[Finding]:
    try:
        providers = configured_providers(loaded.settings.provider_tables)
        net_policy(loaded.settings)
    except GossamerError:
        return []  # told among the settings
    checks = await check_providers(providers, loaded.settings)
    findings = [Finding(name=check.name, state=check.state, text=check.text, provider=check.data) for check in checks]
    asked = [p for p, found in zip(providers, checks, strict=True) if found.state != "off"]
    works = [p for p, found in zip(providers, checks, strict=True) if found.state == "works"]
    findings.append(Finding(name="library search", state="works", text="pages read before; nobody else sees the query"))
    keyless = ", ".join(["fetch", "read", "library search", *(p.title for p in works if not p.is_own)])
    findings.append(Finding(name="without any key", state="works", text=keyless))
    seen_by = ", ".join(p.title for p in asked) or "nobody"
    findings.append(Finding(name="who sees a query", state="works", text=seen_by))
    return findings


_PROBED_HOST = "example.com"
_LOOKUP_S = 2.0


async def examine_proxies(settings: Settings, *, resolve: Resolve | None = None) -> list[Finding]:
    """A line for the proxy of pages and one for that of services, where they have one of their own."""
    try:
        policy = net_policy(settings)
    except GossamerError:
        return []  # told among the settings
    findings: list[Finding] = []
    if policy.way_out is not None:
        who = "pages go" if policy.service_proxy else "everything goes"
        looks_up = await _looks_up(resolve or SystemResolver())
        findings.append(Finding(name="proxy", state="works", text=f"{who} through {policy.way_out.url}; {looks_up}"))
    if policy.service_way is not None and policy.service_way.problem:
        findings.append(Finding(name="service proxy", state="broken", text=str(policy.service_way.problem)))
    elif policy.service_proxy and policy.service_way is not None:
        findings.append(Finding(name="service proxy", state="works", text=_of_services(policy, policy.service_way.url)))
    return findings


async def _looks_up(resolve: Resolve) -> str:
    try:
        await Lookups(resolve, limit_s=_LOOKUP_S).addresses(_PROBED_HOST)
    except GossamerError:
        return "names cannot be looked up here, so it looks up all of them: that none leads inside is its to judge"
    return (
        "names are looked up here first and refused where they lead inside; it looks up those without an answer here, "
        "and that none of them leads inside is its to judge"
    )


def _of_services(policy: NetPolicy, url: str) -> str:
    pages = "" if policy.way_out else ": they go straight to their sites, unless net.proxy is set"
    return f"search services and the embedding server are asked through {url}, pages are not{pages}"


_MAKE = "make one with `gossamer token new NAME`"


def examine_tokens(settings: Settings, clock: Clock) -> Finding:
    """Judge the token file as `gossamer serve --http` would, run by this user.

    Root looks at it for the user who owns its folder, since servers seldom are root's.
    """
    path = token_path(settings)
    try:
        version = read_tokens(path, for_server=own_user() != 0)
    except GossamerError as error:
        return Finding(name="tokens", state="broken", text=in_words(error))
    if version is None and settings.http.tokens:
        return Finding(
            name="tokens", state="broken", text=f"http.tokens names {path}, and there is no such file: {_MAKE}"
        )
    if version is None:
        return Finding(
            name="tokens",
            state="off",
            text=f"no token file at {path}: a server over HTTP is for this machine alone; {_MAKE}",
        )
    valid = sum(record.is_valid(clock.now()) for record in version.records)
    if not valid:
        return Finding(
            name="tokens", state="off", text=f"no valid token in {path}: a server over HTTP lets nobody in; {_MAKE}"
        )
    expired = len(version.records) - valid
    more = f", {expired} expired" if expired else ""
    return Finding(
        name="tokens", state="works", text=f"{valid} valid{more} in {path}, which a server over HTTP accepts"
    )


_SENTENCE = "A sentence to see whether vectors can be had."
_EMBED_S = 5.0


async def examine_vectors(settings: Settings) -> list[Finding]:
    """The tables or the server, and both extras."""
    return [await _embedder(settings), _multilingual(settings), _rerank(settings)]


async def _embedder(settings: Settings) -> Finding:
    from gossamer.net.client import ApiDoor

    clock = SystemClock()
    call = Call(clock=clock).within(_EMBED_S)
    try:
        policy = net_policy(settings)
        door = ApiDoor(user_agent=policy.user_agent, ca_bundle=policy.ca_bundle, proxy=policy.service_way)
        try:
            embedder = chosen_embedder(settings, door, clock)
            made = await (embedder or local_embedder(multilingual=False)).embed([_SENTENCE], call)
        finally:
            await door.close()
    except BadSettings as error:
        return Finding(name="vectors", state="broken", text=f"{error} Until then nothing is read with a question")
    except GossamerError as error:
        return Finding(
            name="vectors", state="broken", text=f"{in_words(error)} Until then words and the built-in table decide"
        )
    if embedder is None:
        unused = "; embedding.model does nothing without embedding.server_url" if settings.embedding.model else ""
        text = f"from tables in the package; no text leaves this machine for them{unused}"
        return Finding(name="vectors", state="works", text=text)
    text = (
        f"{made.model}, {made.dimension} numbers per text; its server sees every page that is read, and the questions"
    )
    return Finding(name="vectors", state="works", text=text)


def _multilingual(settings: Settings) -> Finding:
    name = "extra multilingual"
    if not settings.embedding.multilingual:
        return Finding(name=name, state="off", text="switched off by embedding.multilingual")
    if settings.embedding.server_url:
        return Finding(name=name, state="off", text="the embedding server does its work")
    if not multilingual.is_installed():
        return Finding(
            name=name, state="off", text="for questions in another language than the page: gossamer[multilingual]"
        )
    return Finding(name=name, state="works", text="compares a page with a question in another language")


def _rerank(settings: Settings) -> Finding:
    name = "extra rerank"
    path = settings.embedding.rerank_model
    if path is None:
        return Finding(
            name=name, state="off", text="a model of your own judges passages: gossamer[rerank], embedding.rerank_model"
        )
    try:
        rerank.check(path)
    except GossamerError as error:
        return Finding(name=name, state="broken", text=str(error))
    return Finding(name=name, state="works", text=f"the best passages are judged by {path}")
