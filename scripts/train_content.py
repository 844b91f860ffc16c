"""Train the judge of blocks, src/gossamer/extractors/html/content/model.npz, and say how good it is on sites not seen.

    python scripts/train_content.py PAGES [--folds FOLDER] [--out FILE]

PAGES holds `gold.jsonl.gz`, one object a line: `id`, `set`, `file` (gzipped HTML, below PAGES), `url`, and what a
reader calls the content: `text`, or Markdown in `md`, or only pieces that belong to it (`with`) or not (`without`).
A folder `more` in it holds more of the same. Needs lightgbm, which stands in requirements/peers.txt.

Labels: a block's label is the share of its four-word shingles that the gold text has. A shorter block (a name, a price)
counts where the gold has it in the order of the page: of all places where blocks may stand in the gold text, those are
taken that follow each other in both and cover most words. Of a page with pieces only, the blocks that hold a piece are
labelled.
Weights: every page weighs the same, its blocks by the root of their length; sets whose gold is another tool's output
weigh half. The words of names and of short texts are weighed first, for each fold by what pages of the other folds say
of them, and so are the words of titles and types of data by kind of page (`type`). Pages are read by our own pipeline
up to the choice, so that training sees what running sees.

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
from itertools import groupby
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import lightgbm as lgb
import numpy as np

from gossamer.errors import GossamerError
from gossamer.extractors.charset import decode
from gossamer.extractors.html.content.blocks import Block, Outline, outline, tokens_of
from gossamer.extractors.html.content.features import KIND, Counts, Hints, features, learned, rows
from gossamer.extractors.html.content.learned_words import KINDS, TEXT_TOKENS, Weights, name_words
from gossamer.extractors.html.content.learned_words import packed as packed_words
from gossamer.extractors.html.content.selection import Forest, even, hints, limit
from gossamer.extractors.html.content.tree_counts import Shape
from gossamer.extractors.html.markdown.unmarked_code import mark_up_code
from gossamer.extractors.html.metadata.head import read_head
from gossamer.extractors.html.metadata.structured_data import nodes
from gossamer.extractors.html.streaming import place_streamed
from gossamer.extractors.html.tree import body, parse
from gossamer.extractors.html.visibility.strip_hidden import strip_hidden
from gossamer.steps.forest import MOST_LEAVES

OUT = Path(__file__).parents[1] / "src" / "gossamer" / "extractors" / "html" / "content" / "model.npz"
FOLDS = 5
SHINGLE = 4
MOST_PLACES = 20
"""So many places in the gold text are looked at for one block."""
WEIGHTS = {"zh": 1.5, "readability": 0.5, "defuddle": 0.4, "trafilatura": 0.3}
SEEDS = (1, 2)
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
    kind: str
    site: str
    fold: int
    outline: Outline
    known: Hints
    columns: dict[str, np.ndarray]
    labels: np.ndarray
    """The share of each block that is content; NaN where nobody knows."""
    sizes: np.ndarray
    shape: Shape
    counts: Counts


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


def labels_by_text(blocks: Sequence[Block], lines: Sequence[Sequence[str]]) -> np.ndarray:
    """Label blocks by the whole text of the content, given by its lines."""
    gold = [token for line in lines for token in line]
    edges, end = {0}, 0
    for line in lines:
        end += len(line)
        edges.add(end)
    places = _places(shingles(gold))
    words = _places([(token,) for token in gold])
    labels = np.zeros(len(blocks))
    matches: list[Match] = []
    for nth, block in enumerate(blocks):
        own = shingles(block.tokens)
        hits = [at for at, shingle in enumerate(own) if shingle in places]
        labels[nth] = len(hits) / max(1, len(own))
        size = len(block.tokens)
        if labels[nth] >= 0.5:
            starts = (max(0, at - hits[0]) for at in places[own[hits[0]]][:MOST_PLACES])
            matches += [Match(nth, at, min(len(gold), at + size), len(hits) + SHINGLE - 1.0) for at in starts]
        elif 0 < size < SHINGLE:
            starts = [at for at in words.get((block.tokens[0],), ()) if gold[at : at + size] == block.tokens]
            for at in starts[: 3 * MOST_PLACES]:
                is_line = at in edges and at + size in edges
                matches.append(Match(nth, at, at + size, size * (1.0 if is_line else 0.6)))
    for nth in _in_order(matches, len(gold)):
        if len(blocks[nth].tokens) < SHINGLE:
            labels[nth] = 1.0
    return labels


class Match(NamedTuple):
    """A block, a stretch of the gold text that it may be, and how many words speak for that."""

    block: int
    start: int
    end: int
    worth: float


def _places(parts: Sequence[tuple[str, ...]]) -> dict[tuple[str, ...], list[int]]:
    places: dict[tuple[str, ...], list[int]] = {}
    for at, part in enumerate(parts):
        places.setdefault(part, []).append(at)
    return places


def _in_order(matches: Sequence[Match], size: int) -> set[int]:
    """The blocks whose matches stand in the gold text in the order of the page; then those of what is left of both."""
    chosen: set[int] = set()
    used = np.zeros(size + 1, bool)
    for _ in range(2):
        left = [match for match in matches if match.block not in chosen and not used[match.start : match.end].any()]
        for match in _heaviest(left, size):
            chosen.add(match.block)
            used[match.start : match.end] = True
    return chosen


def _heaviest(matches: Sequence[Match], size: int) -> list[Match]:
    """The matches worth most that follow each other on the page and in the gold text, by a tree of prefix maxima."""
    best: list[tuple[float, int]] = [(0.0, -1)] * (size + 2)
    before: list[int] = []

    def up_to(at: int) -> tuple[float, int]:
        found, at = (0.0, -1), at + 1
        while at > 0:
            found, at = max(found, best[at], key=lambda entry: entry[0]), at & (at - 1)
        return found

    for _, same in groupby(enumerate(matches), key=lambda entry: entry[1].block):
        fresh: list[tuple[int, float, int]] = []
        for nth, match in same:
            worth, last = up_to(match.start)
            before.append(last)
            fresh.append((match.end + 1, worth + match.worth, nth))
        for place, worth, nth in fresh:
            at = place
            while at < len(best):
                if best[at][0] < worth:
                    best[at] = (worth, nth)
                at += at & -at
    chain: list[Match] = []
    nth = up_to(size)[1]
    while nth >= 0:
        chain.append(matches[nth])
        nth = before[nth]
    return chain


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
    place_streamed(root)
    said, title = nodes(root), read_head(root).title
    try:
        strip_hidden(root)
    except GossamerError:
        return None
    mark_up_code(root, with_links=True)
    page = outline(body(root))
    if not any(block.tokens for block in page.blocks):
        return None
    known = hints(root, said, title)
    if record["set"] == "trafilatura":
        labels = labels_by_pieces(page.blocks, record["with"], record["without"])
    else:
        gold = re.sub(r"\]\([^)\s]*\)", "]", record["md"]) if "md" in record else record["text"]
        labels = labels_by_text(page.blocks, [tokens_of(line) for line in gold.split("\n")])
    return page_of(record, page, known, labels, site_of(record, text))


def page_of(record: dict, page: Outline, known: Hints, labels: np.ndarray, site: str) -> Page:
    """A page without its tree, which would take too much memory."""
    shape = Shape(page)
    counts = Counts(page, shape)
    columns = {name: column.astype(np.float32) for name, column in features(page, known).items()}
    page.elements.clear()
    for block in (*page.blocks, *page.signs):
        del block.element
    sizes = np.array([max(1, len(block.tokens)) for block in page.blocks], float)
    return Page(
        id=record["id"],
        set=record["set"],
        kind=record.get("type") or "",
        site=site,
        fold=fold_of(site),
        outline=page,
        known=known,
        columns=columns,
        labels=labels,
        sizes=sizes,
        shape=shape,
        counts=counts,
    )


def load(folder: Path) -> list[Page]:
    """All pages with a gold text, those in the folder `more` too."""
    pages: list[Page] = []
    for part in (folder, folder / "more"):
        if (part / "gold.jsonl.gz").is_file():
            with gzip.open(part / "gold.jsonl.gz", "rt", encoding="utf-8") as lines:
                records = [json.loads(line) for line in lines]
            wanted = [record for record in records if {"text", "md", "with"} & record.keys()]
            pages += [page for record in wanted if (page := read(part, record))]
    return pages


FEWEST_SITES = {"names": 8, "texts": 10, "kinds": 3}
DOUBT = 3.0
"""So many pages of the usual share are added to what was counted of a word."""
LEAST_WEIGHT = 0.15


class Tally:
    """What pages say of words: how many sites have each one, how many pages, and with what share of content."""

    def __init__(self) -> None:
        self.sites: dict[str, dict[str, set[str]]] = {"names": {}, "texts": {}, "kinds": {}}
        self.pages: dict[str, dict[str, np.ndarray]] = {"names": {}, "texts": {}, "kinds": {}}
        self.every: dict[str, np.ndarray] = {}

    def add(self, what: str, word: str, site: str, amount: np.ndarray) -> None:
        """Count a word of one page."""
        self.sites[what].setdefault(word, set()).add(site)
        self.pages[what][word] = self.pages[what].get(word, 0.0) + amount

    def add_page(self, page: Page) -> None:
        """Count the words of a page."""
        known = ~np.isnan(page.labels)
        if known.any():
            for what, bags, size in (("names", _names_round(page), np.sqrt(page.sizes)), ("texts", _texts(page), None)):
                shares: dict[str, np.ndarray] = {}
                least = 0.01 * np.sqrt(page.sizes).sum() if size is not None else 1.0
                for nth in np.flatnonzero(known):
                    weight = size[nth] if size is not None else 1.0
                    for word in bags[nth]:
                        share = shares.setdefault(word, np.zeros(2))
                        share += (weight * page.labels[nth], weight)
                total = np.zeros(2)
                for word, (content, weight) in shares.items():
                    evidence = weight / (weight + least)
                    amount = np.array([evidence * content / weight, evidence])
                    self.add(what, word, page.site, amount)
                    total += amount
                self.every[what] = self.every.get(what, np.zeros(2)) + total
        if page.kind in KINDS and page.set in {"wcxb", "aeb"}:
            amount = np.array([float(kind == page.kind) for kind in KINDS])
            for word in page.known.words:
                self.add("kinds", word, page.site, amount)
            self.every["kinds"] = self.every.get("kinds", np.zeros(len(KINDS))) + amount


def _names_round(page: Page) -> list[frozenset[str]]:
    """For each block the words of the names round it."""
    known: dict[tuple[int, str], int] = {}
    sets: list[frozenset[str]] = []
    which: list[int] = []
    for names, parent in zip(page.outline.names, page.outline.parents, strict=True):
        outer = which[parent] if parent >= 0 else -1
        if (outer, names) not in known:
            known[outer, names] = len(sets)
            sets.append((sets[outer] if outer >= 0 else frozenset()) | name_words(names))
        which.append(known[outer, names])
    return [sets[which[block.at]] for block in page.outline.blocks]


def _texts(page: Page) -> list[set[str]]:
    """For each block its words, if it is short."""
    return [set(block.tokens) if len(block.tokens) <= TEXT_TOKENS else set() for block in page.outline.blocks]


def weights_of(tallies: Sequence[Tally]) -> Weights:
    """What the words of some pages speak for."""
    merged: dict[str, dict] = {}
    for what, fewest in FEWEST_SITES.items():
        sites: dict[str, int] = Counter()
        pages: dict[str, np.ndarray] = {}
        for tally in tallies:
            for word, where in tally.sites[what].items():
                sites[word] += len(where)
                pages[word] = pages.get(word, 0.0) + tally.pages[what][word]
        every = sum(tally.every[what] for tally in tallies)
        merged[what] = {}
        for word, count in sorted(sites.items()):
            if count < fewest:
                continue
            if what == "kinds":
                inside, outside = pages[word], pages[word].sum() - pages[word]
                shares = (inside + 0.5) / (every + 3.5), (outside + 0.5) / (every.sum() - every + 3.5)
                merged[what][word] = np.log(shares[0] / shares[1]).round(3).tolist()
            else:
                base = every[0] / every[1]
                content, evidence = pages[word] + DOUBT * np.array([base, 1.0])
                share = min(max(content / evidence, 0.003), 0.997)
                weight = round(float(np.log(share / (1 - share)) - np.log(base / (1 - base))), 3)
                if abs(weight) >= LEAST_WEIGHT:
                    merged[what][word] = weight
    return Weights(**merged)


def with_words(page: Page, weights: Weights) -> dict[str, np.ndarray]:
    """The columns of a page, those of learned words too."""
    found = learned(page.outline, page.shape, page.counts, page.known, weights)
    return page.columns | {name: column.astype(np.float32) for name, column in found.items()}


def weights(page: Page) -> np.ndarray:
    """How much each labelled block counts."""
    own = np.where(np.isnan(page.labels), 0, np.sqrt(page.sizes))
    return 100 * WEIGHTS.get(page.set, 1.0) * own / max(1e-9, own.sum())


def train(
    pages: Sequence[Page], tallies: Sequence[Tally], columns: Sequence[str], seeds: Sequence[int] = SEEDS
) -> list[lgb.Booster]:
    """Forests that are averaged, one per seed; words are weighed by what pages of other folds say of them."""
    inside = sorted({page.fold for page in pages})
    weights_for = {fold: weights_of([tallies[other] for other in inside if other != fold]) for fold in inside}
    known = [~np.isnan(page.labels) for page in pages]
    x = np.vstack(
        [rows(with_words(page, weights_for[page.fold]), columns)[mask] for page, mask in zip(pages, known, strict=True)]
    )
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


def model_of(pages: Sequence[Page], tallies: Sequence[Tally], columns: Sequence[str]) -> dict[str, np.ndarray]:
    """All that is shipped of a training on some pages."""
    known = weights_of([tallies[fold] for fold in sorted({page.fold for page in pages})])
    return packed(train(pages, tallies, columns), columns) | packed_words(known)


def main() -> None:
    """Train, score and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", type=Path)
    parser.add_argument("--folds", type=Path, help="keep the forests of the folds here")
    parser.add_argument("--out", type=Path, default=OUT)
    wanted = parser.parse_args()
    pages = load(wanted.pages)
    tallies = [Tally() for _ in range(FOLDS)]
    for page in pages:
        tallies[page.fold].add_page(page)
    columns = [name for name in pages[0].columns if name != KIND]
    scores: dict[str, list[float]] = {}
    for fold in range(FOLDS):
        arrays = model_of([page for page in pages if page.fold != fold], tallies, columns)
        judge = Forest(arrays)
        if wanted.folds:
            wanted.folds.mkdir(parents=True, exist_ok=True)
            np.savez_compressed(wanted.folds / f"fold{fold}.npz", **arrays)
        for page in pages:
            if page.fold == fold:
                likely = judge.likelihood(rows(with_words(page, judge.weights), columns))
                score = page_score(page, even(likely, page.columns, page.sizes))
                scores.setdefault(f"{page.set} {page.kind}" if page.set == "wcxb" else page.set, []).append(score)
    if wanted.folds:
        (wanted.folds / "folds.json").write_text(json.dumps({page.id: page.fold for page in pages}))
    for name, found in sorted(scores.items()):
        print(f"{name:<24}{len(found):>5} pages  mean F1 by labels, out of fold {np.mean(found):.3f}")
    np.savez_compressed(wanted.out, **model_of(pages, tallies, columns))
    print(f"{wanted.out}: {wanted.out.stat().st_size:,} bytes, {len(columns)} columns")


if __name__ == "__main__":
    sys.exit(main())
