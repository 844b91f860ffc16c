"""Train the judge of blocks, src/gossamer/extractors/html/content/model.npz, and say how good it is on sites not seen.

    python scripts/train_content.py PAGES [--folds FOLDER] [--out FILE]

PAGES holds `gold.jsonl.gz`, one object a line: `id`, `set`, `file` (gzipped HTML, below PAGES), `url`, and what a
reader calls the content: `text`, or Markdown in `md`, or only pieces that belong to it (`with`) or not (`without`).
Needs lightgbm, which stands in requirements/peers.txt.

Labels: a block's label is the share of its four-word shingles that the gold text has; a shorter block counts where the
gold has it between the texts around it. Of a page with pieces only, the blocks that hold a piece are labelled.
Weights: every page weighs the same, its blocks by the root of their length; sets whose gold is another tool's output
weigh half. Pages are read by our own pipeline up to the choice, so that training sees what running sees.

Scores are out of fold: sites (registrable domains; where the address is made up, the site that the page links to as
itself) are dealt into five folds by a hash of their name, and each page is judged by trees that saw no page of its
site. `--folds` keeps those five forests and the deal (`folds.json`) for bench/extraction.py. Everything is seeded; the
same pages give the same file.
"""

import argparse
import gzip
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

import lightgbm as lgb
import numpy as np

from gossamer.errors import GossamerError
from gossamer.extractors.charset import decode
from gossamer.extractors.html.content.blocks import Block, outline, tokens_of
from gossamer.extractors.html.content.features import KIND, features, rows
from gossamer.extractors.html.content.selection import MOST_LEAVES, Forest, even, hints, limit
from gossamer.extractors.html.markdown.unmarked_code import mark_up_code
from gossamer.extractors.html.metadata.structured_data import nodes
from gossamer.extractors.html.tree import body, parse
from gossamer.extractors.html.visibility.strip_hidden import strip_hidden

OUT = Path(__file__).parents[1] / "src" / "gossamer" / "extractors" / "html" / "content" / "model.npz"
FOLDS = 5
SHINGLE = 4
WEIGHTS = {"zh": 1.5, "readability": 0.5, "defuddle": 0.4, "trafilatura": 0.3}
SEEDS = (1, 2, 3)
ROUNDS = 160
PARAMETERS = {
    "objective": "cross_entropy",
    "learning_rate": 0.06,
    "num_leaves": MOST_LEAVES - 1,
    "min_data_in_leaf": 60,
    "feature_fraction": 0.25,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 10,
    "max_bin": 63,
    "verbose": -1,
    "num_threads": 1,
    "deterministic": True,
    "force_col_wise": True,
}
SECOND_LEVEL = frozenset({"co", "com", "org", "net", "gov", "ac", "edu", "or", "ne", "go"})
HOST = re.compile(r"https?://([a-zA-Z0-9.-]+\.[a-z]{2,})")
OWN_ADDRESS = (
    re.compile(r"<link[^>]{0,300}canonical[^>]{0,300}href=[\"']https?://([a-zA-Z0-9.-]+)"),
    re.compile(r"og:url[\"'][^>]{0,300}content=[\"']https?://([a-zA-Z0-9.-]+)"),
)
OTHER_NAMES = (
    "w3.org schema.org google.com googleapis.com facebook.com twitter.com gstatic.com googletagmanager.com ogp.me "
    "fakehost example.com example.cn example.org"
)
OTHERS = frozenset(OTHER_NAMES.split())


@dataclass(kw_only=True)
class Page:
    """A page ready to train on or to judge."""

    id: str
    set: str
    fold: int
    columns: dict[str, np.ndarray]
    labels: np.ndarray
    """The share of each block that is content; NaN where nobody knows."""
    sizes: np.ndarray


def registrable(host: str) -> str:
    """The part of a host that someone registered, near enough."""
    parts = host.lower().partition(":")[0].split(".")
    is_deep = len(parts) > 2 and parts[-2] in SECOND_LEVEL and len(parts[-1]) == 2
    return ".".join(parts[-3 if is_deep else -2 :])


def site_of(record: dict, text: str) -> str:
    """The site that a page is from."""
    host = registrable(urlsplit(record["url"]).netloc)
    if host and host not in OTHERS:
        return host
    for pattern in OWN_ADDRESS:
        if found := pattern.search(text):
            return registrable(found[1])
    hosts = Counter(registrable(host) for host in HOST.findall(text))
    return next((host for host, _ in hosts.most_common() if host not in OTHERS), record["id"])


def fold_of(site: str) -> int:
    """Which fold a site belongs to."""
    return int(sha256(site.encode()).hexdigest(), 16) % FOLDS


def shingles(tokens: Sequence[str]) -> list[tuple[str, ...]]:
    """All runs of four words."""
    return [tuple(tokens[at : at + SHINGLE]) for at in range(len(tokens) - SHINGLE + 1)]


def labels_by_text(blocks: Sequence[Block], gold: Sequence[str]) -> np.ndarray:
    """Label blocks by the whole text of the content."""
    places: dict[tuple[str, ...], list[int]] = {}
    for at, shingle in enumerate(shingles(gold)):
        places.setdefault(shingle, []).append(at)
    labels, spans, last = np.zeros(len(blocks)), [None] * len(blocks), 0
    for nth, block in enumerate(blocks):
        own = shingles(block.tokens)
        hits = [shingle for shingle in own if shingle in places]
        labels[nth] = len(hits) / max(1, len(own))
        if hits and labels[nth] >= 0.5:
            first = min(places[hits[0]], key=lambda at: (at < last, abs(at - last)))
            end = min(places[hits[-1]], key=lambda at: abs(at - first - len(block.tokens))) + SHINGLE
            spans[nth] = (first, max(end, first + 1))
            last = spans[nth][1]
    return _short_ones(blocks, gold, labels, spans)


def _short_ones(blocks: Sequence[Block], gold: Sequence[str], labels: np.ndarray, spans: list) -> np.ndarray:
    """Label blocks of up to three words: content where the gold has them between their neighbours."""
    following, starts = len(gold), []
    for span in reversed(spans):
        starts.append(following)
        following = span[0] if span else following
    last = 0
    for nth, (block, start) in enumerate(zip(blocks, reversed(starts), strict=True)):
        if spans[nth]:
            last = spans[nth][1]
        elif 0 < len(block.tokens) < SHINGLE:
            low = max(0, last - 2)
            high = min(len(gold), low + 400, (start if start >= last else last + 40) + 2)
            size = len(block.tokens)
            found = next((at for at in range(low, high - size + 1) if gold[at : at + size] == block.tokens), None)
            if found is not None:
                labels[nth], last = 1.0, found + size
    return labels


def labels_by_pieces(blocks: Sequence[Block], wanted: Iterable[str], unwanted: Iterable[str]) -> np.ndarray:
    """Label the blocks that hold a piece, or stand in one."""
    padded = [[f" {' '.join(tokens_of(piece))} " for piece in pieces] for pieces in (wanted, unwanted)]
    labels = np.full(len(blocks), np.nan)
    for nth, block in enumerate(blocks):
        text = f" {' '.join(block.tokens)} "
        for value, pieces in ((0.0, padded[1]), (1.0, padded[0])):
            if any(len(piece) > 2 and (piece in text or (len(text) > 14 and text in piece)) for piece in pieces):
                labels[nth] = value
    return labels


def read(folder: Path, record: dict) -> Page | None:
    """Read a page up to the choice of blocks; None where it is refused.

    Running takes a manual whole and chooses nothing there, yet its blocks are labelled and show what documentation
    looks like, for pages of documentation that no tool marks.
    """
    text = decode(gzip.decompress((folder / record["file"]).read_bytes()), is_html=True).replace("\x00", "")
    root = parse(text)
    said = nodes(root)
    try:
        strip_hidden(root)
    except GossamerError:
        return None
    mark_up_code(root, with_links=True)
    page = outline(body(root))
    if not any(block.tokens for block in page.blocks):
        return None
    columns = features(page, hints(root, said))
    if record["set"] == "trafilatura":
        labels = labels_by_pieces(page.blocks, record["with"], record["without"])
    else:
        gold = re.sub(r"\]\([^)\s]*\)", "]", record["md"]) if "md" in record else record["text"]
        labels = labels_by_text(page.blocks, tokens_of(gold))
    sizes = np.array([max(1, len(block.tokens)) for block in page.blocks], float)
    fold = fold_of(site_of(record, text))
    return Page(id=record["id"], set=record["set"], fold=fold, columns=columns, labels=labels, sizes=sizes)


def load(folder: Path) -> list[Page]:
    """All pages with a gold text."""
    with gzip.open(folder / "gold.jsonl.gz", "rt", encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    wanted = [record for record in records if {"text", "md", "with"} & record.keys()]
    return [page for record in wanted if (page := read(folder, record))]


def weights(page: Page) -> np.ndarray:
    """How much each labelled block counts."""
    own = np.where(np.isnan(page.labels), 0, np.sqrt(page.sizes))
    return 100 * WEIGHTS.get(page.set, 1.0) * own / max(1e-9, own.sum())


def train(pages: Sequence[Page], columns: Sequence[str], seeds: Sequence[int] = SEEDS) -> list[lgb.Booster]:
    """Forests that are averaged: one per seed."""
    known = [~np.isnan(page.labels) for page in pages]
    x = np.vstack([rows(page.columns, columns)[mask] for page, mask in zip(pages, known, strict=True)])
    y = np.concatenate([page.labels[mask] for page, mask in zip(pages, known, strict=True)])
    w = np.concatenate([weights(page)[mask] for page, mask in zip(pages, known, strict=True)])
    data = lgb.Dataset(x, y, weight=w, free_raw_data=False, params={"max_bin": PARAMETERS["max_bin"], "verbose": -1})
    return [lgb.train({**PARAMETERS, "seed": seed}, data, ROUNDS) for seed in seeds]


def packed(boosters: Sequence[lgb.Booster], columns: Sequence[str]) -> dict[str, np.ndarray]:
    """The forest as flat arrays: a leaf asks column 0 and leads to itself."""
    asks, limits, yes, no, values, roots = [], [], [], [], [], []

    def add(node: dict) -> int:
        at = len(asks)
        for column, value in ((asks, 0), (limits, 0.0), (yes, at), (no, at), (values, 0.0)):
            column.append(value)
        if "leaf_value" in node:
            values[at] = node["leaf_value"] / len(boosters)
        else:
            asks[at], limits[at] = node["split_feature"], node["threshold"]
            yes[at] = add(node["left_child"])
            no[at] = add(node["right_child"])
        return at

    for booster in boosters:
        roots += [add(tree["tree_structure"]) for tree in booster.dump_model()["tree_info"]]
    return {
        "columns": np.array(columns),
        "asks": np.array(asks, np.uint8),
        "limits": np.array(limits, np.float32),
        "yes": np.array(yes, np.uint16),
        "no": np.array(no, np.uint16),
        "values": np.array(values, np.float16),
        "roots": np.array(roots, np.uint16),
    }


def page_score(page: Page, likely: np.ndarray) -> float:
    """The balance of words kept rightly and wrongly on one page, by its labels."""
    keep = likely >= limit(likely, page.sizes)
    known = ~np.isnan(page.labels)
    right = (page.labels * page.sizes)[keep & known].sum()
    return float(2 * right / max(1e-9, page.sizes[keep & known].sum() + (page.labels * page.sizes)[known].sum()))


def main() -> None:
    """Train, score and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", type=Path)
    parser.add_argument("--folds", type=Path, help="keep the forests of the folds here")
    parser.add_argument("--out", type=Path, default=OUT)
    wanted = parser.parse_args()
    pages = load(wanted.pages)
    columns = [name for name in pages[0].columns if name != KIND]
    scores: dict[str, list[float]] = {}
    for fold in range(FOLDS):
        arrays = packed(train([page for page in pages if page.fold != fold], columns), columns)
        judge = Forest(arrays)
        if wanted.folds:
            wanted.folds.mkdir(parents=True, exist_ok=True)
            np.savez_compressed(wanted.folds / f"fold{fold}.npz", **arrays)
        for page in pages:
            if page.fold == fold:
                likely = judge.likelihood(rows(page.columns, columns))
                score = page_score(page, even(likely, page.columns, page.sizes))
                scores.setdefault(page.set, []).append(score)
    if wanted.folds:
        (wanted.folds / "folds.json").write_text(json.dumps({page.id: page.fold for page in pages}))
    for name, found in sorted(scores.items()):
        print(f"{name:<14}{len(found):>5} pages  mean F1 by labels, out of fold {np.mean(found):.3f}")
    np.savez_compressed(wanted.out, **packed(train(pages, columns), columns))
    print(f"{wanted.out}: {wanted.out.stat().st_size:,} bytes, {len(columns)} columns")


if __name__ == "__main__":
    sys.exit(main())
