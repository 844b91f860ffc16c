"""Passage windows: tapered windows round the best sentences (their seeds), joined where they touch."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from gossamer.steps.text.duplicates import first_occurrences

_FEW = 6
"""Texts of so few tokens may stand in several windows: an answer of one word, a bracket."""
_HERE, _ELSEWHERE = 0.5, 0.8
"""What the same words are worth once more under the same heading, and under another one: they come later."""
WIDE, NARROW = 192, 64
"""Tokens shown round the best sentence, and round each further one."""

_WIDER = 128
"""Tokens that a window gains at a time when there may be no more of them; any one sentence fits."""


class Spot(NamedTuple):
    """A sentence as windows see it."""

    tokens: int
    place: int
    """Neighbours may stand in one window only where this is the same: one section of one page."""
    words: str
    """Its words; empty where it says nothing (the rule of a table)."""
    lead: int = 0
    """Tokens of what is shown before it where it begins a span."""
    is_heading: bool = False


MayOpen = Callable[[int, int], bool]
"""Whether a window may be opened for a question (by its number) round a spot."""


class Seeds:
    """The sentences round which windows are opened: those of each question in turn, no statement twice.

    The same words of something else are another statement, which comes later.
    Sentences that nothing speaks for (score 0) come only where nothing better exists, the longest first. A heading
    comes with what stands below it, or where headings are all there is (`bare`). A question whose best sentence was
    shown for another has a span already. Where it is said what `may_open`, that speaks for a sentence.
    """

    def __init__(
        self,
        scores: Sequence[Sequence[float]],
        spots: Sequence[Spot],
        max_results: int,
        may_open: MayOpen | None = None,
        *,
        bare: bool = False,
    ) -> None:
        least, values = 0.0 if may_open is None else -1.0, scores
        if not any(score > 0 for each in scores for score in each):
            least, values = -1.0, [[spot.tokens for spot in spots]] * min(1, len(scores))
        times = Counter(spot.words for spot in spots)
        again = {n for n, spot in enumerate(spots) if times[spot.words] > 1}
        orders = [_falling(each, least, spots, again) for each in values]
        self._orders = [iter(each) for each in orders]
        self.bests = [max(range(len(each)), key=each.__getitem__) if any(each) else -1 for each in scores]
        """The best sentence of each question."""
        self.most = max_results * sum(1 for each in orders if each)
        """How many spans there may be."""
        self._unasked = dict(enumerate(self.bests))
        self._turn = 0
        self._spots = spots
        self.firsts = first_occurrences([(spot.place, spot.words) for spot in spots])
        """The spot that each one repeats, mostly itself."""
        self._may_open = may_open or _anywhere
        self._bare = bare
        self._shown_firsts: set[int] = set()
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
            best = self._unasked.pop(query, -1)
            if best >= 0 and self.firsts[best] in self._shown_firsts:
                self.most -= 1
            for spot in self._orders[query]:
                last = spot + (self._spots[spot].is_heading and not self._bare)
                if self._may_open(query, spot) and self._is_new(spot) and (last == spot or self._is_body(last)):
                    return spot, last, query
        return None

    def hold(self, seed: tuple[int, int, int]) -> None:
        """Keep one that there was no room for: it is the next."""
        self._held = seed

    def take(self, spot: int) -> None:
        """Remember what is shown."""
        self.taken.add(spot)
        self._shown_firsts.add(self.firsts[spot])

    def is_repeated(self, spot: int) -> bool:
        """Whether it was shown elsewhere.

        Rows, lines of code, a few words and what says nothing may come again beside something else: they are on the
        way to it. Repetitions in a row are on the way to nothing.
        """
        candidate = self._spots[spot]
        may_repeat = (
            candidate.lead or candidate.words == "" or (candidate.tokens <= _FEW and not self._is_among_copies(spot))
        )
        return not may_repeat and self.firsts[spot] in self._shown_firsts

    def _is_among_copies(self, spot: int) -> bool:
        """Whether it is a repetition that follows another one."""
        return self.firsts[spot] != spot and self.firsts[spot - 1] != spot - 1

    def _is_body(self, spot: int) -> bool:
        """Whether it stands below the heading before it and may be shown."""
        if spot == len(self._spots):
            return False
        heading, body = self._spots[spot - 1], self._spots[spot]
        return body.place == heading.place and not body.is_heading and self._is_new(spot)

    def _is_new(self, spot: int) -> bool:
        return spot not in self.taken and self.firsts[spot] not in self._shown_firsts


def _falling(values: Sequence[float], least: float, spots: Sequence[Spot], again: Collection[int]) -> list[int]:
    """The spots that are worth more than `least`, the best first; of those that say the same `again`, one."""
    order = sorted((n for n, value in enumerate(values) if value > least), key=lambda n: -values[n])
    worth = list(values)
    known: set[str] = set()
    here: set[tuple[int, str]] = set()
    for n in filter(again.__contains__, order):
        _, place, words, *_ = spots[n]
        worth[n] *= _HERE if (place, words) in here else _ELSEWHERE if words in known else 1
        known.add(words)
        here.add((place, words))
    return sorted(order, key=lambda n: -worth[n])


def _anywhere(_query: int, _spot: int) -> bool:
    return True


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
    batch: int = 0
    """The number of the batch that it was chosen for."""


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
    When no more spans are allowed, what is left widens those that are there. What comes after the first batch of
    `budget_tokens` is for who turns the page, and never joined with what was shown before.
    """
    chosen = _packed(Seeds(scores, spots, max_results, may_open), scores, spots, budget_tokens)
    return chosen or _packed(Seeds(scores, spots, max_results, may_open, bare=True), scores, spots, budget_tokens)


def _packed(seeds: Seeds, scores: Sequence[Sequence[float]], spots: Sequence[Spot], budget_tokens: int) -> list[Window]:
    opened: list[Window] = []
    number = 0
    while len(opened) < seeds.most:
        wide = WIDE // max(1, len(scores)) if not opened else NARROW
        packer = _WindowPacker(scores, spots, seeds, room=budget_tokens, wide=wide, before=len(opened))
        packer.fill()
        if not packer.opened:
            break
        opened += (replace(_with_bests(window, seeds), batch=number) for window in packer.joined())
        number += 1
    return opened


def _with_bests(window: Window, seeds: Seeds) -> Window:
    """The window with every question whose best sentence it holds, or a sentence that repeats that one."""
    shown_firsts = {seeds.firsts[spot] for spot in range(window.first, window.last + 1)}
    held = {query for query, best in enumerate(seeds.bests) if best >= 0 and seeds.firsts[best] in shown_firsts}
    return replace(window, also=tuple(sorted(held.union(window.also) - {window.query})))


@dataclass(slots=True)
class _Open:
    """A window that grows."""

    first: int
    last: int
    best: int
    query: int
    tokens: int


class _WindowPacker:
    """Fills one batch with windows that grow around seeds."""

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
        questions, half = len(self._scores), max(NARROW, self._wide // 2)
        while self._room > 0 and self._may_be_more and (seed := self._seeds.next()):
            if not self._may_be_more or not self._open(*seed):
                break
            self._grow(self.opened[-1], half if len(self.opened) <= questions else NARROW)
            if len(self.opened) == 2 * questions:
                self._widen(self.opened[:questions])
        self._widen(self.opened[:questions])
        grown = 1
        while self._room > 0 and not self._may_be_more and grown:
            grown = sum(self._grow(window, window.tokens + _WIDER) for window in self.opened)

    @property
    def _may_be_more(self) -> bool:
        return self._before + self._runs < self._seeds.most

    def _open(self, spot: int, last: int, query: int) -> bool:
        """Open a window, unless it is not the first and there is no room for its sentence: then the batch is full."""
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
        """Its neighbours; of the window that a later batch begins with only those after it.

        Where room is left in the batch before, that window is begun there: with the sentence that it is for, which a
        larger budget shows too.
        """
        is_begun = self._before > 0 and window is self.opened[0]
        return (window.last + 1,) if is_begun else (window.first - 1, window.last + 1)

    def _may_join(self, spot: int, window: _Open, cap: int) -> bool:
        if not 0 <= spot < len(self._spots) or spot in self._seeds.taken:
            return False
        candidate, best = self._spots[spot], self._spots[window.best]
        fits = candidate.place == best.place and window.tokens + candidate.tokens <= cap
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
