"""Foreign strings inside the objects of contract tools: nothing hidden, nothing that could be taken for our marks."""

import math
import re
from typing import Any, cast
from urllib.parse import quote

from gossamer.steps.mark import escape
from gossamer.steps.plain import plain, visible

_MARKING = re.compile("[]<>\\[|\uff1c\ufe64\uff5c]")


def clean_line(text: str, *, max_chars: int = 1000) -> str:
    """One clean line of a title, a name or a sentence."""
    return escape(plain(text, max_chars=max_chars))


def clean_address(url: str) -> str:
    """An address that still leads there; what a mark could be made of is written in percent."""
    return url if escape(url) == url else _MARKING.sub(lambda sign: quote(sign[0], safe=""), url)


def clean_json(value: Any) -> Any:
    """JSON of the same shape whose strings hold nothing hidden and nothing that looks like a mark.

    Markup, line breaks and numbers stay, except those that JSON cannot write. How deep it goes was bounded when it was
    read.
    """
    if isinstance(value, str):
        return escape(visible(value))
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list):
        return [clean_json(item) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {escape(visible(name)): clean_json(item) for name, item in cast("dict[str, Any]", value).items()}
    return value
