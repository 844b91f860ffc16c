"""Ordinary pages that use the words of walls: short texts in the layouts that sites put them into.

Both lie in `cases/walls/ordinary`. A layout adds what stands beside an article in real life: login forms, consent
banners, newsletter boxes, subscription offers, scripts of protection services, pleas for scripts.
"""

from collections.abc import Iterator
from functools import cache
from html import escape
from pathlib import Path

_FOLDER = Path(__file__).parent / "cases" / "walls" / "ordinary"
_STEP = 6
"""Every sixth layout for each text, beginning at another one than its neighbours."""


@cache
def texts() -> dict[str, str]:
    """The paragraphs of each text by its title."""
    return _parts("texts.txt")


@cache
def layouts() -> dict[str, str]:
    """Pages with room for a title and a text, by name."""
    return _parts("layouts.txt")


@cache
def pages() -> dict[str, str]:
    """Whole pages that need markup of their own (code, tables, buttons, widgets), by name."""
    return _parts("pages.txt")


def page(title: str, layout: str) -> str:
    """One text in one layout."""
    paragraphs = "".join(f"<p>{escape(line)}</p>" for line in texts()[title].splitlines())
    return layouts()[layout].replace("{title}", escape(title)).replace("{text}", paragraphs)


def pairs(step: int = _STEP) -> Iterator[tuple[str, str]]:
    """Titles with layouts."""
    names = list(layouts())
    for at, title in enumerate(texts()):
        for n in range(0, len(names), step):
            yield title, names[(at + n) % len(names)]


def _parts(name: str) -> dict[str, str]:
    whole = (_FOLDER / name).read_text(encoding="utf-8")
    heads_and_bodies = (part.partition("\n") for part in f"\n{whole}".split("\n=== ")[1:])
    return {head: body.strip() for head, _, body in heads_and_bodies}
