"""Composition root: settings to parts to engine, limiter and state. The one place that knows every part by name."""

import asyncio
import os
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, cast

from pydantic import ValidationError

from gossamer.contracts import CONTRACTS
from gossamer.contracts.contract_settings import Defaults
from gossamer.engine import Engine, Parts
from gossamer.engine.library import LibraryAccess
from gossamer.engine.policies import EngineOptions, Policies
from gossamer.errors import BadSettings, GossamerError, StoreUnavailable
from gossamer.ports import Call, Clock, Embedder, Http, Provider, Source, State, Store
from gossamer.ports.addresses import entry_of, is_lasting
from gossamer.providers import PROVIDERS
from gossamer.settings.key_file import KEY_BYTES, folder_key, folder_secret
from gossamer.settings.load import load
from gossamer.settings.model import Settings
from gossamer.settings.names import provider_variable
from gossamer.steps.web.urls import host_of

if TYPE_CHECKING:
    from gossamer.contracts.contract import Tool
    from gossamer.engine.searching import Offer
    from gossamer.limits.limiter import Limiter
    from gossamer.limits.window import Rate
    from gossamer.net.policy import NetPolicy
    from gossamer.providers.ddgs import Way
    from gossamer.providers.duckduckgo import DuckDuckGo

_EMBEDDINGS_AT_ONCE = 2  # where no contract bounds them
_FAILED_LOGINS_A_MINUTE = 60
"""Of one address. Nobody guesses 256 bits: this keeps strangers cheap, and a valid login is never held up by it."""

Resolve = Callable[[str], Awaitable[list[str]]]
Dial = Callable[[str, int], Awaitable[tuple[str, int]]]


@dataclass(frozen=True, slots=True)
class SystemClock:
    """The machine's own time."""

    now = staticmethod(time.time)
    """UTC seconds."""
    monotonic = staticmethod(time.monotonic)
    """Seconds that never jump."""


def new_call(*, timeout_s: float = 60.0, clock: Clock | None = None) -> Call:
    """A call for users of the Python API: who asks is this process, the deadline is `timeout_s` from now."""
    clock = clock or SystemClock()
    return Call(clock=clock, deadline=clock.monotonic() + timeout_s)


@asynccontextmanager
async def open_engine(
    settings: Settings | None = None,
    *,
    resolve: Resolve | None = None,
    dial: Dial | None = None,
    clock: Clock | None = None,
    state: State | None = None,
) -> AsyncGenerator[Engine]:
    """An engine with all its parts open; leaving closes them in reverse order.

    Without `settings` they are loaded from file and environment, and a broken one raises. `resolve` and `dial`
    stand in for DNS and for connecting, `clock` for the time: the only seams that tests need. A `state` that the
    caller has open is shared, and stays open.
    """
    from gossamer import answerers, embedders
    from gossamer.answerers.quotes import Quotes
    from gossamer.extractors.workers.pool import WorkerPool
    from gossamer.net.client import ApiDoor, WebDoor
    from gossamer.stores import lazy_store

    if settings is None:
        loaded = load()
        if loaded.problems:
            raise loaded.problems[0]
        settings = loaded.settings
    clock = clock or SystemClock()
    configured_providers(settings.provider_tables, names=settings.provider_tables)
    pages = settings.store_address if settings.library.remember else "memory:"
    async with AsyncExitStack() as stack:
        store = lazy_store(pages, clock=clock, most_bytes=settings.library.max_bytes)
        stack.push_async_callback(store.close)
        if state is None:
            state = shared_state(settings, clock=clock)
            stack.push_async_callback(state.close)
        policy = net_policy(settings)
        web = WebDoor(policy, resolve=resolve, dial=dial, clock=clock, state=state)
        stack.push_async_callback(web.close)
        api = ApiDoor(user_agent=policy.user_agent, ca_bundle=policy.ca_bundle, proxy=policy.service_way)
        stack.push_async_callback(api.close)
        extractor = WorkerPool(clock=clock)
        stack.push_async_callback(extractor.close)
        local = embedders.local_embedder(multilingual=settings.embedding.multilingual)
        parts = Parts(
            web=web,
            api=api,
            extractor=extractor,
            embedder=chosen_embedder(settings, api, clock) or local,
            lexicon=local,
            reranker=embedders.cross_encoder(settings.embedding.rerank_model),
            answerer=answerers.chosen(settings.answer, api, local, Quotes(local)),
            store=store,
            state=state,
            clock=clock,
            providers=lambda: {**provider_offers(settings), "library": library_offer(store)},
            variable=provider_variable,
        )
        yield Engine(parts, engine_options(settings), cursor_key=cursor_key(settings))


def shared_state(settings: Settings, *, clock: Clock) -> State:
    """The state that the settings name: opened at its first use, and again after a failure. The caller closes it."""
    from gossamer.filedb.wrapper import reopening
    from gossamer.states import open_state

    return reopening(State, lambda: open_state(settings.state_address, clock=clock), clock=clock)


@asynccontextmanager
async def open_limiter(
    settings: Settings,
    rates: "Mapping[str, Rate] | None" = None,
    *,
    state: State,
    clock: Clock,
    warn: Callable[[str], object],
    patience_s: float = 0.25,
) -> "AsyncGenerator[tuple[Limiter, bool]]":
    """A limiter over the state, and whether its names are hashed as in other processes.

    `rates` are the limits of single tools; None: those of the settings alone. Processes that share a state count
    together when they also share the data folder, whose key hides the names. A state that cannot be opened now is
    looked at again and again: until it can be, limits hold in this process alone. So they do for a while where it
    takes longer than `patience_s` to answer.
    """
    from gossamer.limits.limiter import Limiter
    from gossamer.limits.window import Rate
    from gossamer.states import STATES

    key, problem, is_away = os.urandom(KEY_BYTES), None, False
    try:
        if is_lasting(STATES, settings.state_address):
            key = await asyncio.to_thread(folder_key, settings, "limits")
    except StoreUnavailable as error:
        problem = error
    is_shared = problem is None
    try:
        await state.get("limit:probe")
    except GossamerError as error:
        problem, is_away = error, True
    if problem:
        warn(f"{problem} Limits hold in this process alone.")
    limits = settings.limits
    limiter = Limiter(
        state,
        clock=clock,
        key=key,
        requests=Rate.parse(limits.requests),
        tools=tool_rates(settings) if rates is None else rates,
        in_flight=limits.in_flight,
        in_flight_total=limits.in_flight_total,
        failed_logins=Rate(count=_FAILED_LOGINS_A_MINUTE, seconds=60),
        patience_s=patience_s,
        is_away=is_away,
    )
    try:
        yield limiter, is_shared
    finally:
        await limiter.close()


def tool_rates(settings: Settings, tools: "Iterable[Tool]" = ()) -> "dict[str, Rate]":
    """The limits of single tools by the tools' own names; one that is no tool's is a bad setting.

    What the settings leave open is as the contracts of `tools` say.
    """
    from gossamer.contracts import REGISTRY
    from gossamer.contracts.contract import without_dots
    from gossamer.limits.window import Rate

    names = {without_dots(name): name for names in REGISTRY.names.values() for name in names}
    rates = {tool.name: Rate.parse(tool.rate) for tool in tools if tool.rate}
    for written, rate in Rate.by_tool(settings.limits.tools).items():
        name = names.get(without_dots(written))
        if name is None:
            raise BadSettings(
                f"limits.tools names {written!r}, which is no tool.", hint=f"Known are: {', '.join(names.values())}."
            )
        rates[name] = rate
    return {name: rate for name, rate in rates.items() if rate}


@asynccontextmanager
async def open_library(settings: Settings, *, clock: Clock) -> AsyncGenerator[LibraryAccess]:
    """The pages already read, without the rest of an engine; what was never made is not made for looking at it."""
    from gossamer.stores import open_store, store_class

    address = settings.store_address
    if not store_class(address).exists(address):
        yield LibraryAccess(store=None)
        return
    store = await open_store(address, clock=clock)
    try:
        yield LibraryAccess(store=store)
    finally:
        await store.close()


def chosen_embedder(settings: Settings, api: Http, clock: Clock) -> Embedder | None:
    """The operator's embedding server, if one is set."""
    from gossamer.embedders import check, remote

    own = settings.embedding
    if not own.server_url:
        return None
    check(server_url=own.server_url, model=own.model, rerank_model=None)
    at_once = [most for block in settings.blocks if (most := block.embeddings_at_once)]
    return remote.RemoteEmbedder(
        api,
        clock=clock,
        url=own.server_url,
        model=own.model,
        key=own.api_key,
        at_once=min(at_once, default=_EMBEDDINGS_AT_ONCE),
        timeout_s=own.timeout_s,
        prompts=remote.Prompts.of(own.model, question=own.question_prefix, text=own.text_prefix),
    )


def search_parts(settings: Settings) -> tuple[Provider | Source, ...]:
    """Who can be asked; DuckDuckGo through `ddgs` where that is installed."""
    from gossamer.providers.ddgs import through_ddgs

    return through_ddgs(configured_providers(settings.provider_tables), ddgs_way(settings))


def ddgs_way(settings: Settings) -> "Way":
    """How the package `ddgs` gets to its service."""
    from gossamer.providers.ddgs import Way

    net, policy = settings.net, net_policy(settings)
    carries = policy.service_way.carries if policy.service_way else None
    return Way(proxy=net.service_proxy or net.proxy or None, carries=carries, ca=policy.ca_bundle)


def provider_offers(settings: Settings, registry: Mapping[str, type[Provider]] = PROVIDERS) -> dict[str, "Offer"]:
    """The same as offers: nobody is built before it is asked."""
    from gossamer.engine.searching import Offer, Unbuilt
    from gossamer.providers.ddgs import Ddgs, is_installed, through_ddgs

    tables = settings.provider_tables

    def offer(name: str, shape: type[Provider]) -> Offer:
        table = tables.get(name, {})

        def build() -> Provider | Source:
            (provider,) = configured_providers(tables, names=[name], registry=registry)
            return through_ddgs([provider], ddgs_way(settings))[0]

        if name == Ddgs.name and is_installed():
            outline = Ddgs(cast("DuckDuckGo", Unbuilt(shape, table)))
            return replace(Offer.of(outline), build=build)
        return Offer.unbuilt(shape, table, build)

    return {name: offer(name, shape) for name, shape in registry.items()}


def library_offer(store: Store) -> "Offer":
    """The library as a source of hits."""
    from gossamer.engine.searching import Offer
    from gossamer.providers.library_source import Library

    return Offer.of(Library(store))


def configured_providers(
    tables: Mapping[str, Mapping[str, object]],
    *,
    names: Iterable[str] = PROVIDERS,
    registry: Mapping[str, type[Provider]] = PROVIDERS,
) -> tuple[Provider, ...]:
    """The providers with their settings; a table that names none, or a field that is not one, is a bad setting."""
    for name in tables:
        if name not in registry:
            raise BadSettings(
                f"There is no provider named {name!r} to configure.", hint=f"Known are: {', '.join(registry)}."
            )
    made: list[Provider] = []
    for name in names:
        shape = registry[name]
        try:
            made.append(shape.model_validate(dict(tables.get(name, {}))))
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            field = ".".join(["providers", name, *map(str, first["loc"])])
            known = ", ".join(shape.model_fields)
            reason = first["msg"].removeprefix("Value error, ")
            raise BadSettings(f"{field}: {reason}.", hint=f"Fields of {name} are: {known}.") from error
    return tuple(made)


def net_policy(settings: Settings) -> "NetPolicy":
    """What the operator allows at the door to the web."""
    from gossamer.net.policy import DEFAULT_USER_AGENT, NetPolicy

    net = settings.net
    return NetPolicy(
        user_agent=net.user_agent or DEFAULT_USER_AGENT,
        allow_private=net.allow_private,
        allow_domains=net.allow_domains,
        block_domains=net.block_domains,
        robots=net.robots,
        page_timeout_s=net.page_timeout_s,
        connect_timeout_s=net.connect_timeout_s,
        silence_s=net.silence_s,
        max_bytes=net.max_bytes,
        ca_bundle=str(net.ca_bundle) if net.ca_bundle else None,
        proxy=net.proxy,
        no_proxy=net.no_proxy,
        service_proxy=net.service_proxy,
        service_proxy_variable=net.service_proxy_variable,
        service_no_proxy=net.service_no_proxy,
    )


def engine_options(settings: Settings) -> EngineOptions:
    """What the settings mean for the engine."""
    server_url = settings.embedding.server_url
    return EngineOptions(
        providers=settings.search.providers,
        provider_timeout_s=settings.search.provider_timeout_s,
        search_cache_s=settings.search.cache_s,
        page_timeout_s=settings.net.page_timeout_s,
        fetches_at_once=settings.search.max_concurrent_fetches,
        chunk_tokens=settings.read.chunk_tokens,
        comments=settings.pages.comments,
        reads_with=(f"embeddings at {host_of(server_url)}",) if server_url else (),
        policies=contract_policies(settings),
    )


def contract_policies(settings: Settings) -> Policies:
    """The policies of every contract: its own settings, and what holds for every call."""
    defaults = Defaults(
        search_timeout_s=settings.search.timeout_s,
        search_cache_s=settings.search.cache_s,
        page_timeout_s=settings.net.page_timeout_s,
        read_timeout_s=settings.read.timeout_s,
        answer_timeout_s=settings.answer.timeout_s,
        fetches_at_once=settings.search.max_concurrent_fetches,
        may_fetch=settings.web_fetch_enabled,
        robots=settings.net.robots,
        user_agent=settings.net.user_agent,
        providers=settings.providers,
    )
    made = (contract.policies(settings, defaults) for contract in CONTRACTS.values())
    return Policies(*(policy for policies in made for policy in policies))


def misfits(settings: Settings) -> list[GossamerError]:
    """What is wrong with settings that only the parts they are for can judge."""
    from gossamer import answerers, embedders, states, stores
    from gossamer.contracts import choose_tools
    from gossamer.net.exchange import trust

    known = (*PROVIDERS, "library")

    def names_known_providers() -> None:
        for name in settings.search.providers:
            if name not in known:
                raise BadSettings(
                    f"search.providers names {name!r}, which is no provider.", hint=f"Known are: {', '.join(known)}."
                )

    own = settings.embedding
    checks: tuple[Callable[[], object], ...] = (
        lambda: net_policy(settings),
        lambda: trust(str(settings.net.ca_bundle)) if settings.net.ca_bundle else None,
        lambda: choose_tools(settings.tools.split(",")),
        lambda: entry_of(stores.STORES, settings.store_address, "store"),
        lambda: entry_of(states.STATES, settings.state_address, "state"),
        lambda: configured_providers(settings.provider_tables, names=settings.provider_tables),
        lambda: embedders.check(server_url=own.server_url, model=own.model, rerank_model=own.rerank_model),
        lambda: answerers.check(settings.answer),
        names_known_providers,
        *(partial(block.check, known) for block in settings.blocks),
    )
    found: list[GossamerError] = []
    for check in checks:
        try:
            check()
        except GossamerError as error:
            found.append(error)
    return found


def cursor_key(settings: Settings) -> bytes:
    """The key that signs cursors: 32 bytes in the data folder, shared by all who use it.

    Where nothing is kept on disk, or nothing can be, it lives as long as the process.
    """
    from gossamer.stores import STORES

    if not is_lasting(STORES, settings.store_address) or not settings.library.remember:
        return os.urandom(KEY_BYTES)
    try:
        return folder_secret(settings)
    except StoreUnavailable:
        return os.urandom(KEY_BYTES)
