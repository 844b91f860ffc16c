"""A guard against losing quality unnoticed: pages of the benchmark, each read once, scored as bench/extraction does.

The judge that is shipped has seen these pages, so the floors lie above what it does on new ones; how good it is there
says `python -m bench.extraction`, which judges every page by trees that saw none of its site.
"""

import gzip
import importlib
import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from gossamer.errors import GossamerError, Outcome
from gossamer.model.http import HttpReply
from tests.walls import read_reply

PAGES = Path(__file__).parents[3] / "shared" / "extraction"
FLOORS = {"aeb": 0.96, "wcxb": 0.885, "trafilatura": 0.94, "zh": 0.945}
KINDS = {"article": 0.95, "service": 0.84, "forum": 0.82, "listing": 0.79, "collection": 0.76, "product": 0.69}
"""The floors of the pages of seven kinds; of documentation a sample would hang on a single page."""
EVERY_OF_A_KIND = {"article": 12, "service": 5, "forum": 3, "listing": 3, "collection": 3, "product": 2}
EVERY = {"aeb": 3, "wcxb": 3, "trafilatura": 3, "zh": 1}
"""Of a large set every third page tells enough; a dozen of the smallest would hang on a single one."""
KEPT = {"code text": 0.99, "code block": 0.99, "code lang": 0.99, "table rows": 0.99, "headings": 0.85, "links": 0.96}


WALLS: dict[str, Outcome] = {
    "aeb/7ab16ade32386ece": Outcome.PAYWALL,  # ends after 700 characters and says that it is not free
    "trafilatura/aoc.media.archaisme-4175aa": Outcome.PAYWALL,  # ends in an offer to subscribe, says it is not free
    "defuddle/extractor--bbcode-data": Outcome.JS_REQUIRED,  # an empty room for scripts; its text is in an attribute
    "defuddle/general--react-streaming-ssr": Outcome.JS_REQUIRED,  # a script moves the hidden article to its place
    "wcxb/d0583": Outcome.JS_REQUIRED,  # hides all but its menus until a script has run
}
pytestmark = pytest.mark.skipif(not PAGES.is_dir(), reason="the benchmark's pages are not beside the repository")


@cache
def gold() -> list[dict[str, Any]]:
    with gzip.open(PAGES / "gold.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@cache
def gold_of_seven_kinds() -> list[dict[str, Any]]:
    with gzip.open(PAGES / "more" / "gold.jsonl.gz", "rt", encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    return [{**record, "file": f"more/{record['file']}"} for record in records]


@cache
def read_page(file: str, url: str) -> tuple[Outcome, str]:
    """How a page ends, and its text."""
    body = gzip.decompress((PAGES / file).read_bytes())
    try:
        page = read_reply(HttpReply(status=200, url=url, headers={"content-type": "text/html"}, body=body))
    except GossamerError as error:
        return error.outcome, ""
    return page.outcome, page.text


def reading(record: dict[str, Any]) -> tuple[Outcome, str]:
    return read_page(record["file"], record["url"] if record["url"].startswith("http") else "https://a.example/")


@pytest.mark.promise("002.186")
@pytest.mark.parametrize(("name", "floor"), FLOORS.items(), ids=FLOORS)
def test_the_content_of_benchmark_pages_is_found(name: str, floor: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(PAGES)
    scorer = importlib.import_module("extract_score")
    records = [record for record in gold() if record["set"] == name][:: EVERY[name]]
    scores = [scorer.score_page(record, reading(record)[1]) for record in records]
    found = scorer.aggregate(name, scores)[2]
    print(f"{name}: {found:.3f}")
    assert found >= floor


@pytest.mark.parametrize(("kind", "floor"), KINDS.items(), ids=KINDS)
def test_the_content_of_every_kind_of_page_is_found(kind: str, floor: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(PAGES)
    scorer = importlib.import_module("extract_score")
    records = [record for record in gold_of_seven_kinds() if record["type"] == kind]
    scores = [scorer.score_page(record, reading(record)[1]) for record in records[:: EVERY_OF_A_KIND[kind]]]
    found = scorer.aggregate("wcxb", scores)[2]
    print(f"{kind}: {found:.3f}")
    assert found >= floor


def test_the_structure_of_benchmark_pages_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(PAGES)
    scorer = importlib.import_module("structure_score")
    records = [record for record in gold() if record.get("struct")][::2]
    counts: Counter[str] = sum((scorer.score(record, reading(record)[1]) for record in records), Counter())
    kept = {name: counts[name] / counts[total] for name, total in scorer.COLS}
    print(", ".join(f"{name}: {share:.3f}" for name, share in kept.items()))
    assert [name for name, floor in KEPT.items() if kept[name] < floor] == []


def test_no_page_is_taken_for_a_wall_that_is_none() -> None:
    outcomes = {record["id"]: reading(record)[0] for record in gold()}
    assert {name: end for name, end in outcomes.items() if end not in {Outcome.OK, WALLS.get(name)}} == {}
