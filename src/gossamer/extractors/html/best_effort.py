"""Best-effort stages: a stage of reading that fails on a page costs its own result, not the page."""

import warnings
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from gossamer.errors import GossamerError

P = ParamSpec("P")
T = TypeVar("T")


def best_effort(stage: Callable[P, T], otherwise: T) -> Callable[P, T]:
    """The stage, or what holds `otherwise` where it meets a page that it was not made for.

    What finds hidden text or walls is none of these: without it a page is not read. A page that is refused, or that
    takes more memory or depth than there is, is refused as ever.
    """

    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return stage(*args, **kwargs)
        except (GossamerError, MemoryError, RecursionError):
            raise
        except Exception as error:  # noqa: BLE001  whatever it was, the rest of the page is worth reading
            warnings.warn(f"{stage.__name__} failed on a page: {type(error).__name__}", RuntimeWarning, stacklevel=2)
            return otherwise

    return run
