"""Scores of sentences -> those round which windows are opened, one after the other."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from gossamer.steps.prepare import says_something

_FEW = 6
"""Texts of so few tokens may stand in several windows: an answer of one word, a bracket."""
_SAME = -1
_COMPARED = 512
"""What was shown last, with which something new is compared: all of it, unless a budget is huge."""


class Spot(NamedTuple):
    """A sentence as windows see it."""

    tokens: int
    place: int
    """Neighbours may stand in one window only where this is the same: one section of one page."""
    text: str
    lead: int = 0
    """Tokens of what is shown before it where it begins a span."""
    is_heading: bool = False


Alike = Callable[[int, Sequence[int]], bool]
"""Whether a spot says the same as one of others, in almost the same words."""
MayOpen = Callable[[int, int], bool]
"""Whether a window may be opened for a question (by its number) round a spot."""


class Seeds:
    """The sentences round which windows are opened: those of each question in turn, none and no text twice.

    Sentences that nothing speaks for (score 0) come only where nothing better exists, the longest first. A heading
    comes with what stands below it, or where headings are all there is (`bare`). A question whose best sentence was
    shown for another has a span already. Where it is said what `may_open`, that speaks for a sentence.
    """

    def __init__(
        self,
        scores: Sequence[Sequence[float]],
        spots: Sequence[Spot],
        max_results: int,
        alike: Alike,
        may_open: MayOpen | None = None,
        *,
        bare: bool = False,
    ) -> None:
        least, values = 0.0 if may_open is None else -1.0, scores
        if not any(score > 0 for each in scores for score in each):
            least, values = -1.0, [[spot.tokens for spot in spots]] * min(1, len(scores))
        orders = [
            sorted((n for n, value in enumerate(each) if value > least), key=lambda n, each=each: -each[n])
            for each in values
        ]
        self._orders = [iter(each) for each in orders]
        self.bests = [max(range(len(each)), key=each.__getitem__) if any(each) else -1 for each in scores]
        """The best sentence of each question."""
        self.most = max_results * sum(1 for each in orders if each)
        """How many spans there may be."""
        self._unasked = dict(enumerate(self.bests))
        self._turn = 0
        self._spots = spots
        self._alike = alike
        self._may_open = may_open or _anywhere
        self._bare = bare
        self._shown: list[int] = []
        self._texts: set[str] = set()
        self._compared: dict[int, int] = {}
        """With how many of those shown a spot was compared, or `_SAME`."""
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
            if self._unasked.pop(query, -1) in self.taken:
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
        self._shown.append(spot)
        self._texts.add(self._spots[spot].text)

    def is_repeated(self, spot: int) -> bool:
        """Whether it was shown elsewhere.

        Rows, lines of code, a few words and what says nothing (the rule of a table) may come again beside something
        else: they are on the way to it.
        """
        one = self._spots[spot]
        is_told = one.tokens > _FEW and not one.lead and says_something(one.text)
        return is_told and (one.text in self._texts or self._is_same(spot))

    def _is_body(self, spot: int) -> bool:
        """Whether it stands below the heading before it and may be shown."""
        if spot == len(self._spots):
            return False
        heading, body = self._spots[spot - 1], self._spots[spot]
        return body.place == heading.place and not body.is_heading and self._is_new(spot)

    def _is_new(self, spot: int) -> bool:
        is_known = spot in self.taken or self._spots[spot].text in self._texts
        return not is_known and not self._is_same(spot)

    def _is_same(self, spot: int) -> bool:
        """Whether something that was shown says the same in other words; no two are compared twice."""
        compared = self._compared.get(spot, 0)
        if compared != _SAME and (others := self._shown[max(compared, len(self._shown) - _COMPARED) :]):
            compared = self._compared[spot] = _SAME if self._alike(spot, others) else len(self._shown)
        return compared == _SAME


def _anywhere(_query: int, _spot: int) -> bool:
    return True
