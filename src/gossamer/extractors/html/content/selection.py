"""Block selection: which blocks are content, by a trained classifier and a few rules.

The classifier is a forest of small decision trees, made by `scripts/train_content.py` and read from a data file.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from gossamer.extractors.html.content.blocks import Outline, tokens_of
from gossamer.extractors.html.content.boilerplate import (
    OWN_NAME,
    commands,
    footer,
    in_bars,
    in_comments,
    in_windows,
    is_cry,
    is_pointer,
    is_thread,
    keep_writers,
)
from gossamer.extractors.html.content.features import KIND, Columns, Hints, features, rows
from gossamer.extractors.html.content.headings import under_labels
from gossamer.extractors.html.content.learned_words import KINDS, name_words, unpacked
from gossamer.extractors.html.content.other_stories import other_stories
from gossamer.extractors.html.metadata.structured_data import Node, kinds
from gossamer.extractors.html.tree import Element, attr, body, words
from gossamer.steps.forest import Forest as Trees

_FILE = "model.npz"
_SURE = 0.5
_TITLE_CHARS = 200
_FORUM = 6.0
"""From this weight of its words on a page is a forum's."""
_DOUBTFUL = 0.3
"""Above a foot an article need not be sure: a short one is often less so than the foot's own sentences."""
_OWN = 0.5
"""How much of a block's likelihood is its own where there are several of its make."""
_FEWEST_ALIKE = 3
_MOST_ALIKE = 0.7
_LINE_TOKENS = 20
_CLEAR = 0.65
"""From this balance on, of 1 at best, a page's content counts as clear."""
_ARTICLE_TOKENS = 40
"""With as many likely words before them, comments stand under an article."""
_LONG_ARTICLE_TOKENS = 100
"""The same where only a label tells the comments: a short text above them may be the first of a thread."""


class Forest(Trees):
    """The trees that judge blocks, with what the words of names weigh."""

    def __init__(self, arrays: Mapping[str, NDArray[np.generic]]) -> None:
        super().__init__(arrays)
        self.weights = unpacked(arrays)


@cache
def forest() -> Forest:
    """The forest that is shipped; read once."""
    with (
        (files("gossamer.extractors.html.content") / _FILE).open("rb") as file,
        np.load(file, allow_pickle=False) as arrays,
    ):
        return Forest(dict(arrays))


def hints(root: Element, structured: Sequence[Node], title: str = "") -> Hints:
    """What the page says of itself as a whole; `title` is read before what is never shown was removed."""
    title = title or next((words(el) for el in root.iter("title")), "")
    return Hints(title=title, is_thread=is_thread(root, structured), words=page_words(root, title, structured))


def page_words(root: Element, title: str, structured: Sequence[Node]) -> frozenset[str]:
    """The words that a page says of itself: in its title, in the types of its data, in the names of its body."""
    names = f"{attr(root, 'class')} {attr(body(root), 'class')} {attr(body(root), 'id')}"
    types = {f"@{kind.lower()}" for node in structured for kind in kinds(node)}
    titled = {f"title:{word}" for word in tokens_of(title[:_TITLE_CHARS])}
    return frozenset(types | titled | {f"body:{word}" for word in name_words(names)})


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """For each block whether it is content, and how likely that is."""

    is_kept: list[bool]
    likely: list[float]


def select_blocks(page: Outline, known: Hints, judge: Forest, *, with_comments: bool) -> Choice:
    """Tell the content of a page."""
    columns = features(page, known, judge.weights)
    has_thread = known.is_thread or speaks_of_forum(columns)
    size = np.array([max(1, len(block.tokens)) for block in page.blocks], float)
    likely = even(judge.likelihood(rows(columns, judge.columns)), columns, size)
    named = columns["named_foot"]
    above = _has_article_before(likely, size, named == OWN_NAME, sure=_DOUBTFUL)
    likely[footer(page, named, above) :] = 0
    likely[np.array(in_windows(page)) | np.array([is_pointer(block) for block in page.blocks])] = 0
    related, replies = map(np.array, under_labels(page))
    commented = np.array(in_comments(page)) | (
        replies & _has_article_before(likely, size, replies, _LONG_ARTICLE_TOKENS)
    )
    if has_thread:
        likely[commands(page, columns[KIND].tolist())] = 0
    else:
        related |= np.array([is_cry(block) for block in page.blocks])
        likely[related & _has_article_before(likely, size, related)] = 0
        likely[other_stories(page, columns, likely)] = 0
    has_article = size[(likely >= _SURE) & ~commented].sum() >= _ARTICLE_TOKENS
    if with_comments:
        likely = np.where(commented, np.maximum(likely, _SURE), likely)
    elif has_article and not has_thread:
        likely = np.where(commented, 0, likely)
    least = limit(likely, size)
    likely[in_bars(page)] = 0
    is_kept: list[bool] = (likely >= least).tolist()
    if has_thread:
        is_kept = alike_in_posts(is_kept, columns, size)
        keep_writers(page, is_kept)
    return Choice(is_kept=is_kept, likely=likely.tolist())


def alike_in_posts(is_kept: list[bool], columns: Columns, size: NDArray[np.float64]) -> list[bool]:
    """Of short lines that posts have alike (who wrote, and when) all stay where most do."""
    kind = np.unique(columns[KIND], return_inverse=True)[1]
    count = np.bincount(kind)
    share = np.bincount(kind, np.array(is_kept, float)) / count
    is_usual = (share >= _MOST_ALIKE) & (count >= _FEWEST_ALIKE)
    return (np.array(is_kept) | (is_usual[kind] & (size <= _LINE_TOKENS))).tolist()


def speaks_of_forum(columns: Columns) -> bool:
    """Whether a page's words about itself are those of a forum, and of no other kind as much."""
    others = max(float(columns[f"kind_{kind}"][0]) for kind in KINDS if kind != "forum")
    return float(columns["kind_forum"][0]) >= max(_FORUM, others + 3)


def _has_article_before(
    likely: NDArray[np.float64],
    size: NDArray[np.float64],
    aside: NDArray[np.bool_],
    least: int = _ARTICLE_TOKENS,
    sure: float = _SURE,
) -> NDArray[np.bool_]:
    """For each block whether an article stands before it, what is aside left out."""
    return np.cumsum(np.where((likely >= sure) & ~aside, size, 0)) >= least


def even(likely: NDArray[np.float64], columns: Columns, size: NDArray[np.float64]) -> NDArray[np.float64]:
    """Blocks of one make are more alike than their judge thinks: each goes half the way to the mean of all."""
    kind = np.unique(columns[KIND], return_inverse=True)[1]
    weight = np.sqrt(size)
    mean = np.bincount(kind, likely * weight) / np.bincount(kind, weight)
    return np.where(np.bincount(kind)[kind] >= _FEWEST_ALIKE, _OWN * likely + (1 - _OWN) * mean[kind], likely)


def limit(likely: NDArray[np.float64], size: NDArray[np.float64]) -> float:
    """The likelihood from which on a block is kept: one half on a page whose content is clear.

    Where it is not (a shop, a list of short things), a doubtful block is worth keeping as long as that improves the
    balance to be expected between words kept rightly and wrongly.
    """
    order = np.argsort(-likely, kind="stable")
    right = np.cumsum((likely * size)[order])
    balance = 2 * right / (np.cumsum(size[order]) + right[-1] + 1e-9)
    best = int(np.argmax(balance))
    return _SURE if balance[best] >= _CLEAR else min(_SURE, float(likely[order[best]]))
