"""What stands in Markdown and is shown to nobody: comments, and elements that hide themselves; code keeps all."""

import re
from dataclasses import dataclass
from html import unescape

_SIGN = re.compile(
    r"<!--|^[ ]{0,3}\[(?://|comment)\]:[ ]*(?:#|<>)[^\n]*$|<([a-z][a-z0-9-]{0,30})(?=[\s/])",
    re.MULTILINE | re.IGNORECASE,
)
_ATTRIBUTE = re.compile(r"([\s/]*)([^\s/>=]*)(?:(\s*=\s*)(?:\"([^\"]*)\"|'([^']*)'|([^\s>]*)))?")
_NAME = re.compile(r"[a-z_:@][\w.:@-]*", re.IGNORECASE)
_EMPTY_LINE = re.compile(r"\n[ \t]*\n")
_FAR = r"-(?:[3-9]\d\d|\d{4}|\d{2,3}(?:em|rem|vw|vh|%))"
_HIDES = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|(?:opacity|font-size|zoom)\s*:\s*0*\.?0+(?![.\d])"
    rf"|(?<![\w-])(?:left|top|right|bottom|inset|text-indent|margin(?:-left|-top)?)\s*:\s*{_FAR}"
    rf"|translate[xy]?\s*\(\s*{_FAR}|scale[xy]?\s*\(\s*0\s*[,)]|(?<![\w-])color\s*:\s*transparent"
    r"|clip\s*:\s*rect|clip-path\s*:\s*(?:inset\s*\(\s*(?:50|100)%|circle\s*\(\s*0)"
    r"|(?<![\w-])(?:max-)?(?:width|height)\s*:\s*[01](?:px)?\s*(?:;|!|$)"
)
_LONGEST_STYLE = 10_000
"""No honest element has a longer one."""
_VOID = frozenset({"img", "br", "hr", "input", "meta", "link", "source", "wbr"})
_FENCE = re.compile(r"^([ \t]*)(`{3,}|~{3,})", re.MULTILINE)
_LINE = re.compile(r"^([ \t]*)(\S[^\n]*)", re.MULTILINE)
_ITEM = re.compile(r" {0,3}(?:[-*+]|[0-9]{1,9}[.)]) {1,4}(?=\S)")
_DEEP = 4
"""As many blanks make a line code by themselves, or part of the paragraph before it."""


@dataclass(frozen=True, slots=True)
class _Tag:
    """What begins like a tag: a line that begins so goes to the browser as it stands, faults and all."""

    end: int
    """The place behind it, or where it was given up."""
    is_one: bool
    hides: bool


def uncommented(text: str) -> tuple[str, int]:
    """Markdown without comments and hidden elements, which no reader of the page sees, and how many."""
    kept: list[str] = []
    hidden, at = 0, 0
    tried = 0
    while found := _SIGN.search(text, at):
        start = found.start()
        end, is_hidden = _open_fence_end(text, at, start), False
        if end is None:
            # Where a tag that never ends was looked for, the next one is not looked for again.
            is_loose = start >= tried and _begins_line(text, start)
            tag = _tag(text, found, is_loose=is_loose) if found[1] else _Tag(found.end(), is_one=True, hides=True)
            tried = max(tried, tag.end)
            is_hidden = tag.hides and not _is_in_code(text, at, start)
            end = _end_of(text, found, tag.end) if is_hidden else tag.end if tag.is_one else found.end()
        kept.append(text[at:start] if is_hidden else text[at:end])
        hidden += is_hidden
        at = end
    kept.append(text[at:])
    return "".join(kept), hidden


def _tag(text: str, found: re.Match[str], *, is_loose: bool) -> _Tag:
    """Read a tag; within a line only one without faults is one."""
    at, hides = found.end(), False
    while part := _ATTRIBUTE.match(text, at):
        name, value = part[2].lower(), part[4] or part[5] or part[6] or ""
        is_faulty = not is_loose and name and not _NAME.fullmatch(name)
        if is_faulty or part.end() == at or _EMPTY_LINE.search(part[1]):
            break
        hides = hides or name == "hidden" or (name == "style" and _is_hiding(value))
        at = part.end()
        if text[at : at + 1] == ">":
            return _Tag(at + 1, is_one=True, hides=hides)
    return _Tag(at, is_one=False, hides=False)


def _is_hiding(style: str) -> bool:
    if len(style) > _LONGEST_STYLE:
        return True
    said = re.sub(r"/\*[^*]*\*/", "", unescape(style)).lower()
    return bool(_HIDES.search(said))


def _begins_line(text: str, at: int) -> bool:
    return not text[max(0, at - _DEEP) : at].rpartition("\n")[2].strip(" ") and (
        at < _DEEP or "\n" in text[at - _DEEP : at]
    )


def _end_of(text: str, found: re.Match[str], inside: int) -> int:
    """The place behind a comment or an element; one that is never closed takes the rest along, as in a browser."""
    if found[0] == "<!--":
        return _comment_end(text, found.start())
    name = (found[1] or "").lower()
    if not name or name in _VOID:
        return inside
    depth = 1
    tags = re.compile(rf"<!--|<(/?){name}(?=[\s/>])", re.IGNORECASE)
    while tag := tags.search(text, inside):
        inside = tag.end()
        if tag[0] == "<!--":
            inside = _comment_end(text, tag.start())
            continue
        # A paragraph is closed by the next one and never stands in another.
        depth += -1 if tag[1] else name != "p"
        if depth == 0:
            end = text.find(">", inside)
            return len(text) if end < 0 else end + 1
    return len(text)


def _comment_end(text: str, start: int) -> int:
    end = text.find("-->", start + 2)
    return len(text) if end < 0 else end + 3


def _is_in_code(text: str, start: int, stop: int) -> bool:
    """Whether a comment's first sign stands in code within its line."""
    line = text[max(text.rfind("\n", max(start, stop - 500), stop) + 1, start) : stop]
    return line.count("`") % 2 == 1 and "```" not in line


def _open_fence_end(text: str, start: int, stop: int) -> int | None:
    """The place behind the fence that is open at `stop`; None where there is none."""
    while mark := _FENCE.search(text, start, stop):
        start = mark.end()
        if _opens(text, mark):
            end = _fence_end(text, mark)
            if end > stop:
                return end
            start = max(start, end)
    return None


def _opens(text: str, mark: re.Match[str]) -> bool:
    """Whether marks at the beginning of a line open a fence.

    Deep ones do after an empty line or a list item that they belong to; elsewhere they are words of the paragraph
    before them, and what follows is no code.
    """
    if mark[2][0] == "`" and "`" in text[mark.end() : _line_end(text, mark.end())]:
        return False
    width = _width(mark[1])
    before = text[text.rfind("\n", 0, max(0, mark.start() - 1)) + 1 : mark.start()]
    if width < _DEEP or not before.strip():
        return True
    item = _ITEM.match(before)
    return item is not None and item.end() <= width < item.end() + _DEEP


def _fence_end(text: str, mark: re.Match[str]) -> int:
    """The place behind a fence: its closing marks, or a line that is indented less, which ends what it stands in."""
    width, sign, size = _width(mark[1]), mark[2][0], len(mark[2])
    for line in _LINE.finditer(text, _line_end(text, mark.end())):
        here, said = _width(line[1]), line[2].rstrip()
        if here < width:
            return line.start()
        if here < width + _DEEP and len(said) >= size and not said.strip(sign):
            return line.end()
    return len(text)


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _width(blanks: str) -> int:
    return len(blanks.expandtabs(4))
