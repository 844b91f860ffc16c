"""The SQLite store's ledger; each function inside somebody's transaction, so that no two can pass one cap."""

from sqlite3 import Connection

from gossamer.model.kept import Spending
from gossamer.stores.ledger import ANYBODY, check_amount, oldest_day

_COLUMNS = "op, provider, day, amount, until"


def reserve(connection: Connection, entry: Spending, cap: int, now: float) -> bool:
    """Take an entry in if its day's sum stays within `cap`, or if it is in already."""
    known = connection.execute("SELECT until FROM ledger WHERE op = ?", (entry.op,)).fetchone()
    if known and (known[0] is None or now < known[0]):
        return True
    if spent(connection, entry.provider, entry.day, now) + entry.amount > cap:
        return False
    connection.execute("DELETE FROM ledger WHERE day < ?", (oldest_day(now),))
    connection.execute(f"REPLACE INTO ledger ({_COLUMNS}) VALUES (?, ?, ?, ?, ?)", _row(entry))  # noqa: S608 - constant
    return True


def settle(connection: Connection, op: str, amount: int) -> None:
    """Put the true amount in, for good."""
    connection.execute("UPDATE ledger SET amount = ?, until = NULL WHERE op = ?", (amount, op))


def spent(connection: Connection, provider: str, day: str, now: float) -> int:
    """The sum of what counts."""
    (total,) = connection.execute(
        "SELECT coalesce(sum(amount), 0) FROM ledger"
        " WHERE day = ? AND provider IN (?, ?) AND (until IS NULL OR ? < until)",
        (day, provider, ANYBODY, now),
    ).fetchone()
    return int(total)


def entries(connection: Connection) -> tuple[Spending, ...]:
    """All entries, in the order of their names."""
    rows = connection.execute(f"SELECT {_COLUMNS} FROM ledger ORDER BY op").fetchall()  # noqa: S608 - constant
    return tuple(
        Spending(op=op, provider=provider, day=day, amount=amount, until=until)
        for op, provider, day, amount, until in rows
    )


def restore(connection: Connection, entry: Spending) -> bool:
    """Take in an entry of another ledger, unless its attempt is known."""
    check_amount(entry.amount)
    added = connection.execute(
        f"INSERT OR IGNORE INTO ledger ({_COLUMNS}) VALUES (?, ?, ?, ?, ?)",  # noqa: S608 - constant
        _row(entry),
    )
    return added.rowcount > 0


def _row(entry: Spending) -> tuple[str, str, str, int, float | None]:
    return (entry.op, entry.provider, entry.day, entry.amount, entry.until)
