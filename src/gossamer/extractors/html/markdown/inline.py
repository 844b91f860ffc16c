"""Inline content: a run of text with its emphasis, code, links, images and breaks as one paragraph, escaped.

Text of a page that looks like Markdown or HTML stays text. Signs of the page's own text that could make a mark are
tagged while a paragraph is put together, since its pieces may come from several elements; when it is whole, each
becomes itself again, or itself behind a backslash.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import ClassVar

from gossamer.extractors.html.tree import Element, attr
from gossamer.extractors.invisible_characters import clean
from gossamer.steps.text.backslashes import is_escaped
from gossamer.steps.text.clean_line import HTML_NAMES

_CLOSE, _LESS, _BANG, _TICK = "\x02", "\x03", "\x04", "\x05"
_SIGNS = str.maketrans("]<!`", _CLOSE + _LESS + _BANG + _TICK)
_ITSELF = str.maketrans(_CLOSE + _BANG, "]!")
_MARKED = re.compile(r"[]<!`]")
_SIGN = re.compile(f"([{_CLOSE}{_LESS}{_BANG}{_TICK}])")
_PICTURE = re.compile(_BANG + r"(?=\[)")
_LINKS = re.compile(_CLOSE + r"(?=\()")
_TARGET = re.compile(r"\(\s{0,50}(\S{0,300})\s{0,50}(.?)", re.DOTALL)
_LONG = 300
_DEFINES = re.compile(
    r"(?m)^(\[(?!\^)[^\[\]\n" + _CLOSE + r"]{1,999})" + _CLOSE + r"(?=:[ \t]*\S{1,2000}[ \t]*(?:[\"'(][^\n]{0,500})?$)"
)
_NAME = re.compile(r"/?([a-zA-Z][\w-]*)")
_SCHEME = re.compile(r"(?!https?:|mailto:)[a-zA-Z][a-zA-Z0-9+.-]{1,31}:[^\s<>" + _LESS + r"]*(?:>|\Z)", re.IGNORECASE)
_LOOKED_AT_CHARS = 300
_LINE_CHARS = 80
_CONTAINER = " \t>*+-.)0123456789"
"""The marks of quotes and lists, behind which a line begins anew."""
_MARKS: Mapping[str, str] = {
    "b": "**",
    "strong": "**",
    "i": "*",
    "em": "*",
    "var": "*",
    "cite": "*",
    "dfn": "*",
    "del": "~~",
    "s": "~~",
    "strike": "~~",
}
_OF_MARKS = re.compile(r"[\[\]<`]")
_CODES = frozenset({"code", "kbd", "samp", "tt"})
_MAX_PIECES = 20
"""A raised text of more pieces is no power."""


def marked(text: str) -> str:
    """Text of the page, its signs marked."""
    return text.translate(_SIGNS) if _MARKED.search(text) else text


def settled(text: str) -> str:
    """Text with marked signs as themselves, or escaped where they would make a mark.

    That is a bracket that would end the text of a link, an angle bracket that would begin a tag, an exclamation mark
    before a bracket, and every tick: a single one would end the code that stands beside it, or begin it elsewhere.
    What nobody sees goes before: it would otherwise stand between two signs until the page is cleaned.
    """
    if not _SIGN.search(text):
        return text
    text = "".join(part if _SIGN.fullmatch(part) else clean(part)[0] for part in _SIGN.split(text))
    if "[" in text:
        text = _DEFINES.sub(_close, _LINKS.sub(_link, _PICTURE.sub(_bang, text)))
    text = re.sub(_TICK, _tick, text) if _TICK in text else text
    return re.sub(_LESS, _less, text.translate(_ITSELF))


def _link(match: re.Match[str]) -> str:
    """A bracket before another one: one word in that, alone or with a title in quotes, makes a link."""
    target = _TARGET.match(match.string, match.end())
    if target is None:
        return match[0]
    word, after = target.groups()
    is_link = ")" in word or after in {")", '"', "'", "("} or len(word) == _LONG or word.startswith(_LESS)
    return _close(match) if is_link else match[0]


def _close(match: re.Match[str]) -> str:
    """A bracket behind a backslash; one that has one already is no end of a text."""
    before = match[0][:-1]
    return f"{before}]" if is_escaped(match.string, match.end() - 1) else f"{before}\\]"


def _bang(sign: re.Match[str]) -> str:
    """Before a bracket of the page or of a link: what its words name would be loaded, wherever that is defined."""
    return "!" if is_escaped(sign.string, sign.start()) else "\\!"


def _tick(sign: re.Match[str]) -> str:
    return "`" if is_escaped(sign.string, sign.start()) else "\\`"


def _less(sign: re.Match[str]) -> str:
    is_tag = begins_a_tag(sign.string, sign.start()) and not is_escaped(sign.string, sign.start())
    return "\\<" if is_tag else "<"


def _is_alone(text: str, start: int, end: int) -> bool:
    """Whether a sign begins a line and its end ends it: of whatever name, such a tag makes what follows it HTML."""
    before = text[max(0, start - _LINE_CHARS) : start].rpartition("\n")[2]
    after = text[end + 1 : end + 1 + _LINE_CHARS].partition("\n")[0]
    return not before.strip(_CONTAINER) and not after.strip()


def begins_a_tag(text: str, at: int) -> bool:
    """Whether what follows is a tag, a comment or an address in angle brackets; `Vec<T>` and `a < b` are none."""
    if not (text[at + 1 : at + 2].isalpha() or text[at + 1 : at + 2] in {"/", "!", "?"}):
        return False
    rest = text[at + 1 : at + 1 + _LOOKED_AT_CHARS]
    if rest[0] in "!?":
        return rest[0] == "?" or rest[1:2].isalpha() or rest.startswith(("!--", "![CDATA["))
    name = _NAME.match(rest)
    if name is None:
        return False
    after, end = rest[name.end() : name.end() + 1], rest.find(">")
    if end >= 0 and _is_alone(text, at, at + 1 + end):
        return True
    is_open = end < 0 and len(rest) < _LOOKED_AT_CHARS
    if name[1].lower() in HTML_NAMES and (not after or after.isspace() or after in "/>"):
        return not is_open or at == 0 or text[at - 1] == "\n"
    if after.isspace():
        return not is_open and "=" in (rest[: end + 1] if end >= 0 else rest)
    return _SCHEME.match(rest) is not None and not is_open


class Phrases:
    """Writes the elements of a line. Where one begins, the answer says whether to look inside it."""

    def __init__(self, *, is_plain: bool) -> None:
        self.inline = Inline(is_plain=is_plain)

    def _mark(self, el: Element) -> bool:
        self.inline.start(_MARKS[el.tag])
        return True

    def _mark_ends(self, _: Element) -> None:
        self.inline.end()

    def _code(self, el: Element) -> bool:
        """Code in a line; a link round all of it goes outside, since nothing is marked inside code."""
        text = "".join(el.itertext())
        link = next(el.iter("a"), None)
        is_linked = link is not None and attr(link, "href") and "".join(link.itertext()).strip() == text.strip()
        self.inline.start("[" if is_linked else "", attr(link, "href") if link is not None else "")
        self.inline.code(text)
        self.inline.end()
        return False

    def _link(self, el: Element) -> bool:
        self.inline.start("[" if attr(el, "href") else "", attr(el, "href"))
        return True

    def _image(self, el: Element) -> bool:
        self.inline.image(attr(el, "alt"), attr(el, "src"))
        return False

    def _break(self, _: Element) -> bool:
        self.inline.line_break()
        return False

    def _raised(self, el: Element) -> bool:
        """A power gets a sign that separates it from a number; endings and notes stand as they are."""
        pieces = list(islice(el.itertext(), _MAX_PIECES + 1))
        text = "".join(pieces).strip() if len(pieces) <= _MAX_PIECES else ""
        is_power = text and not text.startswith("(") and not _OF_MARKS.search(text) and not _is_ending(text)
        if is_power and next(el.iter("a"), None) is None:
            self.inline.literal(f"^{text}" if text.isalnum() else f"^({text})")
            return False
        return True

    def _quoted(self, _: Element) -> bool:
        self.inline.literal("“")
        return True

    def _quoted_ends(self, _: Element) -> None:
        self.inline.literal("”")

    def _reading(self, _: Element) -> bool:
        self.inline.literal("(")
        return True

    def _reading_ends(self, _: Element) -> None:
        self.inline.literal(")")

    BEGIN: ClassVar[Mapping[str, Callable[..., bool]]] = {
        **dict.fromkeys(_MARKS, _mark),
        **dict.fromkeys(_CODES, _code),
        "a": _link,
        "img": _image,
        "br": _break,
        "sup": _raised,
        "q": _quoted,
        "rt": _reading,
    }
    END: ClassVar[Mapping[str, Callable[..., None]]] = {
        **dict.fromkeys((*_MARKS, "a"), _mark_ends),
        "q": _quoted_ends,
        "rt": _reading_ends,
    }


def _is_ending(text: str) -> bool:
    """Whether raised text is an ending like `th`, or a sign like `TM`."""
    return (len(text) > 1 and text.isalpha()) or text in {"®", "©", "™", "*", "†", "‡", "°"}


_SPACE = re.compile(r"[\s\u00a0]+")
_TICKS = re.compile(r"`+")
_STARTS_A_BLOCK = re.compile(
    r"(?:#{1,6}(?:\s|$)|(?:-{3,}|={3,}|\*{3,}|_{3,})\s*$|```|~~~|[>\s]*+(?=[\s:-]*+\||:)[\s|:]*+-[\s|:-]*$)"
)
"""Of a heading, a rule, code; the second line of a table would part the first one at its bars, also within code."""
_SIMPLE_ADDRESS = re.compile(r"[^()<>\s\\]*(?:\([^()<>\s\\]*\)[^()<>\s\\]*)*")
_ENCODED = {ord(char): f"%{ord(char):02X}" for char in " ()<>\\"}
_BRACKET = re.compile(r"\\.|[\[\]]", re.DOTALL)
_MAX_BRACKETS = 2
_BREAK = "\n"
_STRONG = "**"
_LINK = "["
_UNSEEN = -1


@dataclass(slots=True)
class _Mark:
    sign: str
    address: str
    at: int = _UNSEEN
    """Where its text begins in the paragraph."""
    is_starred: bool = False
    """Whether its text has stars of its own, which would make the end of the mark ambiguous."""


class Inline:
    """Collects the text and the marks of one paragraph.

    Space goes outside of marks, marks round nothing vanish, and a mark that is still open when the paragraph ends is
    closed there and opened again in the next one.
    """

    def __init__(self, *, is_plain: bool) -> None:
        self._is_plain = is_plain
        self._out: list[str] = []
        self._open: list[_Mark] = []
        """The marks that show, outer ones first: one of a kind, so only a few however deep the page is nested."""
        self._shows: list[bool] = []
        """Of every element that marks its text, whether its mark shows."""
        self._has_space = False
        self._closed = ""
        """The mark that ended right here: one of the same kind goes on with it."""
        self.is_heading = False

    @property
    def is_empty(self) -> bool:
        """Whether nothing was written since the last paragraph."""
        return not self._out

    def text(self, text: str) -> None:
        """Add text as the page has it: any white space counts as one blank."""
        if not text:
            return
        words = _SPACE.sub(" ", text)
        if words[0] == " ":
            self._has_space = True
        if body := words.strip(" "):
            self._put(body if self._is_plain else marked(body))
            self._has_space = words[-1] == " "
            if "*" in body:
                for mark in self._open:
                    mark.is_starred = True

    def literal(self, text: str) -> None:
        """Add text that is to stand as it is."""
        if text:
            self._put(text)

    def code(self, text: str) -> None:
        """Add code in a line."""
        body = _SPACE.sub(" ", text).strip()
        if not body or self._is_plain:
            self.text(text)
            return
        self._has_space |= text[0].isspace() or (bool(self._out) and self._out[-1].endswith(("`", _TICK, "\\")))
        self._put(ticked(body))
        self._has_space = text[-1].isspace()

    def image(self, alt: str, address: str) -> None:
        """Add a picture: its words and its address."""
        if self._is_plain:
            self.text(alt)
        else:
            self._put(f"![{_balanced(settled(marked(alt)))}]({_target(address)})")

    def line_break(self) -> None:
        """End the line, not the paragraph."""
        if self.is_heading:
            self._has_space = True
        elif self._out:
            self._out.append(_BREAK)
            self._has_space = False
            self._closed = ""

    def start(self, sign: str, address: str = "") -> None:
        """Open a mark; one inside another of its kind, and bold in a heading, are not shown."""
        shows = sign != "" and not self._is_plain and not (self.is_heading and sign == _STRONG)
        shows = shows and all(mark.sign != sign for mark in self._open)
        self._shows.append(shows)
        if shows:
            self._open.append(_Mark(sign, address))

    def end(self) -> None:
        """Close the mark opened last."""
        if self._shows.pop():
            self._close(self._open.pop())

    def take(self) -> list[str]:
        """The lines of the paragraph, none when it holds nothing; the next one begins."""
        for mark in reversed(self._open):
            self._close(mark)
        lines = [line.strip(" ") for line in settled("".join(self._out)).split(_BREAK)]
        self._out, self._has_space, self._closed = [], False, ""
        while lines and not lines[-1]:
            lines.pop()
        while lines and not lines[0]:
            lines.pop(0)
        if self._is_plain or self.is_heading:
            return lines
        return [f"\\{line}" if _STARTS_A_BLOCK.match(line) else line for line in lines]

    def _put(self, body: str) -> None:
        out = self._out
        if self._has_space and out and out[-1] != _BREAK:
            out.append(" ")
            self._closed = ""
        self._has_space = False
        for mark in self._open:
            if mark.at == _UNSEEN:
                self._begin(mark)
        out.append(body)
        self._closed = ""

    def _begin(self, mark: _Mark) -> None:
        out = self._out
        if mark.sign == self._closed and mark.sign != _LINK:
            out.pop()
            mark.at = len(out)
        else:
            if mark.sign == self._closed:
                out.append(" ")
            out.append(mark.sign)
            mark.at = len(out)
        self._closed = ""

    def _close(self, mark: _Mark) -> None:
        at, out = mark.at, self._out
        mark.at = _UNSEEN
        if at == _UNSEEN:
            return
        while len(out) > at and out[-1] == _BREAK:
            out.pop()
            self._has_space = True
        if mark.sign == _LINK:
            inside = settled("".join(out[at:]).replace(_BREAK, " "))
            del out[at:]
            out.append(_balanced(inside))
            out.append(f"]({_target(mark.address)})")
        elif mark.is_starred and out[at - 1] == mark.sign:
            out[at - 1] = ""
            self._closed = ""
            return
        else:
            out.append(mark.sign)
        self._closed = mark.sign


def _balanced(text: str) -> str:
    """The text of a link, in which no bracket may end it early."""
    if "[" not in text and "]" not in text:
        return text
    depth = 0
    for bracket in _BRACKET.findall(text):
        depth += {"[": 1, "]": -1}.get(bracket, 0)
        if not 0 <= depth <= _MAX_BRACKETS:
            break
    return text if depth == 0 else _BRACKET.sub(_escaped, text)


def _escaped(bracket: re.Match[str]) -> str:
    return bracket[0] if bracket[0].startswith("\\") else f"\\{bracket[0]}"


def _target(address: str) -> str:
    """An address that cannot end its link early."""
    return address if _SIMPLE_ADDRESS.fullmatch(address) else address.translate(_ENCODED)


def ticked(code: str) -> str:
    """Code between ticks, longer ones where it has some of its own."""
    ticks = "`" * (longest_ticks(code) + 1)
    pad = " " if code[0] == "`" or code[-1] == "`" else ""
    return f"{ticks}{pad}{code}{pad}{ticks}"


def longest_ticks(text: str) -> int:
    """The length of the longest run of ticks: those round the text must be longer."""
    return max(map(len, _TICKS.findall(text)), default=0)


def joined(lines: Sequence[str], between: str) -> str:
    """The lines of a paragraph as one; empty lines were paragraphs of their own."""
    return between.join(line for line in lines if line)
