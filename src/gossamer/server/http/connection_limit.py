"""How many connections there may be: one too many ends the one that has waited longest for a request."""

from typing import Protocol


class Limited(Protocol):
    """What a limit needs of a connection."""

    def abort(self) -> None:
        """End at once."""
        ...

    def has_unsent(self) -> bool:
        """Whether a part of an answer waits for the client."""
        ...


class ConnectionLimit:
    """The connections of a listener: how many there may be, and which of them have no request."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._all: set[Limited] = set()
        self._resting: dict[Limited, None] = {}

    def enter(self, connection: Limited) -> None:
        """Take a connection in; when it is one too many, the one that rests longest ends, which may be itself."""
        self._all.add(connection)
        self.rest(connection)
        if len(self._all) > self._most:
            oldest = next(iter(self._resting))
            self.leave(oldest)
            oldest.abort()

    def rest(self, connection: Limited) -> None:
        """Note that a connection waits for a head, or for its end."""
        if connection in self._all:
            self._resting[connection] = None

    def wake(self, connection: Limited) -> None:
        """Note that a connection has a request."""
        self._resting.pop(connection, None)

    def has_unsent(self) -> bool:
        """Whether a part of an answer waits for its client."""
        return any(connection.has_unsent() for connection in self._all)

    def leave(self, connection: Limited) -> None:
        """Forget a connection."""
        self._all.discard(connection)
        self._resting.pop(connection, None)
