"""Reading cursor: a reading that goes on, with the same texts in the same order, or an error that says so."""

from collections.abc import Sequence
from dataclasses import dataclass

from gossamer.errors import BadCursor
from gossamer.model.answer import Former, Reading
from gossamer.steps.tokens.cursor import Cursor, expired, request_key
from gossamer.steps.web.urls import canonical

_HASH_DIGITS, _PAGE_DIGITS = 3, 4
"""Of a content hash: three find one among the few texts that are kept of an address. Written as a decimal number of
four digits they cost a model little."""
_TEXT_DIGITS, _MODEL_DIGITS = 5, 3
_NO_PAGE = "9" * _PAGE_DIGITS
"""In the place of a page that failed: no number of three hexadecimal digits is so large."""
_AGAIN = "Leave the cursor out to start from the beginning."


@dataclass(frozen=True, kw_only=True, slots=True)
class Walk:
    """What a cursor of a reading holds besides its place: `w` is words alone, `j` judged once more."""

    snapshot: str
    """Digits: what names the texts and the model, then the beginning of each page's hash."""
    arguments: dict[str, int]


def walk_of(urls: Sequence[str], reading: Reading) -> Walk:
    """How to find the same reading again."""
    hashes = {page.url: page.content_hash for page in reading.pages}
    ranking = reading.ranking
    texts, model = request_key(*hashes.values())[:_TEXT_DIGITS], request_key(ranking.model)[:_MODEL_DIGITS]
    return Walk(
        snapshot="".join((texts, model, *(_page_digits(hashes.get(url, "")) for url in _distinct(urls)))),
        arguments={**({} if ranking.model else {"w": 1}), **({"j": 1} if ranking.is_judged else {})},
    )


def former_of(urls: Sequence[str], cursor: Cursor) -> Former:
    """What is to be read again, and how it was ranked."""
    pages, named = _distinct(urls), "".join(cursor.snapshots)[_TEXT_DIGITS + _MODEL_DIGITS :]
    if len(named) != len(pages) * _PAGE_DIGITS:
        raise expired()
    each = (named[at : at + _PAGE_DIGITS] for at in range(0, len(named), _PAGE_DIGITS))
    found = {
        url: f"{int(digits):0{_HASH_DIGITS}x}" for url, digits in zip(pages, each, strict=True) if digits != _NO_PAGE
    }
    return Former(snapshots=found, has_vectors="w" not in cursor.arguments, is_judged="j" in cursor.arguments)


def check_same(cursor: Cursor, walk: Walk) -> None:
    """Stop where going on would show passages twice or lose some, because they come in another order now."""
    before, now = "".join(cursor.snapshots), walk.snapshot
    if before[:_TEXT_DIGITS] != now[:_TEXT_DIGITS]:
        raise expired()
    if before == now and all(cursor.arguments.get(name) == walk.arguments.get(name) for name in "wj"):
        return
    raise BadCursor(
        "This cursor has ended: the model that ordered its passages is away or another one by now.",
        hint=f"Try again when it is back. {_AGAIN}",
    )


def _distinct(urls: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(map(canonical, urls)))


def _page_digits(content_hash: str) -> str:
    return f"{int(content_hash[:_HASH_DIGITS], 16):0{_PAGE_DIGITS}d}" if content_hash else _NO_PAGE
