"""Stages of reading: one that fails on a page costs its own result, not the page, and the result says so."""

import warnings
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, ParamSpec, TypeVar, cast

from gossamer.errors import GossamerError
from gossamer.model.page import STAGES

P = ParamSpec("P")
T = TypeVar("T")
Stage = Callable[..., Any]


class Faults:
    """The stages that failed while one page was read; and stages that are to run in place of others."""

    def __init__(self, replaced: Mapping[str, Stage]) -> None:
        self.replaced = replaced
        self._failed: set[str] = set()

    def add(self, name: str) -> None:
        """A stage failed."""
        self._failed.add(name)

    @property
    def stages(self) -> tuple[str, ...]:
        """Their names, in the order of `STAGES`."""
        return tuple(name for name in STAGES if name in self._failed)


_FAULTS: ContextVar[Faults | None] = ContextVar("faults", default=None)


@contextmanager
def counted_faults(replaced: Mapping[str, Stage]) -> Generator[Faults]:
    """Count the stages that fail within; those that `replaced` names are run in place of ours."""
    faults = Faults(replaced)
    token = _FAULTS.set(faults)
    try:
        yield faults
    finally:
        _FAULTS.reset(token)


def best_effort(name: str, stage: Callable[P, T], otherwise: T) -> Callable[P, T]:
    """The stage, or what holds `otherwise` where it meets a page that it was not made for.

    A page that a stage refuses, or that takes more memory than there is, is refused as ever.
    """

    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        faults = _FAULTS.get()
        chosen = cast("Callable[P, T]", faults.replaced.get(name, stage)) if faults else stage
        try:
            return chosen(*args, **kwargs)
        except (GossamerError, MemoryError):
            raise
        except Exception as error:  # noqa: BLE001  whatever it was, the rest of the page is worth reading
            warnings.warn(f"{name} failed on a page: {type(error).__name__}", RuntimeWarning, stacklevel=2)
            if faults:
                faults.add(name)
            return otherwise

    return run
