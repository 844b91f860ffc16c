"""One page: from the library while it is fresh, else through the door, extracted and kept."""

import asyncio
from dataclasses import dataclass, replace

from gossamer.errors import GossamerError, Outcome, StoreError
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.page import Page, View
from gossamer.ports import Call, Extractor, Store, Web
from gossamer.steps.canonical import canonical, carries_secret
from gossamer.steps.chunk import chunk
from gossamer.steps.cursor import expired
from gossamer.steps.freshness import Freshness, freshness
from gossamer.steps.mark import iso_time
from gossamer.steps.walls import judge_reply

_REFRESH_PAUSE_S = 5.0
_ACCEPT = "text/html,application/xhtml+xml,application/pdf;q=0.9,text/plain;q=0.8,*/*;q=0.5"
_ACCEPT_MARKDOWN = f"text/markdown,{_ACCEPT}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Fetching:
    """Fetches pages and keeps them."""

    web: Web
    extractor: Extractor
    store: Store
    page_timeout_s: float
    chunk_tokens: int

    async def fetch(self, url: str, view: View, call: Call, *, force_refresh: bool = False) -> Page:
        """The page in this view; walls, shells and faults are raised as what they are."""
        url = canonical(url)
        self.web.admit(url)
        kept = await self._kept(url, view, call)
        if kept and self._suffices(kept, call, force_refresh=force_refresh):
            return kept
        started = call.clock.monotonic()
        try:
            return await self._fetch(url, view, kept, call.within(self.page_timeout_s))
        except GossamerError as error:
            call.record("page", error.outcome, since=started)
            raise

    async def snapshot(self, url: str, view: View, call: Call, *, content_hash: str) -> Page:
        """The text that begins with this hash, from the library, or from the site if it still says the same."""
        url = canonical(url)
        self.web.admit(url)
        page = await self.store.page(url, view.key, content_hash=content_hash)
        if page is None:
            page = await self.fetch(url, view, call)
        if not page.content_hash.startswith(content_hash):
            raise expired()
        return page

    async def _kept(self, url: str, view: View, call: Call) -> Page | None:
        try:
            return await self.store.page(url, view.key)
        except StoreError as error:
            call.note(f"The library could not be read: {error}")
            return None

    def _suffices(self, kept: Page, call: Call, *, force_refresh: bool) -> bool:
        age_s = call.clock.now() - kept.fetched_at
        if not force_refresh:
            return call.clock.now() < kept.fresh_until and age_s >= 0
        if 0 <= age_s < _REFRESH_PAUSE_S:
            call.note(f"Fetched {age_s:.0f} s ago; not fetched again so soon.")
            return True
        return False

    async def _fetch(self, url: str, view: View, kept: Page | None, call: Call) -> Page:
        started = call.clock.monotonic()
        reply = await self.web.send(_request(url, view, kept), call)
        fresh = freshness(reply.headers, now=call.clock.now())
        if reply.status == 304 and kept:
            page = replace(kept, fetched_at=call.clock.now(), fresh_until=fresh.until)
        else:
            judge_reply(reply, now=call.clock.now())
            page = await self._extract(url, view, reply, fresh, call)
        if fresh.may_keep and not carries_secret(url) and not carries_secret(page.final_url):
            page = await self._keep(page, call)
        call.record("page", page.outcome, since=started, size=len(reply.body))
        return page

    async def _extract(self, url: str, view: View, reply: HttpReply, fresh: Freshness, call: Call) -> Page:
        extracted = await self.extractor.extract(reply, view, call)
        message = extracted.message
        if reply.is_cut and extracted.outcome is Outcome.OK:
            message = f"The page is larger than we read and ends after {len(reply.body):,} bytes. {message}".strip()
        return Page(
            url=url,
            final_url=reply.url,
            title=extracted.title,
            text=extracted.text,
            fetched_at=call.clock.now(),
            view=view.key,
            outcome=extracted.outcome,
            info=extracted.info,
            content_type=reply.content_type,
            body_bytes=len(reply.body),
            hidden=extracted.hidden,
            is_cut=reply.is_cut,
            message=message,
            etag=reply.headers.get("etag", ""),
            last_modified=reply.headers.get("last-modified", ""),
            fresh_until=fresh.until,
        )

    async def _keep(self, page: Page, call: Call) -> Page:
        chunks = () if page.view else await asyncio.to_thread(chunk, page.url, page.text, size=self.chunk_tokens)
        try:
            return await self.store.save(page, chunks)
        except StoreError as error:
            call.note(f"The page of {iso_time(page.fetched_at)} was not kept: {error}")
            return page


def _request(url: str, view: View, kept: Page | None) -> HttpRequest:
    wants_tree = bool(view.selector) or view.format == "html"
    headers = {"accept": _ACCEPT if wants_tree else _ACCEPT_MARKDOWN}
    if kept and kept.etag:
        headers["if-none-match"] = kept.etag
    if kept and kept.last_modified:
        headers["if-modified-since"] = kept.last_modified
    return HttpRequest(url=url, headers=headers)
