"""Tables and verdicts, in the shape that docs/benchmarks.md keeps them."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Target:
    """A number and the most it may be; None: it could not be measured."""

    name: str
    value: float | None
    most: float
    unit: str = "x"

    def line(self) -> str:
        """The verdict, with the number behind it."""
        if self.value is None:
            return f"not measured  {self.name}"
        verdict = "met" if self.value <= self.most else "NOT MET"
        return f"{verdict:12}  {self.name}: {self.value:.2f}{self.unit} (at most {self.most:g}{self.unit})"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table with its columns in line; numbers to the right."""
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    return "\n".join(
        "| " + " | ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) + " |"
        for row in (head, rule, *rows)
    )


def ratio(ours: float | None, theirs: float | None) -> float | None:
    """How many times theirs ours is, where both were measured."""
    return ours / theirs if ours is not None and theirs else None
