"""Cut point: where a slice of text should end, between pages, sections, blocks, lines or words."""

_SHARE = 0.1
"""Of a slice: as much of it is given up for a better end."""
_BEFORE = ("\n## Page ", "\nPage ", "<section>", "\n#")
_AFTER = ("\n\n", "</p>", "\n", ">", " ")
"""What the next slice begins with, and what this one ends with; the best first."""


def border(text: str, start: int, end: int) -> int:
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
