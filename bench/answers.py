"""Do answers answer, and is it said when nothing does? Ours beside lead sentences, BM25 sentences and the former way.

    python -m bench.answers [--part marked|short|documentation]... [--html] [--every N] [--docs FOLDER] [--missed FILE]

All ways get the same passages of the same pages, and each is judged by the scorers beside the questions.

- `marked`: questions with the sentences that people marked, about their own page and among all pages as one library;
  half of them are not answered there (../shared/answers).
- `short`: questions with short answers over all pages of ../shared/retrieval as one library: is the answer in the first
  400 tokens, is it in the first sentence; and questions that their page does not answer. `--every` asks each Nth.
- `documentation`: the fifty questions of tests/cases/answers over ten Debian packages, each unpacked below FOLDER under
  its name; of each package eight pages are found by their words.
"""

import argparse
import asyncio
import json
import re
import sqlite3
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from bench import _answer_pages as data
from bench._former_quotes import former
from bench._report import table
from bench.retrieval import WallClock

from gossamer.answerers.quotes import Quotes
from gossamer.extractors.dispatch import read
from gossamer.model.page import Page, Passage, View
from gossamer.ports import Call
from gossamer.settings.environment import limit_blas_threads
from gossamer.steps.answers.statements import statements
from gossamer.steps.text.link_targets import apart
from gossamer.steps.text.words import words
from gossamer.steps.tokens.count import roughly

CASES = Path(__file__).parents[1] / "tests" / "cases" / "answers" / "documentation.jsonl"
DOCS = Path(__file__).parents[1] / ".cache" / "documentation"
PARTS = ("marked", "short", "documentation")
MOST_TOKENS = 400
SHORT_SETS = ("squad", "covid", "xquad", "squad_es", "jsquad", "drcd", "xling")
SENTENCES = 3
K1, B = 1.2, 0.75
_TAG = re.compile(r"<(script|style|head)\b.*?</\1>|<[^>]*>", re.DOTALL)

Way = Callable[[str, Sequence[Passage]], list[str]]


@dataclass
class Ways:
    """What answers a question from passages, by name."""

    quotes: Quotes
    ms: list[float] = field(default_factory=list)
    """CPU of ours, by question."""

    def ours(self, question: str, passages: Sequence[Passage]) -> list[str]:
        """The product's own."""
        since = time.process_time()
        drafts = asyncio.run(self.quotes.write(question, passages, Call(clock=WallClock())))
        self.ms.append(1000 * (time.process_time() - since))
        return [draft.text for draft in drafts]

    def every(self) -> dict[str, Way]:
        """All ways."""
        return {"ours": self.ours, "former": former, "BM25": bm25, "lead": lead}


def lead(_question: str, passages: Sequence[Passage]) -> list[str]:
    """The first two sentences of the page that comes first."""
    first = [each for each in passages if each.url == passages[0].url] if passages else []
    told = sorted(statements(first), key=lambda each: each.start)
    return [each.text for each in told[:2]]


def bm25(question: str, passages: Sequence[Passage]) -> list[str]:
    """The three sentences that have most of the question's words."""
    told = statements(passages)
    bags = [words(each.text) for each in told]
    mean = max(1.0, sum(map(len, bags)) / max(1, len(bags)))
    scores = [0.0] * len(told)
    for word in dict.fromkeys(words(question)):
        holders = sum(word in bag for bag in bags)
        rarity = max(0.01, (len(bags) - holders + 0.5) / (holders + 0.5))
        for number, bag in enumerate(bags):
            if times := bag.count(word):
                scores[number] += rarity**0.5 * times * (K1 + 1) / (times + K1 * (1 - B + B * len(bag) / mean))
    order = sorted(range(len(told)), key=lambda number: -scores[number])
    return [told[number].text for number in order[:SENTENCES]]


def marked(ways: Ways, scorer: ModuleType, reader: data.PassageReader) -> list[list[str]]:
    """Marked sentences: F1, first, kept, declined, tokens; on the own page and among all."""
    rows = data.marked()
    pages = {row["id"]: data.marked_page(row) for row in rows}
    library = reader.library([*pages.values()])
    report: list[list[str]] = []
    for where in ("own page", "all pages"):
        told: dict[str, dict[str, list[str]]] = defaultdict(dict)
        for row in rows:
            chosen = [pages[row["id"]]] if where == "own page" else library.best([row["question"]], count=data.PAGES)
            passages = reader.read(chosen, row["question"])
            for name, way in ways.every().items():
                told[name][row["id"]] = way(row["question"], passages)
        for name, answers in told.items():
            report.append([f"{name}, {where}", *_marked_scores(scorer, rows, answers)])
    return report


def _marked_scores(scorer: ModuleType, rows: Sequence[data.Row], answers: dict[str, list[str]]) -> list[str]:
    shares = defaultdict(list)
    for row in rows:
        told = answers[row["id"]]
        if not row["answerable"]:
            shares["declined"].append(not told)
            continue
        got, first = (scorer.chosen(part, row["sentences"]) for part in (told, told[:1]))
        best = max(2 * len(got & set(gold)) / (len(got) + len(gold)) if got else 0.0 for gold in row["gold"])
        shares["F1"].append(best)
        shares["first"].append(bool(first) and any(first <= set(gold) for gold in row["gold"]))
        shares["kept"].append(bool(told))
        shares["tokens"].append(sum(map(roughly, told)))
    mean = {name: sum(values) / len(values) for name, values in shares.items()}
    return [*(f"{mean[name]:.3f}" for name in ("F1", "first", "kept", "declined")), f"{mean['tokens']:.0f}"]


def short(ways: Ways, reader: data.PassageReader, *, every: int) -> list[list[str]]:
    """Short answers: within 400 tokens, in the first sentence, kept; and how many without one are declined."""
    _, pages, queries = data.short()
    library = reader.library([*pages.values()])
    shares: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for name in (*SHORT_SETS, "squad_unans"):
        for query in [each for each in queries if each["set"] == name][::every]:
            passages = reader.read(library.best([query["q"]], count=data.PAGES), query["q"])
            for way_name, way in ways.every().items():
                told = way(query["q"], passages)
                of = shares[way_name, name]
                of["kept"].append(bool(told))
                if query.get("a"):
                    gold = data.norm(query["a"])
                    of["within"].append(gold in data.norm(" ".join(_within(told))))
                    of["first"].append(bool(told) and gold in data.norm(told[0]))
    return [
        [f"{way}: {name}", *(_mean(of.get(measure)) for measure in ("within", "first", "kept")), str(len(of["kept"]))]
        for (way, name), of in shares.items()
    ]


def _mean(values: Sequence[float] | None) -> str:
    return f"{sum(values) / len(values):.3f}" if values else ""


def _within(told: Sequence[str]) -> list[str]:
    """The sentences within the first 400 tokens."""
    used, shown = 0, []
    for text in told:
        used += roughly(text)
        if shown and used > MOST_TOKENS:
            break
        shown.append(text)
    return shown


def documentation(
    ways: Ways, reader: data.PassageReader, folder: Path, missed: list[str]
) -> tuple[list[list[str]], list[str]]:
    """The fifty questions: right within the answer, right in the first sentence, declined where nothing answers."""
    rows = [json.loads(line) for line in CASES.read_text("utf-8").splitlines()]
    shares: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    lacking: list[str] = []
    by_package = defaultdict(list)
    for row in rows:
        by_package[row["package"]].append(row)
    for package, asked in by_package.items():
        if not (folder / package).is_dir():
            lacking.append(package)
            continue
        manual = Manual(folder / package)
        for row in asked:
            passages = reader.read(manual.find(row["question"]), row["question"])
            for name, way in ways.every().items():
                told = way(row["question"], passages)
                golds = [data.norm(text) for text in row["answers"]]
                within, first = (data.norm(" ".join(part)) for part in (told, told[:1]))
                if not golds:
                    shares[name]["declined"].append(not told)
                    is_right = not told
                else:
                    shares[name]["within"].append(is_right := any(gold in within for gold in golds))
                    shares[name]["first"].append(any(gold in first for gold in golds))
                if name == "ours" and not (is_right and (not golds or shares[name]["first"][-1])):
                    missed.append(f"{row['id']} {row['question']}\n  wanted {row['answers']} in {row['path']}\n")
                    missed.extend(f"  {text[:300]!r}\n" for text in told[:4])
    report = [
        [name, *(f"{sum(of[part])} of {len(of[part])}" for part in ("within", "first", "declined"))]
        for name, of in shares.items()
    ]
    return report, lacking


class Manual:
    """The pages of an unpacked package: found by their words, then read by our extractor."""

    def __init__(self, folder: Path) -> None:
        self._read: dict[str, Page] = {}
        self._pages = sqlite3.connect(":memory:")
        self._pages.execute("CREATE VIRTUAL TABLE pages USING fts5(path UNINDEXED, text, tokenize=porter)")
        for path in sorted(folder.rglob("*.html")):
            text = _TAG.sub(" ", path.read_text("utf-8", "replace"))
            self._pages.execute("INSERT INTO pages VALUES (?, ?)", (str(path), text))

    def find(self, question: str) -> list[Page]:
        """The eight best pages."""
        asked = " OR ".join(f'"{word}"' for word in dict.fromkeys(words(question)))
        found = self._pages.execute(
            "SELECT path FROM pages WHERE pages MATCH ? ORDER BY bm25(pages) LIMIT ?", (asked, data.PAGES)
        )
        return [self._page(path) for (path,) in found]

    def _page(self, path: str) -> Page:
        if path not in self._read:
            url = f"file:{path}"
            made = read(Path(path).read_bytes(), content_type="text/html", url=url, view=View())
            page = Page(url=url, final_url=url, title=made.title, text=made.text, fetched_at=0.0, info=made.info)
            self._read[path] = apart(page)
        return self._read[path]


def main() -> None:
    """Print one table for each part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", action="append", choices=PARTS, help="only this part, or these")
    parser.add_argument("--every", type=int, default=1, help="of `short` each Nth question of a set")
    parser.add_argument("--docs", type=Path, default=DOCS, help="where the packages are unpacked")
    parser.add_argument("--missed", type=Path, help="write what was missed of `documentation`")
    options = parser.parse_args()
    limit_blas_threads()
    scorer = data.scorer()
    reader = data.PassageReader()
    ways = Ways(Quotes(reader.local))
    chosen = options.part or PARTS
    missed: list[str] = []
    if "marked" in chosen and scorer:
        print(table(["marked", "F1", "first", "kept", "declined", "tokens"], marked(ways, scorer, reader)))
    if "short" in chosen and scorer:
        print(table(["short", "in 400 tokens", "first", "kept", "questions"], short(ways, reader, every=options.every)))
    if "documentation" in chosen:
        report, lacking = documentation(ways, reader, options.docs, missed)
        print(table(["documentation", "within", "first", "declined"], report))
        if lacking:
            print(f"Not unpacked below {options.docs}: {', '.join(lacking)}.", file=sys.stderr)
    if ways.ms:
        print(f"\nCPU of ours: {sum(ways.ms) / len(ways.ms):.0f} ms a question")
    if options.missed:
        options.missed.write_text("".join(missed), "utf-8")


if __name__ == "__main__":
    main()
