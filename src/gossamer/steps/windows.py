"""Scores of sentences -> the spans to return: tapered windows round the best ones, joined where they touch."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

WIDE, NARROW = 192, 64
"""Tokens shown round the best sentence, and round each further one."""

_WIDER = 128
"""Tokens that a window gains at a time when there may be no more of them; any one sentence fits."""
_FEW = 6
"""Texts of so few tokens may stand in several windows: an answer of one word, a bracket."""


class Spot(NamedTuple):
    """A sentence as windows see it."""

    tokens: int
    place: int
    """Neighbours may stand in one window only where this is the same: one section of one page."""
    text: str
    lead: int = 0
    """Tokens of what is shown before it where it begins a span."""
    is_heading: bool = False


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


Alike = Callable[[int, Sequence[int]], bool]
"""Whether a spot says the same as one of others, in almost the same words."""


def windows(
    scores: Sequence[Sequence[float]],
    spots: Sequence[Spot],
    *,
    max_results: int,
    budget_tokens: int,
    alike: Alike = lambda _spot, _others: False,
) -> list[Window]:
    """Choose at most `max_results` spans, best first; showing them within the budget is the caller's.

    The best sentences of every question are taken in turn, and round each as much as belongs to it: always the
    better neighbour. The budget says how much is shown at once; only the very first sentence may exceed it. Sentences
    are added one by one in an order that does not depend on it, so that a smaller budget keeps the best and a larger
    one only adds.
    When no more spans are allowed, what is left widens those that are there. What comes after the first sheet of
    `budget_tokens` is for who turns the page, and never joined with what was shown before.
    """
    found = _sheets(_Seeds(scores, spots, alike), scores, spots, max_results, budget_tokens)
    return found or _sheets(_Seeds(scores, spots, alike, bare=True), scores, spots, max_results, budget_tokens)


def _sheets(
    seeds: "_Seeds", scores: Sequence[Sequence[float]], spots: Sequence[Spot], most: int, budget_tokens: int
) -> list[Window]:
    found: list[Window] = []
    number = 0
    bests = [max(range(len(each)), key=each.__getitem__) if any(each) else -1 for each in scores]
    while len(found) < most:
        wide = WIDE // max(1, len(scores)) if not found else NARROW
        sheet = _Sheet(scores, spots, seeds, room=budget_tokens, most=most - len(found), wide=wide)
        sheet.fill()
        if not sheet.opened:
            break
        found += (replace(_with_bests(window, bests), sheet=number) for window in sheet.joined())
        number += 1
    return found


def _with_bests(window: Window, bests: Sequence[int]) -> Window:
    """The window with every question whose best sentence it holds, whoever it was opened for."""
    held = {query for query, best in enumerate(bests) if window.first <= best <= window.last}
    return replace(window, also=tuple(sorted(held.union(window.also) - {window.query})))


class _Seeds:
    """The sentences round which windows are opened: those of each question in turn, none and no text twice.

    Sentences that nothing speaks for (score 0) come only where nothing better exists, the longest first. A heading
    comes with what stands below it, or where headings are all there is (`bare`).
    """

    def __init__(
        self, scores: Sequence[Sequence[float]], spots: Sequence[Spot], alike: Alike, *, bare: bool = False
    ) -> None:
        least, values = 0.0, scores
        if not any(score > 0 for each in scores for score in each):
            least, values = -1.0, [[spot.tokens for spot in spots]] * min(1, len(scores))
        self._orders = [
            iter(sorted((n for n, value in enumerate(each) if value > least), key=lambda n, each=each: -each[n]))
            for each in values
        ]
        self._turn = 0
        self._spots = spots
        self._alike = alike
        self._bare = bare
        self._chosen: list[int] = []
        self._texts: set[str] = set()
        self._held: tuple[int, int, int] | None = None
        self.taken: set[int] = set()
        """Every spot that is in a window."""

    def next(self) -> tuple[int, int, int] | None:
        """The next spot, the last one that comes with it in any case, and its question."""
        if self._held:
            held, self._held = self._held, None
            return held
        for _ in self._orders:
            query, self._turn = self._turn, (self._turn + 1) % len(self._orders)
            for spot in self._orders[query]:
                last = spot + (self._spots[spot].is_heading and not self._bare)
                if self._is_new(spot) and (last == spot or self._is_body(last)):
                    self._chosen += range(spot, last + 1)
                    return spot, last, query
        return None

    def hold(self, seed: tuple[int, int, int]) -> None:
        """Keep one that there was no room for: it is the next."""
        self._held = seed

    def take(self, spot: int) -> None:
        """Remember what is shown."""
        self.taken.add(spot)
        self._texts.add(self._spots[spot].text)

    def is_repeated(self, spot: int) -> bool:
        """Whether it was shown elsewhere; rows, lines of code and a few words may come again beside something else."""
        one = self._spots[spot]
        return one.tokens > _FEW and not one.lead and one.text in self._texts

    def _is_body(self, spot: int) -> bool:
        """Whether it stands below the heading before it and may be shown."""
        if spot == len(self._spots):
            return False
        heading, body = self._spots[spot - 1], self._spots[spot]
        return body.place == heading.place and not body.is_heading and self._is_new(spot)

    def _is_new(self, spot: int) -> bool:
        is_known = spot in self.taken or self._spots[spot].text in self._texts
        return not is_known and not self._alike(spot, self._chosen)


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
        seeds: _Seeds,
        *,
        room: int,
        most: int,
        wide: int,
    ) -> None:
        self._scores = scores
        self._spots = spots
        self._seeds = seeds
        self._room = room
        self._most = most
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
        while self._room > 0 and self._runs < self._most and (seed := self._seeds.next()):
            if not self._open(*seed):
                break
            self._grow(self.opened[-1], half if len(self.opened) <= firsts else NARROW)
            if len(self.opened) == 2 * firsts:
                self._widen(self.opened[:firsts])
        self._widen(self.opened[:firsts])
        grown = 1
        while self._room > 0 and self._runs >= self._most and grown:
            grown = sum(self._grow(window, window.tokens + _WIDER) for window in self.opened)

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
            sides = [n for n in (window.first - 1, window.last + 1) if self._may_join(n, window, cap)]
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

    def _may_join(self, spot: int, window: _Open, cap: int) -> bool:
        if not 0 <= spot < len(self._spots) or spot in self._seeds.taken or self._seeds.is_repeated(spot):
            return False
        one, other = self._spots[spot], self._spots[window.best]
        return one.place == other.place and window.tokens + one.tokens <= cap

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
