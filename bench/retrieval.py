"""Does the answer lie in the first tokens that come back? Words alone, vectors alone, and the mix we use.

    python bench/retrieval.py [--core] [--sets squad,docs]

The questions and their scorer are kept beside the repository (../shared/retrieval) and are no part of it. `--core`
asks 80 English pages and takes seconds; without it every page is asked, in other languages too, which takes minutes.
"""

import argparse
import asyncio
import importlib.util
import sys
import time
from collections import defaultdict
from itertools import takewhile
from pathlib import Path
from types import ModuleType

from gossamer.embedders.local import LocalEmbedder
from gossamer.ports import Call
from gossamer.steps.chunk import chunk, with_headings
from gossamer.steps.rank import Ranked, pick, rank

DATA = Path(__file__).resolve().parents[2] / "shared" / "retrieval"
BUDGETS = (300, 500, 1000)
WAYS = ("words", "vectors", "mix")

Scores = dict[str, dict[str, dict[int, float]]]


class WallClock:
    """The machine's own time."""

    def now(self) -> float:
        """UTC seconds."""
        return time.time()

    def monotonic(self) -> float:
        """Seconds that never jump."""
        return time.monotonic()


def load_scorer() -> ModuleType | None:
    """The scorer as a module, or None where it is not beside the repository."""
    path = DATA / "read_score.py"
    spec = importlib.util.spec_from_file_location("read_score", path)
    if not path.exists() or spec is None or spec.loader is None:
        return None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def markdown(blocks: list) -> str:
    """A page's blocks as an extractor of ours would write them."""
    parts, path = [], []
    for heads, text in blocks:
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(path, heads, strict=False)))
        parts += [f"{'#' * min(6, depth + 1)} {head}" for depth, head in enumerate(heads) if depth >= same and head]
        parts.append(text)
        path = heads
    return "\n\n".join(parts)


class Reader:
    """Ranks pages in each of the ways, with one embedder for all of them."""

    def __init__(self) -> None:
        self.embedder = LocalEmbedder()

    async def read(self, page: dict, questions: list[str]) -> dict[tuple[str, int], list[list[str]]]:
        """The passages of each question, by way and budget."""
        text = markdown(page["blocks"])
        chunks = chunk(page["id"], text)
        call = Call(clock=WallClock())
        ours = await self.embedder.embed([with_headings(each) for each in chunks], call)
        asked = await self.embedder.embed(questions, call)
        ranked: dict[str, list[Ranked]] = {
            "words": rank(questions, chunks),
            "vectors": rank([""] * len(questions), chunks, ours, asked),
            "mix": rank(questions, chunks, ours, asked),
        }
        found = {}
        for way in WAYS:
            for budget in BUDGETS:
                picks = [pick([order], chunks, max_results=50, budget_tokens=budget) for order in ranked[way]]
                found[way, budget] = [[text[span.start : span.end] for span in spans] for spans in picks]
        return found


async def score(scorer: ModuleType, *, core: bool, sets: list[str] | None = None) -> Scores:
    """The share of answers within each budget: by way, then by set, then by budget."""
    pages, queries = scorer.load(str(DATA / "dev.json.gz"), sets, core)
    by_page = defaultdict(list)
    for query in queries:
        by_page[query["page"]].append(query)
    reader = Reader()
    shares = defaultdict(list)
    for page, asked in by_page.items():
        for (way, budget), passages in (await reader.read(pages[page], [query["q"] for query in asked])).items():
            for query, each in zip(asked, passages, strict=True):
                shares[way, query["set"], budget].append(scorer.judge(query, each, 1)[f"B{budget}"])
    names = sorted({name for _, name, _ in shares})
    scores: Scores = {way: {} for way in WAYS}
    for way in WAYS:
        for name in names:
            found = {budget: shares[way, name, budget] for budget in BUDGETS}
            scores[way][name] = {budget: sum(all_) / len(all_) for budget, all_ in found.items()}
        for title, group in (("English", scorer.ENGLISH), ("other languages", scorer.MULTI)):
            if members := [scores[way][name] for name in names if name in group]:
                means = {budget: sum(each[budget] for each in members) / len(members) for budget in BUDGETS}
                scores[way][title] = means
    return scores


def main() -> None:
    """Print one table per way of ranking; "English" and "other languages" are means over sets."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--core", action="store_true", help="the quick run: 80 English pages")
    parser.add_argument("--sets", type=lambda value: value.split(","), help="only these sets")
    options = parser.parse_args()
    scorer = load_scorer()
    if scorer is None:
        sys.exit(f"The questions are not at {DATA}; put read_score.py and dev.json.gz there.")
    began = time.process_time()
    scores = asyncio.run(score(scorer, core=options.core, sets=options.sets))
    print(f"{'':26}" + "".join(f"{f'B{budget}':>8}" for budget in BUDGETS))
    for way, sets in scores.items():
        for name, values in sets.items():
            print(f"{way:8}{name:18}" + "".join(f"{values[budget]:8.3f}" for budget in BUDGETS))
    print(f"{time.process_time() - began:.0f} s CPU")


if __name__ == "__main__":
    main()
