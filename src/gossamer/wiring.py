"""Settings to open parts to an engine: the one place that knows every part by name."""

import hmac
import os
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import ValidationError

from gossamer.engine import Deadlines, Engine, Limits, Parts, WebFetchRules
from gossamer.engine.shelf import Shelf
from gossamer.errors import BadSettings, GossamerError, StoreUnavailable
from gossamer.model.http import Terms
from gossamer.ports import Call, Clock, Provider, Source, Store
from gossamer.providers import PROVIDERS
from gossamer.settings.load import load
from gossamer.settings.model import Settings

if TYPE_CHECKING:
    from gossamer.net.policy import NetPolicy

Resolve = Callable[[str], Awaitable[list[str]]]
Dial = Callable[[str, int], Awaitable[tuple[str, int]]]

_KEY_BYTES = 32


@dataclass(frozen=True, slots=True)
class SystemClock:
    """The machine's own time."""

    def now(self) -> float:
        """UTC seconds."""
        return time.time()

    def monotonic(self) -> float:
        """Seconds that never jump."""
        return time.monotonic()


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
) -> AsyncGenerator[Engine]:
    """An engine with all its parts open; leaving closes them in reverse order.

    Without `settings` they are loaded from file and environment, and a broken one raises. `resolve` and `dial`
    stand in for DNS and for connecting, `clock` for the time: the only seams that tests need.
    """
    from gossamer.answerers.quotes import Quotes
    from gossamer.embedders.local import LocalEmbedder
    from gossamer.extractors.workers.pool import WorkerPool
    from gossamer.net.client import ApiDoor, WebDoor
    from gossamer.states import open_state
    from gossamer.stores import open_store

    if settings is None:
        loaded = load()
        if loaded.problems:
            raise loaded.problems[0]
        settings = loaded.settings
    clock = clock or SystemClock()
    configured_providers(settings.providers, names=settings.providers)
    async with AsyncExitStack() as stack:
        store = await open_store(settings.store_address if settings.library.remember else "memory:", clock=clock)
        stack.push_async_callback(store.close)
        state = await open_state(settings.state_address, clock=clock)
        stack.push_async_callback(state.close)
        policy = net_policy(settings)
        web = WebDoor(policy, resolve=resolve, dial=dial, clock=clock, state=state)
        stack.push_async_callback(web.close)
        api = ApiDoor(user_agent=policy.user_agent, ca_bundle=policy.ca_bundle, proxy=policy.way_out)
        stack.push_async_callback(api.close)
        extractor = WorkerPool(clock=clock)
        stack.push_async_callback(extractor.close)
        parts = Parts(
            web=web,
            api=api,
            extractor=extractor,
            embedder=LocalEmbedder(),
            answerer=Quotes(),
            store=store,
            state=state,
            clock=clock,
            providers=lambda: (*configured_providers(settings.providers), library_source(store)),
        )
        yield Engine(parts, engine_limits(settings), cursor_key=cursor_key(settings))


@asynccontextmanager
async def open_shelf(settings: Settings, *, clock: Clock) -> AsyncGenerator[Shelf]:
    """The pages already read, without the rest of an engine; what was never made is not made for looking at it."""
    from gossamer.sqlite import path_of
    from gossamer.stores import open_store

    address = settings.store_address
    if address.startswith("memory:") or (address.startswith("sqlite:") and not path_of(address).exists()):
        yield Shelf(store=None)
        return
    store = await open_store(address, clock=clock)
    try:
        yield Shelf(store=store)
    finally:
        await store.close()


def library_source(store: Store) -> Source:
    """The library as a source of hits."""
    from gossamer.providers.library import Library

    return Library(store)


def configured_providers(
    tables: Mapping[str, Mapping[str, object]], *, names: Iterable[str] = PROVIDERS
) -> tuple[Provider, ...]:
    """The providers with their settings; a table that names none, or a field that is not one, is a bad setting."""
    for name in tables:
        if name not in PROVIDERS:
            raise BadSettings(
                f"There is no provider named {name!r} to configure.", hint=f"Known are: {', '.join(PROVIDERS)}."
            )
    made: list[Provider] = []
    for name in names:
        shape = PROVIDERS[name]
        try:
            made.append(shape.model_validate(dict(tables.get(name, {}))))
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            field = ".".join(str(part) for part in first["loc"])
            known = ", ".join(shape.model_fields)
            raise BadSettings(
                f"providers.{name}.{field}: {first['msg']}.", hint=f"Fields of {name} are: {known}."
            ) from error
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
    )


def misfits(settings: Settings) -> list[GossamerError]:
    """What is wrong with settings that only the parts they are for can judge."""
    from gossamer import states, stores
    from gossamer.contracts import choose_tools
    from gossamer.net.trust import trust

    def names_known_providers() -> None:
        known = (*PROVIDERS, "library")
        for name in settings.search.providers:
            if name not in known:
                raise BadSettings(
                    f"search.providers names {name!r}, which is no provider.", hint=f"Known are: {', '.join(known)}."
                )

    checks: tuple[Callable[[], object], ...] = (
        lambda: net_policy(settings),
        lambda: trust(str(settings.net.ca_bundle)) if settings.net.ca_bundle else None,
        lambda: choose_tools(settings.tools.split(",")),
        lambda: stores.place_of(settings.store_address),
        lambda: states.place_of(settings.state_address),
        lambda: configured_providers(settings.providers, names=settings.providers),
        names_known_providers,
    )
    found: list[GossamerError] = []
    for check in checks:
        try:
            check()
        except GossamerError as error:
            found.append(error)
    return found


def engine_limits(settings: Settings) -> Limits:
    """What the settings mean for the engine."""
    return Limits(
        providers=settings.search.providers,
        search_cache_s=settings.search.cache_s,
        page_timeout_s=settings.net.page_timeout_s,
        fetches_at_once=settings.search.max_concurrent_fetches,
        chunk_tokens=settings.read.chunk_tokens,
        may_fetch=settings.web_fetch_enabled,
        comments=settings.pages.comments,
        deadlines=Deadlines(
            search_s=settings.search.timeout_s,
            fetch_s=settings.net.page_timeout_s + 5,
            web_fetch_s=settings.WebFetch.TimeoutSeconds,
            read_s=settings.read.timeout_s,
            answer_s=settings.answer.timeout_s,
        ),
        web_fetch=_web_fetch_rules(settings),
    )


def _web_fetch_rules(settings: Settings) -> WebFetchRules:
    """The `WebFetch` block, as far as it differs from what holds for every page."""
    own, net = settings.WebFetch, settings.net
    asked: dict[bool | None, Literal["respect", "ignore"]] = {None: net.robots, True: "respect", False: "ignore"}
    robots = asked[own.RespectRobotsTxt]
    return WebFetchRules(
        terms=Terms(
            user_agent=own.UserAgent if own.UserAgent not in ("", net.user_agent) else None,
            robots=robots if robots != net.robots else None,
            timeout_s=own.TimeoutSeconds,
            fresh_s=own.CacheDurationMinutes * 60.0,
            limited_retries=2,
        ),
        max_chars=own.MaxContentLength,
    )


def cursor_key(settings: Settings) -> bytes:
    """The key that signs cursors: 32 bytes in the data folder, shared by all who use it.

    Where nothing is kept on disk it lives as long as the process.
    """
    if not settings.store_address.startswith("sqlite:") or not settings.library.remember:
        return os.urandom(_KEY_BYTES)
    return _folder_secret(settings)


def folder_key(settings: Settings, use: str) -> bytes:
    """A key for one use, the same in every process on this data folder and of no help to find another's."""
    return hmac.digest(_folder_secret(settings), use.encode(), "sha256")


def _folder_secret(settings: Settings) -> bytes:
    try:
        return _shared_key(settings.data_dir / "cursor.key")
    except OSError as error:
        raise StoreUnavailable(
            f"The data folder {settings.data_dir} cannot be written: {error.strerror or error}.",
            hint="Set DATA_DIR to a folder that can be.",
        ) from error


def _shared_key(path: Path) -> bytes:
    """Read the key, or make it so that of several processes all get the same one."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not path.exists():
        draft = path.with_name(f"{path.name}.{os.urandom(8).hex()}")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(os.urandom(_KEY_BYTES))
        try:
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    key = path.read_bytes()
    if len(key) == _KEY_BYTES:
        return key
    path.unlink()
    return _shared_key(path)
