"""Finding pages: providers asked in the planned order until one finds something."""

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from pydantic import TypeAdapter, ValidationError

from gossamer.engine.reading import Reader
from gossamer.engine.shelf import owns_pages
from gossamer.errors import GossamerError, InvalidArgument, Outcome, StoreError, TimedOut, UnknownName
from gossamer.model.search import Content, Failure, Found, Hit, Query, SearchPage
from gossamer.ports import Call, Http, Provider, Source, State
from gossamer.steps.canonical import fingerprint, host_of
from gossamer.steps.plan import Candidate, plan, unmet_filters
from gossamer.steps.words import word_count

_CACHED = TypeAdapter(SearchPage)
_FALLBACK_S = 60.0
"""How long a stand-in's results are kept: the one who failed may be back soon."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Searching:
    """Asks providers and remembers what they said for a while."""

    api: Http
    state: State
    providers: tuple[Provider | Source, ...]
    wanted: tuple[str, ...]
    reader: Reader
    provider_timeout_s: float
    cache_s: float
    _by_name: dict[str, Provider | Source] = field(init=False, default_factory=dict[str, Provider | Source])

    def __post_init__(self) -> None:
        self._by_name.update({part.name: part for part in self.providers})

    async def search(self, query: Query, call: Call, *, wanted: Sequence[str] = ()) -> SearchPage:
        """The hits of the first planned provider that has any; the others' failures stand beside them."""
        wanted = tuple(wanted) or self.wanted
        names = self._plan(query, wanted, call)
        key = _cache_key(query, names)
        if cached := await self._recall(key, query, call):
            return cached
        started = call.clock.monotonic()
        asked: list[str] = []
        failures: list[Failure] = []
        errors: list[GossamerError] = []
        answered: tuple[str, Found] | None = None
        for name in names:
            part = self._by_name[name]
            asked.append(name)
            await call.progress(len(asked), len(names), f"asking {part.title}")
            try:
                found = await self._ask(part, query, call)
            except GossamerError as error:
                failures.append(Failure.of(name, error))
                errors.append(error)
                continue
            if answered is None or found.hits:
                answered = (name, found)
            if found.hits:
                break
        if answered is None or (not answered[1].hits and self._missed(failures, names)):
            raise _nobody(errors, failures)
        page = self._page(query, answered, tuple(asked), tuple(failures))
        page = replace(page, elapsed_ms=round((call.clock.monotonic() - started) * 1000))
        await self._remember(key, page, call)
        return page

    async def with_content(self, page: SearchPage, call: Call) -> SearchPage:
        """The same page with what each hit holds for the query; a dead page keeps its hit and says why."""
        limit = call.within(max(0.5, call.remaining_s * 0.9))
        slots = asyncio.Semaphore(self.reader.fetches_at_once)

        async def one(hit: Hit) -> Content:
            started = call.clock.monotonic()
            try:
                async with asyncio.timeout(limit.remaining_s), slots:
                    started = call.clock.monotonic()
                    read, passages = await self.reader.passages_of(hit.url, page.query.text, limit)
            except GossamerError as error:
                return Content(failure=Failure.of(hit.url, error), fetch_ms=_since(started, call))
            except TimeoutError:
                late = TimedOut("The page did not come in time.", hint="Fetch it alone with web_fetch.")
                return Content(failure=Failure.of(hit.url, late), fetch_ms=_since(started, call))
            await call.progress(0, None, "read a page")
            words = await asyncio.to_thread(word_count, read.text)
            return Content(page=read, passages=passages, words=words, fetch_ms=_since(started, call))

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(hit)) for hit in page.hits]
        return replace(page, contents=tuple(task.result() for task in tasks))

    def _plan(self, query: Query, wanted: Sequence[str], call: Call) -> tuple[str, ...]:
        for name in wanted:
            if name not in self._by_name:
                raise UnknownName(
                    f"There is no provider named {name!r}.", hint=f"Choose among: {', '.join(self._by_name)}."
                )
        open_to_caller = [part for part in self.providers if part.name != "library" or owns_pages(call)]
        names = plan(query, [_candidate(part) for part in open_to_caller], wanted=wanted)
        if not names:
            raise InvalidArgument(
                "No search provider is ready for this query.",
                hint="Set SEARXNG_URL to a SearXNG instance, or drop site and category; see gossamer doctor.",
            )
        return names

    def _missed(self, failures: Sequence[Failure], asked: Sequence[str]) -> bool:
        """Whether somebody failed who looks further than all who answered: then nothing found means nothing."""
        failed = {failure.who for failure in failures}
        answered = [self._by_name[name] for name in asked if name not in failed]
        return max((_reach(self._by_name[name]) for name in failed), default=0) > max(map(_reach, answered), default=0)

    async def _ask(self, part: Provider | Source, query: Query, call: Call) -> Found:
        started = call.clock.monotonic()
        limit = call.within(self.provider_timeout_s)
        try:
            async with asyncio.timeout(limit.remaining_s):
                found = await (
                    self._exchange(part, query, limit) if isinstance(part, Provider) else part.search(query, limit)
                )
        except TimeoutError as error:
            call.record(part.name, Outcome.TIMEOUT, since=started)
            raise TimedOut(
                f"{part.title} did not answer within {self.provider_timeout_s:.0f} s.", hint="Try again."
            ) from error
        except GossamerError as error:
            call.record(part.name, error.outcome, since=started)
            raise
        found = replace(found, hits=_on_site(found.hits, query.site))
        call.record(part.name, Outcome.OK if found.hits else Outcome.NO_MATCH, since=started)
        return found

    async def _exchange(self, provider: Provider, query: Query, call: Call) -> Found:
        """Drive a provider's steps. A failed exchange is thrown into them, so that earlier pages need not be lost."""
        steps = provider.steps(query)
        try:
            request = next(steps)
            while True:
                try:
                    reply = await self.api.send(request, call)
                    provider.judge(reply)
                except GossamerError as error:
                    request = steps.throw(error)
                else:
                    request = steps.send(reply)
        except StopIteration as done:
            return done.value

    def _page(
        self, query: Query, answered: tuple[str, Found], asked: tuple[str, ...], failures: tuple[Failure, ...]
    ) -> SearchPage:
        name, found = answered
        part = self._by_name[name]
        hits = _distinct(found.hits)[: query.count]
        ranked = tuple(replace(hit, score=round(1 - rank / (len(hits) + 1), 3)) for rank, hit in enumerate(hits))
        unmet = unmet_filters(query, _candidate(part))
        notes = [found.note] if found.note else []
        notes += [f"{part.title} could not apply: {', '.join(unmet)}."] if unmet else []
        return SearchPage(
            query=query,
            hits=ranked,
            provider=name,
            instance=part.instance(query) if isinstance(part, Provider) else name,
            services=tuple(self._by_name[one].title for one in asked if isinstance(self._by_name[one], Provider)),
            failures=failures,
            suggestions=found.suggestions,
            engines=found.engines or (name,),
            total=found.total,
            notes=tuple(notes),
        )

    async def _recall(self, key: str, query: Query, call: Call) -> SearchPage | None:
        try:
            text = await self.state.get(key)
        except StoreError:
            return None
        if text is None:
            return None
        try:
            kept = _CACHED.validate_json(text)
        except ValidationError:
            return None
        call.record("search cache", Outcome.OK, since=call.clock.monotonic())
        return replace(kept, query=query, services=())

    async def _remember(self, key: str, page: SearchPage, call: Call) -> None:
        if not page.hits or self.cache_s <= 0 or page.provider == "library":
            return
        nameless = replace(page, query=Query(text=""))
        ttl_s = min(self.cache_s, _FALLBACK_S) if page.failures else self.cache_s
        try:
            await self.state.put(key, _CACHED.dump_json(nameless).decode(), ttl_s=ttl_s)
        except StoreError as error:
            call.note(f"The search was not cached: {error}")


def _reach(part: Provider | Source) -> int:
    """How far somebody looks: the whole web, one site, or what was read before."""
    return (2 if part.is_general else 1) if isinstance(part, Provider) else 0


def _candidate(part: Provider | Source) -> Candidate:
    is_provider = isinstance(part, Provider)
    return Candidate(
        name=part.name,
        filters=frozenset(part.filters),
        categories=frozenset(part.categories),
        is_general=part.is_general if is_provider else False,
        is_own=part.is_own if is_provider else False,
        is_ready=part.is_ready if is_provider else True,
    )


def _cache_key(query: Query, names: Sequence[str]) -> str:
    said = repr((query, tuple(names)))
    return f"search:{hashlib.sha256(said.encode()).hexdigest()}"


def _on_site(hits: Sequence[Hit], site: str | None) -> tuple[Hit, ...]:
    """The hits on the site asked for: not every engine obeys its own operator."""
    return tuple(hit for hit in hits if site is None or f".{host_of(hit.url)}".endswith(f".{site.lower()}"))


def _distinct(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    first: dict[str, Hit] = {}
    for hit in hits:
        first.setdefault(fingerprint(hit.url), hit)
    return tuple(first.values())


def _since(started: float, call: Call) -> int:
    return round((call.clock.monotonic() - started) * 1000)


def _nobody(errors: Sequence[GossamerError], failures: Sequence[Failure]) -> GossamerError:
    """The first error, told together with the others: nobody could look."""
    first = errors[0]
    others = "".join(f" {failure.who}: {failure.message}" for failure in failures[1:])
    first.message = f"{first.message}{others}"
    return first
