"""Maps errors of search APIs to ours: bad key, exhausted quota, refused query; never with a key in them."""

from collections.abc import Collection
from typing import TypeVar

from pydantic import BaseModel

from gossamer.errors import Denied, InvalidArgument, QuotaExhausted, UnexpectedReply
from gossamer.model.http import HttpReply
from gossamer.ports import Provider, judge_status

M = TypeVar("M", bound=BaseModel)


def error_body(reply: HttpReply, shape: type[M]) -> M | None:
    """The error object of a reply; None when it has another shape."""
    try:
        return reply.read(shape)
    except UnexpectedReply:
        return None


def bad_key(provider: Provider) -> Denied:
    """The key is wrong, missing or withdrawn."""
    return Denied(
        f"{provider.title} does not accept our key.",
        hint=f"Check providers.{provider.name}.api_key: gossamer doctor.",
    )


def used_up(provider: Provider) -> QuotaExhausted:
    """The account has nothing left, for the day, the month or at all."""
    return QuotaExhausted(
        f"{provider.title} has no searches left for our key.", hint="Raise its quota, or use another provider."
    )


def bad_query(provider: Provider, message: str = "") -> InvalidArgument:
    """The query or one of its filters is not acceptable."""
    error = InvalidArgument(f"{provider.title} did not accept the query.", hint="Rephrase it or drop a filter.")
    return error.quoting(message)


def key_refused(provider: Provider) -> Denied:
    """The key is wrong, or there is none and the service wants one."""
    if provider.is_own:
        return bad_key(provider)
    return Denied(f"{provider.title} does not answer us without a key.", hint=_set_key_hint(provider))


def quota_spent(provider: Provider, *, retry_after_s: float | None = None) -> QuotaExhausted:
    """The account, or what is free to all, is used up."""
    if provider.is_own:
        return used_up(provider)
    return QuotaExhausted(
        f"{provider.title} gives us no more searches without a key for now.",
        hint=_set_key_hint(provider),
        retry_after_s=retry_after_s,
    )


def judge_keyed(provider: Provider, reply: HttpReply, complaint: str = "", *, spent: Collection[int] = ()) -> None:
    """Raise by status for a service that takes a key: `spent` are statuses of a quota, `complaint` its own words."""
    if reply.status in {401, 403}:
        raise key_refused(provider)
    if reply.status in spent:
        raise quota_spent(provider)
    if reply.status in {400, 422}:
        raise bad_query(provider, complaint)
    judge_status(provider.title, reply)


def _set_key_hint(provider: Provider) -> str:
    return f"Set providers.{provider.name}.api_key, or use another provider."
