"""What services complain about, as errors of ours: never with a key in them, foreign words apart."""

from typing import TypeVar

from pydantic import BaseModel

from gossamer.errors import Denied, InvalidArgument, QuotaExhausted, UnexpectedReply
from gossamer.model.http import HttpReply
from gossamer.ports import Provider

M = TypeVar("M", bound=BaseModel)


def complaint(reply: HttpReply, shape: type[M]) -> M | None:
    """The error object of a reply, or nothing when it holds none of that shape."""
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


def bad_query(provider: Provider, said: str = "") -> InvalidArgument:
    """The query or one of its filters is not acceptable."""
    told = InvalidArgument(f"{provider.title} did not accept the query.", hint="Rephrase it or drop a filter.")
    return told.quoting(said)
