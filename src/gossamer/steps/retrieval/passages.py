"""Passages: exact spans with their headings and scores, the best first."""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from gossamer.model.page import Page, Passage
from gossamer.steps.retrieval.index import PageIndex
from gossamer.steps.retrieval.passage_context import closing, shortened
from gossamer.steps.retrieval.rank import Ranked
from gossamer.steps.retrieval.scores import scale
from gossamer.steps.retrieval.windows import MayOpen, Spot, Window, windows
from gossamer.steps.tokens.count import roughly

_LEAD_TOKENS = 64
"""What has to be read before a passage may always be so long; beyond that, a third of what is shown at once."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Units:
    """The units of all pages in one row."""

    pages: Sequence[Page]
    indexes: Sequence[PageIndex]
    starts: list[int]
    """The first spot of each page."""
    chunk_starts: list[int]
    """The first chunk of each page among those of all pages."""
    spots: Sequence[Spot]
    short: dict[str, str]
    """What is shown before rows and lines instead of what is too long."""

    def owner(self, spot: int) -> tuple[int, int]:
        """Its page, and its number there."""
        page = bisect_right(self.starts, spot) - 1
        return page, spot - self.starts[page]

    def chunk(self, spot: int) -> int:
        """The number of its chunk among those of all pages."""
        page, number = self.owner(spot)
        return self.chunk_starts[page] + self.indexes[page].units[number].chunk


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
    min_score: float = 0.0,
) -> list[Passage]:
    """At most `max_results` spans of the pages for each query, as `windows` chooses them, none below `min_score`.

    `model` names whose cosines the ranking holds, `is_mixed` says that they are between languages. Where nothing could
    be compared, nothing is below.
    """

    def scaled(cosine: float) -> float:
        return scale(cosine, model, is_mixed=is_mixed)

    row = _row(pages, indexes, max(_LEAD_TOKENS, budget_tokens // 3))
    if not row.spots:
        return []
    chosen = windows(
        [each.scores for each in ranked],
        row.spots,
        max_results=max_results,
        budget_tokens=budget_tokens,
        may_open=_near(row, ranked, scaled, min_score),
    )
    results: list[Passage] = []
    for window in chosen:
        score = _score(window, row, ranked[window.query], scaled)
        results.append(_passage(window, row, queries, score, ranked[window.query].scores))
    return results


def closest(ranked: Ranked, model: str, *, is_mixed: bool) -> float:
    """How close the closest chunk of all pages comes, on the common scale; 0 where nothing could be compared."""
    return scale(max(ranked.closeness), model, is_mixed=is_mixed) if ranked.closeness else 0.0


def _near(row: _Units, ranked: Sequence[Ranked], scaled: Callable[[float], float], min_score: float) -> MayOpen | None:
    """Where windows may be opened: in chunks that are close enough. None: anywhere, nothing is or could be below."""
    close = [each.closeness for each in ranked if each.closeness is not None]
    if not min_score or len(close) < len(ranked):
        return None
    return lambda query, spot: scaled(close[query][row.chunk(spot)]) >= min_score


def _row(pages: Sequence[Page], indexes: Sequence[PageIndex], most_lead: int) -> _Units:
    spots: Sequence[Spot] = indexes[0].spots if len(indexes) == 1 else [*_numbered(indexes)]
    short: dict[str, str] = {}
    if any(spot.lead > most_lead for spot in spots):
        leads = [unit.lead for index in indexes for unit in index.units]
        long = {lead for lead, spot in zip(leads, spots, strict=True) if spot.lead > most_lead}
        short = {lead: shortened(lead, most_lead) for lead in long}
        tokens = {lead: roughly(cut_lead) for lead, cut_lead in short.items()}
        spots = [spot._replace(lead=tokens.get(lead, spot.lead)) for lead, spot in zip(leads, spots, strict=True)]
    return _Units(
        pages=pages,
        indexes=indexes,
        starts=[*accumulate((len(index.units) for index in indexes), initial=0)][:-1],
        chunk_starts=[*accumulate((len(index.chunks) for index in indexes), initial=0)][:-1],
        spots=spots,
        short=short,
    )


def _numbered(indexes: Sequence[PageIndex]) -> Iterator[Spot]:
    """The spots of all pages, no place of one the same as a place of another."""
    before = 0
    for index in indexes:
        for spot in index.spots:
            yield spot._replace(place=before + spot.place)
        before += max((spot.place for spot in index.spots), default=0)


def _score(window: Window, row: _Units, ranked: Ranked, scaled: Callable[[float], float]) -> float:
    """How close its best chunk is; where nothing could be compared, how well its best sentence suits."""
    if ranked.closeness is None:
        return max(ranked.scores[window.first : window.last + 1])
    return scaled(max(ranked.closeness[row.chunk(window.first) : row.chunk(window.last) + 1]))


def _passage(window: Window, row: _Units, queries: Sequence[str], score: float, grades: Sequence[float]) -> Passage:
    number, first = row.owner(window.first)
    page, index = row.pages[number], row.indexes[number]
    last = row.owner(window.last)[1]
    start, end = index.units[first].start, index.units[last].end
    text = page.text[start:end]
    lead = row.short.get(index.units[first].lead, index.units[first].lead)
    return Passage(
        url=page.url,
        title=page.title,
        section=index.chunks[index.units[first].chunk].section,
        start=start,
        end=end,
        text=text,
        score=score,
        query=queries[window.query],
        also=tuple(queries[number] for number in window.also),
        lead=lead,
        tail=closing(f"{lead}\n{text}"),
        grades=tuple(
            (unit.start, unit.end, grades[window.first + nth]) for nth, unit in enumerate(index.units[first : last + 1])
        ),
        batch=window.batch,
    )
