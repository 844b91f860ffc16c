"""Tenant isolation: users of a shared service hear nothing of each other in what they are told.

The owner of the machine is one user in every face. Searches, written texts and failures are kept for each user apart:
`tenant` is part of their names. Kept pages lie in one store, and each user has those that it was given itself.
"""

import hashlib
from contextlib import suppress
from dataclasses import dataclass, replace

from gossamer.errors import StoreError
from gossamer.model.page import Page
from gossamer.ports import Call, State

_REMEMBERED_S = 86_400.0
"""As long as a page is ever used without asking its site again."""


def tenant(call: Call) -> str:
    """The name that keeps one user's records apart from another's; empty for the owner of the machine."""
    return "" if call.is_owner else call.caller


@dataclass(frozen=True, kw_only=True, slots=True)
class OwnCopies:
    """Remembers in the state which kept texts each user was given, and when; without the state nobody has any."""

    state: State

    async def of(self, kept: Page, call: Call) -> Page | None:
        """The kept page with the times of the caller's own visit; None for a text that the caller was never given."""
        if not tenant(call):
            return kept
        with suppress(StoreError, ValueError):
            fetched_at, fresh_until = map(float, (await self.state.get(_key(kept, call)) or "").split())
            return replace(kept, fetched_at=fetched_at, fresh_until=fresh_until)
        return None

    async def note(self, page: Page, call: Call, *, since: float, is_kept: bool) -> Page:
        """Hand on a page as the caller's own, and remember that the caller was given it, if the store has it.

        The caller has waited for it `since` then. A visit that others began may have ended a moment earlier, and no
        user sees a time before its own call.
        """
        if not tenant(call):
            return page
        own = replace(page, fetched_at=max(page.fetched_at, since))
        if is_kept:
            with suppress(StoreError):
                times = f"{own.fetched_at!r} {own.fresh_until!r}"
                await self.state.put(_key(page, call), times, ttl_s=_REMEMBERED_S)
        return own


def _key(page: Page, call: Call) -> str:
    words = repr((tenant(call), page.url, page.view, page.content_hash))
    return f"copy:{hashlib.sha256(words.encode('utf-8', 'surrogatepass')).hexdigest()}"
