"""Train the judges of statements and of evidence, src/gossamer/answerers/forests.npz, and say how good they are.

    python scripts/train_answers.py [--cache FILE] [--out FILE]

Needs lightgbm, which stands in requirements/peers.txt, and the questions that bench/_answer_pages.py names. `--cache`
keeps the examples, or takes them from where they were kept.

Examples are made by the product's own steps, in four ways: a question and the page that its answer was marked on; the
same among all those pages; a question and one paragraph of its page, that which answers it, or of the others the one
with most of its words; and a question among all pages that have short answers. The label of a statement is the share of
the people who marked it, or whether it holds the marked text and the answer.

Pages are dealt into four folds by a hash of their name. The evidence is judged on likelihoods by trees that saw no
question of its page, and all scores that are printed are of such. The limit of the evidence is the value that `KEPT` of
the questions with an answer on their page reach. Everything is seeded; the same questions give the same file.
"""

import argparse
import pickle
import random
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import lightgbm as lgb
import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench import _answer_pages as data

from gossamer.model.page import Page, PageInfo
from gossamer.steps.answers.evidence import evidence
from gossamer.steps.answers.features import MAX_STATEMENTS, features
from gossamer.steps.answers.question import read_question
from gossamer.steps.answers.statements import statements
from gossamer.steps.forest import MOST_LEAVES
from gossamer.steps.text.language_mix import detect_mix
from gossamer.steps.text.words import plain_words, stemmer

OUT = Path(__file__).parents[1] / "src" / "gossamer" / "answerers" / "forests.npz"
FOLDS = 4
KEPT = 0.91
PARAGRAPHS = {"squad": 400, "covid": 240, "xquad": 100, "squad_es": 30, "jsquad": 30, "drcd": 30}
LIBRARY = {
    "squad": 320,
    "covid": 200,
    "xquad": 120,
    "squad_es": 30,
    "jsquad": 30,
    "drcd": 30,
    "xling": 30,
    "policy": 20,
    "docs": 69,
    "squad_unans": 320,
}
"""How many questions of each set, spread over its pages."""
WEIGHTS = {"own": 4.0, "marked library": 1.3, "paragraph": 1.0, "library": 1.0}
EVIDENCE_WEIGHTS = {"own": 6.0, "marked library": 1.0, "paragraph": 0.5, "library": 1.0}
SET_WEIGHTS = {"docs": 3.0}
"""There are few, and they are what agents ask most."""
UNSURE = frozenset({"policy", "docs", "xling"})
"""Sets whose questions have no one answer: nothing is learned from them about evidence."""
SHORTEST_PARAGRAPH = 250
STRONGEST, DRAWN = 30, 20
"""Of a question with many statements, those nearest to it, and of the others so many, each for several."""
STATEMENT: dict[str, Any] = {
    "objective": "cross_entropy",
    "learning_rate": 0.07,
    "num_leaves": MOST_LEAVES - 1,
    "min_data_in_leaf": 30,
    "feature_fraction": 0.3,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 10,
    "max_bin": 63,
    "verbose": -1,
    "num_threads": 1,
    "deterministic": True,
    "force_col_wise": True,
    "seed": 1,
}
EVIDENCE = STATEMENT | {"objective": "binary", "learning_rate": 0.05, "num_leaves": 7, "min_data_in_leaf": 20}
STATEMENT_ROUNDS, EVIDENCE_ROUNDS = 160, 150

Example = dict[str, Any]
Floats = NDArray[np.float32]


def examples() -> Iterator[Example]:
    """All examples, in the same order in every run."""
    reader = data.PassageReader()
    rows = data.marked()
    pages = {row["id"]: data.marked_page(row) for row in rows}
    library = reader.library([*pages.values()])
    for row in rows:
        for mode, found in (
            ("own", [pages[row["id"]]]),
            ("marked library", library.best([row["question"]], count=data.PAGES)),
        ):
            made = _example(reader, mode, found, row["question"])
            yield made | {
                "id": row["id"],
                "set": "marked",
                "page": row["id"],
                "y": data.shares(row, made["told"], made["urls"]),
                "is_answerable": bool(row["answerable"]),
            }
    raw, pages, queries = data.short()
    by_set = defaultdict(list)
    for query in queries:
        by_set[query["set"]].append(query)
    dice = random.Random(7)
    for name, most in PARAGRAPHS.items():
        for query in _spread(by_set[name], most):
            yield from _paragraphs(reader, raw[query["page"]], query, dice)
    library = reader.library([*pages.values()])
    for name, most in LIBRARY.items():
        for query in _spread(by_set[name], most):
            made = _example(reader, "library", library.best([query["q"]], count=data.PAGES), query["q"])
            own = pages[query["page"]].url
            labels = data.holds(query, made["told"])
            yield made | {
                "id": query["id"],
                "set": name,
                "page": query["page"],
                "y": [label * (url == own) for label, url in zip(labels, made["urls"], strict=True)],
                "is_answerable": name != "squad_unans",
            }


def _spread(queries: Sequence[data.Row], most: int) -> Sequence[data.Row]:
    return queries[:: max(1, len(queries) // most)][:most]


def _paragraphs(reader: data.PassageReader, page: data.Row, query: data.Row, dice: random.Random) -> Iterator[Example]:
    """The question with a paragraph that answers it, and with the most alike of those that do not."""
    gold, short = [data.norm(text) for text in query["g"]], data.norm(query.get("a") or "")
    right = [block for block in page["blocks"] if any(text in data.norm(block[1]) for text in gold)]
    wrong = [
        block
        for block in page["blocks"]
        if block not in right and len(block[1]) > SHORTEST_PARAGRAPH and not (short and short in data.norm(block[1]))
    ]
    if not right:
        return
    stem = stemmer("other")
    asked = {stem(word) for word in plain_words(query["q"])}
    chosen = [(dice.choice(right), True)]
    if wrong:
        chosen.append(
            (max(wrong, key=lambda block: len(asked & {stem(word) for word in plain_words(block[1])})), False)
        )
    for (heads, text), is_answerable in chosen:
        heading = [f"## {heads[0]}"] if heads and heads[0] != page["title"] else []
        one = Page(
            url=f"{page['id']}#{query['id']}{is_answerable:d}",
            final_url="",
            title=page["title"],
            text="\n\n".join([f"# {page['title']}", *heading, text]),
            fetched_at=0.0,
            info=PageInfo(language=page["lang"]),
        )
        made = _example(reader, "paragraph", [one], query["q"])
        labels = data.holds(query, made["told"]) if is_answerable else [0.0] * len(made["told"])
        yield made | {
            "id": f"{query['id']}{is_answerable:d}",
            "set": query["set"],
            "page": query["page"],
            "y": labels,
            "is_answerable": is_answerable,
        }


def _example(reader: data.PassageReader, mode: str, pages: Sequence[Page], question: str) -> Example:
    found = reader.read(pages, question)
    told = statements(found)[:MAX_STATEMENTS]
    made: Example = {"mode": mode, "told": told, "urls": [found[each.passage].url for each in told], "rows": None}
    if told:
        mix = detect_mix([("", passage.text) for passage in found], [question])
        rows = features(
            read_question(question), told, found, lambda texts: reader.local.look_up(texts, mix), stemmer(mix)
        )
        made["rows"] = SimpleNamespace(
            **{name: getattr(rows, name) for name in ("names", "values", "near", "context", "weights", "heavy")}
        )
    return made


def table(every: Sequence[Example]) -> tuple[Floats, NDArray[np.float64], NDArray[np.float64]]:
    """Rows, labels and weights of statements; examples where nothing is marked say nothing of statements."""
    values, labels, weights = [], [], []
    for each in every:
        y = np.array(each["y"])
        if not y.any():
            continue
        rows = np.arange(len(y))
        scale = np.ones(len(y))
        if len(y) > STRONGEST + 2 * DRAWN:
            order = np.argsort(-each["rows"].values[:, each["rows"].names.index("soft")])
            sure = np.union1d(np.flatnonzero(y), order[:STRONGEST])
            drawn = np.random.default_rng(1).choice(len(y), DRAWN, replace=False)
            rows = np.union1d(sure, drawn)
            scale = np.where(np.isin(rows, sure), 1.0, (len(y) - STRONGEST) / DRAWN)
        values.append(each["rows"].values[rows])
        labels.append(y[rows])
        weights.append(WEIGHTS[each["mode"]] * SET_WEIGHTS.get(each["set"], 1.0) * scale)
    return np.concatenate(values), np.concatenate(labels), np.concatenate(weights)


def trained(
    parameters: dict[str, Any], values: Floats, labels: NDArray[Any], weights: NDArray[Any], rounds: int
) -> lgb.Booster:
    """A forest."""
    return lgb.train(parameters, lgb.Dataset(values, labels, weight=weights), rounds)


def flat(booster: lgb.Booster, names: Sequence[str]) -> dict[str, NDArray[Any]]:
    """The trees as flat lists of knots: a knot asks one column, a leaf points at itself."""
    used = sorted({name for name, gain in zip(names, booster.feature_importance(), strict=True) if gain})
    place = {names.index(name): number for number, name in enumerate(used)}
    asks, limits, values, yes, no = [], [], [], [], []

    def add(knot: dict[str, Any]) -> int:
        at = len(asks)
        for column in (asks, limits, values, yes, no):
            column.append(0)
        if "leaf_value" in knot:
            values[at], yes[at], no[at] = knot["leaf_value"], at, at
        else:
            asks[at], limits[at] = place[knot["split_feature"]], knot["threshold"]
            yes[at], no[at] = add(knot["left_child"]), add(knot["right_child"])
        return at

    roots = [add(tree["tree_structure"]) for tree in booster.dump_model()["tree_info"]]
    return {
        "columns": np.array(used),
        "asks": np.array(asks, np.uint8),
        "limits": np.array(limits, np.float32),
        "values": np.array(values, np.float32),
        "yes": np.array(yes, np.int16),
        "no": np.array(no, np.int16),
        "roots": np.array(roots, np.int16),
    }


def declined(scores: NDArray[Any], is_answerable: NDArray[np.bool_], kept: float) -> tuple[float, float]:
    """The limit that so many answerable ones reach, and which share of the others stays below it."""
    limit = float(np.quantile(scores[is_answerable], 1 - kept))
    return limit, float((scores[~is_answerable] < limit).mean())


def main() -> None:
    """Train, judge, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    if options.cache and options.cache.exists():
        every: list[Example] = pickle.loads(options.cache.read_bytes())
    else:
        every = []
        for number, each in enumerate(examples()):
            every.append({**each, "told": [one.text for one in each["told"]]})
            if number % 200 == 0:
                print(f"{number} examples", file=sys.stderr, flush=True)
        if options.cache:
            options.cache.write_bytes(pickle.dumps(every))
    every = [each for each in every if each["rows"] is not None]
    names = every[0]["rows"].names
    folds = [data.part_of(each["page"], FOLDS) for each in every]
    likely: dict[int, NDArray[Any]] = {}
    for fold in range(FOLDS):
        seen = table([each for each, own in zip(every, folds, strict=True) if own != fold])
        judge = trained(STATEMENT, *seen, STATEMENT_ROUNDS)
        for number in (n for n, own in enumerate(folds) if own == fold):
            likely[number] = judge.predict(every[number]["rows"].values)
    first = [
        every[n]["y"][int(np.argmax(likely[n]))] > 0 for n in likely if every[n]["mode"] == "own" and any(every[n]["y"])
    ]
    print(f"own page, first statement marked: {np.mean(first):.3f} of {len(first)}")

    judged = [n for n, each in enumerate(every) if each["set"] not in UNSURE]
    made = [evidence(every[n]["rows"], likely[n]) for n in judged]
    evidence_names, values = made[0][0], np.concatenate([each[1] for each in made])
    is_answerable = np.array([every[n]["is_answerable"] for n in judged])
    modes = np.array([every[n]["mode"] for n in judged])
    weights = np.array([EVIDENCE_WEIGHTS[mode] for mode in modes])
    own_folds = np.array([folds[n] for n in judged])
    scores = np.zeros(len(judged))
    for fold in range(FOLDS):
        seen = own_folds != fold
        bar = trained(EVIDENCE, values[seen], is_answerable[seen], weights[seen], EVIDENCE_ROUNDS)
        scores[~seen] = bar.predict(values[~seen])
    for mode in dict.fromkeys(modes):
        of = modes == mode
        for kept in (0.9, 0.93):
            limit, share = declined(scores[of], is_answerable[of], kept)
            print(f"{mode}: {share:.3f} declined where {kept} are kept (limit {limit:.3f})")
    limit, _ = declined(scores[modes == "own"], is_answerable[modes == "own"], KEPT)

    judge = trained(STATEMENT, *table(every), STATEMENT_ROUNDS)
    bar = trained(EVIDENCE, values, is_answerable, weights, EVIDENCE_ROUNDS)
    arrays = {f"statement/{name}": array for name, array in flat(judge, names).items()}
    arrays |= {f"evidence/{name}": array for name, array in flat(bar, evidence_names).items()}
    np.savez_compressed(options.out, limit=np.array(limit, np.float32), **arrays)
    print(f"limit {limit:.3f}; {options.out.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
