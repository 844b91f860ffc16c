"""Raw HTML tags in Markdown: what they hide, and what is left of them for a reader."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import unescape

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
"""A value with as many words is a message to somebody; shorter ones are marks of tools."""

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
    """Values taken from it that told something."""


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
    """A picture as Markdown writes it, so that it is told of as other pictures are."""
    words = " ".join(re.sub(r"[\[\]]", " ", unescape(attributes.get("alt") or "")).split())
    address = (attributes.get("src") or "").strip().replace("(", "%28").replace(")", "%29")
    return f"![{words}]({address})" if address and not re.search(r"[\s<>]", address) else ""


def _is_hiding(style: str) -> bool:
    if len(style) > _LONGEST_STYLE:
        return True
    declared = re.sub(r"/\*[^*]*\*/", "", unescape(style)).lower()
    return bool(_HIDES.search(declared))
