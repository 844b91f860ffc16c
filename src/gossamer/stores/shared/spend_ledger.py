"""What attempts may cost and have cost: the rules that all stores keep, and the ledger of a process alone."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime

from gossamer.errors import InvalidArgument
from gossamer.model.records import Spending

ANYBODY = ""
"""The provider of an entry that counts for all: a day whose ledger was lost is taken to be spent."""

ALL = 10**15
"""A billion dollars: more than any cap."""

_KEPT_DAYS = 400


def check_amount(*amounts: int) -> None:
    """Refuse amounts below zero, which would make room under a cap, and those that no database can hold."""
    if min(amounts) < 0:
        raise InvalidArgument("An amount of money is below zero.", hint="Give it in millionths of a dollar, 0 or more.")
    if max(amounts) > ALL:
        raise InvalidArgument("An amount of money is beyond all there is.", hint="Give it in millionths of a dollar.")


def oldest_kept(days: Iterable[str]) -> str:
    """The first of these days whose entries are still kept: a year can be looked back upon.

    Days are counted and never compared with today: a clock that is wrong for an hour would else clear the ledger.
    """
    return sorted(days)[-_KEPT_DAYS:][0]


def lost_day(now: float) -> Spending:
    """An entry in place of a ledger that cannot be read: it spends all of today."""
    day = datetime.fromtimestamp(now, UTC).date().isoformat()
    return Spending(op=f"lost-{day}", provider=ANYBODY, day=day, amount=ALL)


EXPIRED = 0.0
"""The end of a reservation that has been found expired: one that a clock set back would let count again."""


def merged(known: Spending, entry: Spending) -> Spending:
    """One attempt by two ledgers: what is settled is known for certain, and of two amounts the larger counts."""
    if known.until is None and entry.until is not None:
        return known
    is_settled = known.until is None or entry.until is None
    until = None if is_settled else max(known.until or 0.0, entry.until or 0.0)
    return replace(known, amount=max(known.amount, entry.amount), until=until)


class Ledger:
    """Entries by attempt, in memory."""

    def __init__(self) -> None:
        self._entries: dict[str, Spending] = {}

    def reserve(self, entry: Spending, *, cap: int, now: float) -> bool:
        """Take an entry in if its day's sum stays within `cap`, or if it is in already."""
        check_amount(entry.amount)
        known = self._entries.get(entry.op)
        if known and _counts(known, now):
            return True
        self._entries = {
            op: held if _counts(held, now) else replace(held, until=EXPIRED) for op, held in self._entries.items()
        }
        if self.spent(entry.provider, entry.day, now) + entry.amount > cap:
            return False
        self._entries[entry.op] = entry
        oldest = oldest_kept({held.day for held in self._entries.values()})
        self._entries = {op: held for op, held in self._entries.items() if held.day >= oldest}
        return True

    def settle(self, op: str, amount: int) -> None:
        """Put the true amount in."""
        check_amount(amount)
        if known := self._entries.get(op):
            self._entries[op] = replace(known, amount=amount, until=None)

    def spent(self, provider: str, day: str, now: float) -> int:
        """The sum of what counts."""
        return sum(
            entry.amount
            for entry in self._entries.values()
            if entry.day == day and entry.provider in {provider, ANYBODY} and _counts(entry, now)
        )

    def entries(self) -> tuple[Spending, ...]:
        """All entries, in the order of their names."""
        return tuple(self._entries[op] for op in sorted(self._entries))

    def restore(self, entry: Spending) -> bool:
        """Take in an entry of another ledger, and tell whether that changed anything."""
        check_amount(entry.amount)
        known = self._entries.get(entry.op)
        self._entries[entry.op] = merged(known, entry) if known else entry
        return self._entries[entry.op] != known


def _counts(entry: Spending, now: float) -> bool:
    return entry.until is None or now < entry.until
