"""What services complain about, as errors of ours: never with a key in them, foreign words on one clean line."""

from typing import TypeVar

from pydantic import BaseModel

from gossamer.errors import Denied, InvalidArgument, QuotaExhausted, UnexpectedReply
from gossamer.model.http import HttpReply
from gossamer.ports import Provider
from gossamer.steps.plain import plain

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
    return InvalidArgument(
        f"{provider.title} did not accept the query{because(said)}", hint="Rephrase it or drop a filter."
    )


def because(said: str) -> str:
    """The end of a sentence that gives a service's own reason, if there is one."""
    why = plain(said, max_chars=200).rstrip(".")
    return f": {why}{'' if why.endswith('…') else '.'}" if why else "."
