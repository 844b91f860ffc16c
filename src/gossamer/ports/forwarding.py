"""Wrappers of a part: a method that the wrapper does not have itself is forwarded, for every method of the port."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any


class Forwarding(ABC):
    """Stands before a part. `forwarded` says once how any method of the port reaches it; subclasses add what differs.

    A type checker cannot see that this is such a part, so each wrapper is made by a function that says so.
    """

    def __init__(self, port: type[Any]) -> None:
        self._port = port

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_") or not hasattr(self._port, name):
            raise AttributeError(f"{type(self).__name__} has no {name!r}, nor has its port.")
        method = self.forwarded(name)
        # The next look-up finds it without coming here.
        setattr(self, name, method)
        return method

    @abstractmethod
    def forwarded(self, name: str) -> Callable[..., Any]:
        """The method of this name, as callers of the wrapper get it."""
