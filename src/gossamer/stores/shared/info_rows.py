"""What a page says of itself as it lies beside its text: the tree of its structured data packed, a quarter as long."""

import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import asdict, fields

from gossamer.model.page import PageInfo

_ALWAYS = frozenset({"published"})
_NAMES = frozenset(field.name for field in fields(PageInfo))
_TREE = "structured"
_DIGESTS = {"items": "linked_data", "open_graph": "open_graph"}
"""What an older Gossamer kept in place of the tree, by the part of it that each is."""
_MOST_BYTES = 1024 * 1024
"""More than any tree that was written."""


def info_fields(info: PageInfo) -> dict[str, str]:
    """The fields that say something, and the date, which listings read."""
    said = {name: str(value) for name, value in asdict(info).items() if value or name in _ALWAYS}
    return (
        {**said, _TREE: b64encode(zlib.compress(said[_TREE].encode("utf-8", "surrogatepass"))).decode()}
        if _TREE in said
        else said
    )


def info_of(said: Mapping[str, str]) -> PageInfo:
    """The same fields back; `ValueError` where they are not what was written.

    Fields that we do not know are those of another Gossamer: digests of an older one become a tree, others are passed
    over.
    """
    known = {name: value for name, value in said.items() if name in _NAMES}
    if packed := known.get(_TREE):
        inflating = zlib.decompressobj()
        known[_TREE] = inflating.decompress(b64decode(packed, validate=True), _MOST_BYTES).decode(
            "utf-8", "surrogatepass"
        )
        if not inflating.eof:
            raise ValueError("a tree that was not written so")
    elif digests := {part: tree for part, name in _DIGESTS.items() if (tree := _read(said.get(name, "")))}:
        known[_TREE] = json.dumps(digests, ensure_ascii=False, separators=(",", ":"))
    return PageInfo(**known)


def _read(written: str) -> object:
    """A digest, unless a page had taken over who wrote it."""
    try:
        return json.loads(written) if written else None
    except (ValueError, RecursionError):
        return None
