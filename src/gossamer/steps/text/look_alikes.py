"""Characters that a reader takes for others (homoglyphs): brackets, hyphens, letters, ends of lines."""

import re

LINE_BREAKS = "\\n\\r\\v\\f\x1c-\x1e\x85\u2028\u2029"
"""For use within a class."""
LESS = "<\uff1c\ufe64\u2039\u02c2\u1438\u2329\u27e8\u276c\u276e\u2770\u29fc\u3008"
MORE = ">\uff1e\ufe65\u203a\u02c3\u1433\u232a\u27e9\u276d\u276f\u2771\u29fd\u3009"
BARS = "|\uff5c\u00a6\u01c0\u2223\u2758\ufe31"
COLONS = ":\uff1a\ufe55\ufe13\u2236\ua789"
OPENING = "\\[\uff3b\u3010\u3014\u3016\u3018\u301a\u27e6\u2772\u2045\ufe5d"
CLOSING = "\\]\uff3d\u3011\u3015\u3017\u3019\u301b\u27e7\u2773\u2046\ufe5e"

_HYPHENS = "\u00ad\u058a\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u2212\u2e3a\u2e3b\ufe58\ufe63\uff0d\uff3f"
_TWINS = dict(
    zip(
        "acehijkopsuxy",
        ["аɑα", "сϲ", "е", "һ", "іι", "ј", "κ\u212a", "оο", "рρ", "ѕ\u017f", "υ", "х", "у"],
        strict=True,
    )
)
"""Letters of other scripts that look the same."""
_TO_FULL_WIDTH = 0xFEE0


def _folding() -> dict[int, str]:
    """What stands for an ASCII letter of the same case, or for a hyphen."""
    table: dict[int, str] = {}
    for letter in map(chr, range(ord("a"), ord("z") + 1)):
        for twin in (chr(ord(letter) + _TO_FULL_WIDTH), *_TWINS.get(letter, "")):
            table[ord(twin)] = letter if twin.islower() else letter.upper()
            table.setdefault(ord(twin.upper()), letter.upper())
    return {**table, **{ord(hyphen): "-" for hyphen in _HYPHENS}}


FOLDING = _folding()
DISGUISED = re.compile(f"[{''.join(map(chr, sorted(FOLDING)))}]")


def in_any_case(word: str) -> str:
    """A pattern of a word in small ASCII letters, written in any case."""
    return "".join(map(_sign, word))


def any_of(words: list[str]) -> str:
    """A pattern of words in any case, each beginning that some share looked at once."""
    by_first: dict[str, list[str]] = {}
    for word in words:
        by_first.setdefault(word[:1].replace("_", "-"), []).append(word[1:])
    branches = [_sign(first) + any_of(rests) for first, rests in by_first.items() if first]
    if not branches:
        return ""
    whole = branches[0] if len(branches) == 1 and "" not in by_first else f"(?:{'|'.join(branches)})"
    return f"(?:{whole})?" if "" in by_first else whole


def letters(sign: str) -> str:
    """A small ASCII letter in any case, for use within a class."""
    # Both cases are written out: a pattern that ignores case looks at each of its branches in turn.
    return f"{sign}{sign.upper()}"


def _sign(sign: str) -> str:
    if sign in "-_":
        return "[-_]"
    return r"\s" if sign == " " else f"[{letters(sign)}]"
