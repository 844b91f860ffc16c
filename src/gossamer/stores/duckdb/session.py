"""A lease on a DuckDB file, held by one thread: opened on our turn, handed on when another process waits."""

import contextlib
import logging
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import TypeVar

import duckdb

from gossamer.errors import StoreUnavailable
from gossamer.filedb.file_errors import closed, only_readable
from gossamer.filedb.files import Files
from gossamer.filedb.lock import FileLock
from gossamer.filedb.processes import Sharer, count_sharers
from gossamer.filedb.rescue import Rescues
from gossamer.ports import Clock
from gossamer.stores.duckdb.error_mapping import is_damage, is_limited, is_refused, ours
from gossamer.stores.duckdb.open_file import (
    Connection,
    Schema,
    Unusable,
    clear_spill,
    compact,
    is_own,
    make_log_private,
    move_aside,
    open_checked,
)

_LOG = logging.getLogger("gossamer")
_LAST_S = 2.0
"""How long closing goes on with taking over what a damaged file holds."""

T = TypeVar("T")
Work = Callable[[Connection], T]


class Session:
    """The lease and the connection. A damaged file is moved aside at once: no other process has it open."""

    def __init__(self, files: Files, schema: Schema, clock: Clock) -> None:
        self._files = files
        self._schema = schema
        self._clock = clock
        self._lease: Lease | None = None
        self._sharer: Sharer | None = None
        self._connection: Connection | None = None
        self._identity: tuple[int, int] | None = None
        self._may_write = True
        self._since = 0.0
        self.is_given_up = False
        """Whether our turn is waited for no longer; any thread may set it."""
        self.asking_since: float | None = None
        """Since when the lease is being waited for; any thread may look."""
        self.rescues: Rescues[Connection] | None = None
        """What is to be taken over of damaged files, one change at a time; None before that is known."""

    @property
    def is_held(self) -> bool:
        """Whether the file is ours now."""
        return self._lease is not None and self._lease.is_held

    @property
    def is_wanted(self) -> bool:
        """Whether another process waits for the file."""
        return self._lease is not None and self._lease.is_wanted()

    @property
    def held_s(self) -> float:
        """For how long it has been ours."""
        return time.monotonic() - self._since

    def read(self, work: Work[T]) -> T:
        """Run `work`; where the file turns out to be damaged twice in a row, with a new one."""
        with self._translated():
            with _ignoring_damage():
                return self._attempt(work)
            try:
                return self._attempt(work)
            except duckdb.Error as error:
                if not is_damage(error):
                    raise
                self._begin_anew(Unusable("corrupt", str(error).splitlines()[0]))
            return self._attempt(work)

    def write(self, work: Work[T]) -> T:
        """Run `work` in one transaction; it is committed when this returns."""
        result = self.read(lambda connection: self._in_transaction(connection, work))
        if self.rescues is not None:
            self.rescues.take_up()
        return result

    def compact(self, most_bytes: int) -> None:
        """Give free space back to the disk when the file is larger than `most_bytes`."""
        self.read(lambda connection: connection.execute("CHECKPOINT"))
        with self._translated():
            if self._files.database.stat().st_size > most_bytes:
                self._disconnect()
                compact(self._files)

    def let_go(self) -> None:
        """Leave the file to others."""
        self._disconnect()
        if self._lease is not None:
            self._lease.give_up()

    def end(self) -> None:
        """Leave the file to others for good."""
        if self.rescues is not None:
            self.rescues.finish(self.write, within_s=_LAST_S)
        self.let_go()
        if self._lease is not None:
            self._lease.close()
            self._lease = None
        if self._sharer is not None:
            self._sharer.close()
            self._sharer = None

    def _attempt(self, work: Work[T]) -> T:
        connection = self._connected()
        try:
            return work(connection)
        except duckdb.Error:
            # After some errors DuckDB refuses everything until it is opened again, and opening is cheap.
            self._disconnect()
            raise

    def _in_transaction(self, connection: Connection, work: Work[T]) -> T:
        if not self._may_write:
            raise only_readable(self._files)
        make_log_private(self._files)
        connection.begin()
        try:
            result = work(connection)
            connection.commit()
        except BaseException:
            with contextlib.suppress(duckdb.Error):
                connection.rollback()
            raise
        return result

    def _connected(self) -> Connection:
        self._take_lease()
        if self._connection is not None and self._files.identity() == self._identity:
            return self._connection
        # Where there is one, the file was moved or removed under it, and would take all that we write with it.
        self._disconnect()
        try:
            return self._connect()
        except Unusable as trouble:
            self._must_be_ours(trouble)
            return self._begin_anew(trouble)

    def _must_be_ours(self, trouble: Unusable) -> None:
        """What was never a library is not moved, nor another user's, nor what a newer Gossamer uses."""
        database = self._files.database
        if not is_own(database):
            hint = "It is another user's: name a file of your own."
        elif not (self._lease and self._lease.is_marked):
            hint = "Name a file of its own for Gossamer; if this one is Gossamer's, move it away."
        elif trouble.kind == "newer" and count_sharers(database) > 1:
            hint = "Update Gossamer here too, or end the newer one: both cannot use it."
        else:
            return
        raise StoreUnavailable(f"{database} cannot be used: {trouble.message}.", hint=hint) from trouble

    def _take_lease(self) -> None:
        if self._lease is not None and self._lease.is_held and not self._lease.is_lost:
            return
        # Whoever takes the folder away takes the locks along, and it is made again.
        self._files.make_folder()
        if self._lease is None:
            database = self._files.database
            self._lease = Lease(*(database.with_name(f"{database.name}.{it}") for it in ("lock", "want")))
            self._sharer = Sharer(database)
        self.let_go()
        self.asking_since = time.monotonic()
        try:
            is_ours = self._lease.take(lambda: not self.is_given_up)
        finally:
            self.asking_since, self._since = None, time.monotonic()
        if not is_ours:
            raise closed()

    def _connect(self) -> Connection:
        lease = self._lease
        lost_at = self._clock.now() if lease and lease.is_marked and not self._files.unsaved() else None
        is_known = self._identity is not None and self._files.identity() == self._identity
        opened = open_checked(self._files, self._schema, lost_at=lost_at, is_known=is_known)
        connection = self._connection = opened.connection
        self._may_write = opened.may_write
        if lease:
            lease.mark()
        self._identity = self._files.identity()
        if self.rescues is None and opened.may_write:
            self.rescues = self._begin_rescues(connection)
        return connection

    def _begin_rescues(self, connection: Connection) -> Rescues[Connection]:
        """The ledger at once, pages as time allows."""
        rescues = Rescues(self._files, self._schema.salvage, self._clock)
        try:
            rescues.begin(connection, lambda change: self._in_transaction(connection, change))
        except BaseException:
            self._disconnect()
            raise
        return rescues

    def _begin_anew(self, trouble: Unusable) -> Connection:
        """Put the file away, and take over what can be read of it."""
        move_aside(self._files, trouble, self._clock.now())
        if self.rescues is not None:
            self.rescues.close()
            self.rescues = None
        return self._connect()

    def _disconnect(self) -> None:
        if self._connection is not None:
            # What cannot be written now is in the log, and read when the file is opened next.
            with contextlib.suppress(duckdb.Error):
                self._connection.close()
            self._connection = None
            clear_spill(self._files)

    @contextlib.contextmanager
    def _translated(self) -> Generator[None]:
        try:
            yield
        except OSError as error:
            raise self._files.unavailable(error) from error
        except duckdb.Error as error:
            known = (is_refused(error) and self._files.hindrance()) or None
            known = known or (is_limited(error) and self._files.limit(is_certain=True)) or ours(error)
            if known is None:
                raise
            raise known from error


@contextlib.contextmanager
def _ignoring_damage() -> Generator[None]:
    try:
        yield
    except duckdb.Error as error:
        if not is_damage(error):
            raise


_TURN_S = 2.0
"""Longer than a working process holds the lease while others want it."""
_STEP_S = 0.2
_LOOK_S = 0.05


class Lease:
    """Two locks of the operating system: the process at work holds one, the next in line the other.

    There is no server and no protocol, and kill -9 frees both. Only one thread may use a lease.
    """

    def __init__(self, holder: Path, want: Path) -> None:
        self._holder = FileLock(holder)
        try:
            self._want = FileLock(want)
        except BaseException:
            self._holder.close()
            raise
        self.is_held = False

    @property
    def is_marked(self) -> bool:
        """Whether there was a file to hold once."""
        return self._holder.is_marked

    def mark(self) -> None:
        """Note that there is one."""
        self._holder.mark()

    def take(self, goes_on: Callable[[], bool]) -> bool:
        """Wait for our turn as long as `goes_on`, and tell whether it came; the holder sees that it is wanted.

        The first in line looks again and again, so that it can give up. Behind a holder that keeps the turn for long
        it steps back now and then, and whoever is next in line can give up too.
        """
        patience_s = _TURN_S
        while goes_on():
            with self._want:
                if self._take_within(patience_s, goes_on):
                    self.is_held = True
                    return True
            patience_s = _STEP_S
        return False

    def _take_within(self, seconds: float, goes_on: Callable[[], bool]) -> bool:
        until = time.monotonic() + seconds
        while not self._holder.take(within_s=_LOOK_S):
            if not goes_on() or time.monotonic() >= until:
                return False
        return True

    @property
    def is_lost(self) -> bool:
        """Whether the file that says whose turn it is was removed while it was ours: another's turn may have begun."""
        return self.is_held and not self._holder.is_in_place

    def is_wanted(self) -> bool:
        """Whether another process waits for the lease."""
        if self.is_lost:
            return True
        if self._want.try_take():
            self._want.free()
            return False
        return True

    def give_up(self) -> None:
        """Let the next one have it."""
        if self.is_held:
            self.is_held = False
            self._holder.free()

    def close(self) -> None:
        """Let go of both files."""
        self._holder.close()
        self._want.close()
