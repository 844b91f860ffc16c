"""Replies of sites as rows of a database, in a table of their own: pages are read without their bytes."""

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from gossamer.filedb.rescue import Executing
from gossamer.model.page import Page
from gossamer.model.records import KeptReply
from gossamer.stores.shared.chunk_rows import DamagedRow

STALE_S = 86_400.0
"""How long a reply is kept once it is no longer fresh: its site may yet confirm it."""
_LEVEL = 3
"""Of compression: level 6 takes twice as long, for an eighth less."""
_ROW_BYTES = 200
_DETAILS = ("final_url", "content_type", "is_cut", "message", "etag", "last_modified")
_LOAD = (
    "SELECT fetched_at, fresh_until, body_hash, details, body FROM"
    " (SELECT id FROM documents WHERE url = ?) JOIN replies ON document = id WHERE identity = ?"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class ReplyRow:
    """A reply made ready for writing."""

    identity: str
    fetched_at: float
    fresh_until: float
    body_hash: str
    details: str
    body: bytes
    """Compressed."""

    @property
    def size(self) -> int:
        """About what it takes."""
        return len(self.body) + len(self.details) + _ROW_BYTES


def encode_reply(url: str, reply: KeptReply) -> ReplyRow:
    """Make the row of a reply; compressing a large one takes a while, so this is done before the lock is taken."""
    named = {name: getattr(reply, name) for name in _DETAILS}
    checked = {"serves": reply.serves, "checksum": _checksum(url, reply.identity, reply.body)}
    return ReplyRow(
        identity=reply.identity,
        fetched_at=reply.fetched_at,
        fresh_until=reply.fresh_until,
        body_hash=reply.body_hash,
        details=json.dumps({**named, **checked}),
        body=zlib.compress(reply.body, _LEVEL),
    )


def decode_reply(url: str, identity: str, columns: Sequence[object]) -> KeptReply:
    """Rebuild a reply; `DamagedRow` where it is not what was written."""
    match columns:
        case (float(fetched_at), float(fresh_until), str(body_hash), str(details), bytes(packed)):
            pass
        case _:
            raise DamagedRow
    try:
        body, written = zlib.decompress(packed), json.loads(details)
        if written["checksum"] != _checksum(url, identity, body):
            raise DamagedRow
        return KeptReply(
            **{name: written[name] for name in _DETAILS},
            body=body,
            body_hash=body_hash,
            fetched_at=fetched_at,
            fresh_until=fresh_until,
            identity=identity,
            serves=tuple(written["serves"]),
        )
    except (zlib.error, ValueError, LookupError, TypeError) as error:
        raise DamagedRow from error


def load(connection: Executing, url: str, identity: str) -> KeptReply | None:
    """The reply that is kept for an address; `DamagedRow` where it is not what was written."""
    row = connection.execute(_LOAD, (url, identity)).fetchone()
    return None if row is None else decode_reply(url, identity, row)


def put(connection: Executing, document: int, url: str, row: ReplyRow) -> None:
    """Keep a reply with a page, in the place of the one there is for its address."""
    connection.execute(
        "DELETE FROM replies WHERE document = ?"
        " OR (identity = ? AND document IN (SELECT id FROM documents WHERE url = ?))",
        (document, row.identity, url),
    )
    connection.execute(
        "INSERT INTO replies (document, identity, fetched_at, fresh_until, body_hash, bytes, details, body)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            document,
            row.identity,
            row.fetched_at,
            row.fresh_until,
            row.body_hash,
            row.size,
            row.details,
            row.body,
        ),
    )


def confirm(connection: Executing, page: Page) -> None:
    """Renew the dates of the reply that a page was made of."""
    if page.body_hash:
        connection.execute(
            "UPDATE replies SET fetched_at = ?, fresh_until = ?"
            " WHERE document IN (SELECT id FROM documents WHERE url = ?) AND body_hash = ? AND fetched_at < ?",
            (page.fetched_at, page.fresh_until, page.url, page.body_hash, page.fetched_at),
        )


def has_stale(connection: Executing, now: float) -> bool:
    """Whether there are replies that have not been fresh for a day."""
    row = connection.execute("SELECT 1 FROM replies WHERE fresh_until < ? LIMIT 1", (now - STALE_S,)).fetchone()
    return row is not None


def drop_stale(connection: Executing, now: float) -> None:
    """Let go of the replies that have not been fresh for a day."""
    connection.execute("DELETE FROM replies WHERE fresh_until < ?", (now - STALE_S,))


def _checksum(url: str, identity: str, body: bytes) -> str:
    """Of the bytes and whose they are: what finds a row by its address may be damaged too."""
    digest = sha256(f"{identity} {url}\n".encode("utf-8", "surrogatepass"))
    digest.update(body)
    return digest.hexdigest()
