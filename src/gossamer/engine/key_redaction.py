"""Key redaction: keeps API keys out of what a service says, and tells accounts apart without showing them."""

import hashlib
import re
from collections.abc import Callable, Iterator
from itertools import takewhile

from pydantic import SecretStr

from gossamer.errors import GossamerError
from gossamer.ports import Provider, Source

_SHORTEST_KEY = 8
"""What is shorter is no key of any service, and may be a part of any word."""
_TELLING = 12
"""So many characters from either end of a key give it away as well: what a service says may be cut."""


def account(part: Provider | Source) -> str:
    """One account at one address: another key has a health, a queue and a quota of its own."""
    if not isinstance(part, Provider):
        return part.name
    values = (getattr(part, name) for name in type(part).model_fields)
    settings = [value.get_secret_value() if isinstance(value, SecretStr) else value for value in values]
    return f"{part.name}:{hashlib.sha256(repr(settings).encode()).hexdigest()[:16]}"


def redacted(error: GossamerError, part: Provider | Source) -> GossamerError:
    """A failure without our keys: some services repeat the key that they do not know."""
    return error.but(
        message=without_keys(error.message, part),
        hint=without_keys(error.hint, part),
        quote=without_keys(error.quote, part),
        raw=without_key(error.raw, part),
        context={
            name: without_keys(value, part) if isinstance(value, str) else value
            for name, value in error.context.items()
        },
    )


def without_keys(text: str, part: Provider | Source) -> str:
    """What a service said, without our keys for it, whole or in part."""
    return _masked(text, part, lambda _length: "…")


def hidden(text: str, part: Provider | Source) -> str:
    """The same, as long as it was: places in it stay where they are."""
    return _masked(text, part, lambda length: "…" * length)


def _masked(text: str, part: Provider | Source, mask: Callable[[int], str]) -> str:
    for key in _keys(part):
        ends_masked = _without_beginning(text[::-1], key[::-1], mask)[::-1]
        text = _without_beginning(ends_masked, key, mask)
    return text


def _without_beginning(text: str, key: str, mask: Callable[[int], str]) -> str:
    """A text without a key, and without as much of its beginning as stands there."""
    kept: list[str] = []
    place = 0
    while (found := text.find(key[:_TELLING], place)) >= 0:
        alike = takewhile(lambda signs: signs[0] == signs[1], zip(key, text[found : found + len(key)], strict=False))
        length = sum(1 for _ in alike)
        kept += (text[place:found], mask(length))
        place = found + length
    return "".join((*kept, text[place:]))


def _keys(part: Provider | Source) -> Iterator[str]:
    for name in type(part).model_fields if isinstance(part, Provider) else ():
        value = getattr(part, name)
        key = value.get_secret_value() if isinstance(value, SecretStr) else ""
        if len(key) >= _SHORTEST_KEY:
            yield key


def without_key(raw: str, part: Provider | Source) -> str:
    """A service's own JSON without our key for it, however it is written there; all else stays as it came."""
    value = getattr(part, "api_key", None)
    key = value.get_secret_value() if isinstance(value, SecretStr) else ""
    return re.sub("".join(map(_spellings, key)), "…", raw) if len(key) >= _SHORTEST_KEY else raw


def _spellings(sign: str) -> str:
    """A pattern for one character as JSON and addresses may write it."""
    code = f"{ord(sign):02X}"
    return rf"(?:\\?{re.escape(sign)}|%(?i:{code})|\\u(?i:00{code}))"
