"""Markup repair: what browsers nest otherwise than our parser, so that hidden text stays inside what hides it.

Three habits of browsers matter: an end tag inside a template, a list of choices, an object or a `noscript` closes
nothing outside it; the end tags of body and page close nothing at all; and a slash does not close an element, so
that what follows `<script/>` is script as far as the next end of one.
"""

import re

_RAW_NAMES = "script|style|textarea|title|xmp|iframe|noembed|noframes"
_VOID_NAMES = "area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr"
_TOKEN = re.compile(
    rf"<!--|<(?:(?P<raw>{_RAW_NAMES})|(?P<seal>template|noscript|select|object|applet))(?=[\s/>])"
    r"|</(?:body|html)\s*>|/>",
    re.IGNORECASE,
)
_INSIDE = re.compile(rf"<!--|<(?:(?P<raw>{_RAW_NAMES})(?=[\s/>])|(?P<end>/?)(?P<name>[a-zA-Z][\w-]*))", re.IGNORECASE)
_VOID = frozenset(_VOID_NAMES.split("|"))
_OPENING = re.compile(r"<([a-zA-Z][a-zA-Z0-9-]*)(?=[\s/])")
_COULD_HIDE = re.compile(r"\b(?:hidden|style|class|id)\b", re.IGNORECASE)
_UNQUOTED = re.compile(r"=[^\s\"'<>=]*$")
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
_MAX_TAG_CHARS = 4_000
_DRAWING = re.compile(r"<(/?)(?:svg|math)(?=[\s/>])", re.IGNORECASE)
_UNENDED = "unended"
_MAX_UNENDED = 10
"""After as many objects without an end, no other is sought one for: each search may go through the whole page."""
_COMMENT_END = re.compile(r"--!?>")
_FOREIGN_NAMES = "svg math path g use circle rect line polyline polygon ellipse text tspan a style script title iframe"
_FOREIGN = frozenset(_FOREIGN_NAMES.split())
_NOT_MATHS = frozenset({"main", "map", "mark", "marquee", "menu", "meter"})
_RAW_END = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in _RAW_NAMES.split("|")}


def repair_markup(text: str) -> str:
    """The same page, nested by the parser as browsers nest it."""
    parts: list[str] = []
    start = at = 0
    ends: dict[str, int] = {}
    foreign = _Foreign(text)
    while match := _TOKEN.search(text, at):
        at = match.end()
        if match[0] == "<!--":
            at = _comment_end(text, at)
        elif match["raw"]:
            slash = _slash(text, at)
            is_foreign = slash >= 0 and foreign.is_at(match.start())
            end = at if is_foreign else _after(text, match["raw"].lower(), at, ends)
            if slash >= 0 and not is_foreign and end < len(text):
                parts += (text[start:slash], " ")
                start = slash + 1
            at = end if slash < 0 or end < len(text) else at
        elif match["seal"] and ends.get(_UNENDED, 0) < _MAX_UNENDED:
            cuts, at = _stray_ends(text, match["seal"].lower(), at, ends)
            for cut_start, cut_end in cuts:
                parts.append(text[start:cut_start])
                start = cut_end
        elif match[0] == "/>":
            if _is_open(text, max(start, match.start() - _MAX_TAG_CHARS), match.start()):
                parts += (text[start : match.start()], " >")
                start = at
        elif match[0].startswith("</"):
            parts.append(text[start : match.start()])
            start = at
    return "".join((*parts, text[start:])) if parts else text


def _slash(text: str, at: int) -> int:
    """Where the slash stands that ends the tag round `at`; -1 when none does."""
    end = text.find(">", at, at + _MAX_TAG_CHARS)
    return end - 1 if end > 0 and text[end - 1] == "/" and not _UNQUOTED.search(text[at : end - 1]) else -1


class _Foreign:
    """Tells, place by place, whether drawings and formulas are open: in them a slash does close an element."""

    def __init__(self, text: str) -> None:
        self._tags = _DRAWING.finditer(text)
        self._next = next(self._tags, None)
        self._depth = 0

    def is_at(self, place: int) -> bool:
        """Whether a place, behind all asked for before, stands in one."""
        while self._next is not None and self._next.start() < place:
            self._depth = max(0, self._depth - 1) if self._next[1] else self._depth + 1
            self._next = next(self._tags, None)
        return self._depth > 0


def _is_open(text: str, since: int, slash: int) -> bool:
    """Whether the tag that ends in a slash stays open in a browser, and could be one that hides.

    A slash behind a tag that has ended is text: pages show code like `<slot/>` in which only `<` is written otherwise.
    """
    tag = text[max(since, text.rfind("<", since, slash)) : slash]
    match = _OPENING.match(tag)
    if match is None or not _COULD_HIDE.search(tag) or _UNQUOTED.search(tag) or ">" in _QUOTED.sub("", tag):
        return False
    name = match[1].lower()
    is_foreign = name in _FOREIGN or name.startswith("fe") or (name.startswith("m") and name not in _NOT_MATHS)
    return not is_foreign and name not in _VOID


def _stray_ends(text: str, seal: str, at: int, ends: dict[str, int]) -> tuple[list[tuple[int, int]], int]:
    """End tags inside a sealed element that belong to elements outside it, and where the sealed element ends.

    An object that never ends is somebody's mistake, not a way to hide: what it holds would be shown.
    """
    since, opened = at, {seal: 1}
    cuts: list[tuple[int, int]] = []
    while match := _INSIDE.search(text, at):
        at = match.end()
        if match[0] == "<!--":
            at = _comment_end(text, at)
            continue
        if match["raw"]:
            at = _after(text, match["raw"].lower(), at, ends)
            continue
        name = match["name"].lower()
        if not match["end"]:
            opened[name] = opened.get(name, 0) + (name != "noscript")
        elif opened.get(name, 0) > 0:
            opened[name] -= 1
            if name == seal and not opened[seal]:
                return cuts, at
        else:
            close = text.find(">", at)
            at = len(text) if close < 0 else close + 1
            cuts.append((match.start(), at))
    if seal not in {"object", "applet"}:
        return cuts, len(text)
    ends[_UNENDED] = ends.get(_UNENDED, 0) + 1
    return [], since


def _comment_end(text: str, at: int) -> int:
    if text.startswith((">", "->"), at):
        return at + 1
    match = _COMMENT_END.search(text, at)
    return match.end() if match else len(text)


def _after(text: str, name: str, at: int, ends: dict[str, int]) -> int:
    """The place behind the end tag of an element whose content is no markup, sought once for all if there is none."""
    if ends.get(name) == len(text):
        return len(text)
    match = _RAW_END[name].search(text, at)
    ends[name] = match.end() if match else len(text)
    return ends[name]
