"""Which blocks of code the benchmark misses in an output, and in what the nearest one differs.

A line of the gold is set beside the line of ours that is most like it.
"""

from difflib import SequenceMatcher
from types import ModuleType
from typing import Any

Lines = list[str]
_SHOWN_CHARS = 60


def lost_code(scorer: ModuleType, records: list[dict[str, Any]], texts: dict[str, str]) -> list[list[str]]:
    """For each block that is not found: the page, its place there, a line of the gold, and ours."""
    rows: list[list[str]] = []
    for record in records:
        wanted = [scorer.norm_lines(gold["text"].split("\n")) for gold in record.get("struct", {}).get("code", [])]
        if not wanted:
            continue
        blocks = [scorer.norm_lines(lines) for _, lines in scorer.parse(texts[record["id"]], record["url"])[0]]
        for nth, want in enumerate(wanted, 1):
            if not any(_is_found(want, have) for have in blocks):
                rows.append([record["id"], f"{nth} of {len(wanted)}", *_difference(want, blocks)])
    return rows


def _is_found(want: Lines, have: Lines) -> bool:
    """Whether nine lines in ten are the same, as the scorer counts them."""
    return _shared(want, have) >= 0.9 * len(want)


def _shared(want: Lines, have: Lines) -> int:
    left = list(have)
    count = 0
    for line in want:
        if line in left:
            left.remove(line)
            count += 1
    return count


def _difference(want: Lines, blocks: list[Lines]) -> tuple[str, str]:
    """The first line of the gold that the nearest block lacks, and the line there that is most like it."""
    nearest = max(blocks, key=lambda have: _likeness("\n".join(want), "\n".join(have)), default=list[str]())
    missing = next((line for line in want if line not in nearest), "")
    ours = max(nearest, key=lambda line: _likeness(missing, line), default="")
    start = next((at for at, (one, other) in enumerate(zip(missing, ours, strict=False)) if one != other), 0)
    cut = slice(max(0, start - 10), max(0, start - 10) + _SHOWN_CHARS)
    return _shown(missing[cut]), _shown(ours[cut])


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one[:2000], other[:2000]).quick_ratio()


def _shown(line: str) -> str:
    """A piece of a line in one cell of a table, what has no shape as its number."""
    plain = line.replace("|", "¦").replace("`", "´")
    return "`" + "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in plain) + "`" if line else "-"
