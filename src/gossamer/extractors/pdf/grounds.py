"""What lies on a PDF page beside its text, found by place: what text is on or under."""

from collections.abc import Sequence
from typing import NamedTuple

from gossamer.extractors.sight.colours import Colour, is_close

MOST_LOOKS = 300_000
"""How often a page's texts may be laid against what is drawn there."""
_WHITE: Colour = (255, 255, 255)
_BLACK: Colour = (0, 0, 0)
_TILE_PT = 32.0
_FARTHEST_PT = 20_000.0
_MOST_TILES = 64
"""What lies on more tiles is looked at for every text."""
_POINTS = tuple((across / 16, along / 4) for across in range(1, 16, 2) for along in (1, 3))
"""Where in its box a text is looked at, as shares of the box's width and height."""

Box = tuple[float, float, float, float]
"""Left, bottom, right, top."""
Point = tuple[float, float]


class Ground(NamedTuple):
    """Something that is painted; `ink` is None for unknown colours."""

    order: int
    box: Box
    ink: Colour | None
    is_solid: bool
    """Whether all of the box is painted, and nothing below shines through."""
    is_image: bool = False


class Crowded(Exception):
    """More is drawn on a page than is looked through."""


class Grounds:
    """The grounds of a page in the order in which they are painted."""

    def __init__(self, painted: Sequence[Ground]) -> None:
        self._painted = painted
        self._tiles: dict[Point, list[int]] = {}
        self._large: list[int] = []
        self._looks = 0
        for at, ground in enumerate(painted):
            tiles = _tiles(ground.box)
            if not tiles:
                self._large.append(at)
            for tile in tiles:
                self._tiles.setdefault(tile, []).append(at)

    def is_on_image(self, box: Box) -> bool:
        """Whether most of a box lies on pictures, before or behind it."""
        left = _points(box)
        half = len(left) / 2
        for ground in self._near(box):
            if ground.is_image:
                left = [point for point in left if not _has(ground.box, point)]
        return len(left) <= half

    def shows(self, box: Box, order: int, ink: Colour) -> bool:
        """Whether at least half of a text can be told from what it is painted on, and is not painted over."""
        near = self._near(box)
        if not near:
            return not is_close(ink, _WHITE)
        left, seen = _points(box), 0
        half = len(left) / 2
        for ground in reversed(near):
            inside = [point for point in left if _has(ground.box, point)]
            if not inside or (ground.order > order and not _blots(ground)):
                continue
            is_seen = ground.order < order and (ground.ink is None or not is_close(ink, ground.ink))
            if is_seen or ground.is_solid:
                seen += is_seen and len(inside)
                left = [point for point in left if point not in inside]
        return seen + (0 if is_close(ink, _WHITE) else len(left)) >= half

    def _near(self, box: Box) -> list[Ground]:
        """What a box touches, in the order of painting."""
        if self._looks > MOST_LOOKS:
            raise Crowded
        tiles = _tiles(box)
        places = {at for tile in tiles for at in self._tiles.get(tile, ())} if tiles else range(len(self._painted))
        self._looks += len(places) + len(self._large)
        if self._looks > MOST_LOOKS:
            raise Crowded
        return [self._painted[at] for at in sorted({*places, *self._large}) if meet(box, self._painted[at].box)]


def meet(one: Box, other: Box) -> bool:
    """Whether two boxes have an area in common."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _blots(ground: Ground) -> bool:
    """Whether what is painted later hides what is below; other colours may be a marker's, which lets it through."""
    return ground.is_solid and ground.ink is not None and (is_close(ground.ink, _WHITE) or is_close(ground.ink, _BLACK))


def _points(box: Box) -> list[Point]:
    left, bottom, right, top = box
    return [(left + (right - left) * across, bottom + (top - bottom) * along) for across, along in _POINTS]


def _has(box: Box, point: Point) -> bool:
    return box[0] <= point[0] <= box[2] and box[1] <= point[1] <= box[3]


def _tiles(box: Box) -> list[Point]:
    """The tiles of the page that a box lies on; none when they are many."""
    left, bottom, right, top = (_tile(edge) for edge in box)
    if (right - left + 1) * (top - bottom + 1) > _MOST_TILES:
        return []
    return [(across, along) for across in range(left, right + 1) for along in range(bottom, top + 1)]


def _tile(edge: float) -> int:
    """The number of a tile; an edge that is no number counts as far away."""
    return int(min(_FARTHEST_PT, max(-_FARTHEST_PT, edge)) // _TILE_PT)
