"""One row of a service's reply as a hit: clean lines, a true address, or nothing."""

from gossamer.model.search import Details, Hit
from gossamer.steps.plain import plain, plain_address

_NOTHING = Details()
_MAX_NAMES = 20


def hit(
    engine: str,
    url: str | None,
    title: str | None,
    snippet: str | None = "",
    *,
    published: str | None = None,
    details: Details = _NOTHING,
) -> Hit | None:
    """The hit that a row describes; a row without an http(s) address is none, one without a title shows its address."""
    address = plain_address(url or "")
    if not address:
        return None
    return Hit(
        url=address,
        title=plain(title or "", max_chars=200) or plain(address, max_chars=200),
        snippet=plain(snippet or ""),
        engine=engine,
        published=published,
        details=details,
    )


def first_address(*urls: str | None) -> str:
    """The first that is an http(s) address: services put names and numbers where an address is missing."""
    return next((url for url in urls if url and plain_address(url)), "")


def names(people: list[str]) -> tuple[str, ...]:
    """Authors in their order, as far as a reader cares."""
    lines = (plain(name, max_chars=100) for name in people[:_MAX_NAMES])
    return tuple(line for line in lines if line)
