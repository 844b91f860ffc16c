"""CSS syntax: numbers, splitting outside of brackets, and the limit beyond which a sheet is not followed.

Where digits could be shared out between two parts of a pattern, all ways would be tried before it gives up. So the
quantifiers are possessive: what a part has taken it keeps.
"""

import re

from gossamer.errors import TooComplex

NUMBER = r"(?:\d++(?:\.\d*+)?|\.\d++)"
"""A number without its sign."""
EXPONENT = r"(?:e[+-]?\d++)?"
_HOLDING = re.compile(r"[\"'(\[]")


def too_complex() -> TooComplex:
    """The error of a page whose style sheets ask for more than any honest one."""
    return TooComplex(
        "The page has style sheets too complex to tell what it hides.",
        hint="It is not read; look for another source.",
    )


def split_outside(text: str, sign: str) -> list[str]:
    """Split at a sign that stands outside brackets and quotes."""
    if sign not in text:
        return [text]
    if _HOLDING.search(text) is None:
        return text.split(sign)
    parts, depth, quote, start = list[str](), 0, "", 0
    for at, char in enumerate(text):
        if quote:
            quote = "" if char == quote and text[at - 1] != "\\" else quote
        elif char in "\"'":
            quote = char
        elif char in "([":
            depth += 1
        elif char in ")]":
            depth = max(0, depth - 1)
        elif char == sign and not depth:
            parts.append(text[start:at])
            start = at + 1
    return [*parts, text[start:]]
