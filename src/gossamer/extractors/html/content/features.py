"""Block features: one row of numbers per block, from which the classifier decides.

Nothing here knows a site: names and phrases are taken in groups, all else is shape. `scripts/train_content.py` trains
on these rows; docs/extraction.md explains the columns.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.extractors.html.content.blocks import HEADINGS, Outline, tokens_of
from gossamer.extractors.html.content.learned_words import Weights, of_kinds, of_words
from gossamer.extractors.html.content.repeated_units import of_units
from gossamer.extractors.html.content.tree_counts import AROUND, Numbers, Places, Shape
from gossamer.extractors.html.content.vocabulary import NAME_GROUPS, TEXT_GROUPS, text_groups

Columns = dict[str, Numbers]

_STOPS = re.compile(r"[.!?…](?=[\s\"'”’)]|$)|[。！？]")
_COMMAS = re.compile(r"[,;:，、；：]")
_PROSE_TOKENS = 12


class Counts:
    """The blocks of a page in numbers."""

    def __init__(self, page: Outline, shape: Shape) -> None:
        blocks = page.blocks
        self.blocks = blocks
        self.size = len(blocks)
        self.place: Places = np.array([block.at for block in blocks])
        self.tags = [shape.tags[block.at] for block in blocks]
        self.n = numbers(len(block.tokens) for block in blocks)
        self.chars = numbers(len(block.text) for block in blocks)
        self.linked = np.minimum(self.n, numbers(block.linked for block in blocks))
        self.stops = numbers(len(_STOPS.findall(block.text)) for block in blocks)
        self.commas = numbers(len(_COMMAS.findall(block.text)) for block in blocks)
        self.images = numbers(block.images for block in blocks)
        self.heading = numbers(int(tag[1]) if tag in HEADINGS else 0 for tag in self.tags)
        self.says = np.array([text_groups(block.text) for block in blocks], float)
        self.total = max(1.0, float(self.n.sum()))
        self.density = self.linked / np.maximum(1, self.n)
        self.prose = np.where((self.n > _PROSE_TOKENS) & (self.density < 0.4), self.n, 0)


def numbers(values: Iterable[float]) -> Numbers:
    """A column of them."""
    return np.array(list(values), float)


_LABEL_TOKENS = 8
"""A longer text is no label of what follows."""
_PART = 0.4
"""What has a larger share of the page's words is the page, and no part of it."""
KIND = "kind"
"""A column that names what is alike, and is not asked for: equal for blocks reached by the same tags and classes."""
_DATE = re.compile(r"\b(?:19|20)\d\d\b|\d{1,2}[:/.]\d{2}")
_TAGS = (
    *("p", "li", "td", "th", "div", "pre", "dd", "dt", "blockquote", "figcaption", "tr", "section", "article", "form"),
    *("ul", "center"),
)
_UPS = 5
_SAMPLE_CHARS = 80
_DATE_CHARS = 120
_TITLE_TOKENS = 40


NO_WEIGHTS = Weights()


@dataclass(frozen=True, kw_only=True, slots=True)
class Hints:
    """What a page says of itself as a whole."""

    title: str = ""
    is_thread: bool = False
    words: frozenset[str] = frozenset()
    """Of its title, of the types of its structured data, and of the names of its body."""


def features(page: Outline, known: Hints, weights: Weights = NO_WEIGHTS) -> Columns:
    """The columns of a page with at least one block."""
    shape = Shape(page)
    counts = Counts(page, shape)
    columns = _of_text(counts, known.title)
    columns |= _of_place(counts, shape, known.title)
    columns |= _of_names(counts, shape)
    sums = {
        name: shape.sums(shape.spread(counts.place, values))
        for name, values in (
            ("n", counts.n),
            ("linked", counts.linked),
            ("stops", counts.stops),
            ("prose", counts.prose),
            ("blocks", np.ones(counts.size)),
            ("price", counts.says[:, TEXT_GROUPS.index("price")]),
            ("images", counts.images),
            ("heads", counts.heading > 0),
        )
    }
    columns |= _of_surroundings(counts, shape, sums)
    columns |= of_boxes(counts, shape, sums["n"])
    columns |= _alike(counts, shape.path[counts.place])
    columns[KIND] = shape.path[counts.place].astype(float)
    columns |= _of_neighbours(counts, columns, shape.up[counts.place])
    columns |= _of_page(counts, shape, is_thread=known.is_thread)
    columns |= of_units(shape, counts.place, counts.total, sums)
    return columns | learned(page, shape, counts, known, weights)


def learned(page: Outline, shape: Shape, counts: Counts, known: Hints, weights: Weights) -> Columns:
    """The columns that depend on what was learned of words."""
    above = np.maximum.accumulate(np.where(counts.heading > 0, np.arange(counts.size), -1)).astype(int)
    kinds = {name: np.full(counts.size, value) for name, value in of_kinds(known.words, weights).items()}
    return of_words(counts.blocks, page.names, shape, counts.place, above, weights) | kinds


def rows(columns: Mapping[str, Numbers], wanted: Sequence[str]) -> NDArray[np.float32]:
    """The wanted columns, one row per block."""
    return np.stack([columns[name] for name in wanted], axis=1).astype(np.float32)


def _of_text(counts: Counts, title: str) -> Columns:
    """What the text itself shows."""
    blocks, sample = (
        counts.blocks,
        [block.text[:_SAMPLE_CHARS] for block in counts.blocks],
    )
    at_least_one = np.maximum(1, counts.n)
    seen = Counter(block.text for block in blocks)
    titled = set(tokens_of(title))
    columns: Columns = {
        "n": counts.n,
        "chars_per": counts.chars / at_least_one,
        "density": counts.density,
        "links": numbers(block.links for block in blocks),
        "images": counts.images,
        "stops": counts.stops,
        "commas": counts.commas,
        "stops_per": counts.stops / at_least_one,
        "heading": counts.heading,
        "ends": numbers(block.text.endswith((*".!?。！？…\"”'",)) for block in blocks),
        "colon": numbers(block.text.endswith((":", "：")) for block in blocks),
        "capital": numbers(text[:1].isupper() for text in sample),
        "upper": numbers(sum(map(str.isupper, text)) / max(1, len(text)) for text in sample),
        "digits": numbers(sum(map(str.isdigit, text)) / max(1, len(text)) for text in sample),
        "date": numbers(len(block.text) < _DATE_CHARS and bool(_DATE.search(block.text)) for block in blocks),
        "tag": numbers(_TAGS.index(tag) + 1 if tag in _TAGS else 0 for tag in counts.tags),
        "copies": numbers(seen[block.text] for block in blocks),
        "titled": numbers(_share_of(block.tokens, titled) for block in blocks),
    }
    return columns | {f"says_{name}": counts.says[:, at] for at, name in enumerate(TEXT_GROUPS)}


def _share_of(tokens: Sequence[str], titled: set[str]) -> float:
    """How many of a short text's words are in the title."""
    words = set(tokens) if len(tokens) < _TITLE_TOKENS else set[str]()
    return len(words & titled) / max(1, len(words))


def _of_place(counts: Counts, shape: Shape, title: str) -> Columns:
    """Where on the page it stands, and under which heading."""
    at, passed = np.arange(counts.size, dtype=float), np.cumsum(counts.n)
    columns: Columns = {
        "depth": shape.depth[counts.place],
        "before": (passed - counts.n) / counts.total,
        "nth": at / counts.size,
        "left": counts.size - at,
    }
    starts = {"h1": next((at for at, level in enumerate(counts.heading) if level == 1), -1)}
    starts["headline"] = _headline(counts, set(tokens_of(title)))
    for name, start in starts.items():
        columns[f"after_{name}"] = at - start if start >= 0 else np.full(counts.size, -999.0)
        words = (passed - passed[start]) / counts.total
        columns[f"words_after_{name}"] = words if start >= 0 else np.full(counts.size, -9.0)
    above = np.maximum.accumulate(np.where(counts.heading > 0, at, -1)).astype(int)
    has_head = above >= 0
    columns["section_level"] = np.where(has_head, counts.heading[above], 0)
    columns["section_far"] = at - above
    for nth, name in enumerate(TEXT_GROUPS):
        columns[f"section_says_{name}"] = np.where(has_head, counts.says[above, nth], 0)
    return columns | of_section(counts, above)


def _headline(counts: Counts, titled: set[str]) -> int:
    """The heading that shares most words with the page's title; -1 when none does."""
    best, headline = 0.3, -1
    for at in np.flatnonzero(counts.heading):
        share = _share_of(counts.blocks[at].tokens, titled) + 0.02 * (7 - counts.heading[at])
        if share > best:
            best, headline = share, int(at)
    return headline


def _of_names(counts: Counts, shape: Shape) -> Columns:
    """In which elements it stands, and what they are called: 2 when one of the nearest three is called so."""
    near = shape.names | shape.names[shape.up] | shape.names[shape.up[shape.up]]
    columns = {f"in_{tag}": (shape.surroundings[counts.place] >> at & 1).astype(float) for at, tag in enumerate(AROUND)}
    for at, name in enumerate(NAME_GROUPS):
        is_near, is_far = (
            near[counts.place] >> at & 1,
            shape.names_around[counts.place] >> at & 1,
        )
        columns[f"named_{name}"] = (is_near + is_far).astype(float)
    return columns


def _of_surroundings(counts: Counts, shape: Shape, sums: Mapping[str, Numbers]) -> Columns:
    """What stands in the block round it, the block round that one, and so on."""
    points = _points(counts, shape) * (1 - sums["linked"] / np.maximum(1, sums["n"]))
    top = int(np.argmax(points))
    highest = max(1e-6, float(points[top]))
    columns: Columns = {
        "in_top": shape.inside(top)[counts.place],
        "shared_with_top": shape.shared_depth(top)[counts.place] / max(1.0, float(shape.depth[top])),
        "page_top": np.full(counts.size, sums["n"][top] / counts.total),
    }
    ancestor = counts.place
    for level in range(_UPS):
        ancestor = shape.up[ancestor] if level else ancestor
        n, blocks = (
            np.maximum(1, sums["n"][ancestor]),
            np.maximum(1, sums["blocks"][ancestor]),
        )
        columns[f"up{level}_share"] = sums["n"][ancestor] / counts.total
        columns[f"up{level}_density"] = sums["linked"][ancestor] / n
        columns[f"up{level}_prose"] = sums["prose"][ancestor] / n
        columns[f"up{level}_blocks"] = blocks
        columns[f"up{level}_per_block"] = n / blocks
        columns[f"up{level}_stops"] = sums["stops"][ancestor] / n
        columns[f"up{level}_repeats"] = shape.repeats[ancestor]
        columns[f"up{level}_points"] = points[ancestor] / highest
        columns[f"up{level}_prices"] = sums["price"][ancestor] / blocks
    return columns


def _points(counts: Counts, shape: Shape) -> Numbers:
    """Points that unlinked sentences give the elements round them: most to the nearest."""
    worth = 1 + np.minimum(counts.commas, 10) + np.minimum(counts.chars / 100, 6)
    worth = np.where(counts.chars >= 25, worth, 0) * (1 - counts.density)
    points, ancestor = np.zeros(len(shape.tags)), counts.place
    for share in (0.5, 1.0, 0.5, 0.25):
        np.add.at(points, ancestor, worth * share)
        ancestor = shape.up[ancestor]
    return points


def _alike(counts: Counts, path: Places) -> Columns:
    """Of the blocks that are reached by the same tags and classes: how many, how long, how much of them links."""
    at = np.unique(path, return_inverse=True)[1]
    count, words, links = (
        np.bincount(at),
        np.bincount(at, counts.n),
        np.bincount(at, counts.linked),
    )
    return {
        "path_count": count[at].astype(float),
        "path_share": words[at] / counts.total,
        "path_mean": words[at] / count[at],
        "path_density": links[at] / np.maximum(1, words[at]),
    }


def _of_neighbours(counts: Counts, columns: Columns, up: Places) -> Columns:
    """The same of the blocks before and after it, and of the wider neighbourhood."""
    out: Columns = {}
    for by in (-2, -1, 1, 2):
        for name in ("n", "density", "stops", "heading", "depth"):
            out[f"{name}{by:+d}"] = _shifted(columns[name], by)
        if abs(by) == 1:
            out[f"colon{by:+d}"] = _shifted(columns["colon"], by)
        out[f"kin{by:+d}"] = (_shifted(up.astype(float), by) == up).astype(float)
    for width in (4, 12):
        near = np.maximum(1, _window(counts.n, width))
        out[f"near{width}_n"] = near
        out[f"near{width}_density"] = _window(counts.linked, width) / near
        out[f"near{width}_stops"] = _window(counts.stops, width) / near
    return out


def _shifted(values: Numbers, by: int) -> Numbers:
    """The value of the block that stands `by` places further; 0 beyond the ends."""
    at = np.arange(len(values)) + by
    is_there = (at >= 0) & (at < len(values))
    return np.where(is_there, values[np.clip(at, 0, len(values) - 1)], 0)


def _window(values: Numbers, width: int) -> Numbers:
    """The sum over the blocks at most `width` places away."""
    total = np.concatenate([[0.0], np.cumsum(values)])
    at = np.arange(len(values))
    return total[np.minimum(at + width + 1, len(values))] - total[np.maximum(at - width, 0)]


def _of_page(counts: Counts, shape: Shape, *, is_thread: bool) -> Columns:
    """What kind of page it is: the same for every block."""
    wordless = [len(block.text) for block in counts.blocks if len(block.tokens) > 0.6 * len(block.text)]
    page = {
        "n": counts.total,
        "blocks": counts.size,
        "density": counts.linked.sum() / counts.total,
        "stops": counts.stops.sum() / counts.total,
        "prose": counts.prose.sum() / counts.total,
        "thread": is_thread,
        "h1": (counts.heading == 1).sum(),
        "heads": (counts.heading > 1).sum(),
        "articles": shape.tags.count("article"),
        "main": "main" in shape.tags,
        "li": counts.tags.count("li") / counts.size,
        "td": (counts.tags.count("td") + counts.tags.count("th")) / counts.size,
        "pre": shape.tags.count("pre"),
        "images": counts.images.sum(),
        "prices": counts.says[:, TEXT_GROUPS.index("price")].mean(),
        "cjk": sum(wordless) / max(1.0, counts.chars.sum()),
    }
    return {f"page_{name}": np.full(counts.size, float(value)) for name, value in page.items()}


def of_section(counts: Counts, above: Places) -> Columns:
    """What stands below the same heading, the heading aside."""
    part = above - above[0]
    is_text = counts.heading == 0
    kinds = (counts.n, counts.linked, counts.prose, counts.stops)
    n, linked, prose, stops = (np.bincount(part, np.where(is_text, values, 0)).astype(float) for values in kinds)
    at_least_one = np.maximum(1, n)
    return {
        "section_n": n[part],
        "section_density": (linked / at_least_one)[part],
        "section_prose": (prose / at_least_one)[part],
        "section_stops": (stops / at_least_one)[part],
        "section_blocks": np.bincount(part)[part].astype(float),
    }


def of_boxes(counts: Counts, shape: Shape, n: Numbers) -> Columns:
    """Which phrases stand at the head of a part of the page round it."""
    first = shape.first_of(np.flatnonzero(counts.n > 0), counts.place)
    bits = np.zeros(len(shape.tags), int)
    for at in np.flatnonzero((counts.n > 0) & (counts.n <= _LABEL_TOKENS) & counts.says.any(axis=1)):
        box = top = int(counts.place[at])
        while box > 0 and first[shape.parents[box]] == at and n[shape.parents[box]] < _PART * counts.total:
            box = shape.parents[box]
        if box != top:
            bits[box] |= sum(1 << nth for nth in np.flatnonzero(counts.says[at]))
    labels = shape.handed_down(bits)[counts.place]
    return {f"box_says_{name}": (labels >> nth & 1).astype(float) for nth, name in enumerate(TEXT_GROUPS)}
