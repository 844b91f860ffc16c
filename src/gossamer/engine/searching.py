"""Search: plans the providers, asks them by failover, and shares equal searches (single-flight)."""

import asyncio
import hashlib
import math
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime

from gossamer.engine.failover import Failover
from gossamer.engine.isolation import tenant
from gossamer.engine.key_redaction import account
from gossamer.engine.policies import SearchPolicy
from gossamer.engine.provider_call import ProviderCalls
from gossamer.engine.search_cache import SearchCache
from gossamer.engine.unready import Variable, nobody
from gossamer.errors import GossamerError, InvalidArgument, Outcome, TimedOut, UnknownName, Unreachable
from gossamer.model.search import Failure, Found, Hit, Query, SearchPage
from gossamer.ports import Call, CallLog, Provider, Source
from gossamer.resilience.single_flight import SingleFlight
from gossamer.steps.search.domains import is_site
from gossamer.steps.search.plan import Candidate, ended, knows, plan, unmet_filters
from gossamer.steps.web.canonical import fingerprint

_OURS = "library"
_POLICY = SearchPolicy()
_GRACE_S = 0.5
"""Those who wait for somebody else's search get its end, if it comes so soon after their own."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Landed:
    page: SearchPage
    notes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Searching:
    """Asks providers and remembers what they said for a while; equal searches at one time are one."""

    asking: ProviderCalls
    results: SearchCache
    providers: Callable[[], tuple[Provider | Source, ...]]
    wanted: tuple[str, ...]
    variable: Variable
    _by_name: dict[str, Provider | Source] = field(init=False, default_factory=dict[str, Provider | Source])
    _meeting: asyncio.Lock = field(init=False, default_factory=asyncio.Lock)
    _flights: SingleFlight[_Landed] = field(init=False, default_factory=SingleFlight[_Landed])

    async def part(self, name: str) -> Provider | Source | None:
        """Somebody who can be asked, by name; all are made when the first is needed."""
        async with self._meeting:
            if not self._by_name:
                self._by_name.update({part.name: part for part in await asyncio.to_thread(self.providers)})
        return self._by_name.get(name)

    async def search(self, query: Query, call: Call, policy: SearchPolicy = _POLICY) -> SearchPage:
        """The hits of the first planned provider that has any; the others' failures stand beside them."""
        if query.site and not is_site(query.site):
            raise InvalidArgument("site is not the name of one site.", hint='Give a single domain, such as "imdb.com".')
        await self.part("")
        order, gone = self._plan(query, policy.providers or self.wanted, call, first=policy.first)
        asked = [*(account(self._by_name[one.name]) for one in order), "", *gone]
        key = _cache_key(query, asked, wants_raw=policy.wants_raw, user=tenant(call))
        if cached := await self.results.recall(key, query, call, keep_s=policy.keep_s):
            return cached
        started, parts = call.clock.monotonic(), len(call.log.parts)
        try:
            async with asyncio.timeout(None if call.deadline == math.inf else call.remaining_s + _GRACE_S):
                landed = await self._flights.join(key, lambda: self._fly(key, query, order, gone, call, policy))
        except TimeoutError as error:
            raise TimedOut("The time of this call ran out before anybody had answered.", hint="Try again.") from error
        except GossamerError as error:
            raise error.but() from error  # others who waited raise the same one
        if len(call.log.parts) == parts:
            outcome = Outcome.OK if landed.page.hits else Outcome.NO_MATCH
            call.record("search shared", outcome, since=started)
        for note in landed.notes:
            call.log.note(note)
        return replace(landed.page, query=query)

    def _plan(
        self, query: Query, wanted: Sequence[str], call: Call, *, first: Sequence[str]
    ) -> tuple[tuple[Candidate, ...], dict[str, GossamerError]]:
        """Who is asked in which order, and who is counted on but gone."""
        for name in wanted:
            if name not in self._by_name:
                raise UnknownName(
                    f"There is no provider named {name!r}.", hint=f"Choose among: {', '.join(self._by_name)}."
                )
        today = _today(call)
        known = [_candidate(part) for part in self._by_name.values() if part.name != _OURS or call.is_owner]
        order = plan(query, known, today=today, wanted=wanted, first=first)
        gone = {name: _gone(self._by_name[name]) for name in ended(known, today=today, wanted=wanted)}
        if not order:
            unready = [self._by_name[c.name] for c in known if c.name in wanted and not c.is_ready and knows(query, c)]
            raise next(iter(gone.values()), None) or nobody(
                query, known, unready, wanted=wanted, variable=self.variable
            )
        return order, gone

    async def _fly(
        self,
        key: str,
        query: Query,
        order: Sequence[Candidate],
        gone: dict[str, GossamerError],
        starter: Call,
        policy: SearchPolicy,
    ) -> _Landed:
        """Search for all who wait for it: the one who came first may leave without ending it."""
        call = replace(starter, log=CallLog(starter.log.parts), cancelled=threading.Event())
        started = call.clock.monotonic()
        asked = replace(query, day=_today(call))
        course = Failover(asking=self.asking, parts=self._by_name, order=order, query=asked, call=call, policy=policy)
        try:
            await course.run()
        except asyncio.CancelledError:
            call.cancelled.set()
            raise
        if course.answer is None or (not course.answer[1].hits and self._missed(course)):
            raise self._nobody(query, {**course.errors, **gone})
        page = self._page(query, course.answer, course.seen_by)
        page = replace(
            page,
            raw=course.answer[1].raw if policy.wants_raw else "",
            failures=tuple(Failure.of(name, error) for name, error in gone.items()) + course.failures,
            elapsed_ms=_since(started, call),
        )
        if page.provider != _OURS:
            allowed_s = self._by_name[page.provider].terms.keep_s
            is_whole = not course.errors and not course.is_stand_in and not course.answer[1].is_part
            await self.results.remember(key, page, call, keep_s=policy.keep_s, allowed_s=allowed_s, is_whole=is_whole)
        return _Landed(page=page, notes=tuple(call.log.notes))

    def _missed(self, course: Failover) -> bool:
        """Whether somebody failed who looks further than all who answered: then nothing found means nothing."""
        failed = max((_reach(self._by_name[name]) for name in course.errors), default=0)
        return failed > max((_reach(self._by_name[name]) for name in course.empty), default=0)

    def _nobody(self, query: Query, errors: Mapping[str, GossamerError]) -> GossamerError:
        """The first error, told together with the others: nobody could look. It is over when the soonest of them is."""
        first, *others = errors.values()
        names = list(errors)[1:]
        title = self._by_name[next(iter(errors))].title
        message = first.message if title in first.message else f"{title}: {first.message}"
        message += "".join(f" {name}: {error.message}" for name, error in zip(names, others, strict=True))
        return first.but(
            message=message,
            retry_after_s=min(
                (error.retry_after_s for error in errors.values() if error.retry_after_s is not None), default=None
            ),
            asked=tuple((name, self._address(name, query)) for name in errors),
        )

    def _address(self, name: str, query: Query) -> str:
        part = self._by_name[name]
        return part.instance(query)

    def _page(self, query: Query, answer: tuple[str, Found], seen_by: Sequence[str]) -> SearchPage:
        name, found = answer
        part = self._by_name[name]
        hits = _distinct(found.hits)[: query.count]
        ranked = tuple(replace(hit, score=round(1 - rank / (len(hits) + 1), 3)) for rank, hit in enumerate(hits))
        unmet = unmet_filters(query, _candidate(part))
        notes = [found.note] if found.note else []
        if isinstance(part, Provider) and not part.takes(query.text):
            notes.append(f"The query is longer than {part.title} takes: its end was cut off.")
        notes += [f"{part.title} could not apply: {', '.join(unmet)}."] if unmet else []
        return SearchPage(
            query=query,
            hits=ranked,
            provider=name,
            instance=self._address(name, query),
            services=tuple(self._by_name[one].title for one in seen_by if one != _OURS),
            suggestions=found.suggestions,
            engines=found.engines or (name,),
            total=found.total,
            notes=tuple(notes),
        )


def _today(call: Call) -> date:
    return datetime.fromtimestamp(call.clock.now(), UTC).date()


def _reach(part: Provider | Source) -> int:
    """How far somebody looks: the whole web, one site, or what was read before."""
    known = _candidate(part)
    return 0 if known.is_ours else 1 + known.is_general


def _candidate(part: Provider | Source) -> Candidate:
    provider = part if isinstance(part, Provider) else None
    terms = part.terms
    return Candidate(
        name=part.name,
        filters=frozenset(part.filters),
        categories=frozenset(part.categories),
        is_general=provider.is_general if provider else part.name != _OURS,
        is_own=provider.is_own if provider else False,
        is_ready=provider.is_ready if provider else True,
        is_ours=part.name == _OURS,
        is_slow=terms.takes_s > 0,
        usd_per_1000=terms.usd_per_1000,
        ends=terms.ends,
    )


def _gone(part: Provider | Source) -> GossamerError:
    terms = part.terms
    return Unreachable(f"{part.title} ended on {terms.ends}.", hint=terms.ending)


def _cache_key(query: Query, names: Sequence[str], *, wants_raw: bool, user: str) -> str:
    said = repr((query, tuple(names), wants_raw, user))
    return f"search:{hashlib.sha256(said.encode()).hexdigest()}"


def _distinct(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    first: dict[str, Hit] = {}
    for hit in hits:
        first.setdefault(fingerprint(hit.url), hit)
    return tuple(first.values())


def _since(started: float, call: Call) -> int:
    return round((call.clock.monotonic() - started) * 1000)
