"""Truncation: the beginning of many texts, and the cut point where a slice of one text should end."""

from collections.abc import Sequence

_SHARE = 0.1
"""Of a slice: as much of it is given up for a better end."""
_BEFORE = ("\n## Page ", "\nPage ", "<section>", "\n#")
_AFTER = ("\n\n", "</p>", "\n", ">", " ")
"""What the next slice begins with, and what this one ends with; the best first."""


def truncate_each(texts: Sequence[str], *, most: int) -> list[str]:
    """The texts as they are, or if they have more than `most` characters together, of each an equal share at most."""
    if sum(map(len, texts)) <= most:
        return list(texts)
    share = max(1, most // len(texts))
    return [text[:share] for text in texts]


def cut_point(text: str, start: int, end: int) -> int:
    """The best end of `text[start:end]` not far before `end`; what follows begins there, and nothing is lost."""
    if end >= len(text):
        return end
    least = max(start + 1, end - int((end - start) * _SHARE))
    for sign in _BEFORE:
        lead = sign.startswith("\n")
        at = text.rfind(sign, least - lead, end - lead + len(sign))
        if at >= 0:
            return at + lead
    for sign in _AFTER:
        at = text.rfind(sign, least - len(sign), end)
        if at >= start:
            return at + len(sign)
    return end
