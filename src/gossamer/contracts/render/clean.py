"""Foreign strings in structured results: nothing hidden, nothing that could be taken for our marks or our words.

Some clients show a model the structured result alone. So every string of it has one of four kinds, which its field
names: a clean line or an address, which the field itself makes of what it is given; text, which stands between marks
or was disarmed when it was cut to size; and our own words.
"""

import math
import re
from typing import Annotated, Any, cast
from urllib.parse import quote

from pydantic import AfterValidator

from gossamer.steps.retrieval.cite import escape_citations
from gossamer.steps.text.clean_line import plain, visible
from gossamer.steps.text.look_alikes import BARS, CLOSING, LESS, LINE_BREAKS, MORE, OPENING
from gossamer.steps.text.untrusted_markers import escape

_LINE_BREAK = re.compile(f"[{LINE_BREAKS}]")
_MARKING = re.compile(f"[{LESS}{MORE}{OPENING}{CLOSING}{BARS}]")
_LOADING = re.compile(r"(?<!\\)((?:\\\\)*)(?=!\[|<[a-zA-Z/!?])")


def clean_line(text: str, *, max_chars: int = 1000) -> str:
    """One clean line of a title, a name or a sentence that may hold markup."""
    return escape(plain(text, max_chars=max_chars))


def one_line(text: str) -> str:
    """What is text already, in one clean line."""
    return escape(" ".join(visible(text).split()))


def inert(text: str) -> str:
    """Lines that no page wrote as Markdown, or that were code: a client that renders them shows no picture or tag."""
    return _LOADING.sub(r"\1\\", text)


def unbroken(text: str) -> str:
    """A quote in one line: line breaks are blanks, so that each character stays where it was."""
    return _LINE_BREAK.sub(" ", text)


def clean_address(url: str) -> str:
    """An address that still leads there; what a mark or a citation could be made of is written in percent."""
    url = " ".join(visible(url).split())
    is_armed = escape_citations(escape(url)) != url
    return escape(_MARKING.sub(lambda sign: quote(sign[0], safe=""), url)) if is_armed else url


QuotedLine = Annotated[str, AfterValidator(one_line)]
QuotedAddress = Annotated[str, AfterValidator(clean_address)]
QUOTED, OURS = "quoted", "ours"
QuotedText = Annotated[str, QUOTED]
Ours = Annotated[str, OURS]


def clean_json(value: Any) -> Any:
    """JSON of the same shape whose strings hold nothing hidden and nothing that looks like a mark.

    Markup, line breaks and numbers stay, except those that JSON cannot write. How deep it goes was bounded when it was
    read.
    """
    if isinstance(value, str):
        return escape(visible(value))
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list | tuple):
        return [clean_json(item) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {escape(visible(name)): clean_json(item) for name, item in cast("dict[str, Any]", value).items()}
    return value
