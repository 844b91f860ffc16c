"""3-D transforms and clip paths: whether anything of a box's face is left to see."""

import math
import re

from gossamer.extractors.html.visibility.css.lengths import number, pixels
from gossamer.extractors.html.visibility.css.syntax import EXPONENT, NUMBER

Matrix = tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]]
_CALL = re.compile(r"(rotate(?:x|y|z|3d)?)\(([^()]*)\)")
_ANGLE = re.compile(rf"([+-]?{NUMBER}{EXPONENT})(deg|rad|grad|turn)?")
_DEGREES = {"": 1.0, "deg": 1.0, "rad": 180 / math.pi, "grad": 0.9, "turn": 360.0}
_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
_STRAIGHT: Matrix = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
_MAX_TURNS = 20
_EDGE_ON = 0.02
_FIGURE = re.compile(rf"[+-]?{NUMBER}")
_SIDES = {1: (0, 0, 0, 0), 2: (0, 1, 0, 1), 3: (0, 1, 2, 1), 4: (0, 1, 2, 3)}
"""Which of the given lengths each side takes."""
_WHOLE = 990.0
"""Next to all of a width or height, which count as 1,000 pixels."""


def is_face_lost(transform: str, rotate: str, *, is_back_hidden: bool) -> bool:
    """Whether a box is turned edge-on, or shows its back where the back cannot be seen."""
    turned = _STRAIGHT
    for axis, degrees in [*_turn_of(rotate), *_turns_in(transform)][:_MAX_TURNS]:
        turned = _product(turned, _rotation(axis, math.radians(degrees)))
    return abs(turned[2][2]) < _EDGE_ON or (is_back_hidden and turned[2][2] < 0)


def _turn_of(rotation: str) -> list[tuple[tuple[float, float, float], float]]:
    """The `rotate` property: an axis by its name or by three numbers, and an angle, in either order."""
    words = rotation.split()
    angle = next((degrees for word in words if word[-1:].isalpha() and (degrees := _degrees(word)) is not None), None)
    if angle is None:
        return []
    named = next((_AXES[word] for word in words if word in _AXES), None)
    figures = [value for word in words if (value := number(word)) is not None]
    axis = (figures[0], figures[1], figures[2]) if len(figures) == 3 else named or _AXES["z"]
    return [(axis, angle)]


def _turns_in(transform: str) -> list[tuple[tuple[float, float, float], float]]:
    turns: list[tuple[tuple[float, float, float], float]] = []
    for name, inside in _CALL.findall(transform):
        parts = inside.split(",")
        degrees = _degrees(parts[-1].strip())
        if degrees is None:
            continue
        if name == "rotate3d" and len(parts) == 4:
            x, y, z = (number(part) or 0.0 for part in parts[:3])
            turns.append(((x, y, z), degrees))
        else:
            turns.append((_AXES[name[6:] if name[6:] in _AXES else "z"], degrees))
    return turns


def _degrees(value: str) -> float | None:
    match = _ANGLE.fullmatch(value)
    return float(match[1]) * _DEGREES[match[2] or ""] if match else None


def _rotation(axis: tuple[float, float, float], angle: float) -> Matrix:
    length = math.hypot(*axis)
    if not length or not math.isfinite(length) or not math.isfinite(angle):
        return _STRAIGHT
    x, y, z = (part / length for part in axis)
    cos, sin = math.cos(angle), math.sin(angle)
    rest = 1 - cos
    return (
        (cos + rest * x * x, rest * x * y - sin * z, rest * x * z + sin * y),
        (rest * x * y + sin * z, cos + rest * y * y, rest * y * z - sin * x),
        (rest * x * z - sin * y, rest * y * z + sin * x, cos + rest * z * z),
    )


def _product(left: Matrix, right: Matrix) -> Matrix:
    def row(of: tuple[float, float, float]) -> tuple[float, float, float]:
        first, second, third = (sum(of[at] * right[at][column] for at in range(3)) for column in range(3))
        return first, second, third

    return row(left[0]), row(left[1]), row(left[2])


def leaves_nothing(shape: str, inside: str) -> bool:
    """Whether a shape of `clip-path` is too small to show a letter."""
    inside, _, centre = inside.partition(" at ")
    inside = inside.strip()
    parts = inside.partition(" round ")[0].replace(",", " ").split()
    lengths = [pixels(part) for part in parts]
    if shape == "inset" and 1 <= len(lengths) <= 4:
        top, right, bottom, left = (lengths[at] or 0.0 for at in _SIDES[len(lengths)])
        return top + bottom >= _WHOLE or left + right >= _WHOLE
    if shape in {"circle", "ellipse"}:
        known = [length for length in lengths if length is not None]
        return bool(known) and (min(known) <= 1 or _is_off_centre(centre, max(known)))
    if shape == "polygon":
        points = {tuple(point.split()) for point in inside.split(",")}
        is_flat = len(points) < 3 or any(len({point[axis : axis + 1] for point in points}) == 1 for axis in (0, 1))
        return is_flat or any(_is_beside([point[axis] for point in points if len(point) == 2]) for axis in (0, 1))
    if shape == "xywh" and len(lengths) >= 4:
        return any(length is not None and length <= 1 for length in lengths[2:4])
    if shape == "rect" and len(lengths) >= 4:
        top, right, bottom, left = (
            (0.0 if at in {0, 3} else 1_000.0) if length is None else length for at, length in enumerate(lengths[:4])
        )
        return right - left <= 1 or bottom - top <= 1
    if shape == "shape":
        return len(set(_FIGURE.findall(inside))) == 1
    return shape == "path" and _is_flat_path(inside)


def _is_beside(places: list[str]) -> bool:
    """Whether all places on an axis lie before the box or behind it."""
    offsets = [pixels(place) for place in places]
    known = [place for place in offsets if place is not None]
    return bool(known) and len(known) == len(places) and (max(known) <= 0 or min(known) >= _WHOLE + 10)


def _is_off_centre(centre: str, radius: float) -> bool:
    """Whether a circle round a place does not reach into the box."""
    offsets = [pixels(part) for part in centre.split()]
    return any(place is not None and place + radius <= 0 for place in offsets)


def _is_flat_path(inside: str) -> bool:
    """Whether a drawn path has no room in it, or lies left of the box or above it."""
    figures = [float(digits) for digits in _FIGURE.findall(inside)]
    across, down = figures[::2], figures[1::2]
    if not across or not down or max(figures) - min(figures) <= 1:
        return True
    is_of_points = not re.search(r"[a-km-zA-KN-Z]", re.sub(r"[lzLZmM]|nonzero|evenodd", "", inside))
    if not is_of_points:
        return max(figures) <= 0
    points = list(zip(across, down, strict=False))
    area = sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(points, [*points[1:], points[0]], strict=True))
    return abs(area) < 4 or max(across) <= 0 or max(down) <= 0
