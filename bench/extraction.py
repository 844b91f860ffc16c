"""Is the content of pages found, and its structure kept? We and our peers over the same pages, in one run.

    python -m bench.extraction [--only gossamer,trafilatura] [--python PYTHON] [--save FOLDER] [--worst 20]

The pages and their scorers are kept beside the repository (../shared/extraction) and are no part of it: 593 pages of
several sets, whose core is four of them, and 492 pages of seven kinds (more). What we learned
is scored out of fold: each page is judged by trees that saw no page of its site. They are trained first where the
sources of the choice have changed since, which takes minutes. Pages are read in turns, one by each extractor.
"""

import argparse
import gzip
import importlib
import json
import os
import statistics
import subprocess
import sys
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path
from typing import Any

from bench._lost_code import lost_code
from bench._peers import HOME, ROOT
from bench._report import Target, table

from tests.components import Missing, environment_of

PAGES = ROOT.parent / "shared" / "extraction"
MORE = PAGES / "more"
CORE = ("aeb", "wcxb", "trafilatura", "zh")
PEERS = ("trafilatura", "resiliparse", "readability-lxml", "mcp-server-fetch")
LEAST = {
    "core": 0.93,
    "aeb": 0.955,
    "wcxb": 0.88,
    "trafilatura": 0.93,
    "zh": 0.93,
    "code text": 0.99,
    "code block": 0.99,
    "code lang": 0.99,
    "table rows": 0.97,
    "headings": 0.89,
    "links": 0.964,
}
LEAST_BY_KIND = {
    "all": 0.878,
    "article": 0.95,
    "documentation": 0.955,
    "service": 0.86,
    "forum": 0.86,
    "collection": 0.76,
    "listing": 0.76,
    "product": 0.71,
}
"""On the pages of seven kinds."""
MOST_CPU = 1.5


def folds(python: str) -> Path:
    """The forests of the folds, trained anew when what they depend on has changed."""
    script = ROOT / "scripts" / "train_content.py"
    sources = sorted((ROOT / "src" / "gossamer" / "extractors").rglob("*.py"))  # what hides text decides on blocks, too
    stamp = sha256(b"".join(file.read_bytes() for file in (*sources, script))).hexdigest()
    folder = HOME / "folds"
    kept = folder / "stamp"
    if not (kept.is_file() and kept.read_text() == stamp):
        print("Training the folds.", flush=True)
        command = [python, str(script), str(PAGES), "--folds", str(folder), "--out", str(folder / "all.npz")]
        subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": str(ROOT / "src")})
        kept.write_text(stamp)
    return folder


def outputs(names: list[str], python: str, records: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """What extractors make of every page, all in turns: whatever else the machine does then slows them alike."""
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
    with ExitStack() as stack:
        running = {name: stack.enter_context(_started(name, python)) for name in names}
        for record in records:
            asked = json.dumps({key: record[key] for key in ("id", "file", "url")})
            for name, process in list(running.items()):
                if answer := _answer(process, asked):
                    found[name].append(json.loads(answer))
                else:
                    print(f"{name} could not be run.")
                    del running[name], found[name]
    return found


def _started(name: str, python: str) -> subprocess.Popen[str]:
    """An extractor that waits for pages; without Node, which one peer would fetch packages for as it runs."""
    is_ours = name == "gossamer"
    command = [sys.executable if is_ours else python, str(ROOT / "bench" / "_extract.py"), name, str(PAGES)]
    command += [str(folds(python))] if is_ours else []
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, encoding="utf-8", env={**os.environ, "PATH": ""})


def _answer(process: subprocess.Popen[str], asked: str) -> str:
    """What a process answers to a line; nothing when it has ended."""
    assert process.stdin
    assert process.stdout
    try:
        process.stdin.write(f"{asked}\n")
        process.stdin.flush()
    except BrokenPipeError:
        return ""
    return process.stdout.readline()


def scores(records: list[dict[str, Any]], found: list[dict[str, Any]]) -> dict[str, float]:
    """Content by set and structure over all, as the scorers beside the pages count them."""
    content = importlib.import_module("extract_score")
    texts = {line["id"]: line["out"] for line in found}
    out: dict[str, float] = {}
    for name in CORE:
        rows = [content.score_page(record, texts[record["id"]]) for record in records if record["set"] == name]
        out[name] = content.aggregate(name, rows)[2]
    out |= kept_structure(records, texts)
    cpu = sum(line["cpu_s"] for line in found)
    return {"core": statistics.mean(out[name] for name in CORE), **out, "cpu_s": cpu}


def scores_by_kind(records: list[dict[str, Any]], found: list[dict[str, Any]]) -> dict[str, float]:
    """Content of the pages of seven kinds: the mean of each, and of all."""
    content = importlib.import_module("extract_score")
    texts = {line["id"]: line["out"] for line in found}
    rows = [(record["type"], content.score_page(record, texts[record["id"]])["f1"]) for record in records]
    means = {name: [value for kind, value in rows if name in {"all", kind}] for name in LEAST_BY_KIND}
    means["all"] = [value for _, value in rows]
    return {name: statistics.mean(values) for name, values in means.items() if values}


def kept_structure(records: list[dict[str, Any]], texts: dict[str, str]) -> dict[str, float]:
    """Which share of each kind of structure is kept."""
    scorer = importlib.import_module("structure_score")
    counted = [scorer.score(record, texts[record["id"]]) for record in records if record.get("struct")]
    amounts = {column: sum(row[among] for row in counted) for column, among in scorer.COLS}
    return {column: sum(row[column] for row in counted) / max(1, amount) for column, amount in amounts.items()}


def worst(records: list[dict[str, Any]], found: list[dict[str, Any]], count: int) -> str:
    """The pages that we do worst on."""
    content = importlib.import_module("extract_score")
    texts = {line["id"]: line["out"] for line in found}
    rows = [(content.score_page(record, texts[record["id"]]), record) for record in records]
    rows.sort(key=lambda row: row[0]["f1"])
    lines = [
        [record["id"], record["type"], f"{row['p']:.2f}", f"{row['r']:.2f}", f"{row['f1']:.2f}"]
        for row, record in rows[:count]
    ]
    return table(["page", "kind", "precision", "recall", "F1"], lines)


def lost(records: list[dict[str, Any]], found: list[dict[str, Any]]) -> str:
    """The blocks of code that are missed, each with a line that differs."""
    scorer = importlib.import_module("structure_score")
    rows = lost_code(scorer, records, {line["id"]: line["out"] for line in found})
    return table(["page", "block", "gold", "ours"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="names, with commas between them")
    parser.add_argument("--python", default="", help="an interpreter that has the peers")
    parser.add_argument("--save", type=Path, help="keep the outputs here")
    parser.add_argument("--worst", type=int, default=0)
    wanted = parser.parse_args()
    if not PAGES.is_dir():
        sys.exit("The pages are not beside the repository (../shared/extraction).")
    sys.path.insert(0, str(PAGES))
    every, more = gold(PAGES), gold(MORE)
    names = [name for name in ("gossamer", *PEERS) if not wanted.only or name in wanted.only.split(",")]
    try:
        python = wanted.python or str(environment_of("peers", HOME))
        outs = outputs(names, python, [*every, *more])
    except (Missing, subprocess.CalledProcessError) as error:
        sys.exit(f"The peers could not be installed, or the folds not trained: {error}")
    if wanted.save:
        wanted.save.mkdir(parents=True, exist_ok=True)
        for name, found in outs.items():
            text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in found)
            (wanted.save / f"{name}.jsonl").write_text(text, encoding="utf-8")
    if wanted.worst and "gossamer" in outs:
        core = [record for record in every if record["set"] in CORE]
        print(worst(core, outs["gossamer"], wanted.worst), end="\n\n")
        print(worst(more, outs["gossamer"], wanted.worst), end="\n\n")
        print(lost(every, outs["gossamer"]), end="\n\n")
    results = {name: scores(every, found) for name, found in outs.items()}
    if not results:
        sys.exit("Nothing could be run.")
    print(report(results, {name: scores_by_kind(more, found) for name, found in outs.items()}))


def gold(folder: Path) -> list[dict[str, Any]]:
    """The records of a folder, whose files are named from the folder of all."""
    with gzip.open(folder / "gold.jsonl.gz", "rt", encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    return [{**record, "file": str((folder / record["file"]).relative_to(PAGES))} for record in records]


def report(results: dict[str, dict[str, float]], by_kind: dict[str, dict[str, float]]) -> str:
    """One line per extractor and set of pages, and our targets."""
    unit = results.get("trafilatura", {}).get("cpu_s")
    rows = [
        [name, *(f"{row[column]:.3f}" for column in LEAST), f"{row['cpu_s'] / unit:.2f}" if unit else "-"]
        for name, row in results.items()
    ]
    kinds = [[name, *(f"{row.get(kind, 0):.3f}" for kind in LEAST_BY_KIND)] for name, row in by_kind.items()]
    lines = [table(["", *LEAST, "CPU"], rows), "", table(["seven kinds", *LEAST_BY_KIND], kinds), ""]
    lines += ["CPU is a multiple of trafilatura's, page by page in turns, over all pages.", ""]
    if ours := results.get("gossamer"):
        lines += [verdict(name, ours[name], least) for name, least in LEAST.items()]
        lines += [verdict(name, by_kind["gossamer"].get(name, 0), least) for name, least in LEAST_BY_KIND.items()]
        lines.append(Target(name="CPU", value=ours["cpu_s"] / unit if unit else None, most=MOST_CPU).line())
    return "\n".join(lines)


def verdict(name: str, value: float, least: float) -> str:
    """A target of a score, with the number behind it."""
    return f"{'met' if value >= least else 'NOT MET':12}  {name}: {value:.3f} (at least {least:g})"


if __name__ == "__main__":
    main()
