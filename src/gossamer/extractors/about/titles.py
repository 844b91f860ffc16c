"""What a page is called, with and without the name of its site."""

import re
from collections.abc import Sequence

from gossamer.extractors.characters import clean_line

_CUT = re.compile(r"\s+(?:\||-|–|—|·|•|»|::|/)\s+|\s*\|\s*|\s+\[(?=[^\]]+\]$)")
_MAX_CHARS = 300
_SIGN = re.compile(r"[^\W_]+")


def read_titles(candidates: Sequence[str], heads: Sequence[str], *, site: str, host: str) -> tuple[str, str]:
    """The headline, and the title as the page writes it: of `candidates` the first that holds something.

    What stands after a bar is the site's where the rest is a heading of the page, or where it is the site's name; what
    stands before it only where both hold.
    """
    full = next((line for text in candidates if (line := clean_line(text, limit=_MAX_CHARS))), "")
    own = {_level(head) for head in heads} - {""}
    halves = [(full[: cut.start()], full[cut.end() :].removesuffix("]")) for cut in _CUT.finditer(full)]
    names = {
        _level(name) for name in (site, host, host.removeprefix("www."), host.removeprefix("www.").rpartition(".")[0])
    }
    for before, after in halves:
        if _level(before) in own or (_level(after) in names and _level(before)):
            return before, full
        if _level(before) in names and _level(after) in own:
            return after, full
    return full, full


def _level(text: str) -> str:
    """Letters and digits alone: how two spellings of a title are compared."""
    return "".join(_SIGN.findall(text[:_MAX_CHARS])).casefold()
