"""The tables and verdicts of `bench.store`."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from bench._report import Target, ratio, table

SPECIFIED_BYTES = 2_048 + 6_144
"""Of a chunk: text and a vector of 1,536 numbers."""

Samples = dict[str, list[float]]


@dataclass(kw_only=True, slots=True)
class Size:
    """What was measured with so many chunks."""

    chunks: int
    cpu: Samples = field(default_factory=Samples)
    """Milliseconds of each thing, `ours` and `floor` before its name."""
    bytes: dict[str, float] = field(default_factory=dict[str, float])
    """For each chunk."""
    opened: dict[str, dict[str, float]] = field(default_factory=dict[str, dict[str, float]])

    def of(self, name: str) -> float | None:
        """The median of a thing."""
        return statistics.median(self.cpu[name]) if self.cpu.get(name) else None


def report(sizes: Sequence[Size], loads: dict[int, dict[str, Any]], load_chunks: int) -> None:
    """The tables of docs/benchmarks.md."""
    rows: list[list[str]] = []
    for size in sizes:
        for name in ("read", "write", "near", "words", "question"):
            ours, bare, floor = (size.of(f"{whose} {name}") for whose in ("ours", "bare", "floor"))
            shown = (_ms(ours), _ms(bare), _ms(floor), _times(ratio(ours, floor)), _times(ratio(bare, floor)))
            rows.append([name, f"{size.chunks:,}", *shown])
    print(table(["CPU ms", "chunks", "gossamer", "in its thread", "DuckDB held open", "ratio", "in its thread"], rows))
    print()
    rows = [
        [
            *(f"{size.chunks:,}", f"{size.bytes['ours']:.0f}", f"{size.bytes['floor']:.0f}"),
            *(f"{size.opened[whose][what]:.1f}" for what in ("cpu", "mb") for whose in ("ours", "floor")),
        ]
        for size in sizes
    ]
    heads = ("bytes a chunk", "DuckDB", "opened, CPU ms", "DuckDB", "memory, MB", "DuckDB")
    print(table(["chunks", *heads], rows))
    if loads:
        print()
        rows = [
            [str(count), f"{seen['done']}", f"{seen['cpu']:.1f}", *(_p50_p95(each) for each in seen["walls"].values())]
            for count, seen in loads.items()
        ]
        heads = ("operations", "CPU ms each", *(f"{name}, wall ms p50 / p95" for name in ("read", "write", "search")))
        print(table([f"processes, {load_chunks:,} chunks", *heads], rows))
    print()
    for target in targets(sizes):
        print(target.line())


def targets(sizes: Sequence[Size]) -> list[Target]:
    """What was promised, and what came of it."""
    by_chunks = {size.chunks: size for size in sizes}
    large, hundred = by_chunks.get(1_000_000), by_chunks.get(100_000)
    found: list[Target] = []
    for size in sizes:
        for name, most in (("read", 0.15), ("near", 0.35)):
            value = ratio(size.of(f"bare {name}"), size.of(f"floor {name}"))
            found.append(
                Target(name=f"{name} in its thread at {size.chunks:,} chunks, of DuckDB's", value=value, most=most)
            )
    grown = ratio(large.of("bare read"), hundred.of("bare read")) if large and hundred else None
    both = [large.of(f"ours {name}") or 0.0 for name in ("near", "words")] if large else []
    added = [size.opened["ours"]["mb"] for size in sizes if not size.opened["ours"]["numpy"]]
    return [
        *found,
        Target(name="read at a million chunks, of that at 100,000", value=grown, most=1.3),
        Target(name="near and words at a million chunks", value=sum(both) or None, most=300, unit=" ms"),
        Target(
            name="bytes a chunk (the specification's 2 KB + 6 KB)",
            value=max(size.bytes["ours"] for size in sizes),
            most=SPECIFIED_BYTES,
            unit="",
        ),
        Target(name="memory that opening adds, without NumPy", value=max(added, default=None), most=4, unit=" MB"),
    ]


def _ms(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}" if value < 10 else f"{value:.0f}"


def _times(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _p50_p95(samples: list[float]) -> str:
    if len(samples) < 2:
        return ""
    cuts = statistics.quantiles(samples, n=20, method="inclusive")
    return f"{_ms(statistics.median(samples))} / {_ms(cuts[-1])}"
