"""Ten manuals: is every page of them read, and are its lists, tables and code there.

    python -m bench.manuals [--only git,vim] [--every 1] [--show 20]

The manuals are Debian packages of documentation (tests/components.py). Every HTML file is read as a fetched page is, by
the worker processes. What its body holds besides navigation is compared with the Markdown, read by another parser than
ours (tests/manual_parts.py): a list or a table is lost as soon as one of its texts is, code as soon as one of its lines
is. What is lost and told of in the result's note is counted by itself.
"""

import argparse
import asyncio
import sys
from collections import Counter
from pathlib import Path

from bench._report import table

from gossamer.compose import SystemClock
from gossamer.errors import GossamerError
from gossamer.extractors.workers.pool import WorkerPool
from gossamer.model.http import HttpReply
from gossamer.model.page import Extracted, View
from gossamer.ports import Call
from tests.components import Missing, find
from tests.manual_parts import ASIDES, KINDS, compared, pages_of, parts_of, source_of, url_of, without_note

MOST_LOST = 0.005
AT_ONCE = 2
TIMEOUT_S = 120.0


async def read_all(pages: list[Path]) -> list[Extracted | GossamerError]:
    """What the workers make of every page, in order."""
    clock = SystemClock()
    pool = WorkerPool(size=AT_ONCE, clock=clock)
    left = iter(enumerate(pages))
    results: dict[int, Extracted | GossamerError] = {}

    async def reader() -> None:
        for at, page in left:
            headers = {"content-type": "text/html"}
            reply = HttpReply(status=200, url=url_of(page), headers=headers, body=source_of(page))
            try:
                results[at] = await pool.extract(reply, View(), Call(clock=clock, caller="bench").within(TIMEOUT_S))
            except GossamerError as error:
                results[at] = error

    try:
        await asyncio.gather(*(reader() for _ in range(AT_ONCE)))
    finally:
        await pool.close()
    return [results[at] for at in range(len(pages))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="names of manuals, with commas between them")
    parser.add_argument("--every", type=int, default=1, help="of each manual every so manieth page")
    parser.add_argument("--show", type=int, default=0, help="so many of the lost parts of each manual")
    wanted = parser.parse_args()
    try:
        folder = find("packages")
    except Missing as error:
        sys.exit(f"The packages cannot be had: {error}")
    rows: list[list[str]] = []
    shown: list[list[str]] = []
    every, total = Counter[str](), Counter[str]()
    for name in (name for name in ASIDES if not wanted.only or name in wanted.only.split(",")):
        pages = pages_of(folder / name)[:: wanted.every]
        count = Counter[str]()
        for page, result in zip(pages, asyncio.run(read_all(pages)), strict=True):
            place = page.relative_to(folder / name).as_posix().removeprefix("usr/share/doc/")
            if isinstance(result, GossamerError):
                count["refused"] += 1
                shown.append([place, "refused", str(result), ""])
                continue
            parts = compared(parts_of(source_of(page), ASIDES[name]), result.text)
            count["noted"] += any(result.left_out) or result.message != ""
            count["silent"] += len(without_note(parts, result))
            for kind in KINDS:
                lost = [part for part in parts.lost if part.kind == kind]
                count += Counter({kind: parts.every[kind], f"{kind} lost": len(lost)})
                shown += [[place, kind, part.shown[:50].replace("|", "¦"), part.missing[:60]] for part in lost][
                    : wanted.show
                ]
        every += Counter(pages=len(pages))
        total += count
        rows.append(_row(name, len(pages), count))
        print(f"{name}: {len(pages):,} pages", file=sys.stderr, flush=True)
    rows.append(_row("all", every["pages"], total))
    if wanted.show:
        print(table(["page", "kind", "begins", "lost"], shown), end="\n\n")
    print(table(["manual", "pages", "refused", "with a note", *KINDS, "lost", "without a note", "share"], rows))
    share = total["silent"] / max(1, sum(total[kind] for kind in KINDS))
    print(
        f"\n{'met' if share <= MOST_LOST else 'NOT MET':12}  lost without a note: {share:.2%} (at most {MOST_LOST:.1%})"
    )
    print(f"{'NOT MET' if total['refused'] else 'met':12}  refused: {total['refused']} of {every['pages']:,} pages")


def _row(name: str, pages: int, count: Counter[str]) -> list[str]:
    parts, lost = (sum(count[f"{kind}{which}"] for kind in KINDS) for which in ("", " lost"))
    kinds = [f"{count[f'{kind} lost']} of {count[kind]:,}" for kind in KINDS]
    share = f"{count['silent'] / max(1, parts):.2%}"
    numbers = (count["refused"], count["noted"])
    return [name, f"{pages:,}", *map(str, numbers), *kinds, str(lost), str(count["silent"]), share]


if __name__ == "__main__":
    main()
