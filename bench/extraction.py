"""Is the content of pages found, and its structure kept? We and our peers over the same pages, in one run.

    python -m bench.extraction [--only gossamer,trafilatura] [--python PYTHON] [--save FOLDER] [--worst 20]

The pages and their scorers are kept beside the repository (../shared/extraction) and are no part of it. What we learned
is scored out of fold: each page is judged by trees that saw no page of its site. They are trained first where the
sources of the choice have changed since, which takes minutes and needs lightgbm.
"""

import argparse
import gzip
import importlib
import json
import statistics
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

from bench._peers import HOME, ROOT
from bench._report import Target, table

from tests.components import Missing, environment_of

PAGES = ROOT.parent / "shared" / "extraction"
CORE = ("aeb", "wcxb", "trafilatura", "zh")
PEERS = ("trafilatura", "resiliparse", "readability-lxml", "mcp-server-fetch")
LEAST = {"core": 0.915, "aeb": 0.955, "wcxb": 0.83, "trafilatura": 0.925, "zh": 0.92, "headings": 0.86, "links": 0.95}
MOST_CPU = 1.6
LEARNED_FROM = ("blocks", "choose", "features", "phrases", "shape", "threads")


def folds() -> Path:
    """The forests of the folds, trained anew when what they depend on has changed."""
    script = ROOT / "scripts" / "train_content.py"
    sources = [ROOT / "src" / "gossamer" / "extractors" / "content" / f"{name}.py" for name in LEARNED_FROM]
    stamp = sha256(b"".join(file.read_bytes() for file in (*sources, script))).hexdigest()
    folder = HOME / "folds"
    kept = folder / "stamp"
    if not (kept.is_file() and kept.read_text() == stamp):
        print("Training the folds.", flush=True)
        command = [sys.executable, str(script), str(PAGES), "--folds", str(folder), "--out", str(folder / "all.npz")]
        subprocess.run(command, check=True)
        kept.write_text(stamp)
    return folder


def outputs(name: str, python: str, records: list[dict[str, Any]], *more: str) -> list[dict[str, Any]]:
    """What one extractor makes of every page."""
    asked = "".join(json.dumps({key: record[key] for key in ("id", "file", "url")}) + "\n" for record in records)
    command = [python, str(ROOT / "bench" / "_extract.py"), name, str(PAGES), *more]
    done = subprocess.run(command, input=asked, stdout=subprocess.PIPE, text=True, check=True)
    return [json.loads(line) for line in done.stdout.split("\n") if line]


def scores(records: list[dict[str, Any]], found: list[dict[str, Any]]) -> dict[str, float]:
    """Content by set and structure over all, as the scorers beside the pages count them."""
    content, structure = (importlib.import_module(name) for name in ("extract_score", "structure_score"))
    texts = {line["id"]: line["out"] for line in found}
    out: dict[str, float] = {}
    for name in CORE:
        rows = [content.score_page(record, texts[record["id"]]) for record in records if record["set"] == name]
        out[name] = content.aggregate(name, rows)[2]
    counted = [structure.score(record, texts[record["id"]]) for record in records if record.get("struct")]
    for column, among in structure.COLS:
        out[column] = sum(row[column] for row in counted) / max(1, sum(row[among] for row in counted))
    cpu = sum(line["cpu_s"] for line in found)
    return {"core": statistics.mean(out[name] for name in CORE), **out, "cpu_s": cpu}


def worst(records: list[dict[str, Any]], found: list[dict[str, Any]], count: int) -> str:
    """The pages of the core that we do worst on."""
    content = importlib.import_module("extract_score")
    texts = {line["id"]: line["out"] for line in found}
    rows = [(content.score_page(record, texts[record["id"]]), record) for record in records if record["set"] in CORE]
    rows.sort(key=lambda row: row[0]["f1"])
    lines = [
        [record["id"], record["type"], f"{row['p']:.2f}", f"{row['r']:.2f}", f"{row['f1']:.2f}"]
        for row, record in rows[:count]
    ]
    return table(["page", "kind", "precision", "recall", "F1"], lines)


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
    with gzip.open(PAGES / "gold.jsonl.gz", "rt", encoding="utf-8") as lines:
        every = [json.loads(line) for line in lines]
    names = [name for name in ("gossamer", *PEERS) if not wanted.only or name in wanted.only.split(",")]
    results: dict[str, dict[str, float]] = {}
    for name in names:
        try:
            ours = name == "gossamer"
            python = sys.executable if ours else wanted.python or str(environment_of("peers", HOME))
            found = outputs(name, python, every, *([str(folds())] if ours else []))
        except (Missing, subprocess.CalledProcessError) as error:
            print(f"{name} could not be run: {error}")
            continue
        results[name] = scores(every, found)
        if wanted.save:
            wanted.save.mkdir(parents=True, exist_ok=True)
            text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in found)
            (wanted.save / f"{name}.jsonl").write_text(text, encoding="utf-8")
        if ours and wanted.worst:
            print(worst(every, found, wanted.worst), end="\n\n")
    if not results:
        sys.exit("Nothing could be run.")
    print(report(results))


def report(results: dict[str, dict[str, float]]) -> str:
    """One line per extractor, and our targets."""
    unit = results.get("trafilatura", {}).get("cpu_s")
    columns = [name for name in next(iter(results.values())) if name != "cpu_s"]
    rows = [
        [name, *(f"{row[column]:.3f}" for column in columns), f"{row['cpu_s'] / unit:.2f}" if unit else "-"]
        for name, row in results.items()
    ]
    lines = [table(["", *columns, "CPU"], rows), "", "CPU is a multiple of trafilatura's in the same run.", ""]
    if ours := results.get("gossamer"):
        for name, least in LEAST.items():
            verdict = "met" if ours[name] >= least else "NOT MET"
            lines.append(f"{verdict:12}  {name}: {ours[name]:.3f} (at least {least:g})")
        lines.append(Target(name="CPU", value=ours["cpu_s"] / unit if unit else None, most=MOST_CPU).line())
    return "\n".join(lines)


if __name__ == "__main__":
    main()
