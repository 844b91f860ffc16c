"""A guard against losing quality unnoticed: pages of the benchmark, scored as bench/extraction scores it.

The judge that is shipped has seen these pages, so the floors lie above what it does on new ones; how good it is there
says `python -m bench.extraction`, which judges every page by trees that saw none of its site.
"""

import gzip
import importlib
import json
from collections import Counter
from pathlib import Path

import pytest

from gossamer.errors import GossamerError
from gossamer.extractors.dispatch import read
from gossamer.model.page import View

PAGES = Path(__file__).parents[3] / "shared" / "extraction"
FLOORS = {"aeb": 0.96, "wcxb": 0.89, "trafilatura": 0.94, "zh": 0.95}
EVERY = {"aeb": 3, "wcxb": 3, "trafilatura": 3, "zh": 1}
"""Of a large set every third page tells enough; a dozen of the smallest would hang on a single one."""
KEPT = {"code text": 0.99, "code block": 0.99, "code lang": 0.99, "table rows": 0.99, "headings": 0.85, "links": 0.96}


def text_of(record: dict[str, str]) -> str:
    page = gzip.decompress((PAGES / record["file"]).read_bytes())
    try:
        return read(page, content_type="text/html", url=record["url"], view=View()).text
    except GossamerError:
        return ""


@pytest.mark.promise("002.186")
@pytest.mark.skipif(not PAGES.is_dir(), reason="the benchmark's pages are not beside the repository")
@pytest.mark.parametrize(("name", "floor"), FLOORS.items(), ids=FLOORS)
def test_the_content_of_benchmark_pages_is_found(name: str, floor: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(PAGES)
    scorer = importlib.import_module("extract_score")
    with gzip.open(PAGES / "gold.jsonl.gz", "rt", encoding="utf-8") as lines:
        records = [record for record in map(json.loads, lines) if record["set"] == name][:: EVERY[name]]
    scores = [scorer.score_page(record, text_of(record)) for record in records]
    found = scorer.aggregate(name, scores)[2]
    print(f"{name}: {found:.3f}")
    assert found >= floor


@pytest.mark.skipif(not PAGES.is_dir(), reason="the benchmark's pages are not beside the repository")
def test_the_structure_of_benchmark_pages_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(PAGES)
    scorer = importlib.import_module("structure_score")
    with gzip.open(PAGES / "gold.jsonl.gz", "rt", encoding="utf-8") as lines:
        records = [record for record in map(json.loads, lines) if record.get("struct")][::2]
    counts: Counter[str] = sum((scorer.score(record, text_of(record)) for record in records), Counter())
    kept = {name: counts[name] / counts[total] for name, total in scorer.COLS}
    print(", ".join(f"{name}: {share:.3f}" for name, share in kept.items()))
    assert [name for name, floor in KEPT.items() if kept[name] < floor] == []
