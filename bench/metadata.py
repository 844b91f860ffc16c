"""Metadata of pages: are title, author and date read as people noted them, and what does reading a page cost.

    python -m bench.metadata [--save FILE] [--load FILE]

The pages are those of `bench.extraction` and of its folder `more`. Right is what equals the note, letters and digits
alone; of several authors the first is enough. `--load` compares with an earlier run, page by page.
"""

import argparse
import gzip
import json
import sys
import time
import warnings
from collections import defaultdict
from pathlib import Path
from typing import Any

from bench._report import table

from gossamer.errors import GossamerError
from gossamer.extractors.dispatch import read
from gossamer.model.page import View

PAGES = Path(__file__).resolve().parents[1].parent / "shared" / "extraction"
FIELDS = ("title", "author", "date")


def level(text: str) -> str:
    """Letters and digits alone."""
    return "".join(filter(str.isalnum, text)).casefold()


def is_right(field: str, noted: str | list[str], read_: str) -> bool:
    """Whether what was read is what was noted."""
    noted = noted if isinstance(noted, str) else ", ".join(noted)
    if field == "author":
        first = level(noted.replace(" and ", ",").partition(",")[0])
        return bool(read_) and (level(noted) == level(read_) or level(read_.partition(",")[0]) == first)
    return level(noted) == level(read_)


def measured(folder: Path, record: dict[str, Any]) -> dict[str, Any]:
    """What is read of a page, and how long that takes."""
    body = gzip.decompress((folder / record["file"]).read_bytes())
    since = time.process_time()
    try:
        page = read(body, content_type="text/html", url=record["url"], view=View())
        got = [page.title, page.info.author, page.info.published]
    except GossamerError:
        got = ["", "", ""]
    return {"id": record["id"], **dict(zip(FIELDS, got, strict=True)), "cpu_s": time.process_time() - since}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--save", type=Path)
    parser.add_argument("--load", type=Path)
    wanted = parser.parse_args()
    if not PAGES.is_dir():
        sys.exit("The pages are not beside the repository (../shared/extraction).")
    warnings.simplefilter("ignore")
    records: list[tuple[Path, dict[str, Any]]] = []
    for folder in (PAGES, PAGES / "more"):
        with gzip.open(folder / "gold.jsonl.gz", "rt", encoding="utf-8") as lines:
            records += [(folder, json.loads(line)) for line in lines]
    noted = [(folder, record) for folder, record in records if any(record.get(field) for field in FIELDS)]
    results = [measured(folder, record) for folder, record in noted]
    if wanted.save:
        wanted.save.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in results), "utf-8")
    print(shares([record for _, record in noted], results))
    if wanted.load:
        before = [json.loads(line) for line in wanted.load.read_text("utf-8").splitlines()]
        print(changes([record for _, record in noted], before, results))


def shares(records: list[dict[str, Any]], results: list[dict[str, Any]]) -> str:
    """Of each set the share of fields that are right, with the number noted, and of fields read that nobody noted."""
    counts: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0, 0])
    for record, got in zip(records, results, strict=True):
        for field in FIELDS:
            if noted := record.get(field):
                row = counts[record["set"], field]
                row[0] += is_right(field, noted, got[field])
                row[1] += bool(got[field])
                row[2] += 1
    lines = [
        [*key, f"{right / every:.3f}", f"{given / every:.3f}", str(every)]
        for key, (right, given, every) in counts.items()
    ]
    cpu = sum(row["cpu_s"] for row in results)
    return f"{table(['set', 'field', 'right', 'given', 'pages'], lines)}\nCPU {cpu:.2f} s for {len(results)} pages\n"


def changes(records: list[dict[str, Any]], before: list[dict[str, Any]], after: list[dict[str, Any]]) -> str:
    """The fields that are read otherwise than before."""
    rows: list[list[str]] = []
    for record, old, new in zip(records, before, after, strict=True):
        for field in FIELDS:
            if old[field] != new[field]:
                right = [is_right(field, record.get(field) or "", got[field]) for got in (old, new)]
                verdict = "better" if right == [False, True] else "WORSE" if right == [True, False] else ""
                cells: list[str] = [
                    record["id"],
                    field,
                    str(record.get(field) or "-"),
                    old[field] or "-",
                    new[field] or "-",
                    verdict,
                ]
                rows.append([cell[:60] for cell in cells])
    return table(["page", "field", "noted", "before", "after", ""], rows)


if __name__ == "__main__":
    main()
