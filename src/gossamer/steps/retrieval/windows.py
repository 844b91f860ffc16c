"""Passage windows: tapered windows round the best sentences, joined where they touch."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gossamer.steps.retrieval.window_seeds import MayOpen, Seeds, Spot

WIDE, NARROW = 192, 64
"""Tokens shown round the best sentence, and round each further one."""

_WIDER = 128
"""Tokens that a window gains at a time when there may be no more of them; any one sentence fits."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Window:
    """A span to return: the spots `first` to `last`."""

    first: int
    last: int
    best: int
    """The spot that it was opened for."""
    query: int
    """The number of the question that it was opened for."""
    also: tuple[int, ...] = ()
    """The numbers of further questions: whose windows it was joined with, or whose best sentence it holds."""
    sheet: int = 0
    """The number of the sheet that it was chosen for."""


def windows(
    scores: Sequence[Sequence[float]],
    spots: Sequence[Spot],
    *,
    max_results: int,
    budget_tokens: int,
    may_open: MayOpen | None = None,
) -> list[Window]:
    """Choose at most `max_results` spans for each question, best first; showing them is the caller's.

    The best sentences of every question are taken in turn, and round each as much as belongs to it: always the
    better neighbour. The budget says how much is shown at once; only the very first sentence may exceed it. Sentences
    are added one by one in an order that does not depend on it, so that a smaller budget keeps the best and a larger
    one only adds.
    When no more spans are allowed, what is left widens those that are there. What comes after the first sheet of
    `budget_tokens` is for who turns the page, and never joined with what was shown before.
    """
    found = _sheets(Seeds(scores, spots, max_results, may_open), scores, spots, budget_tokens)
    return found or _sheets(Seeds(scores, spots, max_results, may_open, bare=True), scores, spots, budget_tokens)


def _sheets(seeds: Seeds, scores: Sequence[Sequence[float]], spots: Sequence[Spot], budget_tokens: int) -> list[Window]:
    found: list[Window] = []
    number = 0
    while len(found) < seeds.most:
        wide = WIDE // max(1, len(scores)) if not found else NARROW
        sheet = _Sheet(scores, spots, seeds, room=budget_tokens, wide=wide, before=len(found))
        sheet.fill()
        if not sheet.opened:
            break
        found += (replace(_with_bests(window, seeds), sheet=number) for window in sheet.joined())
        number += 1
    return found


def _with_bests(window: Window, seeds: Seeds) -> Window:
    """The window with every question whose best sentence it holds, or one that this repeats, whoever it is for."""
    told = {seeds.firsts[spot] for spot in range(window.first, window.last + 1)}
    held = {query for query, best in enumerate(seeds.bests) if best >= 0 and seeds.firsts[best] in told}
    return replace(window, also=tuple(sorted(held.union(window.also) - {window.query})))


@dataclass(slots=True)
class _Open:
    """A window that grows."""

    first: int
    last: int
    best: int
    query: int
    tokens: int


class _Sheet:
    """What is shown at once."""

    def __init__(
        self,
        scores: Sequence[Sequence[float]],
        spots: Sequence[Spot],
        seeds: Seeds,
        *,
        room: int,
        wide: int,
        before: int = 0,
    ) -> None:
        self._scores = scores
        self._spots = spots
        self._seeds = seeds
        self._room = room
        self._before = before
        self._wide = max(NARROW, wide)
        self._here: set[int] = set()
        self._runs = 0
        self.opened: list[_Open] = []

    def fill(self) -> None:
        """Open windows while there is room; then widen them, if there may be no more of them.

        The first one gets half of its width before the second is opened, the rest after: where there is little room,
        two places answer more often than one.
        """
        firsts, half = len(self._scores), max(NARROW, self._wide // 2)
        while self._room > 0 and self._may_be_more and (seed := self._seeds.next()):
            if not self._may_be_more or not self._open(*seed):
                break
            self._grow(self.opened[-1], half if len(self.opened) <= firsts else NARROW)
            if len(self.opened) == 2 * firsts:
                self._widen(self.opened[:firsts])
        self._widen(self.opened[:firsts])
        grown = 1
        while self._room > 0 and not self._may_be_more and grown:
            grown = sum(self._grow(window, window.tokens + _WIDER) for window in self.opened)

    @property
    def _may_be_more(self) -> bool:
        return self._before + self._runs < self._seeds.most

    def _open(self, spot: int, last: int, query: int) -> bool:
        """Open a window, unless it is not the first and there is no room for its sentence: then the sheet is full."""
        tokens = sum(each.tokens for each in self._spots[spot : last + 1])
        if self.opened and tokens + self._spots[spot].lead > self._room:
            self._seeds.hold((spot, last, query))
            self._room = 0
            return False
        for each in range(spot, last + 1):
            self._take(each)
        self._room -= self._spots[spot].lead
        self.opened.append(_Open(spot, last, spot, query, tokens))
        return True

    def _widen(self, opened: Sequence[_Open]) -> None:
        for window in opened:
            self._grow(window, self._wide)

    def joined(self) -> list[Window]:
        """Windows that touch as one, in the order in which the first of each was opened."""
        turns = {id(window): turn for turn, window in enumerate(self.opened)}
        runs: list[list[_Open]] = []
        for window in sorted(self.opened, key=lambda each: each.first):
            if runs and self._touch(runs[-1][-1].last, window.first):
                runs[-1].append(window)
            else:
                runs.append([window])
        leads = [min(run, key=lambda each: turns[id(each)]) for run in runs]
        spans = [
            Window(
                first=run[0].first,
                last=run[-1].last,
                best=lead.best,
                query=lead.query,
                also=tuple(sorted({each.query for each in run} - {lead.query})),
            )
            for run, lead in zip(runs, leads, strict=True)
        ]
        order = sorted(range(len(spans)), key=lambda number: turns[id(leads[number])])
        return [spans[number] for number in order]

    def _grow(self, window: _Open, cap: int) -> bool:
        """Add the better neighbour as long as the window stays within `cap` tokens; tell whether any was added."""
        scores = self._scores[window.query] if self._scores else ()
        before = window.tokens
        while self._room > 0:
            sides = [n for n in self._beside(window) if self._may_join(n, window, cap)]
            if not sides:
                break
            best = max(sides, key=lambda n: scores[n])
            if self._spots[best].tokens > self._room:
                self._room = 0  # a window that is cut might lose the very sentence it was opened for
                break
            window.first, window.last = min(window.first, best), max(window.last, best)
            window.tokens += self._spots[best].tokens
            self._take(best)
        return window.tokens > before

    def _beside(self, window: _Open) -> tuple[int, ...]:
        """Its neighbours; of the window that a later sheet begins with only those after it.

        Where room is left on the sheet before, that window is begun there: with the sentence that it is for, which a
        larger budget shows too.
        """
        is_begun = self._before > 0 and window is self.opened[0]
        return (window.last + 1,) if is_begun else (window.first - 1, window.last + 1)

    def _may_join(self, spot: int, window: _Open, cap: int) -> bool:
        if not 0 <= spot < len(self._spots) or spot in self._seeds.taken:
            return False
        one, other = self._spots[spot], self._spots[window.best]
        fits = one.place == other.place and window.tokens + one.tokens <= cap
        return fits and not self._seeds.is_repeated(spot)

    def _take(self, spot: int) -> None:
        self._seeds.take(spot)
        self._here.add(spot)
        self._room -= self._spots[spot].tokens
        touching = (spot - 1 in self._here and self._touch(spot - 1, spot)) + (
            spot + 1 in self._here and self._touch(spot, spot + 1)
        )
        self._runs += 1 - touching

    def _touch(self, left: int, right: int) -> bool:
        return left + 1 == right and self._spots[left].place == self._spots[right].place
