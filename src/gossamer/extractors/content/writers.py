"""Who wrote each post of a thread: a name alone says little to a judge of single blocks, and much to a reader."""

import re
from collections import Counter
from collections.abc import Sequence

from gossamer.extractors.content.blocks import Outline
from gossamer.extractors.content.phrases import Known

_WRITER = re.compile(
    r"(?<![a-z])(?:(?:post|message|comment)[-_]?)?(?:author|poster|user[-_]?name|nick[-_]?name|member[-_]?name)"
    r"(?:[-_]?(?:name|link))?(?![-_\w])",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?!.*\b\d+\b)\S.+")
"""More than the letter that stands for a picture, and no date."""
_NAME_TOKENS = 5
_NEAR = 2
"""So many elements further out a name may be called one."""
_LEVELS = 8
"""So many elements further out its post is."""
_FEWEST_POSTS = 2


def keep_writers(page: Outline, kept: list[bool]) -> None:
    """Keep the names of those who wrote kept posts, where no kept text of a post tells them."""
    units = _units(page, kept)
    told: dict[int, list[str]] = {at: [] for at in units}
    for block, keep in zip(page.blocks, kept, strict=True):
        if keep and units:
            for at in (at for at in _way(page, block.at, _LEVELS) if at in told):
                told[at].append(block.text)
    for at, nth in units.items():
        kept[nth] |= bool(told[at]) and page.blocks[nth].text.strip() not in " ".join(told[at])


def _units(page: Outline, kept: Sequence[bool]) -> dict[int, int]:
    """The elements that hold one name each of those of one make, and nothing of another post: the name's block."""
    found: dict[int, int] = {}
    for make in _names(page, kept).values():
        ways = {nth: _way(page, page.blocks[nth].at, _LEVELS) for nth in make}
        shared = Counter(at for way in ways.values() for at in way)
        for nth, way in ways.items():
            own = [at for at in way if shared[at] == 1]
            if own and len(make) >= _FEWEST_POSTS:
                found.setdefault(own[-1], nth)
    return found


def _names(page: Outline, kept: Sequence[bool]) -> dict[str, list[int]]:
    """The blocks that hold a name and are not kept, by what they are called."""
    called = Known(lambda names: _WRITER.search(names) is not None)
    makes: dict[str, list[int]] = {}
    for nth, block in enumerate(page.blocks):
        if 0 < len(block.tokens) <= _NAME_TOKENS and not kept[nth] and _NAME.fullmatch(block.text.strip()):
            names = (page.classes[at] for at in (block.at, *_way(page, block.at, _NEAR)))
            if own := next((name for name in names if called[name]), ""):
                makes.setdefault(own, []).append(nth)
    return makes


def _way(page: Outline, at: int, levels: int) -> list[int]:
    """The elements round one, nearest first."""
    way: list[int] = []
    while at > 0 and len(way) < levels:
        at = page.parents[at]
        way.append(at)
    return way
