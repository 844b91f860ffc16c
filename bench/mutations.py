"""Real pages, broken: cut, doubled, torn, with control characters or random bytes in them. None may be unreadable.

`python -m bench.mutations [PAGES]` reads 300 pages of the extraction sets, each broken in every way, always alike. A
page that has text must still be read, or be told as a wall; a reader that fails on one is a fault of ours. A page of
which a sign is missing may be lost as it is in browsers: all of it stands in a script, or in a tag without end.
"""

import gzip
import json
import random
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from gossamer.errors import BrokenDocument, GossamerError
from gossamer.extractors.dispatch import read
from gossamer.model.page import View

SHARED = Path(__file__).parents[1] / "../shared/extraction"
PAGES = 300
SEED = 20
_LEAST = 200
"""A page with less text may well be told as empty."""

Break = Callable[[bytes, random.Random], bytes]


def cut(page: bytes, dice: random.Random) -> bytes:
    """Its beginning, up to any place in its second half."""
    return page[: dice.randrange(len(page) // 2, len(page))]


def doubled(page: bytes, dice: random.Random) -> bytes:
    """A part of it twice."""
    start = dice.randrange(len(page))
    end = dice.randrange(start, len(page))
    return page[:end] + page[start:]


def torn(page: bytes, dice: random.Random) -> bytes:
    """Without many of its signs `<`, `>`, `"` and `/`, one here, one there."""
    return bytes(sign for sign in page if sign not in b"<>\"'/" or dice.random() > 0.02)


def controlled(page: bytes, dice: random.Random) -> bytes:
    """With control characters, as they are and by their numbers."""
    pieces = bytearray(page)
    for _ in range(max(20, len(page) // 500)):
        at = dice.randrange(len(pieces))
        sign = dice.choice([*range(0x20), 0x7F])
        pieces[at:at] = bytes([sign]) if dice.random() < 0.7 else f"&#{sign};".encode()
    return bytes(pieces)


def noisy(page: bytes, dice: random.Random) -> bytes:
    """With random bytes in place of some of its own."""
    pieces = bytearray(page)
    for _ in range(max(20, len(page) // 300)):
        pieces[dice.randrange(len(pieces))] = dice.randrange(256)
    return bytes(pieces)


BREAKS: dict[str, Break] = {"cut": cut, "doubled": doubled, "torn": torn, "controlled": controlled, "noisy": noisy}


def pages(count: int) -> Iterator[tuple[str, str, bytes]]:
    """Id, address and bytes of some pages of both sets, always the same."""
    rows: list[tuple[Path, dict[str, str]]] = []
    for folder in (SHARED, SHARED / "more"):
        with gzip.open(folder / "gold.jsonl.gz", "rt") as lines:
            rows += [(folder, json.loads(line)) for line in lines]
    for folder, row in random.Random(SEED).sample(sorted(rows, key=lambda row: row[1]["id"]), count):
        yield row["id"], row.get("url") or "https://example.org/", gzip.decompress((folder / row["file"]).read_bytes())


def outcomes(count: int) -> Iterator[tuple[str, str, str]]:
    """Page, way of breaking and how reading it ended: an outcome, or what is wrong."""
    for name, url, body in pages(count):
        for way, broken in BREAKS.items():
            ended = _ends(broken(body, random.Random(f"{SEED} {name} {way}")), url)
            is_lost = ended in {"empty", "js_required"} and _ends(body, url) == "ok"
            yield name, way, "lost" if is_lost else ended


def _ends(body: bytes, url: str) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = read(body, content_type="text/html", url=url, view=View())
        except BrokenDocument:
            return "cannot be read"
        except GossamerError as error:
            return error.outcome.value
        except Exception as error:  # noqa: BLE001  what this looks for
            return f"cannot be read: {type(error).__name__}"
    if result.faults:
        return f"faults: {', '.join(result.faults)}"
    return "ok" if len(result.text) >= _LEAST else "ok, short"


def main() -> None:
    """Print how the pages ended, and every page that was not read."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else PAGES
    ends: Counter[tuple[str, str]] = Counter()
    for name, way, ended in outcomes(count):
        ends[way, ended] += 1
        if not ended.startswith("ok"):
            print(f"{ended:>20}  {way:<10}  {name}", flush=True)
    print()
    for (way, ended), number in sorted(ends.items()):
        print(f"{way:<10}  {ended:<24}  {number}")


if __name__ == "__main__":
    main()
