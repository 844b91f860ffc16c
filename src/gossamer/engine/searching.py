"""Search: plans the providers, asks them by failover, and shares equal searches (single-flight)."""

import asyncio
import hashlib
import math
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from typing import Any, Self

from pydantic import SecretStr

from gossamer.engine.failover import Failover
from gossamer.engine.key_redaction import account
from gossamer.engine.policies import SearchPolicy
from gossamer.engine.provider_call import ProviderCalls
from gossamer.engine.search_cache import SearchCache
from gossamer.errors import GossamerError, InvalidArgument, Outcome, TimedOut, UnknownName, Unreachable
from gossamer.model.search import Failure, Found, Hit, Query, SearchPage
from gossamer.ports import Call, CallLog, Provider, Source, Terms
from gossamer.resilience.single_flight import SingleFlight
from gossamer.steps.search.domains import is_site
from gossamer.steps.search.plan import Candidate, ended, knows, plan, unmet_filters
from gossamer.steps.web.urls import fingerprint

_OURS = "library"
_POLICY = SearchPolicy()
_NEEDED = ("api_key", "engine_id", "base_url")

Variable = Callable[[str, str], str]
"""What sets a field of a provider, by the names of both."""
_GRACE_S = 0.5
"""Those who wait for somebody else's search get its end, if it comes so soon after their own."""


class Unbuilt:
    """A provider by its class and its table, enough to plan with: its fields as written, and what they mean."""

    def __init__(self, shape: type[Provider], table: Mapping[str, Any]) -> None:
        self._shape = shape
        self._table = table

    def __getattr__(self, name: str) -> Any:
        if about := self._shape.model_fields.get(name):
            value = self._table.get(name, about.get_default(call_default_factory=True))
            if not isinstance(value, str):
                return value
            value = value.strip().rstrip("/") if name == "base_url" else value.strip()
            return SecretStr(value) if about.annotation is SecretStr else value
        meaning = getattr(self._shape, name)
        return meaning.fget(self) if isinstance(meaning, property) and meaning.fget else meaning


@dataclass(frozen=True, kw_only=True, slots=True)
class Offer:
    """A provider or source on offer: what the plan has to know, and how it is built when it is asked."""

    candidate: Candidate
    title: str
    terms: Terms
    account: str
    """Names its settings without showing them: what was found with others is another search."""
    missing: tuple[str, ...]
    """Fields that are not set, of those that a service may need."""
    build: Callable[[], Provider | Source]

    @classmethod
    def of(cls, part: Provider | Source) -> Self:
        """The offer of a part that is built already."""
        shape = type(part) if isinstance(part, Provider) else None
        return cls._made(part, shape, account(part), lambda: part)

    @classmethod
    def unbuilt(cls, shape: type[Provider], table: Mapping[str, Any], build: Callable[[], Provider | Source]) -> Self:
        """A provider by its class and its table, which are all that a plan looks at."""
        digest = hashlib.sha256(repr(sorted(table.items())).encode("utf-8", "surrogatepass")).hexdigest()
        return cls._made(Unbuilt(shape, table), shape, f"{shape.name}:{digest[:16]}", build)

    @classmethod
    def _made(cls, part: Any, shape: type[Provider] | None, account: str, build: Callable[[], Any]) -> Self:
        fields = shape.model_fields if shape else {}
        return cls(
            candidate=_candidate(part, is_provider=shape is not None),
            title=part.title,
            terms=part.terms,
            account=account,
            missing=tuple(name for name in _NEEDED if name in fields and not _is_set(getattr(part, name))),
            build=build,
        )


class _Built(dict[str, Provider | Source]):
    """Providers by name, each built when it is first asked."""

    def __init__(self) -> None:
        super().__init__()
        self.offers: dict[str, Offer] = {}

    def __missing__(self, name: str) -> Provider | Source:
        part = self[name] = self.offers[name].build()
        return part


@dataclass(frozen=True, kw_only=True, slots=True)
class _Landed:
    page: SearchPage
    notes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Searching:
    """Asks providers and remembers what they said for a while; equal searches at one time are one."""

    provider_calls: ProviderCalls
    search_cache: SearchCache
    providers: Callable[[], Mapping[str, Offer]]
    wanted: tuple[str, ...]
    variable: Variable
    _by_name: _Built = field(init=False, default_factory=_Built)
    _meeting: asyncio.Lock = field(init=False, default_factory=asyncio.Lock)
    _flights: SingleFlight[_Landed] = field(init=False, default_factory=SingleFlight[_Landed])

    async def part(self, name: str) -> Provider | Source | None:
        """A provider or source by name, built now if it was not; None where no such one exists."""
        return self._by_name[name] if name in await self._offers() else None

    async def _offers(self) -> Mapping[str, Offer]:
        """All offers, read when the first is needed; none is built for it."""
        async with self._meeting:
            if not self._by_name.offers:
                self._by_name.offers.update(await asyncio.to_thread(self.providers))
        return self._by_name.offers

    async def search(self, query: Query, call: Call, policy: SearchPolicy = _POLICY) -> SearchPage:
        """The hits of the first planned provider that has any; the others' failures stand beside them."""
        if query.site and not is_site(query.site):
            raise InvalidArgument("site is not the name of one site.", hint='Give a single domain, such as "imdb.com".')
        offers = await self._offers()
        order, gone = self._plan(query, policy.providers or self.wanted, call, first=policy.first)
        asked = [*(offers[candidate.name].account for candidate in order), "", *gone]
        key = _cache_key(query, asked, wants_raw=policy.wants_raw, user=call.tenant)
        if cached := await self.search_cache.recall(key, query, call, keep_s=policy.keep_s):
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
        offers = self._by_name.offers
        for name in wanted:
            if name not in offers:
                raise UnknownName(f"There is no provider named {name!r}.", hint=f"Choose among: {', '.join(offers)}.")
        today = _today(call)
        known = [offer.candidate for name, offer in offers.items() if name != _OURS or call.is_owner]
        order = plan(query, known, today=today, wanted=wanted, first=first)
        gone = {name: _gone(offers[name]) for name in ended(known, today=today, wanted=wanted)}
        if not order:
            unready = [offers[c.name] for c in known if c.name in wanted and not c.is_ready and knows(query, c)]
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
        failover = Failover(
            provider_calls=self.provider_calls, parts=self._by_name, order=order, query=asked, call=call, policy=policy
        )
        try:
            await failover.run()
        except asyncio.CancelledError:
            call.cancelled.set()
            raise
        if failover.answer is None or (not failover.answer[1].hits and self._missed(failover)):
            raise self._nobody(query, {**failover.errors, **gone})
        page = self._page(query, failover.answer, failover.seen_by)
        page = replace(
            page,
            raw=failover.answer[1].raw if policy.wants_raw else "",
            failures=tuple(Failure.of(name, error) for name, error in gone.items()) + failover.failures,
            elapsed_ms=call.ms_since(started),
        )
        if page.provider != _OURS:
            allowed_s = self._by_name[page.provider].terms.keep_s
            is_whole = not failover.errors and not failover.is_stand_in and not failover.answer[1].is_part
            await self.search_cache.remember(
                key, page, call, keep_s=policy.keep_s, allowed_s=allowed_s, is_whole=is_whole
            )
        return _Landed(page=page, notes=tuple(call.log.notes))

    def _missed(self, failover: Failover) -> bool:
        """Whether a provider failed that looks further than all that answered: then nothing found means nothing."""
        failed = max((_reach(self._by_name.offers[name].candidate) for name in failover.errors), default=0)
        return failed > max((_reach(self._by_name.offers[name].candidate) for name in failover.empty), default=0)

    def _nobody(self, query: Query, errors: Mapping[str, GossamerError]) -> GossamerError:
        """The first error, joined with the others: no provider could look. It is over when the soonest of them is."""
        first, *others = errors.values()
        names = list(errors)[1:]
        title = self._by_name.offers[next(iter(errors))].title
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
        unmet = unmet_filters(query, self._by_name.offers[name].candidate)
        notes = [found.note] if found.note else []
        if isinstance(part, Provider) and not part.takes(query.text):
            notes.append(f"The query is longer than {part.title} takes: its end was cut off.")
        notes += [f"{part.title} could not apply: {', '.join(unmet)}."] if unmet else []
        return SearchPage(
            query=query,
            hits=ranked,
            provider=name,
            instance=self._address(name, query),
            services=tuple(self._by_name[name].title for name in seen_by if name != _OURS),
            suggestions=found.suggestions,
            engines=found.engines or (name,),
            total=found.total,
            notes=tuple(notes),
        )


def _today(call: Call) -> date:
    return datetime.fromtimestamp(call.clock.now(), UTC).date()


def _reach(candidate: Candidate) -> int:
    """How far a provider looks: the whole web, one site, or what was read before."""
    return 0 if candidate.is_ours else 1 + candidate.is_general


def _candidate(part: Any, *, is_provider: bool) -> Candidate:
    terms: Terms = part.terms
    return Candidate(
        name=part.name,
        filters=frozenset(part.filters),
        categories=frozenset(part.categories),
        is_general=part.is_general if is_provider else part.name != _OURS,
        is_own=is_provider and part.is_own,
        is_ready=not is_provider or part.is_ready,
        is_ours=part.name == _OURS,
        is_slow=terms.takes_s > 0,
        usd_per_1000=terms.usd_per_1000,
        ends=terms.ends,
    )


def _gone(offer: Offer) -> GossamerError:
    return Unreachable(f"{offer.title} ended on {offer.terms.ends}.", hint=offer.terms.ending)


def _cache_key(query: Query, names: Sequence[str], *, wants_raw: bool, user: str) -> str:
    identity = repr((query, tuple(names), wants_raw, user))
    return f"search:{hashlib.sha256(identity.encode()).hexdigest()}"


def _distinct(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    first: dict[str, Hit] = {}
    for hit in hits:
        first.setdefault(fingerprint(hit.url), hit)
    return tuple(first.values())


def nobody(
    query: Query,
    known: Sequence[Candidate],
    unready: Sequence[Offer],
    *,
    wanted: Sequence[str],
    variable: Variable,
) -> InvalidArgument:
    """The error of a plan without a provider; `unready` are those wanted that only lack a setting."""
    if unready:
        titles = " and ".join(offer.title for offer in unready)
        needs = "; ".join(
            " and ".join(variable(offer.candidate.name, field) for field in offer.missing) for offer in unready
        )
        return InvalidArgument(
            f"No search provider is ready for this query: {titles} cannot be asked without {needs}.",
            hint=f"Set {needs}, or choose another provider; see gossamer doctor.",
        )
    if any(not knows(query, candidate) for candidate in known if candidate.name in wanted or not wanted):
        able = [candidate.name for candidate in known if candidate.is_ready and knows(query, candidate)]
        way = f"Ask {' or '.join(able)}" if able else "Set SEARXNG_URL to a SearXNG instance, which does"
        return InvalidArgument(
            f"No search provider asked looks for category {query.category!r}.",
            hint=f"{way}, or drop category to search pages.",
        )
    return InvalidArgument(
        "No search provider is ready for this query.",
        hint="Set SEARXNG_URL to a SearXNG instance, or drop site and category; see gossamer doctor.",
    )


def _is_set(value: object) -> bool:
    return bool(value.get_secret_value() if isinstance(value, SecretStr) else value)
