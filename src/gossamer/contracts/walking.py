"""A reading that goes on behind a cursor: the same texts in the same order, or an error that says so."""

from collections.abc import Sequence
from dataclasses import dataclass

from gossamer.errors import BadCursor
from gossamer.model.answer import Former, Reading
from gossamer.steps.canonical import canonical
from gossamer.steps.cursor import Cursor, expired, request_key

_PAGE_DIGITS = 3
"""Of a content hash: they find one among the few texts that are kept of an address, and cost a model little."""
_TEXT_DIGITS, _MODEL_DIGITS = 6, 3
_AGAIN = "Leave the cursor out to start from the beginning."


@dataclass(frozen=True, kw_only=True, slots=True)
class Walk:
    """What a cursor of a reading holds besides its place: `w` is words alone, `j` judged once more."""

    snapshots: tuple[str, ...]
    """What names the texts and the model, then the beginning of each page's hash, nothing for one that failed."""
    arguments: dict[str, int]


def walk_of(urls: Sequence[str], reading: Reading) -> Walk:
    """How to find the same reading again."""
    hashes = {page.url: page.content_hash for page in reading.pages}
    ranking = reading.ranking
    texts = request_key(*hashes.values())[:_TEXT_DIGITS]
    return Walk(
        snapshots=(
            texts + request_key(ranking.model)[:_MODEL_DIGITS],
            *(hashes.get(url, "")[:_PAGE_DIGITS] for url in _distinct(urls)),
        ),
        arguments={**({} if ranking.model else {"w": 1}), **({"j": 1} if ranking.is_judged else {})},
    )


def former_of(urls: Sequence[str], cursor: Cursor) -> Former:
    """What is to be read again, and how it was ranked."""
    pages = _distinct(urls)
    if len(cursor.snapshots) != len(pages) + 1:
        raise expired()
    found = {url: digits for url, digits in zip(pages, cursor.snapshots[1:], strict=True) if digits}
    return Former(snapshots=found, has_vectors="w" not in cursor.arguments, is_judged="j" in cursor.arguments)


def check_same(cursor: Cursor, walk: Walk) -> None:
    """Stop where going on would show passages twice or lose some, because they come in another order now."""
    before, now = cursor.snapshots[0], walk.snapshots[0]
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
