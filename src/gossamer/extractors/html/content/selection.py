"""Block selection: which blocks are kept, once each has its likelihood."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.extractors.html.content.blocks import Outline
from gossamer.extractors.html.content.boilerplate import OWN_NAME, footer, in_bars, in_windows, is_cry, is_pointer
from gossamer.extractors.html.content.features import KIND, Columns, Hints, features, rows
from gossamer.extractors.html.content.forest import Forest
from gossamer.extractors.html.content.headings import under_labels
from gossamer.extractors.html.content.threads import in_comments, is_thread, keep_writers
from gossamer.extractors.html.metadata.json_ld import Node
from gossamer.extractors.html.tree import Element, words

_SURE = 0.5
_DOUBTFUL = 0.3
"""Above a foot an article need not be sure: a short one is often less so than the foot's own sentences."""
_OWN = 0.5
"""How much of a block's likelihood is its own where there are several of its make."""
_FEWEST_ALIKE = 3
_CLEAR = 0.65
"""From this balance on, of 1 at best, a page's content counts as clear."""
_ARTICLE_TOKENS = 40
"""With as many likely words before them, comments stand under an article."""
_LONG_ARTICLE_TOKENS = 100
"""The same where only a label tells the comments: a short text above them may be the first of a thread."""


def hints(root: Element, structured: Sequence[Node]) -> Hints:
    """What the page says of itself as a whole."""
    title = next((words(el) for el in root.iter("title")), "")
    return Hints(title=title, is_thread=is_thread(root, structured))


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """For each block whether it is content, and how likely that is."""

    is_kept: list[bool]
    likely: list[float]


def select_blocks(page: Outline, known: Hints, judge: Forest, *, with_comments: bool) -> Choice:
    """Tell the content of a page."""
    columns = features(page, known)
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
    if not known.is_thread:
        related |= np.array([is_cry(block) for block in page.blocks])
        likely[related & _has_article_before(likely, size, related)] = 0
    has_article = size[(likely >= _SURE) & ~commented].sum() >= _ARTICLE_TOKENS
    if with_comments:
        likely = np.where(commented, np.maximum(likely, _SURE), likely)
    elif has_article and not known.is_thread:
        likely = np.where(commented, 0, likely)
    least = limit(likely, size)
    likely[in_bars(page)] = 0
    is_kept: list[bool] = (likely >= least).tolist()
    if known.is_thread:
        keep_writers(page, is_kept)
    return Choice(is_kept=is_kept, likely=likely.tolist())


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
