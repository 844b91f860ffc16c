"""Ranked pages -> passages: exact spans with their headings and scores, the best first."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gossamer.model.page import Page, Passage
from gossamer.steps.index import PageIndex
from gossamer.steps.rank import Ranked
from gossamer.steps.scale import scale
from gossamer.steps.tokens import roughly
from gossamer.steps.windows import Alike, Spot, Window, windows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SAME = 0.98
"""The cosine above which two sentences with the same numbers say the same."""
_LEAD_TOKENS = 64
"""What has to be read before a passage may always be so long; beyond that, a third of what is shown at once."""
_NUMBER = re.compile(r"\d+")
_HEADING = re.compile(r"#{1,6}[ \t][^\n]*")


@dataclass(frozen=True, kw_only=True, slots=True)
class _Grains:
    """The grains of all pages in one row: each with its page, its chunk and its number among all chunks."""

    pages: Sequence[Page]
    indexes: Sequence[PageIndex]
    owners: list[tuple[int, int, int]]
    """By grain: its page, its number there, the number of its chunk among those of all pages."""
    spots: list[Spot]
    leads: dict[str, int]
    """What is shown before rows and lines, with its tokens; a longer one is left out."""


def passages(
    queries: Sequence[str],
    pages: Sequence[Page],
    indexes: Sequence[PageIndex],
    ranked: Sequence[Ranked],
    *,
    model: str = "",
    is_mixed: bool = False,
    max_results: int,
    budget_tokens: int,
) -> list[Passage]:
    """At most `max_results` spans of the pages for all queries, as `windows` chooses them.

    `model` names whose cosines the ranking holds, `is_mixed` says that they are between languages.
    """
    row = _row(pages, indexes, max(_LEAD_TOKENS, budget_tokens // 3))
    chosen = windows(
        [each.scores for each in ranked],
        row.spots,
        max_results=max_results,
        budget_tokens=budget_tokens,
        alike=_alike(row),
    )
    found: list[Passage] = []
    for window in chosen:
        score = _score(window, row, ranked[window.query], lambda cosine: scale(cosine, model, is_mixed=is_mixed))
        found.append(_passage(window, row, queries, score))
    return found


def _row(pages: Sequence[Page], indexes: Sequence[PageIndex], most_lead: int) -> _Grains:
    owners: list[tuple[int, int, int]] = []
    spots: list[Spot] = []
    chunks_before = place = 0
    lengths = {grain.lead: roughly(grain.lead) for index in indexes for grain in index.grains}
    leads = {lead: tokens for lead, tokens in lengths.items() if tokens <= most_lead}
    for number, index in enumerate(indexes):
        text = pages[number].text
        section: tuple[str, ...] | None = None
        for at, grain in enumerate(index.grains):
            here = index.chunks[grain.chunk].section
            if here != section:
                section, place = here, place + 1
            owners.append((number, at, chunks_before + grain.chunk))
            said = text[grain.start : grain.end]
            is_heading = said[:1] == "#" and not grain.lead and _HEADING.fullmatch(said) is not None
            spots.append(Spot(grain.tokens, place, said, leads.get(grain.lead, 0), is_heading))
        chunks_before += len(index.chunks)
    return _Grains(pages=pages, indexes=indexes, owners=owners, spots=spots, leads=leads)


def _score(window: Window, row: _Grains, ranked: Ranked, scaled: Callable[[float], float]) -> float:
    """How close its best chunk is; where nothing could be compared, how well its best sentence suits."""
    if ranked.closeness is None:
        return max(ranked.scores[window.first : window.last + 1])
    first, last = row.owners[window.first][2], row.owners[window.last][2]
    return scaled(max(ranked.closeness[first : last + 1]))


def _passage(window: Window, row: _Grains, queries: Sequence[str], score: float) -> Passage:
    number, first, _ = row.owners[window.first]
    page, index = row.pages[number], row.indexes[number]
    last = row.owners[window.last][1]
    start, end = index.grains[first].start, index.grains[last].end
    return Passage(
        url=page.url,
        title=page.title,
        section=index.chunks[index.grains[first].chunk].section,
        start=start,
        end=end,
        text=page.text[start:end],
        score=score,
        query=queries[window.query],
        also=tuple(queries[number] for number in window.also),
        lead=index.grains[first].lead if index.grains[first].lead in row.leads else "",
        sheet=window.sheet,
    )


def _alike(row: _Grains) -> Alike:
    def vector(spot: int) -> "NDArray[np.float16]":
        number, grain, _ = row.owners[spot]
        return row.indexes[number].grain_vectors[grain]

    def alike(spot: int, others: Sequence[int]) -> bool:
        import numpy as np

        if not others:
            return False
        cosines = np.stack([vector(other) for other in others]) @ vector(spot)
        near = [other for other, cosine in zip(others, cosines.tolist(), strict=True) if cosine > _SAME]
        return any(_numbers(row.spots[other].text) == _numbers(row.spots[spot].text) for other in near)

    return alike


def _numbers(text: str) -> list[str]:
    return sorted(_NUMBER.findall(text))
