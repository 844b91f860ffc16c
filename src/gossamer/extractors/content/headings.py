"""Which headings belong to kept text: a judge of single blocks sees a few words, and no section under them."""

from collections import Counter
from collections.abc import Sequence

from gossamer.extractors.content.blocks import HEADINGS, Block, Outline
from gossamer.extractors.content.phrases import TEXT_GROUPS, text_groups
from gossamer.extractors.tree import attr

_NEAR = 6
"""A heading belongs to kept text that begins at most as many blocks after it."""
_NEAR_TOP = 3
"""The same above all kept text, where the page's own head stands as well."""
_LEVELS = 8
"""How many elements further out the box or the unit of a heading is looked for."""
_BOX_TOKENS = 8
"""An element with fewer words besides its headings is no box that says what they belong to."""
_SOME_TOKENS = 20
_MOST = 0.6
_FEWEST_UNITS = 3
_ABOVE, _UNIT, _AMONG, _ALONE = 0.001, 0.05, 0.3, 0.5
"""How likely a heading must be above kept text (0 is ruled out), as a unit's name, among kept text, or elsewhere."""
_ASIDE = tuple(TEXT_GROUPS.index(name) for name in ("related", "comments", "share", "sales", "rights"))


class _Text:
    """The words in each element that are no plain heading, and how many of them are kept."""

    def __init__(self, page: Outline, kept: Sequence[bool]) -> None:
        size = len(page.elements)
        self._parents = page.parents
        self.total, self.kept = [0] * size, [0] * size
        for block, keep in zip(page.blocks, kept, strict=True):
            if not is_plain(block):
                self.total[block.at] = len(block.tokens)
                self.kept[block.at] = len(block.tokens) if keep else 0
        for at in range(size - 1, 0, -1):
            self.total[page.parents[at]] += self.total[at]
            self.kept[page.parents[at]] += self.kept[at]

    def box(self, block: Block, least: int) -> tuple[int, int]:
        """The words in the nearest element round a heading that has some more, and how many of them are kept."""
        own = 0 if is_plain(block) else len(block.tokens)
        at = block.at
        for _ in range(_LEVELS):
            if at and self.total[at] - own < least:
                at = self._parents[at]
        return self.total[at], self.kept[at]


def is_plain(block: Block) -> bool:
    """Whether a block is a heading that leads nowhere."""
    return block.element.tag in HEADINGS and 2 * block.linked <= len(block.tokens)


def keep_headings(page: Outline, kept: list[bool], likely: Sequence[float]) -> None:
    """Keep the headings of kept text and of units with kept text, and those that are likely in themselves."""
    text = _Text(page, kept)
    named = _units(page, text)
    blocks = page.blocks
    first = kept.index(True) if True in kept else 0
    away = _NEAR + 1
    for nth in range(len(blocks) - 1, -1, -1):
        block = blocks[nth]
        if block.element.tag in HEADINGS:
            is_above = away <= (_NEAR if nth > first else _NEAR_TOP)
            least = _least(block, text, is_above=is_above, is_named=nth in named)
            kept[nth] |= likely[nth] >= least
            away = away if kept[nth] else _NEAR + 1
        elif block.tokens:
            away = 1 if kept[nth] else away + 1


def _least(block: Block, text: _Text, *, is_above: bool, is_named: bool) -> float:
    """How likely a heading must be to stay."""
    total, kept = text.box(block, _BOX_TOKENS)
    if is_above and (kept or total < _BOX_TOKENS or block.element.tag == "h1"):
        return _ABOVE
    if is_named:
        return _UNIT
    total, kept = text.box(block, _SOME_TOKENS)
    if is_above or (total >= _SOME_TOKENS and kept >= _MOST * total):
        return _AMONG if not _is_aside(block) else 1
    return _ALONE


def _is_aside(block: Block) -> bool:
    says = text_groups(block.text)
    return any(says[at] for at in _ASIDE)


def _units(page: Outline, text: _Text) -> set[int]:
    """The headings that name units of one make, each with kept text: who wrote a post, what a card is about."""
    makes: dict[tuple[str, str], list[int]] = {}
    for nth, block in enumerate(page.blocks):
        if block.element.tag in HEADINGS and block.tokens:
            makes.setdefault((block.element.tag, attr(block.element, "class")), []).append(nth)
    found = set[int]()
    for make in makes.values():
        if len(make) >= _FEWEST_UNITS:
            found.update(_with_own_text(page, make, text))
    return found


def _with_own_text(page: Outline, make: Sequence[int], text: _Text) -> list[int]:
    """Those of some headings that stand in an element with kept text and with none of the others."""
    ways = [_way(page, page.blocks[nth].at) for nth in make]
    shared = Counter(at for way in ways for at in way)
    return [nth for nth, way in zip(make, ways, strict=True) if any(shared[at] == 1 and text.kept[at] for at in way)]


def _way(page: Outline, at: int) -> list[int]:
    """The elements round one, nearest first."""
    way: list[int] = []
    while at > 0 and len(way) < _LEVELS:
        at = page.parents[at]
        way.append(at)
    return way
