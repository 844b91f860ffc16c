"""Fields of foreign JSON: an object, a list of objects, a line or a text, each empty where it is something else."""

from collections.abc import Mapping
from typing import Any, cast

from gossamer.extractors.invisible_characters import clean_line
from gossamer.extractors.text.markdown_hidden import strip_hidden_markup

Object = Mapping[str, Any]
NOTHING: Object = {}
_LINE = 400
_LONG = 20_000


def object_of(value: Any) -> Object:
    """An object."""
    return cast("Object", value) if isinstance(value, dict) else NOTHING


def objects_of(value: Any) -> list[Object]:
    """A list of objects."""
    return [object_of(entry) for entry in cast("list[Any]", value)] if isinstance(value, list) else []


def line_of(value: Any) -> str:
    """One clean line of a text."""
    return clean_line(strip_hidden_markup(value)[0], limit=_LINE) if isinstance(value, str) else ""


def long_text(value: Any) -> str:
    """A text of several lines, without what its reader would not see."""
    return strip_hidden_markup(value[:_LONG])[0].strip() if isinstance(value, str) else ""
