"""The spend ledger's table, for both engines; callers hold a transaction, so no two can pass one cap."""

from collections.abc import Sequence
from typing import Any

from gossamer.filedb.rescue import Executing
from gossamer.model.records import Spending
from gossamer.stores.shared.spend_ledger import ANYBODY, EXPIRED, check_amount, merged, oldest_kept

_COLUMNS = "op, provider, day, amount, until"


def reserve(connection: Executing, entry: Spending, cap: int, now: float) -> bool:
    """Take an entry in if its day's sum stays within `cap`, or if it is in already."""
    known = connection.execute("SELECT until FROM ledger WHERE op = ?", (entry.op,)).fetchone()
    if known and (known[0] is None or now < known[0]):
        return True
    connection.execute("UPDATE ledger SET until = ? WHERE until <= ? AND until <> ?", (EXPIRED, now, EXPIRED))
    if spent(connection, entry.provider, entry.day, now) + entry.amount > cap:
        return False
    is_new_day = connection.execute("SELECT 1 FROM ledger WHERE day = ? LIMIT 1", (entry.day,)).fetchone() is None
    _put(connection, entry)
    if is_new_day:
        days = [day for (day,) in connection.execute("SELECT DISTINCT day FROM ledger").fetchall()]
        connection.execute("DELETE FROM ledger WHERE day < ?", (oldest_kept(days),))
    return True


def settle(connection: Executing, op: str, amount: int) -> None:
    """Put the true amount in, for good."""
    connection.execute("UPDATE ledger SET amount = ?, until = NULL WHERE op = ?", (amount, op))


def spent(connection: Executing, provider: str, day: str, now: float) -> int:
    """The sum of what counts."""
    (total,) = connection.execute(
        "SELECT coalesce(sum(amount), 0) FROM ledger"
        " WHERE day = ? AND provider IN (?, ?) AND (until IS NULL OR ? < until)",
        (day, provider, ANYBODY, now),
    ).fetchone()
    return int(total)


def entries(connection: Executing) -> tuple[Spending, ...]:
    """All entries, in the order of their names."""
    rows = connection.execute(f"SELECT {_COLUMNS} FROM ledger ORDER BY op").fetchall()  # noqa: S608 - constant
    return tuple(map(_entry, rows))


def restore(connection: Executing, entry: Spending) -> bool:
    """Take in an entry of another ledger, and tell whether that changed anything."""
    check_amount(entry.amount)
    row = connection.execute(f"SELECT {_COLUMNS} FROM ledger WHERE op = ?", (entry.op,)).fetchone()  # noqa: S608 - constant
    known = _entry(row) if row else None
    new = merged(known, entry) if known else entry
    if new != known:
        _put(connection, new)
    return new != known


def _put(connection: Executing, entry: Spending) -> None:
    row = (entry.op, entry.provider, entry.day, entry.amount, entry.until)
    connection.execute("DELETE FROM ledger WHERE op = ?", (entry.op,))
    connection.execute(f"INSERT INTO ledger ({_COLUMNS}) VALUES (?, ?, ?, ?, ?)", row)  # noqa: S608 - constant


def _entry(row: Sequence[Any]) -> Spending:
    op, provider, day, amount, until = row
    return Spending(op=op, provider=provider, day=day, amount=amount, until=until)
