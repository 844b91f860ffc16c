"""Revalidation: one conditional visit to a site; the page is read only where it changed, and stored."""

import asyncio
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256

from gossamer.engine.chunk_cache import LARGE_CHARS, ChunkCache, LargeTextQueue
from gossamer.errors import GossamerError, Outcome, StoreError
from gossamer.model.http import FetchPolicy, HttpReply, HttpRequest
from gossamer.model.page import Chunk, Page, View
from gossamer.model.records import KeptReply
from gossamer.ports import Call, Extractor, Store, Web
from gossamer.resilience.deadline import BETTER_ADDRESS
from gossamer.steps.text.link_targets import apart
from gossamer.steps.text.untrusted_markers import iso_time
from gossamer.steps.web.api_pages import MAX_LEADS, is_description, lead_of_page, lead_onward
from gossamer.steps.web.freshness import DAY_S, Freshness, freshness, is_worth_keeping, kind_of, kinds_served
from gossamer.steps.web.urls import better_addresses, carries_secret
from gossamer.steps.web.walls import judge_reply
from gossamer.version import __version__

_ACCEPT = "text/html,application/xhtml+xml,application/pdf;q=0.9,text/plain;q=0.8,*/*;q=0.5"
_ACCEPT_MARKDOWN = f"text/markdown,{_ACCEPT}"
_DESCRIBED = "The page shows an API; this is what its description says."
_SMALL = 256 * 1024
_GRACE_S = 1.0
"""What keeping may take of a page that came at the last moment."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SiteReply:
    """A reply that is worth reading, or that spares it."""

    reply: HttpReply
    confirmed: Page | KeptReply | None
    """What is kept, where the site says that it still holds."""
    asked_at: float
    """By the monotonic clock."""
    is_elsewhere: bool = False
    """Whether it came from another address than the page's own, where the page is better read."""
    message: str = ""
    """What the reader should know of that."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Taken:
    """A page that was taken in."""

    page: Page
    is_kept: bool
    """Whether the store has it from now on."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Revalidation:
    """Brings pages home and keeps them. The same bytes are not extracted again, the same text is not cut again."""

    web: Web
    extractor: Extractor
    store: Store
    chunk_cache: ChunkCache
    large: LargeTextQueue

    async def ask(
        self, url: str, view: View, kept: Page | KeptReply | None, call: Call, policy: FetchPolicy
    ) -> SiteReply:
        """What the site answers now; what fails here is the site's doing, or what it says: walls and faults.

        Where the same text is known to stand elsewhere in a better form, that is read; the address itself is what
        counts when it cannot be had there, and half of the time that is left is kept for it.
        """
        for address in () if view.selector else better_addresses(url):
            try:
                better = await self._ask(address, view, kept, BETTER_ADDRESS.of(call), policy)
                return replace(better, is_elsewhere=True)
            except GossamerError as error:
                if not call.remaining_s:
                    raise
                if error.outcome is Outcome.TIMEOUT:
                    break
        site_reply = await self._ask(url, view, kept, call, policy)
        if view.selector or site_reply.confirmed:
            return site_reply
        return await self._described(site_reply, view, kept, call, policy)

    async def _described(
        self, page: SiteReply, view: View, kept: Page | KeptReply | None, call: Call, policy: FetchPolicy
    ) -> SiteReply:
        """The description that a page without content shows of an API, where it names one that can be read.

        Each address on the way is judged as if the one before redirected to it.
        """
        reply = page.reply
        lead, left = lead_of_page(reply), MAX_LEADS
        try:
            while lead and left:
                if lead.body:
                    headers = {**reply.headers, "content-type": "application/json"}
                    written = replace(reply, headers=headers, body=lead.body)
                    return replace(page, reply=written, is_elsewhere=True, message=_DESCRIBED)
                following = await self._ask(lead.url, view, kept, BETTER_ADDRESS.of(call), policy, named_by=reply)
                if following.confirmed or is_description(following.reply):
                    return replace(following, is_elsewhere=True, message=_DESCRIBED, asked_at=page.asked_at)
                reply, left = following.reply, left - 1
                lead = lead_onward(reply, base=page.reply.url)
        except GossamerError as error:
            # No name and no message: the page has chosen the address.
            call.log.note(f"The page shows an API, and its description could not be read ({error.outcome}).")
        return page

    async def _ask(
        self,
        url: str,
        view: View,
        kept: Page | KeptReply | None,
        call: Call,
        policy: FetchPolicy,
        *,
        named_by: HttpReply | None = None,
    ) -> SiteReply:
        started = call.clock.monotonic()
        known = kept if kept and (kept.etag or kept.last_modified) else None
        request = _request(url, view, known, policy)
        reply = await self.web.send(replace(request, named_by=named_by) if named_by else request, call)
        if known and reply.status == 304:
            return SiteReply(reply=reply, confirmed=known, asked_at=started)
        try:
            judge_reply(reply, now=call.clock.now())
        except GossamerError as error:
            raise error.but(status=reply.status) from error
        return SiteReply(reply=reply, confirmed=None, asked_at=started)

    async def take_in(
        self, url: str, view: View, kept: Page | None, site_reply: SiteReply, call: Call, *, may_keep: bool = True
    ) -> Taken:
        """The page that the site answered with, read and kept; what fails here is the page's doing or our own."""
        reply, known, now = site_reply.reply, site_reply.confirmed, call.clock.now()
        silent_s = known.fresh_until - known.fetched_at if known else DAY_S
        fresh = freshness(reply.headers, now=now, silent_s=silent_s)
        if reply.space != "public":
            # What the operator has opened is edited by those who read it.
            fresh = replace(fresh, until=now)
        kept_reply = None
        if isinstance(known, Page):
            page = _renewed(known, reply, fresh, now)
        else:
            whole = _reply_again(known, reply) if known else reply
            message = known.message if known else site_reply.message
            page = await self._read(url, view, whole, fresh, kept, call, message=message)
            if is_worth_keeping(whole.headers, fresh, now=now):
                kept_reply = _kept_reply(url, view, whole, page, site_reply)
        may_keep = may_keep and fresh.may_keep and not carries_secret(url) and not carries_secret(page.final_url)
        saved = await self._keep(page, kept, call, kept_reply) if may_keep else None
        call.record("page", page.outcome, since=site_reply.asked_at, size=len(reply.body))
        return Taken(page=saved or page, is_kept=saved is not None)

    async def read_again(self, url: str, view: View, kept: Page | None, kept_reply: KeptReply, call: Call) -> Taken:
        """The page in another view, made of the bytes that are kept: its site is not asked."""
        started = call.clock.monotonic()
        fresh = Freshness(may_keep=True, until=kept_reply.fresh_until)
        read = await self._read(url, view, _reply_again(kept_reply), fresh, kept, call, message=kept_reply.message)
        page = replace(read, fetched_at=kept_reply.fetched_at)
        saved = await self._keep(page, kept, call)
        call.record("view", page.outcome, since=started, size=len(kept_reply.body))
        is_same = saved is not None and saved.fetched_at == page.fetched_at
        return Taken(page=saved if saved and is_same else page, is_kept=is_same)

    async def _read(
        self,
        url: str,
        view: View,
        reply: HttpReply,
        fresh: Freshness,
        kept: Page | None,
        call: Call,
        *,
        message: str,
    ) -> Page:
        is_small = len(reply.body) <= _SMALL
        body_hash = _body_hash(reply) if is_small else await asyncio.to_thread(_body_hash, reply)
        if kept and kept.body_hash == body_hash:
            return _renewed(replace(kept, etag="", last_modified=""), reply, fresh, call.clock.now())
        extracted = await self.extractor.extract(reply, view, call)
        message = f"{message} {extracted.message}".strip()
        if reply.is_cut and extracted.outcome is Outcome.OK:
            message = f"The page is larger than we read and ends after {len(reply.body):,} bytes. {message}".strip()
        page = Page(
            url=url,
            final_url=reply.url,
            title=extracted.title,
            text=extracted.text,
            fetched_at=call.clock.now(),
            view=view.key,
            outcome=extracted.outcome,
            info=extracted.info,
            links=extracted.links,
            has_comments=view.comments,
            content_type=reply.content_type,
            body_bytes=len(reply.body),
            body_hash=body_hash,
            hidden=extracted.hidden,
            left_out=extracted.left_out,
            is_cut=reply.is_cut,
            message=message,
            etag=reply.headers.get("etag", ""),
            last_modified=reply.headers.get("last-modified", ""),
            fresh_until=fresh.until,
        )
        return page if page.view else await _apart(page)

    async def convert(self, page: Page, call: Call) -> Page:
        """A page that an older Gossamer kept, with its link targets apart from its text, and kept so from now on.

        One that has links but no targets was renewed by an older Gossamer, which knows none: it is to be read anew.
        """
        converted = await _apart(page)
        if converted.text == page.text:
            return replace(converted, etag="", last_modified="", body_hash="") if page.links else converted
        saved = await self._keep(converted, page, call)
        return converted if saved is None else saved if saved.targets is not None else await _apart(saved)

    async def _keep(
        self, page: Page, kept: Page | None, call: Call, kept_reply: KeptReply | None = None
    ) -> Page | None:
        """Keep a page within its own time; None where that takes longer, or cannot be done."""
        limit_s = max(_GRACE_S, call.remaining_s)
        try:
            async with asyncio.timeout(None if limit_s == math.inf else limit_s), self.large.turn(len(page.text)):
                chunks = await self._chunks(page, kept)
                saved = await self.store.save(page, chunks, kept_reply)
                if saved.fetched_at > call.clock.now():
                    # A clock that ran ahead has dated it so late that nothing could ever renew it.
                    await self.store.remove(page.url)
                    saved = await self.store.save(page, chunks, kept_reply)
            return saved
        except TimeoutError:
            call.log.note(f"The page of {iso_time(page.fetched_at)} was not kept in time; it may be fetched again.")
            return None
        except StoreError as error:
            call.note_failure("The page was not kept", error)
            return None

    async def _chunks(self, page: Page, kept: Page | None) -> tuple[Chunk, ...]:
        if page.view:
            return ()
        is_known = kept is not None and kept.text == page.text
        return await (self.chunk_cache.known_or_cut(page) if is_known else self.chunk_cache.cut(page))


async def _apart(page: Page) -> Page:
    return apart(page) if len(page.text) <= LARGE_CHARS else await asyncio.to_thread(apart, page)


def _renewed(page: Page, reply: HttpReply, fresh: Freshness, now: float) -> Page:
    """The kept page as this reply confirms it."""
    return replace(
        page,
        fetched_at=now,
        fresh_until=fresh.until,
        etag=reply.headers.get("etag", page.etag),
        last_modified=reply.headers.get("last-modified", page.last_modified),
    )


def _reply_again(kept: KeptReply, confirmed_by: HttpReply | None = None) -> HttpReply:
    """The reply that is kept, with what the site said when it confirmed it."""
    news: Mapping[str, str] = confirmed_by.headers if confirmed_by else {}
    headers = {
        "content-type": kept.content_type,
        "etag": news.get("etag", kept.etag),
        "last-modified": news.get("last-modified", kept.last_modified),
    }
    said = {name: value for name, value in headers.items() if value}
    return HttpReply(status=200, url=kept.final_url, headers=said, body=kept.body, is_cut=kept.is_cut)


def _kept_reply(url: str, view: View, reply: HttpReply, page: Page, site_reply: SiteReply) -> KeptReply:
    """The reply as it is kept for other views of its page; one that was confirmed serves those that it served."""
    known = site_reply.confirmed
    serves = (
        known.serves
        if isinstance(known, KeptReply)
        else kinds_served(
            kind_of(view),
            reply.headers,
            is_elsewhere=site_reply.is_elsewhere,
            leads_elsewhere=bool(better_addresses(url)) or lead_of_page(reply) is not None,
        )
    )
    return KeptReply(
        final_url=reply.url,
        content_type=reply.headers.get("content-type", ""),
        body=reply.body,
        body_hash=page.body_hash,
        fetched_at=page.fetched_at,
        fresh_until=page.fresh_until,
        identity=view.identity,
        serves=serves,
        is_cut=reply.is_cut,
        message=site_reply.message if known is None else known.message,
        etag=page.etag,
        last_modified=page.last_modified,
    )


def _body_hash(reply: HttpReply) -> str:
    """Names all that a reader of this version makes a page from."""
    identity = (__version__, reply.url, reply.headers.get("content-type", ""), str(reply.is_cut))
    digest = sha256("\n".join(identity).encode("utf-8", "surrogatepass"))
    digest.update(b"\n\n")
    digest.update(reply.body)
    return digest.hexdigest()


def _request(url: str, view: View, known: Page | KeptReply | None, policy: FetchPolicy) -> HttpRequest:
    headers = {"accept": _ACCEPT_MARKDOWN if kind_of(view) == "text" else _ACCEPT}
    if known and known.etag:
        headers["if-none-match"] = known.etag
    if known and known.last_modified:
        headers["if-modified-since"] = known.last_modified
    return HttpRequest(url=url, headers=headers, terms=policy, known_url=known.final_url if known else "")
