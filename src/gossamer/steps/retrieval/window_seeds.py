"""Window seeds: the sentences round which passage windows are opened, one after the other."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from gossamer.steps.text.repeated_sentences import firsts

_FEW = 6
"""Texts of so few tokens may stand in several windows: an answer of one word, a bracket."""
_HERE, _ELSEWHERE = 0.5, 0.8
"""What the same words are worth once more under the same heading, and under another one: they come later."""


class Spot(NamedTuple):
    """A sentence as windows see it."""

    tokens: int
    place: int
    """Neighbours may stand in one window only where this is the same: one section of one page."""
    said: str
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
        times = Counter(spot.said for spot in spots)
        again = {n for n, spot in enumerate(spots) if times[spot.said] > 1}
        orders = [_falling(each, least, spots, again) for each in values]
        self._orders = [iter(each) for each in orders]
        self.bests = [max(range(len(each)), key=each.__getitem__) if any(each) else -1 for each in scores]
        """The best sentence of each question."""
        self.most = max_results * sum(1 for each in orders if each)
        """How many spans there may be."""
        self._unasked = dict(enumerate(self.bests))
        self._turn = 0
        self._spots = spots
        self.firsts = firsts([(spot.place, spot.said) for spot in spots])
        """The spot that each one repeats, mostly itself."""
        self._may_open = may_open or _anywhere
        self._bare = bare
        self._told: set[int] = set()
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
            if best >= 0 and self.firsts[best] in self._told:
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
        self._told.add(self.firsts[spot])

    def is_repeated(self, spot: int) -> bool:
        """Whether it was shown elsewhere.

        Rows, lines of code, a few words and what says nothing may come again beside something else: they are on the
        way to it. Repetitions in a row are on the way to nothing.
        """
        one = self._spots[spot]
        may_repeat = one.lead or one.said == "" or (one.tokens <= _FEW and not self._is_among_copies(spot))
        return not may_repeat and self.firsts[spot] in self._told

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
        return spot not in self.taken and self.firsts[spot] not in self._told


def _falling(values: Sequence[float], least: float, spots: Sequence[Spot], again: Collection[int]) -> list[int]:
    """The spots that are worth more than `least`, the best first; of those that say the same `again`, one."""
    order = sorted((n for n, value in enumerate(values) if value > least), key=lambda n: -values[n])
    worth = list(values)
    known: set[str] = set()
    here: set[tuple[int, str]] = set()
    for n in filter(again.__contains__, order):
        _, place, said, *_ = spots[n]
        worth[n] *= _HERE if (place, said) in here else _ELSEWHERE if said in known else 1
        known.add(said)
        here.add((place, said))
    return sorted(order, key=lambda n: -worth[n])


def _anywhere(_query: int, _spot: int) -> bool:
    return True
