"""What a passage is about: the headings above it, in a few tokens."""

import re

from gossamer.contracts.envelope import shortened
from gossamer.model.page import Passage
from gossamer.steps.text.clean_line import plain
from gossamer.steps.tokens.count import count

_MOST_TOKENS = 16
_LEAST_TOKENS = 5
"""Fewer do not tell one release, or one product, from another."""
_HEADING = re.compile(r"#{1,6} +(.+)")


def about(passage: Passage, *, is_rest: bool, has_heading_above: bool) -> str:
    """The headings above a passage, the nearest at least: what it says may be true of its own section alone.

    The one above that is told too, if only its beginning: "Fixed" stands below every release. Headings that it begins
    with go without saying, and so does the title of the page, unless nothing else tells that the section above has
    ended.
    """
    own = set[str]() if is_rest else _own_headings(passage.text)
    every = [name for name in names(passage) if name not in own]
    path = [name for name in every if name != line(passage.title)]
    if not path and has_heading_above and not own:
        path = every or ["(no heading)"]
    if not path:
        return ""
    told = _begun(path.pop(), _MOST_TOKENS)
    if path and (left := _MOST_TOKENS - count(f" > {told}")) >= _LEAST_TOKENS:
        told = f"{_begun(path.pop(), left)} > {told}"
    while path and count(longer := f"{path.pop()} > {told}") <= _MOST_TOKENS:
        told = longer
    return f" {told}"


def _begun(name: str, tokens: int) -> str:
    """A heading, or as much of it as fits: of a long one the beginning tells most."""
    return name if count(name) <= tokens else f"{shortened(name, tokens - 2).rsplit(' ', 1)[0]}…"


def _own_headings(text: str) -> set[str]:
    """The headings that a text begins with."""
    found: set[str] = set()
    for each in filter(None, text.split("\n")):
        if not (heading := _HEADING.fullmatch(each)):
            break
        found.add(line(heading[1]))
    return found


def names(passage: Passage) -> list[str]:
    """The headings above a passage that show anything, each in one line."""
    return [name for name in map(line, passage.section) if name]


def line(text: str) -> str:
    """A heading or title in one short line."""
    return plain(text, max_chars=80)
