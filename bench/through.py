"""Does the answer reach the agent? The same questions by our ranking alone, by the command, and by the real tool.

    python -m bench.through [--ways blocks,html] [--sets squad,docs] [--budgets 300,500] [--most 100]

"Blocks": the pages as they are kept beside the repository (../shared/retrieval), ranked in this process. "HTML": the
same after our extractor read them as HTML; what is missing was lost by extraction. "Command": the HTML files through
`gossamer read --jsonl`, whose reply ends within `max_tokens` by our own counter, which never counts too little. "Tool":
the same HTML on a site on loopback, through `web_read` of the installed server over stdio, first reply only; what is
missing went to marks, numbers and the way on, which `max_tokens` has to hold too. "Command-blocks" and "tool-blocks"
are the same with the blocks as Markdown: beside those, with an equal frame and the same counter, what is missing of
"command" and "tool" was lost by extraction. "Frame" is what marks, numbers and the way on cost, in true tokens (o200k).
"""

import argparse
import asyncio
import json
import re
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import bpe_openai
from bench._gauge import machine
from bench._peers import environment, gossamer
from bench._report import table
from bench._site import served
from bench._wire import Failed, Pipe, calling
from bench.retrieval import DATA, Reader, as_page, extracted, load_scorer, markdown, spread

from gossamer.settings.environment import limit_blas_threads
from tests.components import Missing

WAYS = ("blocks", "html", "command-blocks", "command", "tool-blocks", "tool")
RESULTS = 8
"""As both do by themselves."""
_MARKED = re.compile(r'(?s)<untrusted-web-content id="(\w{32})"[^>\n]*>\n\n(.*?)\n</untrusted-web-content id="\1">')
_LABEL = re.compile(r"(?:\A|\n\n)\[\d+\][^\n]*\n")

Asked = dict[str, list[dict[str, Any]]]
"""Questions by page."""


@dataclass(kw_only=True, slots=True)
class Came:
    """What came back by one way: passages by budget and question; what the tool's replies cost."""

    passages: dict[tuple[int, str], list[str]] = field(default_factory=dict)
    tokens: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    frames: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))


async def by_ranking(pages: dict[str, Any], texts: dict[str, str], asked: Asked, budgets: list[int]) -> Came:
    """The ranking alone, of these texts of the pages."""
    came, reader = Came(), Reader(budgets=tuple(budgets), results=RESULTS)
    for name, queries in asked.items():
        page = as_page(pages[name], texts[name])
        for query, found in zip(queries, await reader.read(page, [each["q"] for each in queries]), strict=True):
            came.passages.update({(budget, query["id"]): found[budget] for budget in budgets})
    return came


def by_command(folder: Path, files: dict[str, str], asked: Asked, budgets: list[int], home: Path) -> Came:
    """`gossamer read --jsonl` on the files."""
    rows = [
        {"id": f"{budget} {query['id']}", "path": str(folder / files[name]), "query": query["q"], "max_tokens": budget}
        for name, queries in asked.items()
        for query in queries
        for budget in budgets
    ]
    done = subprocess.run(
        [*gossamer().command, "read", "--jsonl"],
        input="\n".join(map(json.dumps, rows)),
        env=environment(home),
        capture_output=True,
        text=True,
        check=False,
    )
    came = Came()
    for line in done.stdout.splitlines():
        row = json.loads(line)
        budget, _, name = row["id"].partition(" ")
        came.passages[int(budget), name] = row.get("passages", [])
    if len(came.passages) < len(rows):
        raise Failed(f"gossamer read answered {len(came.passages)} of {len(rows)}: {done.stderr[-200:]}")
    return came


def by_tool(folder: Path, files: dict[str, str], asked: Asked, budgets: list[int], home: Path) -> Came:
    """`web_read` over stdio."""
    came, count = Came(), bpe_openai.get_encoding("o200k_base")
    with served(folder) as host:
        settings = environment(home, GOSSAMER_NET__ALLOW_PRIVATE=host, GOSSAMER_LOG__LEVEL="error")
        with Pipe(gossamer().command, settings) as pipe:
            pipe.open("2025")
            for number, (name, query, budget) in enumerate(_each(asked, budgets), 2):
                url = f"http://{host}/{files[name]}"
                reply = pipe.ask(
                    calling("2025", number, "web_read", urls=[url], queries=[query["q"]], max_tokens=budget)
                )
                text = reply["content"][0]["text"]
                if reply.get("isError"):
                    raise Failed(f"web_read answered {text[:200]}")
                shown = [part for match in _MARKED.finditer(text) for part in _LABEL.split(match[2]) if part]
                came.passages[budget, query["id"]] = shown
                spent = len(count.encode_ordinary(text))
                came.tokens[budget].append(spent)
                came.frames[budget].append(spent - sum(len(count.encode_ordinary(part)) for part in shown))
    return came


def _each(asked: Asked, budgets: list[int]) -> Iterator[tuple[str, dict[str, Any], int]]:
    return ((name, query, budget) for name, queries in asked.items() for query in queries for budget in budgets)


def shares(scorer: ModuleType, asked: Asked, came: Came, budgets: list[int]) -> dict[tuple[str, int], float]:
    """By set and budget, the share of answers within it."""
    judged: dict[tuple[str, int], list[float]] = defaultdict(list)
    for _, query, budget in _each(asked, budgets):
        found = scorer.judge(query, came.passages[budget, query["id"]], 1)
        judged[query["set"], budget].append(found[f"B{budget}"])
    return {key: statistics.mean(values) for key, values in judged.items()}


def report(scorer: ModuleType, asked: Asked, ways: dict[str, Came], budgets: list[int]) -> None:
    """One row for each set, and the means of English and of other languages."""
    by_way = {way: shares(scorer, asked, came, budgets) for way, came in ways.items()}
    known = {query["set"] for queries in asked.values() for query in queries}
    names = [name for name in (*scorer.ENGLISH, *scorer.MULTI) if name in known]
    groups = {
        "English": [name for name in names if name in scorer.ENGLISH],
        "other languages": [name for name in names if name in scorer.MULTI],
    }

    def row(title: str, value: Callable[[dict[tuple[str, int], float], int], float]) -> list[str]:
        return [title, *(f"{value(by_way[way], budget):.3f}" for budget in budgets for way in ways)]

    rows = [row(name, lambda found, budget, name=name: found[name, budget]) for name in names]
    rows += [
        row(title, lambda found, budget, group=group: statistics.mean(found[name, budget] for name in group))
        for title, group in groups.items()
        if group
    ]
    print(table(["", *(f"{budget}, {way}" for budget in budgets for way in ways)], rows))
    for way, came in ways.items():
        for budget in came.tokens:
            tokens, frames = (statistics.mean(each[budget]) for each in (came.tokens, came.frames))
            print(f"\n{way}, max_tokens={budget}: {tokens:.0f} true tokens on average, {frames:.0f} of them frame")


def ask(way: str, scorer: ModuleType, pages: dict[str, Any], asked: Asked, budgets: list[int]) -> Came:
    """Ask all questions by one way."""
    queries = [query for each in asked.values() for query in each]
    if way == "blocks":
        return asyncio.run(by_ranking(pages, {name: markdown(pages[name]["blocks"]) for name in asked}, asked, budgets))
    if way == "html":
        return asyncio.run(by_ranking(pages, extracted(scorer, pages, queries), asked, budgets))
    with tempfile.TemporaryDirectory() as name, tempfile.TemporaryDirectory() as home:
        folder = Path(name)
        written = (
            written_blocks(pages, asked, folder)
            if way.endswith("-blocks")
            else written_html(scorer, pages, queries, folder)
        )
        by = by_command if way.startswith("command") else by_tool
        return by(folder, written, asked, budgets, Path(home))


def written_html(
    scorer: ModuleType, pages: dict[str, Any], queries: list[dict[str, Any]], folder: Path
) -> dict[str, str]:
    """The pages as HTML files: their names by page."""
    scorer.write_html(pages, queries, str(folder))
    entries = json.loads((folder / "manifest.json").read_text("utf-8"))
    return {entry["page"]: entry["file"] for entry in entries}


def written_blocks(pages: dict[str, Any], asked: Asked, folder: Path) -> dict[str, str]:
    """The pages as Markdown files, named alike."""
    files = {name: f"{number:03d}.md" for number, name in enumerate(asked)}
    for name, file in files.items():
        (folder / file).write_text(markdown(pages[name]["blocks"]), "utf-8")
    return files


def _ways(said: str) -> list[str]:
    if unknown := sorted({*said.split(",")} - {*WAYS}):
        raise argparse.ArgumentTypeError(f"no such way: {', '.join(unknown)}; there are {', '.join(WAYS)}")
    return said.split(",")


def main() -> None:
    """Ask by every way and report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ways", type=_ways, default=WAYS, help="only these ways")
    parser.add_argument("--sets", type=lambda value: value.split(","), help="only these sets")
    parser.add_argument("--budgets", type=lambda value: [int(each) for each in value.split(",")], default=[300, 500])
    parser.add_argument("--most", type=int, help="so many questions of each set, spread over its pages")
    options = parser.parse_args()
    limit_blas_threads()
    scorer = load_scorer()
    if scorer is None:
        sys.exit(f"The questions are not at {DATA}; put read_score.py and dev.json.gz there.")
    pages, queries = scorer.load(str(DATA / "dev.json.gz"), options.sets)
    asked: Asked = defaultdict(list)
    for query in spread(queries, options.most) if options.most else queries:
        asked[query["page"]].append(query)
    try:
        ways = {way: ask(way, scorer, pages, asked, options.budgets) for way in options.ways}
    except (Missing, Failed) as error:
        sys.exit(f"not measured: {error}")
    print(f"{machine()}\n")
    report(scorer, asked, ways, options.budgets)


if __name__ == "__main__":
    main()
