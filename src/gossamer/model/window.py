"""What came of counting something within a fixed window."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Window:
    """A fixed window as it is after an attempt to count in it."""

    is_within: bool
    """Whether the attempt was counted; one beyond the cap is not."""
    count: int
    """What was counted so far."""
    rest_s: float
    """Seconds until the window ends and counting begins anew."""
