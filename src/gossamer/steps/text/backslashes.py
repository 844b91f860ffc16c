"""Backslashes of Markdown: which signs of a text they escape, and where the text may be cut because of them."""


def is_escaped(text: str, at: int, since: int = 0) -> bool:
    """Whether an odd number of backslashes stands right before a place; those before `since` do not count."""
    start = at
    while start > since and text[start - 1] == "\\":
        start -= 1
    return (at - start) % 2 == 1


def whole_escape(text: str, start: int, end: int) -> int:
    """The end of `text[start:end]`, one character earlier where it would part a backslash from what it escapes.

    What follows would begin with a live sign. A slice that is nothing but that backslash keeps it.
    """
    return end - 1 if end - 1 > start and is_escaped(text, end, start) else end
