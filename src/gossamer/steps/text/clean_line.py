"""Clean line: a foreign snippet becomes one line without markup or control characters."""

import html
import re
import unicodedata

_SKIPPED = re.compile(r"<!--.*?(?:-->|\Z)|<(script|style)(?=[\s/>]).*?(?:</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<(?P<end>[/!?]?)(?P<name>[a-zA-Z][\w:-]*)?(?P<rest>[^<>]*)(?P<close>>|(?=<)|\Z)")
_TERMINAL = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


def _names(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_BLOCKS = _names(
    "address article aside blockquote br caption dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 "
    "header hr legend li main nav ol option p pre section select table tbody td tfoot th thead title tr ul"
)
_INLINES = _names(
    "a abbr acronym applet area audio b base bdi bdo big blink body button canvas center cite code col colgroup data "
    "datalist del details dfn dialog dir em embed font frame frameset head hgroup html i iframe img input ins kbd "
    "label link map mark marquee math menu meta meter nobr noframes noscript object optgroup output param picture "
    "portal progress q rp rt ruby s samp script search slot small source span strike strong style sub summary sup svg "
    "template textarea time track tt u var video wbr"
)
HTML_NAMES = _BLOCKS | _INLINES
_JOINERS = "\u200c\u200d"
_JOINED = frozenset({"Lo", "Mn", "Mc", "So", "Sk"})
"""Letters without case, marks, emoji: what a joiner may really join."""
_UNWANTED = frozenset({"Cc", "Cf", "Cs", "Co"})
_BLANK = frozenset("\u034f\u115f\u1160\u2800\u3164\uffa0").union(map(chr, range(0xE0100, 0xE01F0)))
"""Letters, marks and symbols that show nothing."""

_ROUNDS = 3
"""Services escape text once or twice; deeper nesting is an attack."""
_RAW_PER_CHAR = 8
"""How much markup is read for each character that may come out."""


def plain(text: str, *, max_chars: int = 500) -> str:
    """One line of plain text from a title or snippet that may hold markup, at most `max_chars` long.

    Tags and entities go, also when they were escaped twice; so do control, zero-width, tag and private characters.
    A bare `<word>` that HTML does not know stays: `Vec<T>` and `git clone <url>` are text. What is too long ends
    in "…".
    """
    line = text[: max_chars * _RAW_PER_CHAR]
    for _ in range(_ROUNDS):
        before = line
        line = html.unescape(_without_tags(visible(line)))
        if line == before:
            break
    line = visible(line)
    if _without_tags(line) != line:
        line = line.translate({ord("<"): " ", ord(">"): " "})
    line = " ".join(line.split())
    return line if len(line) <= max_chars else line[: max_chars - 1].rstrip() + "…"


def plain_address(url: str, *, max_chars: int = 2048) -> str:
    """The address as it came, or nothing when it is no http(s) address in one word."""
    if len(url) > max_chars or re.match(r"https?://[^/?#]", url, re.IGNORECASE) is None:
        return ""
    return url if "".join(visible(url).split()) == url else ""


def _without_tags(text: str) -> str:
    return _TAG.sub(_left, _SKIPPED.sub(" ", text)) if "<" in text else text


def _left(match: re.Match[str]) -> str:
    """What a tag leaves behind: a space where it breaks a line, itself where it is no tag."""
    name, rest = (match["name"] or "").lower(), match["rest"]
    if name in _BLOCKS or name in _INLINES:
        is_tag = not rest or rest[0].isspace() or rest[0] in "/\"'="
    elif match["end"]:
        is_tag = bool(match["close"])
    else:
        is_tag = bool(name and match["close"]) and ("-" in name or any(sign in rest for sign in "=\"'/"))
    if not is_tag:
        return match[0]
    return " " if name in _BLOCKS else ""


def visible(text: str) -> str:
    """The text without control, zero-width, tag, direction and private characters; blanks and lines stay."""
    if text.isascii() and text.isprintable():
        return text
    text = _TERMINAL.sub("", text)
    return "".join(character for place, character in enumerate(text) if is_seen(text, place))


def is_seen(text: str, place: int) -> bool:
    """Whether a character of a text shows, gives room, or joins two that need it."""
    character = text[place]
    return character.isspace() or _shows(character) or (character in _JOINERS and _joins(text, place))


def _shows(character: str) -> bool:
    return unicodedata.category(character) not in _UNWANTED and character not in _BLANK


def _joins(text: str, place: int) -> bool:
    """Whether a joiner stands between two signs that need one, as in Persian words and family emoji."""
    neighbours = text[place - 1 : place] + text[place + 1 : place + 2]
    return len(neighbours) == 2 and all(unicodedata.category(sign) in _JOINED for sign in neighbours)
