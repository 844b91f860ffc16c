"""Fetch: a page from the library while it is fresh, else from its site, else the stored copy when the site fails."""

import asyncio
import math
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

from gossamer.engine.chunk_cache import read_if_possible
from gossamer.engine.negative_cache import Miss, NegativeCache
from gossamer.engine.revalidation import Revalidation, Taken
from gossamer.errors import GossamerError, RateLimited, StoreError, TimedOut
from gossamer.model.http import FetchPolicy
from gossamer.model.page import Page, View
from gossamer.model.records import KeptReply
from gossamer.ports import Call, CallLog, State, Store, Web
from gossamer.resilience.deadline import OTHERS_VISIT, VISIT_WITH_COPY
from gossamer.resilience.pacing import SlotPools
from gossamer.resilience.retry import LIMITED_PAGES
from gossamer.resilience.single_flight import LeasedFlight, SingleFlight
from gossamer.steps.text.link_targets import markdown_hash
from gossamer.steps.text.untrusted_markers import iso_time
from gossamer.steps.tokens.cursor import expired
from gossamer.steps.web.freshness import age_in_words, kind_of, stands_in
from gossamer.steps.web.urls import canonical, host_of

_REFRESH_PAUSE_S = 5.0
_REMEMBERED_S = 86_400.0
"""As long as a page is ever used without asking its site again."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Landed:
    taken: Taken
    notes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Wanted:
    """A page that has to be fetched: how, and what is kept of it."""

    url: str
    view: View
    policy: FetchPolicy
    is_forced: bool
    kept: Page | None
    reply: KeptReply | None = None
    """What the site sent for this or another view, where it serves this one."""

    @property
    def name(self) -> str:
        """The same for all whom one visit serves."""
        view, policy = self.view, self.policy
        identity = f"{self.url}|{view.key}|{view.comments}|{policy.timeout_s or ''}|{policy.max_bytes or ''}"
        return f"page:{sha256(identity.encode('utf-8', 'surrogatepass')).hexdigest()}"


class _Unread(Exception):
    """The site answered, and its page could not be taken in: nothing that a copy would cover or others should hear."""

    def __init__(self, error: GossamerError) -> None:
        super().__init__(str(error))
        self.error = error


@dataclass(frozen=True, kw_only=True, slots=True)
class OwnCopies:
    """Remembers in the state which kept texts each user was given, and when; without the state nobody has any.

    Users of a shared service hear nothing of each other: kept pages lie in one store, and each user has those that it
    was given itself. The owner of the machine is one user in every face.
    """

    state: State

    async def of(self, kept: Page, call: Call) -> Page | None:
        """The kept page with the times of the caller's own visit; None for a text that the caller was never given."""
        if not call.tenant:
            return kept
        with suppress(StoreError, ValueError):
            fetched_at, fresh_until = map(float, (await self.state.get(_copy_key(kept, call)) or "").split())
            return replace(kept, fetched_at=fetched_at, fresh_until=fresh_until)
        return None

    async def of_reply(self, url: str, kept: KeptReply, call: Call) -> KeptReply | None:
        """The same for a kept reply: its own are the bytes that a page of the caller's was made of."""
        if not call.tenant:
            return kept
        with suppress(StoreError, ValueError):
            noted = await self.state.get(_reply_key(url, kept.identity, kept.body_hash, call)) or ""
            fetched_at, fresh_until = map(float, noted.split())
            return replace(kept, fetched_at=fetched_at, fresh_until=fresh_until)
        return None

    async def note(self, page: Page, call: Call, *, since: float, is_kept: bool, identity: str = "") -> Page:
        """Hand on a page as the caller's own, and remember that the caller was given it, if the store has it.

        The caller has waited for it `since` then. A visit that others began may have ended a moment earlier, and no
        user sees a time before its own call.
        """
        if not call.tenant:
            return page
        own = replace(page, fetched_at=max(page.fetched_at, since))
        if is_kept:
            with suppress(StoreError):
                times = f"{own.fetched_at!r} {own.fresh_until!r}"
                await self.state.put(_copy_key(page, call), times, ttl_s=_REMEMBERED_S)
                if page.body_hash:
                    reply_key = _reply_key(page.url, identity, page.body_hash, call)
                    await self.state.put(reply_key, times, ttl_s=_REMEMBERED_S)
        return own


def _copy_key(page: Page, call: Call) -> str:
    words = repr((call.tenant, page.url, page.view, markdown_hash(page)))
    return f"copy:{sha256(words.encode('utf-8', 'surrogatepass')).hexdigest()}"


def _reply_key(url: str, identity: str, body_hash: str, call: Call) -> str:
    words = repr((call.tenant, url, identity, body_hash))
    return f"reply:{sha256(words.encode('utf-8', 'surrogatepass')).hexdigest()}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Fetching:
    """Fetches pages. Those who ask for the same page at the same time share one visit, across processes too.

    `kept` is the page that the store has; `own` is the same page as far as the caller was given it, with the times of
    the caller's own visit. What a caller is told follows from its own alone; what a site is asked, from what is kept.
    """

    web: Web
    store: Store
    revalidation: Revalidation
    negative_cache: NegativeCache
    copies: OwnCopies
    leased_flight: LeasedFlight
    slots: SlotPools
    page_timeout_s: float
    comments: bool = False
    """Whether pages are read with their readers' comments."""
    _flights: SingleFlight[_Landed] = field(init=False, default_factory=SingleFlight[_Landed])

    async def fetch(
        self,
        url: str,
        view: View,
        call: Call,
        *,
        force_refresh: bool = False,
        policy: FetchPolicy | None = None,
    ) -> Page:
        """The page in this view; walls, shells and faults are raised as what they are.

        A site that fails for the moment is covered by the kept copy, with a note that says so. Who goes to the site
        holds one of the policy's slots, where it has any.
        """
        url, policy = canonical(url), policy or FetchPolicy()
        view = replace(view, comments=self.comments, identity=policy.identity)
        self.web.admit(url)
        self.revalidation.extractor.check(view)
        kept = await self._kept(url, view, call)
        own = await self.copies.of(kept, call) if kept else None
        if own and self._suffices(own, call, policy, force_refresh=force_refresh):
            return own
        started = call.clock.monotonic()
        reply = await self._reply(url, view, kept, call)
        wanted = _Wanted(url=url, view=view, policy=policy, is_forced=force_refresh, kept=kept, reply=reply)
        if page := await self._read_again(wanted, call):
            return page
        # A site that limits us is asked again as often as the policy says; a copy of one's own spares the wait.
        limit = VISIT_WITH_COPY.of(call) if own else call
        retries = replace(LIMITED_PAGES, most=0 if own else policy.limited_retries)
        try:
            async with self.slots.held(policy.slots):
                return await retries.run(lambda _: self._renew(wanted, limit), limit)
        except _Unread as unread:
            call.record("page", unread.error.outcome, since=started)
            raise unread.error.but() from unread
        except GossamerError as error:
            call.record("page", error.outcome, since=started)
            now = call.clock.now()
            if own is None or not stands_in(own, error.outcome, now=now):
                # Not a part of what is remembered: the settings may have changed since.
                raise error.but(hint=f"{error.hint} {self.web.advice(error)}".strip()) from error
            # No host and no message: a search service may have chosen the address.
            call.log.note(
                f"The site could not be asked again, so this is the copy of {iso_time(own.fetched_at)}, "
                f"{age_in_words(now - own.fetched_at)} old ({error.outcome})."
            )
            return own

    async def snapshot(self, url: str, view: View, call: Call, *, content_hash: str) -> Page:
        """The text that begins with this hash, from the library, or from the site if it still says the same.

        An older Gossamer has named a text with the targets of its links in it.
        """
        url = canonical(url)
        self.web.admit(url)
        page = await read_if_possible(self.store.page(url, view.key, content_hash=content_hash), call, lacking=None)
        page = (await self.copies.of(page, call) if page else None) or await self.fetch(url, view, call)
        if not (page.content_hash.startswith(content_hash) or markdown_hash(page).startswith(content_hash)):
            raise expired()
        return page

    async def _kept(self, url: str, view: View, call: Call) -> Page | None:
        """The kept page; one that was read under another rule about comments is none."""
        page = await read_if_possible(self.store.page(url, view.key), call, lacking=None)
        if page is None or page.has_comments != view.comments:
            return None
        return page if page.view or page.targets is not None else await self.revalidation.convert(page, call)

    async def _reply(self, url: str, view: View, kept: Page | None, call: Call) -> KeptReply | None:
        """The kept reply that this view can be made of, unless the kept page is of a newer one."""
        reply = await read_if_possible(self.store.reply(url, view.identity), call, lacking=None)
        if reply is None or kind_of(view) not in reply.serves:
            return None
        return None if kept and kept.fetched_at > reply.fetched_at else reply

    async def _read_again(self, wanted: _Wanted, call: Call) -> Page | None:
        """The page made of the reply that is kept, where the caller may have that and it is still fresh."""
        url, reply = wanted.url, wanted.reply
        own = await self.copies.of_reply(url, reply, call) if reply else None
        if reply is None or own is None:
            return None
        if not self._suffices(own, call, wanted.policy, force_refresh=wanted.is_forced):
            return None

        async def read() -> _Landed:
            flight = self._flight_call(wanted, call)
            taken = await self.revalidation.read_again(url, wanted.view, wanted.kept, reply, flight)
            return _Landed(taken=taken, notes=tuple(flight.log.notes))

        started = call.clock.monotonic()
        try:
            # Users have times of their own: none joins another one's.
            landed = await self._join(f"{wanted.name}{call.tenant}|{reply.fetched_at}", read, call, url)
        except GossamerError as error:
            call.record("view", error.outcome, since=started)
            raise
        for note in landed.notes:
            call.log.note(note)
        page = replace(landed.taken.page, fetched_at=own.fetched_at, fresh_until=own.fresh_until)
        identity, is_kept = wanted.view.identity, landed.taken.is_kept
        return await self.copies.note(page, call, since=own.fetched_at, is_kept=is_kept, identity=identity)

    def _suffices(self, own: Page | KeptReply, call: Call, policy: FetchPolicy, *, force_refresh: bool) -> bool:
        age_s = call.clock.now() - own.fetched_at
        if not force_refresh:
            is_young = policy.fresh_s is None or age_s < policy.fresh_s
            return is_young and call.clock.now() < own.fresh_until and age_s >= 0
        if 0 <= age_s < _REFRESH_PAUSE_S:
            wait_s = math.ceil(_REFRESH_PAUSE_S - age_s)
            call.log.note(f"Fetched {age_s:.0f} s ago; not fetched again so soon: wait {wait_s} s.")
            return True
        return False

    async def _renew(self, wanted: _Wanted, call: Call) -> Page:
        url, policy = wanted.url, wanted.policy
        user, since = call.tenant, call.clock.now()
        miss = await self.negative_cache.recall(url, policy, tenant=user)
        if miss and (not wanted.is_forced or miss.is_new(call.clock.now())):
            raise miss.error(call.clock.now())
        name = wanted.name
        is_starter = False

        def fly() -> Coroutine[Any, Any, _Landed]:
            nonlocal is_starter
            is_starter = True
            return self._fly(wanted, miss, call)

        try:
            # A visit that one user forces may be refused for what that user did before: no other one joins it.
            landed = await self._join(f"{name}{user}" if wanted.is_forced else name, fly, call, url)
        except RateLimited as error:
            # Its time may count from an earlier request of who began the visit: other users have their own.
            if is_starter or not user or error.retry_after_s is None:
                raise
            landed = await self._join(f"{name}{user}", fly, call, url)
        for note in landed.notes:
            call.log.note(note)
        identity, is_kept = wanted.view.identity, landed.taken.is_kept
        return await self.copies.note(landed.taken.page, call, since=since, is_kept=is_kept, identity=identity)

    async def _join(self, name: str, work: Callable[[], Coroutine[Any, Any, _Landed]], call: Call, url: str) -> _Landed:
        """What the one piece of work of this name comes to, within the time that the caller has left."""
        limit_s = call.remaining_s
        try:
            async with asyncio.timeout(None if limit_s == math.inf else limit_s):
                return await self._flights.join(name, work)
        except TimeoutError as error:
            raise TimedOut(
                f"The time of this call ran out before {host_of(url)} had answered.",
                hint="Try again, or ask for fewer pages at once.",
            ) from error
        except GossamerError as error:
            raise error.but() from error  # others who waited raise the same one

    def _flight_call(self, wanted: _Wanted, starter: Call) -> Call:
        """A page's own time, whatever is left to the one who came first: others may wait for longer."""
        page_s = wanted.policy.timeout_s or self.page_timeout_s
        return Call(
            clock=starter.clock,
            caller=starter.caller,
            request=starter.request,
            deadline=starter.clock.monotonic() + page_s,
            log=CallLog(starter.log.parts),
        )

    async def _fly(self, wanted: _Wanted, miss: Miss | None, starter: Call) -> _Landed:
        """Visit within a page's own time, whatever is left to the one who came first: others may wait for longer."""
        url, policy, kept = wanted.url, wanted.policy, wanted.kept
        page_s = policy.timeout_s or self.page_timeout_s
        call = self._flight_call(wanted, starter)

        async def found() -> Taken | None:
            news = await self.negative_cache.recall(url, policy, tenant=call.tenant)
            if news and (miss is None or news.written != miss.written):
                raise news.news()
            page = await self._kept(url, wanted.view, call)
            is_new = page and (kept is None or page.fetched_at > kept.fetched_at)
            return Taken(page=page, is_kept=True) if page and is_new else None

        try:
            taken = await self.leased_flight.take(
                wanted.name,
                lambda: self._visit(wanted, miss, call),
                found=found,
                patience_s=OTHERS_VISIT * page_s,
                away=lambda error: call.note_failure("Other processes could not be asked for this page", error),
            )
        except asyncio.CancelledError:
            call.cancelled.set()
            raise
        return _Landed(taken=taken, notes=tuple(call.log.notes))

    async def _visit(self, wanted: _Wanted, miss: Miss | None, call: Call) -> Taken:
        url, view, policy, kept, is_forced = wanted.url, wanted.view, wanted.policy, wanted.kept, wanted.is_forced
        if is_forced:
            await self.negative_cache.insist(url, tenant=call.tenant)
        try:
            known = kept if kept and (kept.etag or kept.last_modified) else wanted.reply
            site_reply = await self.revalidation.ask(url, view, known, call, policy)
        except GossamerError as error:
            await self.negative_cache.remember(url, policy, error, is_forced=is_forced, tenant=call.tenant)
            raise
        if miss:
            await self.negative_cache.forget(url, policy, miss, tenant=call.tenant)
        try:
            # A page that this tool alone reads only a part of is not the page that others would get.
            is_part = site_reply.reply.is_cut and policy.max_bytes is not None
            return await self.revalidation.take_in(url, view, kept, site_reply, call, may_keep=not is_part)
        except GossamerError as error:
            told = " ".join(filter(None, (error.hint, *call.log.notes)))
            raise _Unread(error.but(hint=told)) from error
