"""Does the answer lie in the first tokens that come back? Ours beside BM25 alone, vectors alone and the whole page.

    python -m bench.retrieval [--core] [--sets squad,docs] [--html] [--multilingual] [--worst FILE]

The questions and their scorer are kept beside the repository (../shared/retrieval) and are no part of it. `--core`
asks 80 English pages and takes a minute; without it every page is asked, in other languages too, which takes several.
`--html` writes the pages as HTML and reads them through our extractor first: the difference is what extraction loses.
"""

import argparse
import asyncio
import importlib.util
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from types import ModuleType

from bench._report import table
from bench._worst import write as write_worst

from gossamer.embedders import local_embedder
from gossamer.embedders.local import LocalEmbedder
from gossamer.embedders.multilingual import is_installed
from gossamer.model.page import Page, PageInfo, Vectors, View
from gossamer.ports import Call, LanguageMix
from gossamer.settings.environment import limit_blas_threads
from gossamer.steps.retrieval.chunk import chunk, with_headings
from gossamer.steps.retrieval.index import PageIndex, index
from gossamer.steps.retrieval.passages import passages
from gossamer.steps.retrieval.rank import questions, rank
from gossamer.steps.text.language_mix import detect_mix
from gossamer.steps.text.words import stemmer

DATA = Path(__file__).resolve().parents[2] / "shared" / "retrieval"
BUDGETS = (300, 500, 1000, 2000)
MEASURES = (*(f"B{budget}" for budget in BUDGETS), "R1", "R3", "R8", "MRR")
WAYS = ("ours", "BM25", "vectors", "whole page")
LISTED = 1000
"""The budget whose passages R1 to R8 and MRR are of."""
WORST = 500
"""The budget at which a question counts as missed."""
RESULTS = 50

Scores = dict[str, dict[str, dict[str, float]]]


class WallClock:
    """The machine's own time."""

    def now(self) -> float:
        """UTC seconds."""
        return time.time()

    def monotonic(self) -> float:
        """Seconds that never jump."""
        return time.monotonic()


def load(name: str) -> ModuleType | None:
    """A module that lies beside the data, or None where it does not."""
    path = DATA / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    if not path.exists() or spec is None or spec.loader is None:
        return None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load_scorer() -> ModuleType | None:
    """The scorer, or None where it is not beside the repository."""
    return load("read_score")


def markdown(blocks: list) -> str:
    """A page's blocks as an extractor of ours would write them."""
    parts, path = [], []
    for heads, text in blocks:
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(path, heads, strict=False)))
        parts += [f"{'#' * min(6, depth + 1)} {head}" for depth, head in enumerate(heads) if depth >= same and head]
        parts.append(text)
        path = heads
    return "\n\n".join(parts)


def as_page(page: dict, text: str) -> Page:
    """A page of the questions, with this text, as the engine would hold it."""
    name, info = page["id"], PageInfo(language=page["lang"])
    return Page(url=name, final_url=name, title=page["title"], text=text, fetched_at=0.0, info=info)


def extracted(scorer: ModuleType, pages: dict, queries: list) -> dict[str, str]:
    """The pages written as HTML and read by our extractor."""
    import json

    from gossamer.extractors.dispatch import read

    with tempfile.TemporaryDirectory() as folder:
        scorer.write_html(pages, queries, folder)
        entries = json.loads((Path(folder) / "manifest.json").read_text(encoding="utf-8"))
        texts = {}
        for entry in entries:
            body = (Path(folder) / entry["file"]).read_bytes()
            url = f"https://pages.test/{entry['file']}"
            texts[entry["page"]] = read(body, content_type="text/html", url=url, view=View()).text
    return texts


@dataclass
class Reader:
    """Reads pages for questions as the engine does, and in the other ways."""

    local: LocalEmbedder = field(default_factory=LocalEmbedder)
    budgets: tuple[int, ...] = BUDGETS
    results: int = RESULTS
    """How many passages there may be."""
    first_s: list[tuple[int, float]] = field(default_factory=list)
    """By page: its tokens, and the CPU seconds of making it ready."""
    again_s: list[tuple[int, float]] = field(default_factory=list)
    """By question: the tokens of its page, and the CPU seconds after that."""

    async def ready(self, page: Page, spoken: LanguageMix) -> tuple[PageIndex, Vectors]:
        """The page's index and the vectors of its chunks."""
        since = time.process_time()
        made = index(chunk(page.url, page.text), lambda texts: self.local.look_up(texts, spoken), stemmer(spoken))
        texts = [with_headings(each) for each in made.chunks]
        vectors = await self.local.speaking(spoken).embed(texts, Call(clock=WallClock()))
        self.first_s.append((sum(each.tokens for each in made.chunks), time.process_time() - since))
        return made, vectors

    async def read(self, page: Page, asked: list[str]) -> list[dict[str | int, list[str]]]:
        """The passages of each question: ours by budget, the others' by name."""
        ready: dict[LanguageMix, tuple[PageIndex, Vectors]] = {}
        found = []
        for question in asked:
            spoken = detect_mix([(page.info.language, page.text)], [question])
            if spoken not in ready:
                ready[spoken] = await self.ready(page, spoken)
            found.append(await self._one(page, question, spoken, *ready[spoken]))
        return found

    async def _one(
        self, page: Page, question: str, spoken: LanguageMix, made: PageIndex, vectors: Vectors
    ) -> dict[str | int, list[str]]:
        since = time.process_time()
        vector = await self.local.speaking(spoken).embed([question], Call(clock=WallClock()))
        looked_up = questions([question], lambda texts: self.local.look_up(texts, spoken))
        leans = spoken == "mixed" and vector.model != self.local.speaking("other").name
        ranked = rank(looked_up, [made], [vectors], vector, leans=leans)
        near = ranked[0].closeness or []
        order = sorted(range(len(near)), key=lambda number: -near[number])
        found: dict[str | int, list[str]] = {
            "vectors": [made.chunks[number].text for number in order[:RESULTS]],
            "whole page": [page.text],
        }
        for budget in self.budgets:
            chosen = passages([question], [page], [made], ranked, max_results=self.results, budget_tokens=budget)
            found[budget] = [each.shown for each in chosen]
            if budget == self.budgets[0]:
                self.again_s.append((sum(each.tokens for each in made.chunks), time.process_time() - since))
        return found


async def score(
    scorer: ModuleType,
    *,
    core: bool,
    sets: list[str] | None = None,
    html: bool = False,
    multilingual: bool = False,
    most: int | None = None,
) -> tuple[Scores, list[dict], Reader]:
    """The measures by way, then by set; the questions that ours missed at 500; who read.

    `most` asks so many questions of each set, spread over its pages.
    """
    pages, queries = scorer.load(str(DATA / "dev.json.gz"), sets, core)
    queries = spread(queries, most) if most else queries
    baseline = load("baseline")
    texts = extracted(scorer, pages, queries) if html else {}
    by_page = defaultdict(list)
    for query in queries:
        by_page[query["page"]].append(query)
    reader = Reader(local_embedder(multilingual=multilingual))
    shares = defaultdict(list)
    missed = []
    for name, asked in by_page.items():
        text = texts[name] if html else markdown(pages[name]["blocks"])
        page = as_page(pages[name], text)
        words = baseline.bm25(pages[name], [query["q"] for query in asked]) if baseline else [[] for _ in asked]
        for query, found, by_words in zip(
            asked, await reader.read(page, [query["q"] for query in asked]), words, strict=True
        ):
            others = {"BM25": by_words, **{way: found[way] for way in ("vectors", "whole page")}}
            for way, shown in others.items():
                for key, value in scorer.judge(query, shown, 1).items():
                    shares[way, query["set"], key].append(value)
            ours = {budget: scorer.judge(query, found[budget], 1) for budget in BUDGETS}
            by_budget = {f"B{budget}": judged[f"B{budget}"] for budget, judged in ours.items()}
            for key, value in (by_budget | {key: ours[LISTED][key] for key in ("R1", "R3", "R8", "MRR")}).items():
                shares["ours", query["set"], key].append(value)
            if by_budget[f"B{WORST}"] < 1:
                missed.append({**query, **by_budget, "lang": pages[name]["lang"], "passages": found[WORST]})
    return _means(scorer, shares), missed, reader


def spread(queries: list[dict], most: int) -> list[dict]:
    """At most so many questions of each set, from all over it."""
    by_set = defaultdict(list)
    for query in queries:
        by_set[query["set"]].append(query)
    return [query for each in by_set.values() for query in each[:: -(-len(each) // most)]]


def _means(scorer: ModuleType, shares: dict[tuple[str, str, str], list[float]]) -> Scores:
    names = sorted({name for _, name, _ in shares}, key=(scorer.ENGLISH + scorer.MULTI).index)
    scores: Scores = {way: {} for way in WAYS}
    groups = {
        "English": scorer.ENGLISH,
        "English without policy": [name for name in scorer.ENGLISH if name != "policy"],
        "other languages": scorer.MULTI,
    }
    for way in WAYS:
        for name in names:
            scores[way][name] = {key: _mean(shares[way, name, key]) for key in MEASURES}
        for title, group in groups.items():
            if members := [scores[way][name] for name in names if name in group]:
                scores[way][title] = {key: _mean([each[key] for each in members]) for key in MEASURES}
    return scores


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _middle(times: list[tuple[int, float]]) -> list[float]:
    """Those of pages of about 12,000 tokens, if there are any."""
    return [cpu for tokens, cpu in times if 9_000 <= tokens <= 15_000] or [cpu for _, cpu in times]


def main() -> None:
    """Print one table for all ways; "English" and "other languages" are means over sets."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--core", action="store_true", help="the quick run: 80 English pages")
    parser.add_argument("--html", action="store_true", help="through HTML and our extractor")
    parser.add_argument("--multilingual", action="store_true", help="with the extra of this name, which must be there")
    parser.add_argument("--sets", type=lambda value: value.split(","), help="only these sets")
    parser.add_argument("--worst", type=Path, help="write the questions that were missed, with reasons")
    options = parser.parse_args()
    limit_blas_threads()
    scorer = load_scorer()
    if scorer is None:
        sys.exit(f"The questions are not at {DATA}; put read_score.py and dev.json.gz there.")
    if options.multilingual and not is_installed():
        sys.exit("The extra is not installed: pip install 'gossamer[multilingual]'.")
    work = score(scorer, core=options.core, sets=options.sets, html=options.html, multilingual=options.multilingual)
    scores, missed, reader = asyncio.run(work)
    rows = [
        [f"{way}: {name}", *(f"{values[key]:.3f}" for key in MEASURES)]
        for way, sets in scores.items()
        for name, values in sets.items()
    ]
    print(table(["", *MEASURES], rows))
    first, again = (_mean(_middle(each)) for each in (reader.first_s, reader.again_s))
    print(
        f"\nCPU, a page of about 12,000 tokens: {1000 * first:.0f} ms first, {1000 * again:.1f} ms for a question then"
    )
    if options.worst:
        write_worst(missed, len(reader.again_s), options.worst)


if __name__ == "__main__":
    main()
